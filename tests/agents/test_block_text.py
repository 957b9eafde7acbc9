"""The block of ours in a text of the person's."""

from __future__ import annotations

import pytest

from holdfast.agents.editing.blocks import BEGIN, END
from holdfast.agents.editing.blocks import drop_memories as drop
from holdfast.agents.editing.blocks import put_memories as put


@pytest.mark.parametrize("text", ["", "a\n", "a", "a\n\n", "a\r\nb\r\n", "\n", "a\n\nb"])
def test_the_text_comes_back_byte_for_byte(text) -> None:
    """Put in, changed and taken out, the block leaves the text as it was, its last line included."""
    once = put(text, "one\ntwo\n")
    assert BEGIN in once and "two" in once and once.startswith(text)
    twice = put(once, "three")
    assert "two" not in twice and "three" in twice and twice.count(BEGIN) == 1
    assert drop(twice) == text
    assert drop(text) == text


def test_what_stands_around_the_block_stays() -> None:
    """Text that the person wrote below the block is not touched."""
    text = put("above\n", "ours") + "\nbelow\n"
    assert drop(text) == "above\n\n\nbelow\n"
    assert put(text, "new").endswith(f"new\n{END}\n\nbelow\n")


def test_markers_without_a_partner_are_left_alone() -> None:
    """A stray begin or end takes no text of the person's with it, and the block is still found."""
    assert drop(f"a\n{BEGIN}\nmine\n") == f"a\n{BEGIN}\nmine\n"
    stray = f"{END}\na\n{BEGIN}\nmine\n"
    assert drop(put(stray, "ours")) == stray
    assert put(put(stray, "ours"), "ours") == put(stray, "ours")


@pytest.mark.parametrize(
    "text",
    [
        f"Our block begins with `{BEGIN}` and ends with `{END}`.\n",
        f"An example:\n\n```markdown\n{BEGIN}\nmine\n{END}\n```\n",
    ],
)
def test_markers_that_the_person_tells_of_are_theirs(text) -> None:
    """A sentence or an example with the two markers is not taken for the block, nor is anything between them."""
    assert drop(text) == text
    once = put(text, "ours")
    assert once.startswith(text) and put(once, "new").startswith(text) and drop(put(once, "new")) == text


def test_a_fence_within_the_block_does_not_hide_it() -> None:
    """Whatever the block says, it is found again and written once."""
    text = put("above\n", "ours\n```\ncode") + "```\nbelow\n```\n"
    again = put(text, "new")
    assert again.count(BEGIN) == 1 and "ours" not in again and again.endswith("```\nbelow\n```\n")
