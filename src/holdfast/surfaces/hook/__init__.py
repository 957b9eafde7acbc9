"""`holdfast-hook`: the adapter for agents that run a command at the events of a session."""
