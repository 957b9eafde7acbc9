"""The table of the word lists: it says what the files say, is never stale, and is never needed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.continuity import triggers
from holdfast.continuity.phrases import said
from holdfast.continuity.sentences import sentences
from holdfast.continuity.word_tables import Words, apart, joined

FILES = Path(triggers.__file__).parent / "words"
MESSAGES = (
    "let's go with Postgres, not Redis. Always run the linter first!",
    "nein, ich meinte die andere Warteschlange; der Server heißt pg-ledger-02",
    "the port is 5433, and only the scheduler may write to that table",
)
LANGUAGE = "en"
VOCABULARY = sorted(set((FILES / "en.txt").read_text(encoding="utf-8").replace("|", " ").split()))


@pytest.fixture
def words(tmp_path, monkeypatch):
    """Make word lists from a copy of the files, as a process does that may write its caches."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    shutil.copytree(FILES, tmp_path / "words")
    return lambda: Words(f"{tmp_path}/words/", triggers.LANGUAGES, f"{tmp_path}/table")


def table(folder: Path) -> Path:
    """Return where the table lies; there must be one, and nothing else of its name."""
    (found,) = folder.glob("table*")
    return found


def cues(words: Words, text: str, language: str = LANGUAGE) -> list[set[str]]:
    """Return the cues that a text gives in a language, by the lists alone."""
    rows = words.rows[language]
    return [said(one, [rows[word][0] for word in one.words], rows) for one in sentences(text)]


def without_table() -> Words:
    """Return the word lists out of their files."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return Words(f"{FILES}/", triggers.LANGUAGES, "nowhere")
    finally:
        sys.dont_write_bytecode = before


PLAIN = without_table()


def test_the_table_says_what_the_files_say(words):
    """Each message gives the same cues from the table and from the files, in both languages, also at a second start."""
    for made in (words(), words()):
        assert made.is_table
        for language in triggers.LANGUAGES:
            assert [cues(made, text, language) for text in MESSAGES] == [
                cues(PLAIN, text, language) for text in MESSAGES
            ]
    assert any(cues(words(), MESSAGES[0]))
    assert not PLAIN.is_table


def test_the_table_has_every_weight(words):
    """Each feature counts the same from the table as from the files, and one that is not there counts nothing."""
    made = words()
    lines = (FILES / "weights.txt").read_text(encoding="utf-8").split("\n")
    known = [line.partition("\t")[0] for line in lines if line[:1] not in ("#", "")]
    for feature in known:
        assert made.total({feature}) == PLAIN.total({feature}) != 0, feature
    assert made.total({"qwxyz zyxwq", "\ud800", ""}) == PLAIN.total({"qwxyz zyxwq"}) == 0
    assert made.total(set(known[:50])) == sum(PLAIN.total({feature}) for feature in known[:50])


@given(st.lists(st.lists(st.integers(-2_000, 2_000), min_size=39, max_size=39), min_size=1, max_size=10))
def test_weights_add_up_in_one_number(rows):
    """The sum of joined weights, taken apart, is the sum of each lane by itself."""
    assert apart(sum(map(joined, rows))) == [sum(column) for column in zip(*rows, strict=True)]


def test_a_hidden_sum_counts_only_above_nought(tmp_path):
    """Each hidden sum speaks for the kinds by the numbers of the head, in proportion, and below nought not at all."""
    for name in ("en", "de", "small"):
        (tmp_path / f"{name}.txt").write_text((FILES / f"{name}.txt").read_text("utf-8"), "utf-8")
    out = "; ".join(["50 0 0 0 0 0 -20", *["0 0 0 0 0 0 0"] * 31])
    rows = [
        f"{name}\t{' '.join(map(str, [10, *[0] * 6, hidden, *[0] * 31]))}" for name, hidden in (("no", -3), ("yes", 4))
    ]
    (tmp_path / "weights.txt").write_text(f"# x\n# Out: {out}\n# Kinds: a\n" + "\n".join(rows) + "\n", "utf-8")
    words = Words(f"{tmp_path}/", ("en", "de"), str(tmp_path / "table"))
    assert words.scores({"yes"}) == [1_200, 0, 0, 0, 0, 0, -80]
    assert words.scores({"no"}) == [1_000, 0, 0, 0, 0, 0, 0]
    assert words.scores({"yes", "no"}) == [2_050, 0, 0, 0, 0, 0, -20]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), min_size=1, max_size=4))
def test_any_words_give_the_same(tmp_path_factory, spoken):
    """Whatever words of the lists stand together, table and files agree."""
    place = str(tmp_path_factory.getbasetemp() / "any-words")
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        made = Words(f"{FILES}/", triggers.LANGUAGES, place)
    finally:
        sys.dont_write_bytecode = before
    text = ". ".join(" ".join(one) for one in spoken)
    assert made.is_table and cues(made, text) == cues(PLAIN, text)


def test_a_changed_file_makes_a_new_table(words, tmp_path):
    """A word that a person adds counts at the next start, and one that they take out does not."""
    assert not cues(words(), "zzyzx qwxy")[0]
    with open(tmp_path / "words" / "en.txt", "a", encoding="utf-8") as file:
        file.write("\n[decision]\nzzyzx qwxy\n")
    assert "decision" in cues(words(), "zzyzx qwxy")[0]
    shutil.copy(FILES / "en.txt", tmp_path / "words" / "en.txt")
    assert not cues(words(), "zzyzx qwxy")[0]


@pytest.mark.parametrize("damage", [b"", b"\xff" * 40, b"\x05\0\0\0\0\0\0\0abcde", "half"])
def test_a_broken_table_is_made_anew(words, tmp_path, damage):
    """A table that is empty, cut or something else is not believed."""
    words()
    place = table(tmp_path)
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage)
    assert "decision" in cues(words(), MESSAGES[0])[0] and place.read_bytes() == whole


def test_without_a_place_for_it_the_files_are_read(words, tmp_path, monkeypatch):
    """Where no cache may be written the answer is the same, and nothing is left behind."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    silent = words()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    nowhere = Words(f"{tmp_path}/words/", triggers.LANGUAGES, f"{tmp_path}/missing/table")
    for one in (silent, nowhere):
        assert not one.is_table and "decision" in cues(one, MESSAGES[0])[0]
    assert sorted(os.listdir(tmp_path)) == ["words"]
