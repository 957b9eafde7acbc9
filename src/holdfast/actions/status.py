"""Status: what the home holds, and where we are."""

from __future__ import annotations

import os

from holdfast.actions import proposals
from holdfast.actions.house import House
from holdfast.errors import HoldfastError


def status(house: House) -> dict[str, object]:
    """Return home, project, counts and sizes; nothing is made or changed by looking."""
    if house.enabled:
        house.refresh(None)
    groups = house.store.groups() if house.enabled else []
    return {
        "home": house.home,
        "exists": os.path.isdir(house.home),
        "enabled": house.enabled,
        "project": _project(house),
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
        "problems": len(house.store.problems()) if house.enabled else 0,
        "proposals": proposals.count(house),
    }


def _project(house: House) -> dict[str, str]:
    try:
        project = house.project()
    except HoldfastError as problem:
        return {"id": "", "rule": "", "reason": str(problem)}
    return {"id": project.id, "rule": project.rule, "reason": project.reason}
