"""The light idioms are used by modules that a hook loads, and by no other.

What a hook loads is not written down anywhere: a session is played here with everything that hooks do rarely, each
event in a fresh process, and what was loaded is the list. A module that is missing from it although a hook may load it
lacks an event below.
"""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path

import pytest

import holdfast
from holdfast import agents
from holdfast.app.finish import finish
from holdfast.memory.remember import remember as store
from holdfast.workspace import Workspace
from support.places import make_repository
from support.source import PATHS, imported, is_type_checking, tree_of

from .conftest import Hook

SOURCE = Path(holdfast.__file__).parent
# What a module of the list does not import while it is loaded, because it costs more than a whole hook may.
HEAVY = {"re", "json", "dataclasses", "typing"}
# What only a module of the list uses.
LIGHT = {"holdfast.base.light_records", "holdfast.base.minijson"}
# The modules that make the idioms are not bound by them, and `errors` and the public list are loaded by everything.
MAKERS = {*LIGHT, "holdfast"}
# Modules that a usual prompt loads, those among them with more than a docstring, and modules off the list with light
# idioms. They go down and never up. The goals are 45, packages counted, and none.
MAX_AT_A_PROMPT = 65
MAX_WITH_CODE = 53
MAX_OFF_THE_LIST = 0
FAILED = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "error": "Exit code 1\nno such module: left"}
FIXED = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_response": {"stdout": "ok"}}
# A session with everything in it that makes a hook load more than usual, in this order.
SESSION: tuple[tuple[str, dict[str, object]], ...] = (
    ("SessionStart", {"source": "startup"}),
    ("UserPromptSubmit", {"prompt": "how do I deploy through the VPN, please?"}),
    ("UserPromptSubmit", {"prompt": "let's go with Postgres, not Redis"}),
    ("UserPromptSubmit", {"prompt": "scratch that, use Redis"}),
    ("UserPromptSubmit", {"prompt": "Remember that the staging host is called blue. TODO: rotate the keys"}),
    ("UserPromptSubmit", {"prompt": "2 - you deleted my migration again, that is wrong, why did you do it?"}),
    ("UserPromptSubmit", {"prompt": "perfect, that works now, 9/10"}),
    ("UserPromptSubmit", {"prompt": "two things to fix:\n- the toggle blinks\n- the tests fail"}),
    ("UserPromptSubmit", {"prompt": "Add a dark mode toggle to the settings page and make sure that the tests pass"}),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf src"}}),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "git push"}}),
    ("PostToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "new_string": "x"}}),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "rm -rf src"}}),
    ("PostToolUseFailure", FAILED),
    ("PostToolUseFailure", FAILED),
    ("UserPromptSubmit", {"prompt": "and now? the password is hunter2xx9"}),
    ("PostToolUse", FIXED),
    ("SubagentStart", {"agent_id": "a1"}),
    ("SubagentStop", {"agent_id": "a1", "last_assistant_message": "Done with it."}),
    ("PreCompact", {"trigger": "auto"}),
    ("SessionStart", {"source": "compact"}),
    ("PostCompact", {"trigger": "auto"}),
    ("UserPromptSubmit", {"prompt": "where were we?"}),
    ("UserPromptSubmit", {"prompt": "<private>mine</private> rotate the keys: that is done"}),
    ("Stop", {"last_assistant_message": "All tests pass. Shall I\n1. Write docs\n2. Commit?"}),
    ("UserPromptSubmit", {"prompt": "let's do 2"}),
    ("Stop", {"last_assistant_message": "All tests pass.\n\nNext steps:\n- Write docs"}),
    ("SessionEnd", {"reason": "other"}),
    ("SessionStart", {"source": "startup", "session_id": "s2"}),
    ("UserPromptSubmit", {"prompt": "how do we deploy through the VPN since last week?", "session_id": "s2"}),
    ("NoSuchEvent", {}),
)


def ours(modules: list[str]) -> set[str]:
    """Return those of the modules that are Holdfast's."""
    return {name for name in modules if name.partition(".")[0] == "holdfast"}


@pytest.fixture(scope="session")
def on_the_list(tmp_path_factory) -> set[str]:
    """Every module that some hook loads."""
    person = tmp_path_factory.mktemp("listed")
    hook = Hook(person / ".holdfast", make_repository(person / "code", "shop"))
    with Workspace(str(hook.home), folder=str(hook.folder), environment={"HOME": str(person)}) as workspace:
        store(workspace, "Deploys need the VPN. Ask Kim for access.")
        store(workspace, "Never git push without asking me first.")
        finish(workspace)
        (hook.folder / "ship.py").write_text("def ship():\n    pass\n")
        store(workspace, "`ship` in ship.py does nothing yet.")
    (hook.home / "config.toml").write_text('[security]\nblock = "destructive"\n[recall]\nlimit = 5\n')
    transcript = person / "transcript.jsonl"
    transcript.write_text("")
    found = {f"holdfast.surfaces.hook.{name}" for name in ("run", "bundle", "bundling")}
    for number, (event, told) in enumerate(SESSION):
        add_to(transcript, number, told)
        modules, _ = hook.loaded_by(event, **{"transcript_path": str(transcript), "prompt_id": str(number), **told})
        # A hook that stores a memory asks for all packages in the end, so what it loads may be heavy.
        found |= ours(modules) if "site" not in modules else set()
    # The sessions that were left are finished by a later start.
    for path in [*hook.home.glob("state/*/*")]:
        os.utime(path, (0, 0))
    found |= ours(hook.loaded_by("SessionStart", source="startup", session_id="s3")[0])
    # Not every folder is a repository.
    found |= ours(hook.loaded_by("UserPromptSubmit", prompt="and here?", cwd=str(transcript.parent / "code"))[0])
    found |= {f"holdfast.agents.{name.replace('-', '_')}" for name in agents.BUILT_IN}
    # The Python of these hooks has no packages, which the last step of a hook that stores a memory needs.
    assert [line for line in hook.log() if "not known" not in line and "index pages" not in line] == []
    return found


def add_to(transcript: Path, number: int, told: dict[str, object]) -> None:
    """Let the transcript have what the event tells, as the agent writes it."""
    about = {"uuid": f"u-{number}", "sessionId": "s1", "timestamp": f"2026-11-16T10:{number:02}:00.000Z"}
    lines: list[dict[str, object]] = []
    if "prompt" in told:
        lines = [{"type": "user", "message": {"role": "user", "content": told["prompt"]}}]
    elif "tool_name" in told:
        use = {"type": "tool_use", "id": f"t{number}", "name": told["tool_name"], "input": told["tool_input"]}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": str(told.get("error", "ok"))}
        result |= {"is_error": "error" in told}
        lines = [
            {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
            {"type": "user", "message": {"role": "user", "content": [result]}},
        ]
    with transcript.open("a") as file:
        file.writelines(json.dumps({**about, **line}) + "\n" for line in lines)


def test_modules_on_the_list_import_nothing_heavy(on_the_list) -> None:
    """No module that a hook loads imports `re`, `json`, `dataclasses` or `typing` as it is loaded."""
    found = {name: heavy for name in sorted(on_the_list - MAKERS) if (heavy := HEAVY & imported(name, when="loaded"))}
    assert found == {}


def test_modules_off_the_list_use_plain_python(on_the_list) -> None:
    """A module that no hook loads uses dataclasses, `json` and `typing`, as everybody expects."""
    found = {
        name: signs
        for name in sorted(set(PATHS) - on_the_list - MAKERS)
        if (signs := LIGHT & imported(name) | {"TYPE_CHECKING = False" for node in tree_of(name).body if is_flag(node)})
    }
    assert len(found) <= MAX_OFF_THE_LIST, found


def is_flag(node: ast.stmt) -> bool:
    """Whether a statement sets TYPE_CHECKING by hand."""
    return isinstance(node, ast.Assign) and is_type_checking(node.targets[0])


def test_a_prompt_loads_few_modules(on_the_list, hook, remember) -> None:
    """The hook of a usual prompt, which a person waits for, loads few modules of ours."""
    remember("Deploys need the VPN. Ask Kim for access.")
    modules, printed = hook.loaded_by("UserPromptSubmit", prompt="how do I deploy through the VPN, please?")
    assert "Ask Kim" in printed
    assert len(ours(modules)) <= MAX_AT_A_PROMPT
    assert len([name for name in ours(modules) if len(tree_of(name).body) > 1]) <= MAX_WITH_CODE
