"""Index pages stay true, and the person's words on them stay the person's."""

from __future__ import annotations

import itertools
import os
import shutil

import pytest

import holdfast
from holdfast.app.erase import forget_memory
from holdfast.memory import move
from holdfast.memory.index_pages import BEGIN, END
from holdfast.memory.remember import remember
from holdfast.memory.show import list_memories

SHOP = "projects/example.com--acme--shop"


@pytest.fixture
def page(home):
    """Read an index page below the memory tree."""

    def read(path: str) -> str:
        return (home / "memory" / path / "index.md").read_bytes().decode()

    return read


def look(workspace) -> None:
    """Run any command."""
    with workspace() as h:
        list_memories(h)


def test_every_change_is_on_the_pages(workspace, page) -> None:
    """What is added, renamed, moved and forgotten is on the scope's page and on the root page after the command."""
    with workspace() as h:
        remember(h, "Apples are red.", key="a")
    assert "[a](memories/a.md): Apples are red" in page(SHOP)
    assert f"({SHOP}/index.md) (1)" in page("")
    with workspace() as h:
        planned, _ = move.plan(h, "a", new_key="b")
        move.apply(h, planned)
    assert "[a]" not in page(SHOP) and "[b](memories/b.md)" in page(SHOP)
    with workspace() as h:
        planned, _ = move.plan(h, "b", to="global")
        move.apply(h, planned)
    assert "Nothing yet." in page(SHOP) and "[b](memories/b.md)" in page("global")
    assert SHOP not in page("") and "[Global](global/index.md) (1)" in page("")
    with workspace() as h:
        forget_memory(h, "b")
    assert "Nothing yet." in page("global") and "Nothing yet." in page("")


def test_what_people_do_by_hand_is_on_the_pages(workspace, write, page, home) -> None:
    """A file that is dropped, renamed or deleted by hand is on the pages after the next command."""
    path = write("global/memories/pears.md", "Pears are yellow.\n")
    look(workspace)
    assert "[pears](memories/pears.md): Pears are yellow" in page("global")
    path.rename(path.with_name("plums.md"))
    look(workspace)
    assert "[pears]" not in page("global") and "[plums]" in page("global")
    path.with_name("plums.md").unlink()
    look(workspace)
    assert "Nothing yet." in page("global")


def test_a_folder_that_is_made_or_deleted_by_hand(workspace, write, page, home) -> None:
    """A sub-folder has a page of its own and a line on its parent's; when it is deleted, the line goes."""
    write("global/memories/fruit/pears.md", "Pears are yellow.\n")
    look(workspace)
    assert "- [fruit](memories/fruit/index.md) (1)" in page("global")
    assert "[pears](pears.md)" in page("global/memories/fruit")
    shutil.rmtree(home / "memory" / "global" / "memories" / "fruit")
    look(workspace)
    assert "fruit" not in page("global")


def test_a_scope_that_is_deleted_by_hand(workspace, page, home) -> None:
    """When the person deletes the folder of a whole project, the root page follows."""
    with workspace() as h:
        remember(h, "Apples are red.")
        remember(h, "Tea, please.", scope="global")
    shutil.rmtree(home / "memory" / SHOP)
    look(workspace)
    assert SHOP not in page("")


def test_data_files_are_listed(workspace, write, page, home) -> None:
    """A file that is put into data/, or taken from it, is on the page after the next command."""
    with workspace() as h:
        remember(h, "Tea, please.", scope="global")
    table = write("global/data/price list.csv", "a,b\n")
    look(workspace)
    assert "- [price list.csv](data/price%20list.csv)" in page("global")
    table.unlink()
    look(workspace)
    assert "price list" not in page("global")


def test_a_page_that_was_deleted_comes_back(workspace, page, home) -> None:
    """An index.md that somebody deleted is there again after the next command, in the scope and at the root."""
    with workspace() as h:
        remember(h, "Tea, please.", scope="global", key="tea")
    for path in ("global/index.md", "index.md"):
        (home / "memory" / path).unlink()
        look(workspace)
    assert "[tea]" in page("global") and "[Global]" in page("")


def test_a_page_that_is_right_is_not_written(workspace, home) -> None:
    """A command that changes nothing leaves every page alone, to the nanosecond."""
    with workspace() as h:
        remember(h, "Tea, please.", scope="global")
    look(workspace)
    pages = [home / "memory" / "index.md", home / "memory" / "global" / "index.md"]
    for path in pages:
        os.utime(path, ns=(10**18, 10**18))
    with workspace() as h:
        remember(h, "Tea, please.", scope="global")
        list_memories(h)
    assert [path.stat().st_mtime_ns for path in pages] == [10**18] * 2


@pytest.mark.parametrize(
    ("mine", "kept"),
    [
        (
            f"# Mine\r\n\r\nhands off  \r\n{BEGIN}\r\n{END}\r\nand below\r\n",
            ["# Mine\r\n\r\nhands off  \r\n", "\r\nand below\r\n"],
        ),
        ("no markers at all\n\n\n", ["no markers at all\n\n\n"]),
        (f"above\n{END}\nbelow\n", ["above\n\nbelow\n"]),
        (f"above\n{BEGIN}\nbelow\n", ["above\n\nbelow\n"]),
        (f"a\n{BEGIN}\nx\n{END}\nb\n{BEGIN}\ny\n{END}\nc\n", ["a\n", "\nb\n\ny\n\nc\n"]),
        ("\ufeffwith a mark\n", ["\ufeffwith a mark\n"]),
    ],
)
@pytest.mark.parametrize("where", ["", "global"])
def test_the_persons_words_survive(workspace, home, page, mine, kept, where) -> None:
    """Everything outside the markers is there byte for byte after the page is written anew, and so is the list."""
    with workspace() as h:
        remember(h, "Tea, please.", scope="global", key="tea")
    (home / "memory" / where / "index.md").write_bytes(mine.encode())
    with workspace() as h:
        remember(h, "Coffee too.", scope="global", key="coffee")
    text = page(where)
    assert text.count(BEGIN) == text.count(END) == 1
    assert text.startswith(kept[0]) and all(part in text for part in kept)
    assert ("(2)" if not where else "[coffee]") in text[text.index(BEGIN) : text.index(END)]


def test_a_page_that_is_a_link_is_not_written_through(workspace, home, tmp_path) -> None:
    """An index.md that is a symbolic link is left alone, it is said, and the command does its work."""
    target = tmp_path / "elsewhere.md"
    target.write_text("somebody else's")
    (home / "memory" / "global").mkdir(parents=True)
    (home / "memory" / "global" / "index.md").symlink_to(target)
    with workspace() as h:
        assert remember(h, "Tea, please.", scope="global").action == "created"
    assert target.read_text() == "somebody else's"
    assert any("index.md" in text for text in workspace.said)


def test_six_hundred_entries(workspace, write, page) -> None:
    """A page lists the newest 500 entries and says how many there are; the oldest is not among them."""
    for number in range(600):
        day = f"2026-{number // 28 % 12 + 1:02d}-{number % 28 + 1:02d}T{number // 336:02d}:00:00Z"
        write(f"global/memories/note-{number:03d}.md", f"---\nupdated: {day}\n---\nNote number {number}.\n")
    write("global/memories/oldest.md", "---\nupdated: 2001-01-01\n---\nFrom long ago.\n")
    look(workspace)
    text = page("global")
    assert text.count("](memories/") == 500 and "[oldest]" not in text
    assert "These are the newest 500 of 601; `holdfast list` shows all." in text
    assert "[Global](global/index.md) (601)" in page("")


def test_past_twenty_entries_headings_appear(workspace, write, page) -> None:
    """With 21 entries related ones stand under headings; with 20 they do not."""
    for number in range(20):
        write(f"global/memories/{('deploy', 'style')[number % 2]}-{number}.md", f"Note {number}.\n")
    look(workspace)
    assert "\n## " not in page("global")
    write("global/memories/zebra.md", "Note 20.\n")
    look(workspace)
    assert [line for line in page("global").splitlines() if line.startswith("## ")] == [
        "## deploy",
        "## style",
        "## other",
    ]


def test_a_long_run_keeps_its_pages_in_time(home, shop, page, monkeypatch) -> None:
    """A process that goes on storing writes the pages about once a second, not only at its end."""
    clock = itertools.count(0, 2)
    monkeypatch.setattr("holdfast.app.open.time.monotonic", lambda: next(clock))
    with holdfast.open(str(home), folder=str(shop)) as memory:
        memory.remember("One.", scope="global", key="one")
        memory.remember("Two.", scope="global", key="two")
        assert "[two]" in page("global")
