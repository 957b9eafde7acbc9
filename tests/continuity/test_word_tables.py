"""The table of the word lists: it says what the files say, is never stale, and is never needed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.continuity import triggers
from holdfast.continuity.phrases import Phrases
from holdfast.continuity.sentences import sentences
from holdfast.continuity.word_tables import Table, Words

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


def cues(phrases: Phrases, text: str) -> list[set[str]]:
    """Return what a text gives."""
    return phrases.cues(sentences(text))


def test_the_table_says_what_the_files_say(words):
    """Each message gives the same cues from the table and from the files, in both languages, also at a second start."""
    for made in (words(), words()):
        for language in triggers.LANGUAGES:
            phrases, plain = made.phrases(language), Phrases((FILES / f"{language}.txt").read_text(encoding="utf-8"))
            assert isinstance(phrases, Table)
            assert [cues(phrases, text) for text in MESSAGES] == [cues(plain, text) for text in MESSAGES]
        assert made.text("rules") == (FILES / "rules.txt").read_text(encoding="utf-8")
    assert any(cues(words().phrases(LANGUAGE), MESSAGES[0]))


PLAIN = Phrases((FILES / "en.txt").read_text(encoding="utf-8"))


@given(st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12), min_size=1, max_size=4))
def test_any_words_give_the_same(tmp_path_factory, said):
    """Whatever words of the lists stand together, table and files agree."""
    place = str(tmp_path_factory.getbasetemp() / "any-words")
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    try:
        phrases = Words(f"{FILES}/", triggers.LANGUAGES, place).phrases(LANGUAGE)
    finally:
        sys.dont_write_bytecode = before
    text = ". ".join(" ".join(one) for one in said)
    assert isinstance(phrases, Table) and cues(phrases, text) == cues(PLAIN, text)


def test_a_changed_file_makes_a_new_table(words, tmp_path):
    """A word that a person adds counts at the next start, and one that they take out does not."""
    assert not cues(words().phrases(LANGUAGE), "zzyzx qwxy")[0]
    with open(tmp_path / "words" / "en.txt", "a", encoding="utf-8") as file:
        file.write("\n[decision]\nzzyzx qwxy\n")
    assert "decision" in cues(words().phrases(LANGUAGE), "zzyzx qwxy")[0]
    shutil.copy(FILES / "en.txt", tmp_path / "words" / "en.txt")
    assert not cues(words().phrases(LANGUAGE), "zzyzx qwxy")[0]


@pytest.mark.parametrize("damage", [b"", b"\xff" * 40, b"\x05\0\0\0\0\0\0\0abcde", "half"])
def test_a_broken_table_is_made_anew(words, tmp_path, damage):
    """A table that is empty, cut or something else is not believed."""
    words()
    place = table(tmp_path)
    whole = place.read_bytes()
    place.write_bytes(whole[: len(whole) // 2] if damage == "half" else damage)
    assert "decision" in cues(words().phrases(LANGUAGE), MESSAGES[0])[0] and place.read_bytes() == whole


def test_without_a_place_for_it_the_files_are_read(words, tmp_path, monkeypatch):
    """Where no cache may be written the answer is the same, and nothing is left behind."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    silent = words()
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    nowhere = Words(f"{tmp_path}/words/", triggers.LANGUAGES, f"{tmp_path}/missing/table")
    for one in (silent, nowhere):
        phrases = one.phrases(LANGUAGE)
        assert not isinstance(phrases, Table) and "decision" in cues(phrases, MESSAGES[0])[0]
    assert sorted(os.listdir(tmp_path)) == ["words"]
