"""Heal a home: what is safe to repair in memories, and rows in the tables of pages that are not memories yet."""

from __future__ import annotations

from holdfast.continuity import views
from holdfast.memory import heal
from holdfast.records import Step
from holdfast.workspace import Workspace


def plan(workspace: Workspace) -> list[Step]:
    """Return the safe repairs, and the rows of pages that would be adopted."""
    return [*heal.plan(workspace), *views.plan(workspace)]


def apply(workspace: Workspace, steps: list[Step]) -> list[Step]:
    """Do the steps; return those that were done. It rewrites what the person laid down, so only they do it."""
    workspace.need_person("heals a home")
    rows = [step for step in steps if step.act in views.ACTS]
    if rows:
        views.adopt_all(workspace)
    return [*heal.apply(workspace, [step for step in steps if step not in rows]), *rows]
