"""A shell line is taken apart into commands, and nothing in it is taken for a command that is none."""

from __future__ import annotations

import pytest

from holdfast.language.shell_lines import MAX_LINE, commands


def words(line: str) -> list[list[str]]:
    """Return the words of each command."""
    return [list(command.words) for command in commands(line)]


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
        ("", []),
        (" ;; && ", []),
    ],
)
def test_words_are_those_that_a_shell_sees(line: str, expected: list[list[str]]) -> None:
    """Quotes, escapes, lists, groups and comments are understood."""
    assert words(line) == expected


def test_redirections_are_no_words() -> None:
    """What is read from and written to stands apart, and a number before a sign is none of the words."""
    (one,) = commands("sort < in.txt > out.txt 2>> err.txt 2>&1 &> all.txt")
    assert one.words == ("sort",) and one.reads == ("in.txt",)
    assert one.writes == ("out.txt", "err.txt", "all.txt")


def test_a_sign_behind_a_bracket() -> None:
    """What stands behind a bracket, such as a pipe, is told of the last command in it."""
    assert [one.sign for one in commands("(cd x && make) | tail; ls")] == ["&&", "|", ";", ""]


def test_a_document_is_no_command() -> None:
    """What stands in a here-document is fed to its command, and the line behind it is a command again."""
    first, second = commands("cat > x <<'END' && ls\nrm -rf src\nEND\npwd")[:2]
    assert first.fed == "rm -rf src" and second.words == ("ls",)
    assert words("cat <<-END\n\trm -rf src\n\tEND\npwd") == [["cat"], ["pwd"]]
    assert commands("psql <<< 'drop table x'")[0].fed == "drop table x"


def test_what_runs_within_is_told() -> None:
    """Lines in `$( )`, in backquotes and in `<( )` are told beside the word that they are a part of."""
    (one,) = commands('echo "$(rm -rf "a b")" `date` <(curl x)')
    assert one.inner == ('rm -rf "a b"', "date", "curl x")
    assert commands("echo $((1 + 2))")[0].inner == ()


def test_a_long_line_is_bounded() -> None:
    """Of a line of any length only the beginning is looked at, and only so many commands."""
    assert len(commands("x " * MAX_LINE)[0].text) <= MAX_LINE
    assert len(commands("x;" * 1_000)) <= 61
