"""What a tool call does, whatever its agent calls the tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.language.tools import KINDS, changed_files, kind_of, line_of, paths_in, spawned, writes_plan

PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: b.md\n+z\n*** End Patch"


def text_of(given: object) -> str:
    """Return what a call was given as agents write it."""
    return given if isinstance(given, str) else json.dumps(given)


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        *[(name, "shell") for name in ("Bash", "exec_command", "run_shell_command", "bash", "exec")],
        *[(name, "shell") for name in ("container.exec", "local_shell_call", "run_terminal_command", "mcp__box__bash")],
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
        ('{"command": "echo \\"a\\"\\nnpm test --wat', 'echo "a"\nnpm test --wat'),
        ("{ npm test; }", "{ npm test; }"),
        ({"other": 1}, ""),
        ("", ""),
    ],
)
def test_the_command_line_is_found(given: object, command: str) -> None:
    """It is a text or a list of words, in any of the fields that agents use, also where the JSON was cut."""
    assert line_of(text_of(given)) == command


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
    assert paths_in(text_of(given)) == files


@pytest.mark.parametrize(
    ("tool", "given", "files"),
    [
        ("Edit", {"file_path": "/p/a.py", "old_string": "x"}, ["/p/a.py"]),
        ("mcp__files__write_file", '{"path": "b.py", "content": "x"}', ["b.py"]),
        ("functions.apply_patch", PATCH, ["src/a.py", "b.md"]),
        ("shell", {"command": ["apply_patch", PATCH]}, ["src/a.py", "b.md"]),
        ("Write", '{"file_path": "/p/long.py", "content": "' + "x" * 400, ["/p/long.py"]),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, []),
        ("Read", {"file_path": "/p/a.py"}, []),
        ("Bash", "cat a.py", []),
    ],
)
def test_files_of_a_call(tool, given, files):
    """An editing tool names its file, a patch its files, and what only reads names none."""
    assert changed_files(tool, given) == files


def test_what_sets_an_agent_to_work() -> None:
    """A call that starts another agent says which; one that only talks to it, or waits for it, starts none."""
    assert spawned("Task", '{"subagent_type": "reviewer", "prompt": "look"}') == "reviewer"
    assert spawned("spawn_agent", "{}") == "spawn_agent"
    assert spawned("wait_agent", "{}") == spawned("Skill", '{"name": "x"}') == ""


def test_what_writes_a_plan() -> None:
    """Reading a plan, or asking the person, writes none."""
    assert writes_plan("TodoWrite") and writes_plan("update_plan")
    assert not writes_plan("TodoRead") and not writes_plan("AskUserQuestion")


@given(st.text(max_size=200), st.one_of(st.text(max_size=200), st.recursive(st.none() | st.text(max_size=9), st.lists)))
def test_no_call_is_too_odd(tool: str, given: object) -> None:
    """Whatever a tool is called and given, there is a kind, a text and a list."""
    assert kind_of(tool) in KINDS
    assert isinstance(line_of(text_of(given)), str)
    assert isinstance(changed_files(tool, text_of(given)), list)
