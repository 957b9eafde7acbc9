"""The benchmark of triggers: what it counts, and how sure each figure is."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from holdfast.surfaces.cli import bench


@pytest.fixture(scope="module")
def triggers():
    """The benchmark as a module."""
    path = Path(bench._folder()) / "triggers.py"
    spec = importlib.util.spec_from_file_location("bench_triggers", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_triggers"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["bench_triggers"]


def test_figures_are_given_by_source_and_class(triggers):
    """Precision and recall are counted for written and drawn messages apart and together, each with its interval."""

    def message(id, labels, text, source):
        return triggers.Message(id, "en", frozenset(labels), text, source)

    messages = [
        message("1", ["decision"], "let's go with option 2", "written"),
        message("2", ["decision"], "zzz zzz", "written"),
        message("3", [], "let's go with option 2", "drawn"),
    ]
    rows = triggers.measure("dev", messages)["rows"]
    figures = {row["source"]: (row["precision"], row["recall"]) for row in rows if row["class"] == "decision"}
    assert figures == {"written": (1.0, 0.5), "drawn": (0.0, None), "all": (0.5, 0.5)}
    (whole,) = (row for row in rows if (row["source"], row["class"]) == ("all", "decision"))
    assert whole["recall_interval"] == triggers.interval(1, 2)
    lines = triggers._lines(triggers.measure("dev", messages))
    assert any(line.startswith("  all      decision ") and "recall 0.50 (0." in line for line in lines)


@pytest.mark.parametrize(
    ("right", "of", "between"), [(0, 0, None), (8, 10, [0.49, 0.943]), (10, 10, [0.722, 1.0]), (0, 10, [0.0, 0.278])]
)
def test_the_interval_is_wilsons(triggers, right, of, between):
    """The interval lies within 0 and 1, is wide for few messages, and is none for none."""
    assert triggers.interval(right, of) == between
