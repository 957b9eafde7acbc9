"""Blocks keep their budget, give each scope its share, and say what they left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.inject import block
from holdfast.inject.block import SHARES, start_block
from holdfast.privacy import fence
from holdfast.records import Hit, Memory, Part, Scope


def as_it_is(text: str) -> str:
    """Take nothing out."""
    return text


def memory(key: str, body: str = "", kind: str = "project", **more: object) -> Memory:
    """Return a memory of a scope."""
    owner = "" if kind == "global" else "x"
    told = {"title": body[:20], "updated": "2026-11-15T00:00:00Z", **more}
    return Memory(key, Scope(kind, owner), body=body or f"Statement of {key}.", **told)


def test_scopes_stand_in_their_order():
    """Session, project, agent, global: the narrowest comes first."""
    by_scope = {kind: [memory(f"of-{kind}", kind=kind)] for kind in ("global", "agent", "project", "session")}
    keys = [given.key for given in start_block(by_scope, clean=as_it_is).given]
    assert keys == ["of-session", "of-project", "of-agent", "of-global"]


def test_nothing_to_give_is_no_block():
    """Without memories there is no text, not even a fence."""
    assert start_block({}, clean=as_it_is).text == ""
    assert start_block({"project": []}, clean=as_it_is).text == ""


def test_an_oversized_memory_is_cut_and_does_not_silence_its_scope():
    """A memory longer than its scope's whole share is cut, and the next one of the scope is still given."""
    made = start_block({"project": [memory("huge", "word " * 5_000), memory("small")]}, clean=as_it_is)
    assert [given.key for given in made.given] == ["huge", "small"]
    assert " [...]" in made.text and len(made.text) <= 3_000


def test_what_one_scope_does_not_use_no_other_gets():
    """The lines of a scope are the same, byte for byte, whatever another scope has."""
    project = [memory(f"m-{n}", f"Statement number {n} of the project, with some words.") for n in range(60)]
    alone = start_block({"project": project}, clean=as_it_is)
    beside = start_block({"project": project, "global": [memory("g", kind="global")]}, clean=as_it_is)
    assert set(alone.text.split("\n")) <= set(beside.text.split("\n"))
    room = 3_000 - fence.OVERHEAD
    assert len(alone.text) - fence.OVERHEAD <= room * SHARES["project"]


def test_what_found_no_room_is_named():
    """A memory that did not fit is left out by name and reason, and a long list of them is summed up."""
    made = start_block({"global": [memory(f"m-{n}", "x" * 300, "global") for n in range(40)]}, clean=as_it_is)
    assert made.left_out[0][1] == "no room"
    assert made.left_out[-1][0].endswith(" more") and len(made.left_out) == 21
    assert len(made.given) + 20 + int(made.left_out[-1][0].split()[0]) == 40


@given(
    st.lists(st.tuples(st.sampled_from(sorted(SHARES)), st.text(min_size=1, max_size=900)), max_size=25),
    st.integers(400, 4_000),
)
def test_the_budget_holds(said, budget):
    """Whatever is stored, the block with its fence is never longer than the budget."""
    by_scope: dict[str, list[Memory]] = {}
    for number, (kind, body) in enumerate(said):
        by_scope.setdefault(kind, []).append(memory(f"m-{number}", body, kind))
    made = start_block(by_scope, budget, clean=as_it_is)
    assert len(made.text) <= budget


def test_parts_stand_in_one_fence():
    """Several parts make one block with one fence and all that was given; empty ones make none."""
    first, second = block.Block("- one", left_out=(("x", "no room"),)), block.Block("- two")
    made = block.fenced(first, block.Block(""), second)
    assert made.text.split("\n") == [fence.OPEN, fence.LABEL, "- one", "- two", fence.CLOSE]
    assert made.left_out == (("x", "no room"),)
    assert block.fenced(block.Block("")).text == ""


def test_who_says_so_is_told():
    """A statement that no person made is labelled as what it is."""
    made = start_block({"global": [memory("a", "x", "global", trust="import")]}, clean=as_it_is)
    assert "[global, imported] a (2026-11-15)" in made.text


def test_a_title_is_told_only_where_the_statement_lacks_it():
    """A title that repeats the first sentence is not repeated."""
    assert block.statement_of(memory("a", "Deploys need the VPN. Ask Kim.", title="Deploys need the VPN")) == (
        "Deploys need the VPN. Ask Kim."
    )
    assert block.statement_of(memory("a", "Ask Kim.", title="Deploys")) == "Deploys\nAsk Kim."


def test_further_lines_are_indented():
    """A statement of several lines stays one entry: no line of it begins where an entry does."""
    made = start_block({"global": [memory("a", "one\n- two\n\nthree", "global")]}, clean=as_it_is)
    assert [line[:2] for line in made.text.split("\n")[2:-1]] == ["- ", "  ", "  "]


def test_a_hit_tells_why_it_is_given():
    """For a hit the reason is what ranked it; for a pinned memory that it is pinned."""
    parts = (Part("recency", 1.0, 0.1, "updated 2 days ago"), Part("words", 0.0, 0.4, "none of the words"))
    hit = Hit(memory("a", pinned=True), 0.5, parts)
    assert start_block({"project": [hit]}, clean=as_it_is).given[0].why == "pinned, updated 2 days ago"


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2)])
def test_tokens_are_told_by_length(text, tokens):
    """Four characters are about one token."""
    assert block.tokens_of(text) == tokens
