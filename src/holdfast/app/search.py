"""One search: memories first, then what the project's documents say, then what was said in sessions."""

from __future__ import annotations

from holdfast.continuity import documents
from holdfast.errors import HoldfastError, ScopeUnknown
from holdfast.records import Filter
from holdfast.sessions import search
from holdfast.sessions.search import SessionHit
from holdfast.workspace import Workspace

LIMIT = 3


def beside(workspace: Workspace, query: str, limit: int = LIMIT) -> tuple[list[SessionHit], list[SessionHit]]:
    """Return what documents and what sessions of this project say about the query, beside its memories."""
    if not workspace.enabled or not query.strip():
        return [], []
    try:
        workspace.project()
        # An archive that is not in the index yet is put there by a sweep, or by `sessions search`.
        sessions = search.within(workspace, query, Filter(workspace.visible("project")), limit)
        return documents.found(workspace, query, limit), sessions
    except ScopeUnknown:
        return [], []
    except HoldfastError as problem:
        workspace.say(f"only memories were searched: {problem}")
        return [], []
