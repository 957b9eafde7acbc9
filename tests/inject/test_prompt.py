"""What a prompt brings: changes first, then what is new, within its budget."""

from __future__ import annotations

import pytest

from holdfast.inject import prompt
from holdfast.inject.block import digest_of
from holdfast.inject.prompt import Changes, changes_of, prompt_block
from holdfast.inject.shown import FORGOTTEN, hidden
from holdfast.privacy import fence
from holdfast.records import Memory, Scope

GLOBAL = Scope("global")


def as_it_is(text: str) -> str:
    """Take nothing out."""
    return text


def memory(key: str, body: str = "It is so.") -> Memory:
    """Return a global memory."""
    return Memory(key, GLOBAL, title="", body=body, updated="2026-11-15T00:00:00Z")


def test_what_stayed_the_same_is_no_change():
    """A shown memory that still says the same is not mentioned."""
    kept = memory("a")
    assert changes_of({("global", "", "a"): digest_of(kept)}, {("global", "", "a"): kept}) == Changes()


def test_changed_and_gone_are_told_apart():
    """Another statement is a change, a memory that is not there is gone, and one that was told as gone stays quiet."""
    shown = {("global", "", "a"): "old", ("global", "", "b"): "x", ("global", "", "c"): FORGOTTEN}
    found = changes_of(shown, {("global", "", "a"): memory("a")})
    assert [each.key for each in found.changed] == ["a"]
    assert found.gone == ((GLOBAL, "b"),)


def test_changes_stand_before_what_is_new():
    """A prompt's block names what went, then what changed, then what is relevant."""
    changes = Changes((memory("changed", "It is so now."),), ((GLOBAL, "gone"),))
    made = prompt_block(changes, [(memory("new", "It is new."), "relevance 0.80")], 1_200, clean=as_it_is)
    assert [line.text for line in made.lines if line.text.startswith("forgotten")] == [
        "forgotten: gone is no longer in memory; do not rely on it."
    ]
    assert made.text.index("- changed (changed): It is so now.") < made.text.index("- It is new.")
    assert {given.key for given in made.given} == {hidden("gone"), "changed", "new"}


@pytest.mark.parametrize(
    ("key", "told"),
    [("use-pnpm-never-npm", 'what began "use pnpm never npm"'), ("m-9b98f0", "something told (m-9b98f0)")],
)
def test_what_is_forgotten_is_named_by_its_words(key, told):
    """A block has no keys, so an agent knows what is gone by its first words, of which most keys are made."""
    made = prompt_block(Changes((), ((GLOBAL, key),)), [], 1_200, clean=as_it_is)
    assert f"- forgotten: {told} is no longer in memory" in made.text


def test_the_budget_of_a_prompt_holds():
    """Three long memories are cut to fit, and each is still given."""
    entries = [(memory(f"m-{n}", f"{n} " + "word " * 800), "relevance 0.80") for n in range(3)]
    made = prompt_block(Changes(), entries, 1_200, clean=as_it_is)
    assert len(made.text) <= 1_200 and len(made.given) == 3
    assert made.text.endswith(fence.CLOSE)


def test_nothing_to_say_is_nothing():
    """Without changes and without hits there is no block."""
    assert prompt_block(Changes(), [], 1_200, clean=as_it_is).text == ""


def test_what_was_gone_may_come_again():
    """A memory that was told as gone and is there again is new to the session."""
    assert prompt.is_new(memory("a"), {("global", "", "a"): FORGOTTEN})
    assert not prompt.is_new(memory("a"), {("global", "", "a"): "digest"})


def test_what_is_told_as_gone_is_on_the_receipt():
    """A note that a memory was forgotten costs tokens, so the receipt names it with its reason."""
    made = prompt_block(Changes(gone=((GLOBAL, "old-rule"),)), [], 1_200, clean=as_it_is)
    assert [(one.key, one.digest, one.why) for one in made.given] == [
        (hidden("old-rule"), FORGOTTEN, "forgotten since it was shown")
    ]
    assert made.given[0].tokens > 10
