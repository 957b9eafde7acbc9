"""List the fixes that agents are told when a command fails as it failed before, and reject one."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.base import clock
from holdfast.errors import BadInput, NotFound
from holdfast.learning.fixes import model
from holdfast.learning.fixes.model import Fix
from holdfast.records import replace
from holdfast.sessions.browse import projects_here
from holdfast.workspace import Workspace

MIN_ID = 4


def known(workspace: Workspace, *, everywhere: bool = False, rejected: bool = False) -> list[Fix]:
    """Return what fixed failures of this project, or of all, each once with its `name_of` as its id, newest first."""
    if not workspace.enabled:
        return []
    projects = projects_here(workspace, everywhere=everywhere)
    latest: dict[str, Fix] = {}
    for fix in sorted(model.read(workspace.home, rejected=rejected), key=lambda one: one.at):
        if projects is None or fix.project in projects:
            latest[model.name_of(fix)] = fix
    return [replace(fix, id=name) for name, fix in sorted(latest.items(), key=lambda one: one[1].at, reverse=True)]


def reject(workspace: Workspace, ids: Iterable[str], *, dry_run: bool = False) -> list[Fix]:
    """Let no agent be told these fixes again, and return them."""
    workspace.need_enabled()
    fixes = known(workspace, everywhere=True)
    chosen = [_named(fixes, id) for id in dict.fromkeys(ids)]
    for fix in () if dry_run else chosen:
        model.reject(workspace.home, fix, clock.now())
    return chosen


def restore(workspace: Workspace, ids: Iterable[str], *, dry_run: bool = False) -> list[Fix]:
    """Let agents be told rejected fixes again, and return them."""
    workspace.need_enabled()
    fixes = known(workspace, everywhere=True, rejected=True)
    chosen = [_named(fixes, id) for id in dict.fromkeys(ids)]
    for fix in () if dry_run else chosen:
        model.restore(workspace.home, fix)
    return chosen


def _named(fixes: list[Fix], id: str) -> Fix:
    """Return the fix that an id, or the beginning of one, names."""
    found = [fix for fix in fixes if fix.id.startswith(id)] if len(id) >= MIN_ID else []
    if not found:
        raise NotFound(f"no fix has the id {id!a}", "`holdfast fixes --everywhere` lists them with their ids.")
    if len(found) > 1:
        raise BadInput(f"{len(found)} fixes have an id that begins with {id!a}", "Give more of it.")
    return found[0]
