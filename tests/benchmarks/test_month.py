"""The benchmark of a month: real hooks play labelled messages, and what stands is told beside them."""

from __future__ import annotations

import json
import random

import pytest

from benchmarks.labelled import BENCHMARKS, module_at
from holdfast.errors import BadInput

MESSAGES = [
    ("a", "Remember that staging lives in europe-west3.", "y"),
    ("a", "fix the failing test in src/parser.py", "n"),
    ("b", "Remember that the moon is made of cheese.", "n"),
]


@pytest.fixture(scope="module")
def month():
    """The benchmark as a module."""
    return module_at(BENCHMARKS / "month.py")


@pytest.fixture
def folder(tmp_path):
    """A folder of labelled messages."""
    rows = [
        {"id": str(number), "writer": writer, "text": text, "before": "Shall I go on?", "labels": [], "keep": keep}
        for number, (writer, text, keep) in enumerate(MESSAGES)
    ]
    (tmp_path / "some.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_a_session_is_of_one_writer(month, folder):
    """Messages of two people never stand in one session, and no more are played than were asked for."""
    sessions = month.sessions_of(folder, 10, random.Random(1))
    assert sorted([one["id"] for one in own] for own in sessions) == [["0", "1"], ["2"]]
    assert sum(map(len, month.sessions_of(folder, 2, random.Random(1)))) == 2


@pytest.mark.slow
def test_what_stands_is_judged_by_the_labels(month, folder, capsys):
    """A memory whose message is worth keeping is right, one that nobody would keep is false, and it counts."""
    code = month.main(["--data", str(folder), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert {row["message"]: row["verdict"] for row in report["memories"]} == {"0": "right", "2": "false"}
    assert code == 1 and report["false"] == 1 and "europe-west3" in report["blocks"]["30"]
    assert report["hooks_x_bare"]["prompt"]["first"] > 1


def test_a_folder_without_messages_is_refused(month, tmp_path):
    """It says what is missing."""
    with pytest.raises(BadInput, match="no labelled messages"):
        month.main(["--data", str(tmp_path)])
