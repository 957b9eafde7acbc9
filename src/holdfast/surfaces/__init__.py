"""The front: thin doors to the actions. Nothing here decides anything."""
