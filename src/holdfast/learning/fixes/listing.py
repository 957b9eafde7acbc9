"""List the fixes that agents are told when a command fails as it failed before, and reject one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from holdfast.base import clock
from holdfast.base.text import by_prefix
from holdfast.language.conditions import Call
from holdfast.learning.fixes import model, retries
from holdfast.learning.fixes.model import Fix
from holdfast.learning.fixes.session_failures import lines_of, why_untold
from holdfast.records import STRENGTHS, replace
from holdfast.rules.lookup import asked
from holdfast.sessions.browse import projects_here
from holdfast.workspace import Workspace

# So much of an id is shown.
_SHOWN = 8


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


def told(workspace: Workspace, fix: Fix) -> tuple[bool, str]:
    """Return whether agents are told a fix of this project when its command fails so again, and when, or why not."""
    reason = why_untold(fix) or _forbidden(workspace, fix)
    if reason:
        return False, reason
    known = model.lookup(workspace.home, [fix.project], fix.fingerprint)
    fits = retries.fitting(known, fix.command, fix.error, fix.names)
    before = list(takewhile(lambda one: one.steps != fix.steps, fits))
    first = [model.name_of(one)[:_SHOWN] for one in before if not (why_untold(one) or _forbidden(workspace, one))]
    named = retries.repeated_by(fix)
    when = f"with an error that names {', '.join(named)}" if named else "in the same way"
    return True, f"when it fails {when}" + (f" and the step of {', '.join(first)} was taken before" if first else "")


def _forbidden(workspace: Workspace, fix: Fix) -> str:
    """Return which of the person's rules forbids a step of a fix; nothing where none does."""
    for line in lines_of(fix):
        for one in asked(workspace, Call("Bash", line)):
            if one.does != STRENGTHS[0]:
                return f"your rule {one.rule.memory.key} forbids `{line}`"
    return ""


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
