"""What a tool call does, whatever its agent calls the tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.records import SessionEvent
from holdfast.sessions.tools import KINDS, command_of, files_of, kind_of


def call(given: object, tool: str = "x") -> SessionEvent:
    """Return a call that was given this."""
    return SessionEvent(0, "tool", tool=tool, input=given if isinstance(given, str) else json.dumps(given))


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        *[(name, "shell") for name in ("Bash", "exec_command", "run_shell_command", "bash", "run_terminal_command")],
        *[(name, "edit") for name in ("Edit", "MultiEdit", "apply_patch", "write_file", "replace", "fs_write")],
        *[("Read", "read"), ("Grep", "search"), ("WebFetch", "web"), ("Task", "agent"), ("TodoWrite", "plan")],
        *[
            ("mcp__files__write_file", "edit"),
            ("mcp__holdfast__remember", "memory"),
            ("functions.exec_command", "shell"),
        ],
        *[("mcp__forge__create_pull_request", "pr"), ("mcp__weather__today", "other"), ("", "other")],
    ],
)
def test_a_tool_is_known_by_its_name(tool: str, kind: str) -> None:
    """Capitals, signs and the name of a server before it change nothing."""
    assert kind_of(tool) == kind


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ({"command": "ls -l"}, "ls -l"),
        ({"cmd": "ls"}, "ls"),
        ({"command": ["bash", "-lc", "npm test && ls"]}, "npm test && ls"),
        ({"command": ["git", "commit", "-m", "a b"]}, "git commit -m 'a b'"),
        ("ls -l", "ls -l"),
        ('{"command": "git push", "description": "cut of', "git push"),
        ({"other": 1}, ""),
        ("", ""),
    ],
)
def test_the_command_line_is_found(given: object, command: str) -> None:
    """It is a text or a list of words, in any of the fields that agents use, also where the JSON was cut."""
    assert command_of(call(given)) == command


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ({"file_path": "/a/b.py", "content": "x"}, ["/a/b.py"]),
        ({"filePath": "b.py"}, ["b.py"]),
        ("*** Begin Patch\n*** Update File: a.py\n@@\n-x\n*** Add File: b c.py\n+y\n*** End Patch", ["a.py", "b c.py"]),
        ({"input": "*** Begin Patch\n*** Delete File: a.py\n*** End Patch"}, ["a.py"]),
        ('{"content": "says \\"file_path\\": \\"no.py\\"", "file_path": "yes.py", "rest": "cu', ["yes.py"]),
        ("plain text", []),
        ({}, []),
    ],
)
def test_the_changed_files_are_found(given: object, files: list[str]) -> None:
    """A patch names several; a name within the written text is not one."""
    assert files_of(call(given)) == files


@given(st.text(max_size=200), st.one_of(st.text(max_size=200), st.recursive(st.none() | st.text(max_size=9), st.lists)))
def test_no_call_is_too_odd(tool: str, given: object) -> None:
    """Whatever a tool is called and given, there is a kind, a text and a list."""
    event = call(given, tool)
    assert kind_of(tool) in KINDS
    assert isinstance(command_of(event), str)
    assert isinstance(files_of(event), list)
