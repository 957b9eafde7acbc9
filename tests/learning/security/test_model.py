"""The audit trail: one line a call, once each, private, and never through a link."""

from __future__ import annotations

import json
import os
import threading

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import Refused
from holdfast.learning.security import model as security_trail
from holdfast.learning.security.model import Record

ONE = Record("2026-05-04T10:00:00Z", "codex", "s1", "shop", "Bash", "destructive", "rm-recursive", "rm -rf src")


@pytest.fixture
def trail(home):
    """The home as a text."""
    home.mkdir()
    return str(home)


def test_a_call_is_one_line_of_its_month(trail, home) -> None:
    """A record has every field and an id, in a private file of its month."""
    added = security_trail.add(trail, ONE)
    path = home / "security" / "2026-05" / "security.jsonl"
    (row,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert row == {**{name: getattr(added, name) for name in row}} and row["decision"] == "seen"
    assert set(row) == {
        *("id", "at", "agent", "session", "project", "tool", "kind", "rule", "text", "decision"),
    }
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert security_trail.read(trail) == [added]


def test_what_a_hook_wrote_is_known_in_the_archive(trail) -> None:
    """The first and second call of a session are there from the hook; the archive adds the third only, once."""
    for _ in range(2):
        assert security_trail.add(trail, ONE) is not None
    later = replace(ONE, at="2026-05-04T10:00:09Z")
    numbers = [security_trail.add(trail, later, number) is not None for number in (1, 2, 3, 3)]
    assert numbers == [False, False, True, False]
    assert len(security_trail.read(trail)) == 3


def test_a_forked_session_adds_no_copy(trail) -> None:
    """The same call at the same time in another session is a copy of it; at another time it is one of its own."""
    assert security_trail.add(trail, ONE, 1) is not None
    assert security_trail.add(trail, replace(ONE, session="s2"), 1) is None
    assert security_trail.add(trail, replace(ONE, session="s2", at="2026-05-04T10:00:01Z"), 1) is not None
    assert security_trail.add(trail, replace(ONE, session="s2", agent="grok"), 1) is not None


def test_other_calls_are_others(trail) -> None:
    """Another text, rule, session or agent is another call, and so is the same one in another month."""
    security_trail.add(trail, ONE, 1)
    for change in ({"text": "rm -rf docs"}, {"rule": "x"}, {"session": "s2", "at": ""}, {"at": "2026-06-01T00:00:00Z"}):
        assert security_trail.add(trail, replace(ONE, **change), 1) is not None, change


def test_the_newest_come_first_and_since_a_time(trail) -> None:
    """Records of all months are in order, and those before a time are left out."""
    for at in ("2026-04-30T10:00:00Z", "2026-06-01T10:00:00Z", "2026-05-04T10:00:00Z"):
        security_trail.add(trail, replace(ONE, at=at))
    assert [record.at[:7] for record in security_trail.read(trail)] == ["2026-06", "2026-05", "2026-04"]
    assert [record.at[:7] for record in security_trail.read(trail, "2026-05-04T10:00:00Z")] == ["2026-06", "2026-05"]


def test_a_broken_line_takes_nothing_else_away(trail, home) -> None:
    """Lines that are no records are passed over, and what comes behind a half line stands on its own."""
    security_trail.add(trail, ONE)
    path = home / "security" / "2026-05" / "security.jsonl"
    with path.open("ab") as file:
        file.write(b'[1]\n\xff\n{"rule": 5}\n{"at": "half')
    security_trail.add(trail, replace(ONE, text="rm -rf docs"))
    assert sorted(record.text for record in security_trail.read(trail)) == ["rm -rf docs", "rm -rf src"]


def test_no_link_is_followed(trail, home, tmp_path) -> None:
    """A link in place of the folder or the file is refused, and what it leads to is neither written nor read."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / "security").mkdir()
    os.symlink(elsewhere, home / "security" / "2026-05")
    with pytest.raises(Refused):
        security_trail.add(trail, ONE)
    assert list(elsewhere.iterdir()) == [] and security_trail.read(trail) == []


def test_many_at_once_lose_nothing(trail) -> None:
    """Eight writers at a time leave every call, each with an id of its own."""

    def write() -> None:
        for _ in range(10):
            security_trail.add(trail, ONE)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({record.id for record in security_trail.read(trail)}) == 80
