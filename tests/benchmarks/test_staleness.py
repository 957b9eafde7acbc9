"""The benchmark of staleness: edits are rebuilt from transcripts and from git, and judged by other rules than ours."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from holdfast.surfaces.cli.bench import bench

BEFORE = "def one():\n    return 1111\n\n\ndef two():\n    return 2222\n"


def rows(capsys, folder: Path) -> dict[str, dict[str, object]]:
    """Run it and return its rows by their kind."""
    bench("staleness", ["--data", str(folder), "--json"])
    return {row["kind"]: row for row in json.loads(capsys.readouterr().out)["rows"]}


def test_edits_of_a_transcript(tmp_path, capsys) -> None:
    """What the result of an edit tells about the file before is enough; sentences that name it count, too."""
    edit = {"filePath": "/somewhere/app/a.py", "oldString": "2222", "newString": "2", "originalFile": BEFORE}
    said = {"type": "text", "text": "The number of `two` in a.py is wrong.\n"}
    lines = [{"message": {"content": [said]}}, {"toolUseResult": edit}, {"toolUseResult": edit}]
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = rows(capsys, tmp_path)
    assert [found["symbols"][name] for name in ("changed", "warned", "unchanged", "false")] == [1, 1.0, 1, 0.0]
    assert (found["sentences"]["changed"], found["sentences"]["warned"]) == (1, 1.0)
    assert found["all"]["warned"] == 1.0 and found["all"]["false"] == 0.0


def test_edits_of_a_repository(tmp_path, capsys) -> None:
    """Each commit that changed a file is an edit; a change of white space is none."""

    def commit(text: str) -> None:
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        told = ("-c", "user.name=n", "-c", "user.email=n@example.com", "-C", str(tmp_path))
        subprocess.run(["git", *told, "add", "-A"], check=True)
        subprocess.run(["git", *told, "commit", "-qm", "x"], check=True)

    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    commit(BEFORE)
    commit(BEFORE.replace("return 1111", "return  1111"))
    commit(BEFORE.replace("1111", "1"))
    found = rows(capsys, tmp_path)
    assert [found["symbols"][name] for name in ("changed", "warned", "unchanged", "false")] == [1, 1.0, 3, 0.0]
