"""Sessions on their way to the disk: who waits for one has it, and what went wrong is told to whoever waits."""

from __future__ import annotations

import os
from contextlib import ExitStack

import pytest

from holdfast.errors import Forgotten
from holdfast.records import Session, SessionEvent
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from holdfast.sessions.writers import Writers
from support.swept import leftovers


def begin(writers: Writers, archive: Archive, name: str, count: int = 3) -> None:
    """Write a session of so many events and hand it over."""
    events = [SessionEvent(place, "human", f"Ask {place}") for place in range(count)]
    session = Session("dummy", name, started="2026-11-01T10:00:00Z", events=count)
    with ExitStack() as handed:
        writer = archive.writing("dummy")
        handed.push(writer)
        for event in events:
            writer.add(event)
        writers.store(handed.pop_all(), writer, session, digest(session, events))


@pytest.fixture
def archive(tmp_path) -> Archive:
    """An archive in which nothing is stored yet."""
    return Archive(str(tmp_path / "home"))


def test_what_settled_can_be_read(archive):
    """After waiting for one session, or for all, they are there with their digests."""
    writers = Writers(archive)
    for number in range(30):
        begin(writers, archive, f"s{number}")
    writers.settled("dummy/s7")
    assert archive.session("dummy/s7").events == 3
    writers.settle_all()
    writers.close()
    assert [entry.analysed for entry in archive.entries()] == [True] * 30


def test_two_versions_of_a_session_come_in_their_order(archive):
    """A session that is handed over twice is as it was the second time."""
    writers = Writers(archive)
    for count in (5, 2, 7):
        begin(writers, archive, "one", count)
    writers.settle_all()
    writers.close()
    assert archive.session("dummy/one").events == 7
    assert [session.events for session in writers.shrunk] == [2]


def test_what_went_wrong_is_raised_where_somebody_waits(archive, tmp_path):
    """A session that may not be stored is an error of its own; the others are stored, and nothing is left over."""
    archive.forget("dummy/bad")
    writers = Writers(archive)
    for name in ("good", "bad", "fine"):
        begin(writers, archive, name)
    with pytest.raises(Forgotten):
        writers.settle_all()
    writers.close()
    assert sorted(entry.id for entry in archive.entries()) == ["fine", "good"]
    assert leftovers(tmp_path) == []


def test_what_did_not_settle_leaves_nothing(archive, tmp_path):
    """Sessions that are on their way when the writers are closed go without a trace; they have no names yet."""
    writers = Writers(archive)
    for number in range(20):
        begin(writers, archive, f"s{number}")
    writers.settled("dummy/s3")
    writers.close()
    assert [entry.id for entry in archive.entries()] == ["s3"]
    assert leftovers(tmp_path) == []


def test_a_power_cut_finds_whole_files_under_every_name(archive, monkeypatch):
    """Each file is durable before it gets its name, and the names of raw files are before a digest gets its own."""
    acts: list[tuple[str, int, str]] = []
    sync, rename = os.fsync, os.rename

    def synced(descriptor: int) -> None:
        sync(descriptor)
        acts.append(("sync", os.fstat(descriptor).st_ino, ""))

    def renamed(source: str, target: str) -> None:
        acts.append(("name", os.stat(source).st_ino, target))
        rename(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    writers = Writers(archive)
    for count in (2, 3):
        for number in range(10):
            begin(writers, archive, f"s{number}", count)
    writers.settle_all()
    writers.close()
    raw_folder = os.stat(os.path.join(archive.root, "raw", "dummy")).st_ino
    named = [place for place, act in enumerate(acts) if act[0] == "name"]
    assert len(named) == 40
    for place in named:
        _, inode, target = acts[place]
        assert ("sync", inode, "") in acts[:place]
        if target.endswith(".json"):
            last_raw = max(at for at in named if at < place and acts[at][2].endswith(".zst"))
            assert ("sync", raw_folder, "") in acts[last_raw:place]
    assert acts[-1] == ("sync", os.stat(os.path.join(archive.root, "digests", "dummy")).st_ino, "")
