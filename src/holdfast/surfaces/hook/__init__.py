"""`holdfast-hook`: the door for agents that run a command at the events of a session."""
