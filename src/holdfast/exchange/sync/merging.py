"""Making one tree of three: what a home has, what the remote has, and what both had when they last agreed.

A tree is a mapping of paths, as `travelling` names them, to bytes. Nothing here looks at a clock to decide who is
right: what one side changed since both agreed is later, and what both changed is merged by meaning.

- A memory is the same memory under another path; one that was moved to another key or scope is followed.
- Two statements under one key that was made of the words become two memories. Under any other key theirs stands, the
  other is its history, and it is a `Disagreement` for the person to decide on.
- A forget wins over whatever the other side did with that memory, and is told. A file that is only missing does not:
  what the other side changed stays. So does what another machine said under the same key of its own accord, which the
  one that forgot had not heard of.
- Tombstones and rejections are a union. Check boxes go by line, a person's own text by lines, settings by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from holdfast.base.text import hash_of
from holdfast.errors import BrokenFile
from holdfast.exchange.sync import lines, memories, payload
from holdfast.exchange.sync.memories import MemoryVersion as Version
from holdfast.exchange.sync.memories import statements
from holdfast.exchange.sync.merge_base import forgotten_name
from holdfast.records import Memory, Scope, replace
from holdfast.sessions.archive import name_hash
from holdfast.sessions.sealing import FORGOTTEN
from holdfast.store import front_matter, kinds, layout, memory_file, merge, tombstones
from holdfast.store.keys import keys_beside
from holdfast.store.tombstones import Burials

Tree = Mapping[str, bytes]
Name = tuple[Scope, str]
Bases = tuple[Version | None, Version | None]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two statements of one memory, of which `lost` gave way to what the memory says now."""

    memory: Memory
    lost: str


@dataclass(slots=True)
class Merged:
    """One tree of three, what both sides said of one thing, and what one side forgot.

    `forgotten` names memories that we had changed meanwhile in any way, `again` those that say what the person here put
    in place since, in words that theirs forgot; `elsewhere` counts those that we forgot and theirs had changed.
    `buried` are those of ours that go, `parted` those that go in part, with what was forgotten of them, and `left`
    names what stays of such memories. `graves` has all that theirs forgot and ours has not heard of. `gave_way` tells
    what else was done here and does not hold, because another machine published something else first.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    conflicts: list[Disagreement] = field(default_factory=list)
    forgotten: list[str] = field(default_factory=list)
    buried: list[Memory] = field(default_factory=list)
    parted: list[tuple[Memory, Burials]] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    graves: dict[Scope, Burials] = field(default_factory=dict)
    again: list[Memory] = field(default_factory=list)
    elsewhere: int = 0
    gave_way: list[str] = field(default_factory=list)


def merged(base: Tree, ours: Tree, theirs: Tree, *, is_burying: bool = False) -> Merged:
    """Merge what changed on either side since the base.

    `is_burying` says that ours has heard of what theirs forgot, and may not have done it all.
    """
    found = Merged()
    _MemoryMerge(base, ours, theirs, found, is_burying=is_burying).run()
    others = {path for tree in (base, ours, theirs) for path in tree if payload.kind_of(path) != "memory"}
    for path in sorted(others):
        data = _merged_file(path, base.get(path), ours.get(path), theirs.get(path))
        for name, content in data.items():
            found.files[name] = content
    settings = [(_decoded(tree.get(payload.SETTINGS, b"")) or "").splitlines() for tree in (base, ours, theirs)]
    found.gave_way += [f"the setting {name}" for name in lines.names_that_gave_way(*settings)]
    forgotten = found.files.get(FORGOTTEN, b"").decode("ascii", "replace").split()
    for path in [path for path in found.files if payload.kind_of(path) == "digest"]:
        if name_hash(payload.session_of(path)) in forgotten:
            del found.files[path]
    return found


def without_markers(path: str, data: bytes, found: list[Disagreement]) -> bytes:
    """Return a file of the home in which a merge by hand left markers, with its two versions made one.

    What gave way is added to what is `found`.
    """
    if b"<<<<<<<" not in data:
        return data
    text = data.decode("utf-8", "surrogateescape")

    def merge(*texts: str) -> str:
        sides = [{path: one.encode("utf-8", "surrogateescape")} for one in texts]
        found_here = merged(sides[0] if texts[0].strip() else {}, sides[1], sides[2])
        found.extend(found_here.conflicts)
        return found_here.files.get(path, sides[2][path]).decode("utf-8", "surrogateescape")

    return lines.resolved(text, merge).encode("utf-8", "surrogateescape")


def _merged_file(path: str, was: bytes | None, here: bytes | None, there: bytes | None) -> dict[str, bytes]:
    """Return what stands at the path, and where two files cannot be made one, beside it."""
    if payload.kind_of(path) == "digest" and None in (here, there):
        # Only a forget takes a digest out: one that is missing was lost.
        data = there if here is None else here
        return {} if data is None else {path: data}
    if path == payload.ERASED:
        # Whoever heard of an erase knows it for good.
        return {path: _together(*[_decoded(data or b"") or "" for data in (was, here, there)]).encode()}
    if here in (there, was):
        return {} if there is None else {path: there}
    if there == was or there is None:
        return {} if here is None else {path: here}
    if here is None:
        return {path: there}
    kind = payload.kind_of(path)
    texts = [_decoded(data) for data in (was or b"", here, there)]
    if kind == "digest":
        return {path: there}
    if any(text is None for text in texts):
        return {path: there, _beside(path, here): here}
    merge_texts = _MERGES.get(kind, _merged_lines)
    return {path: merge_texts(*[text or "" for text in texts]).encode()}


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _beside(path: str, data: bytes) -> str:
    stem, dot, ending = path.rpartition(".")
    return f"{stem or path}.{hash_of(data.hex(), length=8)}{dot}{ending if stem else ''}"


def _by(merge_lines: Callable[..., list[str]]) -> Callable[[str, str, str], str]:
    def merge_texts(*texts: str) -> str:
        return "".join(merge_lines(*[_whole_lines(text) for text in texts]))

    return merge_texts


def _whole_lines(text: str) -> list[str]:
    """Return the lines, the last one ended like the others, so that nothing is glued to it."""
    found = text.splitlines(keepends=True)
    return [*found[:-1], found[-1] if found[-1].endswith("\n") else f"{found[-1]}\n"] if found else []


def _merged_document(was: str, here: str, there: str) -> str:
    """Merge a file with front matter: that by its names, what is below it by lines."""
    documents = [front_matter.parse(text) for text in (was, here, there)]
    fields = [front_matter.values(document)[0] for document in documents]
    changes = {
        name: value
        for name in sorted({*fields[0], *fields[1], *fields[2]})
        if (value := memories.merged_field(name, *(each.get(name) for each in fields))) != fields[2].get(name)
    }
    document = front_matter.change(documents[2], changes) if changes else documents[2]
    body = _merged_lines(*(each.body for each in documents))
    return str(document)[: len(str(document)) - len(document.body)] + body


_merged_lines = _by(lines.merged)
_together = _by(lambda _, ours, theirs: sorted({*ours, *theirs}))
_MERGES: dict[str, Callable[[str, str, str], str]] = {
    "tombstones": _by(lambda _, ours, theirs: tombstones.together(ours, theirs)),
    "rows": _by(lines.merged_rows),
    "list": _by(lines.merged_list),
    "settings": _by(lines.merged_names),
    "pattern": _merged_document,
}


class _MemoryMerge:
    """The memories of three trees, each found by its scope and key."""

    def __init__(self, base: Tree, ours: Tree, theirs: Tree, found: Merged, *, is_burying: bool) -> None:
        self.found = found
        self.base, self.ours, self.theirs = (_versions(tree) for tree in (base, ours, theirs))
        # As ours still are here, by where theirs moved them to.
        self.at_home: dict[Name, Memory] = {}
        # What each side buried that the other did not know of.
        self.buried_by_theirs = _burials(theirs, ours)
        self.buried_by_ours = _burials(ours, theirs)
        for scope, known in _burials(ours, {}).items() if is_burying else ():
            known.digests |= self.buried_by_theirs[scope].digests if scope in self.buried_by_theirs else set()
            self.buried_by_theirs[scope] = known
        found.graves = {scope: known for scope, known in self.buried_by_theirs.items() if known.digests}

    def run(self) -> None:
        """Merge them all; what was moved on one side is followed first."""
        self._follow_both()
        _follow(self.base, self.ours, self.theirs)
        self.at_home |= _follow(self.base, self.theirs, self.ours)
        added: list[Version] = []
        for name in sorted({*self.ours, *self.theirs}, key=lambda one: (str(one[0]), one[1])):
            beside = self._one(self.base.get(name), self.ours.get(name), self.theirs.get(name))
            added += [beside] if beside else []
        for one in added:
            self._put_beside(one)

    def _follow_both(self) -> None:
        """Where both sides moved a memory, let it have the place that theirs gave it, which is published already."""
        new = [_by_birth(side, self.base) for side in (self.ours, self.theirs)]
        for name in [name for name in self.base if name not in self.ours and name not in self.theirs]:
            here, there = (
                _places_of(self.base[name].memory, births, side)
                for births, side in zip(new, (self.ours, self.theirs), strict=True)
            )
            if (
                len(here) != 1
                or len(there) != 1
                or (here != there and (here[0] in self.theirs or there[0] in self.ours))
            ):
                continue
            to = self.theirs[there[0]]
            self.base[there[0]] = _at_place(self.base.pop(name), to)
            if here != there:
                one = self.ours.pop(here[0])
                self.ours[there[0]] = _at_place(one, to)
                self.at_home[there[0]] = one.memory
                places = [f"{scope}/{key}" for scope, key in (here[0], there[0])]
                self.found.gave_way.append(f"the move to {places[0]}: it is {places[1]}")

    def _one(self, base: Version | None, ours: Version | None, theirs: Version | None) -> Version | None:
        """Put what becomes of one memory; return one of ours that needs another key."""
        bases = (self._base_of(ours, base, self.ours), self._base_of(theirs, base, self.theirs))
        if ours and (grave := self._grave_of(bases[0], ours, self.buried_by_theirs)):
            ours = self._forgotten_by_theirs(base, ours, grave)
        if theirs and (grave := self._grave_of(bases[1], theirs, self.buried_by_ours)):
            theirs, gone = self._left_of(theirs, grave)
            self.found.elsewhere += not all(grave.has_any((text,)) for text in gone)
        elif theirs and (theirs.memory.scope, forgotten_name(theirs.path, theirs.memory)) in self.base:
            # What theirs made of one that was forgotten here has not one of its words.
            self.found.elsewhere += 1
            theirs = None
        if ours is None or theirs is None:
            there = ours or theirs
            # A file that one side no longer has, and the other left as it was, is gone.
            if there and (base is None or there.text != base.text or there.path != base.path):
                self._put(there.path, there.text)
            return None
        if ours.text == theirs.text or (base and ours.text == base.text):
            self._put(self._path(base, ours, theirs), theirs.text)
            return None
        if base and theirs.text == base.text:
            self._put(self._path(base, ours, theirs), ours.text)
            return None
        is_new_fact = base is None and not merge.restates(ours.memory.body, theirs.memory)
        if is_new_fact and _derived_keys(ours.memory):
            self._put(theirs.path, theirs.text)
            return ours
        self._merge(base, ours, theirs, bases)
        return None

    def _merge(self, base: Version | None, ours: Version, theirs: Version, bases: Bases) -> None:
        try:
            text, lost = memories.merged(base, ours, theirs, bases)
        except BrokenFile:
            text, lost = _merged_lines(base.text if base else "", ours.text, theirs.text), ""
        path = self._path(base, ours, theirs)
        self._put(path, text)
        name = f"{theirs.memory.scope}/{theirs.memory.key}"
        self.found.gave_way += [f"{field} of {name}" for field in memories.fields_that_gave_way(base, ours, theirs)]
        if lost:
            stands = memory_file.read(text, theirs.place)[0]
            self.found.conflicts.append(Disagreement(stands, lost))

    def _path(self, base: Version | None, ours: Version, theirs: Version) -> str:
        return ours.path if base and theirs.path == base.path else theirs.path

    def _put(self, path: str, text: str) -> None:
        self.found.files[path] = text.encode()

    def _base_of(self, one: Version | None, base: Version | None, side: dict[Name, Version]) -> Version | None:
        """Return the base of a memory; None for a fact that came under its key when that memory was moved away."""
        if base is None or one is None or base.memory.body in statements(one.memory):
            return base
        moved = any(
            name not in self.base and base.memory.body in statements(each.memory) for name, each in side.items()
        )
        return None if moved or base.memory.created != one.memory.created else base

    def _grave_of(self, base: Version | None, one: Version, buried: dict[Scope, Burials]) -> Burials | None:
        """Return the burials of the other side, where one is of this memory, as it is or as it was."""
        grave = buried.get(one.memory.scope)
        # By what it said, and not by its key: another fact may have come under that.
        said = [text for each in (one, base or one) for text in statements(each.memory)]
        return grave if grave is not None and grave.has_any(said) else None

    def _forgotten_by_theirs(self, base: Version | None, ours: Version, grave: Burials) -> Version | None:
        """Note that a memory of ours goes, and return what stays of it; whatever was done with it here is told.

        What the person put in its place here, and theirs forgot without having heard of that, they are asked about.
        """
        memory = self.at_home.get((ours.memory.scope, ours.memory.key), ours.memory)
        stays, gone = self._left_of(ours, grave)
        is_changed = ours.text != base.text if base else not memory.key.startswith(memories.PART)
        is_changed |= memory is not ours.memory
        if (is_changed and not stays) or not all(grave.has_any((text,)) for text in gone):
            self.found.forgotten.append(f"{memory.scope}/{memory.key}")
        if stays:
            self.found.parted.append((memory, grave))
            return stays
        self.found.buried.append(memory)
        is_said_here = memory.trust == "user" and (base is None or memory.body != base.memory.body)
        if is_said_here and memory.holds and grave.has_any((memory.body,)):
            self.found.again.append(memory)
        return None

    def _left_of(self, one: Version, grave: Burials) -> tuple[Version | None, tuple[str, ...]]:
        """Return what stays of a memory that was forgotten, and the statements that go."""
        stays, goes = memories.parted(one, grave)
        if not stays:
            return None, statements(one.memory)
        self.found.left.append(f"{one.memory.scope}/{one.memory.key}")
        return memories.version(one.path, stays, one.place), statements(memory_file.read(goes, one.place)[0])

    def _put_beside(self, ours: Version) -> None:
        """Give a memory of ours the next key that its words make, where it is not there already."""
        scope, memory = ours.memory.scope, ours.memory
        for key in _derived_keys(memory):
            path = f"memory/{layout.usual_path(scope, key)}"
            there = self.found.files.get(path)
            if there is None:
                place = memory_file.FilePlace(path, scope, key, "")
                now = memory_file.read(ours.text, place)[0]
                self._put(path, memory_file.update(ours.text, now, path))
                return
            if merge.restates(memory.body, payload.version(path, there).memory):
                return
        self._put(_beside(ours.path, ours.text.encode()), ours.text)


def _derived_keys(memory: Memory) -> tuple[str, ...]:
    """Return the keys for a memory whose own is made of its words; nothing where it was given."""
    return keys_beside(memory.key, memory.body, kinds.parts(memory.body)[0])


def _versions(tree: Tree) -> dict[Name, Version]:
    """Return the memories of a tree by scope and key; where two files have one key, the first path stands for it."""
    found: dict[Name, Version] = {}
    for path in sorted(tree):
        if payload.kind_of(path) == "memory":
            one = payload.version(path, tree[path])
            name = (one.memory.scope, one.memory.key)
            # The second file of a key is followed by its path.
            found[name if name not in found else (one.memory.scope, path)] = one
    return found


def _follow(base: dict[Name, Version], mover: dict[Name, Version], other: dict[Name, Version]) -> dict[Name, Memory]:
    """Where one side moved a memory to another key or scope, let the base and the other side have it there too.

    Returns what the other side has of them, by their new names.
    """
    followed: dict[Name, Memory] = {}
    by_birth = _by_birth(mover, {**base, **other})
    for name in [name for name in base if name not in mover and name in other]:
        was = base[name].memory
        places = _places_of(was, by_birth, mover)
        if len(places) != 1:
            continue
        by_birth[was.created].remove(places[0])
        followed[places[0]] = other[name].memory
        for side in (base, other):
            side[places[0]] = _at_place(side.pop(name), mover[places[0]])
    return followed


def _by_birth(side: dict[Name, Version], known: dict[Name, Version]) -> dict[str, list[Name]]:
    """Return the names of a side that are not known yet, by when their memories were made."""
    found: dict[str, list[Name]] = {}
    for name, one in side.items():
        if name not in known:
            found.setdefault(one.memory.created, []).append(name)
    return found


def _places_of(was: Memory, by_birth: dict[str, list[Name]], side: dict[Name, Version]) -> list[Name]:
    """Return where a side may have moved a memory: what was made at its time, and says or said the same."""
    return [name for name in by_birth.get(was.created, []) if was.body in statements(side[name].memory)]


def _at_place(one: Version, to: Version) -> Version:
    """Return a version of a memory at the place of another one."""
    text = memory_file.update(one.text, replace(one.memory, key=to.memory.key, scope=to.memory.scope), to.path)
    return Version(to.path, text, memory_file.read(text, to.place)[0])


def _burials(side: Tree, other: Tree) -> dict[Scope, Burials]:
    """Return what a side forgot that the other has not heard of, by scope."""
    found = {}
    for path, data in side.items():
        if payload.kind_of(path) == "tombstones":
            rows = _decoded(data) or ""
            known = set((_decoded(other.get(path, b"")) or "").splitlines())
            scope = layout.scope_of(path.removeprefix("memory/"))
            if scope is not None:
                found[scope] = Burials(rows.splitlines(), known)
    return found
