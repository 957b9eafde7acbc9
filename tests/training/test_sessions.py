"""The dev set about agent sessions, made from sessions that these tests write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CLAUDE = "claude-code/owner__repo/one.jsonl"
GEMINI = "gemini/owner__repo/two.jsonl"


def run(transcripts: Path, questions: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Run the script on the transcripts with these rows of questions."""
    tsv, out = transcripts.parent / "questions.tsv", transcripts.parent / "set.json"
    tsv.write_text(questions, encoding="utf-8")
    script = str(ROOT / "training" / "sessions.py")
    command = [sys.executable, script, str(transcripts), str(out), "--questions", str(tsv)]
    return subprocess.run(command, capture_output=True, text=True, check=False), out


def claude_line(speaker: str, content: Any, **more: Any) -> str:
    """Return one record as Claude Code writes it."""
    record = {"type": speaker, "timestamp": "2026-03-01T10:00:00Z", "message": {"content": content}, **more}
    return json.dumps(record) + "\n"


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Return a folder with two sessions: one of lines, one that is a single document."""
    folder = tmp_path / "transcripts"
    for name in (CLAUDE, GEMINI):
        (folder / name).parent.mkdir(parents=True)
    text = [{"type": "text", "text": "The port is 8123 because 8000 was taken."}, {"type": "tool_use", "name": "Read"}]
    (folder / CLAUDE).write_text(
        claude_line("user", "<system-reminder>be brief</system-reminder>Which port do we use?")
        + claude_line("user", "<command-name>/clear</command-name>")
        + "{broken\n"
        + claude_line("assistant", text)
        + claude_line("user", "Injected by a skill.", isMeta=True),
        encoding="utf-8",
    )
    messages = [
        {"type": "info", "content": "An update is there.", "timestamp": "2026-03-02T08:00:00Z"},
        {"type": "user", "content": [{"text": "Use port 9000 from now on."}], "timestamp": "2026-03-02T08:00:01Z"},
    ]
    (folder / GEMINI).write_text(json.dumps({"messages": messages}, indent=1), encoding="utf-8")
    return folder


def test_turns_become_passages(transcripts: Path) -> None:
    """What people and agents said is in the set under file and line; commands, notices and injected text are not."""
    done, out = run(transcripts, "# nothing asked\n")
    assert done.returncode == 0, done.stderr
    (haystack,) = json.loads(out.read_text(encoding="utf-8"))["haystacks"]
    assert [(p["id"], p["session"], p["at"], p["speaker"], p["text"]) for p in haystack["passages"]] == [
        (f"{CLAUDE}#1", CLAUDE, "2026-03-01", "user", "Which port do we use?"),
        (f"{CLAUDE}#4", CLAUDE, "2026-03-01", "assistant", "The port is 8123 because 8000 was taken."),
        (f"{GEMINI}#2", GEMINI, "2026-03-02", "user", "Use port 9000 from now on."),
    ]


def test_questions_point_to_their_passages(transcripts: Path) -> None:
    """A question has its gold passages with their sessions, and the sessions of answers that were replaced."""
    done, out = run(transcripts, f"Where does it listen?\tfact\t{GEMINI}#2\t{CLAUDE}#4\n")
    assert done.returncode == 0, done.stderr
    (question,) = json.loads(out.read_text(encoding="utf-8"))["haystacks"][0]["questions"]
    assert (question["text"], question["kind"]) == ("Where does it listen?", "fact")
    assert (question["passages"], question["sessions"]) == ([f"{GEMINI}#2"], [GEMINI])
    assert (question["older"], question["older_passages"]) == ([CLAUDE], [f"{CLAUDE}#4"])


def test_a_missing_gold_is_named(transcripts: Path) -> None:
    """A gold that no session holds ends the run, says which it is, and leaves no set behind."""
    done, out = run(transcripts, f"Where does it listen?\tfact\t{CLAUDE}#4 {CLAUDE}#2\n")
    assert done.returncode == 1
    assert f"line 1: {CLAUDE}#2" in done.stderr
    assert f"{CLAUDE}#4" not in done.stderr
    assert not os.path.exists(out)


@pytest.mark.parametrize("row", ["no tabs", "Why?\topinion\ta#1", "Why?\tfact\t ", "Why?\tfact\ta#1\tb#2\tc#3"])
def test_a_bad_row_is_named(transcripts: Path, row: str) -> None:
    """A row that is not in the format ends the run with its line."""
    done, _ = run(transcripts, f"# head\n{row}\n")
    assert done.returncode == 1
    assert "questions.tsv:2" in done.stderr


def test_the_newest_snapshot_of_a_growing_session_is_read(transcripts: Path) -> None:
    """Of several snapshots of one session only the last counts, and what another file has already is not repeated."""
    growing = transcripts / "_growth" / "claude-code__three"
    growing.mkdir(parents=True)
    first = claude_line("user", "Rename the flag to --depth.")
    (growing / "000.jsonl").write_text(first, encoding="utf-8")
    (growing / "001.jsonl").write_text(first + claude_line("user", "Which port do we use?"), encoding="utf-8")
    done, out = run(transcripts, "# nothing asked\n")
    assert done.returncode == 0, done.stderr
    passages = json.loads(out.read_text(encoding="utf-8"))["haystacks"][0]["passages"]
    assert [p["id"] for p in passages if "_growth" in p["id"]] == ["_growth/claude-code__three/001.jsonl#1"]


def test_the_questions_of_the_project_are_in_the_format() -> None:
    """The rows of training/sessions.tsv are asked once each, and every kind is among them."""
    rows = [
        line.split("\t")
        for line in (ROOT / "training" / "sessions.tsv").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    kinds = {row[1] for row in rows}
    assert len({row[0] for row in rows}) == len(rows) >= 300
    assert kinds == {"instruction", "preference", "decision", "fact", "fix", "request", "progress"}
