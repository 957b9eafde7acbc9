"""What the words of a question about something named mean beside what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.memory.remember import remember
from holdfast.recall.embed import Model
from holdfast.recall.recall import recall
from holdfast.recall.wording import PATH, wording_of

SERVICES = ("billing", "checkout", "ledger", "kestrel", "saffron", "basalt", "orchard", "juniper", "meridian", "quartz")
ASPECTS = (
    "{} is deployed on Tuesdays after ten.",
    "{} stores its data in Postgres.",
    "Logs of {} are kept for ninety days.",
    "Backups of {} are taken every night.",
    "Secrets of {} live in Vault.",
    "Code style in {} is enforced by Prettier.",
    "{} pages the platform group.",
    "At most 200 calls a minute may go to {}.",
    "{} listens on 4010.",
    "{} is tested by make verify.",
)


@pytest.fixture
def facts(workspace):
    """Ten services, and ten facts about each."""
    with workspace() as opened:
        for service in SERVICES:
            for aspect in ASPECTS:
                remember(opened, aspect.format(service))
        recall(opened, "anything")
        yield opened


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("which address do I open on my laptop for quartz", "quartz listens on 4010."),
        ("how do I know that I broke nothing in meridian", "meridian is tested by make verify."),
    ],
)
def test_a_question_finds_what_it_shares_no_word_with(facts, monkeypatch, asked, answer):
    """The offsets bring the fact that is meant first; without them another fact about that service comes."""
    assert recall(facts, asked)[0].memory.body == answer
    monkeypatch.setattr("holdfast.recall.statements.wording_of", lambda model: None)
    assert recall(facts, asked)[0].memory.body != answer


def test_words_that_have_no_offset_mean_what_they_say():
    """A text without such words has the vector that the model gives; one with them has another of length one."""
    model = Model.open()
    wording = wording_of(model)
    assert wording is not None
    for text, is_moved in (("kubelet zstd", False), ("who looks after it", True)):
        found, plain = wording.encode(model, text, {}), model.encode(text, query=True)
        assert sum(number * number for number in found) == pytest.approx(1.0)
        assert (found != pytest.approx(plain, abs=1e-4)) == is_moved
    assert not any(wording.encode(model, "", {}))


@pytest.mark.parametrize("trouble", ["missing", "empty", "cut", "magic", "model"])
def test_what_does_not_belong_to_the_model_is_not_used(tmp_path, trouble):
    """Without its file, with a part of it, or with that of another model recall goes by the model alone."""
    data = Path(PATH).read_bytes()
    told = {
        "empty": b"",
        "cut": data[:-1],
        "magic": b"X" + data[1:],
        "model": data.replace(b"static-3", b"static-9", 1),
    }
    path = tmp_path / "wording.bin"
    if trouble in told:
        path.write_bytes(told[trouble])
    assert wording_of(Model.open(), str(path)) is None
