"""A hook stays light: what it loads is bounded, so that nobody makes it slow by an import."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from .conftest import PYTHON

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


def loaded_by(hook, event: str, **told: str) -> tuple[set[str], str]:
    """Return the modules that a real hook has loaded when it ends, and what it printed."""
    runner = hook.command("x")[4]
    # Written so, the hook uses no bundle, in which is whatever an earlier hook of that event needed.
    words = " ".join(hook.command(event)[5:]).replace("--agent ", "--agent=").split()
    code = (
        "import os, sys\n"
        f"__file__ = {runner!r}\n"
        "leave = os._exit\n"
        "os._exit = lambda code: (print(*sorted(sys.modules), file=sys.stderr, flush=True), leave(code))\n"
        f"sys.argv = {['run.py', *words]!r}\n"
        "exec(compile(open(__file__).read(), __file__, 'exec'))\n"
    )
    about = {"session_id": "s1", "cwd": str(hook.folder), "prompt_id": event, **told}
    ended = subprocess.run(
        [PYTHON, "-I", "-S", "-E", "-c", code],
        input=json.dumps(about).encode(),
        capture_output=True,
        env=hook.environment(),
        check=True,
    )
    return set(ended.stderr.decode().split()), ended.stdout.decode()


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
    modules, printed = loaded_by(hook, event, **told)
    assert "holdfast.app.hook" in modules
    assert modules & HEAVY == set()
    assert ("Ask Kim" in printed) == (event == "UserPromptSubmit")


def test_nothing_of_a_start_is_heavy(hook, remember):
    """A session's start loads nothing heavy either."""
    remember("Deploys need the VPN. Ask Kim for access.")
    modules, printed = loaded_by(hook, "SessionStart", source="startup")
    assert modules & HEAVY == set()
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
    modules, _ = loaded_by(hook, event, **told)
    assert "holdfast.continuity.session_notes" in modules and modules & HEAVY == set()
    assert hook.log() == []


def test_what_was_not_left_is_not_looked_for(hook, remember):
    """A start finds sessions that still work and loads nothing to finish them with; one that was left it finishes."""
    remember("Deploys need the VPN. Ask Kim for access.")
    hook.prompt("Add a dark mode toggle to the settings page", session_id="s0")
    finishing = {"holdfast.learning.work.closing", "holdfast.learning.work.turns", "holdfast.learning.work.model"}
    modules, _ = loaded_by(hook, "SessionStart", source="startup")
    assert "holdfast.learning.work.hook" in modules and modules & finishing == set()
    (noted,) = (hook.home / "state" / "work").iterdir()
    os.utime(noted, (0, 0))
    modules, _ = loaded_by(hook, "SessionStart", source="startup", session_id="s2")
    assert modules >= finishing


def test_a_failure_of_another_session_costs_a_prompt_nothing(hook, remember):
    """What failed elsewhere loads nothing of fixes beyond the look whether this session has any; its own does."""
    remember("Deploys need the VPN. Ask Kim for access.")
    failed = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "error": "Exit code 1\nno such module: left"}
    prompt = {"prompt": "how do I deploy through the VPN, please?"}
    offering = {"holdfast.learning.fixes.offers", "holdfast.learning.readback"}
    modules, _ = loaded_by(hook, "UserPromptSubmit", **prompt)
    assert modules & {*offering, "holdfast.learning.fixes.hook"} == set()
    loaded_by(hook, "PostToolUseFailure", session_id="s2", **failed)
    assert (hook.home / "state" / "failures").is_dir()
    modules, _ = loaded_by(hook, "UserPromptSubmit", session_id="s3", **prompt)
    assert modules & offering == set()
    modules, _ = loaded_by(hook, "UserPromptSubmit", session_id="s2", **prompt)
    assert modules >= offering
