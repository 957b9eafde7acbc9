"""What the readers of all agents share.

**A reader** is one module for one agent. `find(place)` yields the paths that may hold its sessions. `sniff(path)` says
by the content, not by the path, whether a path does. `read(path)` yields one `Reading` for each session in it.

**A reading** is walked once: its events in order, each call joined with its result; then `session()` is complete. No
line is fatal: what cannot be understood is counted in `malformed`. Memory does not grow with the text of a file; only
digests of ids and what each message cost are kept.

**Text** in an event is bounded, has no base64 in it, and can be written as UTF-8.
"""

from __future__ import annotations

import binascii
import hashlib
import io
import json
import os
import re
import stat
from collections import deque
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

import msgspec

from holdfast.agents.reading import OURS as OURS
from holdfast.agents.reading import class_of as class_of
from holdfast.agents.reading import separated as separated
from holdfast.records import Cost, Session, SessionEvent, replace

if TYPE_CHECKING:
    from collections.abc import Iterator


MOST_TEXT = 200_000
MOST_OUTPUT = 20_000
# A line that is longer is not read whole: it counts as malformed.
MOST_LINE = 96 * 2**20
# How many events, and characters of them, wait for the result of a call before it comes out unanswered.
MOST_HELD = 1_000
MOST_HELD_TEXT = 8_000_000
_BUFFER = 2**20
_DEPTH = 40
_SNIFFED_LINES, _SNIFFED_BYTES = 40, 4 * 2**20

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,([A-Za-z0-9+/_=-]{64,})")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{1024,}={0,2}\s*")
_URL_SAFE = {ord("-"): "+", ord("_"): "/"}
_LONG_WORD = 1_024
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Reading:
    """One session being read: iterate the events in order, once; then ask for the session.

    A reader overrides `_walk`, which yields nothing but feeds `self.held`, and may override `session`.
    """

    agent = ""

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
        if time:
            self.started = min(self.started, time) if self.started else time
            self.ended = max(self.ended, time)

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
        )


class Held:
    """Events on their way out, in order: a call waits for its result, and what comes after it waits behind it."""

    def __init__(self) -> None:
        self.given = 0
        self._queue: deque[list[SessionEvent | None]] = deque()
        self._open: dict[str, list[SessionEvent | None]] = {}
        self._waiting: set[int] = set()
        self._characters = 0

    @property
    def place(self) -> int:
        """The place that the next event gets, if none of those that wait is dropped."""
        return self.given + len(self._queue)

    def add(self, event: SessionEvent, key: str = "") -> None:
        """Put an event at the end; with a key it waits there until it is answered or dropped."""
        slot: list[SessionEvent | None] = [event]
        self._queue.append(slot)
        self._characters += _size(event)
        if key and key not in self._open:
            self._open[key] = slot
            self._waiting.add(id(slot))

    def answer(self, key: str, **result: Any) -> bool:
        """Join `output`, `failed` and `milliseconds`, or a time `until`, with the call; False where none waits."""
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        self._waiting.discard(id(slot))
        call = slot[0]
        if call is not None:
            joined = slot[0] = _joined(call, result)
            self._characters += len(joined.output) - len(call.output)
        return True

    def drop(self, key: str) -> bool:
        """Take a waiting event out unseen; False where none waits."""
        slot = self._open.pop(key, None)
        if slot is None:
            return False
        self._waiting.discard(id(slot))
        dropped, slot[0] = slot[0], None
        self._characters -= _size(dropped) if dropped else 0
        return True

    def take(self) -> list[SessionEvent]:
        """Return what waits for nothing, from the front; what waits too long comes out as it is."""
        found: list[SessionEvent] = []
        while self._queue and (id(self._queue[0]) not in self._waiting or self._is_full()):
            self._move_first(found)
        return found

    def rest(self) -> list[SessionEvent]:
        """Return everything that is left."""
        found: list[SessionEvent] = []
        while self._queue:
            self._move_first(found)
        return found

    def _is_full(self) -> bool:
        return len(self._queue) > MOST_HELD or self._characters > MOST_HELD_TEXT

    def _move_first(self, found: list[SessionEvent]) -> None:
        slot = self._queue.popleft()
        if id(slot) in self._waiting:
            self._waiting.discard(id(slot))
            self._open = {key: one for key, one in self._open.items() if one is not slot}
        event = slot[0]
        if event is not None:
            self._characters -= _size(event)
            found.append(event if event.place == self.given else replace(event, place=self.given))
            self.given += 1


def _size(event: SessionEvent) -> int:
    return len(event.text) + len(event.input) + len(event.output)


def _joined(call: SessionEvent, result: dict[str, Any]) -> SessionEvent:
    # Every field in its place, not `replace`: this is done for each call, and takes half the time.
    return SessionEvent(
        call.place,
        call.role,
        call.text,
        call.at,
        call.tool,
        call.call,
        call.input,
        result.get("output", call.output),
        result.get("failed", call.failed),
        result.get("milliseconds") or milliseconds(call.at, result.get("until", "")),
        call.folder,
        call.branch,
        call.model,
        call.id,
        call.line,
    )


class Costs:
    """What messages cost, each counted once: of several reports on one message the largest of each kind counts."""

    def __init__(self) -> None:
        self._by_message: dict[int, tuple[int, ...]] = {}
        self._others: tuple[int, ...] = (0, 0, 0, 0, 0)
        self.dollars = 0.0

    def add(self, message: str, *kinds: object) -> None:
        """Take a report: input without cache, output, cache read, cache write, reasoning. No id: it stands alone."""
        counts = tuple(whole(kind) for kind in (*kinds, 0, 0, 0, 0, 0)[:5])
        if message:
            before = self._by_message.get(hash(message))
            self._by_message[hash(message)] = tuple(map(max, before, counts)) if before else counts
        else:
            self._others = tuple(map(sum, zip(self._others, counts, strict=True)))

    def total(self) -> Cost:
        """Return the sum over all messages."""
        kinds = [sum(column) for column in zip(self._others, *self._by_message.values(), strict=True)]
        return Cost(kinds[0], kinds[1], kinds[2], kinds[3], kinds[4], self.dollars)


def open_plain(path: str) -> io.BufferedReader:
    """Open a plain file for reading; OSError for anything else, so that a pipe can hang nobody."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(f"{path} is no plain file")
    return io.BufferedReader(io.FileIO(descriptor, "rb"), _BUFFER)


def lines(file: IO[bytes], start: int = 0) -> Iterator[tuple[int, int, bytes]]:
    r"""Yield number (from 1, counted from `start`), end offset and bytes of each line that is not blank.

    Lines end with \n only. A last line without it is held back unless it is a whole JSON object, to which nothing can
    be added. Of a line that is longer than MOST_LINE only the beginning is given, which no decoder takes.
    """
    if start:
        file.seek(start)
    end, number = start, 0
    while raw := file.readline(MOST_LINE):
        end += len(raw)
        number += 1
        if len(raw) == MOST_LINE and raw[-1:] != b"\n":
            passed = _pass_line(file)
            if passed < 0:
                return
            end += passed
            raw = raw[:64]
        elif raw[-1:] != b"\n" and (raw.rstrip(b"\0 \t\r")[-1:] != b"}" or decode(raw) is None):
            return
        raw = raw.strip(b"\0\r\n\t ")
        if raw[:3] == b"\xef\xbb\xbf":
            raw = raw[3:].lstrip(b"\0\r\n\t ")
        if raw:
            yield number, end, raw


def _pass_line(file: IO[bytes]) -> int:
    """Read on to the end of the line and return how far that was; -1 where the file ends first."""
    passed = 0
    while piece := file.readline(_BUFFER):
        passed += len(piece)
        if piece[-1:] == b"\n":
            return passed
    return -1


_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder(order="deterministic").encode


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
        return _writable(json.loads(raw.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return None


def _writable(value: Any) -> Any:
    # No UTF-8 has lone surrogates.
    if isinstance(value, str):
        return _SURROGATE.sub("�", value)
    if isinstance(value, list):
        return [_writable(one) for one in value]
    if isinstance(value, dict):
        return {_writable(key): _writable(one) for key, one in value.items()}
    return value


def without_bulk(value: Any, depth: int = 0) -> Any:
    """Return the value with base64 and data URIs replaced by hash and size."""
    if isinstance(value, str):
        return _without_bulk_text(value) if len(value) >= _LONG_WORD else value
    if depth > _DEPTH:
        return "[nested too deep]" if isinstance(value, (dict, list)) else value
    if isinstance(value, list):
        return [without_bulk(one, depth + 1) for one in value]
    if isinstance(value, dict):
        return {key: _member(value, key, one, depth) for key, one in value.items()}
    return value


def _member(owner: dict[str, Any], key: str, value: Any, depth: int) -> Any:
    if key == "data" and isinstance(value, str) and ("media_type" in owner or "mimeType" in owner):
        return stub(value)
    return without_bulk(value, depth + 1)


def _without_bulk_text(text: str) -> str:
    if ";base64," in text:
        text = _DATA_URI.sub(lambda found: stub(found[1]), text)
    # A word of this length has no space in its beginning: that is cheap to see, and true of little else.
    return stub(text.strip()) if _BASE64.match(text, 0, 4_096) and _BASE64.fullmatch(text) else text


def stub(data: str) -> str:
    """Return what stands for base64 data: hash and size of the bytes."""
    digest, size = hashlib.sha256(), 0
    try:
        # In pieces: data of the size of the longest line would be held several times over.
        for start in range(0, len(data), _BUFFER):
            piece = binascii.a2b_base64(data[start : start + _BUFFER].translate(_URL_SAFE))
            digest.update(piece)
            size += len(piece)
    except ValueError:
        digest, size = hashlib.sha256(data.encode("utf-8", "replace")), len(data)
    return f"[image sha256:{digest.hexdigest()[:12]} {size} bytes]"


def text_of(content: Any, depth: int = 0) -> str:
    """Return the text of a message: a text, a block, or a list of them; an image is its hash and size."""
    if isinstance(content, str):
        return _without_bulk_text(content) if len(content) >= _LONG_WORD else content
    if isinstance(content, list):
        return "\n".join(text for text in (text_of(one, depth + 1) for one in content) if text)
    if not isinstance(content, dict) or depth > _DEPTH:
        return "" if content is None else str(content)[:MOST_TEXT]
    for name in ("text", "content", "output", "output_text"):
        if isinstance(content.get(name), (str, list, dict)):
            return text_of(content[name], depth + 1)
    return _image(content)


def _image(block: dict[str, Any]) -> str:
    source = block.get("source", block.get("image_url", block.get("inlineData")))
    if isinstance(source, dict):
        source = source.get("data", source.get("url"))
    source = block.get("data") if source is None else source
    if not isinstance(source, str):
        return ""
    return stub(source.partition(";base64,")[2] or source) if len(source) > 100 else f"[image {source}]"


def cut(text: str, most: int) -> str:
    """Return the text within its bound: the beginning and, where much is cut, the end, with a mark between."""
    if len(text) <= most:
        return text
    tail = most * 2 // 5
    return f"{text[: most - tail]}\n[... {len(text) - most} characters cut ...]\n{text[-tail:]}"


def input_text(value: Any) -> str:
    """Return what a tool was given as bounded text: a text as it is, all else as JSON that stays JSON when cut."""
    if value is None:
        return ""
    if isinstance(value, str):
        return cut(text_of(value), MOST_OUTPUT)
    try:
        found = _encode(without_bulk(value)).decode("utf-8")
        if len(found) > MOST_OUTPUT:
            found = _encode(_shortened(value)).decode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return ""
    return cut(found, MOST_OUTPUT)


def _shortened(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return cut(text_of(value), 4_000)
    if depth > 8:
        return None
    if isinstance(value, list):
        return [_shortened(one, depth + 1) for one in value[:40]]
    if isinstance(value, dict):
        return {key[:200]: _shortened(one, depth + 1) for key, one in list(value.items())[:40]}
    return value


def when(value: Any) -> str:
    """Return a time as ISO 8601 in UTC; nothing where it is none. Numbers are seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str):
            return value if _ISO.fullmatch(value) else _utc(datetime.fromisoformat(value))
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
            return _utc(datetime.fromtimestamp(value / 1_000 if value > 1e11 else value, UTC))
    except (ValueError, OverflowError, OSError):
        pass
    return ""


def _utc(moment: datetime) -> str:
    moment = moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def milliseconds(start: str, end: str) -> int:
    """Return the time between two times, 0 where either is missing or they run backwards."""
    try:
        gap = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except ValueError:
        return 0
    return max(0, round(gap.total_seconds() * 1_000))


def whole(value: Any) -> int:
    """Return a count; 0 for what is none."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e15 else 0


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
        with open_plain(path) as file:
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
