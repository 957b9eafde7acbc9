"""What the readers of all agents share.

**A reader** is one module for one agent. `find(place)` yields the paths that may hold its sessions. `sniff(path)` says
by the content, not by the path, whether a path does. `read(path)` yields one `Reading` for each session in it.

**A reading** is walked once: its events in order, each call joined with its result; then `session()` is complete. No
line is fatal: what cannot be understood is counted in `malformed`. Memory does not grow with the text of a file; only
digests of ids and what each message cost are kept.

**Text** in an event is bounded, has no base64 in it, and can be written as UTF-8.
"""

from __future__ import annotations

import io
import json
import os
from typing import IO, TYPE_CHECKING, Any

import msgspec

from holdfast.agents.reading import OURS as OURS
from holdfast.agents.reading import class_of as class_of
from holdfast.agents.reading import separated as separated
from holdfast.agents.reading.costs import Costs
from holdfast.agents.reading.costs import whole as whole
from holdfast.agents.reading.long_lines import LONG, shortened
from holdfast.agents.reading.pending_calls import Held
from holdfast.agents.reading.texts import MAX_OUTPUT as MAX_OUTPUT
from holdfast.agents.reading.texts import MAX_TEXT as MAX_TEXT
from holdfast.agents.reading.texts import cut as cut
from holdfast.agents.reading.texts import input_text as input_text
from holdfast.agents.reading.texts import is_typed as is_typed
from holdfast.agents.reading.texts import text_of as text_of
from holdfast.agents.reading.texts import writable
from holdfast.agents.reading.times import milliseconds as milliseconds
from holdfast.agents.reading.times import when as when
from holdfast.base import files
from holdfast.records import Session, SessionEvent

if TYPE_CHECKING:
    from collections.abc import Iterator


# A line that is longer is not read whole: it counts as malformed.
MAX_LINE = 96 * 2**20
_BUFFER, _SMALL_BUFFER = 2**20, 2**15
_SNIFFED_LINES, _SNIFFED_BYTES = 40, 4 * 2**20


class Reading:
    """One session being read: iterate the events in order, once; then ask for the session.

    A reader overrides `_walk`, which yields nothing but feeds `self.held`, and may override `session`. Events whose
    ids are put into `skip` before are passed over, with what they cost: another session has told them.
    """

    agent = ""
    skip: frozenset[str] = frozenset()

    def __init__(self, path: str) -> None:
        self.path = path
        self.malformed = 0
        self.offset = 0
        self.held = Held()
        self.facts: dict[str, str] = {}
        self.models: dict[str, None] = {}
        self.cost = Costs()
        self.started = ""
        self.ended = ""

    def __iter__(self) -> Iterator[SessionEvent]:
        self.held.skip = self.cost.skip = self.skip
        for _ in self._walk():
            yield from self.held.take()
        yield from self.held.rest()

    def _walk(self) -> Iterator[None]:
        """Feed `self.held`, and yield whenever some of it may be taken out."""
        return iter(())

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield line number and object of each line; count what is none, and keep `offset` up to date."""
        with open_plain(self.path) as file:
            for number, end, raw in lines(file):
                self.offset = end
                found = decode(raw)
                if found is None:
                    self.malformed += 1
                else:
                    yield number, found

    def seen_at(self, time: str) -> None:
        """Take note of a time for the start and the end of the session."""
        if time > self.ended:
            self.ended = time
        if time and (time < self.started or not self.started):
            self.started = time

    def session(self) -> Session:
        """Return the session as far as it was read."""
        return Session(
            agent=self.agent,
            id=self.facts.get("id", ""),
            title=cut(self.facts.get("title", ""), 500),
            folder=self.facts.get("folder", ""),
            branch=self.facts.get("branch", ""),
            started=self.started,
            ended=self.ended,
            models=tuple(self.models),
            parent=self.facts.get("parent", ""),
            is_subagent=bool(self.facts.get("is_subagent")),
            version=self.facts.get("version", ""),
            cost=self.cost.total(),
            events=self.held.given,
            malformed=self.malformed,
            source=self.path,
            spends=self.cost.spends(),
            beginning=self.held.beginning,
        )


def open_plain(path: str, buffer: int = _BUFFER) -> io.BufferedReader:
    """Open a plain file for reading; OSError for anything else, so that a pipe can hang nobody."""
    return io.BufferedReader(io.FileIO(files.open_plain(path, follow=True), "rb"), buffer)


def lines(file: IO[bytes], start: int = 0) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield number (from 1, counted from `start`), end offset and bytes of each line that is not blank.

    Lines end with \n only. A last line without it is held back unless it is a whole JSON object, to which nothing can
    be added. Of a line that is longer than LONG what is long in it is made short; of one that is longer than MAX_LINE
    only the beginning is given, which no decoder takes.
    """
    if start:
        file.seek(start)
    end, number = start, 0
    most_at_once = min(LONG, MAX_LINE)
    while raw := file.readline(most_at_once):
        number += 1
        end += len(raw)
        if len(raw) == most_at_once and raw[-1:] != b"\n":
            raw, more = shortened(file, raw, MAX_LINE)
            end += more
        if raw[-1:] != b"\n" and (raw.rstrip(b"\0 \t\r")[-1:] != b"}" or decode(raw) is None):
            return
        if raw[:1] == b"{" and raw[-2:] == b"}\n":
            # As nearly all are; a decoder passes over the end of the line.
            yield number, end, raw
            continue
        raw = raw.strip(b"\0\r\n\t ")
        if raw[:3] == b"\xef\xbb\xbf":
            raw = raw[3:].lstrip(b"\0\r\n\t ")
        if raw:
            yield number, end, raw


_decode = msgspec.json.Decoder().decode


def decode(raw: bytes) -> dict[str, Any] | None:
    """Return the JSON object in these bytes, or None where there is none."""
    try:
        found = _decode(raw)
    except (ValueError, RecursionError):
        found = decode_broken(raw)
    return found if isinstance(found, dict) else None


def decode_broken(raw: bytes) -> Any:
    """Return what bytes say that are no strict JSON: invalid UTF-8, lone surrogates, NUL runs. None: nothing."""
    raw = raw.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    try:
        return writable(json.loads(raw.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def told(record: Any, *names: str) -> str:
    """Return the first of these fields that is a text and not empty."""
    if isinstance(record, dict):
        for name in names:
            value = record.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def first_records(path: str) -> Iterator[dict[str, Any]]:
    """Yield the first objects in a file, a few, for a look at what it is; none where it cannot be read."""
    try:
        with open_plain(path, _SMALL_BUFFER) as file:
            for number, end, raw in lines(file):
                found = decode(raw)
                if found is not None:
                    yield found
                if number >= _SNIFFED_LINES or end > _SNIFFED_BYTES:
                    return
    except OSError:
        return


def files_below(folder: str, *endings: str) -> Iterator[str]:
    """Yield the plain files with these endings in a folder and all below it, sorted; no link is followed."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(parent, name)
            if name.endswith(endings) and os.path.isfile(full) and not os.path.islink(full):
                yield full
