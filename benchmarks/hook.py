"""What a hook costs an agent: every event of a session in fresh processes, beside a bare start of Python.

    holdfast bench hook [--sizes 1000,10000] [--turns 40] [--anchored] [--json]

The home is one that was lived in: half of the memories in the project at hand and half in 49 others, decisions and
lessons among them, the pages that show them, 50 rules, receipts of a year and what three hundred sessions left. Words
are as common as in any language (Zipf). Each turn runs every case once, so that a machine under load is slow for all of
them. Figures are ratios to the bare start, by the clock and by the processor's time, which other programs disturb less.
The goal is a prompt and a start at 3 bare starts with 10,000 memories and at 4 with 100,000, also for a prompt whose
words stand in a tenth of all memories; a hook before a call at 2 where no rule holds, and at 3 where one does. With
`--anchored` every memory names a function of a file of 4,000 lines, and is held against it when it is given.

With several sizes a last table tells by how much each event grew from the smallest to the largest, the bare start taken
off, and names what grew faster than the home did.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import holdfast
from holdfast import agents
from holdfast.app.finish import finish
from holdfast.app.hook import hook
from holdfast.app.reindex import reindex
from holdfast.base.clock import iso, now
from holdfast.journal import Journal
from holdfast.language import code_spans
from holdfast.memory.remember import remember
from holdfast.records import Event, HookCall, Memory, Scope, replace
from holdfast.store import memory_file
from holdfast.workspace import Workspace

PACKAGE = os.path.dirname(os.path.abspath(holdfast.__file__))
RUNNER = os.path.join(PACKAGE, "surfaces", "hook", "run.py")
PYTHON = os.path.realpath(sys.executable)
GOALS = {10_000: 3.0, 100_000: 4.0}
PROJECT = "example.com--acme--bench"
WORDS = 20_000
RULES = 50
PROJECTS = 50
# Each day of a year has so many receipts, and so many sessions left what hooks keep of them.
RECEIPTS, SESSIONS = 20, 300
# What people ask has many common words, which random ones have not, and rates and states nothing, as most prompts do.
ASKED = (
    "Could we move the {} worker over to a queue of its own and keep the {} from blocking checkout at night?",
    "I would like you to look at how the {} is read before the {} is written, and tell me why it takes so long.",
    "Please add a test for the {} that fails when the {} is missing, then change the code so that it passes.",
)
Took = tuple[float, float]


def main(arguments: list[str]) -> int:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(prog="holdfast bench hook", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000", help="numbers of memories, with commas")
    parser.add_argument("--turns", type=int, default=40, help="how often each case runs")
    parser.add_argument("--anchored", action="store_true", help="memories name code that is looked at")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    found = []
    for size in [int(size) for size in options.sizes.split(",")]:
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-hook-") as folder:
            print(f"laying and indexing {size:,} memories", file=sys.stderr)
            bench = Bench(folder, size, anchored=options.anchored)
            found.append(bench.measured(options.turns))
        if not options.json:
            show(found[-1])
    if options.json:
        print(json.dumps(found, indent=2))
    elif len(found) > 1:
        print("\n".join(growth(found)))
    return 0


class Bench:
    """One home of one size, and the folder of a project that an agent stands in."""

    def __init__(self, folder: str, size: int, *, anchored: bool = False) -> None:
        self.size = size
        self.anchored = anchored
        self.home = os.path.join(folder, "home")
        self.project = os.path.join(folder, "project")
        self.rng = random.Random(size)
        self.words = vocabulary()
        self.common = [f"{word}ish" for word in self.words[-10:]]
        # The n-th word is about as common as one n-th of the first, as Zipf found.
        self.shares = list(itertools.accumulate(1 / (rank + 10) for rank in range(len(self.words))))
        self._count = 0
        lay_project(self.project)
        self._lay()

    def _lay(self) -> None:
        with open(os.path.join(self.project, "code.py"), "w", encoding="utf-8") as file:
            file.write("".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(1_000)))
        self._lay_memories()
        lay_receipts(self.home)
        with Workspace(self.home, project=PROJECT) as workspace:
            reindex(workspace)
            remember(workspace, "Never `git push --force` without asking me first.", scope="project")
            for number in range(RULES):
                remember(workspace, f"Target {number} needs the VPN of site {number}.", when=f"make deploy-{number}")
            for number in range(20):
                remember(workspace, self.sentence(12), type=("decision", "lesson")[number % 2])
            finish(workspace)
        # As it is when an agent has run here for a while; a process each would take too long.
        environment = {**self._environment(), "HOLDFAST_HOOK_BUDGET_MS": "60000", "HOLDFAST_SWEEP_AT_SESSION_END": "no"}
        for number in range(min(SESSIONS, self.size)):
            about = {"session": f"0198c1a2-7f3e-4d5b-8a6c-{number:012d}", "folder": self.project}
            for moment, told in (
                ("start", {"source": "startup"}),
                ("prompt", {"prompt": self.sentence(20)}),
                ("stop", {"answer": f"I changed `code.py`: {self.sentence(12)} All 12 tests pass."}),
                ("end", {"source": "exit"}),
            ):
                call = HookCall("claude-code", moment, moment, **about, **told)
                hook(self.home, agents.get("claude-code"), call, environment)
        self._hook("Stop", {})

    def _lay_memories(self) -> None:
        at = now()
        # The n-th word is about as common as one n-th of the first; these stand in a tenth of all memories.
        for number in range(self.size):
            scope = Scope("project", PROJECT if number % 2 else f"{PROJECT}-{number % PROJECTS}")
            text = f"{self.sentence(25)} {self.common[number % 10]}"
            memory = Memory(f"m-{number}", scope, text[:50], text, created=at, updated=at)
            if self.anchored:
                held = code_spans.digest(f"def f{number % 1_000}(x):\n    return x + {number % 1_000}")
                memory = replace(memory, anchors=(f"code.py#f{number % 1_000}@{held}",))
            memories = os.path.join(self.home, "memory", "projects", scope.owner, "memories")
            os.makedirs(memories, 0o700, exist_ok=True)
            with open(os.path.join(memories, f"m-{number}.md"), "w", encoding="utf-8") as file:
                file.write(memory_file.create(memory))

    def sentence(self, length: int) -> str:
        """Return words of the model's vocabulary, a few of them common and most of them rare, as in any language."""
        return " ".join(self.rng.choices(self.words, cum_weights=self.shares, k=length)).capitalize() + "."

    def measured(self, turns: int) -> dict[str, object]:
        """Run every case in turns and return the median and the 95th percentile of each, and its ratio to the bare."""
        cases = {
            **{"bare": self.bare, "start": self.start, "prompt": self.prompt},
            **{"prompt by words": self.by_words, "English prompt": self.english, "common words": self.common_words},
            **{"call": self.call, "call with a rule": self.ruled, "call that is held": self.held},
            **{"failed call": self.failed, "stop": self.stop, "end": self.end},
        }
        times: dict[str, list[Took]] = {name: [] for name in cases}
        for turn in range(turns + 3):
            for name, act in cases.items():
                took = act()
                # The first turns fill the caches of the system.
                if turn >= 3:
                    times[name].append(took)
        rows = {name: figures(took, times["bare"]) for name, took in times.items()}
        return {"memories": self.size, "turns": turns, "goal": GOALS.get(self.size), "cases": rows}

    def bare(self) -> Took:
        """The floor: an interpreter that does nothing."""
        return timed([PYTHON, "-I", "-S", "-E", "-c", "pass"], b"", self._environment())

    def start(self) -> Took:
        """The start of a session, which gets its block."""
        return self._hook("SessionStart", {"source": "startup"})

    def prompt(self) -> Took:
        """A prompt of twenty words, with recall by words and by meaning."""
        return self._hook("UserPromptSubmit", {"prompt": self.sentence(20)})

    def by_words(self) -> Took:
        """The same without meaning."""
        return self._hook("UserPromptSubmit", {"prompt": self.sentence(20)}, HOLDFAST_RECALL_MEANING="no")

    def english(self) -> Took:
        """A prompt as people write it, of which the words tell the language."""
        prompt = self.rng.choice(ASKED).format(*self.rng.choices(self.words, k=2))
        return self._hook("UserPromptSubmit", {"prompt": prompt})

    def common_words(self) -> Took:
        """The worst prompt: each of its words stands in a tenth of all memories."""
        return self._hook("UserPromptSubmit", {"prompt": f"Please look at {' '.join(self.common)} for me."})

    def failed(self) -> Took:
        """A command that failed."""
        told = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "error": "Exit code 2\nno module named x"}
        return self._hook("PostToolUseFailure", told)

    def stop(self) -> Took:
        """A pause: the agent has answered."""
        return self._hook("Stop", {})

    def end(self) -> Took:
        """The end of a session; the sweep behind it is switched off, because it would run beside the next case."""
        return self._hook("SessionEnd", {"reason": "exit"}, HOLDFAST_SWEEP_AT_SESSION_END="no")

    def call(self) -> Took:
        """A command of which no rule says anything."""
        return self._calling("git status --short && ls -l src")

    def ruled(self) -> Took:
        """A command at which a rule is said."""
        return self._calling("cd api && make deploy-7")

    def held(self) -> Took:
        """A command that is held."""
        return self._calling("git push --force origin main")

    def _calling(self, line: str) -> Took:
        return self._hook("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": line}})

    def _hook(self, event: str, told: dict[str, object], **more: str) -> Took:
        self._count += 1
        # As most agents name a session.
        session = f"0198c1a2-7f3e-4d5b-9a6c-{self._count:012d}"
        about = {"session_id": session, "cwd": self.project, "prompt_id": str(self._count)}
        command = [PYTHON, "-I", "-S", "-E", RUNNER, event, "--agent", "claude-code"]
        return timed(command, json.dumps({**about, **told}).encode(), {**self._environment(), **more})

    def _environment(self) -> dict[str, str]:
        return {
            "HOLDFAST_HOME": self.home,
            "HOME": os.path.dirname(self.home),
            "CLAUDECODE": "1",
            "PATH": os.environ.get("PATH", ""),
        }


def vocabulary() -> list[str]:
    """Return words that people use, in an order of our own, which stands for how common each is."""
    with open(os.path.join(PACKAGE, "recall", "model", "vocabulary.txt"), encoding="utf-8") as file:
        words = [word for word in file.read().split("\n") if word.isascii() and word.isalpha() and len(word) > 3]
    random.Random(7).shuffle(words)
    return words[:WORDS]


def lay_receipts(home: str) -> None:
    """Write the receipts of a year, as hooks do."""
    journal, given = Journal(home), [["project", PROJECT, "m-1", "0" * 12, "words", 40]]
    data = {"agent": "claude-code", "moment": "prompt", "given": given, "left_out": [], "characters": 160, "tokens": 40}
    for number in range(365 * RECEIPTS):
        at = iso(time.time() - 86_400 * (number // RECEIPTS))
        journal.append(Event(at, "receipt", {**data, "session": f"s-{number // 5}"}), durable=False)


def growth(found: list[dict[str, object]]) -> list[str]:
    """Return by how much each event grew from the smallest home to the largest; what grew faster is named."""
    least, most = (min(found, key=_memories), max(found, key=_memories))
    by = _memories(most) / _memories(least)
    lines = [f"{_memories(least):,} to {_memories(most):,} memories, {by:g} times as many; a bare start is taken off"]
    for name in most["cases"]:  # type: ignore[attr-defined]
        before, after = (one["cases"][name]["cpu_p50_ms"] - one["cases"]["bare"]["cpu_p50_ms"] for one in (least, most))  # type: ignore[index]
        grew = after / before if before > 0 else 1.0
        lines.append(f"  {name:16} {grew:6.2f} times{'   GROWS FASTER THAN ITS INPUT' if grew > by else ''}")
    return lines


def _memories(found: dict[str, object]) -> int:
    return int(str(found["memories"]))


def lay_project(folder: str) -> None:
    """Make a git repository with a remote, as most projects are."""
    for part in ("objects", "refs"):
        os.makedirs(os.path.join(folder, ".git", part))
    for name, text in (
        ("HEAD", "ref: refs/heads/main\n"),
        ("config", '[remote "origin"]\n\turl = https://example.com/acme/bench.git\n'),
    ):
        with open(os.path.join(folder, ".git", name), "w", encoding="utf-8") as file:
            file.write(text)


def timed(command: list[str], data: bytes, environment: dict[str, str]) -> Took:
    """Return how many milliseconds a fresh process takes from start to end, by the clock and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, input=data, stdout=subprocess.PIPE, env=environment, check=True)
    took = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took * 1000, busy * 1000


def figures(took: list[Took], bare: list[Took]) -> dict[str, float]:
    """Return the median, the 95th percentile and the ratios to the bare start."""
    clock, busy = ([one[part] for one in took] for part in (0, 1))
    bare_clock, bare_busy = (statistics.median([one[part] for one in bare]) for part in (0, 1))
    return {
        "p50_ms": round(statistics.median(clock), 2),
        "p95_ms": round(sorted(clock)[int(len(clock) * 0.95)], 2),
        "ratio": round(statistics.median(clock) / bare_clock, 2),
        "cpu_p50_ms": round(statistics.median(busy), 2),
        "cpu_ratio": round(statistics.median(busy) / bare_busy, 2),
    }


def show(found: dict[str, object]) -> None:
    """Print the figures of one size."""
    cases = found["cases"]
    assert isinstance(cases, dict)
    goal = f", goal for a prompt {found['goal']}" if found["goal"] else ""
    print(f"{found['memories']:,} memories, {found['turns']} turns{goal}")
    for name, row in cases.items():
        print(
            f"  {name:16} p50 {row['p50_ms']:6.1f} ms  p95 {row['p95_ms']:6.1f} ms  ratio {row['ratio']:5.2f}"
            f"   processor {row['cpu_p50_ms']:6.1f} ms  ratio {row['cpu_ratio']:5.2f}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
