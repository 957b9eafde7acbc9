"""Sources: a project's pages as lines of a block, each source named, within a room that they share.

A source that needs less than its part leaves the rest to those behind it. So what stands before a source decides its
room, and nothing behind it does: the bytes up to the first source that changed stay as they were. Within a source long
entries are cut before any entry is left out.
"""

from __future__ import annotations

from holdfast.digests import short
from holdfast.inject import fence
from holdfast.inject.block import Block, shortened, tokens_of
from holdfast.light import dataclass
from holdfast.records import Given, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.inject.shown import Shown

# The kind of place that a receipt names for a page; it is no scope of memories.
KIND = "page"
# No line that says something is shorter, and a long one is not cut to less than an entry.
_LEAST_LINE = 10
_LEAST_ENTRY = 80
_SEEN = 4_000
_MORE = "- and {} more"
_ROOM_FOR_MORE = 15


@dataclass(frozen=True, slots=True)
class Source:
    """One page as it is told: its name, the line above it, its entries, and its part of the room."""

    name: str
    head: str
    entries: tuple[str, ...]
    part: float


def fill(sources: Sequence[Source], room: int, clean: Callable[[str], str], *, owner: str, why: str) -> Block:
    """Return the sources as far as the room holds them, without a fence; `owner` is the project of the pages."""
    lines: list[str] = []
    given: list[Given] = []
    left_out: list[tuple[str, str]] = []
    parts = sum(source.part for source in sources)
    for source in sources:
        told, missing = _told(source, int(room * source.part / parts), clean)
        parts -= source.part
        room -= sum(len(line) + 1 for line in told)
        lines += told
        if told:
            text = "\n".join(told)
            given.append(Given(Scope(KIND, owner), source.name, digest_of(source, why), why, tokens_of(text)))
        if missing:
            left_out.append((f"{missing} of {source.name}", "no room"))
    return Block("\n".join(lines), tuple(given), tuple(left_out))


def digest_of(source: Source, why: str) -> str:
    """Return what tells whether the source still says what it said when it was given for the same reason."""
    return short(why, *source.entries, length=16)


def is_new(source: Source, why: str, owner: str, shown: Shown) -> bool:
    """Whether the session was not given this for the same reason, as it is now."""
    return shown.get((KIND, owner, source.name)) != digest_of(source, why)


def _told(source: Source, room: int, clean: Callable[[str], str]) -> tuple[list[str], int]:
    """Return the lines of one source, and how many entries found no room."""
    head = shortened(_line(source.head, clean) + ":", room - 1)
    room -= len(head) + 1
    if room < _LEAST_LINE:
        return [], len(source.entries)
    # What certainly finds no room need not be made safe; a secret that a cut would halve must be seen whole.
    some = source.entries[: room // _LEAST_LINE]
    entries = ["- " + _line(entry[: room * 4 + _SEEN], clean) for entry in some]
    count = _how_many(entries, room)
    if count < len(source.entries):
        room -= _ROOM_FOR_MORE
        count = _how_many(entries, room)
    missing = len(source.entries) - count
    if not count:
        return [], missing
    limit = _limit([len(entry) + 1 for entry in entries[:count]], room)
    lines = [head, *(shortened(entry, limit - 1) for entry in entries[:count])]
    return ([*lines, _MORE.format(missing)] if missing else lines), missing


def _line(text: str, clean: Callable[[str], str]) -> str:
    return " ".join(fence.safe(text, clean).split())


def _how_many(entries: Sequence[str], room: int) -> int:
    """Return how many entries find room when each long one is cut as far as it may be."""
    for count, entry in enumerate(entries):
        room -= min(len(entry) + 1, _LEAST_ENTRY)
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
