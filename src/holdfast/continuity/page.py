"""The page of a project, `MEMORY.md`: what is worth knowing after months, in five tables.

Identity: one page for each project. The tables stand in one region between markers; an entry is found again by the cell
that names it. A put changes one line of the region, or adds one, and every other byte of the page stays, also what a
person wrote into the region. Atomic: the page is replaced whole, under a lock of its project. Callers hand in texts
without secrets; they become harmless lines here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.base.marker_lines import lines_of
from holdfast.continuity import region
from holdfast.continuity.check_boxes import Lines, body_of
from holdfast.errors import BrokenFile
from holdfast.privacy.fence import harmless_line

REGION = region.ENTRIES
MAX_CELL = 500
ACTIVE, PAUSED, COMPLETE = "ACTIVE", "PAUSED", "COMPLETE"
OPEN, CLOSED = "open", "closed"
_NEW_PAGE = "# Memory of this project\n"
_WAIT_SECONDS = 20.0
_HEADING = "## "


@dataclass(frozen=True, slots=True)
class Section:
    """One table: its columns, which one names an entry, and which one may change without it being another entry."""

    heading: str
    columns: tuple[str, ...]
    named_by: int = 0
    changes: int = -1
    allowed: tuple[str, ...] = ()


SECTIONS = {
    one.heading: one
    for one in (
        Section("State", ("Topic", "State"), changes=1),
        Section("Workstreams", ("Workstream", "Status", "About"), changes=1, allowed=(ACTIVE, PAUSED, COMPLETE)),
        Section("Decisions", ("Date", "Decision", "Rationale"), named_by=1),
        Section("Key files", ("File", "About")),
        Section("Known gaps", ("Gap", "Status", "Since"), changes=1, allowed=(OPEN, CLOSED)),
    )
}


@dataclass(frozen=True, slots=True)
class PageEntry:
    """One row of the page: the heading of its section, and its cells in the order of the columns."""

    section: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        """What tells this entry from others of its section."""
        return self.cells[SECTIONS[self.section].named_by]

    @property
    def words(self) -> str:
        """The name as it is compared."""
        return region.plain(self.name)

    @property
    def value(self) -> str:
        """What may change of it, or nothing."""
        changes = SECTIONS[self.section].changes
        return self.cells[changes] if changes >= 0 else ""


def made(section: str, *cells: str) -> PageEntry:
    """Return an entry of harmless, bounded cells."""
    return PageEntry(section, tuple(harmless_line(cell, MAX_CELL) for cell in cells))


def text_of(entry: PageEntry) -> str:
    """Return the entry as people read and edit it: a line for each column."""
    told = zip(("Section", *SECTIONS[entry.section].columns), (entry.section, *entry.cells), strict=True)
    return "\n".join(f"{column}: {cell}".rstrip() for column, cell in told)


def read_entry(text: str) -> PageEntry:
    """Return the entry that such lines are; BrokenFile says what is wrong with them."""
    told: dict[str, str] = {}
    for line in filter(str.strip, map(body_of, lines_of(text))):
        column, colon, cell = line.partition(":")
        if not colon or column.strip() in told:
            raise BrokenFile(f"{line[:60]!a} is not a line of an entry", "Write `Column: text`, each column once.")
        told[column.strip()] = cell.strip()
    section = SECTIONS.get(told.pop("Section", ""))
    if section is None:
        raise BrokenFile("the entry names no section of the page", f"Use one of {', '.join(SECTIONS)}.")
    unknown = [column for column in told if column not in section.columns]
    if unknown:
        raise BrokenFile(f"{section.heading} has no column {unknown[0]!a}", f"Use {', '.join(section.columns)}.")
    return checked(made(section.heading, *(told.get(column, "") for column in section.columns)))


def checked(entry: PageEntry) -> PageEntry:
    """Return the entry; BrokenFile where it has no name, or a status that is none."""
    section = SECTIONS[entry.section]
    if not entry.words.strip():
        raise BrokenFile(f"the entry has no {section.columns[section.named_by]}", "Write it, or reject the entry.")
    if section.allowed and entry.value not in section.allowed:
        column = section.columns[section.changes]
        raise BrokenFile(f"{column} is {entry.value[:40]!a}", f"Use one of {', '.join(section.allowed)}.")
    return entry


def identity(entry: PageEntry, *, with_value: bool = True) -> str:
    """Return what stands for the entry in the id of a proposal, with or without what may change of it."""
    told = (entry.name, entry.value) if with_value else (entry.name,)
    return "\n".join(["page", entry.section, *map(region.plain, told)])


def standing(text: str, entry: PageEntry) -> str:
    """Return what a page says of the entry: `known`, `changed` where only its value is another, or `new`.

    A name that a person wrote elsewhere on the page is known, too, unless it is its value that counts.
    """
    before, inside, behind = region.parts(text, REGION)
    row = _PageTables(inside or "").find(entry)
    if row is not None:
        return "known" if region.plain(row.value) == region.plain(entry.value) else "changed"
    is_said = SECTIONS[entry.section].changes < 0 and entry.words in region.plain(f"{before}\n{behind}")
    return "known" if is_said else "new"


def entries(text: str) -> list[PageEntry]:
    """Return all rows of our region."""
    return _PageTables(region.parts(text, REGION)[1] or "").entries


def read(folders: tuple[str, ...]) -> str:
    """Return the text of the page, or of the first older one where it is missing."""
    return region.writable_page(region.PAGE, folders)[1]


def put(folders: tuple[str, ...], entry: PageEntry) -> bool:
    """Put the entry into its section, in the place of the row of its name, and return whether anything changed."""
    with region.lock_of(folders[0], "page", _WAIT_SECONDS):
        path, text = region.writable_page(region.PAGE, folders)
        own = os.path.join(folders[0], region.PAGE)
        after = with_entry(text, entry)
        if after == text and path == own:
            return False
        region.write_page(own, after)
    return True


def with_entry(text: str, entry: PageEntry) -> str:
    """Return the page with the entry in it."""
    before, inside, behind = region.parts(text, REGION)
    if inside is None:
        return region.put(text, REGION, [*_new_section(entry), ""], _NEW_PAGE)
    tables = _PageTables(inside, "\r\n" if "\r\n" in text else "\n")
    tables.put(entry)
    return "".join([before, region.begin(REGION), tables.lines.text(), region.end(REGION), behind])


def without(text: str, section: str) -> str:
    """Return the page without the table of a section, and without its heading where nothing else stands below it."""
    before, inside, behind = region.parts(text, REGION)
    if inside is None:
        return text
    tables = _PageTables(inside)
    tables.drop(section)
    return "".join([before, region.begin(REGION), tables.lines.text(), region.end(REGION), behind])


class _PageTables:
    """The tables in the region, each found by its heading and the names of its columns."""

    def __init__(self, inside: str, newline: str = "\n") -> None:
        self.lines = Lines(inside)
        self.lines.newline = newline
        self.entries: list[PageEntry] = []
        self._rows: list[int] = []
        # For each section: the order of its columns, and the line behind its last row.
        self._tables: dict[str, tuple[list[str], int]] = {}
        # For each section: the line behind its last line that says anything.
        self._ends: dict[str, int] = {}
        heading = ""
        for place, line in enumerate(self.lines.every):
            if line.startswith(_HEADING) and not self.lines.hidden[place]:
                heading = line[len(_HEADING) :].strip()
            if heading in SECTIONS and body_of(line).strip():
                self._ends[heading] = place + 1
                self._read_line(SECTIONS[heading], place, body_of(line).strip())

    def _read_line(self, section: Section, place: int, line: str) -> None:
        if not line.startswith("|") or self.lines.hidden[place]:
            return
        cells = [_said(cell.strip()) for cell in _written_cells(line)]
        columns, end = self._tables.get(section.heading, ([], 0))
        if end != place:
            names = [cell.strip("*_ ") for cell in cells]
            if set(section.columns) <= set(names):
                self._tables[section.heading] = names, place + 1
            return
        self._tables[section.heading] = columns, place + 1
        if any(cell.strip("-:") for cell in cells):
            places = [columns.index(name) for name in section.columns]
            told = tuple(cells[place] if place < len(cells) else "" for place in places)
            self.entries.append(PageEntry(section.heading, told))
            self._rows.append(place)

    def find(self, entry: PageEntry) -> PageEntry | None:
        """Return the row of that name."""
        rows = [row for row in self.entries if row.section == entry.section]
        return next((row for row in rows if row.words == entry.words), None)

    def put(self, entry: PageEntry) -> None:
        """Write the entry over the row of its name, or behind the last row of its table."""
        section = SECTIONS[entry.section]
        if entry.section not in self._tables:
            self._add_table(entry)
            return
        columns, end = self._tables[entry.section]
        told = {columns.index(name): cell for name, cell in zip(section.columns, entry.cells, strict=True)}
        row = self.find(entry)
        if row is None:
            self.lines.insert(end, [_row([told.get(place, "") for place in range(len(columns))])])
            return
        at = self._rows[self.entries.index(row)]
        line = body_of(self.lines.every[at])
        self.lines.every[at] = _with_cells(line, told) + self.lines.every[at][len(line) :]

    def drop(self, section: str) -> None:
        """Take the table of a section out."""
        if section not in self._tables:
            return
        end = self._tables[section][1]
        start = end - 2 - sum(row.section == section for row in self.entries)
        above = start - 1
        while above >= 0 and not body_of(self.lines.every[above]).strip():
            above -= 1
        is_alone = self.lines.every[above].startswith(_HEADING) and self._ends[section] == end
        behind = end + (end < len(self.lines.every) and not body_of(self.lines.every[end]).strip())
        del self.lines.every[above if is_alone else start : behind if is_alone else end]

    def _add_table(self, entry: PageEntry) -> None:
        section = _new_section(entry)
        if entry.section in self._ends:
            self.lines.insert(self._ends[entry.section], section[1:])
            return
        order = list(SECTIONS)
        before = [self._ends[name] for name in order[: order.index(entry.section)] if name in self._ends]
        # The line of the opening marker comes first; behind it stands an empty one.
        at = max(before, default=min(1, len(self.lines.every)))
        self.lines.insert(at, ["", *section])


def _new_section(entry: PageEntry) -> list[str]:
    columns = SECTIONS[entry.section].columns
    return [f"{_HEADING}{entry.section}", "", _row(columns), "|" + "---|" * len(columns), _row(entry.cells)]


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(map(_written, cells))} |"


def _written(cell: str) -> str:
    """Return a text as it stands in a cell, where no bar ends it."""
    return cell.replace("\\", "\\\\").replace("|", "\\|") if "|" in cell else cell


def _with_cells(row: str, told: dict[int, str]) -> str:
    """Return the row with these cells in their columns; every other cell stays as it is written."""
    bare = row.strip()
    cells = _written_cells(bare)
    # The last bar of a row may be missing.
    end = "" if bare == f"|{'|'.join(cells)}" else "|"
    for place, cell in told.items():
        # Nothing that is empty takes the place of what somebody wrote.
        if cell:
            cells += [" "] * (place + 1 - len(cells))
            cells[place] = cells[place] if cell == _said(cells[place].strip()) else f" {_written(cell)} "
    return row.replace(bare, f"|{'|'.join(cells)}{end}".rstrip())


def _written_cells(row: str) -> list[str]:
    """Return the cells of a row as they are written, without the bars between them."""
    found, start, escaped = [], 1, False
    for place, letter in enumerate(row):
        if letter == "|" and not escaped and place:
            found.append(row[start:place])
            start = place + 1
        escaped = letter == "\\" and not escaped
    return [*found, row[start:]] if row[start:].strip() else found


def _said(cell: str) -> str:
    if "\\|" not in cell:
        return cell
    return "\\".join([part.replace("\\|", "|") for part in cell.split("\\\\")])
