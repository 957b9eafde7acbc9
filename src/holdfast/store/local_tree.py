"""The memory files of one machine as they are written, and the folders that they lie in.

Every write is durable before the index is told of it. The file holds then, so trouble with the index is no failure: a
note says so, and the next sweep sees the file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from holdfast.base import files
from holdfast.base.clock import Deadline
from holdfast.base.files import file_digest
from holdfast.base.text import sha256
from holdfast.errors import Conflict, NotFound, StoreUnavailable, TooLarge
from holdfast.records import Memory, Problem, Scope
from holdfast.store import layout, memory_file
from holdfast.store.base import Listed
from holdfast.store.index import TAGS_APART, mark_behind, stamp_of
from holdfast.store.own_writes import OwnWrites
from holdfast.store.tree import MAX_LOOKED, Tree

_LOCKS = 64


class LocalTree(Tree):
    """The tree of one home, open for writing. Whoever changes a memory holds its lock."""

    def __init__(self, home: str, largest: int, *, create: bool = True) -> None:
        self.home, self.root = home, os.path.join(home, "memory")
        if create and not os.path.isdir(self.root):
            self.make_root()
        super().__init__(home, largest)
        self._own = OwnWrites()
        # The audit trail is told the path of each file, below `root`, right before it changes.
        self.before_change: Callable[[str], None] | None = None

    def close(self) -> None:
        """Give back the index and stop watching."""
        super().close()
        self._own.close()

    @contextmanager
    def lock_memories(self, *places: tuple[Scope, str]) -> Iterator[None]:
        """Hold the locks of these memories, each a scope and a key, for the length of a `with` block."""
        # A fixed number of names, so that locks do not pile up; in one order, so that there is no deadlock.
        numbers = {sha256(f"{scope}/{key}".encode()).digest()[0] % _LOCKS for scope, key in places}
        with ExitStack() as held:
            for number in sorted(numbers):
                held.enter_context(files.lock_of(self.home, f"key-{number:02d}"))
            yield

    def make_root(self) -> None:
        """Make the home with its memory tree, private to the person."""
        files.make_folder(self.root)
        os.chmod(self.home, files.FOLDER_MODE)

    def make_scope(self, scope: Scope) -> None:
        """Make the folder for the memories of the scope, where it is missing."""
        folder = f"{layout.folder_of(scope)}/{layout.MEMORIES}"
        if not os.path.isdir(self.full(folder)):
            files.make_folder(os.path.dirname(layout.contained(self.root, f"{folder}/x")))

    def write_new(self, memory: Memory) -> None:
        """Write a file that holds the memory."""
        data = memory_file.create(memory).encode("utf-8")
        stamp = stamp_of(self._write(memory.path, data), unsure=True)
        self._tell_index(lambda: self.index.put(memory, stamp, file_digest(data)), memory.key)

    def write_text(self, path: str, text: str) -> None:
        """Write the file and index what it says, with what a person wrote wrong in it."""
        data = text.encode("utf-8")
        status = self._write(path, data)
        memory, problems = memory_file.read(text, self.place(path, status.st_mtime))
        stamp = stamp_of(status, unsure=True)
        self._tell_index(lambda: self.index.put(memory, stamp, file_digest(data), problems), memory.key)

    def _write(self, path: str, data: bytes) -> os.stat_result:
        if len(data) > self.most_read:
            hint = "Take old history out of the file in an editor, or store it under a new key with --supersedes."
            raise TooLarge(f"{path} would be too large to be read whole, with its history", hint)
        self._announce(path)
        return files.write(layout.contained(self.root, path), data)

    def unlink(self, path: str, key: str) -> None:
        """Remove the file of a memory for good."""
        self._announce(path)
        files.remove(layout.contained(self.root, path))
        self._tell_index(lambda: self.index.drop([path]), key)

    def swap(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Replace a memory's file by other bytes, or remove it; Conflict where it is not as it was `before`."""
        place, whole = self.place(path), layout.contained(self.root, path)
        with self.lock_memories((place.scope, place.key)):
            try:
                now = files.read(whole)
            except NotFound:
                now = None
            if now != before:
                raise Conflict(f"{path} changed meanwhile", "Look at it, then try again.")
            if after is None:
                self.unlink(path, place.key)
            else:
                files.make_folder(os.path.dirname(whole))
                self.write_text(path, after.decode("utf-8"))

    def place_in(self, memory: Memory, folder: str) -> Memory:
        """Move the file into another folder of its scope; key and text stay."""
        path = f"{folder}/{os.path.basename(memory.path)}"
        files.make_folder(os.path.dirname(layout.contained(self.root, path)))
        with self.lock_memories((memory.scope, memory.key)):
            return self.rename(memory, path)

    def rename(self, memory: Memory, path: str) -> Memory:
        """Give the memory's file another place in the tree, in one step; whoever calls holds the locks."""
        self._announce(memory.path, path)
        files.move(layout.contained(self.root, memory.path), layout.contained(self.root, path))
        found = self.read(path)

        def follow() -> None:
            self.index.drop([memory.path])
            self.index.put(found.memory, found.stamp, found.digest, found.problems)

        self._tell_index(follow, found.memory.key)
        return found.memory

    def _announce(self, *paths: str) -> None:
        for folder, _, name in [] if Deadline.is_set() else [path.rpartition("/") for path in paths]:
            try:
                listed = self.index.glanced(folder)[0]
            except (StoreUnavailable, sqlite3.Error):
                listed = 0
            if listed:
                self._own.begin(self.full(folder), name, listed)
        if self.before_change is not None:
            for path in paths:
                self.before_change(path)

    def _tell_index(self, tell: Callable[[], None], key: str) -> None:
        try:
            with self.index.begin():
                tell()
                self.index.join_words()
        except (StoreUnavailable, sqlite3.Error) as problem:
            self.notes.append(f"{key} is written; the index will catch up ({problem})")
            mark_behind(self.home)
            self._own.doubt()
        else:
            if self.index.in_memory:
                mark_behind(self.home)

    def holds(self, folder: str = "") -> bool:
        """Whether there is any memory directly in the folder, or anywhere."""
        where = "folder = ?1" if folder else "?1 = ''"
        return bool(self.index.db.execute(f"SELECT 1 FROM memory WHERE {where} LIMIT 1", (folder,)).fetchone())

    def listing(self, folders: tuple[str, ...], limit: int) -> tuple[list[Listed], int]:
        """Return what a page lists of the newest memories directly in these folders, and how many there are."""
        total = sum(self.index.count(folder) for folder in folders)
        # Where there are very many, SQLite takes the newest by their order in time instead of sorting all of them.
        # Their numbers come first: joined with their words, all of those would be read.
        column = "+folder" if total > MAX_LOOKED else "folder"
        newest = f"{column} IN ({','.join('?' * len(folders))}) ORDER BY updated DESC, path LIMIT ?"
        rows = self.index.db.execute(
            f"SELECT m.key, w.title, w.tags, m.pinned, m.path FROM (SELECT id FROM memory WHERE {newest}) chosen"
            " CROSS JOIN memory m ON m.id = chosen.id CROSS JOIN words w ON w.rowid = chosen.id",
            (*folders, limit),
        )
        return [
            Listed(key, title, tuple(filter(None, tags.split(TAGS_APART))), bool(pinned), path)
            for key, title, tags, pinned, path in rows
        ], total

    def sizes(self) -> list[tuple[Scope, int]]:
        """Return every scope that holds memories, and how many."""
        rows = self.index.db.execute("SELECT scope, owner, count(*) FROM memory GROUP BY scope, owner ORDER BY 1, 2")
        return [(Scope(kind, owner), count) for kind, owner, count in rows]

    def subfolders(self, folder: str) -> list[tuple[str, int]]:
        """Return the names of the sub-folders with the number of memories in and below each."""
        counts: dict[str, int] = {}
        rows = self.index.db.execute(
            "SELECT folder, count(*) FROM memory WHERE folder > ? AND folder < ? GROUP BY folder",
            (f"{folder}/", f"{folder}0"),
        )
        for path, count in rows:
            name = path[len(folder) + 1 :].split("/", 1)[0]
            counts[name] = counts.get(name, 0) + count
        return sorted(counts.items())

    def stale_folders(self) -> list[str]:
        """Return the folders whose `index.md` is older than what they hold."""
        rows = self.index.db.execute("SELECT path FROM folder WHERE stale = 1 ORDER BY path")
        return [path for (path,) in rows]

    def mark_stale(self, folders: list[str]) -> None:
        """Note that the `index.md` of these folders has to be written."""
        with self.index.begin():
            self.index.mark_stale(folders)

    def freshen(self, folder: str) -> None:
        """Note that the `index.md` of the folder is up to date again."""
        with self.index.begin() as db:
            db.execute("UPDATE folder SET stale = 0 WHERE path = ?", (folder,))

    def folders(self, scope: Scope) -> tuple[list[str], bool]:
        """Return the folders of the scope that may hold memories, and whether the index has as many files in each."""
        found, agrees = list[str](), True
        waiting = layout.first_folders(self.root, scope)
        while waiting:
            folder = waiting.pop(0)
            found.append(folder)
            if self._own.is_alone(self.full(folder)):
                inside = self.index.glanced(folder)[2]
            else:
                entries, inside = self._entries(folder)
                there = sum(one.is_file(follow_symlinks=False) for one in entries)
                agrees = agrees and there == self.index.count(folder)
            waiting += [f"{folder}/{name}" for name in inside] if not layout.is_scope_folder(folder) else []
        return found, agrees

    def note_own_writes(self) -> None:
        """Note of very large folders that their names are known, where nobody but this process changed any."""
        for whole, changed in self._own.known().items():
            folder = os.path.relpath(whole, self.root)
            _, cursor, inside = self.index.glanced(folder)
            with self.index.begin():
                self.index.note_glance(folder, changed, cursor, inside)

    def nameless(self) -> Iterator[Problem]:
        """Name what cannot be a memory because its name is not text, or because it is no file."""
        for scope in layout.scopes_on_disk(self.root):
            for folder in layout.memory_folders(self.root, scope):
                for name in os.listdir(self.full(folder)):
                    if not layout.is_memory_file(name):
                        continue
                    if not layout.is_text(name):
                        hint = "Rename it; until then it is not read."
                        yield Problem("file-name", f"{folder}/{name!a}", "the name is not UTF-8", hint, 0, "error")
                    elif not os.path.isfile(whole := self.full(f"{folder}/{name}")) and not os.path.islink(whole):
                        what, hint = "folder" if os.path.isdir(whole) else "pipe", "Rename it: a memory is a file."
                        yield Problem("file-name", f"{folder}/{name}", f"a {what} has the name of a memory", hint)
