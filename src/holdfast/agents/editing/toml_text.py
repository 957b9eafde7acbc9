"""TOML, edited as text: one table of ours at the end, and every other byte as it was.

After each edit the text is read by a parser, and must say what it said before, with our table or without it; where it
would not, the edit is refused.
"""

from __future__ import annotations

import json
import re
import tomllib

from holdfast.agents.editing.blocks import newline_of
from holdfast.agents.editing.record import Insertions

Path = tuple[str, ...]
_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


class NotToml(ValueError):
    """The text is not TOML; `line` says where, 0 where that is not known."""

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse(text: str) -> dict[str, object]:
    """Return what the text says; NotToml where it cannot be read."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        line = re.search(r"line (\d+)", str(problem))
        raise NotToml(str(problem).partition(" (at")[0], int(line.group(1)) if line else 0) from problem


def find(data: dict[str, object], path: Path) -> object | None:
    """Return the value at the path, or None."""
    place: object = data
    for key in path:
        if not isinstance(place, dict) or key not in place:
            return None
        place = place[key]
    return place


def add(edited: Insertions, path: Path, value: dict[str, object]) -> None:
    """Put a table at the end; TypeError where the text leaves no place for one."""
    before = parse(edited.text)
    newline = newline_of(edited.text)
    # Basic strings, numbers, booleans and lists of them are spelled in TOML as in JSON.
    rows = [f"{key} = {json.dumps(inner, ensure_ascii=False)}" for key, inner in value.items()]
    lines = [f"[{'.'.join(path)}]", *rows]
    piece = newline.join(lines) + newline
    text = edited.text
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    edited.insert(len(text), gap + piece)
    try:
        after = parse(edited.text)
    except NotToml:
        after = {}
    if find(after, path) != value or _without(after, path) != _without(before, path):
        raise TypeError(f"{path[0]} is written so that no table can be added")


def drop(text: str, path: Path) -> str:
    """Return the text without the table at the path and those below it; TypeError where it cannot be cut out."""
    before = parse(text)
    if find(before, path) is None:
        return text
    wanted = _without(before, path)
    for cut in (_cut_lines(text, path), _cut_by_library(text, path)):
        try:
            if cut is not None and _without(parse(cut), path) == wanted and find(parse(cut), path) is None:
                return cut
        except NotToml:
            continue
    raise TypeError(f"{'.'.join(path)} is written so that it cannot be taken out")


def _without(data: dict[str, object], path: Path) -> dict[str, object]:
    """Return the data without the value at the path, and without tables that are empty then."""
    first, *rest = path
    copy = dict(data)
    inner = copy.get(first)
    if rest and isinstance(inner, dict):
        copy[first] = _without(inner, tuple(rest))
    if not rest or copy.get(first) == {}:
        copy.pop(first, None)
    return copy


def _cut_lines(text: str, path: Path) -> str | None:
    """Return the text without the lines of our headers and what follows each, up to the next header."""
    name = r"[ \t]*\.[ \t]*".join(rf"[\"']?{re.escape(key)}[\"']?" for key in path)
    ours = re.compile(rf"^[ \t]*\[[ \t]*{name}[ \t]*(?:\.[^\]\n]*)?\][^\n]*(?:\n|\Z)", re.MULTILINE)
    while (header := ours.search(text)) is not None:
        following = _ANY_HEADER.search(text, header.end())
        limit = following.start() if following else len(text)
        section = text[header.end() : limit].splitlines(keepends=True)
        # Blank lines and comments after the last statement belong to what follows.
        while section and (not section[-1].strip() or section[-1].lstrip().startswith("#")):
            section.pop()
        start, end = header.start(), header.end() + len("".join(section))
        blank = re.search(r"\r?\n[ \t]*\r?\n\Z", text[:start])
        if blank and (end == len(text) or text[end:].startswith(("\n", "\r\n"))):
            start -= len(re.sub(r"\A\r?\n", "", blank.group()))
        text = text[:start] + text[end:]
    return text


def _cut_by_library(text: str, path: Path) -> str | None:
    # Imported here because only removing a table needs it, and this module is loaded whenever rules files are renewed.
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text)
        place = document
        for key in path[:-1]:
            place = place[key]
        place.remove(path[-1])
        return tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError):
        return None
