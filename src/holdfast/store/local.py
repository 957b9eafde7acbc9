"""The local store: Markdown files are the truth, `index.db` is derived from them.

Identity. A memory is a file below `memory/<scope>/`; its key is its file name. Where two files claim one key, the
newest answers and `holdfast lint` names both.

Writing. Under a lock of that key: read the file as it is now, put the change in, write it durably, then tell the index.
If the process dies in between, the file is the truth and the next sweep tells the index. If only the index fails, the
write holds and says so in `notes`.

Seeing. What people change in the files is seen by the next read; `tree` says how.

Checking. `holdfast reindex` makes the index anew from the files and loses nothing; a test deletes it and compares.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time

from holdfast.base import files
from holdfast.base.light_records import replace
from holdfast.errors import Conflict, Forgotten, NotFound, StoreUnavailable, TooLarge
from holdfast.records import Draft, Memory, Problem, Scope, Stored
from holdfast.store import layout, memory_file, merge
from holdfast.store.base import Candidate, Filter, Group
from holdfast.store.index import Index, stamp_of
from holdfast.store.keys import automatic_key, check_key
from holdfast.store.memory_table import MemoryTable
from holdfast.store.search import search
from holdfast.store.tombstones import Tombstones, digest
from holdfast.store.tree import Swept, Tree, digest_of, iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.store.base import Progress
    from holdfast.store.tree import Answer

LARGEST = 262_144
_LOCKS = 64
_LOW_TRUST = ("derived", "import")


class LocalStore:
    """The store in one home folder. With `create=False` nothing is made where the home does not exist yet."""

    def __init__(self, home: str, *, create: bool = True, largest: int = LARGEST) -> None:
        self.home = os.path.abspath(home)
        self.root = os.path.join(self.home, "memory")
        self.largest = largest
        # Who keeps a change history is told the path of each file, below `root`, right before it changes.
        self.before_change: Callable[[str], None] | None = None
        if create and not os.path.isdir(self.root):
            self._make_root()
        self.tree = Tree(self.home, largest)

    @property
    def index(self) -> Index:
        """The index, which may be another one after a refresh."""
        return self.tree.index

    @property
    def notes(self) -> list[str]:
        """What a person should be told; the caller empties it."""
        return self.tree.notes

    def close(self) -> None:
        """Give back what the tree holds open."""
        self.tree.close()

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Swept:
        """See what people changed in the files of these scopes, or of all."""
        return self.tree.refresh(scopes, progress)

    def rebuild(self, progress: Progress | None = None) -> Swept:
        """Read every file anew into the index; recall goes on meanwhile."""
        return self.tree.rebuild(progress)

    def put(self, draft: Draft) -> Stored:
        """Store the draft; see the contract in `base`."""
        merge.check(draft)
        content = self._content_of(draft)
        key = check_key(draft.key) if draft.key is not None else automatic_key(content.statement)
        scope = layout.check_scope(draft.scope)
        self._make_home()
        with self._lock(scope, key):
            before = self._current(scope, key)
            self._check_supersedes(draft, scope, key)
            self._check_forgotten(draft, scope, key, content.statement, before)
            after = merge.merged(draft, key, content, before)
            same = before is not None and replace(after, updated=before.updated) == before
            if not same:
                self._make_scope(scope)
                self._write(after, before)
            self._lift(draft, scope, key, content.statement)
        if before is None:
            return Stored("created", after)
        return Stored("unchanged", before) if same else Stored("updated", after)

    def get(self, scope: Scope, key: str) -> Memory:
        """Return the memory as its file has it now, with its history."""
        memory = self._current(layout.check_scope(scope), check_key(key))
        if memory is None:
            raise NotFound(f"no memory {key} in {scope}", "`holdfast list` shows the keys.")
        return memory

    def change(self, scope: Scope, key: str, **fields: object) -> Memory:
        """Set fields of the memory; the statement and the time of its last update stay."""
        self.get(scope, key)
        with self._lock(scope, key):
            before = self.get(scope, key)
            after: Memory = replace(before, **fields)  # type: ignore[arg-type]
            if after != before:
                self._write(after, before)
        return after

    def rewrite(self, scope: Scope, key: str, text: str) -> Memory:
        """Replace the whole text of the file, front matter and all: what a person wrote in an editor."""
        self.get(scope, key)
        with self._lock(scope, key):
            before = self.get(scope, key)
            place = self.tree.place(before.path, time.time())
            memory, problems = memory_file.read(text, place)
            if any(problem.severity == "error" for problem in problems):
                memory_file.update(text, memory, before.path)
            self._write(merge.with_history(memory, before), None, text)
        return self.get(scope, key)

    def replace_text(self, memory: Memory, text: str) -> None:
        """Replace the text of the memory's file where only links changed: no new statement, no history.

        The text was made of what the memory said; if it says something else by now, Conflict, and nothing is lost.
        """
        with self._lock(memory.scope, memory.key):
            now = self.tree.read(memory.path).memory
            if (now.body, now.updated) != (memory.body, memory.updated):
                raise Conflict(f"{memory.key} changed meanwhile", "Try again.")
            self._write_text(memory.path, text)

    def move(self, scope: Scope, key: str, to: Scope, new_key: str) -> Memory:
        """Move the memory: first the new file, then the old one goes, so that it is never nowhere."""
        layout.check_scope(to)
        check_key(new_key)
        self.get(scope, key)
        self._make_scope(to)
        with self._lock_both((scope, key), (to, new_key)):
            before = self.get(scope, key)
            if self._current(to, new_key) is not None:
                raise Conflict(f"{to} has a memory {new_key} already", "Give another key with --key.")
            path = f"{layout.folder_of(to)}/{layout.MEMORIES}/{new_key}.md"
            after = replace(before, scope=to, key=new_key, path=path)
            self._write(after, None, self.tree.text(before.path))
            self._unlink(before)
        return after

    def absorb(self, memory: Memory, into: Scope) -> Memory:
        """Combine the memory with that of its key in another scope: the newer statement holds, the other is history."""
        with self._lock_both((memory.scope, memory.key), (into, memory.key)):
            here, there = self.get(memory.scope, memory.key), self.get(into, memory.key)
            newer, older = (here, there) if here.updated > there.updated else (there, here)
            after = replace(
                newer,
                scope=into,
                path=there.path,
                created=min(here.created, there.created),
                tags=tuple(dict.fromkeys((*there.tags, *here.tags))),
                pinned=here.pinned or there.pinned,
                history=merge.joined(newer, older),
            )
            self._write(after, there)
            self._unlink(here)
        return after

    def place_in(self, memory: Memory, folder: str) -> Memory:
        """Move the file into another folder of its scope; key and text stay."""
        path = f"{folder}/{os.path.basename(memory.path)}"
        files.make_folder(os.path.dirname(layout.contained(self.root, path)))
        with self._lock(memory.scope, memory.key):
            self._announce(memory.path, path)
            files.move(layout.contained(self.root, memory.path), layout.contained(self.root, path))
            found = self.tree.read(path)
            self._tell_index(lambda: self.index.drop([memory.path]), memory.key)
            self._tell_index(
                lambda: self.index.put(found.memory, found.stamp, found.digest, found.problems), memory.key
            )
        return found.memory

    def remove(self, scope: Scope, key: str, *, forget: bool) -> Memory:
        """Remove every file of the key; the tombstone is written first."""
        memory = self.get(scope, key)
        with self._lock(scope, key):
            found = self._all(scope, key)
            if forget and found:
                said = [text for each in found for text in (each.body, *(earlier.text for earlier in each.history))]
                self._tombstones(scope).bury(key, list(dict.fromkeys(said)), memory_file.now())
            for each in found:
                self._unlink(each)
        return found[0] if found else memory

    def swap(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Put other bytes, or no file, in the place of a memory's file; Conflict where it is not as it was `before`."""
        place, whole = self.tree.place(path, time.time()), layout.contained(self.root, path)
        with self._lock(place.scope, place.key):
            try:
                now = files.read(whole)
            except NotFound:
                now = None
            if now != before:
                raise Conflict(f"{path} changed meanwhile", "Look at it, then try again.")
            if after is None:
                self._unlink_file(path, place.key)
            else:
                files.make_folder(os.path.dirname(whole))
                self._write_text(path, after.decode("utf-8"))

    def erase_traces(self) -> None:
        """Take the words of what went out of the index's own pages, where full-text search keeps them for a while."""
        try:
            self.index.erase_traces()
        except (StoreUnavailable, sqlite3.Error) as problem:
            self.notes.append(f"words of what went may stay in index.db until it is made anew ({problem})")

    def find(self, wanted: Filter, limit: int | None = None) -> Iterator[Memory]:
        """Return memories of the index, newest first."""
        return self.tree.ask(lambda index: index.find(wanted, limit))

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return candidates for the words of the query."""
        return self.tree.ask(lambda index: search(index, query, wanted, limit))

    def consult(self, question: Callable[[MemoryTable], Answer]) -> Answer:
        """Return what the memories answer, as the engine of recall asks them."""
        return self.tree.ask(lambda index: question(MemoryTable(index)))

    def groups(self) -> list[Group]:
        """Return every scope that holds memories."""
        return self.tree.ask(lambda index: index.groups())

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""
        return self.index.uses(scope, key)

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count uses, each memory at most once a minute."""
        with self.index.begin() as db:
            db.executemany(
                "INSERT INTO uses VALUES (?1, ?2, ?3, 1, ?4) ON CONFLICT DO UPDATE SET count = count + 1, last = ?4"
                " WHERE strftime('%s', ?4) - strftime('%s', last) >= 60",
                [(scope.kind, scope.owner, key, at) for scope, key, at in uses],
            )

    def clear_uses(self) -> None:
        """Forget the counts, before they are counted anew."""
        with self.index.begin() as db:
            db.execute("DELETE FROM uses")

    def inherit_forgotten(self, old: Scope, new: Scope) -> None:
        """What was forgotten in the old scope counts as forgotten in the new one."""
        self._make_scope(new)
        self._tombstones(new).take_over(self._tombstones(old))

    def forgot(self, scope: Scope, memory: Memory) -> bool:
        """Whether the scope has forgotten what this memory says."""
        return self._tombstones(scope).has(memory.key, memory.body)

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys that begin so, in order."""
        return self.tree.ask(lambda index: index.keys(scopes, start))

    def was_forgotten(self, memory: Memory) -> bool:
        """Whether the memory's words were forgotten in its scope and not stored again since."""
        return self.forgot(memory.scope, memory)

    def problems(self) -> list[Problem]:
        """Return what was wrong in files when they were read."""
        known = self.tree.ask(lambda index: index.problems())
        return [*(each for each in known if os.path.lexists(self.tree.full(each.path))), *self.tree.nameless()]

    def text(self, memory: Memory) -> str:
        """Return the text of the memory's file, exactly."""
        return self.tree.text(memory.path)

    def size(self, memory: Memory) -> int:
        """Return the size of the memory's file in bytes."""
        return os.lstat(self.tree.full(memory.path)).st_size

    def modified(self, memory: Memory) -> str:
        """Return when the memory's file was last written, by whomever."""
        return iso(os.lstat(self.tree.full(memory.path)).st_mtime)

    def stale_folders(self) -> list[str]:
        """Return the folders whose `index.md` is older than what they hold."""
        return [path for (path,) in self.index.db.execute("SELECT path FROM folder WHERE stale = 1 ORDER BY path")]

    def listing(self, folders: tuple[str, ...], limit: int) -> tuple[list[Memory], int]:
        """Return the newest memories whose files lie directly in these folders, and how many there are."""
        return self.index.listing(folders, limit), sum(self.index.count(folder) for folder in folders)

    def subfolders(self, folder: str) -> list[tuple[str, int]]:
        """Return the sub-folders that hold memories, each with their number."""
        return self.index.subfolders(folder)

    def freshen(self, folder: str) -> None:
        """Note that the `index.md` of the folder is true again."""
        with self.index.begin() as db:
            db.execute("UPDATE folder SET stale = 0 WHERE path = ?", (folder,))

    def lock(self, name: str) -> files.Lock:
        """Return a lock between processes by name, for what is done above the store."""
        return files.lock_of(self.home, name)

    def _current(self, scope: Scope, key: str) -> Memory | None:
        """Return the memory as the disk has it now, wherever in its scope the file lies."""
        return next(iter(self._all(scope, key)), None)

    def _all(self, scope: Scope, key: str) -> list[Memory]:
        """Return what every file of the key says now, the newest first."""
        usual = f"{layout.folder_of(scope)}/{layout.MEMORIES}/{key}.md"
        known = self.tree.ask(lambda index: index.paths(scope, key))
        found = []
        for path in dict.fromkeys((usual, *known)):
            try:
                found.append(self.tree.read(path).memory)
            except NotFound:
                continue
        return sorted(found, key=lambda memory: memory.updated, reverse=True)

    def _content_of(self, draft: Draft) -> memory_file.Content:
        size = len(draft.text.encode("utf-8"))
        if size > self.largest:
            hint = "Store what matters of it, or keep the file under data/ and store a memory that points to it."
            raise TooLarge(f"the text has {size:,} bytes, and a memory at most {self.largest:,}", hint)
        content = memory_file.split_title(draft.text)
        return replace(content, title=" ".join(draft.title.split())) if draft.title else content

    def _check_supersedes(self, draft: Draft, scope: Scope, key: str) -> None:
        for other in draft.supersedes:
            if check_key(other) == key:
                raise Conflict(
                    f"{key} cannot supersede itself", "Storing it again keeps the earlier statement as history."
                )
            if self._current(scope, other) is None:
                raise NotFound(f"no memory {other} in {scope} to supersede", "`holdfast list` shows the keys.")

    def _check_forgotten(self, draft: Draft, scope: Scope, key: str, statement: str, before: Memory | None) -> None:
        """An import may neither bring back what was forgotten nor undo what a person or an agent said since."""
        if draft.trust not in _LOW_TRUST:
            return
        if self._tombstones(scope).has(key, statement):
            raise Forgotten(f"{key} was forgotten", "Store it with `holdfast remember` if it holds again.")
        if before is not None and before.body == statement:
            return
        earlier = before.history if before is not None else ()
        if digest(statement) in [digest(each.text) for each in earlier] or self._was_corrected(scope, statement):
            raise Forgotten(f"{key} was corrected since", "Store it with `holdfast remember` if it holds again.")
        if before is not None and before.trust not in _LOW_TRUST:
            raise Conflict(f"{key} is there already, said by the {before.trust}", "Import it under another key.")

    def _was_corrected(self, scope: Scope, statement: str) -> bool:
        return self.tree.ask(lambda index: index.was_corrected(scope, statement))

    def _lift(self, draft: Draft, scope: Scope, key: str, statement: str) -> None:
        tombstones = self._tombstones(scope)
        if draft.trust not in _LOW_TRUST and tombstones.exist():
            tombstones.lift(key, statement, memory_file.now())

    def _tombstones(self, scope: Scope) -> Tombstones:
        return Tombstones(layout.contained(self.root, f"{layout.folder_of(scope)}/{layout.FORGOTTEN}"))

    def _write(self, memory: Memory, before: Memory | None, text: str | None = None) -> None:
        """Write the memory's file durably, into the text that is there, and tell the index."""
        if before is not None:
            text = self.tree.text(before.path)
        if text is None:
            self._write_new(memory)
        else:
            self._write_text(memory.path, memory_file.update(text, memory, memory.path))

    def _write_new(self, memory: Memory) -> None:
        data = memory_file.create(memory).encode("utf-8")
        self._announce(memory.path)
        status = files.write(layout.contained(self.root, memory.path), data)
        self._tell_index(lambda: self.index.put(memory, stamp_of(status, unsure=True), digest_of(data)), memory.key)

    def _write_text(self, path: str, text: str) -> None:
        """Write the file durably and index what it says, with what a person wrote wrong in it."""
        data = text.encode("utf-8")
        if len(data) > self.tree.most_read:
            hint = "Take old history out of the file in an editor, or store it under a new key with --supersedes."
            raise TooLarge(f"{path} would be too large to be read whole, with its history", hint)
        self._announce(path)
        status = files.write(layout.contained(self.root, path), data)
        memory, problems = memory_file.read(text, self.tree.place(path, status.st_mtime))
        stamp = stamp_of(status, unsure=True)
        self._tell_index(lambda: self.index.put(memory, stamp, digest_of(data), problems), memory.key)

    def _unlink(self, memory: Memory) -> None:
        self._unlink_file(memory.path, memory.key)

    def _unlink_file(self, path: str, key: str) -> None:
        self._announce(path)
        files.remove(layout.contained(self.root, path))
        self._tell_index(lambda: self.index.drop([path]), key)

    def _announce(self, *paths: str) -> None:
        if self.before_change is not None:
            for path in paths:
                self.before_change(path)

    def _tell_index(self, tell: Callable[[], None], key: str) -> None:
        """The file holds already, so trouble with the index is no failure: the next sweep sees the file."""
        try:
            with self.index.begin():
                tell()
        except (StoreUnavailable, sqlite3.Error) as problem:
            self.notes.append(f"{key} is written; the index will catch up ({problem})")

    def _make_home(self) -> None:
        if os.path.isdir(self.root):
            return
        self._make_root()
        self.tree.reopen()
        self.tree.refresh(())

    def _make_root(self) -> None:
        files.make_folder(self.root)
        os.chmod(self.home, files.FOLDER_MODE)

    def _make_scope(self, scope: Scope) -> None:
        folder = f"{layout.folder_of(scope)}/{layout.MEMORIES}"
        if not os.path.isdir(self.tree.full(folder)):
            files.make_folder(os.path.dirname(layout.contained(self.root, f"{folder}/x")))

    def _lock(self, scope: Scope, key: str) -> files.Lock:
        return self.lock(_lock_name(scope, key))

    def _lock_both(self, one: tuple[Scope, str], other: tuple[Scope, str]) -> _Locks:
        return _Locks([self.lock(name) for name in sorted({_lock_name(*one), _lock_name(*other)})])


class _Locks:
    """Several locks, taken in the order given."""

    def __init__(self, locks: list[files.Lock]) -> None:
        self.locks = locks

    def __enter__(self) -> None:
        for lock in self.locks:
            lock.__enter__()

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        for lock in reversed(self.locks):
            lock.__exit__(None, None, None)


def _lock_name(scope: Scope, key: str) -> str:
    """Return one of a fixed number of names, so that locks do not pile up."""
    return f"key-{hashlib.sha256(f'{scope}/{key}'.encode()).digest()[0] % _LOCKS:02d}"
