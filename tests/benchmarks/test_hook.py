"""The benchmark of hooks, run on a home small enough to wait for; times are never asked for."""

from __future__ import annotations

import runpy
from pathlib import Path

from holdfast.surfaces.cli import bench

PROMPTS = {"prompt", "prompt by words", "English prompt", "common words"}
CALLS = {"call", "call with a rule", "call that is held", "failed call"}


def test_every_event_is_measured(cli):
    """Each event of a session has its median and its ratios to the bare start of the same run, for every size."""
    ended = cli("bench", "hook", "--", "--sizes", "20", "--turns", "1", "--json")
    assert ended.code == 0, ended
    (found,) = ended.json
    assert found["memories"] == 20 and found["cases"].keys() == {"bare", "start", "stop", "end", *PROMPTS, *CALLS}
    assert found["cases"]["bare"]["ratio"] == 1.0
    assert all(row["p50_ms"] > 0 and row["cpu_p50_ms"] > 0 for row in found["cases"].values())
    assert all(row["cpu_ratio"] > 0 for row in found["cases"].values())


def test_what_grows_faster_than_the_home_is_named():
    """An event that grew by more than the memories did is named, and no other."""
    growth = runpy.run_path(str(Path(bench._folder()) / "hook.py"))["growth"]
    rows = [
        {"bare": {"cpu_p50_ms": 5.0}, "stop": {"cpu_p50_ms": 6.0}, "prompt": {"cpu_p50_ms": one}} for one in (6, 20)
    ]
    lines = growth([{"memories": size, "cases": one} for size, one in zip((100, 1000), rows, strict=True)])
    assert [line.split()[0] for line in lines if "FASTER" in line] == ["prompt"]
