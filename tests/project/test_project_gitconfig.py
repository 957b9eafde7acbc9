"""The config reader against the git program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.project.git import Broken
from holdfast.project.git import parsed_remotes as remotes
from support.sampling import count

FILES = [
    '[remote "origin"]\n\turl = https://example.com/a\n',
    '[remote "origin"]\nurl=https://example.com/a',
    '[REMOTE "origin"]\nURL = https://example.com/a\n',
    '[remote "Origin"]\nurl = https://example.com/a\n',
    "[remote.origin]\nurl = https://example.com/a\n",
    "[Remote.ORIGIN]\nUrl = https://example.com/a\n",
    '[remote "origin"] url = https://example.com/a ; comment\n',
    '[remote "origin"]\nurl = https://example.com/a # comment\n',
    '[remote "origin"]\nurl = https://example.com/a#not;this\n',
    '[remote "origin"]\nurl = "https://example.com/a#b;c" # comment\n',
    '[remote "origin"]\nurl = "https://example.com/a"b"c d"  \n',
    '[remote "origin"]\nurl = https://example.com/\\\n   a\\\nb\n',
    '[remote "origin"]\nurl = one  two   \n',
    '[remote "origin"]\nurl = "  one  "\n',
    '[remote "origin"]\nurl = "" x\n',
    '[remote "origin"]\nurl = a\\tb\\nc\\\\d\\"e\n',
    '[remote "origin"]\nurl = a\\q\n',
    '[remote "origin"]\nurl = "open\n',
    '[remote "origin"]\nurl = a \\\n',
    '[remote "origin"]\nurl = a\\',
    '[remote "origin"]\nurl\n',
    '[remote "origin"]\nurl =\n',
    '[remote "origin"]\nurl = a\nurl = b\n',
    '[remote "origin"]\nurl = a\n[core]\nx = 1\n[remote "origin"]\nfetch = y\nurl = c\n',
    '[remote "ori\\gin"]\nurl = a\n',
    '[remote "or\\"ig"]\nurl = a\n[remote "origin"]\nurl = b\n',
    '[remote   "origin"]\nurl = a\n',
    '[remote\t"origin"]\nurl = a\n',
    '[remote "origin" ]\nurl = a\n',
    '[remote "origin]\nurl = a\n',
    '[remote "origin"\nurl = a\n',
    "[remote origin]\nurl = a\n",
    '[re_mote "origin"]\nurl = a\n',
    '\ufeff[remote "origin"]\nurl = a\n',
    '[remote "origin"]\r\nurl = a\r\n',
    '[remote "origin"]\rurl = a\n',
    '[remote "origin"]\nurl = a\\\r\nb\r\n',
    '# first\n; second\n\n[remote "origin"]\n  # x\n  url = a\n',
    '[remote "origin"]\nurl # = a\n',
    '[remote "origin"]\nurl a\n',
    '[remote "origin"]\n1url = a\n',
    '[remote "origin"]\nu-rl = a\nurl2 = b\nurl = c\n',
    '[remote "origin"]\nurl = a\n[',
    "url = a\n",
    "",
    '[remote "origin"]\nurl = größe/日本\n',
    '[remote "origin"]\npushurl = a\n[branch "main"]\nremote = origin\nurl = b\n',
    '[include]\npath = other\n[remote "origin"]\nurl = a\n',
]


def asked(git, path: Path) -> str | None:
    """What git says: the url, empty for none, None where it refuses the file."""
    done = subprocess.run(
        ["git", "config", "--file", str(path), "--no-includes", "--get", "remote.origin.url"],
        env=git.env,
        cwd=path.parent,
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        return None
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


def read(data: bytes) -> str | None:
    """What our reader says, in the same form."""
    try:
        return remotes(data).get("origin", "")
    except Broken:
        return None


@pytest.mark.parametrize("text", FILES)
def test_it_reads_what_git_reads(tmp_path, git, text):
    """The url of origin is the one that `git config --get` prints, and a file that git refuses is Broken."""
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    assert read(text.encode()) == asked(git, path)


HEADS = [
    '[remote "origin"]',
    '[remote "origin"]\nurl = ',
    '[remote "o',
    'rigin"]',
    '[core "x"]\n',
    "\nurl = ",
]
SIGNS = ["\n", "\r\n", "\r", " = ", "=", " ", '"', "\\", "\\\\", "\\\n", '\\"', "#", ";", "[", "]", "-", "."]
pieces = st.sampled_from([*HEADS, *SIGNS, "url", "a", "B", "n", "1", "é"])


@settings(max_examples=count(200, 30))
@given(st.lists(pieces, max_size=14).map("".join))
def test_any_mixture_is_read_as_git_reads_it(tmp_path, git, tail):
    """Files put together at random are read, or refused, as git does."""
    data = f'[remote "origin"]\nurl = {tail}'.encode()
    path = tmp_path / "config"
    path.write_bytes(data)
    assert blank(read(data)) == blank(asked(git, path))


def blank(text: str | None) -> str | None:
    """Versions of git differ in whether a carriage return inside of a value stays or becomes a space."""
    return text and text.replace("\r", " ")


def test_what_git_writes_is_read_back(tmp_path, git):
    """A url with every odd character, written by git, is read as it was given."""
    url = 'ht"tp\\s://ex#am;ple/ \tü ' + os.fsdecode(b"\xff")
    path = tmp_path / "config"
    git("config", "--file", str(path), "remote.origin.url", url, cwd=tmp_path)
    assert remotes(path.read_bytes()) == {"origin": url}


def test_the_reader_never_repeats_the_file():
    """The text of Broken has no word of the file in it."""
    with pytest.raises(Broken, match=r"^bad line 2$"):
        remotes(b'[remote "origin"]\nurl = secret\\q\n')
