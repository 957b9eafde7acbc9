"""Learning: ratings, lessons, incidents and work items, and what of them comes back when it matters.

What a hook loads of it stays light (decision 0013).
"""
