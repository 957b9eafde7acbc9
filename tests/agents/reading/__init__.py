"""The readers of transcripts: what they share, one file for each agent, and real files where they are at hand."""
