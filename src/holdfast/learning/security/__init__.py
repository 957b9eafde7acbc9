"""The audit trail of dangerous calls, and refusing one before it runs."""
