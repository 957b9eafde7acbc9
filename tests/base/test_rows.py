"""Files of rows: what is added stays whole, what is broken says nothing, and rows can be changed in two ways."""

from __future__ import annotations

import os

import pytest

from holdfast.base import rows
from holdfast.errors import StoreUnavailable


@pytest.fixture
def path(tmp_path) -> str:
    """A file that is not there yet."""
    return str(tmp_path / "rows.jsonl")


def contents(path: str) -> bytes:
    """Return the bytes of the file."""
    with open(path, "rb") as file:
        return file.read()


def test_a_torn_row_does_not_swallow_the_next(path) -> None:
    """What a crash cut short gets its end before the next row is added, and says nothing."""
    rows.append(path, ['["a", "b", "c"]'])
    with open(path, "ab") as file:
        file.write(b'["half", "a ro')
    rows.append(path, ['["d", "e", "f"]'])
    assert [rows.triple_in(line) for line in rows.read(path)] == [("a", "b", "c"), None, ("d", "e", "f")]


def test_a_new_file_is_private_and_begins_with_its_heading(path) -> None:
    """The heading is written once, with the first rows."""
    rows.append(path, ["one"], heading="# number")
    rows.append(path, ["two"], heading="# number")
    assert contents(path) == b"# number\none\ntwo\n"
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_full_file_takes_no_more(path) -> None:
    """At its bound the file stays as it is, and the caller is told."""
    assert rows.append(path, ["12345"], most=6)
    assert not rows.append(path, ["6"], most=6)
    assert contents(path) == b"12345\n"


def test_a_link_is_not_written_through(path, tmp_path) -> None:
    """Neither adding nor writing over follows a link."""
    (tmp_path / "other").write_text("theirs\n")
    os.symlink(tmp_path / "other", path)
    with pytest.raises(StoreUnavailable):
        rows.append(path, ["ours"])
    assert (tmp_path / "other").read_text() == "theirs\n"


@pytest.mark.parametrize("line", [b"", b"  ", b"{", b"[1]", b'"text"', b"\xff{}", b'{"a": "' + b"x" * 99 + b'"}'])
def test_what_is_not_an_object_says_nothing(line) -> None:
    """Blank, broken, foreign and overlong lines are passed over."""
    assert rows.object_in(line, 50) is None


@pytest.mark.parametrize("line", [b"", b"{}", b'["a", 1, "c"]', b'["a", "b"]', b'["a", "b", "c"', "no"])
def test_what_is_not_three_texts_says_nothing(line) -> None:
    """Only a list of exactly three texts is a triple."""
    assert rows.triple_in(line) is None


def test_rows_that_have_a_part_are_found_without_the_others() -> None:
    """Each line with the part comes once, the last also without its end."""
    assert list(rows.having(b"a x x\nb\nc x", b"x")) == [b"a x x", b"c x"]
    assert list(rows.having(b"a\n", b"x")) == []


def instead(line: bytes) -> bytes | None:
    """Drop b, shorten c, lengthen d."""
    return {b"b": b"", b"ccc": b"c", b"d": b"dddd"}.get(line)


def test_rewriting_changes_and_drops_rows(path) -> None:
    """Rows that are dropped leave nothing, others keep their bytes, and the changed ones are counted."""
    rows.append(path, ["a", "b", "", "ccc", "d"])
    assert rows.rewrite(path, instead) == 3
    assert contents(path) == b"a\n\nc\ndddd\n"
    assert rows.rewrite(path, instead) == 0


def test_writing_over_moves_no_row(path) -> None:
    """A row that becomes shorter is filled with blanks; one that would become longer stays."""
    rows.append(path, ["a", "b", "ccc", "d"])
    assert rows.write_over(path, instead) == 2
    assert contents(path) == b"a\n \nc  \nd\n"


def test_the_file_of_a_session_says_whose_it_is(tmp_path) -> None:
    """The first row names agent, session and project; with `anew` the rows take the place of what was there."""
    path = str(tmp_path / "open" / "name")
    whose = ("codex", "s1", "shop")
    rows.note(path, whose, "2026-01-01T00:00:00Z", [("said", "hello")])
    assert rows.whose(contents(path)) == whose
    rows.note(path, whose, "2026-01-02T00:00:00Z", [("said", "again")], anew=True)
    assert rows.whose(contents(path)) == whose
    assert [rows.triple_in(line) for line in rows.read(path)][1:] == [("said", "again", "2026-01-02T00:00:00Z")]


def test_old_files_are_tidied(tmp_path) -> None:
    """What nothing was added to for so long goes; a folder that is not there is no error."""
    for name, at in (("old", 1_000), ("new", None)):
        (tmp_path / name).touch()
        if at:
            os.utime(tmp_path / name, (at, at))
    rows.remove_older(str(tmp_path), 3_600)
    rows.remove_older(str(tmp_path / "missing"), 3_600)
    assert os.listdir(tmp_path) == ["new"]
