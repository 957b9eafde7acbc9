"""The table of triggers: it is the one that the texts give, and says what they say."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import StoreUnavailable
from holdfast.language import triggers
from holdfast.language.sentences import sentences, shapes
from holdfast.language.trigger_table import LANES, TriggerTable, apart, joined

ZEROS = [0] * LANES
MAX_BYTES = 2_000_000


@pytest.fixture(scope="module")
def pack(script):
    """The script as a module."""
    with script("pack", ("training/triggers",), ()) as module:
        yield module


@pytest.fixture
def table(pack, tmp_path):
    """Pack phrases and rows of weights, by feature, into a table of their own, and open it."""

    def packed(
        phrases: str = "", weights: dict[str, list[int]] | None = None, out: str = "", sure: str = "0 0 0 0 0 0"
    ) -> TriggerTable:
        rows = [f"{name}\t{' '.join(map(str, row))}" for name, row in (weights or {"{}": ZEROS}).items()]
        head = f"# x\n# Sure: {sure}\n# Out: {out or '; '.join(['0 0 0 0 0 0'] * 33)}\n# Kinds: a\n"
        texts = {"en": phrases, "de": "", "small": "en: the a\nde: der", "weights": head + "\n".join(rows) + "\n"}
        (tmp_path / "table.bin").write_bytes(pack.packed(texts))
        return TriggerTable(str(tmp_path / "table.bin"), triggers.LANGUAGES)

    return packed


def groups(table: TriggerTable, message: str) -> set[str]:
    """Return the groups of which a message of one sentence says a phrase."""
    (sentence,) = sentences(message)
    rows = table.rows["en"]
    names = [(*rows[word][0], *shapes(raw)) for word, raw in zip(sentence.words, sentence.raw, strict=True)]
    return table.cues(sentence, names, "en")


def test_the_table_in_the_package_is_the_one_of_the_texts(pack):
    """Whoever changes a text and does not pack it anew is told; and the table stays small."""
    shipped = Path(pack.TABLE).read_bytes()
    assert shipped == pack.packed(pack.texts()), "run training/triggers/pack.py"
    assert len(shipped) <= MAX_BYTES


def test_the_table_has_every_weight(pack):
    """Each feature counts what its line says, and one that is not there counts nothing."""
    shipped = TriggerTable(str(pack.TABLE), triggers.LANGUAGES)
    lines = pack.texts()["weights"].rstrip("\n").split("\n")
    for line in lines:
        feature, tab, numbers = line.partition("\t")
        if tab:
            assert apart(shipped.total({feature})) == [*map(int, numbers.split())], feature
    assert shipped.total({"qwxyz zyxwq", "\ud800", ""}) == 0


def test_slots_lists_and_marks_mean_what_the_file_says(table):
    """A phrase is found by its words, with words in its slots, at the beginning or the end, and by lists and shapes."""
    phrases = (
        "<tool> = node go\n<lead> = ok\n[a]\nuse * not _\n[b]\n^ <tool> <number>\n[c]\nport : <number> $\n[d]\nx|y *1 z"
        "\n[e]\ngive up|in *2 now\ngive up"
    )
    made = table(phrases)
    given = {
        "use red and not blue": {"a"},
        "ok node 22": {"b"},
        "the port: 80": {"c"},
        "y q z": {"d"},
        "give in right now": {"e"},
        "give up": {"e"},
    }
    for sentence, cues in given.items():
        assert groups(made, sentence) == cues, sentence
    for sentence in ("use red", "my node 22", "the port 80", "the port: 80 now", "y q q z", "give in", "give 0 now"):
        assert groups(made, sentence) == set(), sentence


@given(st.lists(st.lists(st.integers(-2_000, 2_000), min_size=LANES, max_size=LANES), min_size=1, max_size=10))
def test_weights_add_up_in_one_number(rows):
    """The sum of joined weights, taken apart, is the sum of each lane by itself."""
    assert apart(sum(map(joined, rows))) == [sum(column) for column in zip(*rows, strict=True)]


def test_small_and_large_weights_are_kept(table):
    """The least and the largest weight that fit five bits, and those beyond, come back as they were given."""
    given = {"a": [-16, 15] * 19 + [0], "b": [16, *[0] * 38], "c": [*[0] * 38, -17], "d": [214, -300] * 19 + [1]}
    made = table(weights=given)
    assert {name: apart(made.total({name})) for name in given} == given
    assert apart(made.total({"a", "d"})) == [one + two for one, two in zip(given["a"], given["d"], strict=True)]


def test_a_hidden_unit_counts_only_where_it_is_positive(table):
    """Each hidden unit speaks for the kinds by the numbers of the head, in proportion, and below zero not at all."""
    out = "; ".join(["50 0 0 0 0 -20", *["0 0 0 0 0 0"] * 32])
    rows = {name: [10, *[0] * 5, hidden, *[0] * 32] for name, hidden in (("no", -3), ("yes", 4))}
    made = table(weights=rows, out=out)
    assert made.scores({"yes"}) == [1_200, 0, 0, 0, 0, -80]
    assert made.scores({"no"}) == [1_000, 0, 0, 0, 0, 0]
    assert made.scores({"yes", "no"}) == [2_050, 0, 0, 0, 0, -20]


def test_small_words_tell_the_language(table):
    """The language with more of its small words is the message's; where none tells, both are."""
    made = table()
    assert made.languages({"the", "a", "port"}) == ["en"]
    assert made.languages({"der", "port"}) == ["de"]
    assert made.languages({"port"}) == made.languages({"the", "der"}) == ["en", "de"]


@pytest.mark.parametrize("damage", [b"", b"\xff" * 60, "half"])
def test_a_table_that_is_not_whole_is_refused(pack, tmp_path, damage):
    """A file that is missing, empty, cut or something else is an error that says what to do."""
    whole = Path(pack.TABLE).read_bytes()
    (tmp_path / "table.bin").write_bytes(whole[: len(whole) // 2] if damage == "half" else damage)
    for place in ("table.bin", "missing.bin"):
        with pytest.raises(StoreUnavailable, match="table of triggers") as problem:
            TriggerTable(str(tmp_path / place), triggers.LANGUAGES)
        assert problem.value.hint == "Install Holdfast again."
