"""What hooks write down of security-relevant calls and of sub-agents, and which calls they refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast import agents
from holdfast.app.hook import around_call
from holdfast.learning.research import model as research
from holdfast.learning.security import hook as security_hooks
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.judge import Sight
from holdfast.parts import HookRun
from holdfast.project.registry import Registry
from support.parts import keep

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def hook_run(home, shop):
    """Return the run of a hook that is told of an event."""
    (home / "state").mkdir(parents=True)

    def make(native: str, agent: str = "claude-code", block: str = "off", **fields: object) -> HookRun:
        adapter = agents.get(agent)
        data = {"session_id": "s1", "cwd": str(shop), "tool_use_id": "t1", **fields}
        environment = {**os.environ, "HOLDFAST_SECURITY_BLOCK": block}
        return HookRun(str(home), adapter, adapter.read_hook_input(native, data, {}), environment)

    return make


def ran(line: str) -> dict[str, object]:
    """Return a call of a shell."""
    return {"tool_name": "Bash", "tool_input": {"command": line}}


def trail(home) -> list[tuple[str, str, str]]:
    """Return rule, text and decision of each call in the trail."""
    return [(record.rule, record.text, record.decision) for record in security_trail.read(str(home))]


def test_a_call_is_written_down_when_it_was_made(hook_run, home) -> None:
    """A destructive command that a tool ran is a row with agent, session, project, tool and time."""
    keep(hook_run("PostToolUse", **ran("rm -rf src && git status")))
    (row,) = security_trail.read(str(home))
    assert (row.agent, row.session, row.project, row.tool) == ("claude-code", "s1", SHOP, "Bash")
    assert (row.kind, row.rule, row.text, row.decision) == ("destructive", "rm-recursive", "rm -rf src", "seen")
    assert row.at.endswith("Z")


def test_a_call_that_failed_was_tried(hook_run, home) -> None:
    """A destructive command that failed is in the trail; one that was refused is there once, as refused."""
    keep(hook_run("PostToolUseFailure", error="Exit code 1\nrm: cannot remove 'src'", **ran("rm -rf src")))
    assert trail(home) == [("rm-recursive", "rm -rf src", "seen")]
    reason = around_call(hook_run("PreToolUse", block="all", **ran("rm -rf docs")))
    keep(hook_run("PostToolUseFailure", error=reason, **ran("rm -rf docs")))
    # Of two seconds the later one stands first.
    both = [("rm-recursive", "rm -rf docs", "blocked"), ("rm-recursive", "rm -rf src", "seen")]
    assert sorted(trail(home)) == both


def test_what_is_harmless_leaves_nothing(hook_run, home) -> None:
    """Ordinary calls make no folder."""
    for line in ("npm test", "rm -rf node_modules", "cat src/cart.py", "git push"):
        keep(hook_run("PostToolUse", **ran(line)))
    assert not (home / "security").exists()


def test_a_secret_is_taken_out_first(hook_run, home) -> None:
    """No byte of a secret in a command reaches the trail, the log or a reason."""
    line = f"git push --force https://kim:{TOKEN}@example.com/acme/shop.git"
    keep(hook_run("PostToolUse", **ran(line)))
    assert trail(home)[0][0] == "git-force-push"
    printed = around_call(hook_run("PreToolUse", block="all", **ran(line)))
    assert "git-force-push" in printed and TOKEN not in printed
    assert not any(TOKEN.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_the_folder_of_the_agent_is_its_own(hook_run, home, monkeypatch) -> None:
    """A plan in the agent's own folder is not outside; a file beside it is."""
    monkeypatch.setenv("HOME", "/home/kim")
    for name in (".claude/plans/x.md", "notes.md"):
        given = {"tool_name": "Write", "tool_input": {"file_path": f"/home/kim/{name}", "content": "x"}}
        keep(hook_run("PostToolUse", **given))
    assert trail(home) == [("write-outside", "/home/kim/notes.md", "seen")]


def test_a_clone_of_the_project_is_not_outside(home, repository, shop) -> None:
    """A file in another clone of the same repository belongs to the project; one in another repository does not."""
    other = repository("bank")
    clone = shop.parent / "clone"
    (shop.parent / "clone" / ".git" / "objects").mkdir(parents=True)
    (clone / ".git" / "refs").mkdir()
    for name in ("HEAD", "config"):
        (clone / ".git" / name).write_text((shop / ".git" / name).read_text())
    registry = Registry(str(home / "projects.tsv"))
    told = [Sight("outside", "write-outside", "touch a.py", str(folder / "a.py")) for folder in (clone, other)]
    assert [security_hooks.is_of_project(one, (SHOP,), registry) for one in told] == [True, False]


def test_what_a_subagent_hands_over_is_kept(hook_run, home) -> None:
    """The last message of a sub-agent becomes a report of its own session, once, without secrets."""
    told = {"agent_id": "abc", "last_assistant_message": f"# The cart\n\nIt adds twice. {TOKEN}"}
    for _ in range(2):
        keep(hook_run("SubagentStop", **told))
    (report,) = research.all_reports(str(home))
    assert (report.agent, report.session, report.parent) == ("claude-code", "s1.agent-abc", "s1")
    assert (report.project, report.summary, report.kind) == (SHOP, "The cart", "sub-agent")
    assert TOKEN not in report.text
    keep(hook_run("SubagentStop", agent_id="d", last_assistant_message="ok"))
    assert len(research.all_reports(str(home))) == 1


def test_nothing_is_refused_unless_it_was_asked_for(hook_run, home) -> None:
    """Without the setting a hook before a tool is silent and writes nothing."""
    assert around_call(hook_run("PreToolUse", **ran("rm -rf src"))) == ""
    assert not (home / "security").exists()


def test_a_destructive_call_is_refused_with_a_reason(hook_run, home) -> None:
    """The agent is told to leave the call, why, and whom to ask; the trail has it as blocked."""
    printed = around_call(hook_run("PreToolUse", block="destructive", **ran("rm -rf src")))
    told = json.loads(printed)["hookSpecificOutput"]
    assert (told["hookEventName"], told["permissionDecision"]) == ("PreToolUse", "deny")
    reason = told["permissionDecisionReason"]
    assert "rm-recursive" in reason and "rm -rf src" in reason and "security.block" in reason
    assert trail(home) == [("rm-recursive", "rm -rf src", "blocked")]


@pytest.mark.parametrize(
    ("block", "line", "is_refused"),
    [
        ("destructive", "cat .env", False),
        ("all", "cat .env", True),
        ("all", "npm test", False),
        ("destructive", "rm -rf dist", False),
    ],
)
def test_the_setting_says_what_is_refused(hook_run, block: str, line: str, is_refused: bool) -> None:
    """`destructive` lets reads of secrets through, `all` does not, and what is harmless always goes."""
    assert bool(around_call(hook_run("PreToolUse", block=block, **ran(line)))) is is_refused


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini-cli", "opencode", "grok"])
def test_every_agent_that_can_refuse_says_so_in_its_words(hook_run, agent: str) -> None:
    """What is printed has the reason, and denies in the agent's own form."""
    adapter = agents.get(agent)
    told = {"tool_name": "Bash", "tool_input": {"command": "rm -rf src"}}
    printed = around_call(hook_run(adapter.guard, agent, block="all", **told))
    assert "Refused by Holdfast" in printed
    assert any(word in str(json.loads(printed)) for word in ("deny", "refuse"))


def test_an_agent_that_cannot_refuse_is_not_asked(hook_run, home) -> None:
    """Where the agent has no such event nothing is printed, and nothing is called blocked."""
    assert around_call(hook_run("preToolUse", "copilot", block="all", **ran("rm -rf src"))) == ""
    assert trail(home) == []


def test_a_trail_that_cannot_be_written_lets_nothing_through(hook_run, home, tmp_path) -> None:
    """With a link in place of the folder the call is refused all the same, and the link is not followed."""
    os.symlink(tmp_path, home / "security")
    assert "deny" in around_call(hook_run("PreToolUse", block="all", **ran("rm -rf src")))
    assert list(tmp_path.iterdir()) == []
    assert "security: " in (home / "state" / "hook.log").read_text()


def test_trouble_is_a_line_in_the_log(hook_run, home, tmp_path) -> None:
    """A trail that cannot be written takes nothing else away, and the log says which part it was."""
    os.symlink(tmp_path, home / "security")
    keep(hook_run("PostToolUse", **ran("rm -rf src")))
    assert "security: " in (home / "state" / "hook.log").read_text()


def test_the_hook_stays_light() -> None:
    """What a hook loads to judge a call brings none of the modules that cost more than the hook."""
    code = (
        "import sys; sys.path.append(sys.argv[1]); import holdfast.learning.security.hook; "
        "import holdfast.learning.research.model; "
        "from holdfast.learning.security.judge import judge; judge('Bash', 'rm -rf src', '/x'); "
        "print([name for name in ('re', 'json', 'dataclasses', 'typing', 'enum') if name in sys.modules])"
    )
    source = str(Path(holdfast.__file__).parent.parent)
    command = [sys.executable, "-I", "-S", "-E", "-c", code, source]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"
