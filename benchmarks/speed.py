"""How fast recall is, by the size of the collection: memories and passages, warm and in a fresh process.

The texts are made up: words of the model's vocabulary as often as words are in real text (Zipf), sessions of twenty
turns about a topic, eight projects. The prompts are twenty words of a turn, as a person would paste them, and short
questions of four telling words. A fresh process is measured beside its floor, a bare start of Python, in turns; the
commands of a person beside `holdfast --version`: the goal of `recall` is twice that at 10,000 memories, and four times
at 100,000. `lint` runs once. Of the MCP server it is told when it has listed its tools, also in a home that is new, and
answered a first recall; the goals are 100 and 250 ms. A last table has what grows over the sizes, and names what grew
faster than the collection.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate

import holdfast
from holdfast.app.reindex import reindex
from holdfast.base.clock import iso
from holdfast.base.text import count
from holdfast.errors import BadInput
from holdfast.recall import embed
from holdfast.recall.embed import Model
from holdfast.recall.engine import Engine
from holdfast.recall.meaning import model_of
from holdfast.recall.recall import recall
from holdfast.recall.scan import Scan
from holdfast.recall.vectors import make_vectors
from holdfast.records import Filter, Memory, Scope
from holdfast.store import memory_file
from holdfast.store.passages import Passages, PassageSource
from holdfast.workspace import Workspace

SIZES = "1000,10000,100000"
# A memory is a file; more of them than this would take too long to write.
MAX_MEMORIES = 100_000
PROJECTS, TURNS, PROMPTS, STARTS = 8, 20, 60, 11
HITS = 10
FLOOR = [sys.executable, "-I", "-S", "-E", "-c", "pass"]
# What a hook does, with nothing but the standard library: open the index, ask, and read what was found.
ROOMS = """
import sys
sys.path.insert(0, sys.argv[1])
kind, path, prompt, project = sys.argv[2:]
from holdfast.recall.embed import Model
from holdfast.recall.engine import Engine
from holdfast.records import Scope
from holdfast.records import Filter
wanted = Filter((Scope("project", project), Scope("global")))
if kind == "passages":
    import sqlite3
    from holdfast.store.passages import Passages
    table = Passages(sqlite3.connect(path, isolation_level=None))
else:
    from holdfast.store.database import Index
    from holdfast.store.memory_table import MemoryTable
    table = MemoryTable(Index(path))
asked = table.ask(prompt)
for one in Engine(table, Model.open()).find(asked, wanted, 3):
    table.read(one.id) if kind == "passages" else table.candidates({one.id: (1.0, 0.0)}, asked, wanted)
"""
Times = dict[str, float]
Report = dict[str, dict[str, Times]]


class Writer:
    """Writes sessions of made-up turns; the same seed writes the same."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.names = _lines(os.path.join(embed.HOME, "vocabulary.txt"))
        empty = _lines(os.path.join(os.path.dirname(memory_file.__file__), "empty_words.txt"))
        self.empty = [word for word in empty if word.isalpha()]
        known = set(self.empty)
        self.names = [
            word for word in self.names if word.isascii() and word.isalpha() and len(word) > 2 and word not in known
        ]
        self._how_often = list(accumulate(1 / (rank + 8) ** 1.05 for rank in range(len(self.names))))
        self._how_often_empty = list(accumulate(1 / (rank + 2) for rank in range(len(self.empty))))

    def session(self) -> list[str]:
        """Return twenty turns about one topic."""
        topic = self.chance.choices(self.names, cum_weights=self._how_often, k=40)
        return [self._turn(topic) for _ in range(TURNS)]

    def _turn(self, topic: list[str]) -> str:
        chance = self.chance
        length = min(120, max(5, int(chance.lognormvariate(3.2, 0.7))))
        empty, about = int(length * 0.4), int(length * 0.2)
        words = chance.choices(self.empty, cum_weights=self._how_often_empty, k=empty)
        words += chance.choices(topic, k=about)
        words += chance.choices(self.names, cum_weights=self._how_often, k=length - empty - about)
        chance.shuffle(words)
        if chance.random() < 0.3:
            words.append(f"{chance.choice(topic)}_{chance.choice(self.names)}{chance.randrange(100)}")
        return " ".join(words)

    def prompts(self) -> tuple[list[str], list[str]]:
        """Return prompts of twenty words and questions of four telling ones, of sessions like those that are stored."""
        long, short = [], []
        while len(long) < PROMPTS:
            words = self.chance.choice(self.session()).split()
            telling = [word for word in words if word not in self.empty]
            if len(words) >= 20 and len(telling) >= 4:
                long.append(" ".join(words[:20]))
                short.append(" ".join(self.chance.sample(telling, 4)))
        return long, short


def _lines(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def main(arguments: list[str]) -> int:
    """Build a collection of each size, ask it, and print what it took."""
    options = _options(arguments)
    sizes = _sizes(options.sizes)
    tell = _quiet if options.json else _say
    report: Report = {}
    for size in sizes:
        for kind, measure in (("memories", memories_part), ("passages", passages_part)):
            if kind == "memories" and size > MAX_MEMORIES:
                tell(f"memories: no more than {MAX_MEMORIES:,}, one file each")
                continue
            with tempfile.TemporaryDirectory() as folder:
                found = measure(folder, size, tell)
            report.setdefault(str(size), {})[kind] = found
            if not options.json:
                _print(size, kind, found)
    if options.json:
        print(json.dumps({"sizes": report}, indent=2))
    elif len(report) > 1:
        print("\n".join(growth(report)))
    return 0


def passages_part(folder: str, size: int, tell: Callable[[str], None]) -> Times:
    """Measure a collection of passages."""
    path, model = os.path.join(folder, "index.db"), Model.open()
    db = sqlite3.connect(path, isolation_level=None)
    try:
        built = lay_passages(db, size, model, tell)
        table = Passages(db)
        scan, everything = Scan(table), Filter(None)

        def ask(prompt: str, wanted: Filter) -> None:
            for one in Engine(table, model, scan).find(table.ask(prompt), wanted, HITS):
                table.read(one.id)

        long, short = Writer(7).prompts()
        found = {"build_s": built, **_warm(lambda prompt: ask(prompt, everything), long, short)}
        mine = Filter((Scope("project", "p-1"), Scope("global")))
        found["warm_one_project_p50_ms"] = statistics.median([timed(lambda p=p: ask(p, mine)) for p in long])
        return {**found, **_fresh("passages", path, long[0])}
    finally:
        db.close()


def lay_passages(db: sqlite3.Connection, size: int, model: Model, tell: Callable[[str], None]) -> float:
    """Fill the table, and return how many seconds it took."""
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    table, start, done = Passages(db), time.perf_counter(), 0
    tell(f"{size:,} passages are made; this takes about {count(max(1, size // 2_500), 'second')}")
    for number, turns in enumerate(_sessions(size)):
        if number % 500 == 0:
            if number:
                db.execute("COMMIT")
                tell(f"  {done:,} of {size:,} after {time.perf_counter() - start:.0f} s")
            db.execute("BEGIN")
        at = f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}"
        told = [(place, text, f"{number}:{place}", "user", at) for place, text in enumerate(turns)]
        scope = Scope("project", f"p-{number % PROJECTS}")
        table.put(PassageSource(f"s-{number}", scope, at=at), {scope: told})
        done += len(turns)
    db.execute("COMMIT")
    while make_vectors(table, model, 2_000):
        pass
    return time.perf_counter() - start


def _sessions(size: int) -> Iterator[list[str]]:
    writer, left = Writer(1), size
    while left > 0:
        yield writer.session()[:left]
        left -= TURNS


def memories_part(folder: str, size: int, tell: Callable[[str], None]) -> Times:
    """Measure a home with so many memories of one project."""
    home = os.path.join(folder, "home")
    tell(f"{size:,} memories are written and indexed; this takes about {count(max(1, size // 800), 'second')}")
    start = time.perf_counter()
    lay_memories(home, size)
    with Workspace(home, project="bench") as workspace:
        reindex(workspace)
        model = model_of(workspace)
        while model and workspace.store.ask(lambda tables: make_vectors(tables.memories, model, 500)):
            pass
        built = time.perf_counter() - start
        long, short = Writer(7).prompts()
        recall(workspace, long[0])
        found = {"build_s": built, **_warm(lambda prompt: recall(workspace, prompt), long, short)}
    environment = {**os.environ, "HOLDFAST_HOME": home, "HOLDFAST_PROJECT": "bench"}
    # An installed package has its bytecode.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    ours = [sys.executable, "-m", "holdfast"]
    commands = {"version": ("--version",), "recall": ("recall", long[0]), "list": ("list",), "remember": ("remember",)}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(STARTS):
        for name, words in commands.items():
            more = (f"The turn {turn} stores {short[turn]}.",) if name == "remember" else ()
            times[name].append(timed(lambda w=(*words, *more): _run([*ours, *w], environment)))
    times["lint"] = [timed(lambda: _run([*ours, "lint"], environment, may_find=True))]
    times["mcp_tools"], times["mcp_recall"] = zip(*[_mcp([*ours, "mcp"], environment) for _ in range(5)], strict=True)
    times["mcp_tools_new_home"] = [
        _mcp([*ours, "mcp"], {**environment, "HOLDFAST_HOME": os.path.join(folder, f"new-{turn}")})[0]
        for turn in range(5)
    ]
    found |= {f"command_{name}_ms": statistics.median(some) for name, some in times.items()}
    found["recall_to_version"] = found["command_recall_ms"] / found["command_version_ms"]
    return {**found, **_fresh("memories", os.path.join(home, "index.db"), long[0])}


def lay_memories(home: str, size: int) -> None:
    """Write the files themselves, as a person's vault might hold them."""
    folder = os.path.join(home, "memory", "projects", "bench", "memories")
    os.makedirs(folder, 0o700)
    number = 0
    for turns in _sessions(size):
        for text in turns:
            # One a minute: what was stored at the same moment is ordered in another way.
            at = iso(time.time() - 60 * (size - number))
            title = " ".join(text.split()[:6])
            memory = Memory(f"m-{number}", Scope("project", "bench"), title, text, created=at, updated=at)
            with open(os.path.join(folder, f"m-{number}.md"), "w", encoding="utf-8") as file:
                file.write(memory_file.create(memory))
            number += 1


def _warm(ask: Callable[[str], object], long: list[str], short: list[str]) -> Times:
    """Return how long prompts take in a process that has asked before."""
    for prompt in (*long[:5], *short[:5]):
        ask(prompt)
    found: Times = {}
    for name, prompts in (("warm_20_words", long), ("warm_short", short)):
        times = [timed(lambda p=prompt: ask(p)) for prompt in prompts]
        found[f"{name}_p50_ms"] = statistics.median(times)
        found[f"{name}_p95_ms"] = sorted(times)[len(times) * 95 // 100]
    return found


def _fresh(kind: str, path: str, prompt: str) -> Times:
    """Return what a fresh process takes that only opens the index and asks it, as a hook does."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(holdfast.__file__)))
    project = "p-1" if kind == "passages" else "bench"
    rooms = [sys.executable, "-I", "-S", "-E", "-c", ROOMS, source, kind, path, prompt, project]
    ours, floors = _in_turns(rooms, dict(os.environ))
    return {"fresh_ms": ours, "floor_ms": floors, "fresh_to_floor": ours / floors}


def _in_turns(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return the median of a command and of a bare start of Python, in turns, since a machine is never quiet."""
    ours, floors = [], []
    for _ in range(STARTS):
        floors.append(timed(lambda: _run(FLOOR, environment)))
        ours.append(timed(lambda: _run(command, environment)))
    return statistics.median(ours), statistics.median(floors)


def _run(command: list[str], environment: dict[str, str], *, may_find: bool = False) -> None:
    given = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(command, env=environment, check=not may_find, **given)


def _mcp(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Return how many milliseconds after its start a server has listed its tools, and answered a first recall."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    asked = [("initialize", hello), ("tools/list", {})]
    asked.append(("tools/call", {"name": "memory_recall", "arguments": {"query": "the deployment of the server"}}))
    took = []
    start = time.perf_counter()
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        for number, (method, params) in enumerate(asked):
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
            server.stdin.flush()  # type: ignore[union-attr]
            server.stdout.readline()  # type: ignore[union-attr]
            took.append((time.perf_counter() - start) * 1000)
        server.stdin.close()  # type: ignore[union-attr]
    return took[1], took[2]


def timed(act: Callable[[], object]) -> float:
    """Return how many milliseconds the act takes."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def _print(size: int, kind: str, found: Times) -> None:
    print(
        f"{size:>9,} {kind:8}"
        f"  20 words p50 {found['warm_20_words_p50_ms']:6.1f} p95 {found['warm_20_words_p95_ms']:6.1f}"
        f"  short p50 {found['warm_short_p50_ms']:6.1f} p95 {found['warm_short_p95_ms']:6.1f}"
        f"  fresh {found['fresh_ms']:6.1f}  floor {found['floor_ms']:5.1f}  ratio {found['fresh_to_floor']:4.1f}"
        + f"  built in {found['build_s']:.0f} s"
    )
    told = [(name[8:-3], figure) for name, figure in found.items() if name.startswith("command_")]
    if told:
        said = ", ".join(f"{name} {figure:.0f}" for name, figure in told)
        print(f"{'':18}  commands, ms: {said}; recall is {found['recall_to_version']:.2f} times --version")


def growth(report: Report) -> list[str]:
    """Return a table of the figures in ms over the sizes, and by how much each grew; what grew faster is named."""
    lines = []
    for kind in dict.fromkeys(kind for found in report.values() for kind in found):
        sizes = sorted((size for size in report if kind in report[size]), key=int)
        by = int(sizes[-1]) / int(sizes[0])
        lines.append(f"{kind + ', ms':26}" + "".join([f"{int(size):>12,}" for size in sizes]) + f"{by:>12g} times")
        for name, last in report[sizes[-1]][kind].items():
            if not name.endswith("p50_ms") and not name.startswith("command_"):
                continue
            figures = [report[size][kind].get(name, 0.0) for size in sizes]
            grew = last / figures[0] if figures[0] else 1.0
            row = f"  {name:24}" + "".join([f"{figure:12,.1f}" for figure in figures]) + f"{grew:12.2f}"
            lines.append(row + ("   GROWS FASTER THAN ITS INPUT" if grew > by else ""))
    return lines


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _quiet(text: str) -> None:
    """Say nothing."""


def _sizes(text: str) -> list[int]:
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise BadInput(f"{text!a} are no sizes", f"Give numbers with commas, for example {SIZES}.")
    return sizes


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench speed", description=__doc__)
    parser.add_argument("--sizes", default=SIZES, help=f"how many of each, with commas; default {SIZES}")
    parser.add_argument("--json", action="store_true", help="print one document, and nothing on the way")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
