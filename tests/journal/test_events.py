"""The journal of what happened."""

from __future__ import annotations

import json

import pytest

from holdfast.errors import StoreUnavailable
from holdfast.journal import Journal, use
from holdfast.journal import _read as read
from holdfast.records import Event, Scope

AT = "2026-11-15T09:30:00Z"


def test_events_come_back_oldest_first(tmp_path) -> None:
    """Events of several days are read in the order of their days, all or those of one kind."""
    journal = Journal(str(tmp_path))
    journal.append(Event("2026-11-16T00:00:00Z", "note", {"text": "später"}))
    journal.append(Event(AT, "note", {"text": "früher"}))
    journal.append(Event(AT, "other", {}))
    assert [event.data["text"] for event in journal.events("note")] == ["früher", "später"]
    assert len(list(journal.events())) == 3
    assert (tmp_path / "journal" / "2026-11-15.jsonl").stat().st_mode & 0o077 == 0


def test_uses_come_back(tmp_path) -> None:
    """A use is an event that names scope, owner and key of each memory."""
    journal = Journal(str(tmp_path))
    journal.append(use([(Scope("project", "shop"), "vpn"), (Scope("global"), "tone")], AT))
    assert list(journal.uses()) == [(Scope("project", "shop"), "vpn", AT), (Scope("global"), "tone", AT)]


def test_no_journal_has_no_events(tmp_path) -> None:
    """A home without a journal has no events, and looking makes none."""
    assert list(Journal(str(tmp_path / "none")).events()) == []
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "line",
    [
        '{"at": "2026-11-15T',
        "",
        "[1, 2]",
        '"text"',
        "7",
        "null",
        '{"kind": "use"}',
        '{"at": 5, "kind": "use"}',
        '{"at": "2026-11-15T09:00:00Z", "kind": "use"}',
        '{"at": "2026-11-15T09:00:00Z", "kind": "use", "memories": 5}',
        '{"at": "2026-11-15T09:00:00Z", "kind": "use", "memories": [["global"], 3, [1, 2, 3]]}',
        "\x00\x00\x00",
    ],
)
def test_a_damaged_line_is_passed_over(tmp_path, line) -> None:
    """A line that a crash or a hand damaged is skipped, and the lines around it are read."""
    journal = Journal(str(tmp_path))
    journal.append(use([(Scope("global"), "before")], AT))
    path = tmp_path / "journal" / "2026-11-15.jsonl"
    path.write_text(path.read_text() + line + "\n")
    journal.append(use([(Scope("global"), "after")], AT))
    assert [key for _, key, _ in journal.uses()] == ["before", "after"]


def test_a_line_that_was_cut_short_does_not_swallow_the_next(tmp_path) -> None:
    """After a crash in the middle of a line, the next event stands on a line of its own."""
    journal = Journal(str(tmp_path))
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "2026-11-15.jsonl").write_text('{"at": "2026-11-15T09:00')
    journal.append(use([(Scope("global"), "after")], AT))
    assert [key for _, key, _ in journal.uses()] == ["after"]


def test_any_text_is_one_line(tmp_path) -> None:
    """Line breaks and any script in an event stay inside its one line of JSON."""
    journal = Journal(str(tmp_path))
    journal.append(Event(AT, "note", {"text": "a\nb\u2028 東京 🎉"}))
    lines = (tmp_path / "journal" / "2026-11-15.jsonl").read_bytes().split(b"\n")
    assert json.loads(lines[0])["text"] == "a\nb\u2028 東京 🎉"
    assert lines[1:] == [b""]


def test_a_journal_that_cannot_be_written_says_so(tmp_path) -> None:
    """A file where the folder should be is an error that names it."""
    (tmp_path / "journal").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="journal"):
        Journal(str(tmp_path)).append(Event(AT, "note", {}))


def test_the_latest_come_newest_first(tmp_path) -> None:
    """The last events of a kind are read from the end of the newest files, without reading all of them."""
    journal = Journal(str(tmp_path))
    assert list(journal.latest("note")) == []
    for day in ("2026-11-14", "2026-11-15", "2026-11-16"):
        for number in range(3):
            journal.append(Event(f"{day}T00:00:0{number}Z", "note", {"text": f"{day} {number}"}))
            journal.append(Event(f"{day}T00:00:0{number}Z", "other", {}))
    found = [event.data["text"] for event in journal.latest("note")]
    assert found == [f"2026-11-{day} {number}" for day in (16, 15) for number in (2, 1, 0)]
    assert len(list(journal.latest("note", most=150))) < len(found)


def test_what_a_project_was_asked_lately_comes_newest_first(tmp_path) -> None:
    """The asks of a project under all of its names, of several days, and of no other project."""
    journal = Journal(str(tmp_path))
    for day in range(10, 17):
        for project in ("shop", "mill", "old-shop"):
            told = {"project": project, "prompt": f"{project} {day}"}
            journal.append(Event(f"2026-11-{day}T00:00:00Z", "prompt", told))
    asked = journal.asked_lately(("shop", "old-shop"))
    assert asked[:3] == ["old-shop 16", "shop 16", "old-shop 15"]
    assert len(asked) == 14


def test_the_latest_of_a_kind_take_no_line_apart_that_only_names_it(tmp_path, monkeypatch) -> None:
    """What was given at a prompt names that moment, and is no prompt."""
    journal, taken = Journal(str(tmp_path)), []
    for _ in range(20):
        journal.append(Event(AT, "receipt", {"moment": "prompt", "text": 'its "kind": "prompt" says so'}))
    journal.append(Event(AT, "prompt", {"prompt": "Which pier does the ferry leave from?"}))
    monkeypatch.setattr("holdfast.journal._read", lambda line: taken.append(line) or read(line))
    assert len(list(journal.latest("prompt"))) == len(taken) == 1
