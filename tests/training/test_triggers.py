"""How the weights of triggers are learned: sentences out of lines with slots, a network, and a threshold."""

from __future__ import annotations

import pytest

numpy = pytest.importorskip("numpy")


@pytest.fixture(scope="module")
def learn(script):
    """The script as a module."""
    folders = ("training/triggers", "benchmarks/trigger_sets")
    with script("learn", folders, ("network", "written", "messages")) as module:
        yield module


def test_a_line_becomes_sentences_with_one_word_for_each_slot(learn, tmp_path):
    """Slots take one of their words or of a list, the labels are those of the block, and a line weighs one."""
    (tmp_path / "said_en.txt").write_text("@ tool: red|blue\n= decision value\n[we|I [all|]] use {tool}\n= -\nhello\n")
    made = learn.sentences_of(tmp_path, "said_en")
    assert {text for labels, text, _ in made if labels} <= {
        f"{who} use {tool}" for who in ("we", "I all", "I") for tool in ("red", "blue")
    }
    assert {labels for labels, _, _ in made} == {frozenset({"decision", "value"}), frozenset()}
    assert sum(share for _, _, share in made) == pytest.approx(2.0)


def test_every_line_that_was_written_has_known_labels_and_its_lists(learn):
    """All files make sentences, with labels that are kinds, and without a slot that is left open."""
    for name in learn.WRITTEN_FILES:
        made = learn.sentences_of(learn.HERE, name)
        assert len(made) > 100
        for labels, text, _ in made:
            assert labels <= set(learn.KINDS), text
            assert not set("{}|") & set(text), text


def test_what_makes_the_difference_gets_the_weight(learn):
    """Of two sentences of a message the one that looks like the kind is taken for it, and its word gets the weight."""
    kind = learn.KINDS.index("decision")
    truth = [place == kind for place in range(len(learn.KINDS))]
    no = [False] * len(learn.KINDS)
    told = [learn.Example("x", "en", 1.0, truth, [{"hello", "now"}, {"take", "now"}]) for _ in range(1_500)]
    told += [learn.Example("x", "en", 1.0, no, [{"hello", "now"}, {"look", "now"}]) for _ in range(1_500)]
    learned = learn.learn(told)
    assert learned.scores([{"hello"}, {"take", "unknown"}])[kind] > learned.scores([{"hello"}, {"look"}])[kind] + 1
    assert learned.scores([{"take"}])[kind] > learned.scores([{"hello"}])[kind]


@pytest.mark.parametrize(("usual", "limit"), [(0.8, 3.5), (0.1, 6.5)])
def test_the_threshold_is_as_far_above_both_aims(learn, monkeypatch, usual, limit):
    """Both are weighed in their own language and among plain writers only; where a kind is rare, less is found."""
    monkeypatch.setattr(learn, "USUAL", usual)
    is_so = [True] * 4 + [False] + [True] * 2 + [False] * 3
    examples = [learn.Example("a", "en", 1.0, [one] * len(learn.KINDS), [{"a"}]) for one in is_so]
    others = [("a", "de"), ("x", "en")]
    examples += [learn.Example(*other, 1.0, [False] * len(learn.KINDS), [{"a"}]) for other in others]
    scores = numpy.array([[10.0 - place] * len(learn.KINDS) for place in range(10)] + [[99.0] * len(learn.KINDS)] * 2)
    assert learn.thresholds("en", scores, examples) == pytest.approx([limit] * len(learn.KINDS))
