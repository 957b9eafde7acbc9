"""Texts made shorter: within their bound, between words where that is possible, with a mark at the end."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.base.text import CUT, DOTS, by_prefix, cut, ends_of, hash_of, one_line, sha256, with_capital
from holdfast.errors import BadInput, NotFound


@pytest.mark.parametrize(
    ("text", "most", "mark", "found"),
    [
        ("as it is", 8, "…", "as it is"),
        ("one two three", 9, "…", "one two…"),
        ("one two three", 8, "…", "one two…"),
        ("one two three", 7, "…", "one…"),
        ("a threehundred", 10, "…", "a threehu…"),
        ("one two three four", 12, DOTS, "one two ..."),
        ("one\ntwo three", 10, CUT, "one [...]"),
    ],
)
def test_a_text_is_cut_between_words(text, most, mark, found) -> None:
    """A word that does not fit whole is left out, unless that would leave less than half of the room."""
    assert cut(text, most, mark) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("deploys need the VPN", "Deploys need the VPN"),
        ("über alles wird geredet", "Über alles wird geredet"),
        ("don't do it", "Don't do it"),
        ("uv.lock is never edited", "uv.lock is never edited"),
        ("data/raw is untouchable", "data/raw is untouchable"),
        ("iOS comes first", "iOS comes first"),
        ("`npm test` it is", "`npm test` it is"),
        ("", ""),
    ],
)
def test_a_sentence_begins_with_a_capital_and_a_name_as_it_is(text, found) -> None:
    """A file of another case is another file, so the name of one is never written with a capital."""
    assert with_capital(text) == found


def test_no_part_of_a_word_is_left_where_whole_words_are_wanted() -> None:
    """Before redacting, the last word may be half a secret, so it is left out."""
    assert cut("token sk-ant-0123456789abcdef", 20, CUT, whole_words=True) == "token [...]"
    assert cut("0123456789abcdef", 10, CUT, whole_words=True) == "01 [...]"


@given(st.text(max_size=80), st.integers(min_value=6, max_value=60))
def test_a_cut_text_keeps_its_bound(text, most) -> None:
    """Whatever the text, what is left has at most so many characters and begins as the text does."""
    found = cut(text, most, CUT)
    assert len(found) <= most
    assert found == text or text.startswith(found.removesuffix(CUT))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a  b\n\tc ", "a b c"),
        ("tok\x00en", "tok en"),
        ("a\u2028b\ud800c", "a b c"),
        ("👩\u200d🔬", "👩\u200d🔬"),
    ],
)
def test_one_line_joins_nothing_that_stood_apart(text, found) -> None:
    """White space and control characters become one space; what only joins letters stays."""
    assert one_line(text) == found


def test_one_line_is_cut_as_well() -> None:
    """The bound holds for the line, not for the text."""
    assert one_line("one\n\n\n\ntwo   three", 9) == "one two…"


def test_the_ends_of_a_long_text() -> None:
    """Its beginning and its end stand on lines of their own; a short one is left as it is."""
    assert ends_of("0123456789", 2) == "01\n89"
    assert ends_of("0123", 2) == "0123"


def test_the_beginning_of_a_name_is_enough() -> None:
    """A whole name wins over longer ones; two names of one thing are no choice; none and several are told apart."""
    known = {"1a2b": "one", "1a2c": "two", "first": "one", "1a2b3": "three"}
    assert by_prefix("1a2b", known, "no thing", "") == "one"
    assert by_prefix("fi", known, "no thing", "") == "one"
    with pytest.raises(BadInput, match="1a2b, 1a2c, 1a2b3"):
        by_prefix("1a", known, "no thing", "")
    for nothing in ("x", ""):
        with pytest.raises(NotFound, match="no thing"):
            by_prefix(nothing, known, "no thing", "")


@given(st.binary(max_size=200))
def test_hashes_are_the_real_ones(data: bytes) -> None:
    """SHA-256 without the import of `hashlib` is SHA-256."""
    assert sha256(data).hexdigest() == hashlib.sha256(data).hexdigest()


def test_where_a_text_ends_counts() -> None:
    """Two lists of texts with the same letters have different hashes."""
    assert hash_of("ab", "c") != hash_of("a", "bc")
    assert hash_of("s1") == hashlib.sha256(b"s1").hexdigest()[:32]
