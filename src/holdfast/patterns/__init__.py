"""Patterns: what recurs over sessions, good and bad; found, decided on, handed to agents, and followed."""
