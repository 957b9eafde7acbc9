"""Lists that a person asks to remember: what announces one, and what its items say."""

from __future__ import annotations

import pytest

from holdfast.continuity import asks, messages
from holdfast.language import triggers
from holdfast.language.lists_to_keep import items_of


def kept(text: str) -> list[str]:
    """Return what a message asks to remember, item by item."""
    wanted = [one for one in triggers.scan(text) if one.kind == "remember"]
    return [item for one in wanted for item in items_of(messages.whole(text, one.text, one.statement))]


@pytest.mark.parametrize(
    ("head", "signs"),
    [
        ("Merk dir bitte vier Dinge:", ("- ", "- ")),
        ("five things to remember:", ("1. ", "2. ")),
        ("Please keep in mind:", ("* ", "* ")),
        ("Folgendes bitte dauerhaft merken:", ("1) ", "2) ")),
        ("a couple of points you should remember:", ("• ", "• ")),
        ("recuerda estas dos reglas:", ("- ", "- ")),
        ("souviens-toi de ces points :", ("- ", "- ")),
        ("remember:", ("- ", "- ")),
    ],
)
def test_what_announces_a_list_is_told_in_whatever_order_of_its_words(head, signs):
    """A sentence that asks to keep something and says nothing else takes the list behind it, blank line or not."""
    items = ["queue = jobs-4", "never deploy without Ida"]
    listed = "\n".join(sign + item for sign, item in zip(signs, items, strict=True))
    assert kept(f"{head}\n{listed}") == kept(f"{head}\n\n{listed}") == items
    assert not asks.focus_of(f"{head}\n{listed}", f"{head}\n{listed}", triggers.scan(f"{head}\n{listed}"))


def test_several_things_of_one_line_are_apart():
    """Numbers within a line and a second "remember" part what is to be remembered."""
    assert kept("add to memory: 1) two approvals 2) no squash 3) tags are signed") == [
        "two approvals",
        "no squash",
        "tags are signed",
    ]
    assert kept("remember: four spaces. remember: no semicolons.") == ["four spaces.", "no semicolons."]


@pytest.mark.parametrize(
    "listed",
    [
        "- only from main\n- but tag first",
        "- for releases:\n  - tag first\n  - then build",
        "- bun\n- strict mode everywhere",
    ],
)
def test_a_list_whose_items_lean_on_each_other_stays_whole(listed):
    """Nothing is lost, and no item becomes a memory that says nothing alone."""
    assert kept(f"remember:\n{listed}") == [listed]


def test_who_remembers_something_does_not_ask_to_keep_it():
    """ "I remember these:" tells of the person's own memory."""
    assert kept("I remember the following things:\n- the old build was slow\n- nobody liked it") == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            "- 8080 is the api port\n- 9090 is the port of metrics",
            ["8080 is the api port", "9090 is the port of metrics"],
        ),
        ("1. 3.11 is the oldest Python\n2) tests run in CI", ["3.11 is the oldest Python", "tests run in CI"]),
        ("8080 is the api port\n9090 is the port of metrics", ["8080 is the api port\n9090 is the port of metrics"]),
        ("- the first item is one\nand this is none", ["- the first item is one\nand this is none"]),
    ],
)
def test_the_items_of_a_list_lose_their_bullets_alone(text, items):
    """A number that belongs to what an item says stays, and a text that is no list stays whole."""
    assert items_of(text) == items
