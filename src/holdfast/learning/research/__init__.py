"""Research: what sub-agents found out."""
