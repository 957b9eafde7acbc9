"""What a wheel carries: the package with its data, the benchmarks of an installation, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from holdfast.surfaces.cli import bench

ROOT = Path(__file__).parent.parent
# Read at run time.
NEEDED = {
    "holdfast/language/chinese_reader.bin",
    "holdfast/language/judge.bin",
    "holdfast/language/second_reader.bin",
    "holdfast/language/triggers.bin",
    "holdfast/privacy/secret_judge.bin",
    "holdfast/recall/model/table.bin",
    "holdfast/recall/model/wording.bin",
    "holdfast/surfaces/mcp/lists.json",
    "holdfast/surfaces/hook/run.py",
    "holdfast/surfaces/mcp/guidance/normal.md",
    "holdfast/surfaces/web/static/htmx-4.0.0.min.js",
    "holdfast/surfaces/web/templates/base.html",
    "holdfast/py.typed",
}
# Nearly all of it are four tables: what words mean, 18.8 MB, and the readers of decisions 0051 and 0053, 53.3 MB.
MAX_BYTES = 81_000_000


def included() -> list[str]:
    """Return what the wheel carries from outside of the package, by its path in the repository."""
    with open(ROOT / "pyproject.toml", "rb") as file:
        return list(tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"])


def test_every_benchmark_is_shipped_or_named_as_one_of_a_checkout():
    """`holdfast bench` knows of each benchmark whether an installation has it."""
    shipped = {Path(one).stem for one in included() if one.endswith(".py")}
    assert shipped.isdisjoint(bench.IN_A_CHECKOUT)
    assert shipped | set(bench.IN_A_CHECKOUT) == set(bench.names())
    assert not [one for one in included() if "secret" in one]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """A wheel of this checkout."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.slow
def test_a_wheel_has_what_it_needs_and_no_list_of_secrets(wheel):
    """It carries the tables that are made at build time, and neither their texts nor fake secrets nor labelled sets."""
    with zipfile.ZipFile(wheel) as archive:
        files = {entry.filename: entry.file_size for entry in archive.infolist()}
    assert files.keys() >= NEEDED
    assert {name.split("/")[0].split("-")[0] for name in files} == {"holdfast"}
    unwanted = ("secret_lists", "fake_secrets", "_sets/", "weights.txt", "training", "tests/")
    assert [name for name in files if any(word in name.replace("recall_sets/", "") for word in unwanted)] == []
    assert sum(files.values()) < MAX_BYTES


@pytest.mark.slow
def test_an_installed_package_says_which_benchmarks_it_has(wheel, tmp_path, home):
    """The shipped ones are listed; one that needs a checkout says so, and exits as for anything that is not there."""
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    environment = {**os.environ, "PYTHONPATH": str(installed), "HOLDFAST_HOME": str(home)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from holdfast.surfaces.cli.main import main; main()", "bench", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=installed)

    assert set(run().stdout.split()) == {Path(one).stem for one in included() if one.endswith(".py")}
    answer = run("secrets")
    assert answer.returncode == 3 and "the benchmark secrets is not part of an installed package" in answer.stderr
    assert "checkout" in answer.stderr
