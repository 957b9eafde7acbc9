"""The static model: what it promises about words, vectors, files and speed."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import StoreUnavailable
from holdfast.recall.embed import HEADER, HOME, Model, camel, near, to_bytes, words

QUERY = "which package manager should I use in this repository when I add a new dependency to the web front end"


@pytest.fixture(scope="module")
def model() -> Model:
    """Return the model that ships."""
    return Model.open()


def dot(one: list[float], two: list[float]) -> float:
    """Return the dot product of two vectors."""
    return sum(a * b for a, b in zip(one, two, strict=True))


def test_a_vector_has_length_one(model: Model) -> None:
    """A text with words gives a vector of the model's dimension and of length one."""
    vector = model.encode("always use pnpm in this repo")
    assert len(vector) == model.dim
    assert math.isclose(dot(vector, vector), 1.0, abs_tol=1e-6)


@pytest.mark.parametrize("text", ["", "   ", "?!., --", "\x00"])
def test_a_text_without_words_is_all_zeros(model: Model, text: str) -> None:
    """Nothing to go by is no error: the vector is zero, and so is every dot product with it."""
    assert model.encode(text) == [0.0] * model.dim
    assert near(model.encode("a word"), to_bytes(model.encode(text))) == 0.0


def test_like_texts_are_nearer_than_unlike_ones(model: Model) -> None:
    """A question is nearer to what answers it than to statements about other things."""
    query = model.encode("how are errors logged in the payment service?", query=True)
    right = model.encode("The billing module writes failures to the log through structlog, one JSON line each.")
    for other in ("Release notes are written in the changelog.", "My dog likes long walks in the forest."):
        assert dot(query, right) > dot(query, model.encode(other))


def test_the_order_of_other_texts_does_not_matter(model: Model) -> None:
    """A vector depends on the text alone, not on what was encoded before."""
    fresh = Model.open()
    first = fresh.encode(QUERY, query=True)
    model.encode("getUserName and other words")
    assert model.encode(QUERY, query=True) == first


@given(st.text(max_size=300))
def test_any_text_has_a_vector(text: str) -> None:
    """Any text of any script, broken or not, has a vector of length one or zero."""
    vector = _SHARED.encode(text, query=True)
    assert math.isclose(dot(vector, vector), 1.0, abs_tol=1e-6) or not any(vector)


def test_a_very_long_text_has_a_vector(model: Model) -> None:
    """Ten thousand different words do not overflow the sums."""
    text = " ".join(f"word{number} {number:x}" for number in range(10_000))
    vector = model.encode(text, query=True)
    assert math.isclose(dot(vector, vector), 1.0, abs_tol=1e-6)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use snake_case, not camelCase!", ["Use", "snake", "case", "not", "camelCase"]),
        ("C++ or C#, a+b and #12", ["C++", "or", "C#", "a", "b", "and", "12"]),
        ("naïve café – déjà-vu", ["naïve", "café", "déjà", "vu"]),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    """Punctuation, underscores and signs part words; the names of three languages keep their sign."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("camelCase", ["camel", "case"]),
        ("HTTPServer", ["http", "server"]),
        ("Utf8Text", ["utf", "8", "text"]),
        ("plain", ["plain"]),
        ("SHOUT", ["shout"]),
    ],
)
def test_identifiers_are_split_at_their_case(word: str, expected: list[str]) -> None:
    """An identifier is as near as its parts, when it is not itself known."""
    assert camel(word) == expected


def test_an_identifier_is_near_its_words(model: Model) -> None:
    """`parseConfigFile` says what `parse config file` says."""
    assert dot(model.encode("parseConfigFile"), model.encode("parse config file")) > 0.9


def test_a_damped_word_counts_less(model: Model) -> None:
    """A word that stands everywhere in the haystack can be given less weight in the query."""
    name, topic = model.encode("beatrice"), model.encode("glass workshop")
    asked = "beatrice glass workshop"
    full, damped = model.encode(asked, query=True), model.encode(asked, query=True, damp={"beatrice": 0.01})
    assert dot(damped, name) < dot(full, name)
    assert dot(damped, topic) > dot(full, topic)


def test_storing_in_bytes_keeps_the_order(model: Model) -> None:
    """One byte a number changes a dot product by less than a hundredth."""
    query = model.encode(QUERY, query=True)
    for text in ("always use pnpm in this repo", "the deploy failed on Friday", "a" * 30):
        vector = model.encode(text)
        stored = to_bytes(vector)
        assert len(stored) == model.dim
        assert abs(near(query, stored) - dot(query, vector)) < 0.01


def test_many_at_once_are_the_same(model: Model) -> None:
    """The bulk path gives the same vectors as one by one, with numpy or without."""
    texts = [QUERY, "", "the deploy failed on Friday", "parseConfigFile " * 40, "naïve café"]
    for query in (False, True):
        for text, vector in zip(texts, model.encode_many(texts, query), strict=True):
            assert max(abs(a - b) for a, b in zip(model.encode(text, query), vector, strict=True)) < 1e-3


def test_the_files_are_whole_and_small() -> None:
    """The two files carry the hash of what is in them, the version has its beginning, and they are within 20 MB."""
    table, text = (Path(HOME, name).read_bytes() for name in ("table.bin", "vocabulary.txt"))
    model = Model.open()
    digest = hashlib.sha256(text + table[HEADER:]).hexdigest()
    assert digest.startswith(model.content_hash)
    assert model.version.endswith(digest[:12])
    assert len(table) + len(text) <= 20_000_000


def test_every_entry_of_the_vocabulary_is_found(model: Model) -> None:
    """The hash table in the file leads from each entry to its own row, and from no other word to any."""
    entries = Path(HOME, "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert len(entries) == model.rows
    assert all(model.row(entry) == row for row, entry in enumerate(entries))
    assert model.row("no-such-entry") == -1


@pytest.mark.parametrize("cut", [0, 10, 5000])
def test_a_broken_table_is_told(tmp_path: Path, cut: int) -> None:
    """A file that is missing, empty or cut short is an error with a hint, never a wrong vector."""
    Path(tmp_path, "vocabulary.txt").write_text("a\n")
    with pytest.raises(StoreUnavailable):
        Model.open(str(tmp_path))
    Path(tmp_path, "table.bin").write_bytes(Path(HOME, "table.bin").read_bytes()[:cut])
    with pytest.raises(StoreUnavailable):
        Model.open(str(tmp_path))


def test_it_loads_nothing_heavy() -> None:
    """The hook path pays for no numpy, no `re`, no `dataclasses` and no `typing`."""
    code = (
        "import sys; from holdfast.recall.embed import Model; Model.open().encode('a few words', query=True);"
        "print([name for name in ('numpy', 're', 'dataclasses', 'typing', 'array', 'json') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-S", "-E", "-c", code], **_HERE)
    assert ended.stdout.strip() == "[]", ended.stderr


_SHARED = Model.open()
_HERE = {
    "cwd": Path(HOME).parent.parent.parent,
    "capture_output": True,
    "text": True,
    "check": False,
}
