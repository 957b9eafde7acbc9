"""Whether an agent said itself what it is about. Then the person's prompts do not change the focus in its session.

Identity: one small file for each project in `state/focus/`. May be lost: then the focus follows the prompts again.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.digests import short


def note(home: str, project: str, agent: str, at: str) -> None:
    """Note that the agent set the focus of the project now."""
    path = _path(home, project)
    files.make_folder(os.path.dirname(path))
    files.write(path, f"{at}\t{agent}".encode("utf-8", "replace"), durable=False)


def is_set_by(home: str, project: str, agent: str, since: str) -> bool:
    """Whether that agent set it since then; nobody did where nothing says when the session began."""
    try:
        with open(_path(home, project), encoding="utf-8", errors="replace") as file:
            at, _, who = file.read(400).partition("\t")
    except OSError:
        return False
    return who == agent and bool(since) and at >= since


def _path(home: str, project: str) -> str:
    return os.path.join(home, "state", "focus", short(project))
