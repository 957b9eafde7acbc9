"""One search: memories first, then what the project's documents say, then what was said in sessions."""

from __future__ import annotations

from holdfast.continuity import documents
from holdfast.errors import HoldfastError
from holdfast.records import Filter
from holdfast.sessions import search
from holdfast.sessions.search import SessionHit
from holdfast.workspace import Workspace

LIMIT = 3


def beside(workspace: Workspace, query: str) -> tuple[list[SessionHit], list[SessionHit]]:
    """Return what documents and what sessions of this project say about the query, beside its memories."""
    if not workspace.enabled or not query.strip():
        return [], []
    try:
        # An archive that is not in the index yet is put there by a sweep, or by `sessions search`.
        here = tuple(scope for scope in workspace.visible() if scope.kind == "project")
        sessions = search.within(workspace, query, Filter(here), LIMIT) if here else []
        return documents.found(workspace, query, LIMIT), sessions
    except HoldfastError as problem:
        workspace.say(f"only memories were searched: {problem}")
        return [], []
