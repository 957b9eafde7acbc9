"""Tables on a project's pages that show memories: `decisions.md`, `lessons.md`, the rules and values of `MEMORY.md`.

A table stands in a marked region and has a row for each memory of its type, which the row names by its id. `sync` makes
both agree. A row that a person added or changed is adopted: it becomes a memory, or what its memory says, and the
earlier statement is its history. A row that a person struck through withdraws its memory. Every other row is written as
the memories have it; columns of the person's own, and every byte outside of the region, stay.

A row that was removed comes back; `holdfast decide withdraw` and `holdfast forget` say that it is to go. Which rows a
person changed is told by `state/views/`, where the rows stand as they were last written. Without it a row that says
what its memory said before is an old row of ours. What an agent's tool wrote is the agent's (`store/last_look.py`).

A page of an earlier version has its table without a region. With the next `sync` its rows become memories in one act
that can be undone, and the region stands around the table. A table whose act was undone is left alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import is_day, now
from holdfast.base.text import DOTS, cut, hash_of
from holdfast.continuity import page, pages, region
from holdfast.continuity.check_boxes import IMPORTED, attributed, unattributed
from holdfast.continuity.note_tables import REPLACED, Columns, Note, Table
from holdfast.errors import BrokenFile, HoldfastError
from holdfast.journal.updates import Updates, undone
from holdfast.memory import audit
from holdfast.memory.proposal_files import same
from holdfast.memory.remember import put
from holdfast.privacy.fence import harmless_line
from holdfast.privacy.scrub import ERASED
from holdfast.records import Draft, Filter, Memory, Scope, Step, replace
from holdfast.store import kinds, last_look, layout
from holdfast.store.keys import MAX_LENGTH, automatic_key, is_key
from holdfast.workspace import Workspace

COMMAND = "adopt"
MAX_CELL = 1_000
ADOPTS, CHANGES = ACTS = ("adopt", "adopt into")
_WAIT_SECONDS = 20.0
# Sources that say by which way a memory came, and not where it comes from; and who it was by where nobody is named.
_WAYS_IN = ("", "cli", "mcp", "hook", "api", "learning", "patterns", "lessons.md")
_BY_HAND = "person"
# What the page MEMORY.md called its decisions.
_OLD_SECTION = "Decisions"
_SHOWN = ("text", "because", "done", "ended", "replaced_by")


@dataclass(frozen=True, slots=True)
class MemoryView:
    """One table: its page and region, the type of its memories, its columns, and what stands above it."""

    page: str
    region: str
    type: str
    columns: Columns
    title: str
    heading: str = ""
    # Whether the page is made where it is missing.
    makes: bool = False


DECISIONS = MemoryView(
    "decisions.md", "decisions", "decision", pages.COLUMNS[pages.DECISION], "# Decisions", makes=True
)
LESSONS = MemoryView("lessons.md", "lessons", "lesson", pages.COLUMNS[pages.LESSON], "# Lessons", makes=True)
_PAGE = "# Memory of this project"
VIEWS = (
    DECISIONS,
    LESSONS,
    MemoryView("MEMORY.md", "rules", "feedback", Columns("", "Rule", "Why"), _PAGE, "## Rules"),
    MemoryView("MEMORY.md", "values", "reference", Columns("", "Value", "Why"), _PAGE, "## Values"),
)


def number_of(view: MemoryView, key: str) -> int:
    """Return the number in the key of a memory that was numbered, or 0."""
    number = key.partition("-")[0][1:]
    has = view.columns.letter and key[:1] == view.columns.letter.lower() and number.isdecimal() and len(number) < 9
    return int(number) if has else 0


def number_in(view: MemoryView, memory: Memory) -> int:
    """Return the number of a memory: that in its key, or a tag that an earlier row had as its id; none of an import."""
    names = (memory.key, *(f"{tag.casefold()}-" for tag in memory.tags)) if memory.trust != "import" else ()
    return next((number for name in names if (number := number_of(view, name))), 0)


def next_key(view: MemoryView, every: Iterable[Memory], text: str) -> str:
    """Return the key of the next memory of a view that numbers them: one more than the highest that is there."""
    number = max((number_in(view, one) for one in every), default=0) + 1
    return f"{view.columns.letter.lower()}{number}-{automatic_key(text)}"[:MAX_LENGTH].rstrip("-")


def memories(workspace: Workspace, view: MemoryView, scopes: Sequence[Scope]) -> list[Memory]:
    """Return the memories of a view, those that hold no longer among them: by number, the person's first, by age."""
    workspace.refresh(tuple(scope for scope in scopes if workspace.seen.isdisjoint((scope, None))))
    found = [memory for scope in scopes for memory in workspace.store.find(Filter((scope,), (view.type,)))]
    return sorted(found, key=lambda one: (number_in(view, one) or 10**9, one.trust != "user", one.created, one.key))


def noted(workspace: Workspace, view: MemoryView, scopes: Sequence[Scope]) -> list[tuple[Note, Memory]]:
    """Return the memories of a view as its rows tell them."""
    every = memories(workspace, view, scopes)
    names = _names(view, every)
    by_place = {(one.scope, one.key): one for one in every}
    found = []
    for number, one in enumerate(every, 1):
        statement, why, _ = kinds.parts(one.body)
        said, is_struck, ended = kinds.unstruck(statement)
        newer = workspace.store.superseded_by(one.scope, one.key)
        by = by_place.get((one.scope, newer))
        is_replaced = ended.startswith(REPLACED) and not newer
        by_agent = (one.agent or "unknown") if one.trust == "agent" else ""
        shown = unattributed(harmless_line(said)) + IMPORTED if one.trust == "import" else harmless_line(said)
        source = one.source if one.source not in _WAYS_IN else one.agent.removeprefix(_BY_HAND)
        note = Note(
            number,
            names[one.scope, one.key],
            # Where there is a column for whoever said it, the text need not say so.
            shown if view.columns.source else attributed(shown, by_agent),
            harmless_line(why),
            harmless_line(source) if view.columns.source else by_agent,
            one.created[:10],
            bool(newer) or is_struck,
            by.created[:10] if by else kinds.day_in(ended),
            names[by.scope, by.key] if by else ended.split(" ")[2] if is_replaced else newer,
            one.key,
            one.scope.kind,
        )
        found.append((note, one))
    return found


def _names(view: MemoryView, every: Sequence[Memory]) -> dict[tuple[Scope, str], str]:
    """Return how each memory is named: by number or key, and with its scope where that reads as another number."""
    found: dict[tuple[Scope, str], str] = {}
    taken: set[str] = set()
    for one in every:
        number = number_in(view, one)
        names = (f"{view.columns.letter}{number}" if number else one.key, one.key, f"{one.scope.kind}/{one.key}")
        name = found[one.scope, one.key] = next((each for each in names if each.casefold() not in taken), names[-1])
        taken.add(name.casefold())
    return found


def listed(workspace: Workspace, view: MemoryView, scopes: Sequence[Scope]) -> list[tuple[Note, Memory | None]]:
    """Return what holds and held in these scopes of projects, rows among it that wait to be adopted."""
    found: list[tuple[Note, Memory | None]] = [*noted(workspace, view, scopes)]
    for folder in _folders(workspace, [scope for scope in scopes if scope.kind == "project"]):
        waiting = _Sync(workspace, folder, view).unadopted()
        edited = {(memory.scope, memory.key): row for row, memory in waiting if memory}
        found = [(edited.get((one.scope, one.key), note) if one else note, one) for note, one in found]
        found += [(row, None) for row, memory in waiting if memory is None]
    found.sort(key=lambda each: number_of(view, f"{each[0].id.casefold()}-") or 10**9)
    return [(replace(note, number=number), one) for number, (note, one) in enumerate(found, 1)]


def _folders(workspace: Workspace, scopes: Sequence[Scope]) -> list[str]:
    root = os.path.join(workspace.home, "memory")
    folders = [layout.folder_of(scope) for scope in scopes]
    return [os.path.join(root, folder) for folder in folders if not files.link_on_the_way(root, folder)]


def rows(folder: str, view: MemoryView) -> list[Note]:
    """Return the rows of the table as the page has them."""
    return _read(os.path.join(folder, view.page), view)[2].notes


def _read(path: str, view: MemoryView) -> tuple[str, bool, Table]:
    """Return the text of the page, whether it has our region, and the table in it, or else anywhere on the page."""
    text = region.read_page(path)
    region.check_writable(path, text)
    inside = region.parts(text, view.region)[1]
    # Only these had a table before there were regions.
    whole = text if view in (DECISIONS, LESSONS) else ""
    table = Table(whole if inside is None else inside, view.columns)
    table.lines.newline = "\r\n" if "\r\n" in text else "\n"
    return text, inside is not None, table


def is_behind(home: str, folder: str) -> bool:
    """Whether a page changed since it was last written here, so that there may be something to adopt."""
    state = _State(home, folder)
    changed = [view for view in VIEWS if state.stamp(view) != state.seen(view)]
    texts = {
        page: files.read_if_there(os.path.join(folder, page), region.MAX_PAGE) for page in {one.page for one in changed}
    }
    return any(region.begin(view.region).encode() in texts[view.page] for view in changed)


def plan(workspace: Workspace) -> list[Step]:
    """Return what would be adopted from the pages of all projects."""
    return [
        step for folder in _every_folder(workspace) for view in VIEWS for step in _Sync(workspace, folder, view).steps()
    ]


def adopt_all(workspace: Workspace) -> None:
    """Adopt what the pages of all projects have, tables of an earlier version among it."""
    sync(workspace, _every_folder(workspace), convert=True)


def sync(workspace: Workspace, folders: Sequence[str], *, convert: bool = False) -> None:
    """Adopt what people wrote into the tables of these folders of projects, and write what memories say now.

    A table of an earlier version is left alone, unless it is to be converted. A page that cannot be used is told.
    """
    for folder in folders:
        read = set(last_look.PAGES)
        for view in VIEWS:
            try:
                _Sync(workspace, folder, view).run(convert=convert)
            except HoldfastError as problem:
                read.discard(view.page)
                workspace.say(f"{view.page} of {os.path.basename(folder)} is not up to date: {problem}")
        for name in read:
            last_look.note_read(workspace.home, os.path.join(folder, name))


def _every_folder(workspace: Workspace) -> list[str]:
    root = os.path.join(workspace.home, "memory", "projects")
    return [path for name in files.names_in(root) if files.is_plain_folder(path := os.path.join(root, name))]


class _State:
    """The rows of a folder's tables as they were last written, and the pages then: `state/views/<project>.json`."""

    def __init__(self, home: str, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(home, "state", "views", f"{os.path.basename(folder)}.json")
        try:
            told = json.loads(files.read_if_there(self.path) or b"{}")
        except ValueError:
            told = {}
        self.told: dict[str, dict[str, object]] = told if isinstance(told, dict) else {}

    def stamp(self, view: MemoryView) -> str:
        """Return what tells this state of the page from others."""
        try:
            found = os.stat(os.path.join(self.folder, view.page), follow_symlinks=False)
        except OSError:
            return ""
        return f"{found.st_mtime_ns} {found.st_size}"

    def seen(self, view: MemoryView) -> str:
        """Return the stamp of the page as it was last written."""
        return str(self.told.get(view.region, {}).get("stamp", ""))

    def rows(self, view: MemoryView) -> dict[str, str]:
        """Return the digest of each row that was last written, by its id."""
        found = self.told.get(view.region, {}).get("rows")
        return {str(name): str(text) for name, text in found.items()} if isinstance(found, dict) else {}

    def keep(self, view: MemoryView, notes: Iterable[Note]) -> None:
        """Note the rows that stand on the page now."""
        rows = {note.id.casefold(): _digest(note) for note in notes}
        self.told[view.region] = {"stamp": self.stamp(view), "rows": rows}
        files.put(self.path, json.dumps(self.told).encode(), durable=False)


def _digest(note: Note) -> str:
    return hash_of(*_cells(note), str(note.done), length=16)


def _cells(note: Note) -> tuple[str, str]:
    return same(unattributed(cut(note.text, MAX_CELL, DOTS))), same(cut(note.because, MAX_CELL, DOTS))


class _Sync:
    """One table and its memories, made to agree."""

    def __init__(self, workspace: Workspace, folder: str, view: MemoryView) -> None:
        self.workspace, self.folder, self.view = workspace, folder, view
        self.path = os.path.join(folder, view.page)
        self.scope = Scope("project", os.path.basename(folder))
        self.state = _State(workspace.home, folder)
        self.agent = last_look.agent_of(workspace.home, self.path)

    def run(self, *, convert: bool) -> None:
        """Adopt, then write; nothing is begun where there is nothing."""
        if not self.view.makes and not os.path.exists(self.path):
            return
        with region.lock_of(self.folder, "views", _WAIT_SECONDS):
            _, has_region, table = _read(self.path, self.view)
            if not convert and not has_region and (table.notes or self._items() or not self.view.makes):
                return
            steps = self._to_adopt(table, has_region=has_region, convert=convert)
            if steps is None:
                return
            # One that was killed may have adopted every row, and not marked the table.
            if steps or (table.notes and not has_region):
                self._adopt(steps)
            every = noted(self.workspace, self.view, (self.scope,))
            if not every and not has_region and not table.notes:
                return
            self._write([note for note, _ in every])

    def unadopted(self) -> list[tuple[Note, Memory | None]]:
        """Return the rows that are not what a memory says, each with its memory if it has one."""
        return self._to_adopt(_read(self.path, self.view)[2], has_region=True) or []

    def steps(self) -> list[Step]:
        """Return what would be adopted."""
        _, has_region, table = _read(self.path, self.view)
        found = self._to_adopt(table, has_region=has_region)
        if found == [] and table.notes and not has_region:
            # One that was killed may have come so far.
            return [Step(ADOPTS, f"{self.scope}/{self.view.page}", "its table shows memories from now on")]
        return [
            Step(CHANGES if memory else ADOPTS, f"{self.scope}/{memory.key if memory else row.id}", row.text)
            for row, memory in found or ()
        ]

    def _to_adopt(
        self, table: Table, *, has_region: bool, convert: bool = True
    ) -> list[tuple[Note, Memory | None]] | None:
        """Return each row that a person wrote, with its memory if it has one; None where the table is left alone."""
        older = [*self._on_the_old_page(), *self._items()] if convert or has_region else []
        if not table.notes and not older:
            return []
        if not has_region and self._was_undone():
            return None
        told = noted(self.workspace, self.view, (self.scope,))
        named = {note.id.casefold(): (note, memory) for note, memory in told}
        named |= {memory.key: (note, memory) for note, memory in told}
        by_cells = {(_cells(note), number_in(self.view, one) > 0): one for note, one in reversed(told)}
        written = self.state.rows(self.view)
        found: list[tuple[Note, Memory | None]] = []
        for row in (*table.notes, *older):
            name = row.id.casefold()
            there, number = named.get(name), number_of(self.view, f"{name}-")
            alike = by_cells.get((_cells(row), False)) or (None if number else by_cells.get((_cells(row), True)))
            if there is None and alike and (number or not name):
                # A memory that says the same is what the row stands for; it gets its number.
                found += [(row, alike)] if number else []
            elif there is None:
                if name not in written and (row.done or not self._is_forgotten(row)):
                    found.append((row, None))
            elif _digest(row) != _digest(there[0]) and self._is_edited(row, *there, written.get(name)):
                found.append((row, there[1]))
        return found

    def _on_the_old_page(self) -> list[Note]:
        """Return the decisions in the table that `MEMORY.md` had in earlier versions."""
        if self.view is not DECISIONS:
            return []
        rows = [one for one in page.entries(region.read_page(self._old_page)) if one.section == _OLD_SECTION]
        read = [(one.cells, kinds.unstruck(one.cells[1])) for one in rows]
        return [Note(0, "", said[0], cells[2], "", cells[0], said[1], kinds.day_in(said[2])) for cells, said in read]

    def _items(self) -> list[Note]:
        """Return the items of a list that a person keeps in place of a table, or beside it."""
        if self.view not in (DECISIONS, LESSONS):
            return []
        return [Note(0, "", harmless_line(text)) for text in pages.listed(region.read_page(self.path), self.view.type)]

    @property
    def _old_page(self) -> str:
        return os.path.join(self.folder, region.PAGE)

    def _is_edited(self, row: Note, note: Note, memory: Memory, written: str | None) -> bool:
        """Whether a person wrote the row, and it is not one of ours that is behind its memory."""
        # What was cut must not take the place of the whole.
        if row.text.endswith(DOTS.strip()) or row.because.endswith(DOTS.strip()):
            return False
        # An erase that was killed took the same words out of a row as out of its memory, and struck the memory alone.
        told = _cells(note)
        if note.done and told != _cells(row) == tuple([text.replace(f"[{ERASED}]", ERASED) for text in told]):
            return False
        if written is not None:
            return _digest(row) != written
        earlier = self.workspace.store.get(memory.scope, memory.key).history
        said = [kinds.parts(one.text) for one in earlier]
        ours = [
            (same(text), same(why), struck) for whole, why, _ in said for text, struck, _ in [kinds.unstruck(whole)]
        ]
        return (*_cells(row), row.done) not in ours

    def _is_forgotten(self, row: Note) -> bool:
        bodies = (row.text, kinds.body_of(unattributed(row.text), row.because))
        return any(self.workspace.store.forgot(self.scope, "", body) for body in bodies)

    def _was_undone(self) -> bool:
        path, every = os.path.relpath(self.path, self.workspace.home), Updates(self.workspace.home).all()[0]
        gone = undone(every)
        acts = [one for one in every if one.command == COMMAND and any(each.path == path for each in one.files)]
        return bool(acts) and all(one.id in gone for one in acts)

    def _adopt(self, steps: list[tuple[Note, Memory | None]]) -> None:
        """Put into memories what the rows say; each row is whole when it is done, so that what is left comes next."""
        with audit.Act(self.workspace, COMMAND) as act:
            for path in {self.path, self._old_page}:
                act.look_at(os.path.relpath(path, self.workspace.home))
            for row, memory in steps:
                try:
                    key = self._put(row, memory).key
                    act.done(f"{self.scope}/{key}", f"from {self.view.page}, where {self.agent or 'a person'} wrote it")
                except HoldfastError as problem:
                    self.workspace.say(f"{self.view.page}: {row.id or row.text[:40]} was not adopted: {problem}")
            _, has_region, table = _read(self.path, self.view)
            if not has_region and table.notes:
                region.write_page(self.path, self._marked(table))
                act.done(os.path.relpath(self.path, self.workspace.home), "its table shows memories from now on")
            if self._on_the_old_page():
                region.write_page(self._old_page, page.without(region.read_page(self._old_page), _OLD_SECTION))
            # Within the act, so that the page is put back whole when that is undone.
            self._write([note for note, _ in noted(self.workspace, self.view, (self.scope,))])
        audit.trim(self.workspace)

    def _put(self, row: Note, memory: Memory | None) -> Memory:
        """Store what a row says, in the words that it has."""
        said = unattributed(row.text)
        if row.done:
            how = f"{REPLACED} {row.replaced_by}" if row.replaced_by else kinds.WITHDRAWN
            said = f"{kinds.STRIKE}{said}{kinds.STRIKE} ({how} {row.ended or now()[:10]})"
        rest = kinds.parts(memory.body)[2] if memory else ""
        draft = Draft(
            text=kinds.body_of(said, row.because, rest),
            scope=self.scope,
            key=memory.key if memory else self._key_of(row),
            type=self.view.type,
            trust="agent" if self.agent else "user",
            source=self.view.page,
            agent=self.agent,
        )
        stored = put(self.workspace, draft).memory
        if memory is not None and number_of(self.view, f"{row.id.casefold()}-") and not number_in(self.view, memory):
            return self.workspace.store.change(self.scope, stored.key, tags=(*stored.tags, row.id))
        if memory is None and is_day(row.at):
            stored = self.workspace.store.change(self.scope, stored.key, created=f"{row.at}T00:00:00Z")
        return stored

    def _key_of(self, row: Note) -> str | None:
        """Return the key that the id of a row asks for; a row of a page without ids gets a usual one."""
        name, number = row.id.casefold(), number_of(self.view, f"{row.id.casefold()}-")
        if not self.view.columns.letter or (not number and is_key(name)):
            return name if is_key(name) else None
        if number:
            return f"{name}-{automatic_key(unattributed(row.text))}"[:MAX_LENGTH].rstrip("-")
        every = memories(self.workspace, self.view, (self.scope,))
        return next_key(self.view, every, row.text) if row.number else None

    def _marked(self, table: Table) -> str:
        """Return a page of an earlier version with our markers around its table."""
        first, end = table.span()
        table.lines.insert(end, [region.end(self.view.region)])
        table.lines.insert(first, [region.begin(self.view.region)])
        return table.lines.text()

    def _write(self, notes: list[Note]) -> None:
        """Write each row as its memory has it."""
        text, has_region, table = _read(self.path, self.view)
        after = self._rendered(text, has_region, table, notes)
        if after != text:
            region.write_page(self.path, after)
        if after != text or self.state.stamp(self.view) != self.state.seen(self.view):
            self.state.keep(self.view, rows(self.folder, self.view))

    def _rendered(self, text: str, has_region: bool, table: Table, notes: list[Note]) -> str:
        if not has_region or not table.is_there:
            if not has_region and Table(text, self.view.columns).lines.open_at:
                raise BrokenFile(f"{self.view.page} ends within code or a comment", "Close it there, then try again.")
            # Another machine's page comes with its heading and an empty region.
            kept = (region.parts(text, self.view.region)[1] or "").strip().splitlines()
            above = [*kept, ""] if kept else [self.view.heading, ""] if self.view.heading and not has_region else []
            text = region.put(text, self.view.region, [*above, *table.columns.head(), ""], f"{self.view.title}\n")
            table = Table(region.parts(text, self.view.region)[1] or "", self.view.columns)
            table.lines.newline = "\r\n" if "\r\n" in text else "\n"
        names = {note.id.casefold() for note in notes}
        for row in reversed(table.notes):
            if row.id.casefold() not in names:
                table.remove(row)
        table = Table(table.lines.text(), self.view.columns)
        there = {row.id.casefold(): row for row in table.notes}
        for note in notes:
            cells = replace(note, text=cut(note.text, MAX_CELL, DOTS), because=cut(note.because, MAX_CELL, DOTS))
            old = there.get(note.id.casefold())
            if old is None:
                table.add(cells, _ended(cells))
            elif any(getattr(old, name) != getattr(cells, name) for name in _SHOWN):
                table.rewrite(old, cells, _ended(cells))
        before, _, behind = region.parts(text, self.view.region)
        return f"{before}{region.begin(self.view.region)}{table.lines.text()}{region.end(self.view.region)}{behind}"


def _ended(note: Note) -> str:
    """Return what stands in brackets behind a row that holds no longer."""
    if not note.done:
        return ""
    how = f"{REPLACED} {note.replaced_by}" if note.replaced_by else kinds.WITHDRAWN
    return f"{how} {note.ended}".strip()
