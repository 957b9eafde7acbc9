"""A shell command line taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.sessions.shell_line import MAX_COMMANDS, split

SIGNS = st.sampled_from([*"'\"\\|&;<>(){}# \n\t", "&&", "||", "<<E", "\nE\n", "2>&1", "ls", "a b", "é"])


def words(command: str) -> list[list[str]]:
    """Return the words of each command of a line."""
    return [line for line, _, _ in split(command)]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("ls -l  a.txt", [["ls", "-l", "a.txt"]]),
        ("cd a&&ls|wc;pwd", [["cd", "a"], ["ls"], ["wc"], ["pwd"]]),
        ("make >log 2>&1 &", [["make", ">log", "2>&1"]]),
        ("echo 'a && b' \"c ; d\"", [["echo", "a && b", "c ; d"]]),
        ("git commit -m'x y'z", [["git", "commit", "-mx yz"]]),
        ("a \\\n b # c && d\ne", [["a", "b"], ["e"]]),
        ("a#b #c", [["a#b"]]),
        ("cat <<EOF | sh\nrm -r x && y\nEOF\nls", [["cat"], ["sh"], ["ls"]]),
        ("(cd a && b)", [["(cd", "a"], ["b)"]]),
        ("( a )", [["a"]]),
        ("x=$(date) y", [["x=$(date)", "y"]]),
        ("a\\ b c", [["a b", "c"]]),
        ("", []),
    ],
)
def test_words_and_commands(command: str, found: list[list[str]]) -> None:
    """Signs outside of quotes and here-documents end a command; quotes, comments and lone brackets are no words."""
    assert words(command) == found


@given(st.lists(SIGNS, max_size=40).map("".join))
def test_any_line_is_taken_apart(command: str) -> None:
    """Whatever the line, each command has words, stands in the line, and all but the last end by a sign."""
    found = split(command)
    assert len(found) <= MAX_COMMANDS + 1
    assert all(line and all(line) and text in command for line, text, _ in found)
    assert all(sign for _, _, sign in found[:-1])
