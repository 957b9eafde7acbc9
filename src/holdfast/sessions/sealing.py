"""Sealed sessions: one that a person began with HOLDFAST_SEALED=1 is given nothing, and nothing of it is kept.

Its hooks write one line, the digest of its name among those of forgotten sessions, so that no sweep takes it in. All
else in such an environment, commands and MCP tools, finds memory switched off.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.text import hash_of

FORGOTTEN = os.path.join("archive", "forgotten.txt")


def seal(home: str, agent: str, *sessions: str) -> None:
    """Take care that no sweep keeps these sessions of an agent."""
    path = os.path.join(home, FORGOTTEN)
    known = files.read_if_there(path).decode("utf-8", "replace").split()
    new = [mark for session in dict.fromkeys(sessions) if session and (mark := hash_of(agent, session)) not in known]
    if new:
        files.make_folder(os.path.dirname(path))
        rows.append(path, new)
