"""The finder of signals: kept beside the digest, once, and again only where the session changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.app.harvest import harvest
from holdfast.patterns import signal_files
from holdfast.records import SessionEvent
from holdfast.workspace import Workspace
from sessions.making import answer, human, ran
from support.archived import session, store


@pytest.fixture
def workspace(home, shop):
    """A workspace whose archive keeps sessions of any age."""
    with Workspace(str(home), flags={"archive.raw_max_age_days": "0"}) as opened:
        yield opened


def archive(workspace: Workspace, shop: Path, *events: SessionEvent) -> None:
    """Archive a session with these events."""
    store(workspace, session("s-1", shop), human("Go."), *events, answer(), index=False)


def kept(workspace: Workspace) -> list[str]:
    """Return the signatures that are kept of the session."""
    found = signal_files.read(workspace.home, "some-agent", "s-1")
    assert found is not None
    return [one.signature for one in found.signals]


def test_signals_are_kept_once(workspace, shop) -> None:
    """A harvest writes the file; the next one, also when it forgot that it was there, adds nothing."""
    archive(workspace, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    first = harvest(workspace, everything=True)
    assert [one.text for one in first.found if one.kind == "signals"] == ["1 signal"]
    assert kept(workspace) == ["npm ci: lock file out sync manifest"]
    (path,) = Path(workspace.home).glob("archive/signals/*/*.json")
    before = path.stat().st_mtime_ns
    (Path(workspace.home) / "state" / "harvested").unlink()
    again = harvest(workspace, everything=True)
    assert [one for one in again.found if one.kind == "signals"] == []
    assert path.stat().st_mtime_ns == before


def test_a_session_that_grew_has_its_new_signals(workspace, shop) -> None:
    """What a session shows later takes the place of what it showed before."""
    failure = ran("npm ci", "error: lock file is out of sync with manifest", failed=True)
    archive(workspace, shop, failure)
    harvest(workspace, everything=True)
    archive(workspace, shop, failure, ran("npm start", "error: listen EADDRINUSE :::3000", failed=True))
    harvest(workspace, everything=True)
    assert kept(workspace) == ["npm ci: lock file out sync manifest", "shell: port in use:"]


def test_lost_signals_come_back(workspace, shop) -> None:
    """A file that is broken or gone is made again when all sessions are harvested, and only then."""
    archive(workspace, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    harvest(workspace, everything=True)
    (path,) = Path(workspace.home).glob("archive/signals/*/*.json")
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    assert (harvest(workspace, everything=True).sessions, path.read_bytes()) == (1, whole)
    path.unlink()
    assert (harvest(workspace, everything=True).sessions, path.read_bytes()) == (1, whole)
    assert harvest(workspace, everything=True).sessions == 0


def test_a_session_without_signals_is_noted(workspace, shop) -> None:
    """Nobody need look at it again."""
    archive(workspace, shop, ran("npm ci", "added 3 packages"))
    harvest(workspace, everything=True)
    assert kept(workspace) == []


def test_a_dry_run_writes_nothing(workspace, shop) -> None:
    """A dry run tells what it found, and no file of signals is made."""
    archive(workspace, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    told = harvest(workspace, everything=True, dry_run=True)
    assert [one.kind for one in told.found if one.kind == "signals"] == ["signals"]
    assert not (Path(workspace.home) / "archive" / "signals").exists()
