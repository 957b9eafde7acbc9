"""JSON and JSON with comments, edited as text.

A scanner notes where every value begins and ends, so that an edit touches only its own place. Comments (`//` and
`/* */`) and commas at the end of a list are read, because several agents allow them, and are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from holdfast.agents.editing.blocks import newline_of
from holdfast.agents.editing.record import Insertions

DEEPEST = 200
_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_COMMENTS = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))+")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null")

_STRINGS = json.JSONDecoder()

Path = tuple[str, ...]


class NotJson(ValueError):
    """The text is not JSON; `line` says where."""

    def __init__(self, text: str, why: str, at: int) -> None:
        super().__init__(why)
        self.line = text.count("\n", 0, at) + 1


@dataclass(slots=True, eq=False)
class Node:
    """A value and where it stands. `inner` are the values inside; those of an object have a key, and `start` is its."""

    kind: Literal["object", "array", "string", "plain"]
    at: int
    key: str | None
    start: int
    end: int = 0
    value: object = None
    inner: list[Node] = field(default_factory=list)
    up: Node | None = None

    def get(self, key: str) -> Node | None:
        """Return the member of that key; the last of several, as every reader does."""
        return next((node for node in reversed(self.inner) if node.key == key), None)

    def walk(self) -> Iterator[Node]:
        """Yield this value and all that are inside, in order."""
        yield self
        for node in self.inner:
            yield from node.walk()

    def plain(self) -> object:
        """Return the value as Python has it."""
        if self.kind == "object":
            return {str(node.key): node.plain() for node in self.inner}
        if self.kind == "array":
            return [node.plain() for node in self.inner]
        return self.value


def scan(text: str) -> Node:
    """Return the value of a text with all its places; NotJson where it cannot be read."""
    start = 1 if text.startswith("\ufeff") else 0
    at = skip(text, start)
    root = _value(text, at, 0, None, at)
    end = skip(text, root.end)
    if end != len(text):
        raise NotJson(text, "something stands after the end", end)
    return root


def skip(text: str, at: int) -> int:
    """Return the place behind white space and comments."""
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        comment = _COMMENT.match(text, at)
        if comment is None:
            return at
        at = comment.end()


def _value(text: str, at: int, depth: int, key: str | None, start: int) -> Node:
    if depth > DEEPEST:
        raise NotJson(text, "it is nested too deep", at)
    first = text[at : at + 1]
    if first in ("{", "["):
        return _container(text, at, depth, key, start)
    if first == '"':
        node = Node("string", at, key, start)
        node.value, node.end = _string(text, at)
        return node
    match = _PLAIN.match(text, at)
    if match is None:
        raise NotJson(text, "a value is missing" if first in ("", "}", "]", ",") else "this is not a value", at)
    node = Node("plain", at, key, start)
    node.value, node.end = json.loads(match.group()), match.end()
    return node


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _STRINGS.raw_decode(text, at)
        return str(value), end
    except ValueError as problem:
        raise NotJson(text, "a text is not closed or has a bad character", at) from problem


def _container(text: str, at: int, depth: int, key: str | None, start: int) -> Node:
    closing = "}" if text[at] == "{" else "]"
    node = Node("object" if closing == "}" else "array", at, key, start)
    at = skip(text, at + 1)
    while text[at : at + 1] != closing:
        inner = _member(text, at, depth) if closing == "}" else _value(text, at, depth + 1, None, at)
        inner.up = node
        node.inner.append(inner)
        at = skip(text, inner.end)
        if text[at : at + 1] == ",":
            at = skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise NotJson(text, f"a comma or {closing} is missing", at)
    node.end = at + 1
    return node


def _member(text: str, at: int, depth: int) -> Node:
    if text[at : at + 1] != '"':
        raise NotJson(text, "a key in double quotes is missing", at)
    key, end = _string(text, at)
    colon = skip(text, end)
    if text[colon : colon + 1] != ":":
        raise NotJson(text, "a colon is missing", colon)
    return _value(text, skip(text, colon + 1), depth + 1, key, at)


def path_of(node: Node) -> Path:
    """Return the keys that lead to a value; an element of an array has none of its own."""
    keys = [] if node.key is None else [node.key]
    while node.up is not None:
        node = node.up
        keys += [] if node.key is None else [node.key]
    return tuple(reversed(keys))


def add(edited: Insertions, path: Path, value: object, *, element: bool) -> list[Path]:
    """Put a member at the path, or one more element into the array there; return the containers that were made.

    TypeError, with the path in it, where something that is neither object nor array stands in the way.
    """
    if not edited.text.strip("\ufeff \t\r\n"):
        edited.insert(len(edited.text), "{}" + newline_of(edited.text))
    root = scan(edited.text)
    if root.kind != "object":
        raise TypeError("the file is not an object")
    place, depth = _deepest(root, path if element else path[:-1])
    missing = path[depth:]
    wanted: object = [value] if element and missing else value
    for key in reversed(missing[1:]):
        wanted = {key: wanted}
    kind = "array" if element and not missing else "object"
    if place.kind != kind:
        raise TypeError(f"{'.'.join(path[:depth]) or 'the file'} is not an {kind}")
    _put(edited, place, missing[0] if missing else None, wanted)
    made = missing if element else missing[:-1]
    return [path[: depth + count] for count in range(1, len(made) + 1)]


def _deepest(root: Node, path: Path) -> tuple[Node, int]:
    """Return the deepest value on the path that is there, and how many keys lead to it."""
    place = root
    for depth, key in enumerate(path):
        if sum(node.key == key for node in place.inner) > 1:
            raise TypeError(f"{'.'.join(path[: depth + 1])} stands twice")
        inner = place.get(key) if place.kind == "object" else None
        if inner is None:
            return place, depth
        place = inner
    return place, len(path)


def _put(edited: Insertions, place: Node, key: str | None, value: object) -> None:
    """Insert the last member or element of a container, in the style of the text around it."""
    text = edited.text
    line = "\n" in (text[place.at : place.end] if place.inner else text) or (place.up is None and not place.inner)
    outer, step = _indents(text, place)
    body = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    body += json.dumps(value, ensure_ascii=False, indent=step if line else None)
    if line:
        ours = newline_of(text) + outer + step
        body = ours + ours.join(body.split("\n"))
    if not place.inner:
        inside = text[place.at + 1 : place.end - 1]
        empty = not inside.strip()
        if line and ("\n" not in inside or not empty):
            body += newline_of(text) + outer
        edited.insert(place.at + 1 if empty else skip(text, place.at + 1), body)
        return
    last = place.inner[-1].end
    comma = skip(text, last)
    if text[comma : comma + 1] == ",":
        # The list ends with a comma already; ours stands behind it and ends the same way.
        edited.insert(_comment_end(text, comma + 1), body + ("," if line else ""))
        return
    behind = _comment_end(text, last)
    edited.insert(behind, body if line else " " + body)
    edited.insert(last, ",")


def _comment_end(text: str, at: int) -> int:
    """Return the place behind comments on the same line: they speak of what stands before them."""
    found = _LINE_COMMENTS.match(text, at)
    return found.end() if found else at


def _indents(text: str, place: Node) -> tuple[str, str]:
    """Return the indent of the container's own line, and one step of indent as this text has it."""
    root = place
    while root.up is not None:
        root = root.up
    first = _indent_of(text, root.inner[0].start) if root.inner else ""
    step = first[len(_indent_of(text, root.start)) :]
    return _indent_of(text, place.start), step or "  "


def _indent_of(text: str, at: int) -> str:
    begin = text.rfind("\n", 0, at) + 1
    line = text[begin:at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def drop(text: str, is_ours: Callable[[Node], bool], made: tuple[Path, ...] | None) -> str:
    """Return the text without what is ours, and without the containers that we made and that are empty then.

    `made` None: nobody knows who made them, and every container that becomes empty goes.
    """
    while (node := next(filter(is_ours, scan(text).walk()), None)) is not None:
        # The outermost value that would hold nothing but ours is removed.
        while (up := node.up) is not None and (above := up.up) is not None and len(up.inner) == 1:
            # The group around a list of handlers is an element of an array, and says nothing without them.
            in_list = above.kind == "object" and above.up is not None and above.up.kind == "array"
            if up.kind == "array" and in_list:
                node = above
            elif made is not None and path_of(up) not in made:
                break
            else:
                node = up
        text = _cut(text, node)
    return text


def _cut(text: str, node: Node) -> str:
    """Return the text without one member or element, its comma and its line; comments around it stay."""
    start, end = node.start, node.end
    comma = skip(text, end)
    follows = text[comma : comma + 1] == ","
    is_last = node.up is not None and node.up.inner[-1] is node
    pieces = [(_line_start(text, start), start), (start, end)]
    if follows:
        pieces.append((comma, comma + 1))
    elif is_last and node.up is not None and len(node.up.inner) > 1:
        before = skip(text, node.up.inner[-2].end)
        pieces.append((before, before + 1))
    for begin, stop in _emptied(text, node) or sorted(pieces, reverse=True):
        text = text[:begin] + text[stop:]
    return text


def _emptied(text: str, node: Node) -> list[tuple[int, int]]:
    """Return all that is inside a container with nothing but this value on lines of its own: it was written `{}`."""
    up = node.up
    if up is None or len(up.inner) > 1:
        return []
    around = text[up.at + 1 : node.start] + text[node.end : up.end - 1]
    return [(up.at + 1, up.end - 1)] if "\n" in around and not around.strip() else []


def _line_start(text: str, at: int) -> int:
    """Return where the white space before a value begins, its line break included."""
    begin = at
    while begin > 0 and text[begin - 1] in " \t":
        begin -= 1
    if begin > 0 and text[begin - 1] == "\n":
        begin -= 2 if text[begin - 2 : begin] == "\r\n" else 1
    return begin
