"""The change history: a record of each act that changed, moved or removed things, in `updates/`.

Identity. An update is one file `updates/YYYY-MM/<id>.json`; its id is eight random hex digits. For people the page
`updates/YYYY-MM.md` has a line for each thing that the act did, which ends with the id.

Bytes. Of each file that an act touched the record has its digest before and after and, where the act kept it, its text
before. What is kept takes at most a budget; over it the oldest texts go, while records and lines stay.

Forgetting. `drop` takes texts out for good. Nothing that was forgotten may stay here, and nothing with a secret.

Writing. A record is written whole and durably, after the act. An act that is killed leaves its lines and no record.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from holdfast.base import files, rows
from holdfast.base.text import by_prefix, sha256
from holdfast.errors import HoldfastError, NotFound
from holdfast.records import asdict, replace

FOLDER = "updates"
_HEX = frozenset("0123456789abcdef")
_MONTH = frozenset("0123456789-")


@dataclass(frozen=True, slots=True)
class Touched:
    """A file of the home: its digest before and after, each empty where there was no file, and its text before.

    `text` is None where it was not kept, or is not kept any more.
    """

    path: str
    before: str
    after: str
    text: str | None = None

    @property
    def can_come_back(self) -> bool:
        """Whether what the file was before is known."""
        return not self.before or self.text is not None


@dataclass(frozen=True, slots=True)
class Alias:
    """An id of a project whose meaning changed: which id it stood for before and after; empty is itself."""

    old: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Update:
    """One act: which command did what to which targets, and why. `undoes` are the ids that it undid."""

    id: str
    at: str
    command: str
    targets: tuple[str, ...]
    reason: str
    agent: str = ""
    session: str = ""
    project: str = ""
    files: tuple[Touched, ...] = ()
    aliases: tuple[Alias, ...] = ()
    undoes: tuple[str, ...] = ()

    @property
    def can_be_undone(self) -> bool:
        """Whether everything that it touched could be put back."""
        return bool(self.files or self.aliases) and all(one.can_come_back for one in self.files)


def digest(data: bytes | None) -> str:
    """Return what stands for the bytes of a file; nothing where there is none."""
    return "" if data is None else sha256(data).hexdigest()


def undone(updates: list[Update]) -> dict[str, str]:
    """Return the ids that are undone now, each with the id of what undid it; the updates come newest first."""
    found: dict[str, str] = {}
    for update in updates:
        if update.id not in found:
            found.update((each, update.id) for each in update.undoes if each not in found)
    return found


class Updates:
    """The change history of one home. Nothing is made where nothing was changed."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.folder = os.path.join(home, FOLDER)

    def add_line(self, at: str, line: str) -> None:
        """Append a line to the page of its month; it is durable when the record of the act is."""
        files.make_folder(self.folder)
        rows.append(self._page(at), [line], durable=False)

    def add(self, update: Update) -> None:
        """Write the record of an act."""
        path = self._path(update)
        files.put(path, _written(update))
        # An act of many lines waits for the disk once, not once a line.
        rows.append(self._page(update.at), [])

    def remove(self, update: Update) -> None:
        """Take back the record of an act that did nothing."""
        files.remove(self._path(update))

    def all(self) -> tuple[list[Update], list[str]]:
        """Return every update, newest first, and the files that cannot be read as one."""
        found, broken = list[Update](), list[str]()
        for path in self._paths():
            try:
                found.append(_read(files.read(path)))
            except NotFound:
                continue
            except (HoldfastError, ValueError, KeyError, TypeError):
                broken.append(path)
        return sorted(found, key=lambda one: (one.at, one.id), reverse=True), broken

    def drop(self, is_gone: Callable[[str, str], bool], *, names: Collection[str] = ()) -> int:
        """Take out each text that is to be gone, which is told by its path and itself, and each of these paths.

        Return how many texts went.
        """
        count = 0
        with self._lock():
            for update in self.all()[0] if os.path.isdir(self.folder) else ():
                rest = tuple(
                    _without(one) if one.text is not None and is_gone(one.path, one.text) else one
                    for one in update.files
                )
                if rest != update.files or any(one.path in names for one in rest):
                    kept = tuple(one for one in rest if one.path not in names)
                    files.write(self._path(update), _written(replace(update, files=kept)))
                    count += sum(one != other for one, other in zip(rest, update.files, strict=True))
        return count

    def trim(self, budget: int) -> int:
        """Take out the oldest texts until they take no more than the budget; return how many bytes went."""
        # A record is larger than its texts, so mostly the sizes of the files alone say that nothing has to go.
        if sum(map(files.size_of, self._paths())) <= budget:
            return 0
        with self._lock():
            updates = self.all()[0]
            over = sum(map(kept_bytes, updates)) - budget
            gone = 0
            for update in reversed(updates):
                if gone >= over:
                    break
                if kept_bytes(update):
                    gone += kept_bytes(update)
                    bare = tuple(map(_without, update.files))
                    files.write(self._path(update), _written(replace(update, files=bare)))
        return gone

    def _page(self, at: str) -> str:
        return os.path.join(self.folder, f"{at[:7]}.md")

    def _path(self, update: Update) -> str:
        return os.path.join(self.folder, update.at[:7], f"{update.id}.json")

    def _paths(self) -> Iterator[str]:
        for month in files.names_in(self.folder):
            folder = os.path.join(self.folder, month)
            if files.is_plain_folder(folder):
                yield from (os.path.join(folder, name) for name in files.names_in(folder, ".json"))

    def _lock(self) -> files.Lock:
        return files.lock_of(self.home, "updates")


def find(updates: list[Update], text: str) -> Update:
    """Return the update whose id begins with this; NotFound or BadInput where that is none or several."""
    return by_prefix(text, {one.id: one for one in updates}, "no update", "`holdfast updates` lists them.")


def kept_bytes(update: Update) -> int:
    """Return how many bytes the record keeps of what files were before."""
    return sum(len(one.text.encode("utf-8")) for one in update.files if one.text)


def _without(one: Touched) -> Touched:
    return replace(one, text=None)


def _written(update: Update) -> bytes:
    # A file name that is not UTF-8 has half letters in it; with a backslash they are JSON, and are read as they were.
    return json.dumps(asdict(update), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace") + b"\n"


def _read(data: bytes) -> Update:
    """Return the update of a record; ValueError, KeyError or TypeError where it is none."""
    plain = json.loads(data)
    id, at = str(plain["id"]), str(plain["at"])
    # Both name the file that is written again, so neither may lead elsewhere.
    if len(id) != 8 or not set(id) <= _HEX or not set(at[:7]) <= _MONTH:
        raise ValueError("no id or no time")
    return Update(
        id,
        at,
        str(plain["command"]),
        tuple(map(str, plain["targets"])),
        str(plain["reason"]),
        agent=str(plain["agent"]),
        session=str(plain["session"]),
        project=str(plain["project"]),
        files=tuple(_touched(one) for one in plain["files"]),
        aliases=tuple(Alias(str(one["old"]), str(one["before"]), str(one["after"])) for one in plain["aliases"]),
        undoes=tuple(map(str, plain["undoes"])),
    )


def _touched(plain: dict[str, object]) -> Touched:
    text = plain.get("text")
    kept = text if isinstance(text, str) else None
    return Touched(str(plain["path"]), str(plain["before"]), str(plain["after"]), kept)
