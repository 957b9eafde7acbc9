"""The comparison of encoders, run as people run it, on sets that these tests write."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("numpy")
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "src" / "holdfast" / "recall" / "model"


def compared(*arguments: str) -> dict[str, Any]:
    """Return what the script prints as JSON."""
    command = [sys.executable, str(ROOT / "training" / "evaluate.py"), "--json", *arguments]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def write_set(folder: Path) -> None:
    """Write a set of three passages in two sessions, with one question that the last one answers."""
    texts = {
        "1": ("a", "the database is PostgreSQL"),
        "2": ("a", "we ship on Friday"),
        "3": ("b", "tabs, never spaces"),
    }
    passages = [{"id": key, "session": session, "text": text} for key, (session, text) in texts.items()]
    question = {"id": "q", "text": "tabs or spaces?", "passages": ["3"], "sessions": ["b"]}
    document = {"haystacks": [{"passages": passages, "questions": [question]}]}
    (folder / "own.json").write_text(json.dumps(document), encoding="utf-8")


def test_each_set_is_measured_by_passage_and_by_session(tmp_path: Path) -> None:
    """A question whose answer is nearest has a reciprocal rank of 100 among passages and among sessions."""
    write_set(tmp_path)
    found = compared(str(tmp_path), "--encoder", f"ours={MODEL}")["ours"]
    assert found["own turn"] == {"questions": 1, "R@1": 100.0, "R@5": 100.0, "R@10": 100.0, "MRR": 100.0}
    assert found["own session"]["MRR"] == 100.0


def test_encoders_stand_side_by_side_under_their_names(tmp_path: Path) -> None:
    """Two encoders that are the same model have the same figures, each under the name that was given."""
    write_set(tmp_path)
    found = compared(str(tmp_path), "--encoder", f"one={MODEL}", "--encoder", f"two={MODEL}")
    assert list(found) == ["one", "two"]
    assert found["one"] == found["two"]


def test_locomo_is_left_out_unless_asked_for(tmp_path: Path) -> None:
    """A LoCoMo file is measured with --locomo only, so that nobody chooses by it in passing."""
    turn = {"dia_id": "D1:1", "speaker": "Ann", "text": "I bought a kayak"}
    talk = {"session_1_date_time": "1:00 pm on 8 May, 2023", "session_1": [turn]}
    sample = {"sample_id": "s", "conversation": talk, "qa": [{"question": "a kayak?", "evidence": ["D1:1"]}]}
    (tmp_path / "locomo10.json").write_text(json.dumps([sample]), encoding="utf-8")
    arguments = (str(tmp_path), "--encoder", f"ours={MODEL}")
    assert "locomo turn" not in compared(*arguments)["ours"]
    assert compared(*arguments, "--locomo")["ours"]["locomo turn"]["questions"] == 1


def test_the_shipped_model_keeps_its_figure_on_the_dev_set() -> None:
    """The model in the package finds the right message of dev.tsv about as high as its card says."""
    assert compared()["ours"]["dev.tsv turn"]["MRR"] == pytest.approx(83.4, abs=0.5)


def test_the_model_stays_within_twenty_megabytes() -> None:
    """The two files of the model together stay below 20 MB."""
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 20_000_000
