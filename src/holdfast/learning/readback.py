"""What a session gets back of what was learned: what lessons weigh, open work, stale work, fixes.

By allow-list: these sections, and of each only the fields that are named here. Lessons are memories, and are handed
over as memories. Trouble with one section is logged and takes nothing else away. A hook loads what it needs for a
section only where there is something to tell.
"""

from __future__ import annotations

import os
import time

from holdfast.base.clock import iso
from holdfast.base.text import CUT, cut
from holdfast.continuity.resume import owner_of
from holdfast.errors import HoldfastError
from holdfast.inject.block import STATE, Item, page_given, text_of
from holdfast.privacy.fence import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from holdfast.learning.lessons.lesson_table import Row
    from holdfast.learning.work.model import Work
    from holdfast.parts import HookRun

    T = TypeVar("T")

OPEN_HOURS = 48
STALE_DAYS = 14
_EVER_HOURS = 24 * 3_650
_MAX_WORK = 4
_MAX_STALE = 3
# Work that goes on is asked about by its title and so many criteria, less one.
_MAX_ASKED = 5
_MAX_TITLE = 120
_MAX_LEFT = 150
_FIXES = "Failed before in the same way, and what worked then"
_WORTH = {"work": 2.0, "stale": 0.5, "fixes": 5.0}
# What a lesson weighs counts for so much of its worth, and its marks can neither lift nor sink it further.
_OF_WEIGHT, _MAX_WEIGHT = 0.3, 2.0


def items(run: HookRun) -> list[Item]:
    """Return open work and stale work, as far as they are switched on and there is something to tell."""
    project = run.project()
    if project is None or not run.settings.flag("learning.enabled"):
        return []
    ids = project.ids
    return [*_told(run, "readback", lambda: _work(run, ids))]


def about_work(run: HookRun) -> list[str]:
    """Return what the open work item is about that was worked on last: its title, and what is not met yet."""
    project = run.project()
    ids = project.ids if project and run.settings.flag("learning.enabled") else ()
    there = [id for id in ids if os.path.isdir(os.path.join(run.home, "work", id))]
    if not there:
        return []
    from holdfast.learning.work import criteria
    from holdfast.learning.work import model as work

    found = [one for id in there for one in work.open_work(run.home, id, OPEN_HOURS)]
    newest = max(found, key=lambda one: one.updated_at, default=None)
    if newest is None:
        return []
    wanted = [one.text for one in criteria.read(newest.path).criteria if one.status != criteria.SATISFIED]
    return [newest.title, *wanted][:_MAX_ASKED]


def weights(run: HookRun) -> dict[tuple[str, str, str], float]:
    """Return what the lessons that stand here or everywhere weigh, by the place of their memories; marks count."""
    if not (run.settings.flag("learning.enabled") and run.settings.flag("readback.lessons")):
        return {}
    project = run.project()
    ids = project.ids if project else ()
    found: dict[tuple[str, str, str], float] = {}
    for row, weight in _standing(run, ids):
        worth = max(-_MAX_WEIGHT, min(_MAX_WEIGHT, weight * _OF_WEIGHT))
        # Where two projects became one, the memory may stand under another id than its lesson.
        places = [("project", id, row.key) for id in ids] if row.project else [("global", "", row.key)]
        found.update(dict.fromkeys(places, worth))
    return found


def _standing(run: HookRun, ids: tuple[str, ...]) -> Sequence[tuple[Row, float]]:
    if not os.path.isdir(os.path.join(run.home, "learning")):
        return ()
    from holdfast.learning.lessons import lesson_table

    now = time.time()
    return _told(
        run,
        "lessons",
        lambda: [(row, lesson_table.weight(row, now)) for row in lesson_table.standing(run.home, ids, now)],
    )


def fixes(run: HookRun) -> list[Item]:
    """Return what worked last time for what failed since the last prompt."""
    if not run.settings.flag("learning.enabled"):
        return []
    from holdfast.learning.fixes.session_failures import offers

    lines = _told(run, "fixes", lambda: list(offers(run)))
    return [_item(run, "fixes", _FIXES, line, "the same failure") for line in lines]


def fix_item(run: HookRun, line: str) -> Item:
    """Return what is said with a failure."""
    return _item(run, "fixes", "", line, "the same failure")


def _item(run: HookRun, name: str, head: str, line: str, why: str) -> Item:
    text = text_of(" ".join(line.split()), without_secrets)
    return Item(text, page_given(owner_of(run.workspace), name, line, why), STATE, head, worth=_WORTH[name])


def _told(run: HookRun, name: str, look: Callable[[], Sequence[T]]) -> Sequence[T]:
    """Return what is to be told; trouble with it is logged, and takes nothing else away."""
    try:
        return look()
    except Exception as problem:
        run.log(name, problem)
        return ()


def _work(run: HookRun, ids: tuple[str, ...]) -> list[Item]:
    """Return open work of the last hours, and what nobody touched for long; between the two nothing is told."""
    wanted = {name: run.settings.flag(f"readback.{name}") for name in ("work", "stale")}
    there = [id for id in ids if os.path.isdir(os.path.join(run.home, "work", id))]
    if not there or not any(wanted.values()):
        return []
    from holdfast.learning.work import model as work

    # All that is open is looked at once for both.
    found = [one for id in there for one in work.open_work(run.home, id, _EVER_HOURS)]
    now = time.time()
    new = [one for one in found if one.updated_at >= iso(now - OPEN_HOURS * 3_600)] if wanted["work"] else []
    # What only an old transcript told of was never known to be left open.
    left = [one for one in found if one.source != work.ARCHIVE] if wanted["stale"] else []
    old = [one for one in left if one.updated_at < iso(now - STALE_DAYS * 86_400)]
    heads = {
        "work": (f"Open work of the last {OPEN_HOURS} hours", new, _MAX_WORK),
        "stale": (f"Open work that nobody touched for {STALE_DAYS} days", old, _MAX_STALE),
    }
    return [
        _item(run, name, head, line, "open work")
        for name, (head, some, most) in heads.items()
        for line in [line for line in map(_line, some) if line][:most]
    ]


def _line(one: Work) -> str:
    """Return a work item as it is told: its title, what is left of it, when it was worked on, and its id.

    One that was made of a prompt would echo it, and nobody knows what of it is still open.
    """
    from holdfast.learning.work import criteria
    from holdfast.learning.work.model import MANUAL

    try:
        isc = criteria.read(one.path)
    except HoldfastError:
        isc = criteria.Criteria()
    left = [each.text for each in isc.criteria if each.status in (criteria.PENDING, criteria.FAILED)]
    if isc.is_met() or one.source != MANUAL:
        return ""
    met = f"{isc.count(criteria.SATISFIED)} of {len(isc.criteria)} criteria met, " if isc.criteria else ""
    to_do = f": still to do: {'; '.join(left)}" if left else ""
    return f"{one.title[:_MAX_TITLE]}{cut(to_do, _MAX_LEFT, CUT)} ({met}last worked on {one.updated_at[:10]}; {one.id})"
