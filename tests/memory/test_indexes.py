"""The generated lines of an index page, and the person's words around them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory.index_pages import BEGIN, END, Page, own_words, page_lines, put_region, write_page
from holdfast.records import Memory, Scope


def memory(key: str, **more) -> Memory:
    """Return a global memory."""
    fields = {"title": f"About {key}", "body": key, "path": f"global/memories/{key}.md", **more}
    return Memory(key=key, scope=Scope("global"), **fields)


def page(*memories: Memory, **more) -> Page:
    """Return the page of the global scope."""
    return Page("Global", list(memories), more.pop("total", len(memories)), "global", **more)


def test_an_entry_names_key_link_title_and_tags() -> None:
    """A line has the key, a link that leads to the file, the title, the tags and the pin; pinned ones come first."""
    lines = page_lines(page(memory("b"), memory("a", tags=("on call",)), memory("z", pinned=True)), 20)
    assert lines == [
        "- [z](memories/z.md): About z 📌",
        "- [a](memories/a.md): About a `on call`",
        "- [b](memories/b.md): About b",
    ]


def test_an_empty_scope_says_so() -> None:
    """A page that lists nothing says that there is nothing yet."""
    assert page_lines(page(), 20) == ["Nothing yet."]


def test_twenty_are_a_list_and_more_are_groups() -> None:
    """Past the limit related entries stand under headings, and the rest under `other`."""
    memories = [memory(f"deploy-{n}") for n in range(11)] + [memory(f"w{n}x") for n in range(10)]
    assert not any(line.startswith("## ") for line in page_lines(page(*memories[:20]), 20))
    headings = [line for line in page_lines(page(*memories), 20) if line.startswith("## ")]
    assert headings == ["## deploy", "## other"]


def test_a_page_says_what_it_leaves_out() -> None:
    """Where more memories are there than the page lists, it says how many."""
    assert page_lines(page(memory("a"), total=7), 20)[-1] == ("These are the newest 1 of 7; `holdfast list` shows all.")


def test_folders_and_data_are_listed() -> None:
    """Sub-folders link to their own index, data files to themselves, with names that are safe in a link."""
    lines = page_lines(
        page(subfolders=(("deploy", 6),), data=("price list (1).csv", "100%.csv"), nested="memories/"), 20
    )
    assert "- [deploy](memories/deploy/index.md) (6)" in lines
    assert "- [price list (1).csv](data/price%20list%20%281%29.csv)" in lines
    assert "- [100%.csv](data/100%25.csv)" in lines


NEW = f"{BEGIN}\n\n- new\n\n{END}"
OLD = f"{BEGIN}\n- ancient\n{END}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", f"{NEW}\n"),
        ("# Mine", f"# Mine\n\n{NEW}\n"),
        ("# Mine\n", f"# Mine\n\n{NEW}\n"),
        ("# Mine\n\n \n", f"# Mine\n\n \n\n{NEW}\n"),
        (f"# Mine\n{OLD}\nafter", f"# Mine\n{NEW}\nafter"),
        (f"x {OLD} y", f"x {NEW} y"),
        (f"# Mine\n{BEGIN}\nno end\n", f"# Mine\n\nno end\n\n{NEW}\n"),
        (f"# Mine\n{END}\nno beginning\n", f"# Mine\n\nno beginning\n\n{NEW}\n"),
        (f"{BEGIN}\nbetween two beginnings\n{OLD}\n", f"\nbetween two beginnings\n{NEW}\n"),
        (f"a\n{OLD}\nb\n{BEGIN}\nkept\n{END}\nc\n", f"a\n{NEW}\nb\n\nkept\n\nc\n"),
        (f"{END}\nfirst\n{OLD}\n", f"\nfirst\n{NEW}\n"),
    ],
)
def test_what_the_person_wrote_survives(before, after) -> None:
    """Every byte outside a pair of markers stays; a marker without its partner goes, and no text with it."""
    assert put_region(before, ["- new"]) == after
    assert put_region(after, ["- new"]) == after


def test_markers_that_were_deleted_come_back_at_the_end() -> None:
    """Where the person deleted the markers, every byte they wrote stays, and the list stands below it."""
    mine = "# Mine  \n\nNo list please.\t\n\n\n"
    assert put_region(mine, ["- a"]) == f"{mine}{BEGIN}\n\n- a\n\n{END}\n"


def test_windows_lines_stay_windows_lines() -> None:
    """A page with CRLF lines gets CRLF lines."""
    after = put_region(f"# Mine\r\n{BEGIN}\r\n{END}\r\n", ["- a", "- b"])
    assert "\n" not in after.replace("\r\n", "")


@given(st.lists(st.sampled_from([BEGIN, END, "x", "\n", "\r\n", " ", "<!--", "-->"]), max_size=12))
def test_any_page_settles_at_once(pieces) -> None:
    """Whatever the page holds, one writing gives exactly one region, and the next changes nothing."""
    once = put_region("".join(pieces), ["- a"])
    assert once.count(BEGIN) == once.count(END) == 1
    assert put_region(once, ["- a"]) == once


@pytest.mark.parametrize("evil", [END, BEGIN, "<!<!---- holdfast:end index ---->>", f"x\n{END}\ny"])
def test_no_memory_can_pass_for_a_marker(evil) -> None:
    """A title, tag, data file or folder that looks like a marker stays inside the list and does not end it."""
    lines = page_lines(page(memory("a", title=evil, tags=(evil,)), data=(evil,), subfolders=((evil, 1),)), 20)
    once = put_region("# Mine\n", lines)
    assert once.count(BEGIN) == once.count(END) == 1
    assert put_region(once, lines) == once


def test_the_persons_words_keep_their_lines() -> None:
    """Without the generated lines, what the person wrote stands on the same lines as before."""
    text = f"one\n{BEGIN}\n[x](gone.md)\n{END}\nfive\n"
    assert own_words(text).split("\n")[4] == "five"
    assert "gone" not in own_words(text)
    assert own_words("no markers\n") == "no markers\n"


def test_a_page_that_is_right_is_not_written(tmp_path) -> None:
    """The second writing leaves the file alone, to the nanosecond of its time."""
    path = tmp_path / "index.md"
    assert write_page(str(path), "# New\n", ["- a"])
    os.utime(path, ns=(1, 1))
    assert not write_page(str(path), "# New\n", ["- a"])
    assert path.stat().st_mtime_ns == 1


def test_bytes_that_are_not_utf8_are_carried_through(tmp_path) -> None:
    """A page that the person saved in another encoding keeps its bytes."""
    path = tmp_path / "index.md"
    path.write_bytes(b"caf\xe9\n")
    write_page(str(path), "", ["- a"])
    assert path.read_bytes().startswith(b"caf\xe9\n")


def test_a_page_that_was_emptied_stays_the_persons(tmp_path) -> None:
    """An index whose text the person deleted gets its list again, and not the words of the template."""
    path = tmp_path / "index.md"
    path.write_bytes(b"")
    write_page(str(path), "# Template\n", ["- a"])
    assert path.read_text() == f"{BEGIN}\n\n- a\n\n{END}\n"
