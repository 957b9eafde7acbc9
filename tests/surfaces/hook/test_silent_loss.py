"""Nothing is lost in silence: `status`, `doctor` and the next start of a session say what happened behind the back."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.journal import notices
from support.swept import talk, transcript, write

from .conftest import RUNNER

BEHIND = RUNNER.replace("run.py", "background.py")
LOST = "a session was removed to stay under the hard cap of the archive, and it has no digest (claude-code/s3)"


@pytest.fixture
def sweep_behind(home, hook):
    """Sweep as the end of a session does: another process, whose output nobody sees."""

    def run(**environment: str) -> int:
        words = [sys.executable, "-I", BEHIND, str(home), "60", "claude-code"]
        return subprocess.run(words, env=hook.environment(**environment), capture_output=True, check=False).returncode

    return run


@pytest.fixture
def lost(machine, home, cli, shop, sweep_behind):
    """A session whose raw events are damaged went for the hard cap in a sweep that nobody watched."""
    for number in range(4):
        write(transcript(machine, f"s{number}"), talk(f"s{number}", 3, start=10 * number))
    assert cli("sweep", "--quiet").code == 0
    for path in (home / "archive" / "digests").rglob("*.json"):
        path.unlink()
    damaged = home / "archive" / "raw" / "claude-code" / "s3.jsonl.zst"
    damaged.write_bytes(damaged.read_bytes()[:100])
    assert sweep_behind(HOLDFAST_ARCHIVE_RAW_HARD_CAP_BYTES="10", HOLDFAST_ARCHIVE_DISTILLED_CAP_BYTES="10") == 0


def in_a_terminal(*words: str) -> str:
    """Run a command in a terminal of its own and return what it shows."""
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast", *words], stdin=follower, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 65_536):
                shown += piece
        except OSError:
            # The terminal is gone with its last process.
            pass
        process.wait(600)
    os.close(leader)
    return " ".join(shown.decode().split())


def test_a_loss_behind_a_hook_is_told_until_a_terminal_has_shown_it(lost, cli, hook, remember):
    """`status` and `doctor` name the session and the alert until a person sees them; then all is quiet."""
    told = [one["line"] for one in cli("status", "--json").json["notices"]]
    assert LOST in told and any("is over its limit" in one for one in told)
    assert LOST in cli("status").out, "a pipe is no person"
    problems = cli("doctor", "--json").json["problems"]
    assert any(LOST in one["text"] and one["severity"] == "error" for one in problems)
    assert LOST in in_a_terminal("status")
    assert cli("status", "--json").json["notices"] == []
    assert "hard cap" not in cli("doctor").out


def test_a_loss_is_said_once_at_the_next_start(lost, hook, remember):
    """The person is shown a line when the next session starts, but not with the one after it, and saw no terminal."""
    remember("Deploys need the VPN.")
    first, second = hook.start("s8"), hook.start("s9")
    shown = json.loads(first.out)["systemMessage"]
    assert shown.startswith("Holdfast: ") and "a session was removed to stay under the hard cap" in shown
    assert "VPN" in first.text and "hard cap" not in first.text and len(first.text) <= 3_000
    assert "VPN" in second.text and b"hard cap" not in second.out
    assert any(one.line() == LOST for one in notices.unseen(str(hook.home)))


def test_a_loss_is_said_by_the_agent_where_no_line_is_shown(lost, hook, remember):
    """Without such a line the next session is told for the user, the one after it is not."""
    remember("Deploys need the VPN.")
    quiet = {"environment": {"HOLDFAST_HOOK_NOTICES": "no"}}
    first, second = hook.start("s8", **quiet).text, hook.start("s9", **quiet).text
    assert (
        "For the user: " in first
        and "a session was removed to stay under the hard cap" in first
        and len(first) <= 3_000
    )
    assert "VPN" in first and "VPN" in second and "hard cap" not in second
    assert any(one.line() == LOST for one in notices.unseen(str(hook.home)))


def test_a_part_of_a_hook_that_fails_is_told(hook, remember, home, cli):
    """What a hook could not do for a prompt is in `status`, once however often it happens."""
    remember("Deploys need the VPN.")
    for path in home.glob("index.db*"):
        path.unlink()
    for _ in range(3):
        hook.prompt("how do we deploy?")
    (notice,) = notices.unseen(str(home))
    assert notice.count == 3 and "a hook of claude-code" in notice.line() and notice.hint == "Run `holdfast reindex`."


def test_a_hook_that_another_program_runs_is_no_trouble(hook, remember, home):
    """That a hook stays silent for another host is normal."""
    remember("Deploys need the VPN.")
    hook.raw("UserPromptSubmit", json.dumps({"prompt": "hello"}).encode(), CLAUDECODE="", GROK_HOOK_EVENT="x")
    assert hook.log() and notices.unseen(str(home)) == []


def test_a_quiet_day_has_no_notices(machine, home, hook, cli, remember, sweep_behind):
    """A session with hooks and a sweep in which nothing is lost leaves nothing to tell, and no file."""
    write(transcript(machine, "s1"), talk("s1", 2))
    remember("Deploys need the VPN.")
    hook.start()
    hook.prompt("how do we deploy?")
    hook("Stop")
    hook("SessionEnd")
    assert sweep_behind() == 0
    assert not (home / "updates" / "notices.jsonl").exists()


def test_retention_runs_by_itself_and_is_told(home, cli, shop, write, sweep_behind):
    """A sweep removes what had its time, once a day, says which, and each can be brought back."""
    folder = "projects/example.com--acme--shop/memories"
    long_ago = datetime.now(UTC) - timedelta(days=200)
    for name, kind in (("old", "project"), ("standing", "lesson")):
        path = write(
            f"{folder}/{name}.md", f"---\ntype: {kind}\nupdated: {long_ago:%Y-%m-%dT%H:%M:%SZ}\n---\nOf {name}.\n"
        )
        os.utime(path, (long_ago.timestamp(), long_ago.timestamp()))
    assert sweep_behind() == 0
    assert [path.stem for path in (home / "memory" / folder).glob("*.md")] == ["standing"]
    (notice,) = notices.unseen(str(home))
    assert notice.severity == "info" and "example.com--acme--shop/old" in notice.line()
    (update,) = cli("updates", "--json").json["updates"]
    assert update["command"] == "prune" and update["can_be_undone"]


def test_a_sweep_that_breaks_off_is_told(home, machine, cli, shop, sweep_behind):
    """A sweep that cannot go on says so, also where nobody sees how it ended."""
    write(transcript(machine, "s1"), talk("s1", 2))
    assert cli("remember", "--scope", "global", "I like tabs.").code == 0
    (home / "archive").write_text("in the way")
    assert sweep_behind() != 0
    (notice,) = notices.unseen(str(home))
    assert "a sweep could not go on" in notice.line() and notice.severity == "error"
