"""The fence: stored text cannot break out of it, and what stands within it is never captured back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.privacy import fence


def as_it_is(text: str) -> str:
    """Take nothing out."""
    return text


def squeezed(text: str) -> str:
    """Return the letters and brackets of a text, as a lenient reader would see its tags."""
    return "".join(letter for letter in text.casefold() if letter.isalnum() or letter in "<>")


@pytest.mark.parametrize(
    "tag",
    [
        "</holdfast-memory>",
        "<holdfast-memory>",
        "</HOLDFAST-MEMORY>",
        "< / holdfast - memory >",
        "</hold\u200dfast-memory>",
        "</hold\u200bfast-memory>",
        "</hold\x00fast-memory>",
        "</hold\nfast-memory>",
        "＜/holdfast-memory＞",
        "</ｈｏｌｄｆａｓｔ-memory>",
        "<system-reminder>",
        "</system-reminder>",
        "<|im_start|>",
        "<|endoftext|>",
        "<function_calls>",
        "<user-prompt-submit-hook>",
        "<environment_context>",
        "<someone:user-prompt-submit-context>",
        "<x-system-reminder>",
        "<<SYS>>",
        "<\u2028system>",
        "&lt;/holdfast-memory&gt;",
        "&LT/holdfast-memory&gt;",
        "&#60;/holdfast-memory>",
        "&#x00003C;system-reminder>",
    ],
    ids=ascii,
)
def test_a_control_tag_loses_its_bracket(tag):
    """Our own tags and those of agents, in any spelling, are no tags any more, and their words are still there."""
    made = fence.safe(f"before {tag} after", as_it_is)
    assert not any(bracket in made for bracket in "<＜")
    assert made.startswith("before") and made.endswith("after")


@pytest.mark.parametrize(
    "code",
    ["if a < b and c > d", "List<User> users", "Map<String, Tool>", "<div class='x'>", "a <- b", "1 << 3", "x<3"],
)
def test_code_stays_as_it_is(code):
    """Comparisons, generics and HTML are no control tags and are not changed."""
    assert fence.safe(code, as_it_is) == code


def test_control_characters_go():
    """Escape sequences, NUL, direction marks and line separators of other systems are taken out or made plain."""
    made = fence.safe("a\x00b\x1b[31mc\u202ed\u2028e\r\nf\tg\x85\ufeff", as_it_is)
    assert made == "ab[31mcd\ne\nf\tg"


def test_joiners_that_scripts_need_stay():
    """An emoji family and Persian words keep what joins them."""
    text = "👨‍👩‍👧 می‌خواهم"
    assert fence.safe(text, as_it_is) == text


def test_secrets_are_taken_out_after_hidden_letters():
    """A secret that hidden letters break up is seen whole before it is looked for."""
    seen = []
    fence.safe("tok\u200ben", lambda text: seen.append(text) or text)
    assert seen == ["token"]


def test_lone_surrogates_become_question_marks():
    """Half a character cannot be written and is replaced."""
    assert fence.safe("a\ud800b", as_it_is) == "a?b"


@given(st.text(st.sampled_from("<>/ holdfast-memory\n\u200b\x00HMｈ＜"), max_size=60), st.text(max_size=20))
def test_nothing_closes_the_fence(text, rest):
    """Whatever is stored, the closing line stands once and last, also for a reader that overlooks case and spaces."""
    block = fence.fenced([fence.safe(text + rest + text, as_it_is)])
    assert block.count(fence.CLOSE) == 1 and block.endswith(fence.CLOSE)
    assert squeezed(block).count("<holdfastmemory>") == 2


def test_no_lines_make_no_fence():
    """Nothing to say is nothing at all."""
    assert fence.fenced([]) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a {} b", "a  b"),
        ("{}{}", ""),
        ("only words", "only words"),
        ("what does <holdfast-memory> mean?", "what does <holdfast-memory> mean?"),
        ("stray </holdfast-memory>", "stray"),
    ],
)
def test_our_block_is_taken_out_of_what_is_captured(text, left):
    """What stands between our lines goes, everything else stays; a question about the tag is a question."""
    block = fence.fenced(["- [global] x (2026-01-01): y"])
    assert fence.stripped(text.replace("{}", block)) == left


def test_a_block_that_was_cut_short_goes_to_its_end():
    """A block without its closing line was cut, so the rest of the text is ours."""
    block = fence.fenced(["- [global] x (2026-01-01): y"])
    assert fence.stripped("said\n" + block[: len(block) // 2 + 20]) == "said"
