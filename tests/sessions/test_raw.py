"""The raw file of a session: what is stored comes back; damage, kills and a full disk cost no more than they must."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import BrokenFile, StoreFull
from holdfast.records import Cost, Problem, Session, SessionEvent, replace
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from support.killing import run_script
from support.sampling import count

from .storing import EVENTS, SESSION, raw_path, stored

FULL_EVENT = SessionEvent(
    7, "tool", "said", "2026-05-04T10:00:00.000Z", "Bash", "c-1", '{"command":"ls"}', "ä €\n", True, 12, "/f", "b", "m",
    "u-1", 99, True,
)  # fmt: skip


@pytest.fixture
def archive(home: Path) -> Archive:
    """An archive in a home that does not exist yet."""
    return Archive(str(home))


def test_what_is_stored_comes_back(archive) -> None:
    """Every field of every event and of the session is the same when it is read back."""
    events = [*EVENTS, FULL_EVENT, replace(FULL_EVENT, answered=False, failed=False)]
    name = stored(archive, events)
    found = archive.events(name)
    assert list(found) == events
    assert found.problem is None
    assert archive.session(name) == SESSION
    assert archive.digest(name) == digest(SESSION, events)


def test_the_raw_file_is_plain_json_lines(archive, home) -> None:
    """Any program for Zstandard reads it: an object a line without empty fields, and the session at the end."""
    stored(archive)
    with raw_path(home).open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        lines = [json.loads(line) for line in io.BufferedReader(stream)]
    assert lines[0] == {"role": "human", "text": "Mend the till.", "at": "2026-05-04T10:00:00.000Z", "line": 1}
    assert len(lines) == len(EVENTS) + 1
    assert lines[-1]["session"]["id"] == "s-1"
    assert lines[-1]["events"] == len(EVENTS)


def test_fields_of_a_newer_version_are_passed_over(archive, home) -> None:
    """An event or a session with fields that this version does not know is read, missing ones are empty."""
    lines = [
        {"place": 3, "role": "human", "text": "Hi", "mood": "good"},
        {"session": {"agent": "some-agent", "id": "s-1", "weather": [1], "cost": {"input": 5, "water": 2}}},
    ]
    path = raw_path(home)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"".join(zstandard.compress(json.dumps(line).encode() + b"\n") for line in lines))
    found = archive.events("some-agent/s-1")
    assert list(found) == [SessionEvent(3, "human", "Hi")]
    assert found.problem is None
    stored(archive)
    data = path.read_bytes()
    frame = zstandard.compress(json.dumps(lines[1]).encode() + b"\n")
    path.write_bytes(data[:-16] + frame + data[-16:-8] + len(frame).to_bytes(8, "little"))
    assert archive.session("some-agent/s-1") == Session("some-agent", "s-1", cost=Cost(input=5))


def test_what_is_not_kept_leaves_no_trace(archive, home, tree) -> None:
    """A writer that ends without `keep`, by an error or on purpose, leaves neither a file nor a temporary one."""
    stored(archive)
    before = tree(home)
    with pytest.raises(RuntimeError), archive.writing("some-agent") as writer:
        for number in range(3_000):
            writer.add(SessionEvent(number, "human", f"{random.random()}"))
        assert writer.bytes > 0
        raise RuntimeError
    with archive.writing("another") as writer:
        writer.add(EVENTS[0])
    assert tree(home) == before


def test_growth_replaces_what_was_there(archive, home) -> None:
    """A session that grew has all its events once, and nothing is kept beside it."""
    stored(archive, EVENTS[:2])
    name = stored(archive, EVENTS)
    assert list(archive.events(name)) == EVENTS
    assert not archive.has_earlier(name)
    assert len(list((home / "archive" / "raw" / "some-agent").iterdir())) == 1


def test_a_shorter_telling_does_not_take_away(archive) -> None:
    """Of tellings that a shorter one replaced, the longest stays beside it, and the writer says so."""
    name = stored(archive, EVENTS[:2])
    stored(archive, EVENTS)
    with archive.writing("some-agent") as writer:
        writer.add(EVENTS[0])
        writer.add(EVENTS[1])
        writer.keep(SESSION)
        assert writer.kept_earlier
    assert list(archive.events(name)) == EVENTS[:2]
    assert list(archive.events(name, earlier=True)) == EVENTS
    stored(archive, EVENTS[:1])
    assert list(archive.events(name)) == EVENTS[:1]
    assert list(archive.events(name, earlier=True)) == EVENTS
    assert archive.usage().raw == sum(path.stat().st_size for path in Path(archive.root).rglob("*.zst"))


def many(count: int = 400) -> list[SessionEvent]:
    """Return events that do not compress to nothing."""
    chance = random.Random(1)
    return [SessionEvent(place, "human", str(chance.random()) * 9) for place in range(count)]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_a_cut_file_gives_what_can_be_read(archive, home, share) -> None:
    """Of a raw file that was cut, the first events come, then a problem says so; the digest still tells the session."""
    events = many()
    name = stored(archive, events)
    data = raw_path(home).read_bytes()
    raw_path(home).write_bytes(data[: int(len(data) * share)])
    found = archive.events(name)
    read = list(found)
    assert read == events[: len(read)]
    assert isinstance(found.problem, Problem)
    assert archive.session(name).id == "s-1"


def test_a_file_that_was_packed_anew_is_read(archive, home) -> None:
    """The session is found without the bytes at the end that point to it, and a longer telling is still noticed."""
    name = stored(archive, digested=False)
    with raw_path(home).open("rb") as file:
        plain = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    raw_path(home).write_bytes(zstandard.compress(plain, 19))
    assert list(archive.events(name)) == EVENTS
    assert archive.session(name) == SESSION
    stored(archive, EVENTS[:1])
    assert list(archive.events(name, earlier=True)) == EVENTS


def test_a_flipped_bit_is_noticed(archive, home) -> None:
    """Damage anywhere gives events and a problem, or the same events; never a traceback, never other words unsaid."""
    events = many(100)
    name = stored(archive, events)
    data = raw_path(home).read_bytes()
    for at in range(0, len(data), 97):
        raw_path(home).write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :])
        found = archive.events(name)
        assert list(found) == events or found.problem is not None
        assert archive.session(name).id == "s-1"


@settings(max_examples=count(60, 20))
@given(st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(zstandard.compress)))
def test_any_bytes_are_read_without_a_crash(tmp_path_factory, data: bytes) -> None:
    """A raw file or digest of any bytes at all is a problem or an error of ours, never a crash."""
    home = tmp_path_factory.mktemp("home")
    archive = Archive(str(home))
    for path in (raw_path(home), home / "archive" / "digests" / "some-agent" / "s-1.json"):
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    found = archive.events("some-agent/s-1")
    assert list(found) == [] or data
    assert found.problem is not None
    with pytest.raises(BrokenFile):
        archive.session("some-agent/s-1")
    problems: list[Problem] = []
    assert list(archive.digests(problems)) == []
    assert len(problems) == 1


def test_lines_that_are_no_events_are_left_out(archive, home) -> None:
    """A wrong line in the middle costs only itself, and the problem names it."""
    lines = [
        b'{"role":"human","text":"one"}',
        b"[1]",
        b'{"role":5}',
        b'{"role":"human","text":"two"}',
        b'{"session":{}}',
    ]
    raw_path(home).parent.mkdir(parents=True)
    raw_path(home).write_bytes(zstandard.compress(b"\n".join(lines) + b"\n"))
    found = archive.events("some-agent/s-1")
    assert [event.text for event in found] == ["one", "two"]
    assert found.problem is not None
    assert found.problem.line == 2


def test_what_no_utf8_can_say_is_replaced(archive) -> None:
    """A lone surrogate costs one character, not the session."""
    name = stored(archive, [*EVENTS, SessionEvent(9, "human", "a\ud800b")], digested=False, title="t\udfff")
    assert [event.text for event in archive.events(name)][-1] == "a?b"
    assert archive.session(name).title == "t?"


def test_memory_does_not_grow_with_a_session(archive) -> None:
    """Writing and reading back 60 MB of text takes a few MB at a time."""
    text = "".join(str(number) for number in range(40_000))[:200_000]
    tracemalloc.start()
    with archive.writing("some-agent") as writer:
        for place in range(300):
            writer.add(SessionEvent(place, "human", f"{place} {text}"))
        writer.keep(SESSION)
    assert sum(1 for _ in archive.events("some-agent/s-1")) == 300
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16_000_000


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 1 MB of its own; it is taken away again whatever happens."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "holdfast-test", str(place)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"a file system cannot be mounted here: {made.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_leaves_nothing_half_written(small_disk) -> None:
    """Where the disk is full the error says so, no temporary file is left, and what was stored before is whole."""
    archive, chance = Archive(str(small_disk / "home")), random.Random(3)
    name = stored(archive)
    with pytest.raises(StoreFull), archive.writing("some-agent") as writer:
        for place in range(4_000):
            writer.add(SessionEvent(place, "human", chance.randbytes(500).hex()))
        writer.keep(replace(SESSION, id="s-2"))
    assert [entry.name for entry in archive.entries()] == [name]
    assert archive.clear_leftovers() == 0
    assert list(archive.events(name)) == EVENTS
    stored(archive, EVENTS[:3])


STORER = """
import itertools, sys
from holdfast.records import Session, SessionEvent
from holdfast.sessions.archive import Archive
from support.killing import kills_in

archive = Archive(sys.argv[1])

def store(after, say):
    for turn in itertools.count(after + 1):
        session = Session("some-agent", f"s-{turn % 40}", ended=f"2026-01-01T00:00:00.{turn % 1000:03}Z")
        say(f"try {turn}")
        with archive.writing("some-agent") as writer:
            for place in range(turn % 300 + 1):
                writer.add(SessionEvent(place, "human", f"turn {turn}"))
            writer.keep(session)
        say(f"ack {turn}")

kills_in(store, sys.argv[2], 120, 200, 5)
"""


def test_raw_files_are_whole_after_kills(archive, home, tmp_path) -> None:
    """After kill -9 at random moments every raw file is whole, the acknowledged ones are there, and leftovers go."""
    run_script(STORER, str(home), str(tmp_path / "said"))
    said = [line.split() for line in (tmp_path / "said").read_text().splitlines()]
    acknowledged = {int(number) % 40: int(number) for word, number in said if word == "ack"}
    assert len(acknowledged) > 6
    archive.clear_leftovers()
    for entry in archive.entries():
        found = archive.events(entry.name)
        (said_in,) = {event.text for event in found}
        assert found.problem is None
        at_least = acknowledged.get(int(entry.id[2:]), 0)
        assert int(said_in.split()[1]) >= at_least
    assert {f"s-{number}" for number in acknowledged} <= {entry.id for entry in archive.entries()}
    names_left = os.listdir(home / "archive" / "raw" / "some-agent")
    assert all(name.endswith(".jsonl.zst") and not name.startswith(".") for name in names_left)
