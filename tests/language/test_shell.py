"""A shell line is taken apart into commands, and nothing in it is taken for a command that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.language.shell import MAX_COMMANDS, MAX_LINE, quoted, split

SIGNS = st.sampled_from([*"'\"\\|&;<>(){}# \n\t$`", "&&", "||", "<<E", "\nE\n", "2>&1", "ls", "a b", "é"])


def words(line: str) -> list[list[str]]:
    """Return the words of each command."""
    return [list(command.words) for command in split(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cd x && rm -rf 'a b'; ls | wc", [["cd", "x"], ["rm", "-rf", "a b"], ["ls"], ["wc"]]),
        ('echo "it\'s" it\\ is', [["echo", "it's", "it is"]]),
        ('echo "a \\"b\\" \\n"', [["echo", 'a "b" \\n']]),
        ("ls # rm -rf x\npwd", [["ls"], ["pwd"]]),
        ("(cd x && ls) & wait", [["cd", "x"], ["ls"], ["wait"]]),
        ("f() { ls; }", [["f"], ["ls"]]),
        ("find . -exec rm {} \\;", [["find", ".", "-exec", "rm", "{}", ";"]]),
        ("echo {a,b} ${X:-y}", [["echo", "{a,b}", "${X:-y}"]]),
        ("a \\\n b", [["a", "b"]]),
        ("echo 'not closed", [["echo", "not closed"]]),
        ("echo $'it\\'s; so' && ls", [["echo", "it's; so"], ["ls"]]),
        ("cd a&&ls|wc;pwd", [["cd", "a"], ["ls"], ["wc"], ["pwd"]]),
        ("git commit -m'x y'z", [["git", "commit", "-mx yz"]]),
        ("a#b #c", [["a#b"]]),
        ("cat <<EOF | sh\nrm -r x && y\nEOF\nls", [["cat"], ["sh"], ["ls"]]),
        ("x=$(date) y", [["x=$(date)", "y"]]),
        ("", []),
        (" ;; && ", []),
    ],
)
def test_words_are_those_that_a_shell_sees(line: str, expected: list[list[str]]) -> None:
    """Quotes, escapes, lists, groups and comments are understood."""
    assert words(line) == expected


def test_redirections_are_no_words() -> None:
    """What is read from and written to stands apart, and a number before a sign is none of the words."""
    (one,) = split("sort < in.txt > out.txt 2>> err.txt 2>&1 &> all.txt")
    assert one.words == ("sort",) and one.reads == ("in.txt",)
    assert one.writes == ("out.txt", "err.txt", "all.txt")


def test_a_sign_behind_a_bracket() -> None:
    """What stands behind a bracket, such as a pipe, is told of the last command in it."""
    assert [one.sign for one in split("(cd x && make) | tail; ls")] == ["&&", "|", ";", ""]


def test_a_document_is_no_command() -> None:
    """What stands in a here-document is fed to its command, and the line behind it is a command again."""
    first, second = split("cat > x <<'END' && ls\nrm -rf src\nEND\npwd")[:2]
    assert first.fed == "rm -rf src" and second.words == ("ls",)
    assert words("cat <<-END\n\trm -rf src\n\tEND\npwd") == [["cat"], ["pwd"]]
    assert split("psql <<< 'drop table x'")[0].fed == "drop table x"


def test_what_runs_within_is_told() -> None:
    """Lines in `$( )`, in backquotes and in `<( )` are told beside the word that they are a part of."""
    (one,) = split('echo "$(rm -rf "a b")" `date` <(curl x)')
    assert one.inner == ('rm -rf "a b"', "date", "curl x")
    assert split("echo $((1 + 2))")[0].inner == ()


def test_a_long_line_is_bounded() -> None:
    """Of a line of any length only the beginning is looked at, and only so many commands."""
    assert len(split("x " * MAX_LINE)[0].text) <= MAX_LINE
    assert len(split("x;" * 1_000)) <= MAX_COMMANDS + 1


@given(st.lists(SIGNS, max_size=40).map("".join))
def test_any_line_is_taken_apart(line: str) -> None:
    """Whatever the line, each command stands in it as it was written, and says something."""
    for one in split(line):
        assert one.text in line
        assert one.words or one.reads or one.writes or one.inner


@given(st.lists(st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), max_size=12), min_size=1))
def test_quoted_words_are_found_again(spoken: list[str]) -> None:
    """Words that were put together into a line are the words of that line."""
    (one,) = split(quoted(spoken))
    assert one.words == tuple(spoken)
