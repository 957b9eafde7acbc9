"""A digest as bytes, and back."""

from __future__ import annotations

import json

import pytest

from holdfast.records import Cost, Session, Spend, replace
from holdfast.sessions.digest import Digest
from holdfast.sessions.facts import decode, encode

from .making import SESSION, answer, digested, edited, human, ran

SPENDS = (Spend("2026-05-04", "claude-opus-4-5", Cost(10, 5)), Spend("2026-05-05", "", Cost(cache_read=7, dollars=0.5)))


def full() -> Digest:
    """Return a digest with something in every list."""
    session = replace(SESSION, cost=Cost(10, 5, 7, dollars=0.5), spends=SPENDS, beginning="u1", events=9)
    return digested(
        human("No, use tabs from now on."),
        edited("/home/ann/shop/a.py"),
        ran("pytest", "1 failed", failed=True),
        ran("git commit -m x && gh pr create", "[main 1234567] x\nhttps://git.example/a/b/pull/1"),
        answer(),
        human("thanks, perfect"),
        session=session,
    )


def test_a_digest_is_the_same_after_it_was_stored() -> None:
    """Every fact, the spends of the session among them, comes back as it was."""
    digest = full()
    assert digest.files and digest.commits and digest.troubles and digest.outcome.evidence
    assert decode(encode(digest)) == digest


def test_digests_of_other_versions_are_read() -> None:
    """What a newer version added is passed over, and what an older one did not know is empty."""
    told = json.loads(encode(full()))
    told |= {"mood": "good", "files": [{**one, "owner": "ann"} for one in told["files"]]}
    told["session"] |= {"colour": "red"}
    del told["left_out"], told["session"]["spends"]
    known = decode(json.dumps(told).encode())
    assert known == replace(full(), session=replace(full().session, spends=()))


@pytest.mark.parametrize(
    "change", [{"session": None}, {"tools": 7}, {"files": [{"changes": 1}]}, {"outcome": []}, {"asks": "many"}]
)
def test_what_is_no_digest_is_refused(change: dict[str, object]) -> None:
    """A field of another kind, or one that is missing, is an error that a caller can tell from others."""
    told = {**json.loads(encode(full())), **change}
    with pytest.raises(ValueError, match=r"."):
        decode(json.dumps(told).encode())


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_bytes_that_are_no_digest_are_refused(raw: bytes) -> None:
    """No bytes give anything but a digest or that error."""
    with pytest.raises(ValueError, match=r"."):
        decode(raw)


def test_a_path_that_is_no_text_can_be_stored() -> None:
    """The name of a file may have bytes that are no UTF-8; what cannot be written is a question mark."""
    digest = digested(human("hi"), session=replace(SESSION, source="/logs/\udcff.jsonl"))
    assert decode(encode(digest)).session.source == "/logs/?.jsonl"


def test_a_session_has_a_name() -> None:
    """A session is called by its agent and its id."""
    assert Session("some-agent", "s-1").name == "some-agent/s-1"
