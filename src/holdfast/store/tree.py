"""The tree of memory files, and the index that follows it.

People edit files. Before each read the folders of the scopes in question are swept: every file whose change time is not
older than the newest that is settled there is compared with the index and, if it differs, read again; a count that does
not agree makes the whole folder be compared. Of a folder with very many files only some are looked at, unless
everything is swept (`_glance` says what is seen at once even so). Nothing else is read that did not change, but for
this: the change time of a file cannot tell two changes within one tick of the clock, so a file that was read or written
within a tick of its last change is looked at once more by a later sweep. An index that is missing or damaged is filled
from the files, with a note that says so; where it cannot be written, a copy in memory takes its place.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from typing import TYPE_CHECKING, NamedTuple

from holdfast.base import files
from holdfast.base.clock import Deadline, iso
from holdfast.base.files import file_digest
from holdfast.base.text import count
from holdfast.errors import Conflict, HoldfastError, NotFound, StoreBusy, StoreUnavailable
from holdfast.records import Memory, Problem, Refreshed, Scope, replace
from holdfast.store import layout, memory_file
from holdfast.store.database import MEMORY, Index
from holdfast.store.index import Stamp, is_damage, stamp_of, unavailable
from holdfast.store.keys import key_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from holdfast.store.base import Progress
    from holdfast.store.watch import Watch

    Answer = TypeVar("Answer")

CLOCK_TICK_NS = 50_000_000
BATCH = 1000
# A folder of more files is not looked through file by file before every read; of one that is not, so many are.
MAX_LOOKED, LOOKED_AT_ONCE = 4_000, 2_000
_TRY_AGAIN_SECONDS = 5.0


class Read(NamedTuple):
    """One file as it was read: what it says, what is wrong with it, its stamp and the digest of its bytes."""

    memory: Memory
    problems: tuple[Problem, ...]
    stamp: Stamp
    digest: bytes


class Tree:
    """The memory files of one home with their index. `largest` bounds what is read of a file."""

    def __init__(self, home: str, largest: int) -> None:
        self.home = home
        self.root = os.path.join(home, "memory")
        self.most_read = largest * 16
        self.notes: list[str] = []
        self._try_again = 0.0
        self._swept: set[Scope] = set()
        self._watch: Watch | None = None
        self._watched: dict[Scope, list[str]] = {}
        self.index = self._open_index()

    def close(self) -> None:
        """Give back the index and stop watching."""
        self.index.close()
        if self._watch is not None:
            self._watch.close()

    def ask(self, question: Callable[[Index], Answer]) -> Answer:
        """Return what the index answers; one that is damaged or cannot be reached is replaced and filled first."""
        try:
            return question(self.index)
        except (sqlite3.DatabaseError, StoreUnavailable) as problem:
            self._recover(problem)
        self.refresh()
        return self._sturdy(lambda: question(self.index))

    def _sturdy(self, act: Callable[[], Answer]) -> Answer:
        """Do what needs the index; where the index fails, do it once more with another one."""
        try:
            return act()
        except (sqlite3.DatabaseError, StoreUnavailable) as problem:
            self._recover(problem)
        try:
            return act()
        except sqlite3.Error as problem:
            raise unavailable(problem, self.index.path) from problem

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Refreshed:
        """See what people changed in the files of these scopes, or of all."""
        before, anew = self.index, self.index.fresh
        time_to_try_again = before.in_memory and time.monotonic() >= self._try_again and os.path.isdir(self.home)
        if before.was_replaced() or time_to_try_again:
            self.reopen()
        wanted = None if scopes is None else list(scopes)
        found = self._sturdy(lambda: self._refresh(wanted, progress))
        return replace(found, anew=anew or self.index is not before)

    def reopen(self) -> None:
        """Open the index again, as it is now."""
        self._watched.clear()
        self.index.close()
        self.index = self._open_index()

    def _refresh(self, scopes: list[Scope] | None, progress: Progress | None) -> Refreshed:
        if self.index.fresh:
            return self._fill(progress)
        known = self.index.folders()
        found = Refreshed()
        for scope in list(layout.scopes_on_disk(self.root)) if scopes is None else scopes:
            found += self._sweep_scope(scope, known, whole=scopes is None)
        if scopes is not None:
            return found
        gone = [f for f in known if not os.path.isdir(self.full(f)) or files.link_on_the_way(self.root, f)]
        return found + self._lose(gone)

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """Read every file again into the index; recall goes on meanwhile."""
        if self.index.was_replaced():
            self.reopen()
        with self._filling():
            return self._sturdy(lambda: self._fill_locked(progress))

    def _filling(self) -> files.Lock:
        files.make_folder(os.path.join(self.home, "state", "locks"))
        return files.Lock(os.path.join(self.home, "state", "locks", "index.lock"), seconds=600)

    def _open_index(self, damaged: int = 0) -> Index:
        if not os.path.isdir(self.home):
            return Index(MEMORY)
        path = os.path.join(self.home, "index.db")
        try:
            return Index(path, damaged)
        except (StoreUnavailable, OSError, sqlite3.Error):
            self._try_again = time.monotonic() + _TRY_AGAIN_SECONDS
            return Index(MEMORY) if Deadline.is_set() else _copy_in_memory(path)

    def _recover(self, problem: sqlite3.DatabaseError | StoreUnavailable) -> None:
        """Replace an index that is damaged; one that cannot be read or written gives way to a copy in memory."""
        damaged = isinstance(problem, sqlite3.Error) and is_damage(problem)
        if self.index.in_memory and not damaged:
            raise problem
        if Deadline.is_set() and isinstance(problem, StoreBusy):
            # A copy takes longer than a hook has; the file of a memory holds without the index.
            raise problem
        path, inode = self.index.path, self.index.inode
        self._watched.clear()
        self.index.close()
        if damaged:
            self.index = Index(MEMORY) if path == MEMORY else self._open_index(inode)
        else:
            self._try_again = time.monotonic() + _TRY_AGAIN_SECONDS
            self.index = _copy_in_memory(path)

    def _fill(self, progress: Progress | None) -> Refreshed:
        why = self.index.why_fresh
        if self.index.in_memory:
            return self._fill_locked(progress)
        with self._filling():
            done_meanwhile = self.index.db.execute("SELECT 1 FROM meta WHERE name = 'complete'").fetchone()
            if done_meanwhile:
                self.index.why_fresh = ""
                return Refreshed()
            swept = self._fill_locked(progress)
        if swept.read:
            self.notes.append(f"index.db was rebuilt from {count(swept.read, 'file')}: {why}")
        return swept

    def _fill_locked(self, progress: Progress | None) -> Refreshed:
        started = time.time_ns()
        scopes = list(layout.scopes_on_disk(self.root))
        folders = [folder for scope in scopes for folder in layout.memory_folders(self.root, scope)]
        listed = {folder: self._look(folder, -1)[1] for folder in folders}
        total = sum(len(statuses) for statuses in listed.values())
        done = 0
        for folder, statuses in listed.items():
            for batch in _batches(statuses):
                self._read_into_index(batch)
                done += len(batch)
                if progress:
                    progress(done, total)
            self._see(folder, -1, statuses.values(), started)
        rows = self.index.db.execute("SELECT path, folder FROM memory").fetchall()
        gone = self._drop([path for path, folder in rows if path not in listed.get(folder, ())])
        self.index.finished()
        return gone + Refreshed(done)

    def _drop(self, paths: list[str]) -> Refreshed:
        """Take files that are gone out of the index."""
        if paths:
            with self.index.begin():
                self.index.drop(paths)
        return Refreshed(gone=len(paths))

    def _sweep_scope(self, scope: Scope, known: dict[str, int], *, whole: bool) -> Refreshed:
        told = self._told(scope)
        if told is not None:
            return self.follow(told)
        watched = self._start_watching(scope)
        found, folders = Refreshed(), list[str]()
        waiting = layout.first_folders(self.root, scope)
        while waiting:
            folder = waiting.pop()
            folders.append(folder)
            some, inside = self._sweep_folder(folder, known, whole=whole)
            found += some
            if not layout.is_scope_folder(folder):
                waiting += [f"{folder}/{name}" for name in inside]
        if watched and sorted(watched) == sorted(folders):
            self._watched[scope] = folders
        base = layout.folder_of(scope)
        here = [f for f in known if f == base or f.startswith(base + "/")]
        return found + self._lose([folder for folder in here if folder not in folders])

    def _start_watching(self, scope: Scope) -> list[str]:
        """Watch the folders before they are swept, in a process that looks more than once; return them, or none."""
        if scope not in self._swept:
            self._swept.add(scope)
            return []
        if self._watch is None:
            # This loads ctypes, which a command that looks only once need not pay for.
            from holdfast.store.watch import Watch

            self._watch = Watch()
        folders = list(layout.memory_folders(self.root, scope))
        return folders if all(self._watch.add(self.full(folder)) for folder in folders) else []

    def _told(self, scope: Scope) -> list[str] | None:
        """Return the memory files that were touched since the last look, or None where the folders must be swept."""
        if self._watch is None or scope not in self._watched:
            return None
        paths: list[str] = []
        for folder in self._watched[scope]:
            names = self._watch.touched(self.full(folder))
            if names is None or any(not name.startswith(".") and not name.endswith(".md") for name in names):
                # The folder went, reports were lost, or a new folder may be among the names.
                del self._watched[scope]
                return None
            in_scope_folder = layout.is_scope_folder(folder)
            memories = [name for name in names if layout.is_memory_file(name, in_scope_folder=in_scope_folder)]
            paths += [f"{folder}/{name}" for name in memories if layout.is_text(name)]
        return paths

    def follow(self, paths: Iterable[str]) -> Refreshed:
        """Bring the index up to date with the files at these paths."""
        there, gone = dict[str, os.stat_result](), []
        for path in paths:
            try:
                status = os.lstat(self.full(path))
            except OSError:
                status = None
            if status is not None and stat.S_ISREG(status.st_mode):
                there[path] = status
            elif self.index.stamp(path) is not None:
                gone.append(path)
        return self._drop(gone) + self._follow(there)

    def recheck(self, paths: Iterable[str]) -> Refreshed:
        """Bring the index up to date with those of these files that changed."""
        return self.follow([*self._changed(self.index.files_at(paths))])

    def _lose(self, folders: list[str]) -> Refreshed:
        gone = 0
        for folder in folders:
            gone += self.index.count(folder)
            with self.index.begin():
                self.index.lose(folder)
        return Refreshed(gone=gone)

    def _sweep_folder(self, folder: str, known: dict[str, int], *, whole: bool) -> tuple[Refreshed, list[str]]:
        """Bring the index up to date with one folder; return what that found, and the names of folders in it."""
        count = self.index.count(folder)
        if count > MAX_LOOKED and not whole:
            return self._glance(folder)
        started, seen_ns = time.time_ns(), known.get(folder, -1)
        # A mark in the future means that the clock was set back: it would hide every change until then.
        total, recent, inside = self._look(folder, seen_ns if seen_ns <= started else -1)
        found = self._follow(recent)
        if total != (self.index.count(folder) if recent else count):
            found += self._compare(folder)[0]
        self._see(folder, seen_ns, recent.values(), started)
        return found, inside

    def _glance(self, folder: str) -> tuple[Refreshed, list[str]]:
        """Sweep a folder of very many files without looking at each of them.

        Its own time says whether a file came, went, got another name or was replaced, as most editors do; the names are
        compared only then. What was written in place is found as some of the files are looked at, other ones each time.
        """
        started, changed = time.time_ns(), files.written_at(self.full(folder))
        listed, cursor, inside = self.index.glanced(folder)
        found = Refreshed()
        if changed != listed:
            found, inside = self._compare(folder)
            listed = changed if changed < started - CLOCK_TICK_NS else 0
        some = self.index.some_stamps(folder, cursor, LOOKED_AT_ONCE)
        cursor = some[-1][0] if len(some) == LOOKED_AT_ONCE else 0
        found += self.follow(dict.fromkeys((*self._changed(some), *self.index.unsure(folder))))
        with self.index.begin():
            self.index.note_glance(folder, listed, cursor, inside)
        return found, inside

    def _changed(self, stamps: Iterable[tuple[int, str, int, int, int]]) -> Iterator[str]:
        """Yield the paths of those files that are not as the index has them."""
        root = self.full("")
        for _, path, ctime_ns, size, inode in stamps:
            try:
                status = os.lstat(root + path)
            except OSError:
                yield path
                continue
            if status.st_ctime_ns != ctime_ns or status.st_ino != inode or status.st_size != size:
                yield path

    def _follow(self, statuses: dict[str, os.stat_result]) -> Refreshed:
        """Bring the index up to date with these files."""
        changed, unsure = dict[str, os.stat_result](), []
        for path, status in statuses.items():
            known = self.index.stamp(path)
            if known is None or not known.agrees(status) or (known.unsure and self._reads_differently(path)):
                changed[path] = status
            elif known.unsure:
                unsure.append((path, status))
        for batch in _batches(changed):
            self._read_into_index(batch)
        settled = [path for path, status in unsure if not _is_recent(status)]
        if settled:
            with self.index.begin():
                self.index.settle(settled)
        return Refreshed(read=len(changed), again=len(unsure))

    def _reads_differently(self, path: str) -> bool:
        try:
            return file_digest(files.read(self.full(path), self.most_read + 1)) != self.index.digest(path)
        except HoldfastError:
            return True

    def _compare(self, folder: str) -> tuple[Refreshed, list[str]]:
        """Compare the names in the folder with the index: what is gone, new or replaced; and the folders in it."""
        entries, inside = self._entries(folder)
        there = {f"{folder}/{entry.name}": entry.inode() for entry in entries if entry.is_file(follow_symlinks=False)}
        known = self.index.inodes(folder)
        gone = self._drop([path for path in known if path not in there])
        return gone + self.follow([path for path, inode in there.items() if known.get(path) != inode]), inside

    def _see(self, folder: str, seen_ns: int, statuses: Iterable[os.stat_result], started: int) -> None:
        """Move the mark up to which the folder is settled.

        Never past the start of the sweep: a file may have changed after the sweep had passed it, and its change time
        must not be older than the mark.
        """
        newest = max((status.st_ctime_ns for status in statuses), default=-1)
        mark = min(newest, started - CLOCK_TICK_NS)
        if mark > seen_ns or seen_ns > started:
            with self.index.begin():
                self.index.see(folder, mark)

    def _look(self, folder: str, seen_ns: int) -> tuple[int, dict[str, os.stat_result], list[str]]:
        """Return how many memory files the folder has, the stat of those changed since, and the folders in it."""
        total = 0
        recent: dict[str, os.stat_result] = {}
        entries, inside = self._entries(folder)
        for entry in entries:
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if stat.S_ISREG(status.st_mode):
                total += 1
                if status.st_ctime_ns >= seen_ns:
                    recent[f"{folder}/{entry.name}"] = status
        return total, recent, inside

    def _entries(self, folder: str) -> tuple[list[os.DirEntry[str]], list[str]]:
        """Return what in the folder is a memory by its name, and the names of folders; none where it just went."""
        reserved = layout.RESERVED if layout.is_scope_folder(folder) else (layout.INDEX,)
        found, others = list[os.DirEntry[str]](), list[os.DirEntry[str]]()
        try:
            with os.scandir(self.full(folder)) as entries:
                for entry in entries:
                    name = entry.name
                    # Nearly all are plain memories, and there may be very many.
                    is_memory = name.endswith(".md") and name[0] != "." and name.isascii() and name not in reserved
                    (found if is_memory else others).append(entry)
        except (FileNotFoundError, NotADirectoryError):
            return [], []
        except OSError as problem:
            raise files.unavailable(problem, self.full(folder)) from problem
        inside = [one.name for one in (*others, *found) if one.is_dir(follow_symlinks=False) and one.name[0] != "."]
        for entry in others:
            if entry.name.startswith(files.TEMPORARY) and files.is_of_dead(entry.path):
                files.discard(entry.path)
            elif entry.name not in reserved and layout.is_memory_file(entry.name) and layout.is_text(entry.name):
                found.append(entry)
        return found, [name for name in inside if layout.is_text(name)]

    def _read_into_index(self, statuses: dict[str, os.stat_result]) -> None:
        """Read these files. One that went meanwhile, or cannot be read, does not stop the others."""
        if Deadline.is_over():
            raise StoreBusy("there was no time to read all files into the index", "Run `holdfast reindex`.")
        read: dict[str, Read | list[Problem]] = {}
        for path, status in statuses.items():
            try:
                read[path] = self.read(path, status)
            except NotFound:
                read[path] = []
            except HoldfastError as problem:
                read[path] = [Problem("unreadable", path, str(problem), problem.hint, 0, "error")]
        with self.index.begin():
            for path, found in read.items():
                if isinstance(found, Read):
                    self.index.put(found.memory, found.stamp, found.digest, found.problems)
                else:
                    self.index.drop([path])
                    self.index.put_problems(found)

    def read(self, path: str, status: os.stat_result | None = None) -> Read:
        """Read one memory file, never through a link."""
        # A sweep that brings the status has made sure of the folder already.
        full = layout.contained(self.root, path) if status is None else self.full(path)
        if status is None:
            try:
                status = os.lstat(full)
            except OSError:
                raise NotFound(f"{path} does not exist") from None
        data = files.read(full, self.most_read + 1)
        text, problems = memory_file.decode(_cut(data, self.most_read), path)
        if len(data) > self.most_read:
            hint = "Keep long material under data/ and store a short memory that points to it."
            what = f"only the first {self.most_read} bytes are read"
            problems = (*problems, Problem("too-large", path, what, hint))
        memory, more = memory_file.read(text, self.place(path, status.st_mtime))
        return Read(memory, (*problems, *more), stamp_of(status, unsure=_is_recent(status)), file_digest(data))

    def place(self, path: str, changed: float = 0.0) -> memory_file.FilePlace:
        """Return what the path tells about the file at it."""
        scope = layout.scope_of(path)
        if scope is None:
            raise NotFound(f"{path} is in no scope", "Move it below global/, projects/, sessions/ or agents/.")
        return memory_file.FilePlace(path, scope, key_of_file(os.path.basename(path)), iso(changed))

    def text(self, path: str) -> str:
        """Return the whole text of the file, to be changed and written again."""
        data = files.read(layout.contained(self.root, path), self.most_read + 1)
        if len(data) > self.most_read:
            raise Conflict(f"{path} is too large to be rewritten", "Shorten it in an editor, or keep it under data/.")
        text, problems = memory_file.decode(data, path)
        if problems:
            raise Conflict(f"{path} is not UTF-8", problems[0].hint)
        return text

    def full(self, path: str) -> str:
        """Return where a path of the tree stands."""
        return os.path.join(self.root, path)


def _copy_in_memory(path: str) -> Index:
    """Return a copy in memory of an index that cannot be written, or an empty one, so that reading goes on."""
    index = Index(MEMORY)
    if not os.path.exists(path):
        return index
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    # A write-ahead log can be read only where its side files can be made; without it the copy is older, not wrong.
    for how in ("mode=ro", "immutable=1"):
        try:
            index.copy_from(f"file:{quoted}?{how}")
            return index
        except sqlite3.Error:
            index.close()
            index = Index(MEMORY)
    return index


def _is_recent(status: os.stat_result) -> bool:
    """Whether the file may change again without a new change time."""
    return time.time_ns() - status.st_ctime_ns < CLOCK_TICK_NS


def _cut(data: bytes, most: int) -> bytes:
    """Return at most so many bytes, without half a character at the end."""
    if len(data) <= most:
        return data
    while most and data[most] & 0xC0 == 0x80:
        most -= 1
    return data[:most]


def _batches(statuses: dict[str, os.stat_result]) -> Iterator[dict[str, os.stat_result]]:
    items = list(statuses.items())
    for start in range(0, len(items), BATCH):
        yield dict(items[start : start + BATCH])
