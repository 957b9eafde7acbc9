"""Import from other stores and agents."""
