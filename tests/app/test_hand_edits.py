"""What a person changes by hand between two sessions is told as it is now, without a command in between."""

from __future__ import annotations

import json
import os

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.memory.remember import remember


@pytest.fixture
def start(home, shop):
    """Start a session and return what it is given."""

    def make() -> str:
        agent = agents.get("claude-code")
        data = {"session_id": os.urandom(4).hex(), "cwd": str(shop), "source": "startup"}
        environment = {**os.environ, "CLAUDECODE": "1"}
        out = hook(str(home), agent, agent.read_hook_input("SessionStart", data, {}), environment)
        return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""

    return make


@pytest.fixture
def folder(workspace, home, cli):
    """The folder of a project with one decision, and the memories of the person."""
    with workspace() as opened:
        remember(opened, "Never force a push.", type="feedback")
    cli("decide", "Use WeasyPrint for invoices", "--because", "it reads CSS")
    return next(path.parent for path in home.glob("memory/projects/*/memories"))


def test_a_file_that_was_added_or_removed_is_seen_at_the_next_start(start, folder):
    """A memory that an editor wrote is told, and one that was deleted is not."""
    assert "Never force a push." in start()
    (folder / "memories" / "by-hand.md").write_text("---\ntype: feedback\n---\nSign every commit.\n")
    assert "Sign every commit." in start()
    (folder / "memories" / "by-hand.md").unlink()
    told = start()
    assert "Sign every commit." not in told and "Never force a push." in told


def test_a_row_that_was_struck_through_or_added_is_seen_at_the_next_start(start, folder):
    """A decision that a person strikes on the page holds no more, and one that they write there does."""
    page = folder / "decisions.md"
    assert "Use WeasyPrint for invoices" in start()
    text = page.read_text()
    row = next(line for line in text.splitlines() if "WeasyPrint" in line)
    cells = row.split("|")
    added = row.replace("Use WeasyPrint for invoices", "Use pnpm").replace("it reads CSS", "it is quick")
    struck = row.replace("Use WeasyPrint for invoices", "~~Use WeasyPrint for invoices~~")
    page.write_text(text.replace(row, f"{struck}\n{added.replace(cells[1], ' ', 1)}"))
    told = start()
    assert "WeasyPrint" not in told and "Use pnpm" in told


def test_a_start_reads_nothing_again_where_nothing_changed(start, folder, home):
    """What was noted at the last look stays as it is."""
    start()
    before = {path: path.stat().st_mtime_ns for path in (home / "state" / "looked").iterdir()}
    start()
    assert before and {path: path.stat().st_mtime_ns for path in (home / "state" / "looked").iterdir()} == before
