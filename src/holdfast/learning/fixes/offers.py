"""What a prompt is offered after failed commands: the fix that worked last time, whichever agent found it."""

from __future__ import annotations

import os

from holdfast.base.text import one_line
from holdfast.learning.fixes.hook import note, path_of, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.learning.fixes.hook import Row
    from holdfast.learning.fixes.model import Fix
    from holdfast.parts import HookRun

MOST = 3
MAX_LINE = 400
_MAX_COMMAND = 80
_MAX_ERROR = 120


def offers(run: HookRun) -> list[str]:
    """Return a line for each failure since this session's last prompt that has a known fix, each once a session."""
    path = path_of(run)
    if not path or not os.path.exists(path):
        return []
    rows = rows_of(path)
    open_now = _unfixed(rows)
    if not open_now:
        return []
    project = run.project()
    projects = (project.id, *project.aliases) if project else ()
    found = _known(run.home, projects, {fingerprint: tuple(row[4:]) for fingerprint, row in open_now.items()})
    if len(found) < min(MOST, len(open_now)):
        found = {**_known_formerly(run.home, projects, open_now), **found}
    found = {fingerprint: found[fingerprint] for fingerprint in [*open_now] if fingerprint in found}
    note(path, [("prompt", run.at), *[("offered", fingerprint) for fingerprint in [*found][:MOST]]])
    return [*found.values()][:MOST]


def _known(home: str, projects: Iterable[str], failures: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Return what is known about failures, by their fingerprints, each with the names in its error.

    What a person approved for a failure comes before what worked once.
    """
    from holdfast.learning.fixes import model as fixes
    from holdfast.learning.fixes import warnings

    found = warnings.lookup(home, projects, failures)
    for fingerprint, names in failures.items():
        known = fixes.lookup(home, projects, fingerprint, names) if fingerprint not in found else []
        if known:
            found[fingerprint] = line_of(known[0])
    return found


def _known_formerly(home: str, projects: Iterable[str], failures: dict[str, list[str]]) -> dict[str, str]:
    """Return what earlier versions learned of failures under the name of another command of the same line."""
    from holdfast.language.failures import fingerprints

    of_others = {
        other: fingerprint
        for fingerprint, row in failures.items()
        for other in fingerprints(row[1], row[2])
        if other not in failures
    }
    known = _known(home, projects, {other: tuple(failures[of_others[other]][4:]) for other in of_others})
    return {of_others[other]: line for other, line in known.items()}


def _unfixed(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return the failures since the last prompt that were neither fixed nor offered, latest first, as their rows."""
    found: dict[str, list[str]] = {}
    offered: set[str] = set()
    for kind, *told in rows:
        if kind == "prompt":
            found.clear()
        elif kind == "offered":
            offered.add(told[0])
        elif kind == "fixed":
            found.pop(told[0], None)
        elif kind == "failed" and told[0] and len(told) > 3:
            found.pop(told[0], None)
            found[told[0]] = told
    return {one: told for one, told in reversed(found.items()) if one not in offered}


def line_of(fix: Fix) -> str:
    """Return a fix as one line: what failed, what worked, who found it and when."""
    often = f", in {fix.times} sessions" if fix.times > 1 else ""
    failed = f"`{one_line(fix.command, _MAX_COMMAND)}` failed before with: {one_line(fix.error, _MAX_ERROR)}"
    worked = f"What worked then ({fix.agent}, {fix.at[:10]}{often}): {'; '.join(fix.steps)}"
    return one_line(f"{failed} - {worked}", MAX_LINE)
