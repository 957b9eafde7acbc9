"""Which files of a home travel, and in which form: read from a home into a tree, and put back into one.

Memories with their history, tombstones, to-dos, a person's own text on pages, files of `data/`, the catalogue of
patterns, what was rejected, settings that are not of one machine, and where the person wants it digests, with which
sessions were forgotten. What is made
of these (regions of pages, index pages, the index), what is of one machine (where a pattern was handed to, the working
state, state, journal, receipts, raw sessions) and what is of one session stays.

A path in a tree is that of the file below the home; settings are one file `settings.toml` with a line for each. Links
are not followed, in neither direction, and a path that no home would write is never written.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache

import tomlkit

from holdfast import settings as table
from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.marker_lines import markers
from holdfast.continuity import region
from holdfast.errors import Conflict, HoldfastError, NotFound
from holdfast.exchange.sync import memories
from holdfast.memory import audit, config
from holdfast.memory.proposal_files import FOLDER as PROPOSALS
from holdfast.memory.proposal_files import REJECTED
from holdfast.patterns import catalogue_file
from holdfast.privacy.erased import Erased
from holdfast.project.ids import is_id
from holdfast.records import Memory, Scope
from holdfast.sessions import names
from holdfast.sessions.sealing import FORGOTTEN
from holdfast.store import front_matter, layout, memory_file
from holdfast.store.keys import key_of_file
from holdfast.store.tombstones import Burials
from holdfast.workspace import Workspace

SETTINGS = "settings.toml"
# Of what was erased, as digests.
ERASED = "erased.jsonl"
_ARCHIVE = "archive"
DIGESTS = f"{_ARCHIVE}/digests"
_REJECTED = f"{PROPOSALS}/{REJECTED}"
_DOCTRINE = "memory/system/definition.md"
_PAGES = ("MEMORY.md", "decisions.md", "lessons.md")
_TODO = "todo.md"
_TRAVEL = ("global", "project", "agent")
_MAX_FILE = 4_194_304
_MAX_NAME = 250


@lru_cache(maxsize=4_096)
def kind_of(path: str) -> str:
    """Return how the file at a path of a tree is merged, or nothing where it does not travel."""
    parts = path.split("/")
    if not path.isprintable() or any(part in ("", ".", "..") or len(part.encode()) > _MAX_NAME for part in parts):
        return ""
    if path == ERASED:
        return "erased"
    if path in (SETTINGS, _REJECTED, _DOCTRINE):
        return {SETTINGS: "settings", _REJECTED: "rows"}.get(path, "page")
    if path.startswith(f"{_ARCHIVE}/"):
        is_digest = path.startswith(f"{DIGESTS}/") and len(parts) == 4 and session_of(path)
        return "digest" if is_digest else "tombstones" if path == FORGOTTEN else ""
    if parts[0] == catalogue_file.FOLDER:
        return "pattern" if len(parts) == 2 and path.endswith(".md") else ""
    return _kind_of_memory(path) if parts[0] == "memory" else ""


def _kind_of_memory(path: str) -> str:
    inner = path.removeprefix("memory/")
    scope = layout.scope_of(inner)
    if scope is None or scope.kind not in _TRAVEL or (scope.owner and not is_id(scope.owner)):
        return ""
    within = inner.removeprefix(f"{layout.folder_of(scope)}/")
    if within == layout.FORGOTTEN:
        return "tombstones"
    if within == _TODO:
        return "list"
    if within in _PAGES:
        return "page"
    if within.startswith(f"{layout.DATA}/") and not within.startswith(f"{layout.DATA}/."):
        return "data" if within.count("/") == 1 else ""
    return "memory" if audit.is_memory(path) else ""


def session_of(path: str) -> str:
    """Return the session whose digest lies at the path, or nothing where none does."""
    agent, name = (names.text_of(part) for part in path.removesuffix(".json").split("/")[-2:])
    return f"{agent}/{name}" if agent and name and path.endswith(".json") else ""


def text_of(data: bytes) -> str:
    """Return the text of a file, from which its bytes can be made again."""
    return data.decode("utf-8", "surrogateescape")


def version(path: str, data: bytes) -> memories.MemoryVersion:
    """Return the memory of a file in a tree."""
    inner = path.removeprefix("memory/")
    place = memory_file.FilePlace(path, layout.scope_of(inner) or Scope("global"), key_of_file(path.split("/")[-1]), "")
    return memories.version(path, memory_file.decode(data, path)[0], place)


class Home:
    """What of a home travels now: `files` as a tree, `raw` as the disk had it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.raw: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        # What would travel and cannot: a file that is too large, or a text in UTF-16.
        self.left_out: list[str] = []
        for path in _paths(workspace):
            # A file may go while we look, and one that is no plain file says nothing.
            try:
                data = files.read(layout.contained(workspace.home, path), _MAX_FILE + 1)
            except HoldfastError:
                continue
            if len(data) <= _MAX_FILE and not region.is_wide(data[:4].decode("utf-8", "surrogateescape")):
                self.raw[path] = data
                self.files[path] = _outgoing(path, data)
            else:
                self.left_out.append(path)
        if rows := Erased(workspace.home).travelling():
            self.files[ERASED] = rows.encode()
        if told := _told_settings(workspace):
            self.files[SETTINGS] = told

    def takes(self, path: str) -> bool:
        """Whether this machine takes part in what lies there: in digests only where the person wants it."""
        return not path.startswith(_ARCHIVE) or self.workspace.settings.flag("sync.digests")

    def put(self, path: str, data: bytes | None) -> None:
        """Put a file of a merged tree into the home, or take it out; Conflict where the home's changed meanwhile."""
        if not kind_of(path):
            return
        if path == SETTINGS:
            self._put_settings(data or b"")
        elif path == ERASED:
            Erased(self.workspace.home).keep(text_of(data or b""), now())
        elif kind_of(path) == "memory":
            inner = path.removeprefix("memory/")
            self.workspace.store.tree.swap(inner, self.raw.get(path), data)
        else:
            self._put_file(path, data)
        if data is None:
            self.files.pop(path, None)
        else:
            self.files[path] = data

    def part(self, path: str, grave: Burials) -> Memory:
        """Take what goes of a memory into one of its own and return that: each statement is there at every moment."""
        stays, goes = memories.parted(version(path, self.files[path]), grave)
        aside = f"{os.path.dirname(path)}/{front_matter.values(front_matter.parse(goes))[0]['key']}.md"
        self.put(aside, goes.encode())
        self.put(path, stays.encode())
        found = version(aside, goes.encode()).memory
        self.workspace.refresh((found.scope,))
        return found

    def _put_file(self, path: str, data: bytes | None) -> None:
        home = self.workspace.home
        whole = layout.contained(home, path)
        project = "/".join(path.split("/")[:3]) if path.startswith("memory/projects/") else ""
        lock = region.lock_of(os.path.join(home, project), "pages") if project else files.lock_of(home, "sync-files")
        with lock:
            try:
                now = files.read(whole, _MAX_FILE + 1)
            except NotFound:
                now = None
            if now != self.raw.get(path):
                raise Conflict(f"{path} changed meanwhile", "Run `holdfast sync` again.")
            if data is None:
                files.remove(whole)
            else:
                files.put(whole, _incoming(path, data, now or b""))

    def _put_settings(self, data: bytes) -> None:
        wanted, there = _read_settings(data), _read_settings(_told_settings(self.workspace))
        for name in sorted({*wanted, *there}):
            if wanted.get(name) != there.get(name) and _travels(name):
                value = wanted.get(name)
                text = str(value).lower() if isinstance(value, bool) else None if value is None else str(value)
                # Another version may have other limits; one setting does not keep memories from travelling.
                try:
                    config.change(self.workspace, name, text)
                except HoldfastError as problem:
                    self.workspace.say(f"{name} is not taken over: {problem}")


def _paths(workspace: Workspace) -> Iterator[str]:
    """Yield the path of every file of the home that travels."""
    home = workspace.home
    tree = os.path.join(home, "memory")
    for scope in layout.scopes_on_disk(tree):
        if scope.kind in _TRAVEL:
            for folder in (*layout.memory_folders(tree, scope), f"{layout.folder_of(scope)}/{layout.DATA}"):
                yield from _in(home, f"memory/{folder}")
    for folder in (catalogue_file.FOLDER, os.path.dirname(_REJECTED), os.path.dirname(_DOCTRINE)):
        yield from _in(home, folder)
    if workspace.settings.flag("sync.digests"):
        yield from _in(home, _ARCHIVE)
        for agent in (
            files.folders_in(os.path.join(home, DIGESTS)) if os.path.isdir(os.path.join(home, DIGESTS)) else ()
        ):
            yield from _in(home, f"{DIGESTS}/{agent}")


def _in(home: str, folder: str) -> Iterator[str]:
    whole = os.path.join(home, folder)
    if files.link_on_the_way(home, folder) or not files.is_plain_folder(whole):
        return
    for name in files.names_in(whole, hidden=True):
        if layout.is_text(name) and kind_of(f"{folder}/{name}"):
            yield f"{folder}/{name}"


def _outgoing(path: str, data: bytes) -> bytes:
    """Return a file as it travels: without what is made of other files or is of this machine."""
    kind = kind_of(path)
    if kind == "page":
        text = data.decode("utf-8", "surrogateescape")
        for name in _regions(text):
            before, inside, after = region.parts(text, name)
            text = f"{before}{region.begin(name)}\n{region.end(name)}{after}" if inside is not None else text
        return text.encode("utf-8", "surrogateescape")
    if kind == "pattern":
        return _distributed(data.decode("utf-8", "surrogateescape"))[0].encode("utf-8", "surrogateescape")
    return data


def _incoming(path: str, data: bytes, now: bytes) -> bytes:
    """Return a file as it is put into this home: with what this home made of other files, or knows of this machine."""
    text, here = (each.decode("utf-8", "surrogateescape") for each in (data, now))
    kind = kind_of(path)
    if kind == "page":
        for name in _regions(text):
            before, _, after = region.parts(text, name)
            inside = region.parts(here, name)[1]
            text = f"{before}{region.begin(name)}{inside}{region.end(name)}{after}" if inside is not None else text
    elif kind == "pattern":
        text = text.rstrip("\n") + "\n" + (f"\n{own}" if (own := _distributed(here)[1]) else "")
    return text.encode("utf-8", "surrogateescape")


def _regions(text: str) -> list[str]:
    opening, closing = region.begin("\0").split("\0")
    names = [said[len(opening) : -len(closing)] for _, said, _ in markers(text) if said.startswith(opening)]
    return list(dict.fromkeys(names))


def _distributed(text: str) -> tuple[str, str]:
    """Return an entry of the catalogue without the section that says where it was handed to, and that section."""
    head, *rest = region.split(text)
    sections = ["\n".join(lines) for lines in rest]
    own = [one for one in sections if one.split("\n")[0].strip() == catalogue_file.DISTRIBUTED]
    kept = [one for one in sections if one not in own]
    return "\n".join(["\n".join(head), *kept]).rstrip("\n") + "\n", "\n".join(own)


def _travels(name: str) -> bool:
    return name.startswith(table.TRAVEL) and (name in table.BY_NAME or name.startswith(table.DOMAINS))


def _told_settings(workspace: Workspace) -> bytes:
    """Return the settings of config.toml that travel, a line each."""
    data = files.read_if_there(os.path.join(workspace.home, "config.toml"))
    try:
        every = table.flat(tomllib.loads(data.decode("utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return b""
    lines = [
        f"{tomlkit.key(name).as_string()} = {tomlkit.item(every[name]).as_string()}"
        for name in sorted(every)
        if _travels(name)
    ]
    return "".join(f"{line}\n" for line in lines).encode()


def _read_settings(data: bytes) -> Mapping[str, object]:
    """Return the lines of such a file; a line that says nothing usable is left out."""
    found: dict[str, object] = {}
    for line in data.decode("utf-8", "replace").splitlines():
        try:
            found |= tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            continue
    return {name: value for name, value in found.items() if isinstance(value, table.Value)}
