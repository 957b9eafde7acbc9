"""How fast a sweep is: bytes a second and core end to end, memory, and what files cost that did not change.

The logs are generated as Claude Code writes them, one line of 64 MB among them; `session_logs/claude_like.py` has the
shape and where it is from. Everything runs in fresh processes with a home of its own. Times are CPU seconds of the
whole tree of processes, because a machine is shared; beside them stand the floors on the same bytes in the same run:
reading the bytes alone, decoding every line as typed JSON, and two small durable files for each session, with nothing
in them that means anything. The sweep is the one that a person runs: it learns from what it took in and makes vectors.
But for one thing: a person's stops learning and making vectors after ten seconds each and leaves the rest to the next
one, and this one goes on to the end, so that no work is left out of the figure. The same without vectors, and without
learning, tells what these take; the stages before them, and each part of learning, are measured one by one on a part of
the logs.

The memory is that of the sweep and of the process that reads ahead for it, each at its peak, together.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "session_logs"))

import claude_like
from stages import Stages

from holdfast.errors import BadInput
from holdfast.workspace import Workspace

MB = 1_000_000
SIZE, UNCHANGED = "200m", 10_000
QUICK_SIZE, QUICK_UNCHANGED, QUICK_LINE = "3m", 60, MB
STAGES_OF = 60 * MB
REPEATS = 5
# What is wished for: the figure, and whether it is the least or the most.
GOALS = {
    "mb_s_core": (60.0, "least"),
    "peak_mb": (300.0, "most"),
    "unchanged_s": (1.0, "most"),
}
STAGE_GOALS = {"read": 4.0, "clean": 2.0, "store": 1.5, "digest": 1.5, "index": 0.7}
_UNITS = {"": 1, "k": 1_000, "m": MB, "g": 1_000 * MB}
# The program itself, in a process that at its end says how much memory it ever had.
_WATCHED = """
import os, resource, sys
from holdfast.surfaces.cli.main import run
if sys.argv[2] == "to the end":
    from holdfast.app import sweep
    sweep._HARVEST_SECONDS = sweep._VECTOR_SECONDS = float("inf")
code = run(sys.argv[3:])
unit = 1 if sys.platform == "darwin" else 1024
try:
    status = open("/proc/self/status").read()
    peak = int(status.partition("VmHWM:")[2].split()[0]) * 1024
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
peak += resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
with open(sys.argv[1], "w") as file:
    file.write(str(peak))
sys.exit(code)
"""
Figures = dict[str, Any]


class _Message(msgspec.Struct):
    id: str = ""
    role: str = ""
    model: str = ""
    content: Any = None
    usage: Any = None


class _Line(msgspec.Struct):
    """The fields of a line that any reader of it needs; the rest is passed over, as typed decoding does."""

    type: str = ""
    uuid: str = ""
    sessionId: str = ""
    timestamp: str = ""
    cwd: str = ""
    gitBranch: str = ""
    message: _Message | None = None


def main(arguments: list[str]) -> int:
    """Generate logs, sweep them, sweep unchanged ones, and print all figures beside floors and goals."""
    options = _options(arguments)
    tell = _quiet if options.json else _say
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        report = {"large": large_part(Machine(os.path.join(folder, "large"), to_the_end=True), options, tell)}
        report["unchanged"] = unchanged_part(Machine(os.path.join(folder, "small")), options.unchanged, tell)
    report["goals"] = _goals(report)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        _print(report)
    return 0


class Machine:
    """A person's machine in a folder: a home with logs in it, and one of Holdfast."""

    def __init__(self, folder: str, *, to_the_end: bool = False) -> None:
        # A person's sweep learns and makes vectors for ten seconds each.
        self._how_far = "to the end" if to_the_end else "as usual"
        self.person = os.path.join(folder, "person")
        self.logs = os.path.join(self.person, ".claude", "projects")
        self.home = os.path.join(folder, "holdfast")
        self._peak = os.path.join(folder, "peak")
        os.makedirs(self.logs)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HOLDFAST_", "CLAUDE"))}
        self.environment = {**kept, "HOME": self.person, "HOLDFAST_HOME": self.home}

    def run(self, *words: str) -> Figures:
        """Run a command in a fresh process; return wall and CPU seconds, the peak of memory and what it printed."""
        command = [sys.executable, "-c", _WATCHED, self._peak, self._how_far, *words]
        before, start = _cpu_of_children(), time.perf_counter()
        ended = subprocess.run(command, env=self.environment, cwd=self.person, capture_output=True, text=True)
        wall, cpu = time.perf_counter() - start, _cpu_of_children() - before
        if ended.returncode:
            raise RuntimeError(f"holdfast {' '.join(words)} ended with {ended.returncode}: {ended.stderr[-2000:]}")
        with open(self._peak, encoding="ascii") as file:
            return {"wall_s": wall, "cpu_s": cpu, "peak_mb": int(file.read()) / MB, "out": ended.stdout}

    def sweep(self, *without: str) -> Figures:
        """Sweep as a person does, and return what that took with what the sweep reports in place of its text.

        `without` names settings that are switched off; then the home is one of its own.
        """
        home = [f"--home={self.home}-{len(without)}"] if without else []
        off = [word for name in without for word in ("--set", f"{name}=false")]
        found = self.run(*home, *off, "sweep", "--json")
        found["report"] = json.loads(found.pop("out"))
        return found

    def paths(self) -> list[str]:
        """Return the paths of all logs."""
        return [os.path.join(parent, name) for parent, _, names in os.walk(self.logs) for name in sorted(names)]


def large_part(machine: Machine, options: argparse.Namespace, tell: Callable[[str], None]) -> Figures:
    """Measure a sweep of many bytes, its floors and its stages."""
    tell(f"writing {options.size} of logs ...")
    written = claude_like.write_logs(
        machine.logs,
        _bytes(options.size),
        options.files,
        long_line=QUICK_LINE if options.quick else claude_like.LONG_LINE,
    )
    paths = machine.paths()
    tell("floors ...")
    floors = {name: _cpu(lambda act=act: [act(path) for path in paths]) for name, act in FLOORS.items()}
    floors["two durable files each"] = _durable_files(os.path.dirname(machine.home), written.sessions)
    tell("sweeping ...")
    swept = machine.sweep()
    again = machine.sweep()
    tell("sweeping without vectors, and without learning ...")
    no_vectors = machine.sweep("recall.meaning")
    plain = machine.sweep("recall.meaning", "learning.enabled")
    mb = written.bytes / MB
    figures = {name: swept[name] for name in ("wall_s", "cpu_s", "peak_mb", "report")}
    figures |= {"bytes": written.bytes, "files": written.files, "lines": written.lines, "calls": written.calls}
    figures |= {"sessions": written.sessions, "malformed": written.malformed, "longest_line": written.longest}
    figures |= {"mb_s_core": mb / swept["cpu_s"], "again_s": again["wall_s"], "again": again["report"]}
    figures |= {"plain_cpu_s": plain["cpu_s"], "plain_mb_s_core": mb / plain["cpu_s"]}
    figures["mb_s_core_without_long_line"] = (written.bytes - written.longest) / MB / swept["cpu_s"]
    figures["floors"] = {name: {"cpu_s": cpu, "mb_s_core": mb / cpu} for name, cpu in floors.items()}
    figures["shares"] = {
        kind: {"measured": claude_like.MEASURED[kind], "generated": share} for kind, share in written.shares.items()
    }
    figures["archive"] = _sizes_below(machine.home)
    tell("stages ...")
    figures["stages"] = stages_part(machine, paths)
    figures["stages"]["all learning"] = max(0.0, no_vectors["cpu_s"] - plain["cpu_s"]) * 1_000 / mb
    figures["stages"]["vectors"] = max(0.0, swept["cpu_s"] - no_vectors["cpu_s"]) * 1_000 / mb
    return figures


def unchanged_part(machine: Machine, files: int, tell: Callable[[str], None]) -> Figures:
    """Measure a sweep of many small files, and one more when none of them changed."""
    tell(f"{files:,} small files ...")
    written = claude_like.write_small_logs(machine.logs, files)
    first = machine.sweep()
    figures: dict[str, list[float]] = {"unchanged_s": [], "unchanged_cpu_s": [], "version_s": [], "stat_s": []}
    for _ in range(REPEATS):
        second = machine.sweep()
        figures["unchanged_s"].append(second["wall_s"])
        figures["unchanged_cpu_s"].append(second["cpu_s"])
        figures["version_s"].append(machine.run("--version")["wall_s"])
        start = time.perf_counter()
        for path in machine.paths():
            os.stat(path)
        figures["stat_s"].append(time.perf_counter() - start)
    # The fastest is what it costs; whatever is above it, others on the machine cost.
    found: Figures = {name: min(values) for name, values in figures.items()}
    found["unchanged_median_s"] = statistics.median(figures["unchanged_s"])
    found |= {"files": written.files, "bytes": written.bytes, "first_wall_s": first["wall_s"]}
    return {**found, "first_cpu_s": first["cpu_s"], "report": second["report"], "peak_mb": second["peak_mb"]}


def stages_part(machine: Machine, paths: list[str]) -> Figures:
    """Return the CPU milliseconds for each megabyte that every stage takes, on a part of the logs."""
    with Workspace(f"{machine.home}-stages", project="bench", environment=machine.environment) as workspace:
        stages = Stages(workspace, "claude-code")
        for path in paths:
            # The session with the very long line would hide what ordinary ones cost.
            if os.path.getsize(path) < STAGES_OF // 3:
                stages.take(path)
            if stages.bytes > STAGES_OF:
                break
        stages.finish()
        stages.learn()
    return {name: spent * 1_000 / (stages.bytes / MB) for name, spent in stages.spent.items()}


def _read_bytes(path: str) -> None:
    with open(path, "rb") as file:
        while file.read(2**20):
            pass


_decode = msgspec.json.Decoder(_Line).decode


def _decode_lines(path: str) -> None:
    with open(path, "rb") as file:
        for line in file:
            try:
                _decode(line)
            except msgspec.DecodeError:
                continue


FLOORS: dict[str, Callable[[str], None]] = {"reading the bytes": _read_bytes, "typed JSON decode": _decode_lines}


def _durable_files(folder: str, sessions: int) -> float:
    """Return the CPU seconds that two durable files for each session take: a long one and a short one."""
    tried = min(sessions, 200)
    data = os.urandom(30_000)

    def write(number: int, length: int) -> None:
        path = os.path.join(folder, f"floor-{number}-{length}")
        descriptor = os.open(f"{path}.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, data[:length])
        os.fsync(descriptor)
        os.close(descriptor)
        os.rename(f"{path}.tmp", path)
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)

    return _cpu(lambda: [write(n, length) for n in range(tried) for length in (30_000, 3_000)]) * sessions / tried


def _cpu(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def _cpu_of_children() -> float:
    """Return the CPU seconds of all children that ended, with theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sizes_below(home: str) -> dict[str, int]:
    """Return how many bytes a sweep left, by the part of the home that they lie in."""
    found: dict[str, int] = {}
    for parent, _, names in os.walk(home):
        for name in names:
            path = os.path.join(parent, name)
            part = "/".join(os.path.relpath(path, home).split(os.sep)[: 2 if "archive" in parent else 1])
            found[part] = found.get(part, 0) + os.path.getsize(path)
    return dict(sorted(found.items(), key=lambda one: -one[1]))


def _goals(report: Figures) -> Figures:
    """Return figure, goal and whether it is met, for everything that has a goal."""
    figures = {**report["large"], "unchanged_s": report["unchanged"]["unchanged_s"]}
    goals = {
        name: {"figure": figures[name], "goal": goal, "met": (figures[name] >= goal) == (bound == "least")}
        for name, (goal, bound) in GOALS.items()
    }
    for name, goal in STAGE_GOALS.items():
        figure = report["large"]["stages"][name]
        goals[f"{name}_ms_mb"] = {"figure": figure, "goal": goal, "met": figure <= goal}
    return goals


def _print(report: Figures) -> None:
    for line in (*_large_lines(report["large"]), "", *_unchanged_lines(report["unchanged"]), "", *_goal_lines(report)):
        print(line)


def _large_lines(found: Figures) -> Iterator[str]:
    mb = found["bytes"] / MB
    yield f"{'kind of line':24}{'measured %':>12}{'generated %':>13}"
    for kind, share in found["shares"].items():
        yield f"{kind:24}{share['measured']:12.1f}{share['generated']:13.1f}"
    yield ""
    yield f"{mb:,.0f} MB in {found['files']:,} files and {found['lines']:,} lines"
    yield f"the longest line has {found['longest_line']:,} bytes"
    yield f"{'':24}{'CPU s':>9}{'MB/s a core':>13}{'to typed decode':>17}"
    floor = found["floors"]["typed JSON decode"]["cpu_s"]
    for name, one in (*found["floors"].items(), ("sweep", found)):
        yield f"{name:24}{one['cpu_s']:9.2f}{one['mb_s_core']:13,.0f}{one['cpu_s'] / floor:16.1f}x"
    yield f"{'without the long line':24}{found['cpu_s']:9.2f}{found['mb_s_core_without_long_line']:13,.0f}"
    wall = f"{found['wall_s']:.1f} s of wall time, {mb / found['wall_s']:.1f} MB/s on {os.cpu_count()} processors"
    yield f"sweep: {wall}; peak of memory {found['peak_mb']:.0f} MB"
    yield f"the same once more, nothing changed: {found['again_s']:.2f} s of wall time"
    plain = f"{found['plain_cpu_s']:.1f} s of CPU, {found['plain_mb_s_core']:,.0f} MB/s a core"
    yield f"without learning and vectors: {plain}"
    yield "left in the home: " + ", ".join(f"{name} {size / MB:,.1f} MB" for name, size in found["archive"].items())
    yield "stages, CPU ms for each MB: " + ", ".join(f"{name} {ms:.2f}" for name, ms in found["stages"].items())


def _unchanged_lines(found: Figures) -> Iterator[str]:
    yield f"{found['files']:,} small files, {found['bytes'] / MB:.0f} MB"
    yield f"first sweep             {found['first_wall_s']:8.2f} s wall, {found['first_cpu_s']:.2f} s CPU"
    yield f"sweep, nothing changed  {found['unchanged_s']:8.2f} s wall, {found['unchanged_cpu_s']:.2f} s CPU"
    yield f"  the fastest of {REPEATS}; median {found['unchanged_median_s']:.2f} s wall"
    yield f"`holdfast --version`    {found['version_s']:8.2f} s wall"
    yield f"walk and stat           {found['stat_s']:8.2f} s wall"


def _goal_lines(report: Figures) -> Iterator[str]:
    yield f"{'goal':24}{'figure':>10}{'goal':>10}"
    for name, one in report["goals"].items():
        yield f"{name:24}{one['figure']:10.2f}{one['goal']:10.2f}  {'met' if one['met'] else 'MISSED'}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _quiet(text: str) -> None:
    """Say nothing."""


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kmg]?)", text.lower())
    size = int(float(found[1]) * _UNITS[found[2]]) if found else 0
    if size < 1_000:
        raise BadInput(f"{text!a} is no size", "Give bytes, or a number with k, m or g, for example 200m.")
    return size


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench sweep", description=__doc__)
    parser.add_argument("--size", default="", help=f"how many bytes of logs; default {SIZE}")
    parser.add_argument("--files", type=int, default=0, help="in about how many files; default: as real ones are")
    parser.add_argument("--unchanged", type=int, default=-1, help=f"how many small files; default {UNCHANGED:,}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_SIZE} and {QUICK_UNCHANGED} small files")
    parser.add_argument("--json", action="store_true", help="print one document, and nothing on the way")
    options = parser.parse_args(arguments)
    options.size = options.size or (QUICK_SIZE if options.quick else SIZE)
    if options.unchanged < 0:
        options.unchanged = QUICK_UNCHANGED if options.quick else UNCHANGED
    _bytes(options.size)
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
