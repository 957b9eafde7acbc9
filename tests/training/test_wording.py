"""How one asks about something that has a name is learned from pairs."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from holdfast.recall.embed import Model
from holdfast.recall.wording import Wording, wording_of

PAIRS = Path(__file__).parents[2] / "training" / "wording.txt"


@pytest.fixture(scope="module")
def training(script):
    """The script as a module."""
    with script("wording", ("training",), ()) as module:
        yield module


def test_what_ships_was_learned_from_the_pairs(training):
    """The offsets are those of all words of the questions, and each note and question has its name."""
    model = Model.open()
    found = training.aspects(PAIRS)
    task = training.task_of(model, found, random.Random(training.SEED))
    shipped = wording_of(model)
    assert shipped is not None and sorted(shipped.places) == task.used
    assert all(len(one.values) >= training.VALUES and one.notes and one.asks for one in found)
    assert all("{s}" in text for one in found for text in (*one.notes, *one.asks))


def test_learning_brings_questions_to_their_notes(training, tmp_path):
    """What is learned from two aspects tells them apart, and comes back from the file as it was learned."""
    keeper = "- {s} is kept by {v}.\nv Ann; Bob; Cid\n? who minds {s}?\n"
    (tmp_path / "pairs.txt").write_text(keeper + "- {s} hums at {v}.\nv 5; 6; 7\n? how loud is {s}?\n")
    model = Model.open()
    task = training.task_of(model, training.aspects(tmp_path / "pairs.txt"), random.Random(1))
    rows, bias = training.rows_of(model)[task.used], np.array(model._bias, np.float32)
    offsets = training.learned(task, rows, bias)

    def margin(moved: np.ndarray) -> float:
        asked = training.to_one(training.to_one(task.counts @ moved)[0] + bias)[0]
        near = asked @ task.notes.T
        return float((near * task.answers).max(1).mean() - (near * (1 - task.answers)).max(1).mean())

    assert margin(rows + offsets) > margin(rows) + 0.1
    wording = Wording(memoryview(training.packed(model, task.used, *training.int8(offsets))))
    assert wording.is_whole and wording.version == model.version
    numbers = np.frombuffer(wording._table, np.uint8).reshape(offsets.shape).astype(np.float32) - 128
    assert np.allclose(numbers * np.array(wording.scales)[:, None], offsets, atol=float(np.abs(offsets).max()) / 100)
