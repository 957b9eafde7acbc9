"""List the fixes that agents are told when a command fails as it failed before, and reject one."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.base import clock
from holdfast.base.text import by_prefix
from holdfast.learning.fixes import model
from holdfast.learning.fixes.model import Fix
from holdfast.records import replace
from holdfast.sessions.browse import projects_here
from holdfast.workspace import Workspace


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
    chosen = _named(workspace, ids, rejected=False)
    for fix in () if dry_run else chosen:
        model.reject(workspace.home, fix, clock.now())
    return chosen


def restore(workspace: Workspace, ids: Iterable[str], *, dry_run: bool = False) -> list[Fix]:
    """Let agents be told rejected fixes again, and return them."""
    chosen = _named(workspace, ids, rejected=True)
    for fix in () if dry_run else chosen:
        model.restore(workspace.home, fix)
    return chosen


def _named(workspace: Workspace, ids: Iterable[str], *, rejected: bool) -> list[Fix]:
    """Return the fixes that these ids, or the beginnings of them, name."""
    workspace.need_enabled()
    fixes = {fix.id: fix for fix in known(workspace, everywhere=True, rejected=rejected)}
    hint = "`holdfast fixes --everywhere` lists them with their ids."
    return [by_prefix(id, fixes, "there is no fix", hint) for id in dict.fromkeys(ids)]
