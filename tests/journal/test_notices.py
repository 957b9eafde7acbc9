"""Notices: what happened while nobody was looking, told until a person has seen it."""

from __future__ import annotations

import pytest

from holdfast.journal import notices


@pytest.fixture
def place(tmp_path) -> str:
    """A home."""
    return str(tmp_path)


def lines(place: str) -> list[str]:
    """Return what a person would be shown."""
    return [one.line() for one in notices.unseen(place)]


def test_the_same_trouble_is_one_notice_with_a_count(place):
    """What happens again is counted, with its last names; another trouble is another notice."""
    for number in range(7):
        notices.report(place, "data-loss", "a session went", [f"s{number}"])
    notices.report(place, "hook", "a hook failed")
    assert lines(place) == ["7 times: a session went (s2, s3, s4, s5, s6, ...)", "a hook failed"]


def test_what_a_person_has_seen_is_over(place):
    """A trouble that was shown is told again only if it happens again; what came meanwhile is not lost."""
    notices.report(place, "hook", "a hook failed")
    shown = notices.unseen(place)
    notices.report(place, "data-loss", "a session went", ["s1"])
    notices.settle(place, shown)
    assert lines(place) == ["a session went (s1)"]
    notices.report(place, "hook", "a hook failed")
    assert lines(place) == ["a session went (s1)", "a hook failed"]


def test_what_lasts_is_told_once(place):
    """A file that no sweep can read is told once, however many sweeps there are; another file is news."""
    for _ in range(3):
        notices.report(place, "unreadable", "it cannot be read", ["a.jsonl"], lasts=True)
    assert lines(place) == ["it cannot be read (a.jsonl)"]
    notices.settle(place, notices.unseen(place))
    notices.report(place, "unreadable", "it cannot be read", ["a.jsonl"], lasts=True)
    assert lines(place) == []
    notices.report(place, "unreadable", "it cannot be read", ["a.jsonl", "b.jsonl"], lasts=True)
    assert lines(place) == ["2 times: it cannot be read (a.jsonl, b.jsonl)"]
    assert not notices.unseen(place)[0].said


def test_they_are_bounded(place, tmp_path):
    """Of more troubles than are kept the oldest go, and none of them is longer than a line."""
    for number in range(notices.MAX_NOTICES + 20):
        notices.report(place, "hook", f"trouble {number} {'x' * 1_000}", ["y" * 1_000] * 30)
    assert len(notices.unseen(place)) == notices.MAX_NOTICES
    assert (tmp_path / "updates" / "notices.jsonl").stat().st_size < 200_000


def test_they_have_no_secret_and_no_control_character(place, tmp_path):
    """What is reported is redacted, and shows itself."""
    notices.report(place, "hook", "it met ghp_a8Kd93jfLs02mXc7QwErTy61UiOpZx5VbN4M\x1b[2J", ["bad\udcff.md"])
    (told,) = lines(place)
    assert "ghp_a" not in told and told.isprintable()
    assert b"ghp_a" not in (tmp_path / "updates" / "notices.jsonl").read_bytes()


def test_rows_that_are_none_say_nothing(place, tmp_path):
    """A torn row, a row of another version and a person's own are passed over."""
    notices.report(place, "hook", "a hook failed")
    path = tmp_path / "updates" / "notices.jsonl"
    path.write_bytes(path.read_bytes() + b'{"kind": "hook", "no": 1}\n[]\n"text"\nnull\n{"kind": "ho')
    assert lines(place) == ["a hook failed"]


def test_what_stands_in_their_place_keeps_nobody_from_working(place, tmp_path):
    """A link, a folder or a huge file of somebody else in the place of the notices tells nothing, and does no harm."""
    path = tmp_path / "updates" / "notices.jsonl"
    path.parent.mkdir()
    path.symlink_to("/etc/passwd")
    assert notices.unseen(place) == []
    path.unlink()
    path.mkdir()
    assert notices.unseen(place) == []
    path.rmdir()
    odd = b'{"kind": "x", "text": 5, "hint": [], "severity": {}, "names": 7, "count": "x", "first": null, "last": 1}\n'
    path.write_bytes(odd * 100_000)
    assert notices.unseen(place) == []


def test_where_nothing_can_be_written_reporting_does_no_harm(tmp_path):
    """No home is made for a notice, and a file in the way is no error."""
    notices.report(str(tmp_path / "none"), "hook", "a hook failed")
    assert not (tmp_path / "none").exists()
    (tmp_path / "updates").write_text("in the way")
    notices.report(str(tmp_path), "hook", "a hook failed")
    assert notices.unseen(str(tmp_path)) == []


def test_a_start_tells_of_every_notice_also_beside_one_with_long_names(place):
    """A trouble with many long names pushes no other out of what is said once; what has no room is counted."""
    names = [f"claude-code/02235323-b882-4498-a577-c8d65408fa{number:02}" for number in range(6)]
    notices.report(place, "archive-limits", "the raw events of a session were removed", names, severity="info")
    notices.report(place, "archive", "the archive is over its limit")
    told = notices.in_short(notices.unseen(place), 300)
    assert told.startswith("the archive is over its limit; 6 times: the raw events of a session were removed")
    for number in range(9):
        notices.report(place, f"kind-{number}", f"{'trouble ' * 9}{number}")
    told = notices.in_short(notices.unseen(place), 300)
    assert "; and 7 more (`holdfast status` shows it)" in told
    assert len(told) < 400
