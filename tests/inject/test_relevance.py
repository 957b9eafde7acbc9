"""The bar: it lets through what belongs to a prompt, and hardly anything else, on prompts that it was not chosen by."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest

from holdfast.inject import prompt as relevance
from holdfast.settings import BY_NAME

BENCH = runpy.run_path(str(Path(__file__).parent.parent.parent / "benchmarks" / "injection.py"))
BAR = int(BY_NAME["inject.relevance"].default) / 100


@pytest.mark.parametrize(
    ("name", "meaning", "among", "least"),
    [
        ("shop", True, False, 0.8),
        ("rover", True, False, 0.85),
        ("rover", False, False, 0.7),
        ("rover", True, True, 0.8),
    ],
)
def test_the_bar_tells_prompts_apart(name, meaning, among, least):
    """Most prompts bring their memory, and of those that have none hardly any brings something, also among many."""
    marks, size = BENCH["marks_of"](name, meaning, among)
    found = BENCH["figures"](marks, relevance.bar_among(BAR, size))
    assert found["brought"] >= least * found["should"]
    assert found["wrongly"] <= (0.1 if among else 0.05) * found["should_not"]
    assert found["besides"] <= 0.5 * found["should"]


@pytest.mark.parametrize(
    "prompt", ["yes, do it", "Continue.", "go on", "OK, next!", "thanks, that looks good", "  ", "👍"]
)
def test_a_reply_asks_for_nothing(prompt):
    """A prompt that only agrees, greets or goes on brings nothing."""
    assert not relevance.asks_something(prompt)


@pytest.mark.parametrize("prompt", ["VPN?", "fix CI", "yes, and deploy it", "継続", "go on with the parser"])
def test_a_prompt_with_one_word_of_its_own_asks(prompt):
    """One word that names something makes it a question."""
    assert relevance.asks_something(prompt)


def test_the_bar_rises_with_the_collection():
    """It is that of the setting for a few memories, and higher for thousands."""
    assert relevance.bar_among(0.4, 3) == relevance.bar_among(0.4, 50) == 0.4
    assert 0.4 < relevance.bar_among(0.4, 1_000) < relevance.bar_among(0.4, 100_000) < 0.6
    for size in (51, 10_000, 1_000_000):
        assert relevance.bar_among(0.4, size) == pytest.approx(0.4 + 0.02 * math.log(size / 50), abs=1e-7)


def test_one_everyday_word_is_not_enough():
    """A single shared word of a long prompt does not clear the bar, with a middling nearness or without any."""
    asked = ("line", "read", "folder", "open")
    assert relevance.mark(asked, 1.0, ("line",), None) < BAR
    assert relevance.mark(asked, 1.0, ("line",), 0.28) < BAR


def test_nearness_alone_is_enough():
    """A memory without a common word clears the bar by its meaning."""
    assert relevance.mark((), 0.0, (), 0.5) >= BAR


def test_shared_words_lift_what_is_near():
    """The more of the prompt's words a memory has, the higher its mark; words that nobody knows weaken it."""
    asked = ("deploy", "vpn", "kim")
    one = relevance.mark(asked, 1.0, ("vpn",), 0.3)
    three = relevance.mark(asked, 1.0, ("deploys", "vpn", "kim"), 0.3)
    assert 0.3 < one < three <= 0.3 + relevance.MAX_BY_WORDS
    assert relevance.mark(asked, 0.5, ("vpn",), 0.3) < one


def test_forms_of_one_word_count_once():
    """Two endings of one word are one word."""
    asked = ("deploy", "vpn")
    assert relevance.mark(asked, 1.0, ("deploys", "deployed"), None) == relevance.mark(asked, 1.0, ("deploys",), None)


def test_the_reason_is_told_in_words():
    """A receipt says how relevant it was and by which words."""
    assert relevance.why(0.512, ("vpn", "kim")) == "relevance 0.51, words vpn, kim"
