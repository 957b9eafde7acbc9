"""What is read out of a folder of transcripts: sessions, events, joined calls, tokens, outcomes and failures, by agent.

Every file and folder below DATA is offered to every agent's reader, which knows its own by the content; where a file
lies says nothing. All that is known is swept into a home that is thrown away, and the table is made of what the archive
then holds. The tokens of two agents are counted a second time by `session_logs/token_count.py`, apart from the readers,
in the files from which the sessions in the archive came.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "session_logs"))

from token_count import COUNTS, KINDS, Tokens

from holdfast import agents
from holdfast.app.sweep import sweep
from holdfast.errors import NotFound
from holdfast.records import Cost, Problem
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest
from holdfast.workspace import Workspace

COLUMNS = ("files", "sessions", "events", "calls", "joined", *KINDS, "malformed", "digests", "failures")
Row = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Read a folder and print the table; without a folder, say which one is needed."""
    options = _options(arguments)
    if not options.data:
        # `make bench` runs every benchmark, and nobody's sessions are read unasked.
        print("Name a folder of transcripts: holdfast bench sessions --data FOLDER")
        return 0
    if not os.path.isdir(options.data):
        raise NotFound(f"there is no folder {options.data}", "Name a folder of transcripts with --data.")
    report = measure(os.path.abspath(options.data))
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        for line in _lines(report):
            print(line)
    return 0


def measure(folder: str) -> Row:
    """Sweep a folder into a home of its own and return what came of it."""
    taken, left = known_paths(folder)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        environment = {"HOME": place, "HOLDFAST_PROJECT": "bench"}
        with Workspace(os.path.join(place, "home"), environment=environment) as workspace:
            swept = sweep(workspace, paths=tuple(taken))
            archive = Archive(workspace.home)
            broken: list[Problem] = []
            digests = list(archive.digests(broken))
            rows = by_agent(archive, digests, taken)
            doubles = list(_doubles(digests, taken))
    problems = [*swept.problems, *broken]
    for problem in problems:
        name = taken.get(problem.path) or problem.path.partition("/")[0]
        if name in rows and problem.severity == "error":
            rows[name]["failures"] += 1
    counted = {name: _check(name, digests) for name in COUNTS if name in rows}
    return {
        "agents": rows,
        "counts": counted,
        "problems": [f"{os.path.relpath(one.path, folder)}: {one.text}" for one in problems],
        "doubles": [f"{os.path.relpath(path, folder)}: {why}" for path, why in doubles],
        "unknown": [os.path.relpath(path, folder) for path in left],
    }


def known_paths(folder: str) -> tuple[dict[str, str], list[str]]:
    """Return the paths that an agent knows as its own, with the agent, and the files that none knows."""
    taken: dict[str, str] = {}
    left: list[str] = []
    for parent, folders, names in os.walk(folder):
        folders.sort()
        if name := _agent_of(parent):
            # A folder that is one session: its files are parts of it.
            taken[parent] = name
            continue
        for path in (os.path.join(parent, name) for name in sorted(names)):
            if name := _agent_of(path):
                taken[path] = name
            else:
                left.append(path)
    return taken, left


def _agent_of(path: str) -> str:
    return next((name for name in agents.names() if agents.get(name).read_session(path) is not None), "")


def by_agent(archive: Archive, digests: list[Digest], taken: dict[str, str]) -> dict[str, Row]:
    """Return the row of each agent that has a file or a session."""
    files = Counter(taken.values())
    names = dict.fromkeys([*files, *(one.agent for one in archive.entries())])
    rows = {name: {**dict.fromkeys(COLUMNS, 0), "files": files[name], "outcomes": Counter()} for name in names}
    for entry in archive.entries():
        row = rows[entry.agent]
        row["sessions"] += 1
        events = archive.events(entry.name) if entry.raw_bytes else ()
        calls = [event.answered for event in events if event.role == "tool" and event.call]
        row["calls"] += len(calls)
        row["joined"] += sum(calls)
    for digest in digests:
        row = rows[digest.session.agent]
        row["digests"] += 1
        row["events"] += digest.session.events
        row["malformed"] += digest.session.malformed
        row["outcomes"][digest.outcome.kind] += 1
        for kind, count in zip(KINDS, _tokens(digest.session.cost), strict=True):
            row[kind] += count
    return rows


def _doubles(digests: list[Digest], taken: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the files from which no session in the archive came, and why."""
    sources = {digest.session.source for digest in digests}
    for path, agent in taken.items():
        if path in sources:
            continue
        told = []
        for reading in agents.get(agent).read_session(path) or ():
            events = sum(1 for _ in reading)
            told += [f"{reading.session().name} is told by another file"] if events else []
        yield path, ", ".join(told) or "it tells nothing"


def _tokens(cost: Cost) -> Tokens:
    return cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning


def _check(agent: str, digests: list[Digest]) -> Row:
    """Return the tokens by the archive beside those of the other count, and the sessions in which they differ."""
    sessions = [one.session for one in digests if one.session.agent == agent and os.path.isfile(one.session.source)]
    sessions.sort(key=lambda one: (os.stat(one.source).st_mtime_ns, one.source))
    counted = COUNTS[agent]([one.source for one in sessions])
    ours = [sum(column) for column in zip(*(_tokens(one.cost) for one in sessions), strict=True)]
    theirs = [sum(column) for column in zip(*counted.values(), strict=True)]
    differing = [one.name for one in sessions if _tokens(one.cost) != counted[one.source]]
    return {"sessions": len(sessions), "archive": ours, "counted": theirs, "differing": differing}


def _lines(report: Row) -> Iterator[str]:
    width = {name: max(len(name), 12 if name in KINDS else 8) + 1 for name in COLUMNS}
    yield f"{'agent':14}" + "".join(f"{name:>{width[name]}}" for name in COLUMNS)
    for agent, row in report["agents"].items():
        yield f"{agent:14}" + "".join(f"{row[name]:>{width[name]},}" for name in COLUMNS)
    total = {name: sum(row[name] for row in report["agents"].values()) for name in COLUMNS}
    yield f"{'together':14}" + "".join(f"{total[name]:>{width[name]},}" for name in COLUMNS)
    yield ""
    for agent, row in report["agents"].items():
        yield f"{agent:14}" + ", ".join(f"{name} {count}" for name, count in sorted(row["outcomes"].items()))
    for agent, one in report["counts"].items():
        yield ""
        yield f"{agent}: {one['sessions']} sessions, {len(one['differing'])} differ from the other count"
        for kind, ours, theirs in zip(KINDS, one["archive"], one["counted"], strict=False):
            yield f"  {kind:12}{ours:>16,}{theirs:>16,}  {'the same' if ours == theirs else 'DIFFERENT'}"
        yield from (f"  {name}" for name in one["differing"])
    lists = {
        "problems": "problems",
        "doubles": "files without a session of their own",
        "unknown": "files that are no session by themselves",
    }
    for title, listed in ((title, report[name]) for name, title in lists.items()):
        yield ""
        yield f"{title}: {len(listed)}"
        yield from (f"  {line}" for line in listed)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast bench sessions", description=__doc__)
    parser.add_argument("--data", default="", help="the folder with the transcripts, however it is laid out")
    parser.add_argument("--json", action="store_true", help="print one document")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
