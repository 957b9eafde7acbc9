"""What the tests of rules share: a workspace, a memory in it, and a call that a hook is told of."""

from __future__ import annotations

import os

import pytest

from holdfast import agents
from holdfast.memory.remember import remember
from holdfast.parts import HookRun
from holdfast.rules import hook
from holdfast.workspace import Workspace
from support.answers import Answers


@pytest.fixture
def workspace(home, shop):
    """The workspace of the shop."""
    with Workspace(str(home), folder=str(shop)) as opened:
        yield opened


@pytest.fixture
def store(workspace):
    """Store a memory in the shop, in the person's own name."""
    return lambda text, **more: remember(workspace, text, **more).memory


@pytest.fixture
def call(home, shop, monkeypatch):
    """Tell a hook of a call of Claude Code, and return what the rules answer."""
    adapter = agents.get("claude-code")
    injects = frozenset({"start", "prompt", "before-tool", "after-tool", "tool-failed"})
    monkeypatch.setattr(type(adapter), "injects", injects)

    def make(line: str = "", moment: str = "before-tool", session: str = "s1", tool: str = "Bash", **more):
        told = more.pop("told", {"command": line})
        environment = {**os.environ, **{name: more.pop(name) for name in list(more) if name.isupper()}}
        event = {"before-tool": "PreToolUse", "tool-failed": "PostToolUseFailure", "compact": "PreCompact"}[moment]
        data = {"session_id": session, "cwd": str(shop), "tool_name": tool, "tool_input": told, **more}
        given = adapter.read_hook_input(event, data, environment)
        run = HookRun(str(home), adapter, given, environment)
        return Answers(getattr(hook, f"at_{moment.replace('-', '_')}")(run))

    return make
