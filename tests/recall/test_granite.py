"""The transformer granite: the same as plain loops say, its tokens, its file, and how it is missed."""

from __future__ import annotations

import math
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import StoreUnavailable
from holdfast.recall.byte_pairs import BytePairs, letters_of_bytes, words
from holdfast.recall.granite import PACKAGE, Granite

from .tiny_granite import Loops, write_extra, write_pack

TEXTS = ("the tests on the", "a", "Deploys need  the VPN.", "x" * 100, "it's section 12, then\nmore")


@pytest.fixture(scope="module")
def pack(tmp_path_factory) -> Path:
    """A tiny transformer's file."""
    return write_pack(tmp_path_factory.mktemp("pack") / "tiny.hmsemb")


@pytest.fixture(scope="module")
def tiny(pack) -> Granite:
    """The tiny transformer, opened."""
    return Granite.open(str(pack))


def test_vectors_are_what_plain_loops_say(pack, tiny) -> None:
    """Every vector agrees with the transformer worked out number by number, from the same file."""
    loops = Loops(pack)
    for text in TEXTS:
        assert tiny.encode(text) == pytest.approx(loops.vector(text), abs=2e-4)


def test_texts_that_are_computed_together_do_not_touch(tiny) -> None:
    """A text has the same vector alone and among longer and shorter ones, and as a query."""
    for text, vector in zip(TEXTS, tiny.encode_many(TEXTS), strict=True):
        assert vector == pytest.approx(tiny.encode(text, query=True), abs=1e-4)


def test_more_texts_than_fit_together_keep_their_order(tiny) -> None:
    """Hundreds of texts of all sizes come back in the order they were given."""
    texts = [f"{number} " * (number % 40 + 1) for number in range(200)]
    vectors = tiny.encode_many(texts)
    for number in (0, 39, 40, 117, 199):
        assert vectors[number] == pytest.approx(tiny.encode(texts[number]), abs=1e-4)


@pytest.mark.parametrize("text", ["", "   ", "?!., --", "\x00"])
def test_a_text_without_words_is_all_zeros(tiny, text: str) -> None:
    """Nothing to go by is no error: the vector is zero, as by the static model."""
    assert tiny.encode(text) == [0.0] * tiny.dim
    assert tiny.encode_many([text, "word"])[0] == [0.0] * tiny.dim


def test_a_long_text_is_read_to_its_bound(tiny) -> None:
    """What stands beyond the longest text that the transformer takes changes nothing."""
    start = "on and on " * 20
    assert tiny.encode(start + "the end") == tiny.encode(start + "another end")


@given(st.text(max_size=200))
def test_cutting_loses_nothing(text: str) -> None:
    """The words of any text, one after the other, are the text."""
    assert "".join(words(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We'll use pnpm2!", ["We", "'ll", " use", " pnpm", "2", "!"]),
        ("a  b\n\nc ", ["a", " ", " b", "\n", "\n", "c", " "]),
        ("Größe über 10² m", ["Größe", " über", " 10²", " m"]),
        ("東京\u00a0は 🙂?", ["東京", "\u00a0", "は", " 🙂?"]),
        ("x_y-z", ["x", "_", "y", "-", "z"]),
    ],
)
def test_where_a_text_is_cut(text: str, expected: list[str]) -> None:
    """Words keep the space before them; letters, numbers, signs and spaces of any script are told apart."""
    assert words(text) == expected


def test_the_merge_that_was_learned_first_is_done_first() -> None:
    """Of two merges that compete for a letter the earlier one wins; bytes without a merge stay alone."""
    vocabulary = {piece: number for number, piece in enumerate([*letters_of_bytes(), "ab", "bc", "abc"])}
    pairs = BytePairs(vocabulary, ["b c", "a b", ["a", "bc"]])
    assert pairs.tokens("abc", 9) == [vocabulary["abc"]]
    assert pairs.tokens("abd", 9) == [vocabulary["ab"], vocabulary["d"]]
    assert pairs.tokens("é", 9) == [vocabulary["Ã"], vocabulary["©"]]
    assert pairs.tokens("abd abd", 1) == [vocabulary["ab"]]


def test_any_byte_has_a_letter_of_its_own() -> None:
    """256 bytes, 256 letters, none of them a space."""
    letters = letters_of_bytes()
    assert len(set(letters)) == 256
    assert not any(letter.isspace() for letter in letters)


@pytest.mark.parametrize("harm", ["cut", "longer", "magic", "header", "pooling", "nothing"])
def test_a_file_that_is_not_right_is_refused(tmp_path, harm: str) -> None:
    """Weights that are cut short, of another format or missing are an error with a way out, not other vectors."""
    path = write_pack(tmp_path / "tiny.hmsemb", pooling="mean" if harm == "pooling" else "cls")
    data = path.read_bytes()
    changed = {"cut": data[:-5], "longer": data + b"x", "magic": b"OTHER" + data[5:], "header": data[:16] + b"{" * 99}
    path.write_bytes(changed.get(harm, data))
    if harm == "nothing":
        path.unlink()
    with pytest.raises(StoreUnavailable) as caught:
        Granite.open(str(path))
    assert "holdfast[granite]" in caught.value.hint


def test_the_extra_is_found_and_its_code_not_run(tmp_path, monkeypatch) -> None:
    """The weights are read from the package's folder; its code, which would fail here, is never imported."""
    write_extra(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = Granite.open()
    assert model.version == "granite-0123456789ab-1"
    assert PACKAGE not in sys.modules


def test_a_missing_extra_says_how_to_get_it(monkeypatch) -> None:
    """Without the package the error names the command that installs it."""
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with pytest.raises(StoreUnavailable, match="not installed") as caught:
        Granite.open()
    assert "pip install 'holdfast[granite]'" in caught.value.hint


@pytest.mark.skipif(find_spec(PACKAGE) is None, reason="the extra is not installed: pip install 'holdfast[granite]'")
def test_granite_itself_tells_like_from_unlike() -> None:
    """The real weights bring a question near to its answer, and unlike texts near to nothing."""
    model = Granite.open()
    query = model.encode("how are errors logged in the payment service?", query=True)
    right = model.encode("The billing module writes failures to the log through structlog, one JSON line each.")
    assert math.isclose(sum(one * one for one in right), 1.0, abs_tol=1e-5)
    assert sum(a * b for a, b in zip(query, right, strict=True)) > 0.35
    for other in ("Release notes are written in the changelog.", "My dog likes long walks in the forest."):
        assert abs(sum(a * b for a, b in zip(query, model.encode(other), strict=True))) < 0.25
