"""The benchmark of injection: what the hooks give over sessions that are replayed."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

from holdfast.surfaces.cli import bench
from support.places import SHOP


def session(path: Path, id: str, day: int, typed: str) -> None:
    """Write a session of Claude Code in which a person types this."""
    line = {"type": "user", "uuid": f"{id}-u", "sessionId": id, "cwd": f"/{SHOP}", "version": "2.0.0"}
    line |= {"timestamp": f"2026-05-0{day}T10:00:00.000Z", "message": {"role": "user", "content": typed}}
    path.write_text(json.dumps(line) + "\n")


def test_sessions_are_replayed_in_the_order_of_time(tmp_path):
    """What a person asked to keep in one session is given at the start of the next, and not before."""
    replayed = runpy.run_path(str(Path(bench._folder()) / "injection.py"))["replayed"]
    session(tmp_path / "a.jsonl", "later", 5, "Run the deployment of the shop now, please.")
    session(tmp_path / "b.jsonl", "earlier", 4, "Remember that deployments of the shop need the VPN.")
    starts, prompts = replayed(str(tmp_path))
    assert (starts["moment"], starts["count"], starts["silent"]) == ("start", 2, 1)
    assert starts["most"] > 0 and prompts["count"] == 2
