"""How the weights of triggers are learned: sentences out of lines with slots, a network, and a threshold."""

from __future__ import annotations

import pytest

numpy = pytest.importorskip("numpy")

KNOWN = {"correction", "decision", "architecture", "priority", "value", "preference", "remember"}


@pytest.fixture(scope="module")
def learn(script):
    """The script as a module."""
    with script("learn", ("training/triggers",), ("network", "written")) as module:
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
    for name in learn.LINES:
        made = learn.sentences_of(learn.HERE, name)
        assert len(made) > 100
        for labels, text, _ in made:
            assert labels <= KNOWN, text
            assert not set("{}|") & set(text), text


def test_every_message_that_was_written_has_known_labels(learn):
    """Each writer's file is read whole: known labels, and a text that is not empty."""
    files = sorted((learn.HERE / "writers").glob("*.tsv"))
    assert len(files) >= 48
    for path in files:
        for labels, text in learn.messages_of(path):
            assert labels <= KNOWN and text.strip(), path.name


def test_a_written_text_comes_back_as_it_was_typed(learn, tmp_path):
    """Line ends, tabs and backslashes survive the one line that a message has in its file."""
    (tmp_path / "a.tsv").write_text("a1\ten\t-\ta\\nb\\tc\\\\n\na2\ten\tvalue,remember\tx\n")
    assert learn.messages_of(tmp_path / "a.tsv") == [
        (frozenset(), "a\nb\tc\\n"),
        (frozenset({"value", "remember"}), "x"),
    ]


def example(learn, labels=(), sentences=(), writer="x", arguable=()):
    """Return a message to learn from."""
    wanted = [float(kind in labels) for kind in learn.LEARNED]
    return learn.Example(writer, 1.0, wanted, [kind in arguable for kind in learn.LEARNED], list(sentences))


def test_what_makes_the_difference_gets_the_weight(learn):
    """Of two sentences of a message the one that looks like the kind is taken for it, and its word gets the weight."""
    kind = learn.LEARNED.index("decision")
    told = [example(learn, ["decision"], [{"hello", "now"}, {"take", "now"}]) for _ in range(3_000)]
    told += [example(learn, [], [{"hello", "now"}, {"look", "now"}]) for _ in range(3_000)]
    learned = learn.learn(told)
    assert learned.scores([{"hello"}, {"take", "unknown"}])[kind] > learned.scores([{"hello"}, {"look"}])[kind] + 1
    assert learned.scores([{"take"}])[kind] > learned.scores([{"hello"}])[kind]


def test_a_kind_is_told_from_the_lowest_score_at_which_it_is_precise(learn, monkeypatch):
    """Most of what is told is right, counting arguable ones, and half of it clear; a kind that never is is not told."""
    monkeypatch.setattr(learn, "MIN_TOLD", 3)
    monkeypatch.setattr(learn, "CANDIDATES", 0.5)
    kind = learn.LEARNED.index("value")
    messages = [example(learn, labels=["value"]) for _ in range(4)]
    messages += [example(learn, arguable=["value"]), *(example(learn) for _ in range(5))]
    scores = numpy.zeros((10, len(learn.LEARNED)))
    scores[:, kind] = range(10, 0, -1)
    limits = learn.thresholds(scores, messages)
    assert limits.told[kind] == 5.5 and limits.candidate[kind] == 5.5
    assert {limits.told[place] for place in range(len(learn.LEARNED)) if place != kind} == {learn.NEVER}


def test_people_are_learned_from_with_and_without_what_was_said_before(learn):
    """Who judges a message does not always know what the agent had said, so both are learned."""
    one = learn.example("yes, the second", ["decision"], before="Shall I take A or B?")
    (known, plain) = learn.both_ways([one])
    assert any(name.startswith("{b asks") for name in known.sentences[0])
    assert not any(name.startswith("{b ") for name in plain.sentences[0])
