"""Patterns that are kept between processes are what `re.compile` makes of them, whatever the file says."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.base import regexes

NAMED = r"(?P<year>\d{4})-(?:a|b)(c)?(?=\s)|(?i:x+)"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(regexes, "PLACE", str(tmp_path / "regexes"))
    monkeypatch.setattr(regexes.sys, "dont_write_bytecode", False)
    for name in ("_patterns", "_new"):
        monkeypatch.setattr(regexes, name, {})
    monkeypatch.setattr(regexes, "_read", [])
    return tmp_path / "regexes"


def forget() -> None:
    """Do as a new process does."""
    for some in (regexes._patterns, regexes._new, regexes._read):
        some.clear()


def test_what_is_read_is_what_was_compiled(place: Path) -> None:
    """A pattern from the file is equal to one of `re`, with its flags, groups and names."""
    regexes.kept(NAMED, re.MULTILINE)
    regexes.save()
    forget()
    found, plain = regexes.kept(NAMED, re.MULTILINE), re.compile(NAMED, re.MULTILINE)
    assert not regexes._new
    assert found == plain
    assert (found.pattern, found.flags, found.groups) == (plain.pattern, plain.flags, plain.groups)
    assert found.groupindex == plain.groupindex
    assert found.search("at 2026-ac now").groupdict() == {"year": "2026"}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"no marshal",
        marshal.dumps((("3.0", 1, 4), {(NAMED, 0): (0, b"", 0, {}, ())})),
        marshal.dumps((regexes._INTERPRETER, {(NAMED, 0): (32, b"\7\0\0\0", 0, {}, (None,))})),
        marshal.dumps((regexes._INTERPRETER, {(NAMED, 0): (32, b"odd", 0, {}, (None,))})),
    ],
    ids=["empty", "other bytes", "another Python", "bad code", "torn code"],
)
def test_a_file_that_is_no_use_is_done_without(place: Path, text: bytes) -> None:
    """Whatever stands in the file, the pattern is compiled."""
    place.write_bytes(text)
    assert regexes.kept(NAMED) == re.compile(NAMED)


def test_what_others_saved_meanwhile_stays(place: Path) -> None:
    """Two processes that save add to the same file."""
    regexes.kept("one")
    other = ("two", 0)
    regexes._compiled(other)
    theirs = {other: regexes._new.pop(other)}
    place.write_bytes(marshal.dumps((regexes._INTERPRETER, theirs)))
    regexes.save()
    assert set(regexes._saved()) == {("one", 0), other}


def test_nothing_is_written_where_python_writes_no_code(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With PYTHONDONTWRITEBYTECODE there is no file."""
    monkeypatch.setattr(regexes.sys, "dont_write_bytecode", True)
    regexes.kept("one")
    regexes.save()
    assert not place.exists()
