"""What the store costs: remember, recall, list and reindex, each beside its floor in the same run.

Floors: for `remember`, a bare temp file + fsync + rename + folder fsync in the same folder; for a command, a bare
start of Python. Figures are ratios first, because a machine under load is slower at both.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import holdfast
from holdfast.app.reindex import reindex
from holdfast.base.clock import iso
from holdfast.memory.show import list_memories
from holdfast.recall.recall import recall
from holdfast.records import Filter, Memory, Scope
from holdfast.store import memory_file
from holdfast.workspace import Workspace

WORDS = [f"{a}{b}" for a in "bcdfghklmnprst" for b in ("ack", "ell", "ion", "ound", "urge", "avel", "ister", "omplex")]
TOPICS = ("deploy", "database", "cache", "login", "test", "branch", "release", "queue", "schema", "search", "payment")


def main(arguments: list[str]) -> int:
    """Measure storing, then a home of 10,000 memories and a large one."""
    parser = argparse.ArgumentParser(prog="holdfast bench store", description=__doc__)
    parser.add_argument("memories", nargs="?", type=int, default=100_000, help="in the large home; default %(default)s")
    large = parser.parse_args(arguments).memories
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        remember_part(folder)
        for size in sorted({10_000, large}):
            large_part(os.path.join(folder, f"home-{size}"), size)
            shutil.rmtree(os.path.join(folder, f"home-{size}"))
    return 0


def remember_part(folder: str) -> None:
    """One process against its floor, then eight processes at once."""
    rng = random.Random(1)
    data = sentence(rng).encode()
    os.makedirs(os.path.join(folder, "floor"))
    floors, ours = [], []
    with holdfast.open(os.path.join(folder, "home"), project="bench") as memory:
        memory.remember(sentence(rng), key="first")
        # In turns, because a disk that others use is slower at one moment than at the next.
        for turn in range(10):
            texts = [sentence(rng) for _ in range(60)]
            floors.append(rate(lambda n: write_durably(os.path.join(folder, "floor"), f"{n}.md", data), 60))
            ours.append(rate(lambda n, t=turn, x=texts: memory.remember(x[n], key=f"key-{t}-{n}"), 60))
    floor, mine = statistics.median(floors), statistics.median(ours)
    ratio = statistics.median(one / other for one, other in zip(ours, floors, strict=True))
    print(f"remember, one process      {mine:8,.0f}/s   floor {floor:8,.0f}/s   ratio {ratio:.2f} (goal 0.50)")
    eight_processes(folder)


def eight_processes(folder: str) -> None:
    """Eight processes store at once; nothing may be lost."""
    code = (
        "import sys, holdfast\n"
        "home, who = sys.argv[1:]\n"
        "with holdfast.open(home, project='bench') as memory:\n"
        "    for n in range(100): memory.remember(f'process {who} says number {n}', key=f'p{who}-{n}')\n"
    )
    home = os.path.join(folder, "eight")
    start = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", code, home, str(n)]) for n in range(8)]
    failed = sum(process.wait() != 0 for process in running)
    took = time.perf_counter() - start
    with Workspace(home, project="bench") as workspace:
        found = len(list_memories(workspace))
    print(f"remember, eight processes  {800 / took:8,.0f}/s   kept {found} of 800, {failed} processes failed")


def large_part(home: str, size: int) -> None:
    """Recall, list and reindex over many memories."""
    lay(home, size)
    rng = random.Random(2)
    with Workspace(home, project="bench") as workspace:
        start = time.perf_counter()
        reindex(workspace)
        print(f"reindex, {size:,} memories  {time.perf_counter() - start:6.1f} s (goal 60 s at 100,000)")
        prompts = [sentence(rng) for _ in range(30)]
        whole = [timed(lambda q=q: recall(workspace, q)) for q in prompts]
        engine = [timed(lambda q=q: workspace.store.search(q, filter_of(workspace), 50)) for q in prompts]
        looked = [timed(lambda: workspace.refresh(workspace.visible())) for _ in range(10)]
        listed = [timed(lambda: list_memories(workspace, limit=50)) for _ in range(10)]
    print(f"recall, warm, 20 words     {show(whole)}   of it search {show(engine)}, seeing edits {show(looked)}")
    print(f"list of the newest 50      {show(listed)}")
    command_part(home, prompts[0])


def command_part(home: str, prompt: str) -> None:
    """The whole command in a fresh process, beside a bare start of Python."""
    environment = {**os.environ, "HOLDFAST_HOME": home, "HOLDFAST_PROJECT": "bench"}
    # An installed package has its bytecode.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    ours = [timed(lambda: run([sys.executable, "-m", "holdfast", "recall", prompt], environment)) for _ in range(7)]
    bare = [timed(lambda: run([sys.executable, "-I", "-S", "-E", "-c", "pass"], environment)) for _ in range(15)]
    ratio = statistics.median(ours) / statistics.median(bare)
    print(f"`holdfast recall`, fresh   {show(ours)}   floor {show(bare)}   ratio {ratio:.1f}")


def filter_of(workspace: Workspace) -> Filter:
    """Return the filter that a recall from here has."""
    return Filter(workspace.visible())


def lay(home: str, size: int) -> None:
    """Write the files themselves, as a person's vault might hold them."""
    folder = os.path.join(home, "memory", "projects", "bench", "memories")
    os.makedirs(folder)
    rng = random.Random(3)
    # One a minute: what came at one moment would have to be sorted by its name.
    newest = time.time()
    for n in range(size):
        text, at = sentence(rng), iso(newest - 60 * (size - n))
        memory = Memory(
            f"m-{n}", Scope("project", "bench"), text[:60], text, tags=(rng.choice(TOPICS),), created=at, updated=at
        )
        with open(os.path.join(folder, f"m-{n}.md"), "w", encoding="utf-8") as file:
            file.write(memory_file.create(memory))


def sentence(rng: random.Random) -> str:
    """Return twenty words, a few of them common."""
    return " ".join(
        rng.choice(TOPICS) if rng.random() < 0.2 else rng.choice(WORDS) + str(rng.randint(1, 40)) for _ in range(20)
    )


def write_durably(folder: str, name: str, data: bytes) -> None:
    """The floor: what any durable write of one file costs."""
    temporary = os.path.join(folder, ".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    os.rename(temporary, os.path.join(folder, name))
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def rate(act: Callable[[int], object], times: int) -> float:
    """Return how often a second the act is done."""
    start = time.perf_counter()
    for n in range(times):
        act(n)
    return times / (time.perf_counter() - start)


def timed(act: Callable[[], object]) -> float:
    """Return how many milliseconds the act takes."""
    start = time.perf_counter()
    act()
    return (time.perf_counter() - start) * 1000


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run a command and throw its output away."""
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def show(times: list[float]) -> str:
    """Return the median and the worst."""
    return f"p50 {statistics.median(times):7.1f} ms, max {max(times):7.1f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
