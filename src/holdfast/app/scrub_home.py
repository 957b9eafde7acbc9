"""Every file of a home, looked at as what it is: where texts stand in it, and how they are taken out.

| kind | how it is looked at | how a text goes |
|---|---|---|
| rows (`.jsonl`, logs, notes of sessions) | as they are | written over in their place: others may add lines meanwhile |
| `.jsonl.zst` | decompressed, line by line | written again, with its time |
| SQLite | every page, used or free, and its log | the store makes the index again; of cursors the rows go |
| any other text | as it is, UTF-16 too | written again, unless it changed meanwhile |
| objects of the sync's own repository | as git reads them | the repository is made again |
| git, links, other bytes | looked for, as far as bytes tell | named in the report, never changed |
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from urllib.parse import quote

from holdfast.base import files, rows
from holdfast.base.clock import now
from holdfast.errors import BrokenFile, Conflict, HoldfastError, NotFound
from holdfast.exchange.sync.depot import OBJECTS, Depot
from holdfast.exchange.sync.merge_base import FOLDER as AGREED
from holdfast.journal.notices import ERASING
from holdfast.memory.audit import is_memory
from holdfast.privacy.erased import FILE as ERASED_FILE
from holdfast.privacy.erased import Erased
from holdfast.privacy.fence import harmless_line
from holdfast.privacy.scrub import ERASED, Scrubber
from holdfast.records import replace
from holdfast.sessions import names as session_names
from holdfast.sessions import raw
from holdfast.store import kinds, memory_file
from holdfast.store.keys import automatic_keys, is_key
from holdfast.workspace import Workspace

ROWS, ZSTD, SQLITE, TEXT, UNKNOWN = "rows", "zstd", "sqlite", "text", "unknown"
# Files that an erase needs until it is done.
PENDING = ERASING
_OWN = (PENDING, ERASED_FILE)
_MARKS = {b"SQLite format 3\0": SQLITE, b"\x28\xb5\x2f\xfd": ZSTD}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_ROWS = (".jsonl", ".log", ".log.1", ".tsv", ".txt", ".forgotten")
_IN_PLACE = ("journal/", "state/")
_SIDE_FILES = ("-wal", "-shm", "-journal")
_BLOCK, _OVERLAP = 1 << 24, 1 << 16
_MAX_HEAD = 1 << 16
# Bytes on either side of a text that a plan shows.
_AROUND = 40
# Folders in which each file is one statement that was or will be decided on.
_RECORDS = ("learning/system/", "learning/algorithm/", "proposals/")
_MIN_TITLE = 3
_WORDS = re.compile(rb'words [^"]+')
# How similar requests are recognized: the stems of a text, sorted.
_STEMS = re.compile(rb'("signature": ?")[^"\\]*(", ?"text": ?"(?:[^"\\]|\\.)*' + ERASED.encode() + rb")")
# Also the line that says what was to be remembered: without it nothing is left of the request.
_EMPTY_ITEM = re.compile(
    rb"[ \t]*[-*] (?:(?:\[.\] )?(?:[0-9:]+ )?\[?%b\]?[.!]?|remember: .*%b.*)\r?\n?" % (ERASED.encode(), ERASED.encode())
)


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A file that holds a text: its path below the home, its kind, and how often; `in_name` where its name does."""

    path: str
    kind: str
    count: int
    in_name: bool = False


@dataclass(slots=True)
class HomeLook:
    """What a look at a whole home found, and what it could not look into."""

    places: list[FoundPlace] = field(default_factory=list)
    not_known: list[tuple[str, str]] = field(default_factory=list)
    files: int = 0
    bytes: int = 0
    # Files that keep the text, because they are the person's own or were written since.
    kept: int = 0

    @property
    def count(self) -> int:
        """How often the texts stand anywhere."""
        return sum(one.count + one.in_name for one in self.places)


class HomeScrub:
    """One home and what is looked for in it; `is_ours` says of a path whether the texts may be taken out of it.

    With `until` only what was there at that time is looked at, and with `within` no row of another project.
    """

    def __init__(
        self,
        workspace: Workspace,
        scrubber: Scrubber,
        noted: Scrubber,
        is_ours: Callable[[str], bool],
        *,
        until: str = "",
        within: str = "",
    ) -> None:
        self.workspace, self.home, self.scrubber = workspace, workspace.home, scrubber
        # What Holdfast noted of a text may be a sentence of it; a person who says that sentence says something else.
        self._noted = noted
        self._is_ours = is_ours
        self._until = until, _changed_at(os.path.join(workspace.home, PENDING))
        self._within = within
        # Sessions whose archived words changed, by agent and id.
        self.changed_sessions: set[str] = set()
        # Memories that were struck through because their statement lost words; by their paths without these words.
        self.ended: list[str] = []
        # The new keys of memories whose own were the first words of a statement that lost some, by their paths.
        self._keys: dict[str, str] = {}

    def look(self) -> HomeLook:
        """Look at every file. Nothing is changed."""
        found = HomeLook()
        every = list(paths_in(self.home))
        for number, path in enumerate(every):
            if self.workspace.progress and number % 50 == 0:
                self.workspace.progress(number, len(every))
            try:
                self._look_at(path, found)
            except (FileNotFoundError, NotFound):
                continue
            except (OSError, HoldfastError) as problem:
                found.not_known.append((self.shown(path), f"it cannot be read: {problem}"))
        found.not_known = sorted(set(found.not_known))
        if found.kept:
            # These files are rebuilt from what stays.
            found.places = [
                one for one in found.places if not (one.path.startswith("index.db") or one.path.endswith("/index.md"))
            ]
        return found

    def around(self, place: FoundPlace) -> str:
        """Return the words around the first match in a file, without the match; empty unless it is plain text."""
        if place.kind not in (ROWS, TEXT, ZSTD):
            return ""
        scrubber = self._for(place.path)
        for data in _blocks(os.path.join(self.home, place.path), place.kind):
            for start, end, _ in scrubber.spans(data, is_json=_is_json(place.path))[:1]:
                before, behind = data[max(0, start - _AROUND) : start], data[end : end + _AROUND]
                pieces = [scrubber.scrubbed(one).decode("utf-8", "ignore") for one in (before, behind)]
                return harmless_line(f"{pieces[0]}[{ERASED}]{pieces[1]}")
        return ""

    def _for(self, path: str) -> Scrubber:
        is_said = path.startswith(("memory/", "index.db")) or path.endswith(".zst")
        return self.scrubber if is_said else self._noted

    def _look_at(self, path: str, found: HomeLook) -> None:
        full = os.path.join(self.home, path)
        scrubber = self._for(path)
        in_name = bool(scrubber.holds(os.fsencode(os.path.basename(path))))
        if os.path.islink(full):
            found.not_known.append((self.shown(path), "a link, which is not followed"))
            return
        if os.path.isdir(full):
            self._look_at_folder(path, found, in_name)
            return
        kind = kind_of(full)
        size = os.stat(full).st_size
        found.files, found.bytes = found.files + 1, found.bytes + size
        if path.startswith(f"{OBJECTS}/"):
            return
        if kind == SQLITE:
            count = self._in_database(full)
        else:
            count = sum(self._count(data, scrubber, path) for data in _blocks(full, kind)) if size else 0
        if kind == UNKNOWN:
            found.not_known.append((self.shown(path), "no kind of file that is known here"))
        if (count or in_name) and self._is_ours(path) and not self.is_newer(path):
            found.places.append(FoundPlace(path, kind, count, in_name))
        elif count or in_name or (self._is_memory(path) and self._noted.holds_key(files.read_if_there(full))):
            # A link to a key stays where a person wrote it, and so it stays in what is made of that memory.
            found.kept += 1

    def _look_at_folder(self, path: str, found: HomeLook, in_name: bool) -> None:
        if os.path.basename(path) == ".git":
            found.not_known.append((self.shown(path), "git history, which is not rewritten"))
        elif path == OBJECTS:
            if count := sum(map(self._for(path).holds, Depot(self.home).every_object())):
                found.places.append(FoundPlace(path, UNKNOWN, count))
        elif in_name and self._is_ours(path):
            found.places.append(FoundPlace(path, "folder", 0, in_name))

    def _count(self, data: bytes, scrubber: Scrubber, path: str) -> int:
        is_json = _is_json(path)
        if not (self._until[0] or self._within) or not path.endswith((".jsonl", ".jsonl.zst")):
            return scrubber.holds(data, is_json=is_json)
        return sum(scrubber.holds(line, is_json=True) for line in data.split(b"\n") if not self._is_exempt(line))

    def _is_exempt(self, line: bytes) -> bool:
        """Whether a row was told after the time that is meant, or is of another project than the one that is."""
        told = rows.object_in(line, len(line)) if self._until[0] or self._within else None
        if told is None:
            return False
        is_later = bool(self._until[0]) and str(told.get("at", ""))[:19] > self._until[0][:19]
        return is_later or (bool(self._within) and told.get("project") not in (None, "", self._within))

    def is_newer(self, path: str) -> bool:
        """Whether a memory was stored after the time that is meant."""
        at, changed = self._until
        if not at or not self._is_memory(path):
            return False
        place = self.workspace.store.tree.place(path.removeprefix("memory/"))
        created = self.workspace.store.get(place.scope, place.key).created[:19]
        return created > at[:19] or (created == at[:19] and _changed_at(os.path.join(self.home, path)) > changed)

    def _in_database(self, full: str) -> int:
        """Return how often the texts occur in a database, its free pages included.

        Full-text search keeps stems of words, so that of another word may look like one. What it has of live rows is
        judged by these.
        """
        data = b"\n".join(_blocks(full, SQLITE))
        spans = self.scrubber.spans(data)
        if not spans or full.endswith(_SIDE_FILES):
            return len(spans)
        blocks = _blocks_of_words(full)
        around = [
            (data[max(0, start - 8) : end + 8], data[start : end + 8], data[max(0, start - 8) : end])
            for start, end, _ in spans
        ]
        return sum(not any(way in block for way in ways for block in blocks) for ways in around)

    def shown(self, path: str) -> str:
        """Return a path as a report may have it: without a word of what is looked for."""
        return os.fsdecode(self._noted.scrubbed(os.fsencode(path)))

    def scrub(self, places: Iterable[FoundPlace]) -> int:
        """Take the texts out of these files, and of their names; return how many changed."""
        # The deepest come first, so that a folder has another name only when all in it was seen to.
        ordered = sorted(places, key=lambda one: -one.path.count("/"))
        changed = 0
        for one in ordered:
            # The next pass reports what somebody changed or removed meanwhile.
            with suppress(FileNotFoundError, NotFound, Conflict):
                # Unknown kinds of files are left alone, and the final check reports them.
                if one.count and one.kind in _SCRUBS:
                    _SCRUBS[one.kind](self, one.path)
                if one.in_name or one.path in self._keys:
                    self._rename(one.path)
                changed += 1
        return changed

    def _rows(self, path: str) -> None:
        is_json, scrubber = _is_json(path), self._for(path)

        def instead(line: bytes) -> bytes | None:
            after = scrubber.scrubbed(line, is_json=is_json)
            if after == line or self._is_exempt(line):
                return None
            if b'"receipt"' in line:
                # Why something was given, in words of the prompt.
                after = _WORDS.sub(b"words " + ERASED.encode(), after)
            # A row that could not be read any more says nothing.
            return (
                b"" if is_json and rows.object_in(line, len(line)) and not rows.object_in(after, len(line)) else after
            )

        rows.write_over(os.path.join(self.home, path), instead)

    def _zstd(self, path: str) -> None:
        raw.rewrite(
            os.path.join(self.home, path),
            lambda line: line if self._is_exempt(line) else self.scrubber.scrubbed(line, is_json=True),
        )
        self._note_session(path)

    def _text(self, path: str) -> None:
        full = os.path.join(self.home, path)
        files.refuse_links(self.home, os.path.dirname(path))
        before = files.read(full)
        status = os.stat(full)
        after = self._for(path).scrubbed(before, is_json=path.endswith(".json"))
        if path.endswith(".json"):
            after = _valid(before, after, self._for(path))
            after = _STEMS.sub(rb"\1" + ERASED.encode() + rb"\2", after) if after != before else after
        if path.endswith(".md"):
            after = _without_empty_items(before, after)
            if path.startswith(_RECORDS) and after != before and _says_nothing(after):
                files.remove(full)
                return
        if self._is_memory(path):
            after = self._ended(path, before, after)
            self.workspace.store.tree.swap(path.removeprefix("memory/"), before, after)
            return
        if files.read(full) != before:
            raise Conflict(f"{path} changed meanwhile", "Try again.")
        files.write(full, after)
        if path.startswith("archive/"):
            # A digest is matched to its raw file by its time.
            os.utime(full, ns=(status.st_atime_ns, status.st_mtime_ns))
            self._note_session(path)

    def _ended(self, path: str, before: bytes, after: bytes) -> bytes:
        """Return a memory's file with marks where words went; a statement that lost some may be false and is struck."""
        place = self.workspace.store.tree.place(path.removeprefix("memory/"))
        try:
            was, memory = (memory_file.read(text.decode("utf-8"), place)[0] for text in (before, after))
            body = self._marked(was.body)
            is_struck = was.holds and kinds.parts(was.body)[0] != kinds.parts(body)[0]
            body = kinds.withdrawn(body, now()[:10]) if is_struck else body
            is_derived = was.title == memory_file.first_words(was.body)
            title = memory_file.first_words(body) if is_derived else self._marked(was.title)
            text = memory_file.update(after.decode("utf-8"), replace(memory, title=title, body=body), path)
        except (BrokenFile, UnicodeDecodeError):
            return after
        statement, key = kinds.parts(was.body)[0], os.path.basename(path).removesuffix(".md")
        made, left = automatic_keys(statement), automatic_keys(self._marked(statement))
        if is_struck and key in made and not self.scrubber.holds(key.encode()) and key not in left:
            key = self._keys[path] = left[0] if left else ERASED
        self.ended += [self.shown(os.path.join(os.path.dirname(path), f"{key}.md"))] * is_struck
        return text.encode()

    def _marked(self, text: str) -> str:
        """Return a text with a sign that no sentence has in place of what is erased."""
        data, last, kept = text.encode(), 0, []
        for start, end, _ in self.scrubber.spans(data):
            kept += [data[last:start], f"[{ERASED}]".encode()]
            last = end
        return _without_empty_items(data, b"".join([*kept, data[last:]])).decode("utf-8", "replace")

    def _is_memory(self, path: str) -> bool:
        return is_memory(path) and self.workspace.store.has_tree

    def _note_session(self, path: str) -> None:
        self.changed_sessions |= {session_at(path)} - {""}

    def _sqlite(self, path: str) -> None:
        """Remove the rows from a database of ours other than the index; they can be derived again."""
        if path.startswith("index.db.damaged"):
            files.remove(os.path.join(self.home, path))
        if path.startswith("index.db") or path.endswith(_SIDE_FILES):
            return
        with closing(sqlite3.connect(os.path.join(self.home, path), timeout=20.0, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete=ON")
            for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                every = db.execute(f'SELECT * FROM "{name}"').fetchall()
                told = [
                    [one if isinstance(one, bytes) else str(one).encode("utf-8", "replace") for one in row]
                    for row in every
                ]
                gone = [row for row, texts in zip(every, told, strict=True) if self.scrubber.holds(b"\n".join(texts))]
                columns = [row[1] for row in db.execute(f'PRAGMA table_info("{name}")')]
                same = " AND ".join([f'"{column}" IS ?' for column in columns])
                db.executemany(f'DELETE FROM "{name}" WHERE {same}', gone)
            db.execute("VACUUM")

    def _rename(self, path: str) -> None:
        folder, name = os.path.split(path)
        wanted = os.fsdecode(self._for(path).scrubbed(os.fsencode(name)))
        if key := self._keys.pop(path, ""):
            # What was made of the first words may have a part of one of them, which no look for words finds.
            wanted = f"{key}.md"
            self.scrubber.add_key(name.removesuffix(".md"))
            self._noted.add_key(name.removesuffix(".md"))
        stem, dot, ending = wanted.rpartition(".") if "." in wanted[1:] else (wanted, "", "")
        number = 1
        while os.path.lexists(os.path.join(self.home, folder, wanted)):
            number += 1
            wanted = f"{stem}-{number}{dot}{ending}"
        # Another machine may have it under the old name still, and so has what was agreed on with it.
        was, new = (one.removeprefix(f"{AGREED}/") for one in (path, os.path.join(folder, wanted)))
        Erased(self.home).add_names({was: new})
        if self._is_memory(path) and is_key(stem) and is_key(name.removesuffix(".md")):
            place = self.workspace.store.tree.place(path.removeprefix("memory/"))
            self.workspace.store.move(place.scope, place.key, place.scope, wanted.removesuffix(".md"))
            return
        os.rename(os.path.join(self.home, path), os.path.join(self.home, folder, wanted))
        files.sync_folder(os.path.join(self.home, folder))


_SCRUBS: dict[str, Callable[[HomeScrub, str], None]] = {
    ROWS: HomeScrub._rows,
    ZSTD: HomeScrub._zstd,
    TEXT: HomeScrub._text,
    SQLITE: HomeScrub._sqlite,
}


def session_at(path: str) -> str:
    """Return the session that a file of the archive is of, or nothing."""
    *_, folder, name = path.split("/")
    stem = name.removesuffix(".json").removesuffix(".jsonl.zst").removesuffix(".earlier")
    agent, id = session_names.text_of(folder), session_names.text_of(stem)
    return f"{agent}/{id}" if agent and id is not None else ""


def paths_in(home: str) -> Iterator[str]:
    """Yield every file, link and folder of a home, below it; what an erase keeps for itself is left out."""
    for here, folders, names in os.walk(home):
        inner = os.path.relpath(here, home) if here != home else ""
        for name in [*sorted(folders), *sorted(names)]:
            path = os.path.join(inner, name) if inner else name
            if path not in _OWN:
                yield path
        folders[:] = [name for name in folders if name != ".git"]


def _changed_at(path: str) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _blocks_of_words(path: str) -> list[bytes]:
    """Return what full-text search keeps of the words of live rows; nothing where the file cannot be read."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as db:
        made = db.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%fts5(%'").fetchall()
        return [block for (name,) in made for (block,) in db.execute(f'SELECT block FROM "{name}_data"')]
    return []


def kind_of(path: str) -> str:
    """Return what a file is, by its first bytes and its name."""
    head = files.read_head(path, _MAX_HEAD, follow=False)
    for mark, kind in _MARKS.items():
        if head.startswith(mark):
            return UNKNOWN if kind == ZSTD and not path.endswith(".jsonl.zst") else kind
    if path.endswith(_SIDE_FILES):
        return SQLITE
    if b"\0" in head and not head.startswith(_WIDE):
        return UNKNOWN
    inner = f"/{path}"
    is_kept_open = any(f"/{part}" in inner for part in _IN_PLACE) and not path.endswith((".md", ".json"))
    return ROWS if path.endswith(_ROWS) or is_kept_open else TEXT


def _blocks(path: str, kind: str) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks; what stands across the end of one is whole in the next."""
    if kind == ZSTD:
        lines, size = [], 0
        for line in raw.lines_of(path):
            lines.append(line)
            size += len(line)
            if size > _BLOCK // 4:
                yield b"".join(lines)
                lines, size = [], 0
        yield b"".join(lines)
        return
    with open(files.open_plain(path), "rb") as file:
        data = file.read(_BLOCK)
        while True:
            yield data
            more = file.read(_BLOCK)
            if not more:
                return
            data = data[-_OVERLAP:] + more


def _is_json(path: str) -> bool:
    return path.endswith((".json", ".jsonl", ".jsonl.zst"))


def _without_empty_items(before: bytes, after: bytes) -> bytes:
    """Return a page without the items of lists of which nothing was left."""
    was, now = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(was) != len(now):
        return after
    return b"".join([new for old, new in zip(was, now, strict=True) if old == new or not _EMPTY_ITEM.fullmatch(new)])


def _says_nothing(page: bytes) -> bool:
    """Whether of the title of a record, which is what it states, nothing is left worth a decision."""
    title = next((line for line in page.split(b"\n") if line.startswith(b"# ")), b"")
    return ERASED.encode() in title and len(re.findall(rb"\w+", title.replace(ERASED.encode(), b""))) < _MIN_TITLE


def _valid(before: bytes, after: bytes, scrubber: Scrubber) -> bytes:
    """Return JSON that can be read where it could before: else each of its texts is cleaned on its own."""

    def clean(value: object) -> object:
        if isinstance(value, str):
            return scrubber.scrubbed(value.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
        if isinstance(value, list):
            return [clean(each) for each in value]
        if isinstance(value, dict):
            return {str(clean(name)): clean(each) for name, each in value.items()}
        return value

    with suppress(ValueError, RecursionError):
        told = json.loads(before)
        try:
            json.loads(after)
        except ValueError:
            return json.dumps(clean(told), ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n"
    return after
