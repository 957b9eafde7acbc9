"""Notes that are kept by hand in a project, found without being named: a long-term page, lessons, to-dos, logs of days.

Such are `MEMORY.md`, `tasks/lessons.md`, `tasks/todo.md` and `memory/2026-02-07.md`. The page and the lessons are cut
into statements, of a table each row; what is struck through is over. An open check box is proposed as a to-do of the
project, and so is a row of a table of to-dos; one that is ticked or says that it is done is only counted. A log is
proposed as that day's. Nothing of it stands before somebody approved it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from holdfast.base import files
from holdfast.base.clock import is_day
from holdfast.base.text import one_line
from holdfast.continuity import log, pages
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.check_boxes import Boxes
from holdfast.exchange import statements
from holdfast.memory.proposals import Kind
from holdfast.records import Proposal, Scope
from holdfast.store import layout
from holdfast.workspace import Workspace

TODO, DAY = "todo", "log"
_PAGES = ("MEMORY.md", "memory/MEMORY.md", "tasks/lessons.md", "memory/lessons.md")
_TODOS = ("tasks/todo.md", "memory/todo.md", "todo.md", "TODO.md")
_LOGS = ("memory", "memory/log", "memory/logs", "memory/daily")
_MAX_DAYS = 400
# In a cell of a table, as its state; a mark of a check box may stand there too.
_DONE = (
    "[x]",
    "x",
    "\u2713",
    "\u2714",
    "\u2714\ufe0f",
    "\u2705",
    "done",
    "closed",
    "complete",
    "completed",
    "finished",
)
_MAX_LINE = 400
_STRUCK = re.compile(r"^\s*(?:[-*+] )?~~.*", re.MULTILINE)


def found(root: str) -> Iterator[tuple[str, str]]:
    """Yield the path and kind of each such file of a project: `notes`, `todo` or `log`."""
    seen: set[tuple[int, int]] = set()
    for kind, names in (("notes", _PAGES), (TODO, _TODOS)):
        for path in (os.path.join(root, name) for name in names):
            if os.path.isfile(path):
                # A disk may tell no capitals apart.
                state = os.stat(path)
                if (state.st_dev, state.st_ino) not in seen:
                    seen.add((state.st_dev, state.st_ino))
                    yield path, kind
    for folder in (os.path.join(root, name) for name in _LOGS):
        days = [name for name in files.names_in(folder) if name.endswith(".md") and is_day(name.removesuffix(".md"))]
        yield from ((os.path.join(folder, name), DAY) for name in sorted(days)[-_MAX_DAYS:])


def without_what_is_over(text: str) -> str:
    """Return notes without the lines that are struck through; the others keep their numbers."""
    return _STRUCK.sub("", text)


def boxes(text: str) -> tuple[list[str], int]:
    """Return what the open check boxes and rows of a page of to-dos say, and how many of them are done."""
    every = Boxes(text).todos
    over = [todo for todo in every if todo.done or todo.text.startswith("~~")]
    tables = [block.text for block in statements.blocks(text) if block.kind == "table"]
    rows = [row for table in tables for row in statements.rows_of(table)]
    done = [row for row in rows if not row or any(cell.strip("*_` ").casefold() in _DONE for _, cell in row)]
    said = [todo.text for todo in every if todo not in over]
    return [*said, *(statements.row_text(row) for row in rows if row not in done)], len(over) + len(done)


def day_lines(workspace: Workspace, scope: Scope, day: str, text: str) -> list[str]:
    """Return what a log of a day says and the project's own log of that day does not, a line each."""
    there = log.read(ProjectPages(workspace.home, scope.owner).folder, day)
    said = statements.cut(without_what_is_over(text), rows=True).statements
    return [line for one in said if (line := one_line(one.text, _MAX_LINE)) not in there]


class TodoKind(Kind):
    """An approved one is an open check box on the project's page of to-dos."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Add the box, and return the name of the page."""
        pages.add_todo(_folders(workspace, proposal), proposal.text)
        return pages.PAGES[pages.TODO]

    def files(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the page that changes."""
        return (f"memory/{layout.folder_of(proposal.scope)}/{pages.PAGES[pages.TODO]}",)


class DayKind(Kind):
    """An approved one stands in the daily log of the project, under its day, which is the title."""

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Write its lines into the log, and return the name of the page."""
        path = log.take_over(_folders(workspace, proposal)[0], proposal.title, proposal.text.splitlines())
        return os.path.basename(path)

    def files(self, proposal: Proposal) -> tuple[str, ...]:
        """Return the page that changes."""
        return (log.path_of(f"memory/{layout.folder_of(proposal.scope)}", proposal.title),)


def _folders(workspace: Workspace, proposal: Proposal) -> tuple[str, ...]:
    return ProjectPages(workspace.home, proposal.scope.owner).folders


KINDS: dict[str, Kind] = {TODO: TodoKind(), DAY: DayKind()}
