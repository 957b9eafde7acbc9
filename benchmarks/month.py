"""A month of real prompts: labelled messages are played as sessions through the real hooks, in one home.

    holdfast bench month --data FOLDER [--messages 1100] [--seed 1] [--json]

FOLDER has labelled messages as `holdfast bench triggers` reads them, with a `writer` each. Four messages of one writer
make a session of Claude Code: each hook is a process of its own, the transcript is written beside it with what the
agent had said before, and after each of thirty days a sweep takes it in. All sessions are of one project.

Printed are what stands afterwards, each memory beside the message that it came from and whether its labels bear it
out; the start blocks of days 1, 7 and 30; and what a start and a prompt took on the first day and on the last, beside
a bare start of Python. The goals: at most 2 false memories in 1,000 messages, and hooks as quick as on the first day.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import holdfast
from holdfast.app.sweep import sweep
from holdfast.base.clock import now
from holdfast.base.text import count
from holdfast.errors import BadInput
from holdfast.memory import init, proposals
from holdfast.records import Filter, Memory
from holdfast.workspace import Workspace

DAYS = 30
SHOWN = (1, 7, 30)
A_SESSION = 4
MAX_FALSE = 2
# Of the words of what a reader would keep, so many make a memory right.
MIN_KEPT = 0.6
RUNNER = os.path.join(os.path.dirname(os.path.abspath(holdfast.__file__)), "surfaces", "hook", "run.py")
Message = dict[str, Any]


def main(arguments: list[str]) -> int:
    """Play the month and print what came of it; 1 where a memory too many is false."""
    parser = argparse.ArgumentParser(prog="holdfast bench month", description=__doc__)
    parser.add_argument("--data", required=True, help="a folder of labelled messages, *.jsonl")
    parser.add_argument("--messages", type=int, default=1_100, help="how many messages are played")
    parser.add_argument("--seed", type=int, default=1, help="which of them, and in which order")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    sessions = sessions_of(Path(options.data), options.messages, random.Random(options.seed))
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-month-") as folder:
        report = Month(folder).played(sessions)
    print(json.dumps(report, indent=2, ensure_ascii=False) if options.json else "\n".join(lines(report)))
    return int(report["false_in_1000"] > MAX_FALSE)


def sessions_of(folder: Path, most: int, chance: random.Random) -> list[list[Message]]:
    """Return messages in sessions, each of one writer and in their order, the sessions in an order of chance."""
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise BadInput(f"{folder} has no labelled messages", hint="Name a folder with files that end with .jsonl.")
    by_writer: dict[str, list[Message]] = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)
            by_writer.setdefault(str(message.get("writer", "")), []).append(message)
    sessions = [own[at : at + A_SESSION] for own in by_writer.values() for at in range(0, len(own), A_SESSION)]
    chance.shuffle(sessions)
    chosen: list[list[Message]] = []
    while sessions and (left := most - sum(map(len, chosen))) > 0:
        chosen.append(sessions.pop()[:left])
    return chosen


@dataclass
class Took:
    """What hooks took, in milliseconds of the processor: on the first day and on the last."""

    bare: list[float] = field(default_factory=list)
    start: dict[str, list[float]] = field(default_factory=lambda: {"first": [], "last": []})
    prompt: dict[str, list[float]] = field(default_factory=lambda: {"first": [], "last": []})

    def figures(self) -> dict[str, dict[str, float]]:
        """Return the medians, and their ratios to the bare start."""
        bare = statistics.median(self.bare)
        return {
            name: {
                day: round(statistics.median(took) / bare, 2) if took else 0.0
                for day, took in getattr(self, name).items()
            }
            for name in ("start", "prompt")
        }


class Month:
    """One person's machine: a home, a project, and the transcripts of the agent."""

    def __init__(self, folder: str) -> None:
        self.person, self.home = Path(folder), Path(folder) / ".holdfast"
        self.project = self.person / "shop"
        self.took = Took()
        self._said: dict[str, list[Message]] = {}
        for part in ("objects", "refs"):
            (self.project / ".git" / part).mkdir(parents=True)
        with self._workspace() as workspace:
            init.apply(workspace, init.plan(workspace))
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (self.project / ".git" / "config").write_text('[remote "origin"]\n\turl = https://example.com/acme/shop.git\n')

    def played(self, sessions: list[list[Message]]) -> dict[str, Any]:
        """Play the sessions over the days, and return what stands, what was given, and what it took."""
        blocks: dict[int, str] = {}
        a_day = max(1, -(-len(sessions) // DAYS))
        for day in range(1, DAYS + 1):
            todays = sessions[(day - 1) * a_day : day * a_day]
            when = "first" if day == 1 else "last" if day * a_day >= len(sessions) - a_day else ""
            for number, messages in enumerate(todays):
                self._session(f"day{day}-{number}", messages, when)
            self._sweep()
            if day in SHOWN:
                blocks[day] = self._start_block(day)
            if sys.stderr.isatty():
                print(f"day {day} of {DAYS}", file=sys.stderr, end="\n" if day == DAYS else "\r")
        return {**self._stands(), "blocks": blocks, "hooks_x_bare": self.took.figures()}

    def _session(self, id: str, messages: list[Message], when: str) -> None:
        self._said[id] = messages
        path = self.person / ".claude" / "projects" / "-shop" / f"{id}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"session_id": id, "cwd": str(self.project), "transcript_path": str(path)}
        took = self._hook("SessionStart", {**told, "source": "startup"})[0]
        self._count(self.took.start, when, took)
        for number, message in enumerate(messages):
            before = str(message.get("before", ""))
            if before:
                self._write(path, id, "assistant", before, 2 * number)
                self._hook("Stop", {**told, "last_assistant_message": before})
            took = self._hook("UserPromptSubmit", {**told, "prompt": message["text"], "prompt_id": f"{id}-{number}"})[0]
            self._count(self.took.prompt, when, took)
            self._write(path, id, "user", message["text"], 2 * number + 1)
        self._write(path, id, "assistant", "Done.", 2 * len(messages))
        self._hook("Stop", {**told, "last_assistant_message": "Done."})
        self._hook("SessionEnd", {**told, "reason": "other"})

    def _count(self, kind: dict[str, list[float]], when: str, took: float) -> None:
        if when:
            kind[when].append(took)
            self.took.bare.append(self._timed([sys.executable, "-I", "-S", "-E", "-c", "pass"], b"")[0])

    def _write(self, path: Path, id: str, role: str, text: str, number: int) -> None:
        message: dict[str, object] = {"role": role, "content": text}
        if role == "assistant":
            message |= {"id": f"m-{id}-{number}", "model": "a-model", "content": [{"type": "text", "text": text}]}
        row = {
            **{"type": role, "uuid": f"{id}-{number}", "sessionId": id, "timestamp": now(), "message": message},
            **{"cwd": str(self.project), "gitBranch": "main", "version": "2.1.0", "isSidechain": False},
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def _hook(self, event: str, told: dict[str, object]) -> tuple[float, str]:
        return self._timed(
            [sys.executable, "-I", "-S", "-E", RUNNER, event, "--agent", "claude-code"], json.dumps(told).encode()
        )

    def _timed(self, command: list[str], data: bytes) -> tuple[float, str]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, input=data, stdout=subprocess.PIPE, env=self._environment(), check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return 1000 * busy, done.stdout.decode()

    def _environment(self) -> dict[str, str]:
        told = {"HOLDFAST_HOME": str(self.home), "HOME": str(self.person), "CLAUDECODE": "1"}
        # What goes on behind a session is done between two sessions here, so that nothing runs beside what is measured.
        return {**told, "HOLDFAST_SWEEP_AT_SESSION_END": "no", "PATH": os.environ.get("PATH", "")}

    def _workspace(self) -> Workspace:
        return Workspace(str(self.home), folder=str(self.project), environment=self._environment())

    def _sweep(self) -> None:
        # A transcript that was written to just now may still be open.
        earlier = time.time() - 3600
        for path in self.person.joinpath(".claude").rglob("*.jsonl"):
            os.utime(path, (earlier, earlier))
        with self._workspace() as workspace:
            sweep(workspace)

    def _start_block(self, day: int) -> str:
        told = {"session_id": f"block-{day}", "cwd": str(self.project), "source": "startup"}
        printed = self._hook("SessionStart", told)[1]
        # A line that only the person is shown may come without a block.
        told = json.loads(printed).get("hookSpecificOutput", {}) if printed else {}
        return str(told.get("additionalContext", ""))

    def _stands(self) -> dict[str, Any]:
        with self._workspace() as workspace:
            memories = list(workspace.store.find(Filter(None)))
            waiting = len(proposals.waiting(workspace)[0])
        rows = [self._judged(memory) for memory in memories]
        wrong, messages = sum(row["verdict"] == "false" for row in rows), sum(map(len, self._said.values()))
        size = sum(path.stat().st_size for path in (self.home / "state").rglob("*") if path.is_file())
        return {
            **{"messages": messages, "sessions": len(self._said), "memories": rows, "proposals": waiting},
            **{"false": wrong, "false_in_1000": round(1000 * wrong / max(1, messages), 2), "state_bytes": size},
        }

    def _judged(self, memory: Memory) -> dict[str, str]:
        """Return a memory beside its message; without one that has its words it stands for nothing that was said."""
        said = [message for own in self._said.values() for message in own]
        words = set(_words(memory.body or memory.title))
        near = max(said, key=lambda message: len(words & set(_words(message["text"]))) / (1 + len(words)))
        is_said = len(words & set(_words(near["text"]))) >= 0.6 * len(words)
        verdict = "false"
        if is_said and (near.get("keep") in ("y", "m") or near.get("labels") or near.get("arguable")):
            wanted = set(_words(near.get("what", ""))) if near.get("keep") == "y" else set()
            # What a reader would keep, and something else that is told in its place, are not the same.
            is_kept = not wanted or len(words & wanted) >= MIN_KEPT * len(wanted)
            verdict = ("right" if is_kept else "partly") if near.get("keep") == "y" else "arguable"
        return {
            "verdict": verdict,
            **{"type": memory.type, "trust": memory.trust, "scope": str(memory.scope), "statement": memory.body},
            "message": str(near.get("id", "")) if is_said else "",
        }


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield the report as people read it."""
    yield f"{report['messages']:,} messages in {report['sessions']:,} sessions over {DAYS} days"
    yield f"{count(len(report['memories']), 'memory')} stand, {count(report['proposals'], 'proposal')} wait"
    for row in report["memories"]:
        yield f"  {row['verdict']:8} {row['type']:9} {row['trust']:7} {' '.join(row['statement'].split())}"
    yield f"false: {report['false']}, in 1,000 messages {report['false_in_1000']} (goal: at most {MAX_FALSE})"
    for day, block in report["blocks"].items():
        yield from (
            "",
            f"start block of day {day}, {len(block):,} characters",
            *[f"  {one}" for one in block.splitlines()],
        )
    yield ""
    for name, row in report["hooks_x_bare"].items():
        yield f"{name:7} x bare start of Python: first day {row['first']:.2f}, last day {row['last']:.2f}"
    yield f"state/ has {report['state_bytes'] / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
