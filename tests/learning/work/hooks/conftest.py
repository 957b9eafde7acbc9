"""An agent and a person as the hooks of learning hear them."""

from __future__ import annotations

import json
import os
import time

import pytest

from holdfast import agents
from holdfast.learning.work import model as work
from holdfast.parts import HookRun
from holdfast.records import replace
from support.parts import keep
from support.places import SHOP


@pytest.fixture
def told(home, shop):
    """Tell the hooks of learning what an agent tells, at a time of the test's own."""
    home.mkdir(exist_ok=True)
    (home / "state").mkdir(exist_ok=True)
    clock = [0]

    def tell(native: str, session="s1", agent: str = "claude-code", folder=shop, moment="", **more) -> HookRun:
        clock[0] += 1
        data = {"session_id": session, "cwd": str(folder), **more}
        adapter = agents.get(agent)
        call = adapter.read_hook_input(native, data, {})
        hook_run = HookRun(str(home), adapter, replace(call, moment=moment or call.moment), os.environ)
        hook_run.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3_000 + clock[0]))
        keep(hook_run)
        log = home / "state" / "hook.log"
        assert not log.exists(), log.read_text()
        return hook_run

    return tell


@pytest.fixture
def says(told):
    """The person says something in a session."""
    return lambda text, session="s1", **more: told("UserPromptSubmit", session, prompt=text, **more)


@pytest.fixture
def edits(told, shop):
    """The agent changes a file of the shop."""

    def change(path: str, session: str = "s1", **more) -> None:
        told("PostToolUse", session, tool_name="Edit", tool_input={"file_path": str(shop / path)}, **more)

    return change


@pytest.fixture
def runs(told):
    """The agent runs a command that ends well."""

    def run(command: str, session: str = "s1", **more) -> None:
        told("PostToolUse", session, tool_name="Bash", tool_input={"command": command}, **more)

    return run


@pytest.fixture
def found(home):
    """Return every work item of the shop, open ones first."""
    return lambda project=SHOP: work.items(str(home), project)


@pytest.fixture
def transcript(tmp_path):
    """A transcript as an agent writes it, to which a test adds calls of tools."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"type": "summary"}\n')

    def add(tool: str, given: dict, *, failed: bool = False) -> str:
        name = f"toolu_{path.stat().st_size}"
        use = {"type": "tool_use", "id": name, "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": name, "content": "ok", "is_error": failed}
        with path.open("a") as file:
            for role, part in (("assistant", use), ("user", result)):
                file.write(json.dumps({"type": role, "message": {"role": role, "content": [part]}}) + "\n")
        return str(path)

    add.path = str(path)
    return add
