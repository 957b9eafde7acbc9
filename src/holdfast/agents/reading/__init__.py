"""The readers of agents' transcripts: heavy, and loaded only by what reads sessions. `base` has their contract."""
