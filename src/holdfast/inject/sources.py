"""Sources: a project's pages as lines of a block, each source named, within a room that they share.

A source that needs less than its part leaves the rest to those behind it. So what stands before a source decides its
room, and nothing behind it does: the bytes up to the first source that changed stay as they were. Within a source long
entries are cut before any entry is left out.
"""

from __future__ import annotations

from holdfast.base.digests import short
from holdfast.base.light_records import dataclass
from holdfast.base.text import CUT, cut
from holdfast.inject.block import Block, tokens_of
from holdfast.privacy import fence
from holdfast.records import Given, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.inject.shown import Shown

# The kind of place that a receipt names for a page; it is no scope of memories.
KIND = "page"
# No line that says something is shorter, and a long one is not cut to less than an entry.
_MIN_LINE = 10
_MIN_ENTRY = 80
_SEEN = 4_000
_MORE = "- and {} more"
_ROOM_FOR_MORE = 15


@dataclass(frozen=True, slots=True)
class Source:
    """One page as it is told: its name, the line above it, its entries, and its part of the room.

    `before` names entries that the session was told already and that do not stand here.
    """

    name: str
    head: str
    entries: tuple[str, ...]
    part: float
    before: tuple[str, ...] = ()


def fill(
    sources: Sequence[Source], room: int, clean: Callable[[str], str], *, owner: str, why: str, cut_is_told: bool = True
) -> Block:
    """Return the sources as far as the room holds them, without a fence; `owner` is the project of the pages.

    What is noted as given names the entries that were told: those that were cut as well, if `cut_is_told`.
    """
    lines: list[str] = []
    given: list[Given] = []
    left_out: list[tuple[str, str]] = []
    parts = sum(source.part for source in sources)
    for source in sources:
        told, entries = _told(source, int(room * source.part / parts), clean)
        parts -= source.part
        room -= sum(len(line) + 1 for line in told)
        lines += told
        if told:
            known = [name_of(entry) for entry, is_whole in entries if is_whole or cut_is_told]
            names = ",".join([*source.before, *known])
            given.append(Given(Scope(KIND, owner), source.name, names, why, tokens_of("\n".join(told))))
        if missing := len(source.entries) - len(entries):
            left_out.append((f"{missing} of {source.name}", "no room"))
    return Block("\n".join(lines), tuple(given), tuple(left_out))


def name_of(entry: str) -> str:
    """Return what stands for an entry in the record of what a session was told."""
    return short(entry, length=8)


def unseen(source: Source, owner: str, shown: Shown) -> Source:
    """Return the source with those entries that the session was not told, as they are now."""
    before = [name for name in shown.get((KIND, owner, source.name), "").split(",") if name]
    entries = tuple(entry for entry in source.entries if name_of(entry) not in before)
    return Source(source.name, source.head, entries, source.part, tuple(before))


def _told(source: Source, room: int, clean: Callable[[str], str]) -> tuple[list[str], list[tuple[str, bool]]]:
    """Return the lines of one source, and the entries that they tell, with whether each is whole."""
    head = cut(_line(source.head, clean) + ":", room - 1, CUT)
    room -= len(head) + 1
    if room < _MIN_LINE:
        return [], []
    # What certainly finds no room need not be made safe; a secret that a cut would halve must be seen whole.
    some, seen = source.entries[: room // _MIN_LINE], room * 4 + _SEEN
    entries = ["- " + _line(entry[:seen], clean) for entry in some]
    count = _how_many(entries, room)
    if count < len(source.entries):
        room -= _ROOM_FOR_MORE
        count = _how_many(entries, room)
    if not count:
        return [], []
    limit = _limit([len(entry) + 1 for entry in entries[:count]], room)
    lines = [head, *(cut(entry, limit - 1, CUT) for entry in entries[:count])]
    missing = len(source.entries) - count
    told = [
        (whole, len(whole) <= seen and len(line) < limit) for whole, line in zip(some, entries[:count], strict=False)
    ]
    return ([*lines, _MORE.format(missing)] if missing else lines), told


def _line(text: str, clean: Callable[[str], str]) -> str:
    return " ".join(fence.safe(text, clean).split())


def _how_many(entries: Sequence[str], room: int) -> int:
    """Return how many entries find room when each long one is cut as far as it may be."""
    for count, entry in enumerate(entries):
        room -= min(len(entry) + 1, _MIN_ENTRY)
        if room < 0:
            return count
    return len(entries)


def _limit(lengths: Sequence[int], room: int) -> int:
    """Return the most that one entry may take, so that all of them together keep within the room."""
    for left, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * left > room:
            return room // left
        room -= length
    return max(lengths)
