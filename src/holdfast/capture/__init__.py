"""What comes in: the journal of events, and the redaction that stands before every write."""
