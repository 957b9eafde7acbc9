"""A hook stays light: what it loads is bounded, so that nobody makes it slow by an import."""

from __future__ import annotations

import os
import time

import pytest

HEAVY = {
    *(
        "re",
        "json",
        "typing",
        "dataclasses",
        "enum",
        "datetime",
        "functools",
        "collections",
        "hashlib",
        "tomllib",
        "subprocess",
        "inspect",
    ),
    *("socket", "threading", "logging", "tempfile", "shutil", "pathlib", "asyncio", "click", "rich", "tomlkit"),
    *("numpy", "sqlite3.dbapi2", "importlib.metadata", "traceback", "argparse", "random"),
}


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("UserPromptSubmit", {"prompt": "how do I deploy through the VPN, please?"}),
        ("Stop", {"last_assistant_message": "All tests pass now, the login page works."}),
        ("SessionEnd", {"reason": "other"}),
        ("PreCompact", {"trigger": "auto"}),
    ],
)
def test_nothing_heavy_is_loaded(hook, remember, event, told):
    """None of the modules that cost milliseconds is loaded on the way of these events, also with a config.toml."""
    remember("Deploys need the VPN. Ask Kim for access.")
    (hook.home / "config.toml").write_text("[recall]\nlimit = 5\n")
    modules, printed = hook.loaded_by(event, **told)
    assert "holdfast.app.hook" in modules
    assert HEAVY.intersection(modules) == set()
    assert ("Ask Kim" in printed) == (event == "UserPromptSubmit")


def test_nothing_of_a_start_is_heavy(hook, remember):
    """A session's start loads nothing heavy either."""
    remember("Deploys need the VPN. Ask Kim for access.")
    modules, printed = hook.loaded_by("SessionStart", source="startup")
    assert HEAVY.intersection(modules) == set()
    assert "Ask Kim" in printed


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("UserPromptSubmit", {"prompt": "let's go with Postgres, not Redis"}),
        ("PostToolUse", {"tool_name": "Edit", "tool_input": '{"file_path": "a.py"}'}),
        ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": "npm test", "error": "exit code"}),
        ("Stop", {"last_assistant_message": "Done with it.\n\nNext steps:\n- Write docs"}),
        ("SessionEnd", {"reason": "other"}),
    ],
)
def test_keeping_the_working_state_is_light(hook, remember, event, told):
    """What a project's pages are kept by loads nothing heavy either, also while there is something to write."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook.prompt("we decided to use Postgres for the sessions")
    modules, _ = hook.loaded_by(event, **told)
    assert "holdfast.continuity.hook" in modules and HEAVY.intersection(modules) == set()
    assert hook.log() == []


def test_what_was_not_left_is_not_looked_for(hook, remember):
    """A start loads nothing for sessions that work or only asked; it finishes one that left something."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook.prompt("Add a dark mode toggle to the settings page", session_id="s0")
    finishing = {"holdfast.learning.work.turns", "holdfast.learning.work.model"}
    modules, _ = hook.loaded_by("SessionStart", source="startup")
    assert "holdfast.learning.work.hook" in modules and finishing.intersection(modules) == set()
    (noted,) = (hook.home / "state" / "work").iterdir()
    os.utime(noted, (time.time() - 7_200,) * 2)
    modules, _ = hook.loaded_by("SessionStart", source="startup", session_id="s1")
    assert finishing.intersection(modules) == set()
    with noted.open("a") as file:
        file.write('["file", "toggle.py", "2026-11-15T10:00:00Z"]\n')
    os.utime(noted, (time.time() - 7_200,) * 2)
    modules, _ = hook.loaded_by("SessionStart", source="startup", session_id="s2")
    assert finishing.issubset(modules)


def test_a_failure_of_another_session_costs_a_prompt_nothing(hook, remember):
    """What failed elsewhere loads nothing of fixes beyond the look whether this session has any; its own does."""
    remember("Deploys need the VPN. Ask Kim for access.")
    failed = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "error": "Exit code 1\nno such module: left"}
    prompt = {"prompt": "how do I deploy through the VPN, please?"}
    offering = {"holdfast.learning.fixes.session_failures", "holdfast.learning.readback"}
    modules, _ = hook.loaded_by("UserPromptSubmit", **prompt)
    assert {*offering, "holdfast.learning.fixes.hook"}.isdisjoint(modules)
    hook.loaded_by("PostToolUseFailure", session_id="s2", **failed)
    assert (hook.home / "state" / "failures").is_dir()
    modules, _ = hook.loaded_by("UserPromptSubmit", session_id="s3", **prompt)
    assert offering.intersection(modules) == set()
    modules, _ = hook.loaded_by("UserPromptSubmit", session_id="s2", **prompt)
    assert offering.issubset(modules)
