"""What a session gets back of what was learned: standing lessons, the trend of ratings, open work, stale work, fixes.

By allow-list: these sections, and of each only the fields that are named here. Lessons are memories, and are handed
over as memories. Trouble with one section is logged and takes nothing else away. A hook loads what it needs for a
section only where there is something to tell.
"""

from __future__ import annotations

import os
import time

from holdfast.base.clock import iso
from holdfast.base.light_records import replace
from holdfast.continuity.resume import owner_of
from holdfast.errors import HoldfastError
from holdfast.inject import block
from holdfast.inject.block import Block, Entry
from holdfast.inject.sources import Source, fill
from holdfast.privacy.fence import without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from holdfast.learning.lessons.lesson_table import Row
    from holdfast.learning.work.model import Work
    from holdfast.parts import HookRun
    from holdfast.records import Memory
    from holdfast.store.read_only_index import ReadOnlyIndex

    T = TypeVar("T")

OPEN_HOURS = 48
STALE_DAYS = 14
_EVER_HOURS = 24 * 3_650
_RATINGS = os.path.join("learning", "signals", "ratings.jsonl")
_MAX_LESSONS = 10
_MAX_WORK = 4
_MAX_STALE = 3
_MAX_TITLE = 120
# The parts of the room behind the lessons, as their sections share it.
_PARTS = {"trend": 0.3, "work": 0.4, "stale": 0.3}
_HEAD = "Lessons of this project, the weightiest first:"
_RATED = "How the person rates the work in this project"
_FIXES = "Failed before in the same way, and what worked then"
_WHY = "a lesson that stands"
# What stands around the words of a lesson that was written down, or that did harm.
_WARNING, _IT_SAID, _BECAUSE = "Warning: do not follow", "It said: ", ". What went wrong: "


def room(run: HookRun, most: int) -> int:
    """Return how many characters readback may take of a block's room: no more than its setting, and half of it."""
    return min(run.settings.number("readback.characters"), most // 2)


def sections(run: HookRun, most: int) -> Block:
    """Return the trend, open work and stale work within so many characters, without a fence."""
    return _filled(run, sources(run), most, "readback")


def sources(run: HookRun) -> list[Source]:
    """Return the sections that are switched on and have something to tell; lessons are told as memories."""
    project = run.project()
    if project is None or not run.settings.flag("learning.enabled"):
        return []
    ids = (project.id, *project.aliases)
    found = [*_told(run, "readback", lambda: _trend(run, ids)), *_told(run, "readback", lambda: _work(run, ids))]
    return [source for source in found if source.entries]


def lessons(run: HookRun, index: ReadOnlyIndex) -> list[Memory]:
    """Return the memories of the lessons that stand here or everywhere, the weightiest first."""
    if not (run.settings.flag("learning.enabled") and run.settings.flag("readback.lessons")):
        return []
    project = run.project()
    ids = (project.id, *project.aliases) if project else ()
    rows = _standing(run, ids)
    # Where two projects became one, the memory may stand under another id than its lesson.
    places = [[("project", id, row.key) for id in ids] if row.project else [("global", "", row.key)] for row in rows]
    known = index.known([place for some in places for place in some]) if rows else {}
    replaced = index.replaced(known) if known else frozenset()
    found = [
        next((known[place] for place in some if place in known and place not in replaced), None) for some in places
    ]
    return [memory for one in found if one is not None and (memory := index.as_it_is(one)) is not None]


def _standing(run: HookRun, ids: tuple[str, ...]) -> list[Row]:
    if not os.path.isdir(os.path.join(run.home, "learning")):
        return []
    from holdfast.learning.lessons import lesson_table

    return list(_told(run, "lessons", lambda: lesson_table.standing(run.home, ids, time.time())))[:_MAX_LESSONS]


def lesson_block(found: Iterable[Memory], most: int) -> Block:
    """Return lessons within so many characters, under a line that says what they are, without a fence."""
    entries = [Entry(memory, _WHY) for memory in found]
    filled = block.fill(entries, most - len(_HEAD) - 1, without_secrets) if entries else Block("")
    return Block(f"{_HEAD}\n{filled.text}", filled.given, filled.left_out) if filled.text else filled


def not_told(pages: Sequence[Source], learned: Iterable[Memory], told: Block) -> list[Source]:
    """Return the pages without the lines of lessons.md that are told as lessons, or as a warning not to follow them."""
    keys = frozenset([(one.scope, one.key) for one in told.given])
    said = frozenset([_plain(memory.body) for memory in learned if (memory.scope, memory.key) in keys])
    left = []
    for one in pages:
        if one.name == "lessons.md":
            one = replace(one, entries=tuple([text for text in one.entries if _plain(text) not in said]))
        left += [one] if one.entries else []
    return left


def _plain(statement: str) -> str:
    """Return what a lesson says without what was put around it, to tell whether a line of the page says the same."""
    if statement.startswith(_WARNING):
        statement = statement.partition(_IT_SAID)[2]
    return " ".join(statement.partition(_BECAUSE)[0].rstrip(".").casefold().split())


def fixes(run: HookRun, most: int) -> Block:
    """Return what worked last time for what failed since the last prompt, within so many characters, unfenced."""
    if not run.settings.flag("learning.enabled"):
        return Block("")
    from holdfast.learning.fixes.session_failures import offers

    lines = tuple(_told(run, "fixes", lambda: list(offers(run))))
    return _filled(run, [Source("fixes", _FIXES, lines, 1.0)] if lines else [], most, "the same failure")


def _filled(run: HookRun, found: list[Source], most: int, why: str) -> Block:
    return fill(found, most, without_secrets, owner=owner_of(run.workspace), why=why) if found else Block("")


def _told(run: HookRun, name: str, look: Callable[[], Sequence[T]]) -> Sequence[T]:
    """Return what is to be told; trouble with it is logged, and takes nothing else away."""
    try:
        return look()
    except Exception as problem:
        run.log(name, problem)
        return ()


def _trend(run: HookRun, ids: tuple[str, ...]) -> list[Source]:
    if not run.settings.flag("readback.trend") or not os.path.exists(os.path.join(run.home, _RATINGS)):
        return []
    from holdfast.learning.ratings import trend

    line = trend.line(run.home, ids, time.time())
    return [Source("ratings", _RATED, (line,), _PARTS["trend"])] if line else []


def _work(run: HookRun, ids: tuple[str, ...]) -> list[Source]:
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
    return [
        _of_work("work", f"Open work of the last {OPEN_HOURS} hours", new[:_MAX_WORK]),
        _of_work("stale", f"Open work that nobody touched for {STALE_DAYS} days", old[:_MAX_STALE]),
    ]


def _of_work(name: str, head: str, found: list[Work]) -> Source:
    return Source(name, head, tuple([_line(one) for one in found]), _PARTS[name])


def _line(one: Work) -> str:
    """Return a work item as it is told: its title, how far it is, when it was worked on, and its id."""
    from holdfast.learning.work import criteria

    try:
        isc = criteria.read(one.path)
    except HoldfastError:
        isc = criteria.Criteria()
    met = f"{isc.count(criteria.SATISFIED)} of {len(isc.criteria)} criteria met, " if isc.criteria else ""
    return f"{one.title[:_MAX_TITLE]} ({met}last worked on {one.updated_at[:10]}; {one.id})"
