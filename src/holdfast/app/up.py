"""Up: prepares the home, says what it holds, which agents could be connected, and what to do next."""

from __future__ import annotations

from typing import Any

from holdfast.app.status import status
from holdfast.memory import init
from holdfast.workspace import Workspace


def up(workspace: Workspace) -> dict[str, Any]:
    """Prepare the home and return its status with one line for each thing to do next."""
    steps = init.plan(workspace)
    init.apply(workspace, steps)
    found = status(workspace)
    return {**found, "prepared": len(steps), "next": _next_steps(found)}


def _next_steps(found: dict[str, Any]) -> list[str]:
    has_project = found["project"]["id"]
    store = 'holdfast remember "..."' if has_project else 'holdfast remember --scope global "..."'
    steps = [f"Store something: {store}", "Find it again: holdfast recall WORDS"]
    if not found["memories"]:
        steps.insert(0, "See a short story in a throw-away home: holdfast demo")
    for one in found["agents"]:
        if one["can_connect"] and not one["connected"]:
            steps.append(f"Connect {one['title']}: holdfast install {one['name']}")
    if found["proposals"]:
        waits = "1 proposal waits" if found["proposals"] == 1 else f"{found['proposals']} proposals wait"
        steps.append(f"{waits} for your decision: holdfast proposals review")
    if found["problems"]:
        steps.append("Some files need a look: holdfast lint")
    if not has_project:
        steps.append("Memories of a project are stored from inside its folder: cd there first")
    return steps
