"""Memory as a whole: the scaffold, the indexes that keep themselves true, groups, lint, heal and retention."""
