"""The finder of signals: kept beside the digest, once, and again only where the session changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from actions.archived import session, store
from holdfast.actions.harvest import harvest
from holdfast.actions.house import House
from holdfast.patterns import signal_files
from holdfast.records import SessionEvent
from sessions.making import answer, human, ran


@pytest.fixture
def house(home, shop):
    """A house whose archive keeps sessions of any age."""
    with House(str(home), flags={"archive.raw_max_age_days": "0"}) as opened:
        yield opened


def archive(house: House, shop: Path, *events: SessionEvent) -> None:
    """Archive a session with these events."""
    store(house, session("s-1", shop), human("Go."), *events, answer(), index=False)


def kept(house: House) -> list[str]:
    """Return the signatures that are kept of the session."""
    found = signal_files.read(house.home, "some-agent", "s-1")
    assert found is not None
    return [one.signature for one in found.signals]


def test_signals_are_kept_once(house, shop) -> None:
    """A harvest writes the file; the next one, also when it forgot that it was there, adds nothing."""
    archive(house, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    first = harvest(house, everything=True)
    assert [one.text for one in first.found if one.kind == "signals"] == ["1 signal(s)"]
    assert kept(house) == ["npm ci: lock file out sync manifest"]
    (path,) = Path(house.home).glob("archive/signals/*/*.json")
    before = path.stat().st_mtime_ns
    (Path(house.home) / "state" / "harvested").unlink()
    again = harvest(house, everything=True)
    assert [one for one in again.found if one.kind == "signals"] == []
    assert path.stat().st_mtime_ns == before


def test_a_session_that_grew_has_its_new_signals(house, shop) -> None:
    """What a session shows later takes the place of what it showed before."""
    failure = ran("npm ci", "error: lock file is out of sync with manifest", failed=True)
    archive(house, shop, failure)
    harvest(house, everything=True)
    archive(house, shop, failure, ran("npm start", "error: listen EADDRINUSE :::3000", failed=True))
    harvest(house, everything=True)
    assert kept(house) == ["npm ci: lock file out sync manifest", "shell: port in use:"]


def test_lost_signals_come_back(house, shop) -> None:
    """A file that is broken or gone is made again when all sessions are harvested, and only then."""
    archive(house, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    harvest(house, everything=True)
    (path,) = Path(house.home).glob("archive/signals/*/*.json")
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    assert (harvest(house, everything=True).sessions, path.read_bytes()) == (1, whole)
    path.unlink()
    assert (harvest(house, everything=True).sessions, path.read_bytes()) == (1, whole)
    assert harvest(house, everything=True).sessions == 0


def test_a_session_without_signals_is_noted(house, shop) -> None:
    """Nobody need look at it again."""
    archive(house, shop, ran("npm ci", "added 3 packages"))
    harvest(house, everything=True)
    assert kept(house) == []


def test_a_dry_run_writes_nothing(house, shop) -> None:
    """A dry run tells what it found, and no file of signals is made."""
    archive(house, shop, ran("npm ci", "error: lock file is out of sync with manifest", failed=True))
    told = harvest(house, everything=True, dry_run=True)
    assert [one.kind for one in told.found if one.kind == "signals"] == ["signals"]
    assert not (Path(house.home) / "archive" / "signals").exists()
