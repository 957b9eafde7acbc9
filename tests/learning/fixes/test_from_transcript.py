"""Failures and fixes that only the transcript tells, at a pause or at the next prompt, and what is offered then."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from holdfast import agents
from holdfast.app.forget import forget as forget_session
from holdfast.learning.fixes import model as fixes
from holdfast.learning.fixes.session_failures import offers
from holdfast.parts import HookRun
from holdfast.records import replace
from support.parts import keep
from support.places import SHOP

MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'"


class Lines:
    """Writes a session's transcript as one of two agents does."""

    def __init__(self, path, agent: str) -> None:
        self.path, self.agent, self.number = path, agent, 0
        path.write_text('{"type": "session_meta", "payload": {"id": "s"}}\n')

    def ran(self, line: str, exit: int = 0, output: str = "ok") -> None:
        """A command line was run."""
        self.number += 1
        write = self._codex if self.agent == "codex" else self._gemini
        write(line, exit, output)

    def patched(self, path: str) -> None:
        """A file was changed."""
        self.number += 1
        name = f"call_{self.number}"
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch"
        call = {"type": "custom_tool_call", "status": "completed", "call_id": name, "name": "apply_patch"}
        done = {"type": "custom_tool_call_output", "call_id": name, "output": "Exit code: 0\nOutput:\nSuccess."}
        self._add(*[{"type": "response_item", "payload": one} for one in ({**call, "input": patch}, done)])

    def said(self, text: str) -> None:
        """The agent said something."""
        self._add({"type": "event_msg", "payload": {"type": "agent_message", "message": text}})

    def _codex(self, line: str, exit: int, output: str) -> None:
        name = f"call_{self.number}"
        given = json.dumps({"cmd": line, "workdir": "/somewhere"})
        call = {"type": "function_call", "id": f"fc_{name}", "name": "exec_command", "arguments": given}
        told = f"Chunk ID: a1\nWall time: 0.5 seconds\nProcess exited with code {exit}\nOutput:\n{output}"
        done = {"type": "function_call_output", "call_id": name, "output": told}
        self._add(*[{"type": "response_item", "payload": one} for one in ({**call, "call_id": name}, done)])

    def _gemini(self, line: str, exit: int, output: str) -> None:
        name = f"run_shell_command_{self.number}"
        told = f"Output: {output}\n" + (f"Exit Code: {exit}\n" if exit else "") + "Process Group PGID: 4"
        answer = {"functionResponse": {"id": name, "name": "run_shell_command", "response": {"output": told}}}
        call = {"id": name, "name": "run_shell_command", "args": {"command": line, "description": "Run it."}}
        message = {"id": f"m{self.number}", "type": "gemini", "content": "Now."}
        # The message is written again when the call is done, and the answer once more as one of the user.
        self._add({**message, "toolCalls": [{**call, "status": "executing"}]})
        self._add({**message, "toolCalls": [{**call, "status": "success", "result": [answer]}]})
        self._add({"id": f"u{self.number}", "type": "user", "content": [answer]})

    def _add(self, *values: object) -> None:
        with open(self.path, "a") as file:
            file.writelines(json.dumps(value) + "\n" for value in values)


STOPS = {"codex": "Stop", "gemini-cli": "AfterAgent"}
PROMPTS = {"codex": "UserPromptSubmit", "gemini-cli": "BeforeAgent"}


@pytest.fixture
def session(home, shop, tmp_path):
    """Open a session of an agent; its hooks are told of prompts and pauses, and the transcript of the rest."""
    (home / "state").mkdir(parents=True, exist_ok=True)

    class Session(Lines):
        def __init__(self, name: str, agent: str = "codex", folder=shop) -> None:
            super().__init__(tmp_path / f"{name}.jsonl", agent)
            self.name, self.folder = name, folder

        def tell(self, native: str, moment: str = "", **more: object) -> HookRun:
            """Tell a hook of something."""
            adapter = agents.get(self.agent)
            data = {"session_id": self.name, "cwd": str(self.folder), "transcript_path": str(self.path), **more}
            call = adapter.read_hook_input(native, data, {})
            hook_run = HookRun(str(home), adapter, replace(call, moment=moment or call.moment), dict(os.environ))
            keep(hook_run)
            log = home / "state" / "hook.log"
            assert not log.exists(), log.read_text()
            return hook_run

        def prompt(self, text: str = "please go on with the tests") -> list[str]:
            """The person says something; return which fixes are offered."""
            return offers(self.tell(PROMPTS[self.agent], prompt=text))

        def stop(self) -> HookRun:
            """The agent pauses."""
            return self.tell(STOPS[self.agent])

        def fails_and_is_fixed(self) -> None:
            self.prompt()
            self.ran("pytest -x", 1, MISSING)
            self.ran("pip install pyyaml")
            self.ran("pytest -x")
            self.stop()

    return Session


@pytest.mark.parametrize("agent", ["codex", "gemini-cli"])
def test_a_fix_is_kept_and_offered(session, home, agent):
    """At a pause the fix of one session is kept, and the next session that fails so is offered it at its prompt."""
    one = session("s1", agent)
    one.fails_and_is_fixed()
    (fix,) = fixes.read(str(home))
    assert (fix.agent, fix.session, fix.project) == (agent, "s1", SHOP)
    assert (fix.error, fix.steps) == ("ModuleNotFoundError: No module named 'yaml'", ("ran `pip install pyyaml`",))
    assert one.prompt() == [], "it works by now"
    other = session("s2", "gemini-cli" if agent == "codex" else "codex")
    assert other.prompt() == []
    other.ran("python3 -m pytest tests/", 1, MISSING)
    other.stop()
    (line,) = other.prompt()
    assert f"({agent}, {fix.at[:10]}): ran `pip install pyyaml`" in line
    assert other.prompt() == [], "once a session"


def test_without_a_pause_the_prompt_looks(session):
    """Where no pause was told, as after an interruption, what failed is found at the next prompt."""
    session("s1").fails_and_is_fixed()
    other = session("s2")
    other.prompt()
    other.ran("pytest", 1, MISSING)
    assert len(other.prompt()) == 1
    other.ran("pytest", 1, MISSING)
    assert len(other.stop().calls()) == 1, "what the prompt read was told by no hook"


def test_only_what_no_hook_was_told_of_is_untold(session):
    """Where a hook learns from each command, the transcript's commands are known, and its edits are not."""
    one = session("s1")
    one.prompt()
    one.tell("PostToolUse", "tool", tool_name="exec_command", tool_input={"cmd": "git status"})
    one.ran("git status")
    one.patched("src/cart.py")
    run = one.stop()
    assert [call.tool for call in run.untold_calls()] == ["apply_patch"]
    assert [call.tool for call in run.calls()] == ["exec_command", "apply_patch"]


def test_a_hook_after_each_command_costs_no_fix(session, home):
    """Of an agent that tells its hooks of commands, and not how they ended, the transcript tells that at the pause."""
    one = session("s1")
    one.prompt()
    for line, exit in (("pytest -x", 1), ("pip install pyyaml", 0), ("pytest -x", 0)):
        one.tell("PostToolUse", tool_name="exec_command", tool_input={"cmd": line})
        one.ran(line, exit, MISSING if exit else "ok")
    one.stop()
    assert [fix.steps for fix in fixes.read(str(home))] == [("ran `pip install pyyaml`",)]


def test_a_fix_over_several_pauses(session, home):
    """What failed before one pause and works before a later one is fixed by what was done between."""
    one = session("s1")
    one.prompt()
    one.ran("pytest", 1, "E   KeyError: 'total of the cart'")
    one.stop()
    one.prompt()
    one.patched("pyproject.toml")
    one.stop()
    one.prompt()
    one.ran("pytest")
    one.stop()
    assert [fix.steps for fix in fixes.read(str(home))] == [("edited pyproject.toml: `a` -> `b`",)]


@pytest.mark.parametrize("missing", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("behind", ["prompt", "stop twice"])
def test_a_transcript_that_is_written_behind_the_agent(session, home, missing, behind):
    """An agent may say that it pauses before its last lines are in the transcript; they count at the next moment."""
    one = session("s1")
    one.prompt()
    one.ran("pytest -x", 1, MISSING)
    one.ran("pip install pyyaml")
    one.ran("pytest -x")
    whole = one.path.read_bytes().splitlines(keepends=True)
    one.path.write_bytes(b"".join(whole[:-missing]))
    one.stop()
    one.path.write_bytes(b"".join(whole))
    one.stop() if behind == "stop twice" else one.prompt()
    assert [fix.steps for fix in fixes.read(str(home))] == [("ran `pip install pyyaml`",)]


def test_a_call_that_never_ends_holds_nothing_up(session, home):
    """A call without a result is waited for until the next prompt; what is done after it counts."""
    one = session("s1")
    one.prompt()
    one.ran("sleep 900")
    one.path.write_bytes(b"".join(one.path.read_bytes().splitlines(keepends=True)[:-1]))
    assert one.stop().calls() == ()
    one.fails_and_is_fixed()
    assert [fix.steps for fix in fixes.read(str(home))] == [("ran `pip install pyyaml`",)]


def test_a_fix_that_does_not_hold_is_withdrawn(session, home):
    """Where the same fails again later in the session, its fix is taken back."""
    one = session("s1")
    one.fails_and_is_fixed()
    one.prompt()
    one.ran("pytest -x", 1, MISSING)
    one.stop()
    assert fixes.read(str(home)) == []


def test_what_stood_there_before_is_left(session, home):
    """What the transcript had before the first prompt, as of a session that is resumed, is not taken for new."""
    one = session("s1")
    one.ran("pytest", 1, MISSING)
    one.prompt()
    one.stop()
    assert one.prompt() == []
    assert not (home / "state" / "failures").exists()


def test_nothing_new_is_not_read(session, home):
    """A pause without new lines, and one without a call, take no calls; each call is taken once."""
    one = session("s1")
    one.prompt()
    one.ran("pytest", 1, MISSING)
    assert len(one.stop().calls()) == 1
    assert one.stop().calls() == ()
    one.said("I will look into it.")
    assert one.stop().calls() == ()
    (noted,) = (home / "state" / "failures").iterdir()
    assert noted.read_text().count('"failed"') == 1


def test_successes_alone_leave_nothing(session, home):
    """A session in which nothing failed has no file of failures."""
    one = session("s1")
    one.prompt()
    one.ran("pytest")
    one.ran("grep -r nothing .", 1, "")
    one.stop()
    assert not (home / "state" / "failures").exists()


def test_never_to_another_project(session, repository):
    """A fix that a transcript told is not offered in another project."""
    session("s1").fails_and_is_fixed()
    other = session("s2", folder=repository("other"))
    other.prompt()
    other.ran("pytest", 1, MISSING)
    other.stop()
    assert other.prompt() == []


def test_a_failure_that_a_hook_told_too(session, home, shop):
    """Where a hook was told of the failure, the transcript adds what worked, and nothing is counted twice."""
    path = session("s1").path

    def tell(native: str, **more: object) -> HookRun:
        adapter = agents.get("claude-code")
        data = {"session_id": "c1", "cwd": str(shop), "transcript_path": str(path), **more}
        hook_run = HookRun(str(home), adapter, adapter.read_hook_input(native, data, {}), dict(os.environ))
        keep(hook_run)
        return hook_run

    tell("UserPromptSubmit", prompt="run the tests please")
    error = f"Exit code 1\n{MISSING}"
    calls = [("t1", "pytest", True, error), ("t2", "pip install pyyaml", False, "ok"), ("t3", "pytest", False, "ok")]
    tell("PostToolUseFailure", tool_name="Bash", tool_input={"command": "pytest"}, error=error)
    with open(path, "a") as file:
        for name, line, failed, told in calls:
            use = {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": line}}
            result = {"type": "tool_result", "tool_use_id": name, "content": told, "is_error": failed}
            file.write(json.dumps({"message": {"content": [use]}}) + "\n")
            file.write(json.dumps({"message": {"content": [result]}}) + "\n")
    tell("Stop")
    assert [fix.steps for fix in fixes.read(str(home))] == [("ran `pip install pyyaml`",)]
    assert offers(tell("UserPromptSubmit", prompt="thanks")) == []
    assert (home / "learning" / "signals" / "fixes.jsonl").read_bytes().count(b"\n") == 1


def test_a_forgotten_session_takes_its_fixes_along(session, home, workspace):
    """Forgetting a session removes its fixes and what was noted of it, and leaves those of another session."""
    session("s1").fails_and_is_fixed()
    other = session("s2")
    other.prompt()
    other.ran("make all", 2, "Error: the header zlib.h is missing here")
    other.ran("apt-get install zlib1g-dev")
    other.ran("make all")
    other.stop()
    with workspace() as h:
        forget_session(h, "codex/s1")
    assert [fix.session for fix in fixes.read(str(home))] == ["s2"]
    places = [home / "learning", home / "state" / "failures", home / "state" / "fixes"]
    written = [path.read_bytes() for place in places for path in place.rglob("*") if path.is_file()]
    assert written and not any(b"pyyaml" in data for data in written)


def test_it_is_light(session, home, shop):
    """Nothing heavy is loaded when a pause takes the calls of a transcript."""
    one = session("s1")
    one.prompt()
    one.ran("pytest", 1, MISSING)
    one.patched("setup.cfg")
    one.ran("pytest")
    code = (
        # `run.py` of the hook loads mmap before anything else.
        "import json, mmap, sys\n"
        "from holdfast import agents\n"
        "from holdfast.app.hook import apply, effects_of\n"
        "from holdfast.parts import HookRun\n"
        "adapter = agents.get('codex')\n"
        f"data = {{'session_id': 's1', 'cwd': {str(shop)!r}, 'transcript_path': {str(one.path)!r}}}\n"
        f"run = HookRun({str(home)!r}, adapter, adapter.read_hook_input('Stop', data, {{}}), {{}})\n"
        "before = set(sys.modules)\n"
        "apply(run, effects_of(run), [])\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert len(fixes.read(str(home))) == 1
    assert [name for name in json.loads(ended.stdout) if not name.startswith("holdfast.")] == []
