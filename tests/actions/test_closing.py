"""The end of a session: the same pages, however often and from wherever it is tried."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.actions import closing
from holdfast.continuity import buffer, log, noting, opened
from holdfast.continuity.places import Pages
from holdfast.plain_json import dumps

DAY = "2026-11-15"
ROWS = [
    ("ask", "Fix the login page"),
    ("focus", "Fix the login page"),
    ("said", dumps(["decision", "let's go with Postgres"])),
    ("file", "src/a.py"),
    ("failed", "npm test: exit 1"),
    ("answer", "I fixed it."),
    ("next", dumps(["Write docs"])),
]


@pytest.fixture
def session(tmp_path):
    """Return the pages of a project and a session that was left open in it."""

    def make(name: str) -> tuple[Pages, opened.Opened]:
        home = str(tmp_path / name)
        noting.note(home, "codex", "s1", "shop", f"{DAY}T10:00:00Z", ROWS)
        return Pages(home, "shop"), opened.read(noting.path_of(home, "codex", "s1", "shop"))

    return make


def content(pages: Pages) -> dict[str, str]:
    """Return the pages of the project."""
    log_page = log.path_of(pages.folder, DAY)
    return {path: Path(path).read_text() for path in (pages.buffer, log_page)}


def close(pages: Pages, one: opened.Opened) -> None:
    """Close the session as the next start does."""
    closing.close(pages, one, f"{DAY}T12:00:00Z", cut_off=True)


def test_a_crash_in_the_middle_is_made_good(session):
    """When the process is killed at any moment of an end, the next try leaves the pages that one whole try leaves."""
    whole, one = session("whole")
    close(whole, one)
    for number in range(14):
        broken, one = session(f"broken-{number}")
        killed_after(0.0007 * number, broken, one)
        close(broken, opened.read(one.path))
        expected = {path.replace("/whole/", f"/broken-{number}/"): text for path, text in content(whole).items()}
        assert content(broken) == expected and opened.read(one.path).closed


def killed_after(seconds: float, pages: Pages, one: opened.Opened) -> None:
    """Let another process close the session, and kill it after so many seconds."""
    code = (
        "import sys\n"
        "from holdfast.actions import closing\n"
        "from holdfast.continuity import opened, places\n"
        f"pages, one = places.Pages({pages.home!r}, 'shop'), opened.read({one.path!r})\n"
        "print('ready', flush=True)\n"
        f"closing.close(pages, one, '{DAY}T12:00:00Z', cut_off=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        time.sleep(seconds)
        process.kill()


def test_an_end_from_a_state_that_is_behind_loses_nothing(session, tmp_path):
    """A buffer that was lost meanwhile does not keep the log from saying what happened."""
    pages, one = session("lost")
    closing.merge(pages, one, f"{DAY}T11:00:00Z")
    shutil.rmtree(pages.folder)
    close(pages, one)
    entry = log.entry(pages.folder, DAY, "codex", "s1")
    assert entry.done == ("I fixed it.",) and entry.files == ("src/a.py",) and entry.failed == ("npm test: exit 1",)
    assert entry.decisions == ("decision: let's go with Postgres",)


def test_a_session_in_which_nothing_happened_leaves_no_trace(tmp_path):
    """A session that only started and ended makes no page."""
    home = str(tmp_path / "empty")
    noting.note(home, "codex", "s1", "shop", f"{DAY}T10:00:00Z", [("known", ""), ("read", "0")])
    pages = Pages(home, "shop")
    close(pages, opened.read(noting.path_of(home, "codex", "s1", "shop")))
    assert not (tmp_path / "empty" / "memory").exists()


def test_a_session_that_goes_on_after_it_was_cut_off_has_ended_once(session):
    """The buffer has one line of a session that was closed twice, with how it ended at last."""
    pages, one = session("twice")
    close(pages, one)
    closing.close(pages, opened.read(one.path), f"{DAY}T13:00:00Z", cut_off=False)
    told = [line for line in buffer.read(pages.buffer).happened if "Fix the login page" in line]
    assert told == [f"{DAY} codex: Fix the login page (ended; log/{DAY}.md)"]


def test_next_steps_of_another_session_are_not_in_the_log_of_this_one(session):
    """A session that says nothing of what comes next does not repeat what was there before it."""
    pages, one = session("steps")
    close(pages, one)
    rows = [("known", closing.known(buffer.read(pages.buffer))), ("ask", "Fix the cart"), ("answer", "I fixed it.")]
    noting.note(pages.home, "codex", "s2", "shop", f"{DAY}T14:00:00Z", rows)
    close(pages, opened.read(noting.path_of(pages.home, "codex", "s2", "shop")))
    entries = [log.entry(pages.folder, DAY, "codex", name) for name in ("s1", "s2")]
    assert [entry.next_steps for entry in entries] == [("Write docs",), ()]
    assert buffer.read(pages.buffer).next_steps == ("Write docs",)


def test_what_makes_room_is_not_logged_twice(session):
    """A decision that leaves the buffer and stands in the entry of its own session is not written down again."""
    pages, one = session("room")
    close(pages, one)
    rows = [("said", dumps(["decision", f"let's take way {number}"])) for number in range(closing.STAY + 1)]
    noting.note(pages.home, "codex", "s2", "shop", f"{DAY}T14:00:00Z", [("ask", "Fix the cart"), *rows])
    close(pages, opened.read(noting.path_of(pages.home, "codex", "s2", "shop")))
    page = log.read(pages.folder, DAY)
    assert page.count("let's go with Postgres") == 1 and page.count("let's take way 0") == 1
