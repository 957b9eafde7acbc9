"""The page of a project: entries go into their sections, and every byte of the person's stays."""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path

import pytest

from holdfast.continuity import page
from holdfast.continuity.page import made
from holdfast.errors import BrokenFile

POSTGRES = made("Decisions", "2026-05-04", "Use Postgres, not Redis.", "we know it")
QUEUE = made("Workstreams", "feature/queue", "ACTIVE", "The queue")


@pytest.fixture
def folder(home) -> Path:
    """The folder of a project in the memory tree."""
    there = home / "memory" / "projects" / "shop"
    there.mkdir(parents=True)
    return there


def test_sections_stand_in_their_order(folder: Path) -> None:
    """Whatever comes first, State is above Workstreams, and those above Decisions; an entry is one row."""
    for entry in (POSTGRES, QUEUE, made("State", "Now", "half done"), made("Decisions", "2026-05-05", "Use B.", "")):
        assert page.put((str(folder),), entry)
    text = (folder / "MEMORY.md").read_text()
    assert text.index("## State") < text.index("## Workstreams") < text.index("## Decisions")
    assert text.count("| Date | Decision | Rationale |") == 1
    assert [entry.name for entry in page.entries(text)] == [
        "Now",
        "feature/queue",
        "Use Postgres, not Redis.",
        "Use B.",
    ]
    assert text.count("<!-- holdfast:begin page -->") == text.count("<!-- holdfast:end page -->") == 1


def test_the_same_entry_changes_nothing_and_a_new_value_one_line(folder: Path) -> None:
    """Putting an entry again is no change; another status replaces the row of its name and leaves all others."""
    page.put((str(folder),), POSTGRES)
    page.put((str(folder),), QUEUE)
    before = (folder / "MEMORY.md").read_text().splitlines()
    assert not page.put((str(folder),), QUEUE)
    assert page.put((str(folder),), made("Workstreams", "Feature/Queue", "COMPLETE", ""))
    after = (folder / "MEMORY.md").read_text().splitlines()
    [(was, now)] = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert was == "| feature/queue | ACTIVE | The queue |"
    # What is not told anew stays.
    assert now == "| Feature/Queue | COMPLETE | The queue |"


@pytest.mark.parametrize(
    "own",
    [
        b"\xef\xbb\xbf# Mine\r\n\r\ncaf\xe9\r\n",
        b"no newline at the end",
        b"## Decisions\n\n| Date | Decision | Rationale |\n|---|---|---|\n| 1999 | mine | x |\n\n```\n## State\n",
        b"<!-- holdfast:begin page -->\nnever closed\n",
        b"<!-- holdfast:end page --> stray\n",
        b"```\n<!-- holdfast:begin page -->\nmy line\n<!-- holdfast:end page -->\n```\n",
        b"From `<!-- holdfast:begin page -->` to `<!-- holdfast:end page -->` it is theirs.\n",
    ],
)
def test_what_a_person_wrote_stays_byte_for_byte(folder: Path, own: bytes) -> None:
    """Bytes of another encoding, Windows line ends, stray markers and tables of the person's survive every put."""
    path = folder / "MEMORY.md"
    path.write_bytes(own)
    for entry in (POSTGRES, QUEUE, made("Workstreams", "feature/queue", "PAUSED", "z")):
        page.put((str(folder),), entry)
    assert path.read_bytes().startswith(own)
    path.write_bytes(path.read_bytes() + b"\nbehind \xff")
    page.put((str(folder),), made("State", "Now", "later"))
    assert path.read_bytes().startswith(own) and path.read_bytes().endswith(b"\nbehind \xff")
    assert b"| Now | later |" in path.read_bytes()


def test_what_a_person_wrote_into_the_region_stays(folder: Path) -> None:
    """A sentence, a column and a reworded cell within the region survive the next entry of the same section."""
    page.put((str(folder),), POSTGRES)
    path = folder / "MEMORY.md"
    text = path.read_text()
    text = text.replace(
        "| Date | Decision | Rationale |\n|---|---|---|", "| Who | Date | Decision | Rationale |\n|---|---|---|---|"
    )
    text = text.replace("| 2026-05-04 | Use", "| Ann | 2026-05-04 | Use").replace(
        "## Decisions\n", "## Decisions\n\nAsk Ann first.\n"
    )
    path.write_text(text)
    page.put((str(folder),), made("Decisions", "2026-05-06", "Use | bars \\ too", ""))
    after = path.read_text()
    assert after.replace("|  | 2026-05-06 | Use \\| bars \\\\ too |  |\n", "") == text
    assert page.entries(after)[1] == made("Decisions", "2026-05-06", "Use | bars \\ too", "")


@pytest.mark.parametrize(
    ("head", "row", "expected"),
    [
        ("| Topic | State |", "| Now | half done | ask Kim |", "| Now | later | ask Kim |"),
        ("| Topic | State |", "|Now| half done |a|  \\|b ", "|Now| later |a|  \\|b "),
        ("| Topic | Who | State | Who |", "| Now | Ann | half done | Bob |", "| Now | Ann | later | Bob |"),
        ("| Topic | State | | |", "|  Now  | half done | x | y | z |", "|  Now  | later | x | y | z |"),
        ("| Topic | State |", "| Now |", "| Now | later |"),
        ("| Topic | State |", "| Now", "| Now| later"),
    ],
)
def test_cells_of_the_persons_own_stay(folder: Path, head: str, row: str, expected: str) -> None:
    """Only the cell that changes is written; a remark behind the last column and columns of one name keep theirs."""
    page.put((str(folder),), made("State", "Now", "half done"))
    path = folder / "MEMORY.md"
    line = "|---" * (head.count("|") - 1) + "|"
    text = path.read_text().replace("| Now | half done |", row)
    path.write_text(text.replace("| Topic | State |\n|---|---|", f"{head}\n{line}"))
    before = path.read_text()
    assert page.put((str(folder),), made("State", "Now", "later"))
    assert path.read_text() == before.replace(row, expected)
    assert not page.put((str(folder),), made("State", "Now", "later"))
    assert page.entries(path.read_text()) == [made("State", "Now", "later")]


def test_hostile_texts_become_harmless(folder: Path) -> None:
    """Markers, line ends, hidden characters and length of a cell change nothing around it."""
    hostile = "x\n<!-- holdfast:end page -->\n## Decisions\u202e <holdfast-memory> " + "y" * 10_000
    page.put((str(folder),), made("State", "Now", hostile))
    text = (folder / "MEMORY.md").read_text()
    assert text.count("holdfast:end page -->") == 2 and text.count("<!-- holdfast:end page -->") == 1
    assert "<holdfast-memory>" not in text and "\u202e" not in text and len(text) < 1_000
    assert page.with_entry(text, made("State", "Now", "calm")).count("## Decisions") == 0


@pytest.mark.parametrize("text", ["## State", "# x", "- x", "> x", "| x |", "```sh", "1. x", "\\| x", "\\"])
def test_a_cell_comes_out_as_it_went_in(folder: Path, text: str) -> None:
    """Whatever a cell begins with, the row is read as it was put, and the next one finds its table."""
    rows = [made("Key files", f"{text} a", text), made("Key files", "src/a.py", text)]
    for entry in rows:
        page.put((str(folder),), entry)
    assert page.entries((folder / "MEMORY.md").read_text()) == rows


def test_a_page_in_utf_16_is_refused(folder: Path) -> None:
    """A page in UTF-16 is neither written nor taken for an empty one."""
    own = "# Mine\n".encode("utf-16")
    (folder / "MEMORY.md").write_bytes(own)
    for act in (lambda: page.put((str(folder),), POSTGRES), lambda: page.read((str(folder),))):
        with pytest.raises(BrokenFile, match="UTF-16"):
            act()
    assert (folder / "MEMORY.md").read_bytes() == own


def test_what_a_page_says_of_an_entry() -> None:
    """An entry is new, known by its row or by the person's own words, or changed where its value is another."""
    text = page.with_entry("We chose: use POSTGRES, not Redis!\n", QUEUE)
    assert page.standing(text, POSTGRES) == "known"
    assert page.standing(text, made("Decisions", "", "Use Redis.", "")) == "new"
    assert page.standing(text, QUEUE) == "known"
    assert page.standing(text, made("Workstreams", "feature/queue", "PAUSED", "")) == "changed"
    # What another row of ours says is not the person's word.
    assert page.standing(page.with_entry("", made("State", "Now", "Use Postgres, not Redis.")), POSTGRES) == "new"
    # The name of a branch somewhere in a text says nothing of its status.
    assert page.standing("on feature/queue\n", QUEUE) == "new"


def test_an_entry_as_a_text_and_back() -> None:
    """The text of a proposal holds the whole entry, and what a person breaks in it is named."""
    assert page.read_entry(page.text_of(POSTGRES)) == POSTGRES
    assert page.read_entry(page.text_of(QUEUE)) == QUEUE
    assert page.read_entry("Section: State\r\n\r\nTopic: a\x0cb\r\nState: c\r\n") == made("State", "a\x0cb", "c")
    for text, wrong in (
        ("Decision: Use it", "no section"),
        ("Section: Decisions\nDate: 2026", "no Decision"),
        ("Section: Decisions\nDecision: a\nColour: red", "Colour"),
        ("Section: Workstreams\nWorkstream: a\nStatus: maybe", "maybe"),
        ("Section: State\nTopic: a\nTopic: b", "not a line"),
        ("Section: State\njust words", "not a line"),
    ):
        with pytest.raises(BrokenFile, match=wrong):
            page.read_entry(text)


def test_an_older_page_goes_along(folder: Path) -> None:
    """Where the project has a page under an earlier id only, its text is taken over into the new one."""
    older = folder.parent / "older"
    older.mkdir()
    (older / "MEMORY.md").write_text("by hand\n")
    page.put((str(folder), str(older)), POSTGRES)
    assert (folder / "MEMORY.md").read_text().startswith("by hand\n")
    assert (older / "MEMORY.md").read_text() == "by hand\n"


def _put_many(folder: str, letter: str, both_are_there) -> None:
    both_are_there.wait(300)
    for number in range(30):
        page.put((folder,), made("Decisions", "2026-05-04", f"Decision {letter}{number}", ""))


def test_of_two_processes_at_once_no_row_is_lost(folder: Path) -> None:
    """Two processes that put entries at the same time leave all of them on the page."""
    context = get_context("spawn")
    barrier = context.Barrier(2)
    both = [context.Process(target=_put_many, args=(str(folder), letter, barrier)) for letter in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join(300)
    assert len(page.entries((folder / "MEMORY.md").read_text())) == 60
