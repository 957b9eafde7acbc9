"""Lessons: what was learned, with its evidence, and whether it stands."""
