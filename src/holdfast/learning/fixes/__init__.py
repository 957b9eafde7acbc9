"""Fixes: what was done until a failed command worked, offered when it fails again."""
