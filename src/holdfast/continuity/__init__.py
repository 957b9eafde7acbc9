"""Continuity: what a project is busy with now, what was done on each day, and what its pages say.

What a hook loads of it stays light (decision 0013).
"""
