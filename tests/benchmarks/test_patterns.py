"""The benchmark of patterns: what it promises of made-up sessions with planted patterns."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The figures of one corpus of each set, and of a few digests."""
    place = str(tmp_path_factory.mktemp("bench"))
    command = [
        sys.executable,
        "-m",
        "holdfast",
        "bench",
        "patterns",
        "--runs=1",
        "--sessions=120",
        "--digests=120",
        "--json",
    ]
    environment = {**os.environ, "HOLDFAST_HOME": f"{place}/home", "HOME": place}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=1200)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_planted_patterns_are_found(report) -> None:
    """Nine of ten planted patterns are found in each set, and at most one of ten reported is spurious."""
    assert [run["set"] for run in report["runs"]] == ["first", "held"]
    for run in report["runs"]:
        assert run["problems"] == []
        assert run["planted"] >= 30 and run["found"] >= 0.9 * run["planted"], run["missed"]
        assert run["spurious"] <= 0.1 * run["reported"], run["what_was_spurious"]
        assert run["cross_agent"] > 10


def test_digests_are_measured(report) -> None:
    """How long the digests take is in the report; the goal is the benchmark's."""
    speed = report["speed"]
    assert speed["digests"] == 120 and speed["patterns"] > 0
    assert speed["seconds"] > 0
