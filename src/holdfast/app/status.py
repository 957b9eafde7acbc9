"""Status: what the home holds, and where we are."""

from __future__ import annotations

import os

from holdfast.app import proposals
from holdfast.errors import HoldfastError
from holdfast.workspace import Workspace


def status(workspace: Workspace) -> dict[str, object]:
    """Return home, project, counts and sizes; nothing is made or changed by looking."""
    if workspace.enabled:
        workspace.refresh(None)
    groups = workspace.store.groups() if workspace.enabled else []
    return {
        "home": workspace.home,
        "exists": os.path.isdir(workspace.home),
        "enabled": workspace.enabled,
        "project": _project(workspace),
        "memories": sum(group.memories for group in groups),
        "bytes": sum(group.size for group in groups),
        "scopes": [
            {
                "scope": group.scope.kind,
                "owner": group.scope.owner,
                "memories": group.memories,
                "bytes": group.size,
                "updated": group.updated,
            }
            for group in groups
        ],
        "problems": len(workspace.store.problems()) if workspace.enabled else 0,
        "proposals": proposals.count(workspace),
    }


def _project(workspace: Workspace) -> dict[str, str]:
    try:
        project = workspace.project()
    except HoldfastError as problem:
        return {"id": "", "rule": "", "reason": str(problem)}
    return {"id": project.id, "rule": project.rule, "reason": project.reason}
