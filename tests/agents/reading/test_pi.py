"""Sessions of Pi: entries that form a tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.reading.told import home, read_one, spoken, write_lines
from holdfast.agents.reading import pi

HEAD = {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-03-01T10:00:00Z", "cwd": "/srv/shop"}


def entry(id: str, before: str, kind: str = "message", **more: object) -> dict[str, object]:
    """Return an entry that stands behind another."""
    return {"type": kind, "id": id, "parentId": before or None, "timestamp": "2026-03-01T10:00:01Z", **more}


def said(id: str, before: str, role: str, content: object, **more: object) -> dict[str, object]:
    """Return a message."""
    return entry(id, before, message={"role": role, "content": content, **more})


CALL = {"type": "toolCall", "id": "c-1", "name": "bash", "arguments": {"command": "make"}}
USAGE = {"input": 10, "output": 5, "cacheRead": 100, "cacheWrite": 7, "cost": {"total": 0.5}}
ASKED = said("a", "", "user", [{"type": "text", "text": "look"}])
BLOCKS = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I build."}, CALL]
ANSWERED = said("b", "a", "assistant", BLOCKS, model="m-1", usage=USAGE)


@pytest.fixture
def file(tmp_path: Path):
    """Write a session and return its path."""

    def write(*entries: object, head: object = HEAD) -> Path:
        folder = tmp_path / "home" / ".pi" / "agent" / "sessions" / "--srv-shop--"
        return write_lines(folder / "2026-03-01T10-00-00-000Z_s-1.jsonl", head, *entries)

    return write


def test_a_session_is_read(tmp_path, file) -> None:
    """Texts without thoughts, calls with results, cost in tokens and dollars."""
    result = said("c", "b", "toolResult", [{"type": "text", "text": "no rule"}], toolCallId="c-1", isError=True)
    path = file(ASKED, ANSWERED, result, entry("d", "c", "session_info", name="Look"))
    events, session = read_one(pi, path)
    assert spoken(events) == [
        ("human", "look"),
        ("assistant", "I build."),
        ("tool", 'bash {"command":"make"} -> no rule'),
    ]
    assert (events[2].failed, session.title, session.folder, session.models) == (True, "Look", "/srv/shop", ("m-1",))
    cost = session.cost
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write, cost.dollars) == (10, 5, 100, 7, 0.5)
    assert [(one.model, one.cost) for one in session.spends] == [("m-1", cost)] and session.spends[0].day
    assert list(pi.find(home(tmp_path))) == [str(path)]


def test_an_abandoned_branch_is_not_told_but_was_paid_for(file) -> None:
    """Only what leads to the last entry is told."""
    again = said("c", "a", "assistant", "Another way.", usage=USAGE)
    events, session = read_one(pi, file(ASKED, ANSWERED, again, said("d", "c", "user", "fine")))
    assert [one.text for one in events] == ["look", "Another way.", "fine"]
    assert session.cost.output == 10


def test_entries_without_ids_are_a_plain_list(file) -> None:
    """Files of the first version are told as they stand."""
    plain = [{"type": "message", "message": {"role": "user", "content": text}} for text in ("one", "two")]
    assert [one.text for one in read_one(pi, file(*plain))[0]] == ["one", "two"]


def test_a_chain_that_bites_its_tail_ends(file) -> None:
    """Entries that name each other do not hang the reader."""
    entries = (said("a", "b", "user", "one"), said("b", "a", "user", "two"), said("c", "b", "user", "three"))
    assert [one.text for one in read_one(pi, file(*entries))[0]] == ["one", "two", "three"]


def test_other_entries_have_their_roles(file) -> None:
    """Summaries, commands that the person ran, texts of extensions, and answers that broke off."""
    entries = (
        entry("a", "", "compaction", summary="We looked."),
        entry("b", "a", "branch_summary", summary="The other way."),
        said("c", "b", "bashExecution", None, command="make", output="no rule", exitCode=2),
        entry("d", "c", "custom_message", content="<holdfast-memory>\nx\n</holdfast-memory>"),
        said("e", "d", "assistant", [], stopReason="error", errorMessage="socket"),
    )
    events, _ = read_one(pi, file(*entries))
    assert [(one.role, one.failed) for one in events] == [
        *(("summary", False), ("summary", False), ("command", True), ("ours", False)),
        ("injected", True),
    ]


def test_a_fork_names_its_parent_and_bad_lines_are_counted(file) -> None:
    """The parent is told by the path of its file."""
    head = {**HEAD, "parentSession": "/x/sessions/--a--/2026-02-01T10-00-00-000Z_s-0.jsonl"}
    session = read_one(pi, file(ASKED, "not json", head=head))[1]
    assert (session.parent, session.malformed) == ("s-0", 1)
