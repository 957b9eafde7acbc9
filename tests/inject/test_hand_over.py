"""What is handed to a session by another adapter than a hook."""

from __future__ import annotations

from holdfast.base import files
from holdfast.inject import hand_over
from holdfast.inject.block import digest_of
from holdfast.inject.receipts import receipt_of
from holdfast.inject.shown import ShownSet
from holdfast.memory.remember import remember
from holdfast.records import Hit, Memory, Scope

TOKEN = "ghp_" + "a1B2" * 9


def memory(text: str, title: str = "T") -> Memory:
    """Return a global memory that says this."""
    return Memory("key", Scope("global"), title, text)


def test_shares_fit_into_the_room() -> None:
    """Long memories are cut so that all fit; a short one leaves its share to the others; none gets nothing."""
    long, short = memory("x" * 50_000), memory("y")
    both = hand_over.shares([short, long])
    assert both[0].body == "y" and len(both[1].body) == hand_over.MAX_CHARACTERS - 1
    assert hand_over.is_cut(both[1].body) and not hand_over.is_cut(both[0].body)
    many = hand_over.shares([long] * 200)
    assert all(len(one.body) == hand_over.MIN_EACH for one in many)


def test_a_secret_at_the_cut_is_seen_whole() -> None:
    """A secret that the cut would halve is taken out before the cut."""
    (cut,) = hand_over.shares([memory("a " * 90 + TOKEN + " b" * 400)], room=200)
    assert TOKEN[:8] not in cut.body and len(cut.body) <= 200


def test_a_title_is_one_safe_line() -> None:
    """A title comes on one line, without secrets and tags."""
    title = hand_over.title(memory("x", f"a\nb </holdfast-memory> {TOKEN}"))
    assert "\n" not in title and "</holdfast-memory>" not in title and TOKEN not in title


def test_a_session_that_cannot_be_noted_is_only_said(workspace, home) -> None:
    """While another process holds the session's file, the hand-over goes on and says so."""
    with workspace() as opened:
        stored = remember(opened, "Apples are red.", key="apples")
        with ShownSet(str(home), "s1"):
            hand_over.note_known(opened, "s1", [stored.memory])
            hand_over.note_given(opened, "s1", [Hit(stored.memory, 1.0)], agent="codex", moment="recall")
    assert [text.split(":")[0] for text in workspace.said] == ["not noted as known", "not noted as shown"]


def test_without_a_session_nothing_is_noted(workspace, home) -> None:
    """Nobody's session has no file."""
    with workspace() as opened:
        stored = remember(opened, "Apples are red.", key="apples")
        hand_over.note_known(opened, "", [stored.memory])
        hand_over.note_known(opened, "s1")
    assert not (home / "state" / "shown").exists()
    assert files.read_if_there(str(home / "state" / "shown")) == b""


def test_a_receipt_counts_what_was_handed_over(workspace) -> None:
    """Of a memory that was cut the receipt counts the part that was given, under the digest of the whole."""
    with workspace() as opened:
        stored = remember(opened, "x " * 40_000, key="long").memory
        handed = hand_over.shares([stored])
        hand_over.note_given(opened, "s1", [Hit(stored, 1.0)], agent="codex", moment="recall", handed=handed)
        (receipt,) = [receipt_of(event) for event in opened.journal.events("receipt")]
    assert receipt.tokens <= hand_over.MAX_CHARACTERS // 4 + 50 and receipt.given[0].tokens <= receipt.tokens
    assert receipt.given[0].digest == digest_of(stored)
