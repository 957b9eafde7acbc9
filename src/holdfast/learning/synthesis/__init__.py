"""Synthesis: what the ratings of some days say together."""
