"""Up: the main job. For now it prepares the store, shows what it holds, and says what to do next."""

from __future__ import annotations

from holdfast.app.status import status
from holdfast.memory import init
from holdfast.workspace import Workspace


def up(workspace: Workspace) -> dict[str, object]:
    """Prepare the home and return its status with one line for each thing to do next."""
    steps = init.plan(workspace)
    init.apply(workspace, steps)
    found = status(workspace)
    return {**found, "prepared": len(steps), "next": _next_steps(found)}


def _next_steps(found: dict[str, object]) -> list[str]:
    project = found["project"]
    has_project = isinstance(project, dict) and project["id"]
    store = 'holdfast remember "..."' if has_project else 'holdfast remember --scope global "..."'
    steps = [f"Store something: {store}", "Find it again: holdfast recall WORDS"]
    if not found["memories"]:
        steps.insert(0, "See a short story in a throw-away home: holdfast demo")
    if found["proposals"]:
        steps.append(f"{found['proposals']} proposal(s) wait for your word: holdfast proposals review")
    if found["problems"]:
        steps.append("Some files need a look: holdfast lint")
    if not has_project:
        steps.append("Memories of a project are stored from inside its folder: cd there first")
    return steps
