"""The benchmark of speed, run on collections small enough to wait for."""

from __future__ import annotations

import json
import runpy
import sys
from collections import Counter
from pathlib import Path

import pytest

from holdfast.surfaces.cli import bench

WARM = {f"warm_{what}_{part}_ms" for what in ("20_words", "short") for part in ("p50", "p95")}
COMMANDS = ("version", "recall", "list", "remember")
BOTH = {*WARM, "build_s", "fresh_ms", "floor_ms", "fresh_to_floor"}


@pytest.fixture(scope="module")
def speed():
    """The benchmark, as a module."""
    return runpy.run_path(str(Path(bench._folder()) / "speed.py"))


def test_the_report_as_json(speed, monkeypatch, capsys):
    """For each size, memories and passages have every figure, and no time is nought."""
    monkeypatch.setitem(speed["main"].__globals__, "STARTS", 1)
    assert speed["main"](["--sizes", "20,30", "--json"]) == 0
    sizes = json.loads(capsys.readouterr().out)["sizes"]
    assert sizes.keys() == {"20", "30"}
    for found in sizes.values():
        commands = {
            f"command_{name}_ms" for name in (*COMMANDS, "lint", "mcp_tools", "mcp_tools_new_home", "mcp_recall")
        }
        assert found["memories"].keys() == BOTH | commands | {"recall_to_version"}
        assert found["passages"].keys() == BOTH | {"warm_one_project_p50_ms"}
        assert all(figure > 0 for figures in found.values() for figure in figures.values())


def test_what_grows_faster_than_its_input_is_named(speed):
    """A figure that grew by more than the size did is named, and no other."""
    small, large = ({"warm_short_p50_ms": one, "command_recall_ms": 10.0} for one in (1.0, 12.0))
    lines = speed["growth"]({"100": {"memories": small}, "1000": {"memories": large}})
    assert [line for line in lines if "FASTER" in line] == [line for line in lines if "warm_short" in line]
    assert len(lines) == 3 and lines[0].split()[-4:] == ["100", "1,000", "10", "times"]


@pytest.mark.parametrize("sizes", ["", "many", "1000,", "0", "-5"])
def test_sizes_that_are_none(cli, sizes):
    """What is no list of sizes is refused, and says how it is written."""
    ended = cli("bench", "speed", "--", f"--sizes={sizes}")
    assert ended.code == 2
    assert "1000" in ended.err


def test_the_texts_are_like_real_ones(speed):
    """A few words stand in many turns and most in few, a session keeps to its topic, and a seed writes the same."""
    writer = speed["Writer"](1)
    sessions = [writer.session() for _ in range(100)]
    assert sessions[:3] == [again.session() for again in [speed["Writer"](1)] for _ in range(3)]
    turns = [set(turn.split()) for session in sessions for turn in session]
    often = sorted(Counter(word for turn in turns for word in turn).values(), reverse=True)
    assert often[0] > len(turns) / 4
    assert sum(count == 1 for count in often) > len(often) / 4
    long, short = writer.prompts()
    assert {len(prompt.split()) for prompt in long} == {20}
    assert {len(prompt.split()) for prompt in short} == {4}


def test_more_memories_than_are_measured(speed, monkeypatch, capsys):
    """A size beyond what files can be written for is said to be left out, and passages are measured."""
    monkeypatch.setitem(speed["main"].__globals__, "MAX_MEMORIES", 10)
    monkeypatch.setitem(speed["main"].__globals__, "STARTS", 1)
    assert speed["main"](["--sizes", "20"]) == 0
    told = capsys.readouterr()
    assert "no more than 10" in told.err
    assert "passages" in told.out and "memories" not in told.out
    assert sys.executable not in told.out
