"""What the page costs: how soon it is up, how large its first load is, and how long the server takes for each view.

The home has 10,000 memories, 1,000 sessions and 25 proposals. Times are those of a browser on the same machine that
keeps its connection, from the request to the last byte; goals are a median of 30 ms for a view and 50 ms for a search.
Beside it stands what the server computed for one request on average, which a busy machine does not change.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import queue
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta

from holdfast.app import tokens
from holdfast.app.reindex import make_all_vectors
from holdfast.base.clock import now
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.records import Cost, Memory, Proposal, Scope, Session, SessionEvent, Spend
from holdfast.sessions.archive import Archive
from holdfast.sessions.digest import digest
from holdfast.sessions.index import Indexing
from holdfast.store import memory_file
from holdfast.workspace import Workspace

TOPICS = ("deploy", "database", "cache", "login", "test", "branch", "release", "queue", "schema", "search", "payment")
VERBS = ("needs", "breaks", "waits for", "comes before", "is kept in", "must not touch", "is checked by")
PROJECTS = ("shop", "blog", "api", "infra")
AGENTS = ("claude-code", "codex", "gemini-cli")
MEMORIES, SESSIONS, PROPOSALS = 10_000, 1_000, 25
RATE, LOAD_SECONDS = 200, 10
GOAL_MS, SEARCH_MS, START_S, FIRST_BYTES = 30.0, 50.0, 1.5, 150_000
_SEARCHES = ("how do we deploy", "depl", "the database schema", "payment queue waits", "release", "login breaks", "ca")


def main(arguments: list[str]) -> int:
    """Fill a home and measure the page over it."""
    parser = argparse.ArgumentParser(prog="holdfast bench serve", description=__doc__)
    parser.add_argument("memories", nargs="?", type=int, default=MEMORIES, help="default %(default)s")
    parser.add_argument("sessions", nargs="?", type=int, default=SESSIONS, help="default %(default)s")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
        home = os.path.join(folder, "home")
        lay(home, given.memories, given.sessions)
        with Workspace(home, project="shop", environment={"HOME": home}) as workspace:
            # As in a home that is in use; a recall makes 500 that are missing.
            make_all_vectors(workspace)
        report = measured(home, folder)
    if given.json:
        print(json.dumps(report, indent=1))
        return 0
    for name, took in report["views"].items():
        times = f"p50 {took['p50']:6.1f} ms   p95 {took['p95']:6.1f} ms   computed {took['computed']:5.1f} ms"
        print(f"{name:22} {times}   (goal {took['goal']:g})")
    print(f"up after {report['start']:.2f} s (goal {START_S:g})")
    print(f"first load {report['first']:,} bytes (goal {FIRST_BYTES:,})")
    load = report["load"]
    answered = f"{load['answered']:,} of {load['sent']:,} answered, {load['rate']:.0f} a second (goal {RATE})"
    print(f"interface on one core: {answered}, p50 {load['p50']:.0f} ms, p95 {load['p95']:.0f} ms")
    if load["cpu"]:
        print(
            f"  {1000 * load['cpu']:.1f} ms of processor time each: {1 / load['cpu']:.0f} a second of a core of its own"
        )
    return 0


def lay(home: str, memories: int = MEMORIES, sessions: int = SESSIONS, proposals: int = PROPOSALS) -> None:
    """Fill a home: files of memories as a vault holds them, sessions by the archive's own tools, and proposals."""
    chance = random.Random(7)
    lay_memories(home, memories, chance)
    with Workspace(home, project="shop", environment={"HOME": home}) as workspace:
        lay_sessions(workspace, sessions, chance)
        workspace.refresh(None)
        folder = Proposals(home)
        for number in range(proposals):
            text = f"{sentence(chance)} (number {number})."
            scope = Scope("project", "shop")
            folder.put(
                Proposal(
                    id_of(scope, text),
                    text,
                    scope,
                    title=text[:60],
                    source="codex:AGENTS.md#Rules",
                    agent="codex",
                    evidence=f"AGENTS.md, line {number + 1}",
                    created=now(),
                )
            )


def lay_memories(home: str, count: int, chance: random.Random) -> None:
    """Write the files of memories in one global scope and some projects."""
    scopes = [Scope("global"), *(Scope("project", name) for name in PROJECTS)]
    for number in range(count):
        scope, text = scopes[number % len(scopes)], sentence(chance)
        place = "global" if scope.kind == "global" else f"projects/{scope.owner}"
        folder = os.path.join(home, "memory", place, "memories")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        at = (datetime.now(UTC) - timedelta(hours=chance.randrange(8000))).strftime("%Y-%m-%dT%H:%M:%SZ")
        memory = Memory(
            f"m-{number}",
            scope,
            text[:60],
            text,
            type=chance.choice(("project", "decision", "lesson", "feedback", "reference")),
            tags=tuple(chance.sample(TOPICS, chance.randrange(3))),
            trust=chance.choice(("user", "agent", "derived", "import")),
            created=at,
            updated=at,
        )
        with open(os.path.join(folder, f"m-{number}.md"), "w", encoding="utf-8") as file:
            file.write(memory_file.create(memory))


def lay_sessions(workspace: Workspace, count: int, chance: random.Random) -> None:
    """Put sessions of a few messages and calls into the archive and the index."""
    archive, indexing = Archive(workspace.home), Indexing(workspace, lambda folder: os.path.basename(folder))
    with indexing.transaction():
        for number in range(count):
            day = (datetime.now(UTC) - timedelta(days=chance.randrange(300))).strftime("%Y-%m-%d")
            events = [
                SessionEvent(place, role, sentence(chance), f"{day}T10:{place:02}:00Z", line=place + 1)
                for place, role in enumerate(("human", "assistant") * 3)
            ]
            given = json.dumps({"command": f"make {chance.choice(TOPICS)}"})
            events.append(SessionEvent(6, "tool", tool="Bash", input=given, output="ok", answered=True, line=7))
            cost, agent = Cost(input=chance.randrange(90_000), output=9_000), AGENTS[number % len(AGENTS)]
            told = Session(
                *(agent, f"s-{number:05}"),
                folder=f"/code/{PROJECTS[number % 4]}",
                project=PROJECTS[number % 4],
                started=f"{day}T10:00:00Z",
                ended=f"{day}T11:00:00Z",
                models=("claude-opus-4-5",),
                cost=cost,
                spends=(Spend(day, "claude-opus-4-5", cost),),
                events=len(events),
            )
            with archive.writing(agent) as writer:
                for event in events:
                    writer.add(event)
                    indexing.take(event)
                writer.keep(told)
            made = digest(told, events)
            archive.put_digest(made)
            indexing.done(made)


def sentence(chance: random.Random) -> str:
    """Return a sentence of some common words and a rare one."""
    one, other = chance.sample(TOPICS, 2)
    return (
        f"The {one} {chance.choice(VERBS)} the {other} of service-{chance.randrange(4000)} at {chance.randrange(24)}."
    )


class Browser:
    """One connection that is kept, with its cookie, to the server of that process."""

    def __init__(self, address: str, pid: int) -> None:
        self.pid = pid
        self.port, token = re.findall(r":(\d+)/open\?token=(\S+)", address)[0]
        self.connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=60)
        self.cookie = ""
        self.cookie = self.get(f"/open?token={token}")[1].get("set-cookie", "").split(";")[0]

    def get(self, path: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Return the status, the headers and the body of a page."""
        self.connection.request("GET", path, headers={"Cookie": self.cookie} if self.cookie else {})
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()


def measured(home: str, folder: str) -> dict[str, object]:
    """Start the page on a home, and return what it costs."""
    environment = {**os.environ, "HOLDFAST_HOME": home, "HOME": folder, "HOLDFAST_PROJECT": "shop"}
    command = [sys.executable, "-m", "holdfast", "serve", "--port", "0"]
    start = time.perf_counter()
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        browser = Browser(server.stdout.readline(), server.pid)
        up = time.perf_counter() - start
        first = len(browser.get("/review")[2])
        first += sum(len(browser.get(f"/static/{name}")[2]) for name in ("page.css", "page.js", "htmx-4.0.0.min.js"))
        views = {name: _timed(browser, (path,), GOAL_MS) for name, path in VIEWS.items()}
        views["search as you type"] = _timed(
            browser, tuple(f"/memories?q={words.replace(' ', '+')}" for words in _SEARCHES), SEARCH_MS
        )
        load = loaded(server.pid, int(browser.port), home)
    finally:
        server.terminate()
        server.wait()
    return {"start": up, "first": first, "views": views, "load": load}


def loaded(server: int, port: int, home: str) -> dict[str, float]:
    """Bind the server to one core, ask the interface at a fixed rate whether it keeps up or not, and count answers.

    Of 50 requests 24 show a memory, 20 list some, 5 search and one stores. A time is from when a request was due.
    """
    with Workspace(home, project="shop") as workspace:
        headers = {"Authorization": f"Bearer {tokens.new(workspace, 'load', may='review')[1]}"}
    # Each thread has a core of its own choice; new ones take that of the thread which makes them.
    for thread in os.listdir(f"/proc/{server}/task") if os.path.isdir(f"/proc/{server}/task") else ():
        os.sched_setaffinity(int(thread), {max(os.sched_getaffinity(server))})
    waiting: queue.Queue[tuple[float, int]] = queue.Queue()
    took: list[float] = []

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while (item := waiting.get())[1] >= 0:
            due, number = item
            place = number % 50
            search = f"/search?limit=10&q={_SEARCHES[number % len(_SEARCHES)].replace(' ', '+')}"
            one = f"/memories/m-{1 + 5 * (number % 400)}?scope=project"
            path = "/memories?limit=20" if place >= 30 else one if place >= 6 else search if place else "/memories"
            body = json.dumps({"text": f"Statement {number} of the load."}) if not place else None
            kind = {"Content-Type": "application/json"} if body else {}
            connection.request("POST" if body else "GET", f"/api/v1{path}", body, {**headers, **kind})
            answer = connection.getresponse()
            answer.read()
            if answer.status in (200, 201):
                took.append(1000 * (time.perf_counter() - due))

    workers = [threading.Thread(target=work) for _ in range(32)]
    start, used = time.perf_counter(), _processor_time(server)
    for worker in workers:
        worker.start()
    for number in range(RATE * LOAD_SECONDS):
        time.sleep(max(0.0, start + number / RATE - time.perf_counter()))
        waiting.put((start + number / RATE, number))
    for _ in workers:
        waiting.put((0.0, -1))
    for worker in workers:
        worker.join()
    spent, took = time.perf_counter() - start, sorted(took)
    sent, last = RATE * LOAD_SECONDS, int(len(took) * 0.95)
    return {
        **{"sent": sent, "answered": len(took), "rate": len(took) / spent},
        **{"p50": statistics.median(took), "p95": took[last], "cpu": (_processor_time(server) - used) / sent},
    }


def _processor_time(process: int) -> float:
    """Return the seconds that a process has used, where the system tells."""
    try:
        with open(f"/proc/{process}/stat") as file:
            told = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


VIEWS = {
    "review": "/review",
    "receipts": "/receipts",
    "memories": "/memories",
    "memories of a scope": "/memories?scope=project:shop&type=decision",
    "one memory": "/memory/project/shop/m-1",
    "sessions": "/sessions",
    "timeline": "/sessions?view=timeline",
    "cost": "/sessions?view=cost&since=365d",
    "one session": "/session/codex/s-00001",
    "patterns": "/patterns",
    "health": "/health",
    "now": "/now?project=shop",
}


def _timed(browser: Browser, paths: tuple[str, ...], goal: float, rounds: int = 21) -> dict[str, float]:
    took, began = [], 0.0
    for number in range(rounds + 3):
        began = computed(browser.pid) if number == 3 else began
        start = time.perf_counter()
        status, _, body = browser.get(paths[number % len(paths)])
        took.append(1000 * (time.perf_counter() - start))
        assert status == 200, (paths, status, body[:500])
    used = 1000 * (computed(browser.pid) - began) / rounds
    took = sorted(took[3:])
    return {"p50": statistics.median(took), "p95": took[int(len(took) * 0.95)], "computed": used, "goal": goal}


def computed(pid: int) -> float:
    """Return the seconds that a process has computed; nought where the system does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
