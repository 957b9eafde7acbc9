"""Markdown as blocks: what belongs together stays together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.exchange.blocks import blocks, without_comments


def told(text: str) -> list[tuple[str, str]]:
    """Return kind and text of each block."""
    return [(block.kind, block.text) for block in blocks(text.split("\n"))]


def test_kinds() -> None:
    """Headings of both kinds, paragraphs, items and tables are told apart; a rule is none of them."""
    text = "# One #\n\nTwo\n===\n\ntext\nmore\n\n---\n\n- item\n2. second\n\n| a |\n|---|\n"
    assert told(text) == [
        ("heading", "One"),
        ("heading", "Two"),
        ("text", "text\nmore"),
        ("item", "item"),
        ("item", "second"),
        ("table", "| a |\n|---|"),
    ]


def test_an_item_keeps_what_is_nested_in_it() -> None:
    """Nested items, indented paragraphs and lazy lines belong to their item; the next one of its level does not."""
    text = "- first\n  goes on\nand on\n  - nested\n    deeper\n\n  its paragraph\n- second"
    assert told(text) == [("item", "first\ngoes on\nand on\n- nested\n  deeper\n\nits paragraph"), ("item", "second")]


def test_code_stays_with_its_text() -> None:
    """A fenced block belongs to the paragraph or item before it, and nothing in it is taken for structure."""
    text = "Run:\n\n```sh\n# no heading\n- no item\n\n<!-- kept -->\n```\n\n- item\n  ~~~\n  ```\n  ~~~\n\nafter"
    assert told(text) == [
        ("text", "Run:\n\n```sh\n# no heading\n- no item\n\n<!-- kept -->\n```"),
        ("item", "item\n~~~\n```\n~~~"),
        ("text", "after"),
    ]


def test_lines_are_those_of_the_file() -> None:
    """Each block knows the line of the file where it begins, comments or not."""
    found = blocks(["a", "", "<!-- x", "- y", "-->", "- b"], first=5)
    assert [(block.line, block.text) for block in found] == [(5, "a"), (10, "b")]


def test_comments_are_no_text() -> None:
    """Comments go, within a line and over several, and what stands beside them stays."""
    assert without_comments(["a <!-- b --> c", "<!-- d", "e", "--> f", "<!-- open", "g"]) == [
        "a  c",
        "",
        "",
        " f",
        "",
        "",
    ]


def test_listed_items_keep_their_numbers() -> None:
    """An item as it stands in a list has its number or a hyphen, and its own lines stand in."""
    found = blocks(["1) one", "   more", "* two"])
    assert [block.listed for block in found] == ["1) one\n  more", "- two"]
    assert [block.is_ordered for block in found] == [True, False]


@given(st.text(alphabet="#-*=`~|<!> \t1.)ab\n", max_size=200))
def test_any_text_is_cut(text: str) -> None:
    """Whatever the text, its blocks come in order of their lines and lose no letter outside comments."""
    found = blocks(text.split("\n"))
    assert [block.line for block in found] == sorted(block.line for block in found)
    if "<!--" not in text:
        kept = "".join(block.text for block in found)
        assert kept.count("a") == text.count("a") and kept.count("b") == text.count("b")
