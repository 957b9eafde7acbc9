"""The labelled messages: enough of every class, and nothing held among what is learned from."""

from __future__ import annotations

import itertools

import pytest

from benchmarks.labelled import BENCHMARKS, PARTS, module_at, pieces
from support.sampling import some

FOLDER = BENCHMARKS / "trigger_sets"
WRITERS = BENCHMARKS.parent / "training" / "triggers" / "writers"
# Two messages that share half of their short runs have a run of this many letters in common.
LONG_RUN = 9


@pytest.fixture(scope="module")
def messages():
    """The module that reads the sets."""
    return module_at(FOLDER / "messages.py")


@pytest.fixture(scope="module")
def written(messages):
    """The written messages of both parts."""
    return {part: messages.written(part) for part in PARTS}


@pytest.fixture(scope="module")
def writers(messages):
    """The messages of each writer from whom the weights are learned besides dev."""
    return {path.stem: messages.read(str(path)) for path in sorted(WRITERS.glob("*.tsv"))}


@pytest.mark.parametrize("part", PARTS)
def test_labels_are_known_and_in_one_order(messages, part):
    """Labels are classes of the guide in their usual order, without repetition, or a single hyphen."""
    for name in (*messages.WRITTEN[part], "drawn"):
        for line in (FOLDER / f"{name}_{part}.tsv").read_text("utf-8").splitlines():
            labels = line.split("\t")[1 if name == "drawn" else 2]
            expected = [one for one in messages.CLASSES if one in labels.split(",")]
            assert labels == (",".join(expected) or "-"), line


@pytest.mark.parametrize(
    ("part", "source", "least"), [("dev", "written", 100), ("held", "written", 40), ("held", "indirect", 60)]
)
def test_every_class_is_there_often_enough_to_be_measured(messages, written, part, source, least):
    """Each file of written messages has enough of every class, and enough of them in each language."""
    for name in messages.CLASSES:
        chosen = [one for one in written[part] if one.source == source and name in one.labels]
        languages = [message.language for message in chosen]
        assert len(languages) >= least, name
        assert min(languages.count("en"), languages.count("de")) >= 0.3 * least, name


@pytest.mark.parametrize(("part", "source"), [("dev", "written"), ("held", "written"), ("held", "indirect")])
def test_many_messages_are_worth_nothing(written, part, source):
    """At least three in ten messages of each file have no class."""
    chosen = [message for message in written[part] if message.source == source]
    assert sum(not message.labels for message in chosen) >= 0.3 * len(chosen)


@pytest.mark.parametrize(("part", "written_ones", "drawn_ones"), [("dev", 1_250, 131), ("held", 900, 119)])
def test_size_and_languages_are_as_promised(messages, written, part, written_ones, drawn_ones):
    """Each part has its number of messages, three to four and a half in ten of the written ones in German."""
    languages = [message.language for message in written[part]]
    assert len(languages) >= written_ones
    assert set(languages) == {"en", "de"}
    assert 0.30 <= languages.count("de") / len(languages) <= 0.45
    assert len(messages.drawn_labels(part)) == drawn_ones


def test_some_held_messages_are_long(written):
    """Some held messages have 50 words or more, in which one sentence matters or none does."""
    long = [message for message in written["held"] if len(message.text.split()) >= 50]
    assert len(long) >= 10
    assert {bool(message.labels) for message in long} == {True, False}


def test_no_held_message_has_a_near_twin_that_was_learned_from(written, writers):
    """Held messages and those of dev and of the writers share less than half of their letters in a row."""
    held = [(pieces(message.text), message.text) for message in written["held"]]
    having: dict[str, set[int]] = {}
    for number, (_, text) in enumerate(held):
        for run in pieces(text, LONG_RUN):
            having.setdefault(run, set()).add(number)
    for message in some([*itertools.chain(written["dev"], *writers.values())], 5_000):
        own = pieces(message.text)
        for number in set().union(*(having.get(run, ()) for run in pieces(message.text, LONG_RUN))):
            other, text = held[number]
            assert 2 * len(own & other) < len(own | other), (message.text, text)


def test_what_the_weights_are_learned_from_is_sound(messages, writers):
    """A writer's messages have ids of their own, known labels and a language, and none is in held or drawn."""
    taken = {id for part in PARTS for id in messages.drawn_labels(part)}
    taken |= {message.id for message in messages.written("held")}
    assert len(writers) >= 45
    for name, every in writers.items():
        assert len({message.id for message in every}) == len(every), name
        for message in every:
            assert message.labels <= set(messages.CLASSES) and message.language in ("en", "de"), (name, message.id)
            assert messages.id_of(message.text) not in taken, (name, message.id)
