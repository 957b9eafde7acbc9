"""Merging two versions of one memory by meaning, field by field.

What one side changed is as that side has it. Lists such as tags are merged as sets; the earlier time of making and the
later one of change hold. Where both sides say something new, theirs stands, which is already published, unless only
ours was said by the person. The other statement becomes history, so that it is never lost, and whoever merges proposes
it.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.records import Memory, Statement, replace
from holdfast.store import front_matter, memory_file
from holdfast.store.front_matter import Value
from holdfast.store.memory_file import FilePlace

_EARLIEST, _LATEST = ("created",), ("updated",)
_SAYS_WHERE = ("key", "scope")
_SAYS_WHO = ("trust", "source", "agent", "session")
# The time of a statement in a file that tells none.
_LONG_AGO = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One memory as one side has it: the path and text of its file, and what it says."""

    path: str
    text: str
    memory: Memory

    @property
    def place(self) -> FilePlace:
        """What its path tells about it."""
        return FilePlace(self.path, self.memory.scope, self.memory.key, "")


def version(path: str, text: str, place: FilePlace) -> MemoryVersion:
    """Read a file of a memory."""
    return MemoryVersion(path, text, memory_file.read(text, place)[0])


def merged(base: MemoryVersion | None, ours: MemoryVersion, theirs: MemoryVersion) -> tuple[str, str]:
    """Return the text of the merged memory at the place of theirs, and the statement that gave way, if one did.

    BrokenFile where the front matter of theirs cannot be read.
    """
    one, other, was = ours.memory, theirs.memory, base.memory if base else None
    is_ours_new = was is None or one.body != was.body
    is_theirs_new = was is None or other.body != was.body
    stands, lost = theirs, ""
    if one.body != other.body:
        if is_ours_new and is_theirs_new:
            stands = ours if one.trust == "user" and other.trust != "user" else theirs
            lost = (theirs if stands is ours else ours).memory.body
        elif is_ours_new:
            stands = ours
    text = _with_fields(base, ours, theirs, stands)
    now = memory_file.read(text, theirs.place)[0]
    said = replace(now, title=stands.memory.title, body=stands.memory.body, history=_history(stands.memory, one, other))
    return memory_file.update(text, said, theirs.path), lost


def _history(stands: Memory, *sides: Memory) -> tuple[Statement, ...]:
    """Return every earlier statement of both sides, newest first, each text once, without the one that holds."""
    every = [
        statement for side in sides for statement in (*side.history, Statement(side.body, side.updated or _LONG_AGO))
    ]
    by_text: dict[str, Statement] = {}
    for one in sorted(every, key=lambda each: (each.at, each.text)):
        if one.text != stands.body:
            by_text.setdefault(one.text, one)
    return tuple(sorted(by_text.values(), key=lambda each: (each.at, each.text), reverse=True))


def _with_fields(base: MemoryVersion | None, ours: MemoryVersion, theirs: MemoryVersion, stands: MemoryVersion) -> str:
    """Return the text of theirs with what ours changed in the front matter; who said it goes with what is said."""
    sides = (base, ours, theirs)
    was, here, there = (front_matter.values(front_matter.parse(one.text))[0] if one else {} for one in sides)
    changes: dict[str, Value | None] = {}
    for name in {*was, *here, *there}.difference(_SAYS_WHERE):
        value = merged_field(name, was.get(name), here.get(name), there.get(name))
        if name in _SAYS_WHO:
            value = (here if stands is ours else there).get(name)
        if value != there.get(name):
            changes[name] = front_matter.Plain(value) if name == "pinned" and isinstance(value, str) else value
    document = front_matter.parse(theirs.text)
    in_order = {name: changes[name] for name in sorted(changes)}
    return str(front_matter.change(document, in_order)) if in_order else theirs.text


def merged_field(name: str, was: Value | None, here: Value | None, there: Value | None) -> Value | None:
    """Return the value of one name of a front matter: of the side that changed it, and of theirs where both did."""
    if here in (there, was):
        return there
    if there == was:
        return here
    if name in _EARLIEST or name in _LATEST:
        known = sorted(value for value in (here, there) if isinstance(value, str) and value)
        return (known[0] if name in _EARLIEST else known[-1]) if known else there
    if isinstance(here, tuple) or isinstance(there, tuple):
        old, left, right = (_several(value) for value in (was, here, there))
        kept = [one for one in right if one not in old or one in left]
        return (*kept, *(one for one in left if one not in old and one not in right)) or None
    return there


def _several(value: Value | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(each.strip() for each in value.split(",") if each.strip()) if isinstance(value, str) else value
