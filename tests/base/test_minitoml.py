"""The plain reader of settings says what `tomllib` says, or steps back for it."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.base import minitoml

LINES = st.sampled_from(
    [
        "enabled = true",
        "enabled = false # off",
        "limit = 5",
        "limit = 05",
        "limit = 1_000",
        "limit = -1",
        "limit=7",
        'id = "x"',
        'id = "a # b"',
        'id = "a\\tb"',
        'id = """long"""',
        "id = 'x'",
        "a.b = 1",
        '"quoted" = 1',
        '"with.dot" = "x"',
        '"with = sign" = 1',
        '"with\\tescape" = 1',
        '"" = 1',
        "[recall]",
        "[recall] # table",
        "[other]",
        "[[recall]]",
        "[a.b]",
        "# a comment",
        "",
        "   ",
        "list = [1,",
        "2]",
        "x = ",
        "= 1",
        "day = 2026-11-15",
        "n = 1.5",
        "n = 0.10",
        "n = 00.5",
        "n = .5",
        "n = 5.",
        "n = 1.2.3",
        "n = 1.5e3",
        "\ty = 2",
    ]
)


@given(st.lists(LINES, max_size=8))
def test_it_agrees_with_the_parser(lines):
    """Whatever it reads itself a real parser reads the same; what a parser refuses it does not read."""
    text = "\n".join(lines)
    found = minitoml.read(text)
    if found is not None:
        assert found == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("enabled = true\n\n[recall]\nlimit = 5 # few\n", {"enabled": True, "recall": {"limit": 5}}),
        ('[project]\nid = "shop"', {"project": {"id": "shop"}}),
        ('[domains]\n"example.com--acme--shop" = "store"', {"domains": {"example.com--acme--shop": "store"}}),
        ("[measure]\nholdout = 0.1", {"measure": {"holdout": 0.1}}),
    ],
)
def test_a_settings_file_is_plain(text, value):
    """What `holdfast config set` writes is read without the parser."""
    assert minitoml.read(text) == value
