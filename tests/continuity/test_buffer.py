"""The buffer of a project: what its page says, whose bytes are whose, and who loses nothing."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.continuity import buffer, log, region
from holdfast.continuity.buffer import Said, State
from holdfast.errors import Refused, TooLarge
from holdfast.light import replace

AT = "2026-11-15T10:00:00Z"


@pytest.fixture
def page(tmp_path):
    """The path of a buffer in a home that does not exist yet."""
    return tmp_path / "home" / "memory" / "projects" / "shop" / "buffer.md"


def put(page, **fields) -> State:
    """Change some fields of the page, as a hook does."""
    return buffer.change(str(page), lambda state: replace(state, updated=AT, by="codex", **fields))


def test_what_is_written_is_read_again(page):
    """Every field comes back as it was put in, also sentences with brackets and colons in them."""
    said = (
        Said("decision", "let's go with Postgres (not Redis): it is there", AT, "codex", "s-1"),
        Said("", "a line of the person's own"),
        Said("value", "branch is feature/x (draft)", AT, "claude-code", ""),
    )
    fields = {
        "focus": "The login page",
        "happened": ("codex: Tests pass.",),
        "said": said,
        "decisions": ("Use stdio",),
        "next_steps": ("Write the docs",),
        "open_threads": ("Who owns the VPN?",),
        "files": ("src/a.py",),
    }
    put(page, **fields)
    state = buffer.read(str(page))
    assert {name: getattr(state, name) for name in fields} == fields
    assert (state.updated, state.by, state.path) == (AT, "codex", str(page))


def test_a_page_of_before_is_read(page):
    """A page with the region that earlier versions wrote is read, and keeps its fields when something is added."""
    page.parent.mkdir(parents=True)
    page.write_text(
        f"# Mine\n\n{buffer.BEGIN}\n\nUpdated {AT} by grok.\n\n## Focus\n\nThe doors\n\n## Decisions\n\n- Use stdio\n\n"
        f"{buffer.END}\n"
    )
    assert buffer.read(str(page)).decisions == ("Use stdio",)
    put(page, said=(Said("decision", "no Redis", AT, "codex", "s1"),))
    state = buffer.read(str(page))
    assert (state.focus, state.decisions, state.said[0].text) == ("The doors", ("Use stdio",), "no Redis")


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"caf\xe9 \x80\xff"])
def test_every_byte_outside_the_region_survives(page, newline, start):
    """A byte order mark, another encoding, any line ends and a missing last one are the same after many changes."""
    before = start + b"# Mine" + newline + b"  text\t" + newline + newline
    behind = newline + b"behind, without an end  "
    page.parent.mkdir(parents=True)
    page.write_bytes(before)
    put(page, focus="One")
    page.write_bytes(page.read_bytes() + behind)
    for number in range(3):
        put(page, happened=(f"thing {number}",))
    data = page.read_bytes()
    assert data.startswith(before) and data.endswith(behind) and data.count(b"thing") == 1


def test_the_oldest_make_room_and_stand_in_the_log(page):
    """Of a list only the newest stay in the page, and what made room is in the day's log before."""
    put(page, said=tuple(Said("decision", f"number {n}", AT, "codex", "s1") for n in range(25)))
    assert [one.text for one in buffer.read(str(page)).said] == [f"number {n}" for n in range(5, 25)]
    kept = log.read(str(page.parent), "2026-11-15")
    assert all(f"number {n} (" in kept for n in range(5)) and "number 5" not in kept


def test_nothing_changes_where_nothing_is_new(page):
    """A change that changes nothing leaves the file alone, its time included."""
    put(page, focus="One")
    before = page.stat()
    put(page, focus="One")
    assert page.stat().st_mtime_ns == before.st_mtime_ns and page.stat().st_ino == before.st_ino


def test_a_page_that_is_far_too_long_is_left_alone(page):
    """A page of millions of bytes is the person's affair: the change fails and no byte is touched."""
    page.parent.mkdir(parents=True)
    page.write_bytes(b"x" * 2_100_000)
    with pytest.raises(TooLarge):
        put(page, focus="One")
    assert page.stat().st_size == 2_100_000


def test_a_link_is_not_written_through(page, tmp_path):
    """A page that is a link is refused."""
    other = tmp_path / "other.md"
    other.write_text("mine")
    page.parent.mkdir(parents=True)
    page.symlink_to(other)
    with pytest.raises(Refused):
        put(page, focus="One")
    assert other.read_text() == "mine"


def test_several_processes_lose_no_line(page, at_once):
    """What three processes say at once is all there, in the page or in the log."""
    at_once(say, *[(str(page), name) for name in "abc"])
    there = page.read_text() + log.read(str(page.parent), "2026-11-15")
    assert [f"{name}{n}." for name in "abc" for n in range(12) if f"{name}{n}." not in there] == []


def say(path: str, name: str) -> None:
    """Add twelve sentences, one by one."""
    for number in range(12):
        said = Said("decision", f"{name}{number}.", AT, "codex", name)
        buffer.change(path, lambda state, said=said: replace(state, said=(*state.said, said), updated=AT))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.binary(max_size=200), st.text(max_size=80), st.text(max_size=80))
def test_any_bytes_survive_and_any_words_are_one_line(tmp_path, before, behind, focus, sentence):
    """Whatever bytes stand around the region stay, and whatever is said stays within it, one line each."""
    page = tmp_path / os.urandom(8).hex() / "memory" / "projects" / "shop" / "buffer.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(before)
    words = region.one_line(sentence)
    put(page, focus=region.one_line(focus), said=(Said("decision", words, AT, "codex", "s1"),))
    page.write_bytes(page.read_bytes() + behind)
    put(page, open_threads=("more",))
    data = page.read_bytes()
    assert data.startswith(before) and data.endswith(behind) and buffer.read(str(page)).open_threads == ("more",)
    assert [one.text for one in buffer.read(str(page)).said] == [words]
