"""`holdfast synthesis`: pages of a week, a month and all time, and the one that a harvest writes by itself."""

from __future__ import annotations

import os
import stat
from datetime import date, timedelta

import pytest

from holdfast.app.harvest import harvest
from holdfast.errors import Refused, SwitchedOff
from holdfast.learning.synthesis import write as synthesis
from support.learned import DELETED, REMOVED, SHOP, complained, rated

TODAY = date(2026, 6, 17)
LAST_SUNDAY = TODAY - timedelta(TODAY.weekday() + 1)


@pytest.fixture(autouse=True)
def _at_noon(monkeypatch) -> None:
    """Let it be noon of that day: by the clock of the machine midnight may come in the middle of a test."""
    monkeypatch.setattr(synthesis, "now", lambda: f"{TODAY}T12:00:00Z")


def at(day) -> str:
    """Return the morning of a day."""
    return f"{day}T10:30:00Z"


def test_the_page_of_a_week(workspace, home, shop):
    """It has the trend, what recurred in which sessions, and what came of it, and only its owner can read it."""
    with workspace() as one:
        complained(one, shop, "s-1", DELETED, day="2026-05-04")
        complained(one, shop, "s-2", REMOVED, day="2026-05-06")
        harvest(one, everything=True)
        written = synthesis.synthesis(one, today="2026-05-10")
    path = home / "learning/synthesis/2026-05/week-2026-05-10.md"
    assert (written.path, written.action) == (str(path), "added")
    text = path.read_text()
    assert text == written.text
    assert "### repetition: 2 sessions" in text
    assert f'- "{DELETED}" (rated 2, 2026-05-04, some-agent/s-1, {SHOP})' in text
    assert "(standing), incident 2026-05-04-103000_you-deleted-my-migration-again" in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_same_period_is_the_same_file(workspace, tree, home):
    """Made again it is the same, byte for byte; a rating that came to be known since changes it."""
    with workspace() as one:
        rated(one, "a/s-1", 2, "wrong", "2026-05-04T10:00:00Z")
        synthesis.synthesis(one, "month", today="2026-05-10")
        before = tree(home)
        assert synthesis.synthesis(one, "month", today="2026-05-10").action == "unchanged"
        assert tree(home) == before
        rated(one, "a/s-2", 3, "slow", "2026-05-05T10:00:00Z")
        assert synthesis.synthesis(one, "month", today="2026-05-10").action == "changed"
    assert len(os.listdir(home / "learning/synthesis/2026-05")) == 1


def test_nothing_is_written_about_nothing(workspace, home):
    """A period without ratings has no page."""
    with workspace() as one:
        written = synthesis.synthesis(one, today="2026-05-10")
    assert written.action == ""
    assert written.text.endswith("Nobody rated anything in this time.\n")
    assert not (home / "learning").exists()


def test_a_project_has_a_page_of_its_own(workspace, home):
    """With a project only its ratings are told, in a file that names it."""
    with workspace(project="other") as one:
        rated(one, "a/s-1", 2, "wrong thing", "2026-05-04T10:00:00Z")
        rated(one, "a/s-2", 3, "slow thing", "2026-05-05T10:00:00Z", project="other")
        written = synthesis.synthesis(one, today="2026-05-10")
    assert written.path.endswith("week-2026-05-10_other.md")
    assert "slow thing" in written.text
    assert "wrong thing" not in written.text


def test_a_dry_run_writes_nothing(workspace, home, cli):
    """It prints the page, and there is none."""
    with workspace() as one:
        rated(one, "a/s-1", 2, "wrong", at(TODAY))
    ended = cli("synthesis", "--dry-run")
    assert ended.code == 0
    assert "2.0 of 10 on average" in ended.out
    assert not (home / "learning/synthesis").exists()


def test_a_link_is_not_followed(workspace, home, tmp_path):
    """Where the folder is a link, nothing is written through it."""
    with workspace() as one:
        rated(one, "a/s-1", 2, "wrong", "2026-05-04T10:00:00Z")
        (home / "learning/synthesis").symlink_to(tmp_path)
        with pytest.raises(Refused):
            synthesis.synthesis(one, today="2026-05-10")
    assert list(tmp_path.iterdir()) == []


def test_secrets_of_a_foreign_file_stay_out(workspace, home):
    """What somebody wrote into the file of ratings by hand passes the redaction before it is on a page."""
    secret = "ghp_" + "a1B2" * 9
    with workspace() as one:
        rated(one, "a/s-1", 2, f"wrong token {secret}", "2026-05-04T10:00:00Z")
        written = synthesis.synthesis(one, today="2026-05-10")
    assert secret not in written.text
    assert "wrong token" in written.text


def test_the_command(workspace, cli):
    """It says where the page is, gives it as JSON, and refuses two wishes at once."""
    with workspace() as one:
        rated(one, "a/s-1", 9, "quick and clean", at(TODAY))
    ended = cli("synthesis")
    assert "## Successes" in ended.out
    assert f"week-{TODAY}.md" in ended.err
    told = cli("synthesis", "--all", "--json").json
    assert (told["action"], told["report"]["ratings"]) == ("added", 1)
    assert told["report"]["groups"][0]["examples"][0]["quote"] == "quick and clean"
    assert cli("synthesis", "--week", "--month").code == 2


def test_switched_off(workspace, cli, monkeypatch, home):
    """While memory is switched off nothing is told and nothing is written."""
    monkeypatch.setenv("HOLDFAST_ENABLED", "no")
    with workspace() as one, pytest.raises(SwitchedOff):
        synthesis.synthesis(one)
    assert cli("synthesis", "--json").json == {}
    assert not home.exists()


def test_the_week_that_is_over_is_written_once(workspace, home):
    """A harvest writes the page of last week; the next one leaves it, until another rating of that week is known."""
    path = home / "learning/synthesis" / str(LAST_SUNDAY)[:7] / f"week-{LAST_SUNDAY}.md"
    with workspace() as one:
        assert synthesis.due(one) == ""
        rated(one, "a/s-1", 2, "wrong", at(LAST_SUNDAY))
        assert synthesis.due(one) == str(path)
        path.write_text(path.read_text() + "my own line\n")
        rated(one, "a/s-2", 2, "wrong", at(TODAY))
        assert synthesis.due(one) == ""
        assert "my own line" in path.read_text()
        rated(one, "a/s-3", 2, "wrong again", at(LAST_SUNDAY))
        assert synthesis.due(one) == str(path)
    assert "2 sessions" in path.read_text()


def test_a_harvest_writes_it(workspace, home, shop):
    """Nobody has to think of it: the harvest of a sweep writes the page of the week that is over."""
    with workspace() as one:
        name = complained(one, shop, day=str(LAST_SUNDAY))
        harvest(one, names=[name])
    assert (home / "learning/synthesis" / str(LAST_SUNDAY)[:7] / f"week-{LAST_SUNDAY}.md").is_file()
