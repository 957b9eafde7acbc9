"""The transcripts of Grok: a folder for each session, of which four files tell one story.

`updates.jsonl` is the log: prompts, pieces of answers, calls and their results, with times, and what each turn cost. It
only grows; a rewind is a line that makes earlier ones void. `chat_history.jsonl` is what the model was given: it has no
times and is rewritten by compactions and rewinds, but it alone has the texts that the program put in. `events.jsonl`
knows how long a tool took and whether it failed, `summary.json` the title, the folder and the branch. Sessions without
the log, and those of the oldest format, are told from the history.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Costs, Reading
from holdfast.agents.reading.lines import decode, first_record, first_records, lines, open_plain, small_json, small_text
from holdfast.agents.reading.values import MAX_TEXT, apart, as_dict, as_list, counts, cut, field, text_of, when, whole
from holdfast.privacy.speech import class_of, within, words_in
from holdfast.records import Session

LOG, HISTORY, EVENTS, SUMMARY = "updates.jsonl", "chat_history.jsonl", "events.jsonl", "summary.json"
KINDS = ("system", "user", "assistant", "reasoning", "tool_result", "backend_tool_call", "tool")
# What the person typed while the agent was working has a reason, too, but the person speaks.
TYPED = "interjection"
TOKENS = ("inputTokens", "outputTokens", "cachedReadTokens", "cacheCreationTokens", "reasoningTokens")
TICKS_IN_A_DOLLAR = 10_000_000_000
MAX_ADDED = 1_000


def find(place: Place) -> Iterator[str]:
    """Yield the folders of sessions."""
    root = os.path.join(place.environment.get("GROK_HOME") or os.path.join(place.home, ".grok"), "sessions")
    for project in _folders(root):
        for session in _folders(project):
            if any(os.path.isfile(os.path.join(session, name)) for name in (LOG, HISTORY)):
                yield session


def _folders(path: str) -> list[str]:
    try:
        with os.scandir(path) as entries:
            return sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def sniff(path: str) -> bool:
    """Whether the folder holds a session: a log of updates, or a history of items."""
    if not os.path.isdir(path):
        return False
    if any(field(_update(record), "sessionUpdate") for record in first_records(os.path.join(path, LOG))):
        return True
    return field(first_record(os.path.join(path, HISTORY)), "type", "role") in KINDS


class GrokReading(Reading):
    """One session, merged from the files of its folder."""

    agent = "grok"
    request_tag = "user_query"

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._tools: dict[str, tuple[int, bool, str]] = {}
        self._turns: dict[int, str] = {}
        self._added: dict[int, list[tuple[int, str, str]]] = {}
        self._void: list[tuple[int, int]] = []
        self._typed: set[int] = set()
        self._counted: dict[str, tuple[tuple[int, ...], float, str, str]] = {}
        # What is being said piece by piece: by whom, in which turn, since when, on which line.
        self._speaker = ("", -1, "", 0)
        self._pieces: list[str] = []
        self._size = 0
        self._answered = False

    def _walk(self) -> Iterator[None]:
        self._read_summary()
        self._read_events()
        if self._look_ahead():
            self._read_added()
            yield from self._walk_log()
        else:
            yield from self._walk_history()

    def _records(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        return self.decoded(self._lines(name))

    def _lines(self, name: str) -> Iterator[tuple[int, bytes]]:
        try:
            file = open_plain(os.path.join(self.path, name))
        except OSError:
            return
        with file:
            for number, end, raw in lines(file):
                self.offset = end if name == LOG else self.offset
                yield number, raw

    def _read_summary(self) -> None:
        summary = small_json(os.path.join(self.path, SUMMARY))
        info = as_dict(summary.get("info"))
        self.know(
            id=field(info, "id") or os.path.basename(os.path.abspath(self.path)),
            title=field(summary, "generated_title", "session_summary"),
            parent=field(summary, "parent_session_id"),
            is_subagent="yes" if field(summary, "session_kind").startswith("subagent") else "",
        )
        self.circumstances(field(info, "cwd") or self._folder_by_name(), field(summary, "head_branch"))
        self.seen_at(*(when(summary.get(name)) for name in ("created_at", "last_active_at", "updated_at")))
        self.model = field(summary, "current_model_id")

    def _folder_by_name(self) -> str:
        parent = os.path.dirname(os.path.abspath(self.path))
        name = unquote(os.path.basename(parent))
        return small_text(os.path.join(parent, ".cwd")) or (name if os.path.isabs(name) else "")

    def _read_events(self) -> None:
        for _, event in self._records(EVENTS):
            kind, at = field(event, "type"), when(event.get("ts"))
            if kind == "tool_completed" and field(event, "tool_call_id"):
                failed = field(event, "outcome") not in ("", "success")
                self._tools[field(event, "tool_call_id")] = (whole(event.get("duration_ms")), failed, at)
            elif kind == "turn_started" and isinstance(event.get("turn_number"), int):
                self._turns[event["turn_number"]] = at

    def _look_ahead(self) -> bool:
        """Find out which lines of the log a rewind made void; say whether the log tells of a conversation at all."""
        begun: dict[int, int] = {}
        talks = False
        for number, raw in self._lines(LOG):
            if b'"user_message_chunk"' in raw:
                update = _update(decode(raw) or {})
                talks = True
                self._typed.add(hash(self._words_in(text_of(update.get("content")))))
                begun.setdefault(_turn(update), number)
            elif b'"rewind_marker"' in raw:
                target = _update(decode(raw) or {}).get("target_prompt_index")
                undone = [turn for turn in begun if isinstance(target, int) and turn >= target]
                if undone:
                    self._void.append((min(begun[turn] for turn in undone), number))
                begun = {turn: line for turn, line in begun.items() if turn not in undone}
            talks = talks or b'"tool_call"' in raw or b'"agent_message_chunk"' in raw
        return talks

    def _read_added(self) -> None:
        """Keep what the program told the model, by the turn before which it stands in the history."""
        waiting: list[tuple[int, str, str]] = []
        for number, item in self._records(HISTORY):
            if field(item, "type", "role") != "user":
                continue
            role, text = self._role_of(item)
            if isinstance(item.get("prompt_index"), int):
                self._added.setdefault(item["prompt_index"], []).extend(waiting)
                waiting = []
            elif len(waiting) < MAX_ADDED and (role != "human" or hash(self._words_in(text)) not in self._typed):
                # The log has everything that was typed: what it lacks was inserted by the program.
                is_added = role == "human" and field(item, "synthetic_reason") != TYPED
                waiting.append((number, "injected" if is_added else role, cut(text, MAX_TEXT)))
        self._added.setdefault(-1, []).extend(waiting)

    def _words_in(self, text: str) -> str:
        return words_in(within(text, self.request_tag))

    def _role_of(self, item: dict[str, Any]) -> tuple[str, str]:
        text, reason = text_of(item.get("content")), field(item, "synthetic_reason")
        self.look_for_workspace(text)
        if reason == TYPED or isinstance(item.get("prompt_index"), int):
            return self.usual(), text
        if reason or text.lstrip().startswith("<user_info>"):
            return class_of(text, "summary" if "summary" in reason else "injected"), text
        return self.usual(), text

    def _say_added(self, turn: int) -> None:
        line = self.line
        for number, role, text in self._added.pop(turn, ()):
            self.line = number
            self._say_as(role, text)
        self.line = line

    def _say_as(self, role: str, text: str) -> None:
        if role in ("summary", "command"):
            self.say(role, text)
        else:
            self.person(text, usual=role)

    def _walk_log(self) -> Iterator[None]:
        for number, record in self._records(LOG):
            update, params = _update(record), as_dict(record.get("params"))
            at = when(as_dict(params.get("_meta")).get("agentTimestampMs")) or when(record.get("timestamp"))
            kind = field(update, "sessionUpdate")
            if kind == "turn_completed":
                self._count(update, at)
            if any(first <= number <= last for first, last in self._void):
                continue
            self.stand(at, number)
            self._take(kind, update)
            yield
        self._finish_saying()
        self.release()
        for turn in sorted(self._added):
            self._say_added(turn)
        yield

    def _take(self, kind: str, update: dict[str, Any]) -> None:
        if kind in ("user_message_chunk", "agent_message_chunk"):
            self._piece(kind, update)
            return
        if kind in ("agent_thought_chunk", "tool_call", "turn_completed"):
            self._finish_saying()
        if kind == "tool_call":
            own = as_dict(as_dict(update.get("_meta")).get("x.ai/tool"))
            self.call(field(update, "toolCallId"), field(own, "name") or field(update, "title"), update.get("rawInput"))
        elif kind == "tool_call_update" and field(update, "status") in ("completed", "failed"):
            self._result(update)
        elif kind == "turn_completed":
            self._end_turn(update)
        elif kind in ("model_changed", "model_auto_switched"):
            self.model = field(update, "model_id", "modelId") or self.model

    def _piece(self, kind: str, update: dict[str, Any]) -> None:
        is_user = kind == "user_message_chunk"
        meta = as_dict(update.get("_meta"))
        role = "command" if meta.get("hostTurn") is True else "human" if is_user else "assistant"
        turn = _turn(update) if is_user else -1
        if (role, turn) != self._speaker[:2]:
            self._finish_saying()
            if is_user:
                self.release()
                self._say_added(turn)
                self._answered = False
                self.circumstances(model=field(meta, "modelId"))
            self._speaker, self._size = (role, turn, self.at, self.line), 0
        piece = text_of(update.get("content"))
        self._size += len(piece)
        if self._size <= MAX_TEXT or not self._pieces:
            self._pieces.append(piece)

    def _finish_saying(self) -> None:
        role, _, at, line = self._speaker
        text, now = "".join(self._pieces), (self.at, self.line)
        self._speaker, self._pieces = ("", -1, "", 0), []
        self.at, self.line = at, line
        if role == "assistant":
            self.stand(at, line, model=self.model)
            self._answered = True
            self.say("assistant", text)
        elif role == "command":
            self.say("command", text)
        elif text:
            self.person(text, usual=self.usual())
        self.at, self.line = now

    def _result(self, update: dict[str, Any]) -> None:
        key, own = field(update, "toolCallId"), as_dict(update.get("rawOutput"))
        took, failed, _ = self._tools.get(key, (0, False, ""))
        failed = failed or field(update, "status") == "failed" or whole(own.get("exit_code")) != 0
        blocks = as_list(update.get("content"))
        # For a changed file its path is enough.
        texts = [f"changed {field(one, 'path')}" if field(one, "type") == "diff" else text_of(one) for one in blocks]
        self.result(key, field(own, "output_for_prompt") or "\n".join(texts), failed, field(update, "title"), took)

    def _end_turn(self, update: dict[str, Any]) -> None:
        said = field(update, "agent_result")
        if field(update, "stop_reason") == "error":
            self.say("injected", said, failed=True)
        elif not self._answered:
            self.say("assistant", said)
        self.release()

    def _count(self, update: dict[str, Any], at: str) -> None:
        """Keep what a turn cost: of several reports on it, the largest. It was paid for even if it was undone."""
        usage, turn = as_dict(update.get("usage")), field(update, "prompt_id") or f"line {self.offset}"
        used = apart(*counts(usage, *TOKENS))
        models = list(as_dict(usage.get("modelUsage")))
        if turn not in self._counted or sum(used) >= sum(self._counted[turn][0]):
            model = models[0] if len(models) == 1 else self.model
            self._counted[turn] = (used, whole(usage.get("costUsdTicks")) / TICKS_IN_A_DOLLAR, at, model)
        self.models.update(dict.fromkeys(models))

    def session(self) -> Session:
        self.cost = Costs()
        for used, dollars, at, model in self._counted.values():
            self.cost.add("", *used, at=at, model=model, dollars=dollars)
        return super().session()

    def _walk_history(self) -> Iterator[None]:
        for number, item in self._records(HISTORY):
            kind = field(item, "type", "role")
            key, turn = field(item, "tool_call_id"), item.get("prompt_index")
            at = self._tools.get(key, (0, False, ""))[2] or (self._turns.get(turn, "") if isinstance(turn, int) else "")
            self.stand(at or self.at, number, model=field(item, "model_id"))
            if kind == "user":
                self._say_as(*self._role_of(item))
            elif kind == "assistant":
                self.say("assistant", text_of(item.get("content")))
                for one in map(as_dict, as_list(item.get("tool_calls"))):
                    named = as_dict(one.get("function")) or one
                    self.call(field(one, "id"), field(named, "name"), named.get("arguments"))
            elif kind in ("tool_result", "tool"):
                took, failed, _ = self._tools.get(key, (0, False, ""))
                self.result(key, item.get("content"), failed, took=took)
            elif kind == "backend_tool_call":
                one = as_dict(item.get("kind"))
                id, tool, status = field(one, "id"), field(one, "tool_type"), field(one, "status")
                self.call(id, tool, one.get("action"))
                self.result(id, "", status not in ("", "completed"), tool)
            yield


def _update(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a line of the log tells; the oldest lines have no envelope."""
    return as_dict(as_dict(record.get("params")).get("update")) or as_dict(record.get("update"))


def _turn(update: dict[str, Any]) -> int:
    turn = as_dict(update.get("_meta")).get("promptIndex")
    return turn if isinstance(turn, int) else -2


read = GrokReading.read
