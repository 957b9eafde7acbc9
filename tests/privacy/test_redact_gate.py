"""The gate says no only where redaction would find nothing."""

from __future__ import annotations

import json

import fake_secrets
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import privacy
from holdfast.privacy import redact, redact_gate, secret_patterns
from support.sampling import count, some

ROWS = fake_secrets.read("fake_secrets.jsonl")
ORDINARY = fake_secrets.read("ordinary_text.jsonl")
ASCII = st.characters(max_codepoint=127)
# Put together at run time, so that no scanner takes this file for a leak.
GLUE = (
    *("ghp_" + "a1B2c3D4e5F6" * 3, "a1b2c3d4e5f6" * 3, "A1B2C3D4E5F6G7H8I9", "12345678", "hunter2x", "hunter!two"),
    *("password", "pass", "PASS", "Pwd", "pw", "token", "toKEN", "secret", "api_key", "key", "credential", "mnemonic"),
    *("s", "str", "_staging", "=", "==", ": ", ",", '"', "'", "\\", "\n", " ", ";", "&", ".", "/", "1", "\x1c", "-"),
    *("is ", " as the ", " as ", "://", "a:", "@h", "sk-", "eyJ", "Bearer ", "Authorization: ", "AKIA", "SK", "glpat-"),
    *("gl", "hv", "s.", "-us12", ":AA", "Q~", " -u ", "-user ", " login -p ", "mysql -u root -p", "sig=", "pat"),
    *("<private>", "< PRIVATE >", "<pr\u0131vate>", "</private>", "[redacted:x]", "-----BEGIN PRIVATE " + "KEY-----"),
    *("\u0130", "\u0131", "\u017f", "\u212a", "\u2192", "\u00e9", "\u00a0", "\u0663", "\ud800", "\U0001f511"),
)


def assert_no_secret_is_let_through(texts: list[str]) -> None:
    suspects = redact_gate.suspects(texts)
    let_through = [text for place, text in enumerate(texts) if place not in suspects and redact.redact(text)[1]]
    assert let_through == []


def test_every_known_secret_is_suspect() -> None:
    """Each text of the list in which redaction finds a secret is named, alone and among others."""
    texts = [row["text"] for row in [*ROWS, *ORDINARY]]
    assert_no_secret_is_let_through(texts)
    for text in some(texts[:720], 240):
        assert_no_secret_is_let_through([text])


@pytest.mark.parametrize("change", [json.dumps, str.upper, lambda text: f"→ {text}\u00a0", lambda text: text * 2])
def test_secrets_in_other_surroundings_are_suspect(change) -> None:
    """Escapes, capitals, letters of other scripts and repetition hide nothing that redaction would find."""
    assert_no_secret_is_let_through([change(row["text"]) for row in ROWS])


def test_ordinary_text_passes() -> None:
    """Of a hundred ordinary texts, also about passwords and tokens, at most one needs a closer look."""
    texts = [row["text"] for row in ORDINARY]
    assert len(redact_gate.suspects(texts)) <= len(texts) / 100


@settings(max_examples=count(600, 50))
@given(st.lists(st.lists(st.one_of(st.sampled_from(GLUE), st.text(max_size=5)), max_size=14).map("".join), max_size=6))
def test_whatever_the_text_no_secret_is_let_through(texts: list[str]) -> None:
    """Texts put together from pieces of secrets, from names and from anything else are judged as redaction does."""
    assert_no_secret_is_let_through(texts)


@settings(max_examples=count(300, 40))
@given(st.sampled_from(ROWS), st.text(max_size=40), st.text(max_size=40), st.integers(0, 3))
def test_a_planted_secret_is_suspect(row: dict[str, str], before: str, behind: str, others: int) -> None:
    """A secret between any two texts, at an even or an odd place, is seen."""
    assert_no_secret_is_let_through([*["no"] * others, before + row["text"] + behind])


def opens(text: str, at: int, beginning: str) -> bool:
    """Whether the gate leads to this beginning at this place of the text."""
    joined = b"\n\n" + text.encode("ascii", "replace") + b"\n" * 40
    pairs = redact_gate._pairs(joined)
    ways = [(pair - way.back - 2, way) for pair, possible in pairs for way in ways_of(joined, pair, possible)]
    return any(start == at and way.lowered == beginning.lower().encode() for start, way in ways)


def ways_of(joined: bytes, pair: int, possible: int) -> list[redact_gate._Way]:
    ways = redact_gate._ways(joined[pair : pair + 2], possible)
    starts = [(pair - way.back, way) for way in ways]
    return [
        way
        for start, way in starts
        if joined[start - 1] in way.before and joined[start + len(way.lowered)] in way.behind
    ]


@pytest.mark.parametrize("row", [*privacy.TOKENS, *privacy.PHRASES], ids=lambda row: f"{row[0]} {row[1][0].strip()}")
@settings(max_examples=count(60, 2))
@given(data=st.data())
def test_whatever_a_pattern_matches_opens_its_gate(row: tuple[str, tuple[str, ...], str], data: st.DataObject) -> None:
    """Each row of the tables finds its way by what it begins with, so that a forgotten one is seen here."""
    _, beginnings, source = row
    text = data.draw(st.from_regex(source.replace("}+", "}"), alphabet=ASCII))
    for beginning in beginnings:
        lowered = text.lower() if source.startswith("(?i)") else text
        at = lowered.find(beginning)
        if at >= 0 and secret_patterns.pattern(source).match(text, at):
            assert opens(text, at, beginning)


@pytest.mark.parametrize(("word", "kind"), privacy.WORDS)
@settings(max_examples=count(40, 2))
@given(data=st.data())
def test_whatever_follows_a_name_opens_its_gate(word: str, kind: str, data: st.DataObject) -> None:
    """A name in any case, with anything behind it that a value may come after, is seen."""
    before = (
        data.draw(st.from_regex(secret_patterns.KEY_OF))
        if kind == "api-key"
        else data.draw(st.sampled_from(["", "my_"]))
    )
    name = data.draw(st.sampled_from([word, word.upper(), word.title(), word.swapcase(), word[0] + word[1:].upper()]))
    behind = data.draw(st.from_regex(secret_patterns.ASSIGNED.replace("(?x)", r"(?x)\A").replace("}+", "}")))
    before = before.removesuffix("\n")
    assert opens(before + name + behind, len(before), word)


def test_nothing_gives_nothing() -> None:
    """No texts, and empty ones, hold no secret."""
    assert redact_gate.suspects([]) == set()
    assert redact_gate.suspects(["", "", ""]) == set()


def test_every_beginning_is_one_that_the_gate_can_see() -> None:
    """The gate reads what is not ASCII as one letter: a beginning with another one would pass a sweep by."""
    assert all(one.isascii() for _, beginnings, _ in (*privacy.PHRASES, *privacy.TOKENS) for one in beginnings)
