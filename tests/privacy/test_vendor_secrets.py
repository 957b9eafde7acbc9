"""Secrets of every kind that scanners know, and of vendors that nobody knows, go; what only looks like them stays."""

from __future__ import annotations

import collections

import pytest
import vendor_secrets
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.privacy import redact, redact_gate, secret_begins, secret_patterns, secret_values
from support.sampling import count

ROWS = vendor_secrets.secrets(20261116, 1_000)
HARMLESS = vendor_secrets.harmless(20261116, 5_000)


def test_there_are_enough_kinds() -> None:
    """A thousand secrets are of more than a hundred kinds."""
    assert len({row["kind"] for row in ROWS}) > 100


def test_at_least_99_of_100_secrets_are_caught() -> None:
    """Of all kinds and surroundings together at least 99 % leave no piece of eight characters behind."""
    missed = [row["text"] for row in ROWS if vendor_secrets.is_left(row, redact.redact(row["text"])[0])]
    assert len(missed) <= 0.01 * len(ROWS), missed


def test_no_kind_is_missed_as_a_whole() -> None:
    """No kind hides behind the others: most of each are caught."""
    rows = vendor_secrets.secrets(1, 2_000)
    missed = collections.Counter(
        row["kind"] for row in rows if vendor_secrets.is_left(row, redact.redact(row["text"])[0])
    )
    assert not [kind for kind, times in missed.items() if times > 6], missed


def test_at_most_2_of_1000_harmless_texts_raise_an_alarm() -> None:
    """Digests, ids, integrity lines, images, names, flags, prose and code stay as they are."""
    changed = [text for text in HARMLESS if redact.redact(text) != (text, ())]
    assert len(changed) <= 0.002 * len(HARMLESS), changed[:10]


def test_neither_cheap_look_hides_a_secret(monkeypatch) -> None:
    """What redaction finds the gate of a sweep names, and without the look before the patterns no more is found."""
    texts = [*(row["text"] for row in ROWS), *HARMLESS]
    found = [redact.redact(text) for text in texts]
    suspects = redact_gate.suspects(texts)
    assert [text for place, text in enumerate(texts) if found[place][1] and place not in suspects] == []
    monkeypatch.setattr(redact, "may_begin", lambda text, at, beginning: True)
    monkeypatch.setattr(redact, "may_be_given", lambda text, at, kind: True)
    monkeypatch.setattr(redact, "may_be_token", lambda word: True)
    assert [redact.redact(text) for text in texts] == found


@settings(max_examples=count(2_000, 150))
@given(
    st.sampled_from(["tk", "acme_sk", "x-api", "sdk", "a_live"]),
    st.from_regex(r"\A[a-z0-9+/]{1,20}([-_.][a-z0-9]{1,20}){0,5}\Z"),
)
def test_no_token_of_lower_case_is_taken_for_a_name(name: str, rest: str) -> None:
    """The look at single words says no only where the rule for tokens finds nothing, however signs part the rest."""
    text = f"{name}_{rest}"
    places = [
        at
        for source in secret_begins.PREFIXED
        for at in (m.start() for m in secret_patterns.pattern(source).finditer(text))
    ]
    assert redact.may_be_token(text) or not any(secret_values.vendor_token(text, at) for at in places)


@pytest.mark.parametrize("end", [" and more", "", ".", '"', "\n"])
def test_only_the_token_of_an_unknown_vendor_goes(end: str) -> None:
    """A short name, a sign and a random rest is a token, whoever makes it; what stands around it stays."""
    value = "acme_" + "live_" + "x7Kq2mVb9TzR4wLp8NdY3sHf"
    assert redact.redact(f"use {value}{end}")[0] == f"use [redacted:vendor-token]{end}"


@pytest.mark.parametrize(("rest", "goes"), [("a1B2" * 9, True), ("x" * 36, False), ("0" * 36, False)])
def test_a_vendors_sign_is_enough_unless_a_stand_in_follows(rest: str, goes: bool) -> None:
    """Behind the sign of a known vendor few different characters are a token too; one that repeats stands for none."""
    text = "push with ghp_" + rest
    assert redact.redact(text)[0] == ("push with [redacted:github-token]" if goes else text)


@pytest.mark.parametrize("colour", ["\x1b[31m", "\x1b[1;31m", "\x1b[38;5;208m", "[31m"])
def test_a_terminals_colour_hides_no_token(colour: str) -> None:
    """A token directly behind the code for a colour goes, also in one case; the code stays."""
    token = "ghp_" + "7219be2f302806f4ff9c3c0567a7c6a1ca64"
    assert redact.redact(f"it is {colour}{token}\x1b[0m, not") == (
        f"it is {colour}[redacted:github-token]\x1b[0m, not",
        ("github-token",),
    )
