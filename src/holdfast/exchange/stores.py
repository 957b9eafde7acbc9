"""Stores of other memory tools, read as statements: the MCP reference memory server, mem0, claude-mem, Markdown trees.

A reader knows its store by what is in it, never by its name alone. It opens nothing for writing, follows no link, and
reads at most MAX_FILES files of MAX_READ bytes. What it yields is a stranger's: whoever asks takes secrets out of it.
A Markdown tree is any folder of Markdown files, such as a CAO wiki, a NanoClaw tree, basic-memory's notes, an agent's
own memory folder or a team's; a check box in one is work and no memory, and is passed over.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from holdfast.base import files
from holdfast.errors import BadInput, HoldfastError, NotFound
from holdfast.exchange import statements
from holdfast.exchange.statements import Cut, ImportedStatement
from holdfast.records import TYPES
from holdfast.store.memory_file import first_words

MAX_FILES, MAX_READ = 5_000, 1_048_576
_MAX_JSON = 64_000_000
_HEAD = 4_096
_MARKDOWN, _TEXT_ENDINGS = "markdown", (".md", ".mdc", ".markdown", ".txt")
# `- [decision] Use tabs #style (why)` is how basic-memory writes an observation.
_OBSERVATION = re.compile(r"\[[\w-]+\] (.+?)((?: #[^\W\d][\w-]*)*)((?: \([^()]*\))?)\s*\Z", re.DOTALL)
# Its notes have a permalink in their front matter, and `- relates_to [[Another note]]` leads to another of them.
_NOTE = re.compile(r"---\n(?:.+\n)*?permalink: ")
_RELATION = re.compile(r"^[ \t]*[-*+] [\w ]+ \[\[[^\]]+\]\][ \t]*(?:\n|\Z)", re.MULTILINE)
_CHECK_BOX = re.compile(r"^\s*[-*+] \[[ xX]\] .*\n?", re.MULTILINE)
_STRUCK = re.compile(r"^\s*(?:[-*+] )?~~.*", re.MULTILINE)
# How a CAO wiki tells of what a topic is.
_TOPIC = re.compile(r"<!-- id: [^|\n]+\| scope: [^|\n]+\| type: (\w+) \| tags: ([^\n]*?)-->")
# Each time that a topic was stored it got an entry more; the last one is what that wiki itself gives.
_ENTRY = re.compile(r"^## \d{4}-\d\d-\d\dT[\d:]+Z[ \t]*\n", re.MULTILINE)
# Logs, and how a tree of memories is to be used.
_NO_MEMORIES = re.compile(r"(?:^|/)(?:(?:logs?|daily)/|\d{4}-\d{2}-\d{2}\.md$|system/definition\.md$)")
_CLAUDE_MEM = ("title", "subtitle", "narrative", "text", "facts")


@dataclass(frozen=True, slots=True)
class StoreFile:
    """One file of a store: how it is named to the person, what it says, and which tool's it is."""

    name: str
    cut: Cut
    tool: str


@dataclass(frozen=True, slots=True)
class OtherStore:
    """A store of other tools: its files."""

    files: tuple[StoreFile, ...]

    @property
    def tool(self) -> str:
        """Which tools' it is, as the person is told."""
        return " and ".join(dict.fromkeys(one.tool for one in self.files)) or _MARKDOWN


def is_store(path: str) -> bool:
    """Whether the path is a folder, or a file that a reader here knows and Markdown is not."""
    return os.path.isdir(path) or _kind_of_file(path) != ""


def read(path: str, project: str = "") -> OtherStore:
    """Read the store at a path; BadInput where no reader knows it.

    Of a store that holds several projects by the names of their folders, only what is of this `project`, where one is
    given.
    """
    if not os.path.lexists(path):
        raise NotFound(f"{path} does not exist", "Name the file or folder of the other tool's store.")
    if os.path.isdir(path):
        likely = [os.path.join(path, name) for name in ("memory.jsonl", "memory.json", "claude-mem.db")]
        inner = [one for one in likely if os.path.isfile(one) and _kind_of_file(one)]
        # Notes may lie beside the store of a tool.
        return OtherStore((*(file for one in inner for file in read(one, project).files), *_markdown(path)))
    kind = _kind_of_file(path)
    if not kind and path.lower().endswith(_TEXT_ENDINGS):
        said = statements.cut(files.read(path, MAX_READ).decode("utf-8", "replace"))
        return OtherStore((StoreFile(os.path.basename(path), said, _MARKDOWN),))
    if not kind:
        hint = "Known are memory.jsonl of the MCP memory server, exports of mem0, claude-mem's database, Markdown."
        raise BadInput(f"{path} is not a store that can be read", hint)
    found = [
        # A row or a line may say several things, so each is found by its number.
        ImportedStatement(text, first_words(text), f"statement {number}", number)
        for number, text in enumerate(_READERS[kind](path, project), 1)
        if text.strip()
    ]
    return OtherStore((StoreFile(os.path.basename(path), Cut(tuple(found)), kind),))


def _kind_of_file(path: str) -> str:
    try:
        head = files.read_head(path, _HEAD)
    except OSError:
        return ""
    if head.startswith(b"SQLite format 3\0"):
        return "claude-mem" if "observations" in _tables(path) else ""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \n\r\t")
    if text.startswith("{") and re.search(r'"type"\s*:\s*"(?:entity|relation)"', text):
        return "mcp-memory"
    return "mem0" if text[:1] in ("[", "{") and re.search(r'"memory"\s*:\s*"', text) else ""


def _mcp_memory(path: str, _: str) -> Iterator[str]:
    """Yield what entities are said to be, and how they relate: a line of JSON each."""
    for line in files.read(path, _MAX_JSON).decode("utf-8", "replace").splitlines():
        row = _parsed(line)
        if not isinstance(row, dict):
            continue
        if row.get("type") == "entity":
            name = str(row.get("name", "")).strip()
            for one in _texts(row.get("observations")):
                yield one if name.casefold() in one.casefold() else f"{name}: {one}"
        elif row.get("type") == "relation":
            words = [str(row.get(part, "")).replace("_", " ").strip() for part in ("from", "relationType", "to")]
            yield " ".join(words) + "." if all(words) else ""


def _mem0(path: str, _: str) -> Iterator[str]:
    """Yield the memories of an export: a list of objects, bare or in `results` or `memories`."""
    try:
        told = json.loads(files.read(path, _MAX_JSON))
    except ValueError as problem:
        raise BadInput(f"{path} is not JSON: {problem}", "Export it again.") from None
    rows = told if isinstance(told, list) else told.get("results") or told.get("memories") or []
    yield from (str(row["memory"]) for row in rows if isinstance(row, dict) and isinstance(row.get("memory"), str))


def _claude_mem(path: str, project: str) -> Iterator[str]:
    """Yield the observations of claude-mem's database, opened for reading alone; each fact of one is a statement.

    It is one for all projects, each named after its folder.
    """
    with closing(sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)) as db:
        db.row_factory = sqlite3.Row
        try:
            for row in db.execute("SELECT * FROM observations ORDER BY rowid"):
                told = str(row["project"] or "") if "project" in row.keys() else ""  # noqa: SIM118
                if project and told and os.path.basename(told) != project:
                    continue
                yield from _observation({name: row[name] for name in row.keys() if name in _CLAUDE_MEM})  # noqa: SIM118
        except sqlite3.Error as problem:
            raise BadInput(f"{path} cannot be read: {problem}", "Close the other tool, or copy the file.") from None


def _observation(row: dict[str, object]) -> Iterator[str]:
    facts = _texts(_parsed(row.get("facts")))
    title = str(row.get("title") or "").strip()
    if facts:
        yield from facts
    else:
        said = str(row.get("narrative") or row.get("text") or row.get("subtitle") or "").strip()
        # What was saved by hand has its beginning as its title.
        is_told = title.rstrip(".\u2026").casefold() in said.casefold()
        yield f"{title}: {said}" if title and said and not is_told else said or title


def _parsed(text: object) -> Any:
    """Return what is written as JSON; None where it is none."""
    try:
        return json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _texts(value: object) -> list[str]:
    return [one.strip() for one in value if isinstance(one, str) and one.strip()] if isinstance(value, list) else []


def _tables(path: str) -> set[str]:
    try:
        with closing(sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)) as db:
            return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return set()


def _markdown(folder: str) -> Iterator[StoreFile]:
    """Yield the Markdown files of a folder and those in it, but hidden ones, links, logs and a tree's own doctrine."""
    number = 0
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "node_modules")
        for name in sorted(names):
            path = os.path.join(here, name)
            shown = os.path.relpath(path, folder)
            if not name.lower().endswith(".md") or os.path.islink(path) or _NO_MEMORIES.search(shown):
                continue
            number += 1
            if number > MAX_FILES:
                raise BadInput(f"{folder} has more than {MAX_FILES:,} Markdown files", "Name a folder in it.")
            try:
                text = files.read(path, MAX_READ).decode("utf-8", "replace")
            except HoldfastError:
                continue
            is_note, told = _NOTE.match(text) is not None, _TOPIC.search(text[:_HEAD])
            head, *entries = _ENTRY.split(text) if told else [text]
            text = head + (entries[-1] if entries else "")
            text = _RELATION.sub("", text) if is_note else text
            cut = statements.cut(_CHECK_BOX.sub("", _STRUCK.sub("", text)), topic=not is_note, rows=True)
            if told and told[1] in TYPES:
                tags = [tag.strip().lower() for tag in told[2].split(",")]
                cut = replace(cut, type=told[1], tags=tuple(tag for tag in tags if tag))
            # A line of an index says what the file says that it leads to.
            own = [_plain(one) for one in cut.statements if not _is_index(here, one.text)]
            yield StoreFile(shown, replace(cut, statements=tuple(own)), _MARKDOWN)


def _is_index(folder: str, text: str) -> bool:
    """Whether every line of a statement, but the heading of a list, leads to another file of the folder."""
    lines = [line.lstrip("-*+ ") for line in text.splitlines() if line.strip()]
    lines = lines[1:] if len(lines) > 1 and lines[0].endswith(":") else lines
    targets = [statements.pointer(line) for line in lines]
    return all(target and os.path.isfile(os.path.join(folder, target)) for target in targets)


def _plain(one: ImportedStatement) -> ImportedStatement:
    """Return an observation of basic-memory without its category, with the tags that stand behind it as tags."""
    if not (found := _OBSERVATION.match(one.text)):
        return one
    text = found[1] + found[3]
    return replace(one, text=text, title=first_words(text), tags=tuple(found[2].replace("#", " ").lower().split()))


_READERS = {"mcp-memory": _mcp_memory, "mem0": _mem0, "claude-mem": _claude_mem}
