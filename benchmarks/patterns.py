"""How many planted patterns are found, how many of those reported are spurious, and how long 10,000 digests take.

A corpus of made-up sessions of several agents (`pattern_sets/`) is written into a home that is thrown away, harvested,
and looked at as `holdfast patterns` does. A planted pattern is found when one of a fitting kind is reported that has
its word and at least half of its sessions. A reported one is spurious when most of its sessions have no planted pattern
in common; so is one of what is planted as unwanted. There are two sets of planted patterns; the second was looked at
when it was decided what is proposed. The time is that of the report over digests alone, beside that of
only reading them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "pattern_sets"))

from corpus import Corpus, digests, make
from held import HELD, HELD_UNWANTED
from planted import PLANTED, UNWANTED, Planted

from holdfast import agents
from holdfast.app.harvest import harvest
from holdfast.patterns import report as patterns
from holdfast.patterns.clusters import Pattern
from holdfast.sessions import facts, names
from holdfast.sessions.archive import Archive
from holdfast.workspace import Workspace

FOUND, SPURIOUS, SECONDS = 0.9, 0.1, 10.0
_AGENTS = 4
Report = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 where a goal is missed."""
    options = _options(arguments)
    report = {
        "runs": [
            quality(name, seed, options.sessions) for seed in range(1, options.runs + 1) for name in ("first", "held")
        ],
        "speed": speed(options.digests) if options.digests else {},
    }
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        for line in _lines(report, options.verbose):
            print(line)
    return 0 if _is_good(report) else 1


def quality(name: str, seed: int, sessions: int) -> Report:
    """Return what was found of one corpus, with one of the two sets planted, and what was reported besides."""
    planted, unwanted = (HELD, HELD_UNWANTED) if name == "held" else (PLANTED, UNWANTED)
    with _throw_away() as workspace:
        corpus = make(Archive(workspace.home), agents.names()[:_AGENTS], seed, sessions, planted, unwanted)
        harvested = harvest(workspace, everything=True)
        found = patterns.find(workspace)
    missed = [one.name for one in planted if not any(_is(one, each, corpus) for each in found)]
    spurious = [f"{one.kind}: {one.signature}" for one in found if not _is_planted(one, corpus)]
    return {
        "set": name,
        "seed": seed,
        "planted": len(planted),
        "found": len(planted) - len(missed),
        "reported": len(found),
        "spurious": len(spurious),
        "cross_agent": sum(one.cross_agent for one in found),
        "missed": missed,
        "what_was_spurious": spurious,
        "problems": [problem.text for problem in harvested.problems],
    }


def _is(planted: Planted, found: Pattern, corpus: Corpus) -> bool:
    """Whether a reported pattern is the planted one."""
    told = " ".join((found.title, found.signature, *(quote.text for quote in found.evidence))).casefold()
    sessions = corpus.planted[planted.name]
    shared = len(sessions.intersection(found.sessions))
    fits = found.kind in planted.kinds and planted.mark.casefold() in told
    return fits and shared * 2 >= len(sessions) and shared * 2 >= len(found.sessions)


def _is_planted(found: Pattern, corpus: Corpus) -> bool:
    """Whether most sessions of a reported pattern have one planted pattern in common."""
    most = max(len(sessions.intersection(found.sessions)) for sessions in corpus.planted.values())
    return most * 2 > len(found.sessions)


def speed(count: int) -> Report:
    """Return how long the report takes over so many digests, and how long it takes only to read them."""
    with _throw_away() as workspace:
        _write_digests(workspace, count)
        archive = Archive(workspace.home)
        floor, _ = _timed(lambda: sum(1 for _ in archive.digests()))
        taken, found = _timed(lambda: len(patterns.find(workspace)))
    return {
        "digests": count,
        "reading_seconds": round(floor, 2),
        "seconds": round(taken, 2),
        "times_the_reading": round(taken / floor, 1),
        "patterns": found,
    }


def _write_digests(workspace: Workspace, count: int) -> None:
    """Write so many digests without their sessions, and without a sync: they are only there to be read."""
    root = Archive(workspace.home).root
    for one in digests(agents.names()[:_AGENTS], 1, count, PLANTED):
        folder = os.path.join(root, "digests", names.stem_of(one.session.agent))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{names.stem_of(one.session.id)}.json"), "wb") as file:
            file.write(facts.encode(one))


@contextmanager
def _throw_away() -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home = os.path.join(place, "home")
        # The sessions are of any year, and none may go for its age before it was looked at.
        with Workspace(home, environment={"HOME": place}, flags={"archive.raw_max_age_days": "0"}) as workspace:
            yield workspace


def _timed(run: Callable[[], int]) -> tuple[float, int]:
    """Return the least CPU time of two runs, and what they returned."""
    times, found = [], 0
    for _ in range(2):
        start = time.process_time()
        found = run()
        times.append(time.process_time() - start)
    return min(times), found


def _lines(report: Report, verbose: bool) -> Iterator[str]:
    for run in report["runs"]:
        found = f"{run['found']} of {run['planted']} planted found"
        spurious = f"{run['spurious']} of {run['reported']} reported spurious"
        yield f"{run['set']} set, corpus {run['seed']}: {found}, {spurious}, {run['cross_agent']} cross-agent"
        for kind in ("missed", "problems", *(("what_was_spurious",) if verbose else ())):
            yield from (f"  {kind.replace('_', ' ')}: {name}" for name in run[kind])
    if speed := report["speed"]:
        beside = f"{speed['times_the_reading']} times the reading ({speed['reading_seconds']} s)"
        yield f"{speed['digests']} digests: {speed['seconds']} s of CPU, {beside}, {speed['patterns']} patterns"


def _is_good(report: Report) -> bool:
    runs, speed = report["runs"], report["speed"]
    found = sum(run["found"] for run in runs) >= FOUND * sum(run["planted"] for run in runs)
    spurious = sum(run["spurious"] for run in runs) <= SPURIOUS * sum(run["reported"] for run in runs)
    return found and spurious and (not speed or speed["seconds"] < SECONDS)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench patterns", description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="How many corpora.")
    parser.add_argument("--sessions", type=int, default=240, help="How many sessions each has.")
    parser.add_argument("--digests", type=int, default=10_000, help="How many digests are timed. 0: none.")
    parser.add_argument("--verbose", action="store_true", help="Name what was spurious.")
    parser.add_argument("--json", action="store_true", help="Print one JSON document.")
    return parser.parse_args(arguments)
