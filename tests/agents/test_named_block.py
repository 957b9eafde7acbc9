"""Named blocks: a text without them is what it was, byte for byte, whatever it was."""

from __future__ import annotations

import random

import pytest

from holdfast.agents.editing import blocks as named_block

TEXTS = (
    "",
    "\n",
    "\n\n\n",
    "# Rules\n\nBe brief.\n",
    "# Rules without an end",
    "# Windows\r\n\r\nBe brief.\r\n",
    "# Windows without an end\r\nBe brief.",
    "mixed\r\nand\nmixed\n",
    "\ufeff# With a mark\n",
    "ends with blank lines\n\n\n",
    "<!-- holdfast:begin (x) -->\nmemories\n<!-- holdfast:end -->\n",
    "```\nan open fence\n",
    "naïve 漢字 😀\n",
)
BODY = "Run `make test`.\n\nNever `npm tst`."


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_without_its_block_is_what_it_was(text) -> None:
    """Put and drop give the same bytes back, and the block is found whole and untouched in between."""
    after = named_block.put(text, "aa", BODY)
    block = named_block.find(after, "aa")
    assert block is not None
    assert named_block.is_untouched(after, block, own=False)
    assert block.inner.replace("\r\n", "\n") == BODY
    assert named_block.drop(after, "aa") == text


@pytest.mark.parametrize("text", TEXTS)
def test_twice_is_once(text) -> None:
    """The same words put again change nothing, and other words replace them in their place."""
    once = named_block.put(text, "aa", BODY)
    assert named_block.put(once, "aa", BODY) == once
    other = named_block.put(once, "aa", "Other words.")
    assert [one.name for one in named_block.pattern_blocks(other)] == ["aa"]
    assert named_block.drop(other, "aa") == text


def test_several_come_and_go_in_any_order() -> None:
    """However blocks are put, renewed and dropped, at the end the text is what it was, and in between all are there."""
    chance = random.Random(7)
    for _ in range(600):
        text = first = chance.choice(TEXTS)
        there: set[str] = set()
        for _ in range(chance.randrange(1, 12)):
            name = chance.choice("abcd")
            if name in there and chance.random() < 0.6:
                text = named_block.drop(text, name)
                there.discard(name)
            else:
                text = named_block.put(text, name, chance.choice((BODY, "x", "two\nlines")))
                there.add(name)
            assert {one.name for one in named_block.pattern_blocks(text) if one.is_whole} == there
        for name in sorted(there, key=lambda one: chance.random()):
            text = named_block.drop(text, name)
        assert text == first


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("# Rules\n", "first\n# Rules\nlast\n"),
        ("# Rules\r\n", "first\r\n# Rules\r\nlast\r\n"),
        ("# Rules", "first\n# Rules\nlast\n"),
        ("", "first\nlast\n"),
    ],
)
def test_what_a_person_adds_around_a_block_stays(text, left) -> None:
    """Words before and behind the block are kept, and nothing of ours stays between them."""
    newline = "\r\n" if "\r\n" in text else "\n"
    after = named_block.put(text, "aa", BODY)
    behind = "" if after.endswith("\n") else newline
    lived_in = f"first{newline}{after}{behind}last{newline}"
    assert named_block.drop(lived_in, "aa") == left


def test_an_edit_by_hand_is_seen() -> None:
    """One changed letter within the block is told; a change of line ends alone is not."""
    after = named_block.put("# Rules\n", "aa", BODY)
    edited = after.replace("make test", "make tests")
    assert not named_block.is_untouched(edited, named_block.find(edited, "aa"), own=False)
    windows = after.replace("\n", "\r\n")
    assert named_block.is_untouched(windows, named_block.find(windows, "aa"), own=False)
    assert named_block.drop(windows, "aa") == "# Rules\r\n"


def test_a_block_without_its_end_is_left_alone() -> None:
    """Where the last line is missing nobody knows what is ours, so nothing is dropped."""
    after = named_block.put("# Rules\n", "aa", BODY)
    broken = after.replace("<!-- holdfast:pattern-end aa -->", "")
    assert [one.is_whole for one in named_block.pattern_blocks(broken)] == [False]
    assert named_block.drop(broken, "aa") == broken
    swallowing = named_block.put(broken, "bb", "x")
    assert [(one.name, one.is_whole) for one in named_block.pattern_blocks(swallowing)] == [("aa", False), ("bb", True)]


def test_a_mark_within_a_line_is_no_block() -> None:
    """Text that quotes our first line in the middle of a line has no block."""
    text = "we write `<!-- holdfast:pattern-begin aa 123 -->` there\n"
    assert named_block.pattern_blocks(text) == []


def test_a_file_of_our_own_is_known_as_a_whole() -> None:
    """A changed head or words behind the block are an edit of a file that is wholly ours."""
    text = named_block.whole("aa", "---\ninclusion: always\n---\n", BODY)
    block = named_block.find(text, "aa")
    assert named_block.is_untouched(text, block, own=True)
    for edited in (text.replace("always", "manual"), text + "more\n"):
        assert not named_block.is_untouched(edited, named_block.find(edited, "aa"), own=True)
