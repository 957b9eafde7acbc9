"""Merging two versions of one memory by meaning, field by field.

What one side changed is as that side has it. Lists such as tags are merged as sets; the earlier time of making and the
later one of change hold. Where both sides say something new, theirs stands, which is already published, unless only
ours was said by the person. The other statement becomes history, so that it is never lost, and whoever merges proposes
it.

Where two machines each began a memory under one key, the merged one says in `joined` what each of them said: a forget
on a machine that had only heard of one of them takes that one, and leaves the other.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from holdfast.base.text import hash_of
from holdfast.records import TRUSTS, Memory, Statement, replace
from holdfast.store import front_matter, memory_file
from holdfast.store.front_matter import Value
from holdfast.store.memory_file import FilePlace
from holdfast.store.tombstones import Burials
from holdfast.store.words import digest

_EARLIEST, _LATEST = ("created",), ("updated",)
_SAYS_WHERE = ("key", "scope")
_JOINED = "joined"
# How the key of what goes of a memory begins, until it is forgotten.
PART = "forgotten-"
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


@dataclass(frozen=True, slots=True)
class Fact:
    """What one machine began to say under a key: whose words they are, and the digest of each, the first in front."""

    trust: str
    said: tuple[str, ...]


def version(path: str, text: str, place: FilePlace) -> MemoryVersion:
    """Read a file of a memory."""
    return MemoryVersion(path, text, memory_file.read(text, place)[0])


def merged(
    base: MemoryVersion | None,
    ours: MemoryVersion,
    theirs: MemoryVersion,
    bases: tuple[MemoryVersion | None, MemoryVersion | None],
) -> tuple[str, str]:
    """Return the text of the merged memory at the place of theirs, and the statement that gave way, if one did.

    `bases` has what ours and theirs came of, each: None for a fact that came under the key of another one.
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
    text = _with_facts(text, _joined(facts(ours, bases[0]), facts(theirs, bases[1])))
    now = memory_file.read(text, theirs.place)[0]
    said = replace(now, title=stands.memory.title, body=stands.memory.body, history=_history(stands.memory, one, other))
    return memory_file.update(text, said, theirs.path), lost


def statements(memory: Memory) -> tuple[str, ...]:
    """Return what a memory says, and all that it said before."""
    return tuple(one.text for one in _dated(memory))


def _dated(memory: Memory) -> tuple[Statement, ...]:
    return (Statement(memory.body, memory.updated or _LONG_AGO), *memory.history)


def facts(one: MemoryVersion, base: MemoryVersion | None = None) -> list[Fact]:
    """Return the facts that sync joined to a memory: one, where it is as one machine began it.

    What was said since they were joined belongs to each of them.
    """
    fields = front_matter.values(front_matter.parse(one.text))[0]
    told = [trust_and_said.split() for trust_and_said in _several(fields.get(_JOINED))]
    listed = [Fact(words[0], tuple(words[1:])) for words in told if words[0] in TRUSTS and words[1:]]
    before = statements(base.memory) if base else ()
    every = dict.fromkeys(digest(text) for text in reversed((*statements(one.memory), *before)))
    new = [each for each in every if not any(each in fact.said for fact in listed)]
    return [replace(fact, said=(*fact.said, *new)) for fact in listed] or [Fact(one.memory.trust, tuple(every))]


def _joined(*sides: list[Fact]) -> list[Fact]:
    """Return the facts of two sides: one where both have it, as far as either knows it."""
    fewer, more = sorted(sides, key=len)
    found, known = list(more), {each for fact in more for each in fact.said}
    for fact in fewer:
        # What was never joined is told by its words, and what it said since belongs to all that it came of; others are
        # told by what they began with.
        is_one = len(fewer) == 1
        new = [each for each in fact.said if not is_one or each not in known]
        same = [
            at
            for at, one in enumerate(found)
            if (not set(one.said).isdisjoint(fact.said) if is_one else one.said[0] == fact.said[0])
        ]
        for at in same:
            found[at] = replace(found[at], said=tuple(dict.fromkeys((*found[at].said, *new))))
        found += [] if same else [fact]
    return found


def _with_facts(text: str, found: list[Fact]) -> str:
    """Return a file that says which facts it joins; nothing, where it is one."""
    listed = tuple(" ".join((one.trust, *one.said)) for one in found) if len(found) > 1 else None
    document = front_matter.parse(text)
    has = front_matter.values(document)[0].get(_JOINED)
    return text if has == listed else str(front_matter.change(document, {_JOINED: listed}))


def parted(one: MemoryVersion, grave: Burials) -> tuple[str, str]:
    """Return the file of what stays of a memory where its other facts were forgotten, and of what goes.

    Nothing stays of one fact, nor of what was said since it was joined with one that is forgotten; the other, which
    that was said of, too, is not forgotten with it.
    """
    every = facts(one)
    said = Counter(each for fact in every for each in fact.said)
    joined = {each for each, many in said.items() if many > 1}
    left = [fact for fact in every if grave.digests.isdisjoint(set(fact.said) - joined or fact.said)]
    gone = {each for fact in every if fact not in left for each in fact.said} | (joined & grave.digests)
    stays, goes = (
        [each for each in _dated(one.memory) if (digest(each.text) in gone) is is_gone] for is_gone in (False, True)
    )
    if not gone or not left or not stays:
        return "", one.text
    buried = _saying(one.memory, goes)
    # A key of its own, until it is forgotten.
    buried = replace(buried, key=f"{PART}{hash_of(one.memory.key, *statements(buried), length=12)}")
    kept = _saying(one.memory, stays)
    if kept.body != one.memory.body:
        trust = next((fact.trust for fact in left if digest(kept.body) in fact.said), one.memory.trust)
        kept = replace(
            kept, trust=trust, source="sync", agent="", session="", supersedes=(), anchors=(), updated=stays[0].at
        )
        kept = replace(kept, enforce=kept.enforce if trust == "user" else "")
    left = [replace(fact, said=tuple(each for each in fact.said if each not in gone)) for fact in left]
    return _with_facts(memory_file.update(one.text, kept, one.path), left), memory_file.create(buried)


def _saying(memory: Memory, dated: list[Statement]) -> Memory:
    """Return a memory that says these statements, the newest first, and no other."""
    body = dated[0].text
    title = memory.title
    if body != memory.body and title == memory_file.first_words(memory.body):
        title = memory_file.first_words(body)
    return replace(memory, title=title, body=body, history=tuple(dated[1:]))


def _history(stands: Memory, *sides: Memory) -> tuple[Statement, ...]:
    """Return every earlier statement of both sides, newest first, each text once, without the one that holds."""
    every = [statement for side in sides for statement in _dated(side)]
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
    for name in {*was, *here, *there}.difference(_SAYS_WHERE, (_JOINED,)):
        value = merged_field(name, was.get(name), here.get(name), there.get(name))
        if name in _SAYS_WHO or (name in _LATEST and ours.memory.body != theirs.memory.body):
            # As the time of another statement it would date words that were not said then.
            value = (here if stands is ours else there).get(name)
        if value != there.get(name):
            changes[name] = front_matter.Plain(value) if name == "pinned" and isinstance(value, str) else value
    document = front_matter.parse(theirs.text)
    in_order = {name: changes[name] for name in sorted(changes)}
    return str(front_matter.change(document, in_order)) if in_order else theirs.text


def fields_that_gave_way(base: MemoryVersion | None, ours: MemoryVersion, theirs: MemoryVersion) -> list[str]:
    """Return the names of the front matter that both sides changed since the base, of which only one value can hold."""
    if base is None:
        return []
    was, here, there = (front_matter.values(front_matter.parse(one.text))[0] for one in (base, ours, theirs))
    names = {*was, *here, *there}.difference(_SAYS_WHERE, (_JOINED, "title"), _SAYS_WHO, _EARLIEST, _LATEST)
    lists = {name for side in (here, there) for name, value in side.items() if isinstance(value, tuple)}
    return sorted(name for name in names - lists if len({was.get(name), here.get(name), there.get(name)}) == 3)


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
