"""What today's rules would have said in a folder of transcripts: a gate for changes of what is said, and to whom.

Every transcript below DATA is swept into a home that is thrown away, and replayed there in the order of time
(`holdfast replay`). One table has the figures, so that two versions can be compared on the same sessions.

`--memories` is a file with a statement a line, each a memory of the person's that was there before the first session.
`--out` writes one JSON line for each time that something would have been said or held, to be read.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import tempfile
import time
from dataclasses import asdict
from typing import Any

from holdfast.app.replay import replay
from holdfast.app.replay_records import Replayed
from holdfast.app.sweep import sweep
from holdfast.errors import NotFound
from holdfast.memory.remember import remember
from holdfast.workspace import Workspace

SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions.py")
COUNTED = ("said", "held", "in_vain", "tokens")
LONG_AGO = "1970-01-01T00:00:00Z"


def main(arguments: list[str]) -> int:
    """Replay a folder and print the figures; without a folder, say which one is needed."""
    options = _options(arguments)
    if not options.data:
        # `make bench` runs every benchmark, and nobody's sessions are read unasked.
        print("Name a folder of transcripts: holdfast bench replay --data FOLDER")
        return 0
    if not os.path.isdir(options.data):
        raise NotFound(f"there is no folder {options.data}", "Name a folder of transcripts with --data.")
    rows, moments = measure(os.path.abspath(options.data), options.memories)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in moments)
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    for name, value in rows.items():
        print(f"{name:44}{value:>12,}")
    return 0


def measure(folder: str, memories: str = "") -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Sweep a folder into a home of its own, replay it, and return the figures and each moment behind them."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home = os.path.join(place, "home")
        with Workspace(home, environment={"HOME": place}) as workspace:
            known, _ = runpy.run_path(SESSIONS)["known_paths"](folder)
            sweep(workspace, paths=tuple(known))
            for text in _statements(memories):
                stored = remember(workspace, text, scope="global").memory
                workspace.store.change(stored.scope, stored.key, created=LONG_AGO, updated=LONG_AGO)
            # Of the processor: what else a machine does is no part of it.
            began = time.process_time()
            done = replay(workspace)
            return figures(done, time.process_time() - began), moments_of(done)


def _statements(path: str) -> list[str]:
    if not path:
        return []
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and line[0] != "#"]


def figures(done: Replayed, seconds: float) -> dict[str, Any]:
    """Return the counts of a replay by their names, and how long a thousand sessions take."""
    found: dict[str, Any] = {"sessions": done.sessions, "calls": done.calls}
    for part in ("failures", "corrections"):
        told = asdict(getattr(done, part))
        found.update({f"{part}: {name}": value for name, value in told.items() if isinstance(value, int)})
    found.update({"rules": done.with_condition, "rules: spoke": len(done.rules)})
    found.update({f"rules: {name}": sum(getattr(one, name) for one in done.rules) for name in COUNTED})
    lines = done.failures.said + found["rules: said"] + found["rules: held"]
    found["lines in 1,000 calls"] = round(lines * 1_000 / max(1, done.calls), 1)
    return {**found, "processor seconds for 1,000 sessions": round(seconds / max(1, done.sessions) * 1_000, 1)}


def moments_of(done: Replayed) -> list[dict[str, Any]]:
    """Return every time that a fix or a rule would have been said, or a rule would have held a call."""
    fixes = [{"kind": "fix", **asdict(one)} for kind in done.failures.kinds for one in kind.times if one.said]
    rules = [{"kind": "rule", "rule": rule.text, **asdict(one)} for rule in done.rules for one in rule.examples]
    return [*fixes, *rules]


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench replay", description=__doc__)
    parser.add_argument("--data", default="", help="the folder with the transcripts, however it is laid out")
    parser.add_argument("--memories", default="", help="a file of statements, one a line, that are known all along")
    parser.add_argument("--out", default="", help="write one JSON line for each time that something would be said")
    parser.add_argument("--json", action="store_true", help="print one document")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
