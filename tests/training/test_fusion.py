"""How weights are learned: keyword queries, what the engine says of a question, and a slope that leads to the right."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.recall import weights
from holdfast.recall.embed import Model

numpy = pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def fusion(script):
    """The script as a module."""
    # A folder of these tests is called `recall` too.
    with script(
        "fusion", ("benchmarks/recall_sets", "benchmarks", "training"), ("recall", "sets", "keywords")
    ) as module:
        yield module


TALK = [
    "We moved the invoices to a new printer in March.",
    "The cat sleeps on the router, so it is warm.",
    "Our deploy script needs the VPN and a token from Birgit.",
    "Lunch was late because the oven broke again.",
]


@pytest.fixture(scope="module")
def haystack(fusion):
    """Return four sessions of one passage with one question each."""
    passages = [fusion.Passage(str(n), f"s{n}", text) for n, text in enumerate(TALK)]
    asked = ["where do invoices go", "what keeps the animal warm", "what does deploying need", "why was food late"]
    questions = [fusion.Question(str(n), q, frozenset([str(n)]), frozenset([f"s{n}"])) for n, q in enumerate(asked)]
    return fusion.Haystack("talk", passages, questions)


def test_a_case_has_the_marks_of_the_engine(fusion, haystack):
    """Every candidate has every mark, and what is right is known by passage and by session."""
    cases = fusion.cases_of(haystack, Model.open())
    assert len(cases) == len(TALK)
    assert all(case.marks.shape[1:] == (len(fusion.MARKS), 2) for case in cases)
    assert cases[0].right.sum() == cases[0].right_sessions.sum() == 1


def test_learning_puts_the_right_one_first(fusion, haystack, monkeypatch):
    """From weights that say nothing, learning finds some that rank every right passage first."""
    monkeypatch.setattr(fusion, "START", {})
    monkeypatch.setattr(fusion, "SHARES", {"talk": 1.0})
    cases = fusion.cases_of(haystack, Model.open())
    learned = fusion.learn({"talk": fusion.packed(cases)})
    assert fusion.measured(cases, learned).split()[2:5] == ["100.0", "session", "R@1"]
    assert fusion.measured(cases, -learned) != fusion.measured(cases, learned)


def test_a_mark_that_must_do_without_stays_nought(fusion, haystack, monkeypatch):
    """The table for words alone says nothing of meaning."""
    monkeypatch.setattr(fusion, "SHARES", {"talk": 1.0})
    cases = fusion.packed(fusion.cases_of(haystack, Model.open()))
    learned = fusion.learn({"talk": cases}, without=("meaning",))
    assert not learned[fusion.MARKS.index("meaning")].any()
    assert weights.BY_WORDS_ALONE["meaning"] == weights.BY_WORDS_ALONE["session_meaning"] == (0.0, 0.0)


def test_what_is_written_is_read_again(fusion, tmp_path, monkeypatch):
    """Only the table that is named changes."""
    copy = tmp_path / "weights.py"
    copy.write_text(Path(weights.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(fusion, "WEIGHTS_FILE", str(copy))
    fusion.write("WEIGHTS", numpy.full((len(fusion.MARKS), 2), 0.5))
    scope: dict[str, object] = {}
    exec(copy.read_text(encoding="utf-8"), scope)
    assert set(scope["WEIGHTS"].values()) == {(0.5, 0.5)}
    assert scope["BY_WORDS_ALONE"] == weights.BY_WORDS_ALONE


def test_keyword_queries_ask_for_one_passage(fusion, haystack):
    """The words of a query stand in the passage that it asks for, and the same seed gives the same queries."""
    made, again = (fusion.keyword_sets([haystack])[0].questions for _ in range(2))
    assert made and [q.text for q in made] == [q.text for q in again]
    for question in made:
        text = TALK[int(question.id)].lower()
        assert all(word in text for word in question.text.split())
