"""TOML, edited as text."""

from __future__ import annotations

import tomllib

import pytest

from holdfast.agents.editing.record import Insertions, without
from holdfast.agents.editing.toml_text import NotToml, add, drop, parse

PATH = ("mcp_servers", "holdfast")
VALUE = {"command": '/a "b"/c\\d', "args": ["mcp", "--agent", "é"]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a = 1",
        "a = 1\n",
        "\n\n",
        "# c\r\na = 1\r\n",
        "[mcp_servers.other]\ncommand = 'x'\n",
        "mcp_servers.other.command = 'x'\n",
        'a = """\n[not.a.table]\n"""\n',
    ],
)
def test_a_table_is_added_and_leaves_every_byte(text) -> None:
    """Our table stands at the end; without it the text is what it was, by its places and by its name."""
    edited = Insertions(text)
    add(edited, PATH, VALUE)
    said = tomllib.loads(edited.text)
    assert said["mcp_servers"]["holdfast"] == VALUE
    assert without(edited.text.encode(), edited.spans()) == text.encode()
    assert tomllib.loads(drop(edited.text, PATH)) == tomllib.loads(text)


def test_what_leaves_no_place_is_refused() -> None:
    """An inline table cannot be continued, and is not rewritten."""
    with pytest.raises(TypeError, match="no table can be added"):
        add(Insertions("mcp_servers = { other = { command = 'x' } }\n"), PATH, VALUE)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a = 1\n\n[mcp_servers.holdfast]\ncommand = 'x'\n", "a = 1\n"),
        ("[mcp_servers.holdfast]\ncommand = 'x'\n\n# theirs\n[b]\nc = 1\n", "\n# theirs\n[b]\nc = 1\n"),
        (
            '[ mcp_servers . "holdfast" ] # x\ncommand = "x"\nargs = [\n "a",\n]\n[mcp_servers.holdfast.env]\nA = 1\n',
            "",
        ),
        ("[a]\nb = 1\n[mcp_servers.holdfast]\ncommand = 'x'\n[c]\nd = 2\n", "[a]\nb = 1\n[c]\nd = 2\n"),
        ("mcp_servers = { holdfast = { command = 'x' } }\nz = 1\n", "mcp_servers = {  }\nz = 1\n"),
        ("[mcp_servers]\nother.command = 'o'\nholdfast.command = 'x'\n", "[mcp_servers]\nother.command = 'o'\n"),
    ],
)
def test_our_table_is_taken_out_however_it_is_written(text, left) -> None:
    """With its sub-tables and in any spelling; what stands before and behind it stays as it is."""
    assert drop(text, PATH) == left


def test_a_text_without_ours_is_left_alone() -> None:
    """Where there is nothing of ours, nothing is changed."""
    text = "[mcp_servers.other]\ncommand='x'"
    assert drop(text, PATH) == text


def test_what_is_no_toml_is_told_with_its_line() -> None:
    """A broken text is an error that names the line."""
    with pytest.raises(NotToml) as told:
        parse("a = 1\nb = \n")
    assert told.value.line == 2
