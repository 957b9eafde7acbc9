"""What readers need beyond `base` whose agents tell a session in turns: events with the circumstances of their turn.

`Turns` keeps where a session stands (time, folder, branch, model, line) and puts that into every event. `document`
reads a file that is one JSON document, without decoding all of its list at once.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import msgspec

from holdfast.agents.reading.base import (
    MAX_LINE,
    MAX_OUTPUT,
    MAX_TEXT,
    OURS,
    Reading,
    class_of,
    cut,
    decode,
    decode_broken,
    input_text,
    lines,
    milliseconds,
    open_plain,
    separated,
    text_of,
    when,
)
from holdfast.agents.reading.long_lines import short_document
from holdfast.records import SessionEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD = 2**16
# Our fence as an agent shows it that writes what hooks print as HTML.
_ESCAPED = OURS.replace("<", "&lt;").replace(">", "&gt;")
_QUERY = ("<user_query>", "</user_query>")
_WORKSPACE = re.compile(r"^Workspace Path: (\S.*)$", re.M)
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode


class Turns(Reading):
    """A reading in which every event has the time, folder, branch, model and line at which the session stands."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.at = self.folder = self.branch = self.model = ""
        self.line = 0
        self._called: set[int] = set()
        self._waiting: dict[str, None] = {}

    def stand(self, at: str = "", line: int = 0, folder: str = "", branch: str = "", model: str = "") -> None:
        """Take note of where the session stands now; what is not told stays, but for the time and the line."""
        self.at, self.line = at, line
        self.cost.at = at or self.cost.at
        self.seen_at(at)
        if folder:
            self.folder = folder
            self.facts.setdefault("folder", folder)
        if branch:
            self.branch = branch
            self.facts.setdefault("branch", branch)
        if model:
            self.model = self.cost.model = model
            self.models[model] = None

    def person(self, text: str, id: str = "", usual: str = "human") -> None:
        """Add what stands where a person speaks: what programs put there has a role of its own."""
        for role, part in separated(text, usual):
            before, query, after = _parted(part)
            if not query:
                self.say("ours" if role == "injected" and OURS in part else role, part, id)
                continue
            self.say("ours" if OURS in before else "injected", before, id)
            self.say(class_of(query, usual), query, id)
            self.say("injected", after, id)

    def prompted(self, text: str, tag: str, id: str = "", usual: str = "human") -> None:
        """Add a prompt in which blocks of this tag are what hooks handed over."""
        while (start := text.find(f"<{tag}>")) >= 0 and (end := text.find(f"</{tag}>", start)) >= 0:
            end += len(tag) + 3
            self.person(text[:start], id, usual)
            is_ours = OURS in text[start:end] or _ESCAPED in text[start:end]
            self.say("ours" if is_ours else "injected", text[start:end], id)
            text = text[end:]
        self.person(text, id, usual)

    def say(self, role: str, text: str, id: str = "", failed: bool = False) -> None:
        """Add a text of this role, if it says anything."""
        if text.strip():
            self.held.add(self._event(role, cut(text.strip(), MAX_TEXT), id, failed))

    def call(self, key: str, tool: str, given: Any, id: str = "") -> None:
        """Add a call that waits for its result. One that was there before is passed over."""
        if key and hash(key) in self._called:
            return
        self._called.add(hash(key))
        self._waiting[key] = None
        self.held.add(self._event("tool", "", id, False, tool, key, _given(given)), key)

    def result(self, key: str, output: Any, failed: bool = False, tool: str = "", took: int = 0) -> None:
        """Join a result with its call; one whose call is not there stands alone, one that came before is no news."""
        text = cut(text_of(output), MAX_OUTPUT)
        self._waiting.pop(key, None)
        if self.held.answer(key, output=text, failed=failed, milliseconds=took, until=self.at):
            return
        if not key or hash(key) not in self._called:
            self._called.add(hash(key))
            self.held.add(self._event("tool", "", "", failed, tool, key, "", text, answered=True))

    def used(self, key: str, tool: str, given: Any, output: Any, failed: bool = False, took: int = 0) -> None:
        """Add a call and its result at once."""
        self.call(key, tool, given)
        self.result(key, output, failed, tool, took)

    def awaited(self, key: str, start: str) -> str:
        """Return the key of the call that a result belongs to: its own or, of those that begin so, the oldest."""
        if key in self._waiting:
            return key
        return next((one for one in self._waiting if one.startswith(start)), key)

    def release(self) -> None:
        """Let go of the calls that wait: their turn is over."""
        for key in self._waiting:
            self.held.answer(key)
        self._waiting.clear()

    def look_for_workspace(self, text: str) -> None:
        """Take the folder from the text that some agents give to the model about the workspace."""
        found = _WORKSPACE.search(text[:HEAD])
        if found and "folder" not in self.facts:
            self.folder = self.facts["folder"] = found[1].strip()

    def _event(
        self,
        role: str,
        text: str = "",
        id: str = "",
        failed: bool = False,
        tool: str = "",
        call: str = "",
        given: str = "",
        output: str = "",
        answered: bool = False,
    ) -> SessionEvent:
        by_model = role in ("assistant", "tool") and bool(self.model)
        if by_model:
            self.models[self.model] = None
        # Every field in its place: this is done for each event, and names would take twice the time.
        circumstances = (self.folder, self.branch, self.model if by_model else "", id, self.line, answered)
        return SessionEvent(self.held.place, role, text, self.at, tool, call, given, output, failed, 0, *circumstances)


def unwrapped(text: str) -> str:
    """Return what a person typed without the tag that some agents put around it."""
    return (_parted(text)[1] or text).strip()


def _parted(text: str) -> tuple[str, str, str]:
    """Return what stands before, within and behind the tag of a query, from the first beginning to the last end."""
    start, end = text.find(_QUERY[0]), text.rfind(_QUERY[1])
    if start < 0 or end < start:
        return text, "", ""
    inner = start + len(_QUERY[0])
    return text[:start], text[inner:end] or " ", text[end + len(_QUERY[1]) :]


def _given(value: Any) -> str:
    """Return a tool's input as text; JSON within a text becomes the same as JSON that is not."""
    if isinstance(value, str) and value[:1] == "{":
        found = decode(value.encode("utf-8", "replace"))
        return input_text(value if found is None else found)
    return input_text(value)


def document(path: str, name: str) -> tuple[dict[str, Any], Iterator[dict[str, Any] | None]]:
    """Return a JSON document without its list of this name, and that list, decoded one by one; None is no object."""
    with open_plain(path) as file:
        found = short_document(file, MAX_LINE)
    if found is None:
        return {}, iter((None,))
    raw = found.strip(b"\0\r\n\t ").removeprefix(b"\xef\xbb\xbf")
    try:
        members = _members(raw)
        many = _items(members.pop(name, b"[]"))
        rest = {key: msgspec.json.decode(value) for key, value in members.items()}
    except (ValueError, RecursionError):
        return _broken_document(raw, name)
    return rest, (decode(bytes(one)) for one in many)


def _broken_document(raw: bytes, name: str) -> tuple[dict[str, Any], Iterator[dict[str, Any] | None]]:
    found = decode_broken(raw)
    if not isinstance(found, dict):
        return {}, iter((None,))
    many = found.pop(name, None)
    many = many if isinstance(many, list) else [None]
    return found, (one if isinstance(one, dict) else None for one in many)


def head(path: str) -> bytes:
    """Return the beginning of a plain file, for a look at what it is; nothing where it cannot be read."""
    try:
        with open_plain(path) as file:
            return file.read(HEAD)
    except OSError:
        return b""


def first_line(path: str) -> dict[str, Any] | None:
    """Return the object on the first line that is not blank, None where that line is no object on its own."""
    try:
        with open_plain(path) as file:
            return next((decode(raw) for _, _, raw in lines(file)), None)
    except OSError:
        return None


def small_json(path: str, most: int = 2**22) -> dict[str, Any]:
    """Return the object of a small JSON file beside a transcript; an empty one where it is missing or broken."""
    try:
        with open_plain(path) as file:
            return decode(file.read(most)) or {}
    except OSError:
        return {}


def small_text(path: str) -> str:
    """Return the text of a small file beside a transcript."""
    return head(path).decode("utf-8", "replace").strip()


def time_between(start: Any, end: Any) -> int:
    """Return the milliseconds between two times as the agent tells them, 0 where it does not."""
    return milliseconds(when(start), when(end))


def table(value: Any) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def stem(path: str) -> str:
    """Return the name of a file without folder and ending."""
    return os.path.basename(path).partition(".")[0]


__all__ = [
    "Turns",
    "document",
    "first_line",
    "head",
    "listed",
    "small_json",
    "small_text",
    "stem",
    "table",
    "time_between",
    "unwrapped",
]
