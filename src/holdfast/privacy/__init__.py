"""Redaction, fences around stored text, and which words are the person's."""
