"""The buffer of a project: what its page says, whose bytes are whose, and who loses nothing."""

from __future__ import annotations

import os

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from holdfast.base.light_records import replace
from holdfast.continuity import buffer, log
from holdfast.continuity.buffer import SaidSentence, WorkingState
from holdfast.errors import BrokenFile, Refused, TooLarge
from holdfast.privacy.fence import harmless_line
from support.sampling import count

AT = "2026-11-15T10:00:00Z"
HEADINGS = (
    "Focus",
    "What just happened",
    "Said by the person",
    "Decisions",
    "Next steps",
    "Open threads",
    "Files touched",
)


@pytest.fixture
def page(tmp_path):
    """The path of a buffer in a home that does not exist yet."""
    return tmp_path / "home" / "memory" / "projects" / "shop" / "buffer.md"


def put(page, **fields) -> WorkingState:
    """Change some fields of the page, as a hook does."""
    return buffer.change(str(page), lambda state: replace(state, updated=AT, by="codex", **fields))


def test_what_is_written_is_read_again(page):
    """Every field comes back as it was put in, also sentences with brackets and colons in them."""
    said = (
        SaidSentence("decision", "let's go with Postgres (not Redis): it is there", AT, "codex", "s-1"),
        SaidSentence("", "a line of the person's own"),
        SaidSentence("value", "branch is feature/x (draft)", AT, "claude-code", ""),
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
        f"# Mine\n\n{buffer.BEGIN}\n\nUpdated {AT} by grok.\n\n## Focus\n\nThe doors\n\n"
        "## Decisions\n\n- Use stdio\n\n"
        f"{buffer.END}\n"
    )
    assert buffer.read(str(page)).decisions == ("Use stdio",)
    put(page, said=(SaidSentence("decision", "no Redis", AT, "codex", "s1"),))
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


@pytest.mark.parametrize(
    "own",
    [
        f"# Mine\n\nThe region begins with `{buffer.BEGIN}` and ends with `{buffer.END}`.\n\nMy notes.\n",
        f"# Mine\n\n```\n{buffer.BEGIN}\nmy line\n{buffer.END}\n```\n",
        f"# Mine\n\n```\nnever closed\n`{buffer.END}`\n",
    ],
)
def test_who_tells_of_the_markers_loses_nothing(page, own):
    """Where a person writes about the markers, in a sentence or in code, the state stands behind it, and once."""
    page.parent.mkdir(parents=True)
    page.write_text(own)
    put(page, focus="One")
    put(page, focus="Two")
    text = page.read_text()
    assert text.startswith(own) and text.count("Updated ") == 1 and "One" not in text
    assert buffer.read(str(page)).focus == "Two"


def test_what_was_written_into_code_before_is_not_lost(page):
    """A state that an earlier version wrote into a person's code is read and goes along; the code stays as it is."""
    page.parent.mkdir(parents=True)
    code = f"```\n{buffer.BEGIN}\n\nUpdated {AT} by grok.\n\n## Focus\n\nThe doors\n\n{buffer.END}\n```\n"
    page.write_text(code)
    assert buffer.read(str(page)).focus == "The doors"
    put(page, decisions=("Use stdio",))
    assert page.read_text().startswith(code)
    state = buffer.read(str(page))
    assert (state.focus, state.decisions, state.by) == ("The doors", ("Use stdio",), "codex")


def test_what_a_person_writes_between_the_markers_stays(page):
    """A line above the first heading, a section of their own and code in any section survive every change."""
    put(page, focus="The login page", decisions=("Use stdio",), next_steps=("Ship it",))
    own = "## My own heading  \n\n```\n## Focus\ncode of mine\n```\n\n## Also mine\n\nwith\u2028one line\n\n"
    listed = "```sh\nmake all\n\n## Focus\n```\n"
    text = page.read_text().replace("## Focus", "A line of mine.\nUpdated the docs, too.\n\n## Focus")
    text = text.replace("## Next steps\n", f"{own}## Next steps\n").replace("- Use stdio\n", f"- Use stdio\n\n{listed}")
    page.write_text(text)
    for number in range(3):
        put(page, happened=(f"thing {number}",), decisions=("Use stdio", "Use tabs"))
    after = page.read_text()
    assert f"Updated {AT} by codex.\n\nA line of mine.\nUpdated the docs, too.\n\n## Focus\n\nThe login page\n" in after
    assert own in after and f"- Use stdio\n- Use tabs\n\n{listed}" in after and after.count("```") == 4
    state = buffer.read(str(page))
    assert (state.focus, state.decisions, state.next_steps) == (
        "The login page",
        ("Use stdio", "Use tabs"),
        ("Ship it",),
    )
    put(page, decisions=())
    assert listed in page.read_text() and buffer.read(str(page)).decisions == ()


OWN_LISTS = """\
## Next steps

1. first of mine

```
  indented code
```

+ second of mine

## My notes

line\u2028sep

## open Threads

- ask Kim
  - nested detail
    * deeper
  goes on
- ask Ann

  - hers

"""


def test_lines_of_a_persons_list_stay_as_they_are(page):
    """Nested items, other bullets, code between items and the order of sections are the same after other changes."""
    put(page, focus="One", decisions=("Use stdio",))
    page.write_text(page.read_text().replace(buffer.END, f"{OWN_LISTS}{buffer.END}"))
    for number in range(3):
        put(page, focus=f"Number {number}", files=(f"src/{number}.py",), happened=("this",))
    assert OWN_LISTS in page.read_text()
    state = buffer.read(str(page))
    assert state.open_threads == ("ask Kim", "nested detail", "deeper", "goes on", "ask Ann", "hers")
    put(page, open_threads=(*state.open_threads, "new"))
    assert OWN_LISTS.removesuffix("\n") + "- new\n" in page.read_text()


@pytest.mark.parametrize(
    ("stays", "expected"),
    [
        (("nested detail", "deeper", "ask Ann"), "- nested detail\n  * deeper\n- ask Ann\n"),
        (("ask Kim", "deeper", "hers"), "- ask Kim\n  * deeper\n\n- hers\n"),
        (("new", "ask Kim", "between", "goes on"), "- new\n- ask Kim\n- between\n  goes on\n"),
        (("ask Ann", "ask Kim"), "- ask Ann\n- ask Kim\n"),
        (("only",), "- only\n"),
    ],
)
def test_what_was_nested_under_an_item_that_is_gone_takes_its_place(page, stays, expected):
    """Of a person's list only the items that are taken out go, and what stood below one moves up to where it was."""
    put(page, focus="One")
    page.write_text(page.read_text().replace(buffer.END, f"{OWN_LISTS}{buffer.END}"))
    put(page, open_threads=stays)
    assert f"## open Threads\n\n{expected}\n" in page.read_text()
    assert buffer.read(str(page)).open_threads == stays


@settings(max_examples=count(60, 20))
@example(["## Next steps", "## Mine", "```", "- a", "```", "## Next steps", "```"], [])
@given(
    st.lists(st.sampled_from(("- a", "  - b", "* c", "2. d", "words", "", "```", "## Next steps", "## Mine", "### x"))),
    st.lists(st.sampled_from(("a", "b", "e")), max_size=3),
)
def test_whatever_stands_between_the_markers_stays(tmp_path, lines, steps):
    """Each line of the person's is there after a change of another field, and the next write changes no byte."""
    page = tmp_path / os.urandom(8).hex() / "memory" / "projects" / "shop" / "buffer.md"
    put(page, focus="One", files=("src/a.py",))
    page.write_text(page.read_text().replace(buffer.END, "\n".join(["## Open threads", *lines, buffer.END])))
    assume(max(map(len, (buffer.read(str(page)).next_steps, buffer.read(str(page)).open_threads))) <= 20)
    before = buffer.read(str(page))
    put(page, focus="Two", happened=("this",))
    text = page.read_text()
    own = [line for line in lines if line and line != "## Next steps"]
    # A fence that nothing closes is a text.
    there = text.replace("- \\```", "```").split("\n")
    assert all(there.count(line) >= own.count(line) for line in own)
    assert buffer.read(str(page)) == replace(before, focus="Two", happened=("this",))
    put(page, focus="One", happened=())
    put(page, focus="Two", happened=("this",))
    assert page.read_text() == text
    put(page, next_steps=tuple(steps))
    assert buffer.read(str(page)) == replace(before, focus="Two", happened=("this",), next_steps=tuple(steps))


@pytest.mark.parametrize("heading", ["# Mine", "### Mine", "###### Mine"])
def test_a_heading_of_any_level_stays(page, heading):
    """What stands below a heading of the person's own, between the markers, is no item of the list above it."""
    put(page, files=("src/a.py",))
    own = f"{heading}\n\n- a point\n\n```\ncode\n```\nend\n"
    page.write_text(page.read_text().replace(buffer.END, f"{own}{buffer.END}"))
    put(page, focus="One", files=())
    assert own in page.read_text() and buffer.read(str(page)).files == ()


def test_a_heading_that_stands_there_twice_says_both(page):
    """What a person adds under a heading that is there already is read with the rest."""
    put(page, decisions=("Use stdio",))
    page.write_text(page.read_text().replace(buffer.END, f"## decisions\n\n* Use tabs\n{buffer.END}"))
    put(page, focus="One")
    assert buffer.read(str(page)).decisions == ("Use stdio", "Use tabs")
    assert page.read_text().casefold().count("## decisions") == 1


@pytest.mark.parametrize(
    "text",
    [
        *("## Plan: rewrite the parser", "# Plan", "###", "- do it", "* do it", "+ do it", "> quoted", "| a | b |"),
        *("```sh make", "~~~", "1. first", "2) second", "\\## Plan", "1\\. first", "\\\\```", "Updated 2026 by me."),
        *("<! -- holdfast:end state -->", "---", "-", "[ ] box", "## Focus", "\\d+"),
    ],
)
def test_a_text_comes_out_as_it_went_in(page, text):
    """Whatever a text begins with, it is one line of its field after every change, and makes no heading and no code."""
    fields = {name: (text,) for name in buffer.LISTS if name != "said"}
    put(page, focus=text, said=(SaidSentence("", text), SaidSentence("decision", text, AT, "codex", "s1")), **fields)
    for number in range(2):
        put(page, happened=(text, f"thing {number}"))
    state = buffer.read(str(page))
    assert {name: getattr(state, name) for name in fields} == {**fields, "happened": (text, "thing 1")}
    assert state.focus == text and [one.text for one in state.said] == [text, text]
    lines = page.read_text().splitlines()
    assert [line for line in lines if line.startswith("##")] == [f"## {name}" for name in HEADINGS]


def test_a_page_in_utf_16_is_refused(page):
    """A page in UTF-16 says nothing and no byte of it is touched; the refusal names the page and the way out."""
    page.parent.mkdir(parents=True)
    page.write_bytes("# Mine\n".encode("utf-16"))
    with pytest.raises(BrokenFile, match=r"buffer\.md is UTF-16") as refused:
        put(page, focus="One")
    assert refused.value.hint == "Save it as UTF-8."
    assert page.read_bytes() == "# Mine\n".encode("utf-16") and buffer.read(str(page)) == WorkingState()
    page.write_text("# Mine\n")
    put(page, focus="One")
    assert buffer.read(str(page)).focus == "One"


def test_the_oldest_make_room_and_stand_in_the_log(page):
    """Of a list only the newest stay in the page, and what made room is in the day's log before."""
    put(page, said=tuple(SaidSentence("decision", f"number {n}", AT, "codex", "s1") for n in range(25)))
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
        said = SaidSentence("decision", f"{name}{number}.", AT, "codex", name)
        buffer.change(path, lambda state, said=said: replace(state, said=(*state.said, said), updated=AT))


@settings(max_examples=count(60, 20))
@given(st.binary(max_size=200), st.binary(max_size=200), st.text(max_size=80), st.text(max_size=80))
def test_any_bytes_survive_and_any_words_are_one_line(tmp_path, before, behind, focus, sentence):
    """Whatever bytes stand around the region stay, and whatever is said stays within it, one line each."""
    assume(not before.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")))
    page = tmp_path / os.urandom(8).hex() / "memory" / "projects" / "shop" / "buffer.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(before)
    words = harmless_line(sentence)
    put(page, focus=harmless_line(focus), said=(SaidSentence("decision", words, AT, "codex", "s1"),))
    page.write_bytes(page.read_bytes() + behind)
    put(page, open_threads=("more",))
    data = page.read_bytes()
    assert data.startswith(before) and data.endswith(behind) and buffer.read(str(page)).open_threads == ("more",)
    assert [one.text for one in buffer.read(str(page)).said] == [words]
