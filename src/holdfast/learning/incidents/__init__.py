"""Incidents: the full context of something that went badly wrong."""
