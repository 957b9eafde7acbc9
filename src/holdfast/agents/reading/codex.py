"""The transcripts of Codex: one JSONL file for a session, compressed when it is old.

Lines are an envelope with a payload; the oldest files have bare records. What a person and the model say is stored
twice, as an item and as an event: whichever comes first counts. Programs put items where a person speaks, too, so in a
file that has such events only what one of them tells was typed. A fork begins with a copy of the session it comes
from, which is left out here. Turns that were rolled back are void; what they cost is not.
"""

from __future__ import annotations

import io
import os
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import zstandard

from holdfast.agents.base import Place
from holdfast.agents.codex import AGENT, FRAMED, REQUEST
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import decode, files_below, lines, open_plain
from holdfast.agents.reading.values import (
    MAX_OUTPUT,
    MAX_TEXT,
    as_dict,
    blocks,
    counts,
    cut,
    field,
    input_text,
    is_typed,
    text_of,
    when,
    whole,
)
from holdfast.privacy.speech import OURS, behind_line
from holdfast.records import Session

MAGIC = b"\x28\xb5\x2f\xfd"
ENVELOPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state")
KINDS = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens", "reasoning_output_tokens")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_EXIT = re.compile(r"(?:exited with code|[Ee]xit code:?) (-?\d{1,9})\b")
_NOT_APPLIED = ("apply_patch verification failed", "Failed to apply patch", "patch rejected")
_WALL = re.compile(r"Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds")
_ROLLED_BACK = b"thread_rolled_back"
_TYPED = b'"user_message"', b'"UserMessage"'
_MARKS = (_ROLLED_BACK, b"task_started", b"turn_context", b"user_message")
_RECENT = 16
_SNIFFED = 10


def find(place: Place) -> Iterator[str]:
    """Yield the paths of all transcripts, archived ones too; a compressed one only where there is no plain one."""
    folder = place.environment.get("CODEX_HOME") or os.path.join(place.home, ".codex")
    for name in ("sessions", "archived_sessions"):
        for path in files_below(os.path.join(folder, name), ".jsonl", ".jsonl.zst", passed_over=place.passed_over):
            if not (path.endswith(".zst") and os.path.exists(path.removesuffix(".zst"))):
                yield path


def sniff(path: str) -> bool:
    """Whether the file holds lines as only this agent writes them."""
    try:
        with _opened(path) as file:
            return any(_is_own(decode(raw) or {}) for _, _, raw in islice(lines(file), _SNIFFED))
    except (OSError, zstandard.ZstdError):
        return False


def _is_own(record: dict[str, Any]) -> bool:
    if isinstance(record.get("payload"), dict):
        return record.get("type") in ENVELOPES
    if record.get("record_type") == "state" or ("instructions" in record and "id" in record):
        return True
    return record.get("type") in ("message", "function_call") and ("content" in record or "call_id" in record)


class CodexReading(Reading):
    """A session, or the thread of a sub-agent."""

    agent = "codex"
    dialogs = AGENT.dialogs

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._void: list[tuple[int, int]] = []
        self._prefix = 0
        self._tells_typed = False
        self._unconfirmed: dict[str, None] = {}
        self._recent: deque[tuple[str, str, str]] = deque(maxlen=_RECENT)
        self._ended: dict[str, dict[str, Any]] = {}
        self._total = [0] * len(KINDS)

    def _walk(self) -> Iterator[None]:
        try:
            self._prefix, self._void, self._tells_typed = _survey(self.path)
            for number, record in self.records():
                self.line = number
                self.at = when(record.get("timestamp", record.get("created_at")))
                self.take(record)
                yield
        except zstandard.ZstdError:
            self.malformed += 1

    def opened(self) -> io.BufferedReader:
        return _opened(self.path)

    def take(self, record: dict[str, Any]) -> None:
        kind, payload = _opened_envelope(record)
        if kind == "session_meta":
            self._meta(payload)
        elif kind == "event_msg" and payload.get("type") == "token_count":
            self._tokens(payload)
        elif self.line <= self._prefix:
            return
        elif kind == "turn_context":
            self.circumstances(field(payload, "cwd"), model=field(payload, "model"))
        elif not any(start <= self.line <= end for start, end in self._void):
            self.seen_at(self.at)
            if kind == "response_item":
                self._item(payload)
            elif kind == "event_msg":
                self._event(payload)
            elif kind == "compacted":
                self._add("summary", text_of(payload.get("message")))

    def _meta(self, meta: dict[str, Any]) -> None:
        if "id" in self.facts:
            # A fork repeats the beginning of another file; what that file says about itself does not apply.
            if field(meta, "id") != self.facts["id"]:
                self.facts.setdefault("parent", field(meta, "id"))
            else:
                self.branch = field(meta.get("git"), "branch") or self.branch
            return
        spawned = as_dict(meta.get("source")).get("subagent")
        spawn = as_dict(spawned).get("thread_spawn")
        self.know(
            id=field(meta, "id", "session_id"),
            version=field(meta, "cli_version"),
            parent=field(meta, "parent_thread_id") or field(spawn, "parent_thread_id") or field(meta, "forked_from_id"),
            is_subagent="yes" if spawned else "",
        )
        self.circumstances(field(meta, "cwd"), field(meta.get("git"), "branch"))
        self.seen_at(when(meta.get("timestamp")) or self.at)

    def _tokens(self, payload: dict[str, Any]) -> None:
        """Count what was added to the running total; where the total starts again, what the last step says."""
        info = as_dict(payload.get("info"))
        usage = info.get("total_token_usage")
        if not isinstance(usage, dict):
            return
        total = counts(usage, *KINDS)
        added = [new - old for new, old in zip(total, self._total, strict=True)]
        if min(added[:2]) < 0:
            last = info.get("last_token_usage")
            added = counts(last, *KINDS) if isinstance(last, dict) else total
        self._total = total
        if self.line > self._prefix:
            given, output, cached, written, reasoning = added
            used = (given - cached - written, output - reasoning, cached, written, reasoning)
            self.cost.add("", *used, at=self.at, model=self.model)

    def _add(self, role: str, text: str, failed: bool = False) -> None:
        if text.strip():
            self.held.add(self.event(role, cut(text, MAX_TEXT), failed=failed))

    def _say(self, role: str, text: str, channel: str) -> None:
        """Add what was said, unless it was told through the other channel already."""
        key = text.strip()
        if role == "assistant":
            self._give_up()
        elif self._tells_typed and channel == "item" and (role, key, "event") not in self._recent:
            # Until an event confirms it, nothing says that it was typed.
            self._unconfirmed[f"item {key}"] = None
            self.held.add(self.event("injected", cut(text, MAX_TEXT)), f"item {key}")
            return
        elif self._unconfirmed.pop(f"item {key}", 0) is None:
            self.held.speak(f"item {key}", role)
            return
        for told_before in self._recent:
            if told_before[:2] == (role, key) and told_before[2] != channel:
                self._recent.remove(told_before)
                return
        self._recent.append((role, key, channel))
        self._add(role, text)

    def _person(self, text: str, channel: str) -> None:
        for role, part in behind_line(cut(text, MAX_TEXT), REQUEST, FRAMED, self.usual()):
            if role in ("human", "task"):
                self._say(role, part, channel)
            elif channel == "item":
                self._add(role, part)

    def _give_up(self) -> None:
        """Wait no longer for the events of items that stand where a person speaks."""
        for key in self._unconfirmed:
            self.held.answer(key)
        self._unconfirmed.clear()

    def _item(self, item: dict[str, Any]) -> None:
        kind = field(item, "type") or ("message" if "role" in item else "")
        if kind == "message":
            content, role = item.get("content", item.get("message")), item.get("role")
            if role == "assistant":
                self._say("assistant", text_of(content), "item")
            elif role == "user":
                for block in blocks(content):
                    if is_typed(block):
                        self._person(text_of(block), "item")
                    else:
                        self._add("injected", text_of(block))
            else:
                text = text_of(content)
                self._add("ours" if OURS in text else "injected", text)
        elif kind == "agent_message":
            self._add("task", text_of(item.get("content")))
        elif kind.endswith(("_output", "_result")):
            self._result(item)
        elif kind.endswith("_call"):
            self._call(item, kind)

    def _call(self, item: dict[str, Any], kind: str) -> None:
        self._give_up()
        function = item.get("function")
        name = field(item, "name") or field(function, "name") or kind.removesuffix("_call")
        space = field(item, "namespace")
        given = next((item[one] for one in ("arguments", "input", "action", "revised_prompt") if one in item), None)
        call = field(item, "call_id")
        answered = not call or "result" in item
        output = cut(text_of(item.get("result")), MAX_OUTPUT) if answered else ""
        tool = f"{space}.{name}" if space and not name.startswith(space) else name
        event = self.event("tool", "", field(item, "id"), False, tool, call, input_text(given), output, answered)
        self.held.add(event, "" if answered else call)

    def _result(self, item: dict[str, Any]) -> None:
        call = field(item, "call_id")
        found = next((item[name] for name in ("output", "result", "tools") if name in item), None)
        result = _understood(found)
        result.update(self._ended.pop(call, {}))
        asked = self.held.waiting(call)
        if self.held.answer(call, until=self.at, **result):
            self.choose(asked)
        else:
            name, output, failed = field(item, "name"), result["output"], result["failed"]
            self.held.add(self.event("tool", "", "", failed, name, call, "", output, answered=True))

    def _event(self, event: dict[str, Any]) -> None:
        kind = field(event, "type")
        if kind == "user_message" and field(event, "kind") in ("", "plain"):
            self._person(text_of(event.get("message")), "event")
        elif kind == "agent_message":
            self._say("assistant", text_of(event.get("message")), "event")
        elif kind == "item_completed":
            self._completed(as_dict(event.get("item")))
        elif kind in ("exec_command_end", "patch_apply_end", "mcp_tool_call_end", "dynamic_tool_call_response"):
            self._end(event)
        elif kind == "turn_aborted":
            self._add("injected", f"[turn aborted: {field(event, 'reason')}]")
        elif kind in ("error", "stream_error"):
            self._add("injected", text_of(event.get("message")), failed=True)
        elif kind == "thread_name_updated":
            self.know(title=field(event, "thread_name"))

    def _completed(self, item: dict[str, Any]) -> None:
        if field(item, "type") == "UserMessage":
            for block in filter(is_typed, blocks(item.get("content"))):
                self._person(text_of(block), "event")
        elif field(item, "type") == "AgentMessage":
            self._say("assistant", text_of(item.get("content")), "event")

    def _end(self, event: dict[str, Any]) -> None:
        """Keep how a call ended until its result comes, which says it less clearly."""
        call, taken = field(event, "call_id"), event.get("duration")
        ended: dict[str, Any] = {}
        if isinstance(taken, dict):
            ended["took"] = whole(taken.get("secs")) * 1_000 + whole(taken.get("nanos")) // 1_000_000
        if isinstance(event.get("exit_code"), int):
            ended["failed"] = event["exit_code"] != 0
        elif isinstance(event.get("success"), bool):
            ended["failed"] = not event["success"]
        elif isinstance(event.get("result"), dict):
            ended["failed"] = "Err" in event["result"]
        if call and len(self._ended) < 1_000:
            self._ended[call] = ended

    def session(self) -> Session:
        if "id" not in self.facts:
            stem = os.path.basename(self.path).removesuffix(".zst").removesuffix(".jsonl")
            found = _ID.findall(stem)
            self.facts["id"] = found[0] if found else stem
        return super().session()


def _opened_envelope(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return kind and payload of a record of any generation."""
    payload = record.get("payload")
    if isinstance(payload, dict):
        return field(record, "type"), payload
    if "type" in record or "role" in record:
        return "response_item", record
    return ("session_meta" if "id" in record else ""), record


def _understood(output: Any) -> dict[str, Any]:
    """Return output, failure and duration of a result, as far as it says them."""
    if isinstance(output, str) and output[:2] in ('{"', "{ "):
        inner = decode(output.encode("utf-8", "replace"))
        output = inner if inner is not None and "output" in inner else output
    failed, taken = False, 0
    if isinstance(output, dict):
        failed = output.get("success") is False
        data = output.get("metadata")
        if isinstance(data, dict):
            failed = failed or whole(abs(code) if isinstance(code := data.get("exit_code"), int) else 0) > 0
            seconds = data.get("duration_seconds")
            taken = round(seconds * 1_000) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e9 else 0
    text = text_of(output)
    # A patch that does not apply changes nothing, and has no exit code that says so.
    failed = failed or text.startswith(_NOT_APPLIED)
    if code := _EXIT.search(text, 0, 400):
        failed = failed or int(code[1]) != 0
    if wall := _WALL.search(text, 0, 400):
        taken = taken or round(float(wall[1]) * 1_000)
    return {"output": cut(text, MAX_OUTPUT), "failed": failed, "took": taken}


def _opened(path: str) -> io.BufferedReader:
    """Open a transcript in whichever form it is now: the agent compresses files between our listing and opening."""
    try:
        file = open_plain(path)
    except FileNotFoundError:
        file = open_plain(path.removesuffix(".zst") if path.endswith(".zst") else f"{path}.zst")
    # Unbuffered: a buffer would be filled for four bytes.
    if os.pread(file.fileno(), 4, 0) != MAGIC:
        return file
    stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=True)
    return io.BufferedReader(stream, 2**20)


def _survey(path: str) -> tuple[int, list[tuple[int, int]], bool]:
    """Return the last line of a copied beginning, the ranges of void lines, and whether events tell what was typed."""
    with _opened(path) as file:
        head = [_opened_envelope(decode(raw) or {}) for _, _, raw in islice(lines(file), 4)]
    metas = [payload for kind, payload in head if kind == "session_meta"]
    is_copy = len({field(meta, "id") for meta in metas}) > 1 or bool(metas and field(metas[0], "forked_from_id"))
    rolled_back, tells_typed, before, length = is_copy, False, b"", len(_ROLLED_BACK)
    with _opened(path) as file:
        while not (rolled_back and tells_typed) and (piece := file.read(2**18)):
            seam = before + piece[:length]
            rolled_back = rolled_back or _ROLLED_BACK in piece or _ROLLED_BACK in seam
            # In a transcript, a quote within a text has a backslash before it.
            tells_typed = tells_typed or any(mark in piece or mark in seam for mark in _TYPED)
            before = piece[-length:]
    prefix, void = _marked(path, field(metas[0], "id") if is_copy else "") if rolled_back else (0, [])
    return prefix, void, tells_typed


def _marked(path: str, fork: str) -> tuple[int, list[tuple[int, int]]]:
    """Return the same as `_survey` by what the lines say about turns; `fork` is the id of a session with a copy."""
    prefix, void, number = 0, [], 0
    copied, has_ids = bool(fork), False
    turns: dict[str, list[int]] = {"task_started": [], "user_message": []}
    with _opened(path) as file:
        for number, _, raw in lines(file):
            if not any(mark in raw for mark in _MARKS):
                continue
            kind, payload = _opened_envelope(decode(raw) or {})
            name = field(payload, "type") or kind
            turn = field(payload, "turn_id") if name in ("task_started", "turn_context") else ""
            if copied and turn:
                # A turn whose id has an earlier time was begun before the session.
                are_ids = _ID.fullmatch(turn) and _ID.fullmatch(fork)
                copied, has_ids = bool(are_ids and turn[:13] < fork[:13]), True
                prefix = number - 1 if not copied else prefix
            if kind == "event_msg" and name in turns:
                turns[name].append(number)
            elif kind == "event_msg" and name == "thread_rolled_back":
                void += _rolled_back(turns, whole(payload.get("num_turns")), number)
    return (number if copied and has_ids else prefix), void


def _rolled_back(turns: dict[str, list[int]], count: int, number: int) -> list[tuple[int, int]]:
    """Return the lines of the last turns, and forget these turns."""
    starts = turns["task_started"] or turns["user_message"]
    if not starts or not count:
        return []
    first = starts[max(0, len(starts) - count)]
    for one in turns.values():
        one[:] = [start for start in one if start < first]
    return [(first, number)]


read = CodexReading.read
