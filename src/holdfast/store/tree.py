"""The tree of memory files, and the index that follows it.

People edit files. Before each read the folders of the scopes in question are swept: every file whose change time is not
older than the newest seen there is compared with the index and, if it differs, read again; a count that does not agree
finds what is gone. Nothing is read that did not change. A file read within a clock tick of its last change is read once
more at the next sweep. An index that is missing or damaged is filled from the files, with a note that says so.
"""

from __future__ import annotations

import os
import sqlite3
import time

from holdfast.errors import Conflict, NotFound, StoreUnavailable
from holdfast.light import dataclass
from holdfast.records import Memory, Problem, Scope
from holdfast.store import files, layout, memory_file
from holdfast.store.index import Index, Stamp, stamp_of
from holdfast.store.keys import key_of_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.store.base import Progress

CLOCK_TICK_NS = 50_000_000
BATCH = 500


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep found: files read anew and files that are gone."""

    read: int = 0
    gone: int = 0


class Tree:
    """The memory files of one home with their index. `largest` bounds what is read of a file."""

    def __init__(self, home: str, largest: int) -> None:
        self.home = home
        self.root = os.path.join(home, "memory")
        self.largest = largest
        self.notes: list[str] = []
        self.index = self._open_index()

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Swept:
        """See what people changed in the files of these scopes, or of all."""
        if self.index.was_replaced():
            self.index.close()
            self.index = self._open_index()
        if self.index.fresh:
            return self._fill(progress)
        known = self.index.folders()
        found = Swept()
        for scope in list(layout.scopes_on_disk(self.root)) if scopes is None else scopes:
            found = self._sweep_scope(scope, known, found)
        if scopes is None:
            found = self._lose_scopes(known, found)
        return found

    def rebuild(self, progress: Progress | None = None) -> Swept:
        """Read every file anew into the index; recall goes on meanwhile."""
        with self._filling():
            return self._fill_locked(progress)

    def _filling(self) -> files.Lock:
        files.make_folder(os.path.join(self.home, "state", "locks"))
        return files.Lock(os.path.join(self.home, "state", "locks", "index.lock"), seconds=600)

    def _open_index(self) -> Index:
        if not os.path.isdir(self.home):
            return Index(":memory:")
        path = os.path.join(self.home, "index.db")
        try:
            return Index(path)
        except (StoreUnavailable, OSError, sqlite3.Error):
            return self._index_in_memory(path)

    def _index_in_memory(self, path: str) -> Index:
        """Return a copy of an index that cannot be written, so that reading goes on."""
        index = Index(":memory:")
        try:
            with sqlite3.connect(f"file:{path}?immutable=1", uri=True) as source:
                source.backup(index.db)
            index.why_fresh = ""
        except sqlite3.Error:
            index = Index(":memory:")
        return index

    def _fill(self, progress: Progress | None) -> Swept:
        why = self.index.why_fresh
        if self.index.path == ":memory:":
            return self._fill_locked(progress)
        with self._filling():
            done_meanwhile = self.index.db.execute("SELECT 1 FROM meta WHERE name = 'complete'").fetchone()
            if done_meanwhile:
                self.index.why_fresh = ""
                return Swept()
            swept = self._fill_locked(progress)
        if swept.read:
            self.notes.append(f"index.db was made anew from {swept.read} files: {why}")
        return swept

    def _fill_locked(self, progress: Progress | None) -> Swept:
        scopes = list(layout.scopes_on_disk(self.root))
        folders = [folder for scope in scopes for folder in layout.memory_folders(self.root, scope)]
        listed = {folder: self._list(folder) for folder in folders}
        total = sum(len(statuses) for statuses in listed.values())
        done = 0
        for folder, statuses in listed.items():
            for batch in _batches(list(statuses), BATCH):
                self._read_into_index(folder, {path: statuses[path] for path in batch})
                done += len(batch)
                if progress:
                    progress(done, total)
        gone = self._drop_missing(listed)
        self.index.finished()
        return Swept(done, gone)

    def _drop_missing(self, listed: dict[str, dict[str, os.stat_result]]) -> int:
        rows = self.index.db.execute("SELECT path, folder FROM memory").fetchall()
        missing = [path for path, folder in rows if path not in listed.get(folder, ())]
        with self.index.begin():
            self.index.drop(missing)
        return len(missing)

    def _sweep_scope(self, scope: Scope, known: dict[str, int], found: Swept) -> Swept:
        folders = list(layout.memory_folders(self.root, scope))
        for folder in folders:
            found = self._sweep_folder(folder, known.get(folder, -1), found)
        base = layout.folder_of(scope)
        here = [f for f in known if f == base or f.startswith(base + "/")]
        return self._lose([folder for folder in here if folder not in folders], found)

    def _lose_scopes(self, known: dict[str, int], found: Swept) -> Swept:
        gone = [folder for folder in known if not os.path.isdir(self.full(folder))]
        return self._lose(gone, found)

    def _lose(self, folders: list[str], found: Swept) -> Swept:
        for folder in folders:
            gone = self.index.count(folder)
            with self.index.begin():
                self.index.lose(folder)
            found = Swept(found.read, found.gone + gone)
        return found

    def _sweep_folder(self, folder: str, seen_ns: int, found: Swept) -> Swept:
        total, newest, recent = self._look(folder, seen_ns)
        changed = {path: status for path, status in recent.items() if self._differs(path, status)}
        for batch in _batches(list(changed), BATCH):
            self._read_into_index(folder, {path: changed[path] for path in batch})
        gone = self._drop_gone(folder) if self.index.count(folder) != total else 0
        if newest > seen_ns and not changed:
            with self.index.begin():
                self.index.see(folder, newest)
        return Swept(found.read + len(changed), found.gone + gone)

    def _look(self, folder: str, seen_ns: int) -> tuple[int, int, dict[str, os.stat_result]]:
        """Return how many memory files the folder has, the newest change, and the files changed since `seen_ns`."""
        total, newest, recent = 0, seen_ns, {}
        with os.scandir(self.full(folder)) as entries:
            for entry in entries:
                if not layout.is_memory_file(entry.name) or not entry.is_file(follow_symlinks=False):
                    continue
                total += 1
                status = entry.stat(follow_symlinks=False)
                if status.st_ctime_ns >= seen_ns:
                    recent[f"{folder}/{entry.name}"] = status
                    newest = max(newest, status.st_ctime_ns)
        return total, newest, recent

    def _list(self, folder: str) -> dict[str, os.stat_result]:
        return self._look(folder, -1)[2]

    def _differs(self, path: str, status: os.stat_result) -> bool:
        known = self.index.stamp(path)
        return known is None or known.unsure or known != stamp_of(status)

    def _read_into_index(self, folder: str, statuses: dict[str, os.stat_result]) -> None:
        read = [(path, *self._read_stamped(path, status)) for path, status in statuses.items()]
        with self.index.begin() as db:
            for path, stamp, memory, problems in read:
                if memory is None or stamp is None:
                    self.index.drop([path])
                    continue
                self.index.put(memory, stamp)
                db.executemany(
                    "INSERT INTO problem(kind, path, text, hint, line, severity) VALUES (?,?,?,?,?,?)",
                    [(p.kind, p.path, p.text, p.hint, p.line, p.severity) for p in problems],
                )
            sure = [stamp.ctime_ns for _, stamp, _, _ in read if stamp and not stamp.unsure]
            if sure and len(sure) == len(read):
                self.index.see(folder, max([*sure, self.index.folders().get(folder, 0)]))

    def _read_stamped(
        self, path: str, status: os.stat_result
    ) -> tuple[Stamp | None, Memory | None, tuple[Problem, ...]]:
        read_at = time.time_ns()
        try:
            memory, problems = self.read(path, status)
        except NotFound:
            return None, None, ()
        return stamp_of(status, unsure=read_at - status.st_ctime_ns < CLOCK_TICK_NS), memory, problems

    def _drop_gone(self, folder: str) -> int:
        there = self._list(folder)
        gone = [path for path in self.index.stamps(folder) if path not in there]
        if gone:
            with self.index.begin():
                self.index.drop(gone)
        return len(gone)

    def read(self, path: str, status: os.stat_result | None = None) -> tuple[Memory, tuple[Problem, ...]]:
        full = self.full(path)
        changed = (status or os.lstat(full)).st_mtime
        data = files.read(full)
        text, problems = memory_file.decode(data[: self.largest * 4], path)
        if len(data) > self.largest * 4:
            hint = "Keep long material under data/ and store a short memory that points to it."
            problems = (Problem("too-large", path, f"only the first {self.largest * 4} bytes are read", hint),)
        memory, more = memory_file.read(text, self.place(path, changed))
        return memory, (*problems, *more)

    def place(self, path: str, changed: float) -> memory_file.Place:
        scope = layout.scope_of(path)
        if scope is None:
            raise NotFound(f"{path} lies in no scope", "Move it below global/, projects/, sessions/ or agents/.")
        return memory_file.Place(path, scope, key_of_file(os.path.basename(path)), iso(changed))

    def text(self, path: str) -> str:
        text, problems = memory_file.decode(files.read(self.full(path)), path)
        if problems:
            raise Conflict(f"{path} is not UTF-8", problems[0].hint)
        return text

    def full(self, path: str) -> str:
        return os.path.join(self.root, path)


def _batches(items: list[str], size: int) -> Iterator[list[str]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def iso(seconds: float) -> str:
    """Return a system time as memory files write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
