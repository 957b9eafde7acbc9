"""The check boxes of a page: which of them count, and which lines belong to one."""

from __future__ import annotations

import time

import pytest

from holdfast.continuity.check_boxes import Boxes, Lines


def found(text: str) -> list[str]:
    """Return what the boxes of a text say."""
    return [todo.text for todo in Boxes(text).todos]


@pytest.mark.parametrize(
    "below",
    [
        "  nested text",
        "\n  a paragraph",
        "\n\n\t- [ ] nested",
        "lazy text",
        "1) [x] nested".rjust(16),
        "  <!-- note -->",
        "  > quoted",
        "<https://example.com/a>",
        "| a | b |",
        "2026 was good",
        "#tag",
        "**bold** text",
    ],
)
def test_lines_that_belong_to_a_box(below) -> None:
    """What is nested, also behind an empty line, and text that goes on unindented belong to the box above."""
    boxes = Boxes(f"- [ ] box\n{below}\n")
    assert boxes.has_more_below(boxes.todos[0])


@pytest.mark.parametrize(
    "below",
    [
        "",
        "- [ ] next",
        "* item",
        "-",
        "12. [ ] numbered",
        "# Heading",
        "---",
        "* * *",
        "```\ncode\n```",
        "<!-- note -->",
        "</details>",
        "> quote",
        "\ntext",
        "\n\n- [ ] next\n  its own",
    ],
)
def test_lines_that_do_not(below) -> None:
    """Another item, heading, rule, quote, code or comment, and a new paragraph, belong to no box above them."""
    boxes = Boxes(f"- [ ] box\n{below}\n")
    assert not boxes.has_more_below(boxes.todos[0])


@pytest.mark.parametrize(
    ("text", "belongs"),
    [
        ("> - [ ] box\n>   more\n", True),
        ("> - [ ] box\n>\n>   more\n", True),
        ("> - [ ] box\nlazy\n", True),
        ("> - [ ] box\n>   > deeper\n", True),
        ("> - [ ] box\n> - [ ] next\n", False),
        ("> - [ ] box\n\ntext\n", False),
        ("> - [ ] box\n> > other\n", False),
        ("\ufeff- [ ] box\n- [ ] next\n", False),
        ("1. [ ] box\r\n\r\n   more\r\n", True),
        ("- [ ] box\r\nlazy", True),
    ],
)
def test_quotes_and_other_endings(text, belongs) -> None:
    """The same holds within a quote, behind a byte order mark and with other line ends."""
    boxes = Boxes(text)
    assert boxes.has_more_below(boxes.todos[0]) is belongs


def test_a_nested_box_that_was_taken_out_belongs_no_longer() -> None:
    """When the lines below are taken out with it, a box is free; what follows then belongs to neither."""
    boxes = Boxes("- [ ] box\n  - [ ] nested\n- [ ] next\n")
    box, nested, _ = boxes.todos
    assert boxes.has_more_below(box)
    boxes.remove(nested)
    assert not boxes.has_more_below(box)


def test_a_box_in_a_comment_that_begins_within_a_line_does_not_count() -> None:
    """A comment hides what stands in it wherever it begins; a box before it in its line counts, and owns it."""
    text = (
        "Text <!-- start\n- [ ] hidden\n--> and <!-- more\n- [ ] hidden too\n-->\n- [ ] seen <!-- why\n- [ ] no\n-->\n"
    )
    assert found(text) == ["seen <!-- why"]
    boxes = Boxes(text)
    assert boxes.has_more_below(boxes.todos[0])
    assert found("<!-- one --> <!-- two\n- [ ] hidden\n-->\n- [ ] seen") == ["seen"]


@pytest.mark.parametrize(
    "line",
    [
        "Write `<!--` to begin one",
        "Write `` a ` <!-- `` so",
        "Escaped: \\<!-- here",
        "Whole: <!-- a --> and <!-- b -->",
        "```js <!-- ```",
    ],
)
def test_what_only_looks_like_a_comment_hides_nothing(line) -> None:
    """Code within a sentence, an escaped sign and a comment that ends in its line hide no box below."""
    assert found(f"{line}\n- [ ] seen\n\nA --> B\n") == ["seen"]


def test_a_cell_of_a_table_hides_no_row_below() -> None:
    """A sign in a cell ends with its row, so the rows and boxes below it count."""
    assert Lines("| a <!-- b |\n| c --> d |\n").hidden == [False, False]


def test_a_comment_within_a_line_that_never_ends_is_text() -> None:
    """Where no end follows, a sign in the middle of a line hides nothing and does not leave the page open."""
    lines = Lines("odd ` <!-- sign\n- [ ] seen\n")
    assert lines.hidden == [False, False] and lines.open_at == 0
    assert Lines("odd ` <!-- sign\n- [ ] hidden\n-->\n").hidden == [False, True, True]


def test_hostile_lines_take_no_time() -> None:
    """Half a megabyte of backticks or signs in one line or in many is read in seconds, also when every box is asked."""
    began = time.process_time()
    uneven = "".join("`" * length + "x" for length in range(1_000))
    for text in (uneven + "<!--", "<!--" * 120_000, "`<!--" * 100_000, "a <!--\n" * 70_000, "a <!-- -->\n" * 45_000):
        assert found(text + "\n- [ ] a\n-->") in ([], ["a"])
    boxes = Boxes("- [ ] a\n" * 25_000)
    assert not any(boxes.has_more_below(todo) for todo in boxes.todos)
    assert time.process_time() - began < 20
