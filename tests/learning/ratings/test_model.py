"""The file of ratings."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest

from holdfast.errors import HoldfastError
from holdfast.language.ratings import Rating, id_of
from holdfast.learning.ratings import model as signals


def rating(at: str = "2026-05-04T10:00:00Z", number: int = 8, text: str = "8", session: str = "s1") -> Rating:
    """Return a rating of the shop."""
    id = id_of("codex", session, at, text)
    return Rating(at, number, "explicit", "codex", session, "shop", "", 1.0, text, id)


def test_a_rating_is_written_and_read(home) -> None:
    """What was added is read again as it was, in a file that is the person's alone."""
    assert signals.add(str(home), rating())
    assert signals.read(str(home)) == [rating()]
    path = signals.path_of(str(home))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700


def test_the_same_rating_is_added_once(home) -> None:
    """The same id, or the same text in the same session within two minutes, is one rating."""
    assert signals.add(str(home), rating())
    assert not signals.add(str(home), rating())
    assert not signals.add(str(home), rating("2026-05-04T10:02:00Z"))
    assert signals.add(str(home), rating("2026-05-04T10:02:01Z")), "another one, two minutes later"
    assert signals.add(str(home), rating(text="8 - good"))
    assert signals.add(str(home), rating("2026-05-04T10:01:00Z", session="s2"))
    assert not signals.add(str(home), rating("2026-05-04T10:00:03Z", session="fork")), (
        "a fork has its parent's messages"
    )
    assert not signals.add(str(home), rating("2026-05-09T10:00:00Z"), timed=False)
    assert len(signals.read(str(home))) == 4


def test_a_forgotten_session_takes_its_words_along(home) -> None:
    """The words of its ratings go, in any shape; its numbers, other rows and broken lines stay as they are."""
    signals.add(str(home), rating(text="2 - you broke it", number=2))
    signals.add(str(home), rating(text="8 - good", session="s2"))
    other = b'{"score": 3, "agent": "codex", "session_id": "s1", "sentiment_summary": "angry about the cart"}'
    with open(signals.path_of(str(home)), "ab") as file:
        file.write(other + b"\nno json\n")
    assert signals.forget(str(home), "codex", "s1") == 2
    with open(signals.path_of(str(home)), "rb") as file:
        left = file.read()
    assert b"broke" not in left and b"angry" not in left and left.endswith(b"\nno json\n")
    assert sorted((one.rating, one.text) for one in signals.read(str(home))) == [(2, ""), (3, ""), (8, "8 - good")]
    assert signals.forget(str(home), "codex", "s1") == signals.forget(str(home), "codex", "s9") == 0


def test_midnight_is_no_gap(home) -> None:
    """Two minutes are two minutes over the end of a day, a month and a year."""
    assert signals.add(str(home), rating("2026-12-31T23:59:30Z"))
    assert not signals.add(str(home), rating("2027-01-01T00:00:30Z"))
    assert signals.add(str(home), rating("2026-02-28T23:59:30Z"))
    assert not signals.add(str(home), rating("2026-03-01T00:00:30Z"))


def test_other_shapes_and_broken_lines(home) -> None:
    """Rows as others wrote them are understood; what is broken or no rating is passed over and disturbs nothing."""
    path = signals.path_of(str(home))
    os.makedirs(os.path.dirname(path))
    rows = [
        {"timestamp": "2026-01-02T00:00:00Z", "score": 7, "session_id": "a", "sentiment_summary": "quick"},
        {"timestamp": "2026-01-01T00:00:00Z", "rating": "3", "source": "implicit", "confidence": 0.9, "sessionId": "b"},
        *({"rating": wrong} for wrong in (0, 11, True, None, "x", 3.5, [])),
        [],
        "8",
    ]
    lines = [json.dumps(row) for row in rows] + ["{", "", '{"rating": 8', "[" * 100_000, '{"rating": 9, "at": 5}']
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\nhalf a line")
    assert signals.add(str(home), rating("2026-01-03T00:00:00Z"))
    found = signals.read(str(home))
    assert [(row.rating, row.at, row.session) for row in found] == [
        (9, "", ""),
        (3, "2026-01-01T00:00:00Z", "b"),
        (7, "2026-01-02T00:00:00Z", "a"),
        (8, "2026-01-03T00:00:00Z", "s1"),
    ]
    assert found[2].comment == "quick" and found[1].source == "implicit" and all(row.id for row in found)


def test_a_link_is_not_written_through(home, tmp_path) -> None:
    """Where the file is a link, nothing is written to where it points."""
    path = signals.path_of(str(home))
    os.makedirs(os.path.dirname(path))
    target = tmp_path / "target"
    target.write_bytes(b"")
    os.symlink(target, path)
    with pytest.raises(HoldfastError):
        signals.add(str(home), rating())
    assert target.read_bytes() == b""


def test_several_processes_at_once(home) -> None:
    """Of several processes that add the same ratings at once, each rating is written once and none is lost."""
    script = (
        "import sys; from holdfast.learning.ratings import model as signals\n"
        "from holdfast.language.ratings import Rating\n"
        "for n in range(20):\n"
        "    at = f'2026-05-04T{n:02}:00:00Z'\n"
        "    signals.add(sys.argv[1], Rating(at, 8, 'explicit', 'codex', 's', '', '', 1.0, f'8 - {n}', f'id-{n:02}'))\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", script, str(home)]) for _ in range(4)]
    assert [one.wait() for one in started] == [0] * 4
    assert [row.text for row in signals.read(str(home))] == [f"8 - {n}" for n in range(20)]
