"""The append-only log of events, uses, and the trail of updates."""
