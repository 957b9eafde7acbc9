"""Documents as passages for recall: a project's working state, pages, daily logs, `data/`, and global `data/`.

Derived: one source for each project in the index, and one for what is global, put whole when a document changed since.
What tells whether one did is kept with the source. A passage is one line of a list, a row or a paragraph, behind the
heading that it stands below. Only who sees the project sees them: their scope is of the kind `pages`, so that no search
of sessions finds them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from holdfast.base import files
from holdfast.base.clock import iso
from holdfast.base.marker_lines import lines_of
from holdfast.base.text import hash_of
from holdfast.continuity import buffer, log, pages, region
from holdfast.errors import HoldfastError, NotFound
from holdfast.records import Filter, Scope
from holdfast.sessions import search
from holdfast.sessions.search import SessionHit
from holdfast.store import layout
from holdfast.store.passages import PassageSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.store.base import Tables
    from holdfast.store.passages import Told
    from holdfast.workspace import Workspace

KIND = "pages"
# What is older stays in its file; sessions of that time are found in the archive.
MAX_DAYS = 60
MAX_PASSAGES = 3_000
_MAX_TEXT = 1_200
_PAGES = (buffer.PAGE, *pages.PAGES.values(), region.PAGE)
_LISTED = (f"{pages.DECISION}s", f"{pages.LESSON}s")
# Files of data that are text, and how many of a project are searched.
DATA_ENDINGS = (".md", ".txt", ".csv", ".tsv", ".json", ".jsonl", ".yaml", ".yml", ".toml")
MAX_DATA = 100
_NOT_SAID = ("<!--", "Updated ", "#")


def name_of(project: str) -> str:
    """Return the name of the source of a project's documents; of the global ones where none is named."""
    return f"{KIND}/{project}"


def found(workspace: Workspace, query: str, limit: int) -> list[SessionHit]:
    """Return what the documents of the project that we stand in and the global ones say about the query, best first."""
    # What is global has no owner.
    owners = [scope.owner for scope in workspace.visible() if scope.kind in ("project", "global")]
    for owner in owners:
        _bring_up_to_date(workspace, owner)
    return search.within(workspace, query, Filter(tuple(Scope(KIND, owner) for owner in owners)), limit)


def _bring_up_to_date(workspace: Workspace, owner: str) -> None:
    whose = Scope("project", owner) if owner else Scope("global")
    folder = os.path.join(workspace.home, "memory", layout.folder_of(whose))
    stats = [(name, os.stat(os.path.join(folder, name))) for name in _paths(folder)]
    stamp = hash_of(*(f"{name} {one.st_mtime_ns} {one.st_size}" for name, one in stats), length=16)
    scope = Scope(KIND, owner)

    def write(tables: Tables) -> None:
        known = tables.passages.newest(Filter((scope,)), 1)
        try:
            is_known = bool(known) and tables.passages.read(known[0])[1].kind == stamp
        except NotFound:
            is_known = False
        if is_known:
            return
        told = _told(folder, "" if owner else "global/")
        with tables.begin():
            tables.passages.drop(name_of(owner))
            if told:
                tables.passages.put(PassageSource(name_of(owner), scope, kind=stamp), {scope: told})

    if not workspace.store.is_temporary:
        workspace.store.ask(write)


def _paths(folder: str) -> list[str]:
    """Return the documents that there are, the newest log first."""
    days = [f"{log.FOLDER}/{day}.md" for day in log.days(folder)[:MAX_DAYS]]
    there = os.path.join(folder, layout.DATA)
    kept = sorted(files.names_in(there)) if files.is_plain_folder(there) else []
    data = [f"{layout.DATA}/{name}" for name in kept if name.lower().endswith(DATA_ENDINGS)]
    beside = [os.path.relpath(path, folder) for path in buffer.pages_in(folder)[1:]]
    every = [name for name in (*_PAGES, *beside, *days, *data[:MAX_DATA]) if not files.link_on_the_way(folder, name)]
    return [name for name in every if os.path.isfile(os.path.join(folder, name))]


def _told(folder: str, whose: str) -> list[Told]:
    told: list[Told] = []
    for name in _paths(folder):
        path = os.path.join(folder, name)
        try:
            text, at = region.read_page(path), iso(os.stat(path).st_mtime)
        except (HoldfastError, OSError):
            continue
        day = name.removeprefix(f"{log.FOLDER}/").removesuffix(".md")
        at = f"{day}T12:00:00Z" if day != name.removesuffix(".md") else at
        is_data = name.startswith(f"{layout.DATA}/")
        for heading, item in _rows(text) if is_data else _items(text):
            # The heading of a log is the title of a session, which would outvote what stands below it.
            text = item if not heading or name not in _PAGES else f"{heading}: {item}"
            told.append((len(told), text[:_MAX_TEXT], "", whose + name, at))
    return told[:MAX_PASSAGES]


def _rows(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a file of data, with its columns apart."""
    for line in [] if region.is_wide(text) else text.splitlines():
        said = " ".join(line.replace(",", ", ").replace(";", "; ").split())
        if any(map(str.isalnum, said)):
            yield "", said


def _items(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a page says, line by line, with its heading; what shows memories is found as memories."""
    if region.is_wide(text):
        return
    for shown in region.SHOWN:
        before, inside, behind = region.parts(text, shown)
        if inside is not None:
            # The items of lists beside decisions and lessons are memories by then.
            lines = lines_of(before + behind)
            text = "".join([line for line in lines if shown not in _LISTED or not region.is_item(line)])
    plain = "\n".join(line.rstrip("\r\n") for line in lines_of(text) if not line.lstrip().startswith("<!--"))
    for heading, lines in region.sections(plain):
        for item in (*((heading,) if heading else ()), *region.entries(lines)):
            said = " ".join(cell for cell in map(str.strip, item.strip("|").split("|")) if cell.strip("-: "))
            said = said.removeprefix("[ ] ").removeprefix("[x] ")
            if len(said.split()) > 1 and not said.startswith(_NOT_SAID) and not log.names_session(said):
                yield heading, said
