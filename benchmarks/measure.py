"""Whether `holdfast measure` tells help from chance: a simulation in which the truth is known.

    holdfast bench measure [--runs 100] [--sessions 420] [--seed 1] [--json]

A run is one pattern. Half of the runs have an effect: a session that is given the pattern's memory has its signal less
often, by a lift that was chosen before; the others have none. Nothing is told to the code that measures: catalogue,
memories, hooks with their receipts, digests and files of signals are real, in a temporary home that several runs share.
Whether a session is given anything the real hook decides, by `measure.holdout`; what it prints is what has an effect.

For each run: whether the interval has the true lift in it, and what the verdict is. Then the same for the intervals
alone, with counts that come in bunches and amounts with a long tail.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.agents.base import Agent
from holdfast.app.hook import hook
from holdfast.base.clock import now
from holdfast.memory.remember import remember
from holdfast.patterns import estimates as measuring
from holdfast.patterns import signal_files
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.patterns.measure import measure
from holdfast.patterns.signal_files import Signal, Signals
from holdfast.records import HookCall, Session
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest, Outcome
from holdfast.workspace import Workspace

PROJECT = "bench"
HOLDOUT = 0.35
# Half of the patterns that share a home have an effect.
SHARED = 40
BEFORE, AFTER = 160, 420
GOAL = 0.9
_DRAWS = 400
Row = dict[str, Any]


class BenchAgent(Agent):
    """An agent that takes what it is given as plain text."""

    name = "bench-agent"
    injects = frozenset(("start", "prompt"))

    def injection_output(self, call: HookCall, text: str) -> str:
        return text


@dataclass(frozen=True)
class Planted:
    """One run: how often the signal comes without the memory, and with it."""

    number: int
    without: float
    given: float

    @property
    def key(self) -> str:
        """The key of its memory."""
        return f"planted-{self.number:04d}-rule"

    @property
    def statement(self) -> str:
        """What its memory says, which nothing else in a block says: keys are not told."""
        return f"Rule {self.number} of the simulation."

    @property
    def signature(self) -> str:
        """What its signal says, near to no other one."""
        return f"tool{chr(97 + self.number // 26)}{chr(97 + self.number % 26)}: 'planted{self.number:04d}' missing"

    @property
    def lift(self) -> float:
        """The truth: by how much fewer sessions have the signal."""
        return self.given - self.without


def main(arguments: list[str]) -> int:
    """Run the simulation and print its figures; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="holdfast bench measure", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many runs with an effect, and as many without")
    parser.add_argument("--sessions", type=int, default=AFTER, help="how many sessions there are since then")
    parser.add_argument("--seed", type=int, default=1, help="what the simulation begins with")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    started = time.process_time()
    chance = random.Random(options.seed)
    rows: list[Row] = []
    while len(rows) < 2 * options.runs:
        rows += home_of(chance, min(SHARED, 2 * options.runs - len(rows)), options.sessions)
    report = {"simulation": summary(rows), "intervals": alone(chance), "seconds": time.process_time() - started}
    print(json.dumps(report, indent=2) if options.json else "\n".join(_lines(report)))
    return int(not is_met(report["simulation"]))


def home_of(chance: random.Random, count: int, sessions: int) -> list[Row]:
    """Simulate sessions in one home with so many patterns; return what was measured of each beside its truth."""
    planted = [_planted(chance, number, number % 2 == 0) for number in range(count)]
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = os.path.join(folder, "home")
        settings = {"measure.holdout": str(HOLDOUT), "inject.start_characters": "20000", "recall.meaning": "false"}
        environment = {f"HOLDFAST_{name.replace('.', '_').upper()}": value for name, value in settings.items()}
        environment |= {"HOLDFAST_PROJECT": PROJECT, "HOLDFAST_HOOK_BUDGET_MS": "60000"}
        with Workspace(home, folder=folder, environment=environment) as workspace:
            for one in planted:
                remember(workspace, one.statement, key=one.key, scope="project")
            for number in range(sessions * BEFORE // AFTER):
                day = f"2026-{1 + number % 2:02d}-{1 + number % 28:02d}T10:00:00Z"
                _keep(home, f"before-{number}", day, [one for one in planted if chance.random() < one.without])
            _distribute(home, planted, "2026-03-01T00:00:00Z")
            for _ in range(sessions):
                _lived(home, environment, f"after-{chance.getrandbits(60):x}", planted, chance)
            found = {one.name: one for one in measure(workspace).patterns}
    return [_row(one, found[_id(one)]) for one in planted]


def _planted(chance: random.Random, number: int, helps: bool) -> Planted:
    without = chance.uniform(0.3, 0.6)
    return Planted(number, without, without * chance.uniform(0.1, 0.7) if helps else without)


def _id(one: Planted) -> str:
    return f"p{one.number:09d}"


def _distribute(home: str, planted: list[Planted], at: str) -> None:
    """Put the patterns into the catalogue as given to every agent of the project."""
    catalogue = Catalogue(home)
    for one in planted:
        target = Target("memory", one.key, scope=f"project/{PROJECT}", at=at)
        title = f"Planted {one.number}"
        entry = CatalogueEntry(
            _id(one), "failed-command", one.signature, title, f"Rule {one.number}.", targets=(target,)
        )
        catalogue.put(entry, "approved", at)


def _lived(home: str, environment: dict[str, str], id: str, planted: list[Planted], chance: random.Random) -> None:
    """Let a session start with the real hook, then have the signals that what it was given leaves it."""
    call = HookCall(BenchAgent.name, "start", "start", session=id, folder=os.path.dirname(home), source="startup")
    given = hook(home, BenchAgent(), call, environment)
    rates = [(one, one.given if one.statement in given else one.without) for one in planted]
    _keep(home, id, now(), [one for one, rate in rates if chance.random() < rate])


def _keep(home: str, id: str, at: str, having: list[Planted]) -> None:
    session = Session(BenchAgent.name, id, project=PROJECT, started=at, ended=at)
    made = Digest(session, id, None, None, Outcome("unknown", 0.0), asks=1, calls=5, failed_calls=len(having))
    Archive(home).put_digest(made)
    about = BenchAgent.name, id, PROJECT, at
    signals = tuple(Signal("failed-command", one.signature, one.signature, *about, severity=2) for one in having)
    signal_files.put(home, Signals(BenchAgent.name, id, signals=signals))


def _row(one: Planted, found: Any) -> Row:
    shares = {each.compares: each for each in found.estimates if each.measure == "sessions with it"}
    held = {compares: each.holds(one.lift) for compares, each in shares.items()}
    sizes = {compares: (each.sessions_before, each.sessions_after) for compares, each in shares.items()}
    return {"lift": one.lift, "held": held, "sizes": sizes, "verdict": found.verdict, "tokens": found.tokens}


def summary(rows: list[Row]) -> list[Row]:
    """Return the figures of the runs with an effect, and of those without."""
    return [_figures(name, chosen) for name in ("effect", "none") if (chosen := [r for r in rows if _is(name, r)])]


def _is(name: str, row: Row) -> bool:
    return bool(row["lift"]) == (name == "effect")


def _figures(name: str, rows: list[Row]) -> Row:
    ways = (measuring.WITHHELD_GIVEN, measuring.BEFORE_AFTER)
    return {
        "truth": name,
        "runs": len(rows),
        "sessions": rows[0]["sizes"],
        "held": {way: sum(row["held"].get(way, False) for row in rows) for way in ways},
        "verdicts": dict(Counter(row["verdict"] for row in rows).most_common()),
        "lifts": [round(min(row["lift"] for row in rows), 3), round(max(row["lift"] for row in rows), 3)],
    }


def is_met(figures: list[Row]) -> bool:
    """Whether the intervals hold the truth often enough, and what has no effect is called so."""
    held = all(count >= GOAL * row["runs"] for row in figures for count in row["held"].values())
    named = [
        row["verdicts"].get(measuring.NO_EFFECT, 0) >= GOAL * row["runs"] for row in figures if row["truth"] == "none"
    ]
    return held and all(named)


def alone(chance: random.Random) -> list[Row]:
    """Return how often the intervals alone hold the truth: shares, counts in bunches, amounts with a long tail."""
    rows = []
    for before, after in ((15, 60), (40, 200), (100, 100)):
        rows.append(_held("shares", before, after, lambda n, p: _shares(chance, n, p), 0.3, 0.12))
        rows.append(_held("counts", before, after, lambda n, m: _bunches(chance, n, m), 2.0, 1.0))
        rows.append(_held("amounts", before, after, lambda n, m: _amounts(chance, n, m), 9.0, 9.0 + math.log(0.6)))
    return rows


_COMPARE: dict[str, Callable[[list[float], list[float]], measuring.Estimate]] = {
    "shares": lambda one, other: measuring.of_shares("", one, other),
    "counts": lambda one, other: measuring.of_counts("", "", one, other),
    "amounts": lambda one, other: measuring.of_amounts("", "", one, other),
}


def _held(
    kind: str, before: int, after: int, draw: Callable[[int, float], list[float]], one: float, other: float
) -> Row:
    truth = math.exp(other - one) if kind == "amounts" else other - one
    held = sum(_COMPARE[kind](draw(before, one), draw(after, other)).holds(truth) for _ in range(_DRAWS))
    return {"kind": kind, "before": before, "after": after, "held": round(held / _DRAWS, 3)}


def _shares(chance: random.Random, count: int, share: float) -> list[float]:
    return [float(chance.random() < share) for _ in range(count)]


def _bunches(chance: random.Random, count: int, mean: float) -> list[float]:
    """Draw counts whose variance is about three times their mean and more: most sessions none, a few many."""
    return [float(_poisson(chance, chance.gammavariate(0.5, mean / 0.5))) for _ in range(count)]


def _poisson(chance: random.Random, mean: float) -> int:
    count, left = 0, chance.expovariate(1)
    while left < mean:
        count, left = count + 1, left + chance.expovariate(1)
    return count


def _amounts(chance: random.Random, count: int, middle: float) -> list[float]:
    return [chance.lognormvariate(middle, 1.0) for _ in range(count)]


def _lines(report: Row) -> list[str]:
    lines = []
    for row in report["simulation"]:
        what = f"a lift of {row['lifts'][0]} to {row['lifts'][1]}" if row["truth"] == "effect" else "no effect"
        lines.append(f"{row['runs']} runs with {what}")
        for way, count in row["held"].items():
            sizes = " and ".join(map(str, row["sessions"].get(way, ())))
            lines.append(f"  {way:15} the interval has the truth in {count} of {row['runs']} runs ({sizes} sessions)")
        lines.append(f"  called {', '.join(f'{name} {count}' for name, count in row['verdicts'].items())}")
    lines.append(f"the intervals alone, {_DRAWS} draws each, of 95 %")
    for row in report["intervals"]:
        lines.append(f"  {row['kind']:8} {row['before']:>3} and {row['after']:>3} sessions: {100 * row['held']:.1f} %")
    lines.append(f"{report['seconds']:.0f} s of processor time; goal: the truth in at least {100 * GOAL:.0f} of 100")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
