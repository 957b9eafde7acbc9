"""The transcripts of Antigravity: the steps of a conversation, each a record.

A request stands among other blocks in what counts as the person's input. Calls have no ids: what tools gave follows as
steps of their own, in the order of the calls, and a step whose call is not told stands alone. Neither tokens nor, but
for what a command or a list of files was given, the folder are told.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

from holdfast.agents.base import Place
from holdfast.agents.reading.base import Reading
from holdfast.agents.reading.lines import first_record
from holdfast.agents.reading.values import as_dict, as_list, field, stem, text_of
from holdfast.base.files import names_in

# The full log first: in the other one long fields are cut.
FILES = ("transcript_full.jsonl", "transcript.jsonl")
PERSON = "USER_EXPLICIT"
_MODEL = re.compile(r"setting `Model Selection` from .{0,80}? to (.{1,80}?)\.\s")
_FAILED = re.compile(r"(?:command failed|exit code:? [1-9])", re.IGNORECASE)
_LOOKED_AT = 2_000


def find(place: Place) -> Iterator[str]:
    """Yield one file for each conversation of the command line, the desktop program and the editor."""
    for program in ("antigravity-cli", "antigravity", "antigravity-ide"):
        folder = os.path.join(place.home, ".gemini", program, "brain")
        for name in names_in(folder, hidden=True):
            paths = [os.path.join(folder, name, ".system_generated", "logs", file) for file in FILES]
            yield from [path for path in paths if os.path.isfile(path) and not os.path.islink(path)][:1]


def sniff(path: str) -> bool:
    """Whether the lines are steps with a source and a type."""
    record = first_record(path)
    return "step_index" in record and bool(field(record, "source")) and field(record, "type").isupper()


class AntigravityReading(Reading):
    """One conversation."""

    agent = "antigravity"
    request_tag = "USER_REQUEST"
    times = ("created_at",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._asked: deque[str] = deque()

    def begin(self) -> None:
        above, _, below = self.path.partition(f"{os.sep}brain{os.sep}")
        self.facts["id"] = below.partition(os.sep)[0] if below and above else stem(self.path)

    def take(self, record: dict[str, Any]) -> None:
        kind, source, text = field(record, "type"), field(record, "source"), text_of(record.get("content"))
        if kind == "USER_INPUT":
            self._over()
            self._input(text, "human" if source == PERSON else "injected")
        elif kind == "PLANNER_RESPONSE":
            self._over()
            self.say("assistant", text)
            for number, call in enumerate(as_list(record.get("tool_calls"))):
                self._call(f"{self.line}.{number}", as_dict(call))
        elif kind == "CHECKPOINT":
            self.say("summary", text)
        elif source == "MODEL" or kind == "TOOL_RESPONSE":
            self._result(kind, text, field(record, "status"))
        else:
            self.person(text, usual="injected")

    def _input(self, text: str, usual: str) -> None:
        """Add what was asked, apart from what the program put around it."""
        model = _MODEL.search(f"{text[-_LOOKED_AT:]} ")
        if model:
            self.model = model[1]
        self.person(text, usual=usual)

    def _call(self, key: str, call: dict[str, Any]) -> None:
        given = {name: _unquoted(value) for name, value in as_dict(call.get("args")).items()}
        self.circumstances(field(given, "Cwd"))
        self._asked.append(key)
        self.call(key, field(call, "name"), given)

    def _result(self, kind: str, text: str, status: str) -> None:
        failed = status in ("ERROR", "FAILED") or (kind == "RUN_COMMAND" and bool(_FAILED.search(text[:_LOOKED_AT])))
        key = self._asked.popleft() if self._asked else f"{self.line}"
        self.result(key, text, failed, kind.lower())

    def _over(self) -> None:
        """What was called before gets no result any more."""
        self.release()
        self._asked.clear()


def _unquoted(value: Any) -> Any:
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value


read = AntigravityReading.read
