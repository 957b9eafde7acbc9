"""Folders: those above one, and whether one is within another."""

from __future__ import annotations

import os


def upwards(folder: str) -> list[str]:
    """Return the folder and all folders above it, nearest first."""
    places = [folder]
    while (above := os.path.dirname(places[-1])) != places[-1]:
        places.append(above)
    return places


def within(folder: str, outer: str) -> bool:
    """Tell whether the folder is `outer` or below it; both are real paths."""
    return folder == outer or folder.startswith(outer.rstrip("/") + "/")
