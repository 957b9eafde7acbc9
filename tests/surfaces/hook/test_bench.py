"""`holdfast bench hook` and `holdfast bench injection` run and print their figures."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

BENCHMARKS = Path(__file__).parent.parent.parent.parent / "benchmarks"


def test_the_hook_is_measured_beside_the_bare_start(capsys):
    """Every case has its median, its 95th percentile and its ratios to the bare start of the same run."""
    main = runpy.run_path(str(BENCHMARKS / "hook.py"))["main"]
    assert main(["--sizes", "40", "--turns", "2", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["memories"] == 40
    prompts = {"prompt", "prompt by words", "English prompt", "common words"}
    calls = {"call", "call with a rule", "call that is held", "failed call"}
    assert found["cases"].keys() == {"bare", "start", "stop", "end", *prompts, *calls}
    assert found["cases"]["bare"]["ratio"] == 1.0
    assert all(row["p50_ms"] > 0 and row["cpu_ratio"] > 0 for row in found["cases"].values())


def test_the_bar_is_measured_for_several_heights(capsys):
    """Both sets are told with meaning and without, for each bar."""
    main = runpy.run_path(str(BENCHMARKS / "injection.py"))["main"]
    assert main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len({(row["set"], row["meaning"], row["among"]) for row in found}) == 6
    assert all(row["brought"] <= row["should"] for row in found)
