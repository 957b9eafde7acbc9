"""The benchmarks, run as a person runs them; that of recall measured on a set small enough to check by hand."""

from __future__ import annotations

import json
import math
import runpy
import sys
from pathlib import Path

import pytest

from holdfast.surfaces.cli import bench

SYSTEMS = ["holdfast", "fts5", "words", "meaning"]
BENCHMARKS = Path(bench._folder())
PASSAGES = [
    ("a1", "a", "2026-01-01", "We use npm for packages."),
    ("a2", "a", "2026-01-01", "Lunch is at noon."),
    ("b1", "b", "2026-02-01", "From now on we use pnpm for packages."),
    ("b2", "b", "2026-02-01", "The dog barks."),
    ("c1", "c", "2026-03-01", "The release train leaves on Fridays."),
]
QUESTIONS = [
    {"id": "q1", "text": "when does the release train leave?", "passages": ["c1"], "sessions": ["c"]},
    {"id": "q2", "text": "pnpm for packages", "passages": ["b1"], "sessions": ["b"], "older": ["a"]},
    {"id": "q3", "text": "qzxv", "sessions": ["a"]},
]


@pytest.fixture(scope="module")
def recall_bench():
    """The benchmark of recall, as a module."""
    before = [*sys.path]
    yield runpy.run_path(str(BENCHMARKS / "recall.py"))
    sys.path[:] = before


@pytest.fixture
def data(tmp_path):
    """A folder with one set in the simple format."""
    names = ("id", "session", "at", "text")
    passages = [dict(zip(names, passage, strict=True)) for passage in PASSAGES]
    folder = tmp_path / "sets"
    folder.mkdir()
    haystack = {"name": "one", "passages": passages, "questions": QUESTIONS}
    (folder / "tiny.json").write_text(json.dumps({"haystacks": [haystack]}))
    return folder


@pytest.fixture
def run(cli, monkeypatch):
    """Run `holdfast bench recall` with these arguments; what it adds to the import path is taken back."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return lambda *words: cli("bench", "recall", "--", *map(str, words))


def test_bench_lists_the_benchmarks(cli):
    """Without a name, every benchmark is listed, that of recall among them."""
    ended = cli("bench")
    assert ended.code == 0
    assert ended.out.split() == bench.names()
    assert "recall" in bench.names()


@pytest.mark.parametrize("name", bench.names())
def test_every_benchmark_can_be_run(name, monkeypatch):
    """Each has a main that takes arguments, and loading it starts nothing."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert callable(runpy.run_path(str(BENCHMARKS / f"{name}.py"))["main"])


def test_the_four_systems_are_printed(run, data):
    """For each level there is one line a system with all of its measures."""
    ended = run("--data", data)
    assert ended.code == 0, ended
    lines = [line.split() for line in ended.out.splitlines()]
    assert [line[:3] for line in lines] == [["tiny", level, s] for level in ("turn", "session") for s in SYSTEMS]
    assert all(measure in line for line in lines for measure in ("R@1", "R@5", "R@10", "nDCG@10", "MRR"))


def test_options_reach_the_benchmark(cli, data, monkeypatch):
    """Options after the name go to the benchmark as they are."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert cli("bench", "recall", "--data", str(data)).code == 0


def test_the_report_as_json(run, data):
    """The document has set, level, system and measure, in per cent; `newest` only by session."""
    ended = run("--data", data, "--json")
    assert ended.code == 0, ended
    assert ended.json["model"]
    report = ended.json["sets"]
    assert report.keys() == {"tiny"}
    assert list(report["tiny"]) == ["turn", "session"]
    for level, more in (("turn", set()), ("session", {"newest"})):
        assert list(report["tiny"][level]) == SYSTEMS
        for found in report["tiny"][level].values():
            assert found.keys() == {"R@1", "R@5", "R@10", "nDCG@10", "MRR", *more}
            assert all(0.0 <= measure <= 100.0 for measure in found.values())
    assert report["tiny"]["turn"]["words"]["R@1"] == 100.0
    assert report["tiny"]["session"]["words"]["R@1"] == 66.7
    assert report["tiny"]["session"]["words"]["newest"] == 100.0


def test_the_questions_are_written(run, data, tmp_path):
    """There is one JSON line for each question, system and level that knows its answer."""
    ended = run("--data", data, "--questions", tmp_path / "lines.jsonl", "--json")
    assert ended.code == 0, ended
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    levels = {"q1": ("turn", "session"), "q2": ("turn", "session"), "q3": ("session",)}
    expected = {(question, system, level) for question in levels for system in SYSTEMS for level in levels[question]}
    assert {(line["question"], line["system"], line["level"]) for line in lines} == expected
    assert len(lines) == len(expected)
    first = lines[0]
    assert (first["set"], first["gold"], first["ranked"][0]) == ("tiny", ["c1"], "c1")


def test_a_single_set(run, data):
    """With --set only that set is measured."""
    (data / "other.json").write_text((data / "tiny.json").read_text())
    assert run("--data", data, "--json").json["sets"].keys() == {"tiny", "other"}
    assert run("--data", data, "--set", "other", "--json").json["sets"].keys() == {"other"}


def test_an_unknown_set_is_an_error(run, data):
    """The error names the set and those that there are."""
    ended = run("--data", data, "--set", "nonsense")
    assert ended.code == 3
    assert "nonsense" in ended.err and "tiny" in ended.err
    assert ended.out == ""


def test_a_folder_without_sets_is_an_error(run, tmp_path):
    """An empty folder, one that is not there and one with other JSON in it are told as such."""
    other = tmp_path / "other"
    other.mkdir()
    for name, text in (
        ("list", "[]"),
        ("numbers", "[1, 2]"),
        ("nothing", "null"),
        ("broken", "{"),
        ("object", "{}"),
        ("questions", "[]"),
        ("text", '"haystacks"'),
    ):
        (other / f"{name}.json").write_text(text)
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "missing", "other"):
        ended = run("--data", tmp_path / folder)
        assert ended.code == 3, ended
        assert folder in ended.err


@pytest.mark.parametrize("haystack", [{}, {"passages": [{"id": "a"}], "questions": []}, 3, {"passages": 1}])
def test_a_set_that_is_not_in_the_format_is_an_error(run, tmp_path, haystack):
    """A set with something missing is named, with where the format stands."""
    (tmp_path / "mine.json").write_text(json.dumps({"haystacks": [haystack]}))
    ended = run("--data", tmp_path)
    assert ended.code == 2
    assert "mine.json" in ended.err


def test_a_model_that_is_not_there_is_an_error(run, data, tmp_path):
    """Another model that cannot be read is told, and nothing is measured."""
    ended = run("--data", data, "--model", tmp_path / "none")
    assert ended.code == 5
    assert ended.out == ""


def test_no_data_is_an_error(recall_bench, capsys):
    """Without --data the benchmark says what it needs."""
    with pytest.raises(SystemExit) as caught:
        recall_bench["main"]([])
    assert caught.value.code == 2
    assert "--data" in capsys.readouterr().err


def test_measures_by_hand(recall_bench):
    """R@k, nDCG@10 and MRR of a ranking with one right answer at 2 and one at 7, of three."""
    ranked = ["x1", "right1", "x2", "x3", "x4", "x5", "right2", "x6", "x7", "x8", "x9"]
    found = recall_bench["marks"](ranked, frozenset(["right1", "right2", "right3"]))
    gains = 1 / math.log2(3) + 1 / math.log2(8)
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert found == pytest.approx(
        {"R@1": 0.0, "R@5": 1 / 3, "R@10": 2 / 3, "nDCG@10": gains / ideal, "MRR": 0.5},
    )
    assert found["nDCG@10"] == pytest.approx(0.4525, abs=1e-4)


def test_measures_at_the_edges(recall_bench):
    """All right is one, nothing found is nought, and an answer after the tenth counts for MRR alone."""
    marks = recall_bench["marks"]
    assert set(marks(["a"], frozenset("a")).values()) == {1.0}
    assert set(marks([], frozenset("a")).values()) == {0.0}
    late = marks([*"bcdefghijk", "a"], frozenset("a"))
    assert late == pytest.approx({"R@1": 0, "R@5": 0, "R@10": 0, "nDCG@10": 0, "MRR": 1 / 11})
    many = marks([*"abcdefghijkl"], frozenset("abcdefghijkl"))
    assert (many["nDCG@10"], many["R@1"]) == (1.0, pytest.approx(1 / 12))


@pytest.mark.parametrize(
    ("ranked", "newest"), [(["new", "old"], 1.0), (["x", "old", "new"], 0.0), (["x"], 0.0), (["x", "new"], 1.0)]
)
def test_whether_the_newest_comes_first(recall_bench, ranked, newest):
    """`newest` is one where the answer that holds comes before all that do not, whatever else is found."""
    assert recall_bench["marks"](ranked, frozenset(["new"]), frozenset(["old"]))["newest"] == newest


def test_means_are_over_the_questions_that_have_the_measure(recall_bench):
    """A measure that only some questions have is the mean of those."""
    mean = recall_bench["_mean"]
    assert mean([{"MRR": 1.0}, {"MRR": 0.0, "newest": 1.0}]) == {"MRR": 50.0, "newest": 100.0}
