"""A made-up session in the making: its events, as an agent with these names of tools would tell them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from holdfast.records import SessionEvent


@dataclass(frozen=True)
class Dialect:
    """How an agent names its tools, what it writes around the output of a failed command, and how it says no."""

    shell: str
    edit: str
    read: str
    search: str
    failing: str
    refused: str
    no_match: str


DIALECTS = (
    Dialect(
        *("Bash", "Edit", "Read", "Grep", "Exit code {code}\n{output}"),
        "The user doesn't want to proceed with this tool use. The tool use was rejected.",
        "<tool_use_error>String to replace not found in file.\nString: {old}</tool_use_error>",
    ),
    Dialect(
        *("exec_command", "apply_patch", "read_file", "grep_search"),
        "Chunk ID: {hex}\nWall time: 0.{code}3 seconds\nProcess exited with code {code}\nOutput:\n{output}",
        "exec command rejected by user",
        "apply_patch verification failed: Failed to find expected lines in {path}:\n{old}",
    ),
    Dialect(
        *("run_shell_command", "replace", "read_file", "search_file_content"),
        "Command: x\nDirectory: (root)\nOutput: {output}\nError: (none)\nExit Code: {code}\nSignal: (none)",
        "[Operation Cancelled] Reason: User denied execution.",
        "Failed to edit, could not find the string to replace.",
    ),
    Dialect(
        *("bash", "edit", "read", "grep", "{output}"),
        "The user rejected permission to use this specific tool call.",
        "Error: oldString not found in content",
    ),
)


@dataclass
class Script:
    """The events of one session so far; the clock goes on with each."""

    random: random.Random
    dialect: Dialect
    started: float
    folder: str
    events: list[SessionEvent] = field(default_factory=list)
    when: Callable[[float], str] = str

    def ask(self, text: str) -> None:
        """The person says something."""
        self._add("human", text=text)

    def say(self, text: str) -> None:
        """The agent says something."""
        self._add("assistant", text=text)

    def put_in(self, role: str, text: str) -> None:
        """A program says something in the place of a person or the agent."""
        self._add(role, text=text)

    def run(self, command: str, output: str = "", code: int = 0) -> None:
        """The agent runs a command."""
        told = output
        if code:
            told = self.dialect.failing.format(code=code, output=output, hex=f"{self.random.getrandbits(24):06x}")
        self.call(self.dialect.shell, {"command": command}, told, failed=bool(code))

    def refuse(self, command: str) -> None:
        """The person does not let a command run."""
        self.call(self.dialect.shell, {"command": command}, self.dialect.refused, failed=True)

    def edit(self, path: str) -> None:
        """The agent changes a file."""
        new = f"value_{self.random.randrange(10**6)} = {self.random.randrange(100)}"
        given = {"file_path": f"{self.folder}/{path}", "old_string": "x", "new_string": new}
        self.call(self.dialect.edit, given, f"The file {path} has been updated.")

    def fail_edit(self, path: str, old: str) -> None:
        """The agent wants to change what is not there."""
        given = {"file_path": f"{self.folder}/{path}", "old_string": old, "new_string": "y"}
        self.call(self.dialect.edit, given, self.dialect.no_match.format(old=old, path=path), failed=True)

    def read(self, path: str) -> None:
        """The agent reads a file."""
        self.call(self.dialect.read, {"file_path": f"{self.folder}/{path}"}, f"1  # {path}\n2  import os")

    def search(self, pattern: str) -> None:
        """The agent searches with its own tool."""
        self.call(self.dialect.search, {"pattern": pattern}, f"src/a.py:3: {pattern}")

    def call(self, tool: str, given: dict[str, str], output: str, failed: bool = False) -> None:
        """The agent calls a tool."""
        self._add("tool", tool=tool, input=json.dumps(given), output=output, failed=failed, answered=True)

    def _add(self, role: str, **more: Any) -> None:
        self.started += self.random.uniform(3, 40)
        number = len(self.events)
        at = self.when(self.started)
        self.events.append(SessionEvent(number, role, at=at, line=number + 1, folder=self.folder, **more))
