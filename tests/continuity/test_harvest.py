"""The log's entry of a session out of its digest."""

from __future__ import annotations

import time

import pytest

from holdfast.base.light_records import replace
from holdfast.continuity import log, pages
from holdfast.continuity.harvest import harvest
from holdfast.continuity.log import LogEntry
from holdfast.records import Session
from holdfast.sessions.facts import CommandRun, Delivered, Digest, FileChange, Outcome, Said, Trouble

SHOP = "example.com--acme--shop"
TODAY = time.strftime("%Y-%m-%d", time.gmtime())
TOKEN = "ghp_" + "a1B2" * 9
SESSION = Session(agent="codex", id="s1", project=SHOP, started=f"{TODAY}T08:00:00Z", ended=f"{TODAY}T09:00:00Z")
DIGEST = Digest(
    session=SESSION,
    title="Fix the login",
    first_ask=None,
    last_ask=None,
    outcome=Outcome("success", 0.9),
    files=(FileChange("src/a.py", 2),),
    checks=(CommandRun("pytest", "test", 3, 1, "passed"), CommandRun("npm run build", "build", 1, 1, "failed")),
    commits=(Delivered("0123456789abcdef", "Write the docs of the API"),),
    said=(Said("decision", "Well, let's go with Postgres, not Redis, I think"), Said("praise", "great")),
    troubles=(Trouble("no such table", "pytest", 2, "fixed"),),
)


@pytest.fixture
def folder(home):
    """The folder of the shop's pages, which is there."""
    made = home / "memory" / "projects" / SHOP
    made.mkdir(parents=True)
    return made


def test_it_says_what_was_done_and_what_failed(workspace, folder):
    """Commits, checks, troubles, files and the outcome come out of the digest."""
    with workspace() as opened:
        assert harvest(opened, DIGEST)
    entry = log.entry(str(folder), TODAY, "codex", "s1")
    assert (entry.title, entry.outcome, entry.files) == ("Fix the login", "success", ("src/a.py",))
    assert entry.done == ("commit 0123456789: Write the docs of the API", "pytest passed")
    assert entry.failed == ("npm run build (failed 1 of 1)", "pytest: no such table (fixed, 2 times)")


def test_what_hooks_were_told_stays(workspace, folder):
    """What the hook noted of a session and the digest does not know is still there, and no decision stands twice."""
    noted = LogEntry("s1", "codex", SESSION.started, decisions=("decision: let's go with Postgres, not Redis",))
    log.write(str(folder), replace(noted, done=("I fixed it.", "Committed as 0123456."), next_steps=("Ship it",)))
    with workspace() as opened:
        for _ in range(2):
            assert harvest(opened, DIGEST)
    entry = log.entry(str(folder), TODAY, "codex", "s1")
    assert entry.decisions == noted.decisions and entry.next_steps == ("Ship it",)
    assert entry.done == ("I fixed it.", "commit 0123456789: Write the docs of the API", "pytest passed")


def test_a_session_that_was_cut_off_stays_so_where_nothing_else_is_known(workspace, folder):
    """Hooks know that a session was cut off; an outcome that its transcript shows goes before that."""
    log.write(str(folder), LogEntry("s1", "codex", SESSION.started, done=("I fixed it.",), outcome="cut off"))
    outcomes = []
    with workspace() as opened:
        for known in ("unknown", "success"):
            harvest(opened, replace(DIGEST, outcome=Outcome(known, 0.5)))
            outcomes.append(log.entry(str(folder), TODAY, "codex", "s1").outcome)
    assert outcomes == ["cut off", "success"]


def test_a_todo_in_a_commits_subject_is_ticked(workspace, folder):
    """A todo whose text is the whole subject of a commit of the session is ticked, and no other."""
    for text in ("Write the docs of the API", "Write the docs"):
        pages.add_todo((str(folder),), text)
    pages.add_todo((str(folder),), "Write the docs of the app")
    with workspace() as opened:
        harvest(opened, DIGEST)
    assert [one.done for one in pages.todos((str(folder),))] == [True, False, False]


def test_history_makes_no_log(workspace, folder):
    """A session of long ago gets no entry of its own; one that has an entry is renewed."""
    old = replace(SESSION, started="2020-01-02T08:00:00Z", ended="2020-01-02T09:00:00Z")
    with workspace() as opened:
        assert not harvest(opened, replace(DIGEST, session=old))
        log.write(str(folder), LogEntry("s1", "codex", old.started, title="x"))
        assert harvest(opened, replace(DIGEST, session=old))


@pytest.mark.parametrize("changes", [{"project": ""}, {"is_subagent": True}, {"started": ""}, {"project": "unknown"}])
def test_sessions_without_a_page_of_their_own(workspace, folder, changes):
    """A session without a project, of a sub-agent, or of a project without pages is left alone."""
    with workspace() as opened:
        assert not harvest(opened, replace(DIGEST, session=replace(SESSION, **changes)))
    assert not (folder / "log").exists()


def test_off_is_off(workspace, folder):
    """With memory or continuity off nothing is written."""
    for name in ("enabled", "continuity.enabled"):
        with workspace(flags={name: "false"}) as opened:
            assert not harvest(opened, DIGEST)
    assert not (folder / "log").exists()


def test_secrets_are_taken_out(workspace, folder):
    """A secret that a digest still had is not written."""
    with workspace() as opened:
        harvest(opened, replace(DIGEST, title=f"Use {TOKEN}", files=(FileChange(TOKEN, 1),)))
    assert TOKEN not in log.read(str(folder), TODAY)
