"""The benchmark of sweeps, run on logs small enough to wait for; times are never asked for."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from holdfast.surfaces.cli import bench


@pytest.fixture(scope="module")
def sweep_bench():
    """The benchmark, as a module."""
    before = [*sys.path]
    yield runpy.run_path(str(Path(bench._folder()) / "sweep.py"))
    sys.path[:] = before


@pytest.fixture
def logs(sweep_bench):
    """The module that generates the logs."""
    return sweep_bench["claude_like"]


def test_the_quick_run_as_json(cli, monkeypatch):
    """Everything that was written is swept and told: files, sessions, lines that are no JSON; once more, nothing is."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    ended = cli("bench", "sweep", "--", "--quick", "--size", "1500k", "--unchanged", "20", "--json")
    assert ended.code == 0, ended
    large, unchanged = ended.json["large"], ended.json["unchanged"]
    told = large["report"]
    assert told["discovered"] == large["files"] and told["ingested"] == told["analysed"] == large["sessions"]
    assert told["malformed"] == large["malformed"] and told["problems"] == []
    assert large["again"]["skipped_unchanged"] == large["files"] and large["again"]["ingested"] == 0
    assert large["bytes"] >= 1_500_000 and large["longest_line"] > 990_000
    assert unchanged["files"] == unchanged["report"]["skipped_unchanged"] == 20
    assert {"read", "clean", "store", "digest", "index", "lessons", "work", "judge"} <= large["stages"].keys()
    assert {"all learning", "vectors"} <= large["stages"].keys()
    assert large["mb_s_core"] == pytest.approx(large["bytes"] / 1e6 / large["cpu_s"])
    assert {name: one["goal"] for name, one in ended.json["goals"].items()}["mb_s_core"] == 60


def test_the_table_names_what_is_met_and_what_is_missed(sweep_bench, capsys):
    """Every goal stands beside its figure, and a figure on the wrong side of it is told to be missed."""
    stages = dict.fromkeys(("read", "clean", "store", "digest", "index"), 0.5) | {"read": 99.0}
    report = {"large": {"mb_s_core": 50.0, "peak_mb": 299.0, "stages": stages}, "unchanged": {"unchanged_s": 1.5}}
    goals = sweep_bench["_goals"](report)
    assert [name for name, one in goals.items() if not one["met"]] == ["mb_s_core", "unchanged_s", "read_ms_mb"]
    lines = list(sweep_bench["_goal_lines"]({"goals": goals}))
    assert len([line for line in lines if line.endswith("MISSED")]) == 3


@pytest.mark.parametrize("size", ["", "much", "-3m", "12", "1t"])
def test_sizes_that_are_none(cli, monkeypatch, size):
    """What is no size is refused, and says how it is written."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    ended = cli("bench", "sweep", "--", f"--size={size or 'nothing'}")
    assert ended.code == 2
    assert "200m" in ended.err


def test_the_logs_have_the_shape_that_was_measured(logs, tmp_path):
    """Each kind of line has nearly the share in the bytes that it has in real logs, and a seed writes the same."""
    written = logs.write_logs(str(tmp_path / "a"), 6_000_000, long_line=10_000)
    for kind, share in logs.MEASURED.items():
        assert abs(written.shares[kind] - share) < max(1.0, share / 6), kind
    again = logs.write_logs(str(tmp_path / "b"), 6_000_000, long_line=10_000)
    assert again == written
    first, second = (sorted((tmp_path / name).rglob("*.jsonl")) for name in "ab")
    assert [one.read_bytes() for one in first] == [one.read_bytes() for one in second]


def test_what_is_told_of_the_logs_is_in_them(logs, tmp_path):
    """Lines, bytes, broken lines, calls and the long line are as many as the files have."""
    written = logs.write_logs(str(tmp_path), 1_500_000, files=4, long_line=300_000)
    lines = [line for path in tmp_path.rglob("*.jsonl") for line in path.read_bytes().splitlines(keepends=True)]
    assert (len(lines), sum(map(len, lines)), max(map(len, lines))) == (written.lines, written.bytes, written.longest)
    records, broken = [], 0
    for line in lines:
        try:
            records.append(json.loads(line))
        except ValueError:
            broken += 1
    blocks = [block for one in records if one["type"] == "assistant" for block in one["message"]["content"]]
    assert broken == written.malformed
    assert sum(block["type"] == "tool_use" for block in blocks) == written.calls
    messages = {one["message"]["id"] for one in records if one["type"] == "assistant"}
    assert len(messages) < len(blocks), "no message stands on several lines"
