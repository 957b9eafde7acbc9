"""The catalogue: patterns that a person approved, one Markdown file each, with every version they ever had.

Identity. `patterns/<id>.md` is what holds; `patterns/versions/<id>/<n>.md` is what it said as version n. The id is that
of the pattern.

Writing. Every change is made under a lock: the file is written whole and durably, then its version. Where that was
cut short, the next change writes the version. What a person changed in the file by hand becomes a version of its own
before anything else is changed, so nothing of it is lost. A change by somebody who saw an older version is a Conflict.

Redaction. Every text is redacted before it is written.

May be lost: nothing. Checking. A file that cannot be read as an entry is a problem and stays as it is; going back to
an earlier version mends it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.text import by_prefix
from holdfast.errors import BadInput, BrokenFile, Conflict, HoldfastError, NotFound, TooLarge
from holdfast.patterns import catalogue_file
from holdfast.patterns.catalogue_file import FOLDER, CatalogueEntry, number_in
from holdfast.patterns.clusters import near
from holdfast.privacy.redact import redact
from holdfast.records import Problem
from holdfast.store import front_matter, layout
from holdfast.store.keys import check_key, is_key

VERSIONS = "versions"
BY_HAND = "edited by hand"
MAX_STATEMENT = 4_000
MAX_TITLE = 200
MAX_LISTED = 100
_MAX_READ = 1_048_576


@dataclass(frozen=True, slots=True)
class Version:
    """What an entry said as version `number`, since when, and what made it."""

    number: int
    at: str
    change: str
    text: str


class Catalogue:
    """The catalogue of one home. Nothing is made where there is none."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.folder = os.path.join(home, FOLDER)

    def ids(self) -> list[str]:
        """Return the ids of all entries, by the names of their files alone."""
        return [name[:-3] for name in files.names_in(self.folder, ".md") if is_key(name[:-3])]

    def all(self) -> tuple[list[CatalogueEntry], list[Problem]]:
        """Return every entry, the oldest first, and a problem for each file that is none."""
        found, problems = [], []
        for name in self.ids():
            try:
                found.append(self._read(name))
            except HoldfastError as problem:
                flawed = catalogue_file.flaw(self.text(name)) if isinstance(problem, BrokenFile) else None
                line, text = flawed or (0, str(problem))
                path = f"{FOLDER}/{name}.md"
                problems.append(Problem("pattern", path, text, problem.hint, line=line, severity="error"))
        return sorted(found, key=lambda one: (one.created, one.id)), problems

    def find(self, text: str) -> str:
        """Return the id that begins with this; NotFound or BadInput where that is none or several."""
        known = {name: name for name in self.ids()}
        return by_prefix(text, known, "the catalogue has no pattern", "`holdfast patterns catalogue` lists them.")

    def get(self, text: str) -> CatalogueEntry:
        """Return the entry whose id begins with this."""
        return self._read(self.find(text))

    def text(self, name: str) -> str:
        """Return the text of the file of an entry, exactly."""
        return _text(self.path(name))

    def path(self, name: str) -> str:
        """Return the file of that id."""
        return os.path.join(self.folder, f"{name}.md")

    def put(self, entry: CatalogueEntry, change: str, at: str) -> CatalogueEntry:
        """Add a new entry as its first version; Conflict where one of that id is there."""
        with self._lock():
            if os.path.lexists(self.path(check_key(entry.id))):
                raise Conflict(f"{entry.id} is in the catalogue already", f"holdfast patterns show {entry.id}")
            number = max(self._numbers(entry.id), default=0) + 1
            entry = _cleaned(check(replace(entry, created=at, updated=at, version=number, change=change)))
            return self._write(entry.id, catalogue_file.created(entry), number)

    def change(self, entry: CatalogueEntry, change: str, at: str, **fields: object) -> CatalogueEntry:
        """Set fields of an entry, as its next version; Conflict where it is not any more as it was read."""
        with self._lock():
            there = self._read(entry.id)
            if there != entry:
                raise Conflict(f"{entry.id} changed meanwhile; nothing was changed", "Look at it, and try again.")
            after: CatalogueEntry = replace(there, **fields)  # type: ignore[arg-type]
            if after == there:
                return there
            number = self._keep_hand_edit(entry.id) + 1
            after = _cleaned(check(replace(after, updated=at, version=number, change=change)))
            return self._write(entry.id, catalogue_file.changed(self.text(entry.id), there, after), number)

    def rewrite(self, name: str, before: str, text: str, change: str, at: str) -> CatalogueEntry:
        """Write the file as a person edited it, as the next version; Conflict where it changed meanwhile."""
        check(catalogue_file.read(text, name))
        with self._lock():
            if self.text(name) != before:
                raise Conflict(f"{name} changed meanwhile; nothing was changed", "Edit it once more.")
            number = self._keep_hand_edit(name) + 1
            return self._write(name, catalogue_file.numbered(redact(text)[0], number, change, at), number)

    def versions(self, name: str) -> list[Version]:
        """Return every version of an entry, the oldest first; an edit by hand is the last of them, written or not."""
        found = [self._version(name, number) for number in self._numbers(name)]
        unsaved = self._unsaved(name, found[-1] if found else None)
        return [*found, unsaved] if unsaved is not None else found

    def version(self, name: str, number: int) -> Version:
        """Return one version of an entry."""
        found = {one.number: one for one in self.versions(name)}
        if number not in found:
            hint = f"There are {', '.join(map(str, found))}: holdfast patterns history {name}"
            raise NotFound(f"{name} has no version {number}", hint)
        return found[number]

    def entry(self, name: str, number: int) -> CatalogueEntry:
        """Return an entry as it was as that version."""
        return catalogue_file.read(self.version(name, number).text, name)

    def diff(self, name: str, one: int, other: int) -> str:
        """Return what differs between two versions, line by line."""
        old, new = self.version(name, one), self.version(name, other)
        lines = difflib.unified_diff(
            *(old.text.splitlines(), new.text.splitlines()),
            *(f"{name} version {one}", f"{name} version {other}"),
            *(old.at, new.at),
            lineterm="",
        )
        return "\n".join(lines)

    def rollback(self, name: str, number: int, at: str) -> CatalogueEntry:
        """Make what a version said hold again, as the next version; where it is distributed stays as it is now."""
        with self._lock():
            wanted = self.version(name, number)
            then = catalogue_file.read(wanted.text, name)
            now = self._last_readable(name)
            last = self._keep_hand_edit(name) + 1
            after = replace(then, targets=now.targets, version=last, updated=at, change=f"rolled back to {number}")
            return self._write(name, catalogue_file.changed(wanted.text, then, _cleaned(after)), last)

    def forget(self, agent: str, session: str) -> list[str]:
        """Take what a session said out of the evidence of every entry and version; return the ids that changed."""
        changed: list[str] = []
        if not self.ids():
            return changed
        with self._lock():
            for name in self.ids():
                paths = [self.path(name), *(self._version_path(name, number) for number in self._numbers(name))]
                is_changed = [self._forget_in(path, name, agent, session) for path in paths]
                changed += [name] if any(is_changed) else []
        return changed

    def _forget_in(self, path: str, name: str, agent: str, session: str) -> bool:
        try:
            text = _text(path)
            entry = catalogue_file.read(text, name)
        except BrokenFile:
            return False
        own = tuple(one for one in entry.evidence if (one.agent, one.session) == (agent, session))
        if own:
            files.write(path, catalogue_file.without(text, own).encode("utf-8", "surrogateescape"))
        return bool(own)

    def _keep_hand_edit(self, name: str) -> int:
        """Write what a person changed by hand as a version of its own; return the number of the last version."""
        last = self.versions(name)[-1]
        if last.number not in self._numbers(name):
            self._keep(name, redact(last.text)[0], last.number)
        return last.number

    def _unsaved(self, name: str, last: Version | None) -> Version | None:
        """Return the version that the file has become without us, if it is not the last one."""
        text = self.text(name)
        if last is not None and text == last.text:
            return None
        number = last.number if last is not None else 0
        at, version, change = _told(text)
        if version == number + 1 or (version and not number):
            # The write was cut short between the file and its version; it was no edit by hand.
            return Version(version, at, change, text)
        at = iso(os.lstat(self.path(name)).st_mtime)
        return Version(number + 1, at, BY_HAND, catalogue_file.numbered(text, number + 1, BY_HAND, at))

    def _last_readable(self, name: str) -> CatalogueEntry:
        try:
            return self._read(name)
        except BrokenFile:
            for one in reversed(self.versions(name)[:-1]):
                with suppress(BrokenFile):
                    return catalogue_file.read(one.text, name)
            raise

    def _version(self, name: str, number: int) -> Version:
        text = _text(self._version_path(name, number))
        at, _, change = _told(text)
        return Version(number, at, change, text)

    def _numbers(self, name: str) -> list[int]:
        stems = [each[:-3] for each in files.names_in(os.path.join(self.folder, VERSIONS, name), ".md")]
        return sorted(int(stem) for stem in stems if stem.isascii() and stem.isdecimal())

    def _keep(self, name: str, text: str, number: int) -> None:
        files.refuse_links(self.home, f"{FOLDER}/{VERSIONS}/{name}")
        files.make_folder(os.path.join(self.folder, VERSIONS, name))
        for path in (self.path(name), self._version_path(name, number)):
            files.write(path, text.encode("utf-8", "surrogateescape"))

    def _write(self, name: str, text: str, number: int) -> CatalogueEntry:
        self._keep(name, text, number)
        return catalogue_file.read(text, name)

    def _version_path(self, name: str, number: int) -> str:
        return os.path.join(self.folder, VERSIONS, name, f"{number}.md")

    def _read(self, name: str) -> CatalogueEntry:
        text = self.text(name)
        if not layout.is_text(text):
            raise BrokenFile(f"{self.path(name)} is not UTF-8", "Save it as UTF-8.")
        return catalogue_file.read(text, name)

    def _lock(self) -> files.Lock:
        return files.lock_of(self.home, "patterns")


def _cleaned(entry: CatalogueEntry) -> CatalogueEntry:
    """Return the entry without secrets."""
    return replace(
        entry,
        title=redact(entry.title)[0],
        signature=redact(entry.signature)[0],
        statement=redact(entry.statement)[0],
        owner=redact(entry.owner)[0],
        change=redact(entry.change)[0],
        evidence=tuple(replace(one, text=redact(catalogue_file.line(one.text))[0]) for one in entry.evidence),
        also=tuple(redact(one)[0] for one in entry.also),
    )


def speaks_for(entry: CatalogueEntry, kind: str, signature: str, projects: Iterable[str] = ()) -> bool:
    """Whether a signal of that kind and signature, in these projects, is one of what the entry is about."""
    if entry.bound and not set(entry.projects) & set(projects):
        return False
    return any(kind == each and (signature == known or near(signature, known)) for each, known in entry.signals)


def check(entry: CatalogueEntry) -> CatalogueEntry:
    """Return the entry within its bounds; refuse one whose words would not be read back as they are."""
    check_key(entry.id)
    statement, title = entry.statement.replace("\r\n", "\n").strip(), catalogue_file.line(entry.title, MAX_TITLE)
    if not statement or not title:
        raise BadInput("a pattern needs a title and a statement", "Say in a sentence or two what is to be done.")
    if len(statement) > MAX_STATEMENT:
        raise TooLarge(f"the statement has {len(statement):,} characters, at most {MAX_STATEMENT:,}", "Say it shorter.")
    if catalogue_file.has_heading(statement):
        raise BadInput("the statement has a heading", "Leave out lines that begin with `#` outside of code.")
    if entry.status not in catalogue_file.STATUSES:
        raise BadInput(f"{entry.status!a} is not a status", f"Use one of {', '.join(catalogue_file.STATUSES)}.")
    return replace(
        entry,
        statement=statement,
        title=title,
        evidence=entry.evidence[: catalogue_file.MAX_QUOTES],
        also=_bounded(entry.also),
        projects=_bounded(entry.projects),
        fingerprints=_bounded(entry.fingerprints),
    )


def _bounded(several: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(several))[:MAX_LISTED]


def _text(path: str) -> str:
    """Return the text of a file; bytes that are not UTF-8 stay as they are when it is written again."""
    data = files.read(path, _MAX_READ + 1)
    if len(data) > _MAX_READ:
        raise BrokenFile(f"{path} is larger than {_MAX_READ:,} bytes", "Shorten it in an editor.")
    return data.decode("utf-8", "surrogateescape")


def _told(text: str) -> tuple[str, int, str]:
    """Return what the text of a file says of its version: since when, its number, what made it."""
    given = front_matter.values(front_matter.parse(text))[0]
    at, number, change = (str(given.get(name, "")) for name in ("updated", "version", "change"))
    return at, number_in(number), change
