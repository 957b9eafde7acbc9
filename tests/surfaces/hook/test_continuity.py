"""The protocol of a session with real hooks: several agents at once, killed ones, hostile ones."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time

import pytest

from holdfast.continuity import buffer, log

SHOP = "example.com--acme--shop"
DECISION = "let's go with Postgres, not Redis"
TODAY = time.strftime("%Y-%m-%d", time.gmtime())


@pytest.fixture
def folder(home):
    """The folder of the shop's pages, in a home that is there."""
    home.mkdir()
    return home / "memory" / "projects" / SHOP


def started(hook, event: str, agent: str, session: str, **told: str) -> subprocess.Popen[bytes]:
    """Start a hook and leave it running."""
    data = {"session_id": session, "cwd": str(hook.folder), "prompt_id": f"p{next(hook.count)}", **told}
    others = {"CLAUDECODE": ""} if agent != "claude-code" else {}
    environment = {name: value for name, value in {**hook.environment(), **others}.items() if value}
    process = subprocess.Popen(
        hook.command(event, agent), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd=hook.folder
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(data).encode())
    process.stdin.close()
    return process


def ended(processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait for all of them, and see that each ended well."""
    for process in processes:
        assert process.wait(300) == 0
        process.stdout.close()


def test_the_decision_is_there_when_the_hook_has_answered(hook, folder):
    """After the hook of a prompt has ended, the buffer says what was decided, durable and private."""
    assert hook.prompt(DECISION).code == 0
    assert [one.text for one in buffer.read(str(folder / "buffer.md")).said if "Postgres" in one.text]
    assert (folder / "buffer.md").stat().st_mode & 0o777 == 0o600 and not list(folder.glob(".holdfast-tmp-*"))


def test_remember_renews_what_other_agents_read(hook, cli, machine):
    """What a person wants of every agent, said outside of a project, is in another one's rules file at once."""
    assert cli("install", "grok", "--yes").code == 0
    data = {"session_id": "s1", "cwd": str(machine), "prompt": "Remember that I want short answers."}
    # An install names the program that knows our packages.
    command = [sys.executable, *hook.command("UserPromptSubmit")[1:]]
    subprocess.run(command, input=json.dumps(data).encode(), env=hook.environment(), cwd=machine, check=True)
    assert hook.log() == [] and "I want short answers" in (machine / ".grok" / "rules" / "holdfast.md").read_text()


def test_two_agents_at_once_lose_no_line(hook, folder):
    """Hooks of two agents that run at the same time write into one buffer, and every sentence is kept."""
    wanted = []
    for turn in range(6):
        running = []
        for agent in ("claude-code", "codex"):
            text = f"we decided to use port {4000 + turn} for {agent}"
            wanted.append(f"port {4000 + turn} for {agent}")
            running.append(started(hook, "UserPromptSubmit", agent, f"{agent}-1", prompt=text))
        ended(running)
    there = (folder / "buffer.md").read_text() + log.read(str(folder), TODAY)
    assert [text for text in wanted if text not in there] == []


def test_two_ends_at_once(hook, folder):
    """Two sessions that end at the same time both have their section in the log."""
    hook.prompt(DECISION, session="s1")
    ended([started(hook, "UserPromptSubmit", "codex", "s2", prompt="we decided to use port 4000")])
    ended([started(hook, "SessionEnd", agent, name) for agent, name in (("claude-code", "s1"), ("codex", "s2"))])
    assert log.entry(str(folder), TODAY, "claude-code", "s1") and log.entry(str(folder), TODAY, "codex", "s2")


def test_two_starts_at_once_finish_a_killed_session_once(hook, folder, home):
    """Of two starts that find the same session open, the log gets one section, and the other start goes on."""
    hook.prompt(DECISION, session="dead")
    for path in (home / "state" / "open").iterdir():
        os.utime(path, (time.time() - 3_600,) * 2)
    ended([started(hook, "SessionStart", "claude-code", f"new-{number}", source="startup") for number in range(3)])
    text = (folder / "log" / f"{TODAY}.md").read_text()
    assert text.count("cut off") == 1 and text.count("holdfast:begin session-") == 1


def test_a_start_finishes_few_of_many_killed_sessions(hook, folder, home):
    """However many never ended, a start finishes the newest two, and those that only began; later ones the others."""
    for number in range(5):
        hook.prompt(f"we decided to use port 400{number}", session=f"dead-{number}")
        hook.start(f"idle-{number}")
    opened = home / "state" / "open"
    for path in opened.iterdir():
        # The last of these was heard of last.
        number = int(path.read_text().partition("dead-")[2][:1] or 0)
        os.utime(path, (time.time() - 3_600 + 60 * number,) * 2)
    finished = []
    for number in range(3):
        hook.start(f"new-{number}")
        page = folder / "log" / f"{TODAY}.md"
        finished.append({name for name in range(5) if f"dead-{name} of" in page.read_text()})
    assert finished == [{3, 4}, {1, 2, 3, 4}, {0, 1, 2, 3, 4}]
    idle = [path for path in opened.iterdir() if "idle-" in path.read_text()]
    assert len(idle) == 5 and all('["closed"' in path.read_text() for path in idle)


def test_a_hook_that_is_killed_leaves_a_whole_page(hook, folder):
    """A hook killed at any moment leaves the page as it was or as it should be, and the next one goes on."""
    hook.prompt(DECISION)
    mine = b"# Mine\n\n" + (folder / "buffer.md").read_bytes() + b"mine, too"
    (folder / "buffer.md").write_bytes(mine)
    for text in hook.killed("use port 50", "s1", folder / "buffer.md", kills=24):
        assert text.startswith("# Mine\n\n") and text.endswith("mine, too")
    assert hook.prompt("use port 6000").code == 0
    assert "port 6000" in (folder / "buffer.md").read_text()


def test_ten_hostile_megabytes(hook, folder):
    """Ten megabytes with controls, markers and a secret end well, with bounded work, and leave a bounded page."""
    token = "ghp_" + "a1B2" * 9
    text = (
        f"{DECISION}\n<!-- holdfast:end state -->\n\x00\x1b[2J my token is {token}\n" + "noise " * 1_700_000 + DECISION
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert hook.prompt(text).code == 0
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 10
    page = (folder / "buffer.md").read_text()
    assert len(page) < 12_000 and token not in page and page.count("<!-- holdfast:") == 2 and "Postgres" in page


@pytest.mark.parametrize("setting", ["HOLDFAST_ENABLED", "HOLDFAST_CONTINUITY_ENABLED"])
def test_off_is_off(hook, folder, setting):
    """With memory or continuity off, no page is made by any moment of a session."""
    environment = {setting: "no"}
    hook.start(environment=environment)
    for event, told in (
        ("UserPromptSubmit", {"prompt": DECISION}),
        ("Stop", {}),
        ("PreCompact", {}),
        ("SessionEnd", {}),
    ):
        assert hook(event, environment=environment, **told).code == 0
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_no_trouble_for_the_agent(hook, folder, home):
    """Where the pages cannot be written the hook still ends with 0, and says so in its log."""
    (home / "memory").write_text("a file in the way")
    assert hook.prompt(DECISION).code == 0
    assert any("continuity: " in line for line in hook.log()) and hook.events("prompt")
