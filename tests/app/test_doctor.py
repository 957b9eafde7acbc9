"""Is this installation sound, and this home?"""

from __future__ import annotations

import re

import pytest

from holdfast import agents
from holdfast.agents import codex as codex_agent
from holdfast.app.doctor import doctor
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.records import Event
from support.archived import said, session, store


@pytest.fixture
def one(workspace):
    """A home with one memory."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    return workspace


def ids(workspace, **how) -> list[str]:
    """Return the ids of the findings."""
    with workspace() as h:
        findings = doctor(h, **how)
    assert all(finding.severity in ("error", "warning", "info") for finding in findings)
    assert all(finding.text and finding.hint for finding in findings)
    return [finding.kind for finding in findings if finding.kind not in ("bytecode", "git")]


def damage(home) -> None:
    """Keep the head of the index and break its body."""
    data = (home / "index.db").read_bytes()
    (home / "index.db").write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def test_a_sound_home(one) -> None:
    """Nothing is found where nothing is wrong."""
    assert ids(one) == []


def test_an_unknown_setting_is_a_finding(one, home) -> None:
    """A line of config.toml that counts for nothing is named with its line and the nearest name."""
    (home / "config.toml").write_text("[recall]\nlimt = 3\n")
    (home / "config.toml").chmod(0o600)
    assert ids(one) == ["setting"]
    with one() as h:
        (found,) = (each for each in doctor(h) if each.kind == "setting")
    assert (found.path, found.line, found.hint) == (str(home / "config.toml"), 2, "Did you mean recall.limit?")


def test_no_home_is_no_fault(workspace, home) -> None:
    """A home that is not there yet is sound, and looking or fixing makes nothing."""
    assert ids(workspace) == [] and ids(workspace, fix=True) == []
    assert not home.exists()


def test_a_home_that_others_can_read(one, home) -> None:
    """An open mode is found, and --fix closes it, for files inside too."""
    (home / "memory" / "index.md").chmod(0o644)
    home.chmod(0o755)
    assert ids(one) == ["mode"]
    assert ids(one, fix=True) == []
    assert home.stat().st_mode & 0o077 == 0 and (home / "memory" / "index.md").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("how", ["body", "head", "gone"])
def test_a_damaged_index(one, home, how) -> None:
    """However the index is damaged, --fix makes it anew, and recall is whole again."""
    if how == "body":
        damage(home)
        assert ids(one)[:1] in (["index"], ["index-aside"])
    elif how == "head":
        (home / "index.db").write_bytes(b"no database at all")
    else:
        (home / "index.db").unlink()
    assert ids(one, fix=True) == []
    with one() as h:
        assert [hit.memory.key for hit in recall(h, "apples")] == ["a"]
    assert not list(home.glob("*.damaged*"))


def test_broken_files_are_findings(one, write) -> None:
    """A memory file that cannot be read is a finding with its path and the way out."""
    write("global/memories/x.md", "---\ntags: [a\n---\nText.\n")
    assert ids(one) == ["front-matter"]


def findings(workspace) -> list[tuple[str, str]]:
    """Return severity and text of each finding about an agent."""
    with workspace() as h:
        return [(one.severity, one.text) for one in doctor(h) if one.kind == "agent"]


@pytest.fixture
def codex(one, machine, cli):
    """Codex is here and connected."""
    (machine / ".codex").mkdir()
    assert cli("install", "codex", "--yes").code == 0
    return machine / ".codex"


def trusted(folder, events: dict[str, str]) -> str:
    """Return the entries that Codex writes for hooks that were trusted."""
    return "".join(
        f'[hooks.state."{folder}/hooks.json:{event}:0:0"]\ntrusted_hash = "sha256:00"\n{more}\n'
        for event, more in events.items()
    )


EVENTS = {re.sub(r"(?<=.)(?=[A-Z])", "_", event).lower(): "" for event in codex_agent.AGENT.events}


def test_hooks_that_are_not_trusted(one, codex) -> None:
    """Codex runs no hook that was not trusted: that is a warning until each has its entry."""
    ((severity, text),) = findings(one)
    assert severity == "warning" and "9 hooks of Holdfast" in text and "never heard from" in text
    config = codex / "config.toml"
    config.write_text(config.read_text() + trusted(codex, {**EVENTS, "stop": "enabled = false"}))
    assert "1 hook of Holdfast" in findings(one)[0][1]
    config.write_text(config.read_text().replace("enabled = false", ""))
    assert findings(one) == []


def test_hooks_that_were_heard_are_run(one, codex) -> None:
    """Who told something since the install runs our hooks, whatever the config says."""
    with one() as h:
        h.journal.append(Event("2999-01-01T00:00:00Z", "prompt", {"agent": "codex", "session": "s-1"}))
    assert findings(one) == []


def test_a_session_that_the_hooks_told_nothing_of(one, codex, shop) -> None:
    """A session that ended after the install, without a word of its agent's hooks, is a warning."""
    (codex / "config.toml").write_text((codex / "config.toml").read_text() + trusted(codex, EVENTS))
    with one() as h:
        store(h, session("s-1", shop, agent="codex", day="2999-01-01"), said("human", "Hello."))
    ((severity, text),) = findings(one)
    assert severity == "warning" and "its hooks said nothing (never heard from)" in text


def test_hooks_that_another_program_runs(one, machine, shop, cli, home) -> None:
    """Hooks that stay silent because another program runs them are named, with the agent's own last word."""
    (machine / ".claude").mkdir()
    cli("install", "claude-code", "--yes")
    silent = f"2999-01-01T00:00:00Z claude-code SessionStart: Trouble: {agents.SILENT}\n"
    (home / "state" / "hook.log").write_text(silent)
    ((severity, text),) = findings(one)
    assert severity == "warning" and "another program ran the hooks of Claude Code" in text
    with one() as h:
        h.journal.append(Event("2998-01-01T00:00:00Z", "prompt", {"agent": "claude-code", "session": "s-1"}))
    ((severity, text),) = findings(one)
    assert severity == "info" and "last heard from 2998-01-01T00:00:00Z" in text


def test_a_broken_record_of_installs_is_a_finding(one, home, cli) -> None:
    """Doctor names it and goes on."""
    (home / "installs.json").write_text("{")
    ended = cli("doctor")
    assert ended.code == 1 and "installs.json cannot be read" in ended.out


def test_an_install_from_before_is_told_how_to_get_todays_hooks(workspace, machine, cli, home) -> None:
    """Who connected an agent without hooks around calls learns that an install of today would add them."""
    (machine / ".claude").mkdir()
    home.mkdir(mode=0o700, exist_ok=True)
    config = home / "config.toml"
    config.write_text("[rules]\nenabled = false\n")
    assert cli("install", "claude-code", "--yes").code == 0
    assert "PreToolUse" not in (machine / ".claude" / "settings.json").read_text()
    config.unlink()
    with workspace() as one:
        told = [found for found in doctor(one) if "no longer fits" in found.text]
    assert [(found.severity, found.hint) for found in told] == [("info", "Run: holdfast install claude-code")]
    assert cli("install", "claude-code", "--yes").code == 0
    assert '"matcher": "Bash|Edit' in (machine / ".claude" / "settings.json").read_text()
    with workspace() as one:
        assert not any("no longer fits" in found.text for found in doctor(one))


def test_a_rule_about_another_tool_is_told_how_to_be_asked_there(machine, cli) -> None:
    """Hooks stand around reads only while a rule names them; who stores one is told the command that does it."""
    (machine / ".claude").mkdir()
    settings = machine / ".claude" / "settings.json"
    assert cli("install", "claude-code", "--yes").code == 0
    assert "Read" not in settings.read_text()
    told = cli("remember", "Keys are not for you.", "--key", "keys", "--when", "tool: read, tool: mcp__db__*, .env")
    assert told.code == 0 and "until you run: holdfast install claude-code" in told.err
    assert "holdfast install claude-code" in cli("doctor").out
    assert cli("install", "claude-code", "--yes").code == 0
    assert '"matcher": "Bash|Edit|MultiEdit|Write|NotebookEdit|mcp__db__.*|Read"' in settings.read_text()
    again = cli("edit", "keys", "--when", "tool: read, .env, .env.local")
    assert "until you run" in again.err
    cli("install", "claude-code", "--yes")
    assert "until you run" not in cli("edit", "keys", "--when", "tool: read, .env").err
    assert cli("forget", "keys", "--yes").code == 0 and cli("install", "claude-code", "--yes").code == 0
    assert "Read" not in settings.read_text()
