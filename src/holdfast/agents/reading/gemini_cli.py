"""The transcripts of Gemini CLI: one JSON document for a session, since 0.40 a JSONL log that is replayed.

In the log a message is written again whenever it changes: the last record of an id counts, in the place of the first.
`$rewindTo` undoes the message it names and all after it. `$set.messages` replaces what the model is given (at a start,
a resume, a compression): it adds the messages that are new, but what was said before stays said. The result of a call
stands in the call, and once more as a message of the user. The folder is told by a file beside the chats. Cached
tokens are part of the input, thoughts are not part of the output.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import IO, Any

from holdfast.agents.base import Place
from holdfast.agents.gemini_cli import AGENT, HANDED_OVER
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import (
    decode,
    document,
    files_below,
    first_line,
    head,
    lines,
    open_plain,
    small_json,
    small_text,
    without_mark,
)
from holdfast.agents.reading.values import MAX_OUTPUT, as_dict, as_list, blocks, counts, field, text_of, when
from holdfast.privacy.speech import REFERENCED, behind_block

TYPES = ("user", "gemini", "info", "error", "warning")
FAILED = ("error", "cancelled")
_WORKSPACE = re.compile(r"Workspace Directories:\*\*\n\s*- (\S.*)\n")
_EXIT = re.compile(r"^Exit Code: [1-9]\d*[ \t\r]*$", re.MULTILINE)


def find(place: Place) -> Iterator[str]:
    """Yield the files of chats. A document that was continued as a log is left to the log."""
    root = place.environment.get("GEMINI_CLI_HOME") or place.home
    for path in files_below(os.path.join(root, ".gemini", "tmp"), ".json", ".jsonl"):
        if f"{os.sep}chats{os.sep}" in path and not (path.endswith(".json") and os.path.isfile(path + "l")):
            yield path


def sniff(path: str) -> bool:
    """Whether the file is a log or a document with the session and the project that only this agent names so."""
    record = first_line(path)
    if record is None:
        start = head(path)
        is_document = b'"projectHash"' in start or (b'"history"' in start and b'"parts"' in start)
        return start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and is_document
    if "projectHash" in record:
        return "sessionId" in record
    is_message = field(record, "type") in ("user", "gemini") and "content" in record and "id" in record
    return is_message and "uuid" not in record and "message" not in record and "role" not in record


class GeminiReading(Reading):
    """One session, from a document or from a log."""

    agent = "gemini-cli"
    dialogs = AGENT.dialogs

    def records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Return the messages, each with its number."""
        first = first_line(self.path)
        is_log = first is not None and "messages" not in first and "history" not in first
        return self.numbered(self._replayed() if is_log else self._in_document())

    def begin(self) -> None:
        parent = os.path.dirname(os.path.abspath(self.path))
        if os.path.basename(parent) != "chats" and os.path.basename(os.path.dirname(parent)) == "chats":
            self.facts.update(parent=os.path.basename(parent), is_subagent="yes")
            parent = os.path.dirname(parent)
        project = os.path.dirname(parent)
        folder = small_text(os.path.join(project, ".project_root"))
        if not folder:
            known = as_dict(small_json(os.path.join(project, "..", "..", "projects.json")).get("projects"))
            folder = next((path for path, name in known.items() if name == os.path.basename(project)), "")
        self.circumstances(folder)

    def _metadata(self, record: dict[str, Any]) -> None:
        is_subagent = "yes" if field(record, "kind") == "subagent" else ""
        self.know(id=field(record, "sessionId"), title=field(record, "summary"), is_subagent=is_subagent)
        for one in as_list(record.get("directories"))[:1]:
            self.circumstances(one if isinstance(one, str) and not self.folder else "")
        self.seen_at(*(when(record.get(name)) for name in ("startTime", "start_time", "lastUpdated")))

    def _in_document(self) -> Iterator[dict[str, Any] | None]:
        rest, messages = document(self.path, "messages")
        self._metadata(rest)
        yield from messages
        for one in as_list(rest.get("history")):
            kind = "gemini" if field(one, "role") in ("model", "gemini") else "user"
            yield {"type": kind, "content": one.get("parts"), "timestamp": one.get("ts")} if as_dict(one) else None

    def _replayed(self) -> Iterator[dict[str, Any] | None]:
        """Yield the messages of the log as they are in the end, in the order in which they came up."""
        at: tuple[int, int] = (-1, -1)
        many: dict[str, dict[str, Any]] = {}
        with open_plain(self.path) as file:
            for id, span in self._survey(file).items():
                # Records with many messages are decoded only once.
                if span != at:
                    file.seek(span[0])
                    record = decode(without_mark(file.read(span[1] - span[0]))) or {}
                    several = as_list((as_dict(record.get("$set")) or record).get("messages"))
                    many = {field(one, "id"): one for one in reversed(several) if as_dict(one)} or {id: record}
                    at = span
                yield many.get(id)

    def _survey(self, file: IO[bytes]) -> dict[str, tuple[int, int]]:
        """Return where the last record of each message that was not undone stands."""
        kept: dict[str, tuple[int, int]] = {}
        for _, end, raw in lines(file):
            span, self.offset = (self.offset, end), end
            record = decode(raw)
            if record is None:
                self.malformed += 1
            elif target := field(record, "$rewindTo"):
                ids = list(kept)
                for id in ids[ids.index(target) :] if target in kept else ():
                    del kept[id]
            elif field(record, "id") and "$set" not in record:
                kept[field(record, "id")] = span
            elif field(record, "type") in TYPES and "content" in record:
                # Without an id nothing can replace it or rewind to it, but it was said.
                kept[f"at {span[0]}"] = span
            else:
                changed = as_dict(record.get("$set")) or record
                self._metadata(changed)
                for one in as_list(changed.get("messages")):
                    kept.setdefault(field(one, "id"), span)
        kept.pop("", None)
        return kept

    def take(self, record: dict[str, Any]) -> None:
        kind = field(record, "type")
        self.circumstances(model=field(record, "model"))
        if kind == "user":
            self._user(record)
        elif kind == "gemini":
            self._answer(record)
        elif kind in TYPES:
            self.say("injected", text_of(record.get("content")), field(record, "id"), failed=kind == "error")

    def _user(self, message: dict[str, Any]) -> None:
        id, parts = field(message, "id"), blocks(message.get("content"))
        texts = [text_of(part) for part in parts if "functionResponse" not in as_dict(part)]
        for part in parts:
            response = as_dict(as_dict(part).get("functionResponse"))
            if response:
                output, error = _response(part)
                self.result(field(response, "id"), output, error or _ended_badly(output), field(response, "name"))
        before, mark, added = "\n".join(texts).partition(REFERENCED)
        if (workspace := _WORKSPACE.search(before)) and not self.folder:
            self.circumstances(workspace[1].strip())
        # What was shown as typed counts as typed, whatever else the model was given.
        if shown := text_of(message.get("displayContent")):
            self.person(shown, id, self.usual())
            self.say("injected", mark + added, id)
        else:
            self.person(texts, id, self.usual() if len(texts) == len(parts) else "injected")

    def parts_of(self, text: str, usual: str) -> list[tuple[str, str]]:
        return behind_block(text, HANDED_OVER, usual)

    def _answer(self, message: dict[str, Any]) -> None:
        parts = blocks(message.get("content"))
        spoken = [one for one in parts if not as_dict(one).get("thought") and "functionCall" not in as_dict(one)]
        self._count(message)
        asked = [call for part in parts if (call := as_dict(as_dict(part).get("functionCall")))]
        calls = as_list(message.get("toolCalls"))
        self.answer("\n".join(map(text_of, spoken)), field(message, "id"), calls=bool(asked or calls))
        for call in calls:
            self._call(as_dict(call), field(message, "id"))
        for call in asked:
            self.call(field(call, "id"), field(call, "name"), call.get("args"))

    def _call(self, call: dict[str, Any], message: str) -> None:
        key, name = field(call, "id") or f"{message}/{field(call, 'name')}/{self.held.given}", field(call, "name")
        outputs = [_response(part) for part in as_list(call.get("result"))]
        output = "\n".join(text for text, _ in outputs) or text_of(call.get("resultDisplay"))
        failed = field(call, "status") in FAILED or any(error for _, error in outputs) or _ended_badly(output)
        self.call(key, name, call.get("args"))
        now, self.at = self.at, when(call.get("timestamp")) or self.at
        # A server's tool may have any name, but it lacks this field beside it.
        answers: Any = None if field(call, "displayName") in ("", "Ask User") else {}
        self.result(key, output, failed, name, answers=answers)
        self.at = now

    def _count(self, message: dict[str, Any]) -> None:
        names = ("input", "output", "cached", "thoughts", "total", "tool")
        given, output, cached, thoughts, total, tool = counts(message.get("tokens"), *names)
        given, *others = usage(given, output, cached, thoughts, total - tool)
        self.cost.add(field(message, "id"), given + tool, *others, at=self.at, model=field(message, "model"))


def _response(part: Any) -> tuple[str, bool]:
    """Return what a tool answered, and whether that was an error."""
    response = as_dict(as_dict(part).get("functionResponse")).get("response")
    error = field(response, "error") or text_of(as_dict(response).get("error"))
    return error or text_of(response), bool(error)


def _ended_badly(output: str) -> bool:
    return _EXIT.search(output[-MAX_OUTPUT:]) is not None


def usage(prompt: int, output: int, cached: int, thoughts: int, total: int) -> tuple[int, int, int, int, int]:
    """Return counts as `Costs.add` takes them. Some servers count thoughts into the output: then the total tells."""
    if thoughts and total == prompt + output:
        output = max(0, output - thoughts)
    return max(0, prompt - cached), output, min(cached, prompt), 0, thoughts


read = GeminiReading.read
