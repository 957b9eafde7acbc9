"""List the audit trail: calls of tools that destroy, read a secret or write outside the project."""

from __future__ import annotations

from holdfast.errors import BadInput
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.judge import KINDS
from holdfast.learning.security.model import Record
from holdfast.sessions.browse import projects_here, span
from holdfast.workspace import Workspace


def trail(
    workspace: Workspace, *, since: str = "", kind: str = "", everywhere: bool = False, limit: int = 0
) -> list[Record]:
    """Return the records of this project, or of all, newest first; 0 is no limit."""
    if kind and kind not in KINDS:
        raise BadInput(f"{kind!a} is not a kind of record", f"Use one of {', '.join(KINDS)}.")
    if not workspace.enabled:
        return []
    projects = projects_here(workspace, everywhere=everywhere)
    found = [
        record
        for record in security_trail.read(workspace.home, span(since, "")[0])
        if (projects is None or record.project in projects) and kind in ("", record.kind)
    ]
    return found[:limit] if limit else found
