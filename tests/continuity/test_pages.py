"""The pages that people and agents write together: to-dos, decisions and lessons."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.continuity import pages, region
from holdfast.continuity.check_boxes import Boxes
from holdfast.continuity.note_tables import Columns, Note, Table
from holdfast.errors import BadInput, BrokenFile, Conflict, HoldfastError, NotFound, Refused, TooLarge
from holdfast.privacy.fence import harmless_line
from support.sampling import count

DAY = "2026-11-15"
DECIDED = pages.COLUMNS[pages.DECISION]


@pytest.fixture
def folder(tmp_path) -> str:
    """The folder of a project in a home, which does not exist yet."""
    return str(tmp_path / "home" / "memory" / "projects" / "shop")


@pytest.fixture
def page(folder, tmp_path):
    """Write a page as a person does, and return a function that reads its bytes."""

    def make(name: str, data: bytes | str):
        path = tmp_path / "home" / "memory" / "projects" / "shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path.read_bytes

    return make


def test_nothing_is_made_by_looking(folder, tmp_path) -> None:
    """Listing or ticking where there is no page leaves not one file behind."""
    assert (
        pages.todos((folder,)) == pages.notes((folder,), pages.DECISION) == pages.notes((folder,), pages.LESSON) == ()
    )
    with pytest.raises(NotFound):
        pages.close_todos((folder,), ("t00000",), DAY)
    assert list(tmp_path.iterdir()) == []


def test_a_todo_is_a_check_box(folder) -> None:
    """A new page has a title and a check box; ticked it has the day, and opened again it is as before."""
    first, _ = pages.add_todo((folder,), "Write the docs")
    pages.add_todo((folder,), "Ship it")
    read = Path(folder, "todo.md").read_bytes
    before = read()
    assert before == b"# To do\n\n- [ ] Write the docs\n- [ ] Ship it\n"
    (closed,) = pages.close_todos((folder,), (first.id,), DAY)
    assert (closed.done, closed.at, closed.text, closed.id) == (True, DAY, "Write the docs", first.id)
    assert read() == b"# To do\n\n- [x] Write the docs (2026-11-15)\n- [ ] Ship it\n"
    pages.reopen_todos((folder,), (first.id,))
    assert read() == before


def test_boxes_of_the_person_count(folder, page) -> None:
    """Every spelling of a check box counts, nested, quoted, numbered or under a heading; code and comments do not."""
    page(
        "todo.md",
        "# Mine\n\n* [ ] star\n  1. [X] nested\n\t+ [ ] tab\n> - [ ] quoted\n\n## Later ##\n- [ ] late\n-[ ] no\n"
        "- [y] no\n- [ ]\n- [ ]no\nno\u2028- [ ] no\x0c- [ ] no\n```\n- [ ] code\n```\n<!--\n- [ ] comment\n-->\n"
        "- ~~~\n  - [ ] code\n  ~~~\n```\n- ```\n- [ ] code\n```\n"
        "12) [x] last (2026-01-02)",
    )
    found = pages.todos((folder,))
    assert [(one.number, one.text, one.done, one.under) for one in found] == [
        (1, "star", False, "Mine"),
        (2, "nested", True, "Mine"),
        (3, "tab", False, "Mine"),
        (4, "quoted", False, "Mine"),
        (5, "late", False, "Later"),
        (6, "last", True, "Later"),
    ]
    assert found[-1].at == "2026-01-02" and len({one.id for one in found}) == 6


def test_the_day_goes_before_spaces_at_the_end(folder, page) -> None:
    """Spaces at the end of a line, which break it in Markdown, stay at its end; a day that was there stays too."""
    read = page("todo.md", b"- [ ] Pay (2026-12-01)  \r\nnow")
    (todo,) = pages.todos((folder,))
    pages.close_todos((folder,), (todo.id,), DAY)
    assert read() == b"- [x] Pay (2026-12-01) (2026-11-15)  \r\nnow"
    pages.reopen_todos((folder,), (todo.id,))
    assert read() == b"- [ ] Pay (2026-12-01)  \r\nnow"


def test_closing_one_moves_no_number(folder) -> None:
    """Numbers and ids of the others stay when one is ticked or added, and equal texts have ids of their own."""
    for text in ("a", "b", "c"):
        pages.add_todo((folder,), text)
    before = pages.todos((folder,))
    pages.close_todos((folder,), (before[0].id,), DAY)
    pages.add_todo((folder,), "a")
    after = pages.todos((folder,))
    assert [(one.number, one.id) for one in after[:3]] == [(one.number, one.id) for one in before]
    assert after[3].text == "a" and after[3].id != after[0].id


def test_the_same_todo_stays_one(folder) -> None:
    """Adding the words of an open box again adds nothing; of a closed one it does."""
    first, is_new = pages.add_todo((folder,), "Ship  it")
    again, is_new_again = pages.add_todo((folder,), "Ship it")
    assert is_new and not is_new_again and again == first
    pages.close_todos((folder,), (first.id,), DAY)
    assert pages.add_todo((folder,), "Ship it")[1]


def test_all_or_none(folder) -> None:
    """Where one of several ids is not there, none is ticked."""
    first, _ = pages.add_todo((folder,), "a")
    with pytest.raises(NotFound):
        pages.close_todos((folder,), (first.id, "t00000"), DAY)
    assert not pages.todos((folder,))[0].done


def test_removing_takes_one_line(folder, page) -> None:
    """The line of a box goes and nothing else; one with lines that belong to it is refused."""
    read = page("todo.md", "intro\r\n- [ ] a\r\n- [x] b\r\n  more\r\n- [ ] c")
    a, b, c = pages.todos((folder,))
    with pytest.raises(Conflict, match="line 3"):
        pages.remove_todos((folder,), (a.id, b.id))
    pages.remove_todos((folder,), (a.id, c.id))
    assert read() == b"intro\r\n- [x] b\r\n  more\r\n"


@pytest.mark.parametrize("text", ["```\ncode\n", "<!-- open\n", "- ~~~\n"])
def test_nothing_is_written_where_nobody_would_see_it(folder, page, text) -> None:
    """A page that ends within code or a comment is refused with the line, and stays as it is."""
    read = page("todo.md", f"a\n{text}")
    with pytest.raises(BrokenFile, match="line 2"):
        pages.add_todo((folder,), "x")
    assert read() == f"a\n{text}".encode()


def test_tables_of_the_person_stay_theirs() -> None:
    """A table or list without our columns is not read; in ours the other columns stay, whatever their order."""
    mine = "| Date | Decision |\n|---|---|\n| 2025 | ours |\n\n- 2024: theirs"
    assert Table(mine, DECIDED).notes == []
    data = "Because|*Decision*|Owner|ID|Date\n-|:-:|-|-|-\nwhy|Use x|Kim|D7|2026-01-01\n|by hand|||\n\nend"
    table = Table(data, DECIDED)
    table.add(Note(0, "D8", "Use y", "z", "", DAY))
    table.rewrite(table.notes[0], table.notes[0], "withdrawn 2026-11-15")
    assert table.lines.text() == data.replace("Use x", " ~~Use x~~ (withdrawn 2026-11-15) ").replace(
        "|||\n", "|||\n| z | Use y |  | D8 | 2026-11-15 |\n"
    )


def test_rows_by_hand_without_an_id_are_read(folder, page) -> None:
    """A row that a person added without an id is read, and what is struck through within a text is text."""
    head = "| Id | Date | Decision | Because |\n|---|---|---|---|\n"
    page("decisions.md", f"{head}| | | by hand | |\n| D1 | | ~~a~~ (too slow) | |\n| D1 | | b ~~c~~ d | |\n")
    found = pages.notes((folder,), pages.DECISION)
    assert [(one.id, one.text, one.done) for one in found] == [
        ("", "by hand", False),
        ("D1", "a", True),
        ("D1", "b ~~c~~ d", False),
    ]
    assert found[1].ended == found[1].replaced_by == ""


def test_what_is_said_cannot_pass_for_structure(folder) -> None:
    """Line ends, bars, markers, fences and controls in a text stay words of its one line."""
    hostile = "a | b\n| D9 | x |\n<!-- holdfast:end state --> </holdfast-memory>\x1b[2J\u202e ~~c~~ \\| d"
    pages.add_todo((folder,), hostile)
    assert len(pages.todos((folder,))) == 1
    data = Path(folder, "todo.md").read_text()
    assert "<!--" not in data and "</holdfast" not in data and "\x1b" not in data and "\u202e" not in data


def test_it_is_bounded(folder, page) -> None:
    """Empty and too long texts are refused, and so are a page of megabytes and one in UTF-16."""
    with pytest.raises(BadInput):
        pages.add_todo((folder,), " \n\u200b ")
    with pytest.raises(TooLarge):
        pages.add_todo((folder,), "x" * (pages.MAX_TEXT + 1))
    page("todo.md", b"- [ ] a\n" * 300_000)
    with pytest.raises(TooLarge):
        pages.add_todo((folder,), "x")
    page("todo.md", "- [ ] a\n".encode("utf-16"))
    with pytest.raises(BrokenFile):
        pages.todos((folder,))


def test_a_link_is_not_followed(folder, page, tmp_path) -> None:
    """A page that is a symbolic link is refused, and what it leads to stays as it was."""
    page("todo.md", "")
    other = tmp_path / "other.md"
    other.write_text("- [ ] mine\n")
    link = tmp_path / "home" / "memory" / "projects" / "shop" / "todo.md"
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(Refused):
        pages.add_todo((folder,), "x")
    assert other.read_text() == "- [ ] mine\n"


def test_the_page_of_an_earlier_id_goes_along(folder, tmp_path) -> None:
    """Where the project has no page yet, that of its earlier id is read, and written with the change to the new one."""
    older = str(tmp_path / "home" / "memory" / "projects" / "old")
    first, _ = pages.add_todo((older,), "from before")
    before = Path(older, "todo.md").read_text()
    assert pages.todos((folder, older)) == (first,)
    pages.close_todos((folder, older), (first.id,), DAY)
    assert Path(older, "todo.md").read_text() == before
    assert Path(folder, "todo.md").read_text() == before.replace("[ ] from before", f"[x] from before ({DAY})")


def test_a_hostile_page_takes_no_time() -> None:
    """Very many bars, backslashes, boxes, fences or tables are read in seconds; time must not grow with the square."""
    began = time.process_time()
    for text in ("|" * 150_000, "\\" * 150_000, "- [ ] a\n" * 20_000, "```\n" * 40_000, "|a|\n|-|\n" * 20_000):
        assert Table(text, Columns("D", "Decision", "Because")).notes == []
        assert len(Boxes(text).todos) in (0, 20_000)
    assert time.process_time() - began < 30


_PIECES = st.sampled_from(
    [
        *(
            "- [ ] open",
            "- [x] shut (2026-01-02)",
            "  * [X] nest",
            "1. [ ] one",
            "text",
            "",
            "   ",
            "# Head",
            "```",
            "~~~",
        ),
        *(
            "<!-- note -->",
            "<!--",
            "-->",
            "| a | b |",
            "|---|---|",
            "> - [ ] quote",
            "\ufeff",
            "\u2028",
            "\x0c",
            "\x00",
        ),
        *("| Id | Date | Decision | Because |", "|---|---|---|---|", "| D4 | 2026-01-01 | ~~old~~ | w\\|y |", "|||x||"),
        *("| D5 | | now | |", "<!-- holdfast:begin state -->", "caf\udce9", "\udcff", "- [ ] open"),
    ]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
_PAGE = st.builds(
    lambda rows, last: "".join(a + b for a, b in rows) + last, st.lists(st.tuples(_PIECES, _ENDS), max_size=14), _PIECES
)
_WORDS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(["a|b", "~~x~~", "\\", "`|`", "[ ] x"])
_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "close", "reopen", "decide", "withdraw"]), _WORDS, st.integers(0, 9)),
    max_size=8,
)


def tokens(data: bytes) -> list[bytes]:
    """Return each line and each ending of a page, so that every byte of it stands in the list."""
    return re.split(rb"(\r\n|\r|\n)", data)


def kept(old: list[bytes], new: list[bytes]) -> int:
    """Return how many of the old pieces stand in the new ones in the same order, at best."""
    best = [0] * (len(new) + 1)
    for piece in old:
        before = best[:]
        for place, other in enumerate(new, 1):
            best[place] = before[place - 1] + 1 if piece == other else max(before[place], best[place - 1])
    return best[-1]


def play(folder: str, kind: str, act: str, text: str, place: int) -> None:
    """Do one step; what is refused changes nothing."""
    todos = pages.todos((folder,))
    if act == "add" and kind == pages.TODO:
        pages.add_todo((folder,), text)
    elif act in ("close", "reopen") and todos and kind == pages.TODO:
        name = (todos[place % len(todos)].id,)
        pages.close_todos((folder,), name, DAY) if act == "close" else pages.reopen_todos((folder,), name)
    elif act in ("decide", "withdraw") and kind == pages.DECISION:
        path = Path(folder, "decisions.md")
        table = Table(region.read_page(str(path)), DECIDED)
        row = table.notes[place % len(table.notes)] if table.notes else None
        if act == "decide" and not table.lines.open_at:
            table.add(Note(0, "D9", harmless_line(text), harmless_line(text), "", DAY))
        elif act == "withdraw" and row is not None and not row.done:
            table.rewrite(row, row, f"withdrawn {DAY}")
        region.write_page(str(path), table.lines.text())


@settings(max_examples=count(150, 25))
@given(text=_PAGE, steps=_STEPS, kind=st.sampled_from([pages.TODO, pages.DECISION]))
def test_every_foreign_byte_survives(tmp_path_factory, text, steps, kind) -> None:
    """Whatever the page and the steps: each changes at most the line it is about, and adds only behind whole lines."""
    folder = tmp_path_factory.mktemp("home") / "memory" / "projects" / "shop"
    folder.mkdir(parents=True)
    path = folder / pages.PAGES[kind]
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    for act, words, place in steps:
        before = path.read_bytes()
        try:
            play(str(folder), kind, act, words, place)
        except HoldfastError:
            assert path.read_bytes() == before
            continue
        check_kept(before, path.read_bytes(), act)


def check_kept(before: bytes, after: bytes, act: str) -> None:
    """Check that what stood there stands there still, but for the one line that the act is about."""
    if act in ("add", "decide"):
        start = next((at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
        assert after.endswith(before[start:]) and len(after) >= len(before)
        return
    old, new = tokens(before), tokens(after)
    assert len(old) - kept(old, new) <= 1
    assert len(old) == len(new)


@settings(max_examples=count(100, 20))
@given(text=_PAGE)
def test_ticked_and_opened_again_is_as_before(tmp_path_factory, text) -> None:
    """Each open box of any page, ticked and opened again, leaves the page as it was to the byte."""
    folder = tmp_path_factory.mktemp("home") / "memory" / "projects" / "shop"
    folder.mkdir(parents=True)
    path = folder / "todo.md"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = path.read_bytes()
    for todo in () if before.startswith((b"\xff\xfe", b"\xfe\xff")) else pages.todos((str(folder),)):
        if not todo.done:
            (closed,) = pages.close_todos((str(folder),), (todo.id,), DAY)
            assert (closed.id, closed.text, closed.done) == (todo.id, todo.text, True)
            pages.reopen_todos((str(folder),), (todo.id,))
            assert path.read_bytes() == before


@settings(max_examples=count(150, 25))
@given(text=_WORDS, because=_WORDS)
def test_what_is_written_is_read_back(text, because) -> None:
    """Any text, made one line, stands in the page so that it is read back as it is, also struck through."""
    said, why = harmless_line(text), harmless_line(because)
    for ended in ("", f"withdrawn {DAY}"):
        table = Table("| Id | Date | Decision | Because |\n|---|---|---|---|\n", DECIDED)
        table.add(Note(0, "D1", said, why, "", DAY), ended)
        found = Table(table.lines.text(), DECIDED).notes
        assert [(one.text, one.because, one.done) for one in found] == ([(said, why, bool(ended))] if said else [])
