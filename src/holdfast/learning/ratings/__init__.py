"""Ratings: what a person says of the work, as rows."""
