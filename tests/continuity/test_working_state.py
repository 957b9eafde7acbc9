"""The working state of a project."""

from __future__ import annotations

import os

import pytest

from holdfast.continuity import buffer, open_sessions, working_state
from holdfast.errors import BadInput, Refused, ScopeUnknown, SwitchedOff, TooLarge
from holdfast.memory import lint
from holdfast.workspace import Workspace

SHOP = "example.com--acme--shop"
PAGE = f"projects/{SHOP}/buffer.md"
TOKEN = "ghp_" + "a1B2" * 9


def test_there_is_none_at_first(workspace, home) -> None:
    """Reading a state that is not there gives an empty one and makes nothing."""
    with workspace() as opened:
        assert working_state.read(opened) == buffer.WorkingState()
    assert not home.exists()


def test_it_is_written_as_markdown_with_headings(workspace, home) -> None:
    """The page has a heading for each field that was said, and says when and by whom."""
    with workspace() as opened:
        answer = working_state.update(opened, focus="The doors", decisions=("Use stdio",), by="codex")
    assert answer.action == "created" and answer.state.path == str(home / "memory" / PAGE)
    text = (home / "memory" / PAGE).read_text()
    assert (
        "\n## Focus\n\nThe doors (said by the agent codex)\n\n## Decisions\n\n- Use stdio\n" in text
        and " by codex.\n" in text
    )
    assert "Next steps" not in text
    assert (home / "memory" / PAGE).stat().st_mode & 0o777 == 0o600


def test_what_is_given_replaces_and_decisions_are_added(workspace) -> None:
    """Focus and lists are replaced, decisions added once each, and what is left out stays; an empty list empties."""
    with workspace() as opened:
        working_state.update(opened, focus="One", decisions=("A",), next_steps=("x", "y"), open_threads=("q",))
        working_state.update(opened, focus="Two", decisions=("A", "B"), next_steps=())
        state = working_state.read(opened)
    assert (state.focus, state.decisions, state.next_steps, state.open_threads) == ("Two", ("A", "B"), (), ("q",))


def test_the_same_again_changes_nothing(workspace, home) -> None:
    """Saying the same again leaves the page as it is, to the byte."""
    with workspace() as opened:
        working_state.update(opened, focus="One", decisions=("A",), by="codex")
        before = (home / "memory" / PAGE).read_bytes()
        assert working_state.update(opened, focus="One", decisions=("A",), by="grok").action == "unchanged"
    assert (home / "memory" / PAGE).read_bytes() == before


def test_a_new_piece_of_work(workspace) -> None:
    """With `clear` every field is emptied before what is given is put in."""
    with workspace() as opened:
        working_state.update(opened, focus="One", decisions=("A",), next_steps=("x",))
        working_state.update(opened, focus="Two", clear=True)
        state = working_state.read(opened)
    assert (state.focus, state.decisions, state.next_steps) == ("Two", (), ())


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_a_person_wrote_survives_byte_for_byte(workspace, home, write, newline) -> None:
    """Text before, behind and without markers, in any encoding, is the same after an update."""
    before, behind = f"# Mine{newline}{newline}Caf\xe9 \t{newline}".encode("latin-1"), b"\n\n  after   \n\nno end"
    write(PAGE, before)
    with workspace() as opened:
        assert "# Mine" in working_state.read(opened).own_words
        working_state.update(opened, focus="One")
        data = (home / "memory" / PAGE).read_bytes()
        assert data.startswith(before) and data.count(b"## Focus") == 1
        (home / "memory" / PAGE).write_bytes(data + behind)
        working_state.update(opened, focus="Two")
    data = (home / "memory" / PAGE).read_bytes()
    assert data.startswith(before) and data.endswith(behind) and data.count(b"## Focus") == 1
    assert b"Two" in data and b"One" not in data


def test_sections_of_others_between_the_markers_survive(workspace, home) -> None:
    """A heading that is not ours between the markers keeps its place and its lines."""
    with workspace() as opened:
        working_state.update(opened, focus="One")
        path = home / "memory" / PAGE
        path.write_text(path.read_text().replace(buffer.END, "## Files\n\n- a.py\n\n" + buffer.END))
        working_state.update(opened, focus="Two")
    assert "## Files\n\n- a.py\n\n<!-- holdfast:end state -->" in path.read_text()


def test_a_person_may_edit_between_the_markers(workspace, home) -> None:
    """Lines that a person changed there, with any bullet, are read as they say now."""
    with workspace() as opened:
        working_state.update(opened, next_steps=("a", "b"))
        path = home / "memory" / PAGE
        path.write_text(path.read_text().replace("- a\n- b\n", "1. first\n* second\n"))
        assert working_state.read(opened).next_steps == ("first", "second")


def test_stray_markers_take_no_text_with_them(workspace, home, write) -> None:
    """A marker without its partner is left alone, and so is every word around it."""
    write(PAGE, f"mine {buffer.BEGIN} still mine\n")
    with workspace() as opened:
        working_state.update(opened, focus="One")
        working_state.update(opened, focus="Two")
        assert working_state.read(opened).focus == "Two"
    text = (home / "memory" / PAGE).read_text()
    assert text.startswith(f"mine {buffer.BEGIN} still mine\n") and "One" not in text


def test_nothing_said_can_pass_for_a_marker_or_a_heading(workspace) -> None:
    """Markers, headings and line ends in what is said stay words of their one line."""
    with workspace() as opened:
        working_state.update(opened, focus=f"a\n{buffer.END}\n## Decisions\n- b", decisions=("c\n- d",))
        state = working_state.read(opened)
    assert state.focus == "a <! -- holdfast:end state --> ## Decisions - b" and state.decisions == ("c - d",)


def test_secrets_are_taken_out_first(workspace, home) -> None:
    """A secret in any field is not written, and its kind is told."""
    with workspace() as opened:
        answer = working_state.update(opened, focus=f"Use {TOKEN}", next_steps=(f"Rotate {TOKEN}",), by=TOKEN)
    assert answer.redacted == ("github-token",)
    assert TOKEN not in (home / "memory" / PAGE).read_text()


def test_a_secret_that_is_whole_on_one_line_is_taken_out(workspace, home) -> None:
    """A value that stands below its name comes beside it when the lines are joined, and goes then."""
    with workspace() as opened:
        answer = working_state.update(opened, next_steps=("deploy with DB_PASSWORD=\nhunter4XqzPlume88",))
    assert answer.redacted == ("password",)
    assert "hunter4" not in (home / "memory" / PAGE).read_text()


def test_it_is_bounded(workspace) -> None:
    """Too many or too long texts are refused; the oldest decisions make room and are handed back."""
    with workspace() as opened:
        for given in ({"focus": "x" * 1_001}, {"next_steps": ("x" * 501,)}, {"open_threads": ("x",) * 21}):
            with pytest.raises(TooLarge):
                working_state.update(opened, **given)
        working_state.update(opened, decisions=tuple(f"old {number}" for number in range(20)))
        answer = working_state.update(opened, decisions=("new",))
        assert answer.dropped == ("old 0",)
        assert working_state.read(opened).decisions[-1] == "new"
        with pytest.raises(BadInput):
            working_state.update(opened)
        with pytest.raises(BadInput):
            working_state.update(opened, focus="a\0b")


def test_switched_off_and_no_project(workspace, home, machine) -> None:
    """Nothing is written while memory is off, or where there is no project."""
    with workspace(flags={"enabled": "false"}) as opened:
        assert working_state.read(opened) == buffer.WorkingState()
        with pytest.raises(SwitchedOff):
            working_state.update(opened, focus="One")
    with workspace(folder=str(machine)) as opened, pytest.raises(ScopeUnknown):
        working_state.update(opened, focus="One")
    assert not home.exists()


def test_a_link_is_not_written_through(workspace, home, tmp_path) -> None:
    """A page that is a symbolic link is refused, and what it leads to stays as it was."""
    other = tmp_path / "other.md"
    other.write_text("mine")
    folder = home / "memory" / "projects" / SHOP
    folder.mkdir(parents=True)
    (folder / "buffer.md").symlink_to(other)
    with workspace() as opened, pytest.raises(Refused):
        working_state.update(opened, focus="One")
    assert other.read_text() == "mine"


def test_it_is_no_memory(workspace) -> None:
    """The page is not found by recall, and lint has nothing to say about it."""
    with workspace() as opened:
        working_state.update(opened, focus="One")
        opened.refresh(None)
        assert list(opened.store.find(_everything())) == []
        assert [problem for problem in lint.lint(opened) if "buffer" in problem.path] == []


def _everything():
    from holdfast.records import Filter

    return Filter(None)


def test_it_opens_no_session(workspace, home) -> None:
    """What an agent says is noted in its open session; where it has none, nothing but the page is written."""
    with workspace() as opened:
        working_state.update(opened, decisions=("Use stdio",), next_steps=("Ship it",), by="codex")
        assert not os.path.exists(os.path.join(opened.home, "state", "open"))
        open_sessions.note(opened.home, "codex", "s1", SHOP, "2026-11-15T10:00:00Z", [("ask", "Fix it")])
        working_state.update(opened, decisions=("Use stdio", "Use tabs"), next_steps=(), by="codex")
        working_state.update(opened, focus="The doors", decisions=("Use REST",), by="grok")
        found = open_sessions.read(open_sessions.path_of(opened.home, "codex", "s1", SHOP))
    assert [row[:2] for row in found.rows] == [
        ("ask", "Fix it"),
        ("agreed", "Use stdio"),
        ("agreed", "Use tabs"),
        ("steps", "[]"),
    ]


def test_several_at_once_lose_nothing(workspace, home, shop, at_once) -> None:
    """Decisions of several processes at once are all kept."""
    at_once(decide, *[(str(home), str(shop), name) for name in "abc"])
    with workspace() as opened:
        assert sorted(working_state.read(opened).decisions) == sorted(f"{name}{n}" for name in "abc" for n in range(5))


def decide(home: str, folder: str, name: str) -> None:
    """Add five decisions, one by one."""
    for number in range(5):
        with Workspace(home, folder=folder, environment={}) as opened:
            working_state.update(opened, decisions=(f"{name}{number}",))
