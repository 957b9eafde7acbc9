"""What today's rules would have said in a folder of transcripts: a gate for changes of what is said, and to whom.

Every transcript below DATA is swept into a home that is thrown away, and replayed there in the order of time
(`holdfast replay`). One table has the figures, so that two versions can be compared on the same sessions.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from holdfast.app.replay import Replayed, replay
from holdfast.app.sweep import sweep
from holdfast.errors import NotFound
from holdfast.workspace import Workspace
from sessions import known_paths


def main(arguments: list[str]) -> int:
    """Replay a folder and print the figures; without a folder, say which one is needed."""
    options = _options(arguments)
    if not options.data:
        # `make bench` runs every benchmark, and nobody's sessions are read unasked.
        print("Name a folder of transcripts: holdfast bench replay --data FOLDER")
        return 0
    if not os.path.isdir(options.data):
        raise NotFound(f"there is no folder {options.data}", "Name a folder of transcripts with --data.")
    rows = measure(os.path.abspath(options.data))
    if options.json:
        print(json.dumps(rows, indent=2))
        return 0
    for name, value in rows.items():
        print(f"{name:44}{value:>12,}")
    return 0


def measure(folder: str) -> dict[str, Any]:
    """Sweep a folder into a home of its own, replay it, and return the figures."""
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        home = os.path.join(place, "home")
        with Workspace(home, environment={"HOME": place}) as workspace:
            sweep(workspace, paths=tuple(known_paths(folder)[0]))
            began = time.monotonic()
            done = replay(workspace)
            return figures(done, time.monotonic() - began)


def figures(done: Replayed, seconds: float) -> dict[str, Any]:
    """Return the counts of a replay by their names, and how long a thousand sessions take."""
    found: dict[str, Any] = {"sessions": done.sessions, "calls": done.calls}
    for part, told in asdict(done).items():
        if isinstance(told, dict):
            found.update({f"{part}: {name}": value for name, value in told.items() if isinstance(value, int)})
    return {**found, "seconds for 1,000 sessions": round(seconds / max(1, done.sessions) * 1_000, 1)}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench replay", description=__doc__)
    parser.add_argument("--data", default="", help="the folder with the transcripts, however it is laid out")
    parser.add_argument("--json", action="store_true", help="print one document")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
