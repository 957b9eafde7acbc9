"""The benchmark of replay, on two transcripts of which everything is known."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.places import SHOP

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'yaml'"


def transcript(path: Path, id: str, day: int, *calls: tuple[str, str]) -> None:
    """Write a session of Claude Code that runs these commands; one that prints an error has failed."""
    lines = []
    for number, (line, output) in enumerate(calls):
        about = {"sessionId": id, "cwd": f"/{SHOP}", "timestamp": f"2026-05-0{day}T10:{number:02}:00.000Z"}
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": line}}
        done = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": "Error" in output}
        lines += [
            {
                "type": "assistant",
                "uuid": f"{id}a{number}",
                "message": {"role": "assistant", "content": [call]},
                **about,
            },
            {"type": "user", "uuid": f"{id}u{number}", "message": {"role": "user", "content": [done]}, **about},
        ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_the_figures_of_a_folder(cli, tmp_path, monkeypatch):
    """One table has what would have been said, with the statements of a file known all along, and each line to read."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    fixed = (("pytest -x", MISSING), ("pip install pyyaml", "done"), ("pytest -x", "1 passed"))
    transcript(tmp_path / "data" / "one.jsonl", "s-1", 4, *fixed)
    transcript(tmp_path / "data" / "deep" / "two.jsonl", "s-2", 5, *fixed, ("git push", "done"))
    (tmp_path / "rules.txt").write_text("# rules\nNever run `git push` without asking me first.\n")
    options = ("--memories", str(tmp_path / "rules.txt"), "--out", str(tmp_path / "out.jsonl"))
    found = cli("bench", "replay", "--", "--data", str(tmp_path / "data"), *options, "--json").json
    assert (found["sessions"], found["calls"], found["rules: spoke"]) == (2, 7, 1)
    assert (found["failures: said"], found["failures: in_hand"], found["rules: held"]) == (1, 1, 1)
    assert found["lines in 1,000 calls"] == 285.7
    moments = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(one["kind"], one["session"]) for one in moments] == [
        ("fix", "claude-code/s-2"),
        ("rule", "claude-code/s-2"),
    ]


def test_without_a_folder_it_says_which_one_is_needed(cli, monkeypatch):
    """Nobody's sessions are read unasked."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert "--data FOLDER" in cli("bench", "replay").out
