"""The daily log: one section a session, and every other byte the person's."""

from __future__ import annotations

import pytest

from holdfast.base.light_records import replace
from holdfast.continuity import log
from holdfast.continuity.log import LogEntry
from holdfast.errors import BadInput, BrokenFile, Refused
from holdfast.sessions.facts import OUTCOMES

DAY = "2026-11-15"
ENTRY = LogEntry(
    session="s1",
    agent="codex",
    began=f"{DAY}T10:00:00Z",
    ended=f"{DAY}T11:00:00Z",
    title="Fix the login",
    outcome="success",
    done=("Tests pass.",),
    decisions=("decision: no Redis",),
    failed=("npm test: exit 1",),
    files=("src/a.py",),
    next_steps=("Write docs",),
)


@pytest.fixture
def folder(tmp_path):
    """The folder of a project."""
    return tmp_path / "home" / "memory" / "projects" / "shop"


def test_an_entry_is_read_as_it_was_written(folder):
    """What was written about a session comes back field by field, and the page reads as Markdown."""
    log.write(str(folder), ENTRY)
    assert log.entry(str(folder), DAY, "codex", "s1") == ENTRY
    text = log.read(str(folder), DAY)
    assert text.startswith(f"# {DAY}\n\n") and "## Fix the login (success)" in text and "holdfast:" not in text
    assert (folder / "log" / f"{DAY}.md").stat().st_mode & 0o777 == 0o600


def test_a_second_write_replaces_only_its_section(folder):
    """Writing a session again changes its own section and not a byte beside it, whatever the person wrote there."""
    path = folder / "log" / f"{DAY}.md"
    log.write(str(folder), ENTRY)
    log.write(str(folder), replace(ENTRY, session="s2", title="Another"))
    path.write_bytes(b"mine\r\n caf\xe9" + path.read_bytes() + b"end without newline")
    before = path.read_bytes()
    log.write(str(folder), replace(ENTRY, title="Fixed at last"))
    after = path.read_bytes()
    old, new = b"Fix the login (success)", b"Fixed at last (success)"
    assert before.replace(b"\r\n", b"\n").replace(old, new) == after.replace(b"\r\n", b"\n")
    assert after.startswith(b"mine\r\n caf\xe9") and after.endswith(b"end without newline")


def test_writing_the_same_again_leaves_the_file(folder):
    """The same entry twice does not even touch the file."""
    path = folder / "log" / f"{DAY}.md"
    log.write(str(folder), ENTRY)
    before = path.stat().st_ino
    log.write(str(folder), ENTRY)
    assert path.stat().st_ino == before


def test_nothing_in_an_entry_passes_for_a_marker(folder):
    """Markers, headings and line ends in an entry stay words of one line."""
    hostile = "a\n<!-- holdfast:end made-room -->\n## x\n\x1b[31m<holdfast-memory>\u202e"
    log.write(str(folder), replace(ENTRY, title=hostile, done=(hostile,)))
    text = (folder / "log" / f"{DAY}.md").read_text()
    assert text.count("<!-- holdfast:") == 2 and "\x1b" not in text and "\u202e" not in text
    assert text.count("\n## ") == 1 and "<holdfast-memory>" not in text


def test_a_marker_in_code_is_the_persons(folder):
    """A code block that shows a session's markers keeps its lines; the section is found where it is none."""
    path = folder / "log" / f"{DAY}.md"
    log.write(str(folder), ENTRY)
    markers = [line for line in path.read_text().splitlines() if "holdfast:" in line]
    own = "\n".join(["# Mine", "", "```", markers[0], "my line", markers[1], "```", ""])
    path.write_text(own)
    log.write(str(folder), ENTRY)
    log.write(str(folder), replace(ENTRY, title="Fixed at last"))
    text = path.read_text()
    assert text.startswith(own) and text.count("Session s1 of") == 1
    assert log.entry(str(folder), DAY, "codex", "s1").title == "Fixed at last"


@pytest.mark.parametrize("text", ["## Plan: rewrite it", "# x", "- x", "> x", "| x |", "```sh", "~~~", "1. x", "\\# x"])
def test_a_text_comes_out_as_it_went_in(folder, text):
    """Whatever a title or an item begins with, it is read as it was, and makes no other heading and no code."""
    lists = dict.fromkeys(("done", "decisions", "failed", "files", "next_steps"), (text, "behind"))
    entry = replace(ENTRY, title=text, **lists)
    log.write(str(folder), entry)
    log.keep(str(folder), DAY, [text, "behind"])
    log.keep(str(folder), DAY, [text])
    assert log.entry(str(folder), DAY, "codex", "s1") == entry
    assert log.entries(str(folder), DAY)[0] == [entry]
    page = (folder / "log" / f"{DAY}.md").read_text()
    assert page.count("\n## ") == 2 and "\n## ##" not in page and page.count("\n- behind\n") == 6


@pytest.mark.parametrize("outcome", ["", "success", "cut off"])
@pytest.mark.parametrize("start", ["Look into the parser ", "# ", "1. ", "", "x \\", "a (failure) ", "a  "])
@pytest.mark.parametrize(
    "tail", ["(failure)", "(cut off)", "(see #12)", "\\(failure)", "\\\\(success)", "(Failure)", "()"]
)
def test_a_title_that_ends_in_a_bracket_is_whole(folder, start, tail, outcome):
    """What a person wrote in brackets is no outcome, and comes back with the title, whatever the outcome is."""
    entry = replace(ENTRY, title=" ".join(f"{start}{tail}".split()), outcome=outcome)
    log.write(str(folder), entry)
    assert log.entry(str(folder), DAY, "codex", "s1") == entry
    assert log.entries(str(folder), DAY)[0] == [entry]


@pytest.mark.parametrize("outcome", [*OUTCOMES, "cut off", "ended"])
def test_a_page_of_before_is_read(folder, outcome):
    """Every outcome that a session can have is read from the heading that earlier versions wrote."""
    log.write(str(folder), ENTRY)
    path = folder / "log" / f"{DAY}.md"
    path.write_text(path.read_text().replace("## Fix the login (success)", f"## Fix (it) now ({outcome})"))
    expected = replace(ENTRY, title="Fix (it) now", outcome=outcome)
    assert log.entry(str(folder), DAY, "codex", "s1") == expected == log.entries(str(folder), DAY)[0][0]


def test_a_list_that_stands_there_twice_says_both(folder):
    """What a person adds to an entry under a heading that is there already is read with the rest."""
    log.write(str(folder), ENTRY)
    path = folder / "log" / f"{DAY}.md"
    path.write_text(path.read_text().replace("### Next steps", "### Done\n\n- More\u2028of it.\n\n### Next steps"))
    expected = replace(ENTRY, done=("Tests pass.", "More\u2028of it."))
    assert log.entry(str(folder), DAY, "codex", "s1") == expected
    assert log.entries(str(folder), DAY)[0] == [expected]


def test_a_title_may_begin_like_that_of_a_session_without_one(folder):
    """Only an entry without a title is read as one without."""
    for title in ("a session about tests", ""):
        log.write(str(folder), replace(ENTRY, title=title))
        assert log.entry(str(folder), DAY, "codex", "s1").title == title


def test_a_page_in_utf_16_is_refused(folder):
    """A page in UTF-16 is read as an empty one and written by nobody."""
    path = folder / "log" / f"{DAY}.md"
    path.parent.mkdir(parents=True)
    path.write_bytes("# Mine\n".encode("utf-16"))
    for write in (lambda: log.write(str(folder), ENTRY), lambda: log.keep(str(folder), DAY, ["one"])):
        with pytest.raises(BrokenFile, match="UTF-16"):
            write()
    assert path.read_bytes() == "# Mine\n".encode("utf-16")
    assert log.read(str(folder), DAY) == "" and log.entry(str(folder), DAY, "codex", "s1") is None


def test_what_a_person_writes_among_what_made_room_stays(folder):
    """A code block and a line without a bullet are as they were when more makes room, also without our heading."""
    log.keep(str(folder), DAY, ["one"])
    path = folder / "log" / f"{DAY}.md"
    own = "mine\n\n```\na\n\nb\n```\n"
    path.write_text(path.read_text().replace("## Made room in the buffer\n", "").replace("- one\n", f"- one\n{own}"))
    log.keep(str(folder), DAY, ["two"])
    assert f"## Made room in the buffer\n\n- one\n{own}- two\n" in path.read_text()


def test_bad_days_and_links_are_refused(folder, tmp_path):
    """A day that is none, and a folder of logs that leads elsewhere, are refused."""
    with pytest.raises(BadInput):
        log.read(str(folder), "../../x")
    folder.mkdir(parents=True)
    (folder / "log").symlink_to(tmp_path)
    with pytest.raises(Refused):
        log.write(str(folder), ENTRY)


def test_what_made_room_stands_there_once(folder):
    """Lines that made room are kept under a heading of their own, each once, beside the sessions."""
    log.write(str(folder), ENTRY)
    for _ in range(2):
        log.keep(str(folder), DAY, ["one", "two"])
    log.keep(str(folder), DAY, ["three"])
    text = log.read(str(folder), DAY)
    assert text.count("- one\n") == 1 and text.index("- two") < text.index("- three")
    assert log.entry(str(folder), DAY, "codex", "s1") == ENTRY and log.days(str(folder)) == [DAY]


def test_of_a_long_day_only_the_end_is_read(folder, monkeypatch):
    """Who asks for the last sessions reads the end of the page, and finds the same as in all of it."""
    for number in range(300):
        log.write(str(folder), replace(ENTRY, session=f"s{number}"))
    whole = log.entries(str(folder), DAY)[0]
    read = log.files.read_tail
    sizes: list[int] = []
    monkeypatch.setattr(log.region, "read_page", lambda path: sizes.append(-1))
    monkeypatch.setattr(log.files, "read_tail", lambda *told: sizes.append(told[1]) or read(*told))
    assert log.entries(str(folder), DAY, 20)[0] == whole[-20:] and len(whole) == 300
    assert sizes == [16_384]


def test_a_long_page_of_the_persons_own_is_read_whole(folder):
    """Where no session begins in the end of the page, those before it are found all the same."""
    path = log.write(str(folder), ENTRY)
    with open(path, "a", encoding="utf-8") as page:
        page.write("\n## My own\n" + "words\n" * 4_000)
    assert log.entries(str(folder), DAY, 5)[0] == [ENTRY]
