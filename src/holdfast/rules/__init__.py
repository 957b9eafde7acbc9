"""Memories with a condition: at which calls of tools they hold, and what is said or held there."""
