"""Three machines, editors, commands, kills and wrong clocks in any order: all end alike, and nothing is lost.

As a script it plays many of them in a few processes, and names the seeds of those that fail:

    PYTHONPATH=tests python tests/exchange/sync/interleavings.py --from 0 --count 10000 --workers 2
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path

from exchange.sync.machines import Machine, settle
from holdfast.exchange.sync.depot import Depot
from support import git_in_process

KEYS = ("deploy", "database", "style", "review")
TIMES = ("1999-01-01T00:00:00Z", "2031-12-31T23:59:59Z")
# One of so many is played with the git that is installed, the others without starting it.
REAL = 8
YEAR = 365 * 86_400
# How many steps each takes at most, before or after one of which it is killed.
STEPS = {"sync": 150, "store": 60, "rename": 100, "forget": 400}


class Story:
    """One interleaving: what was said under which name, and which of it may be gone."""

    def __init__(self, seed: int, folder) -> None:
        self.chance = random.Random(seed)
        clocks = [self.chance.choice((0, 0, -20 * YEAR, 5 * YEAR, 3_600)) for _ in "abc"]
        self.machines = [
            Machine(folder / name, folder / "remote", ahead=clock) for name, clock in zip("abc", clocks, strict=True)
        ]
        (folder / "remote").mkdir()
        for machine in self.machines:
            machine.join()
        # What was said of one thing, by the key that was given or the words with which it began.
        self.said: dict[str, set[str]] = {}
        self.forgotten: set[str] = set()
        self.may_go: set[str] = set()
        # The forgets of each name, and those that each machine and the remote have heard of.
        self.forgets: dict[str, set[int]] = {}
        self.heard: dict[Machine | None, set[int]] = {None: set()}
        self.boxes: dict[str, bool] = {}
        self.lines: set[str] = set()
        self.number = seed * 1000

    def next(self) -> int:
        """Return a number that nothing had before."""
        self.number += 1
        return self.number

    def statement(self) -> str:
        """Return a sentence that nobody said before; all of them begin alike, as facts about many things do."""
        return f"The nightly job of the shop runs on host h{self.next()}."

    def step(self) -> None:
        """Let one machine do one thing."""
        machine = self.chance.choice(self.machines)
        acts = (self.store, self.store_keyed, self.edit, self.forget, self.rename, self.todo, self.write, self.kill)
        weights = (3, 4, 3, 1, 1, 2, 2, 3)
        if self.chance.random() < 0.4:
            self.sync(machine)
        else:
            self.chance.choices(acts, weights)[0](machine)

    def sync(self, machine: Machine) -> None:
        """Sync; from then on the machine and the remote have heard of the same forgets."""
        machine.sync()
        both = self.heard[None] | self.heard.get(machine, set())
        # Two sets: what the machine forgets from now on, the remote has not heard of.
        self.heard[None], self.heard[machine] = both, set(both)

    def say(self, machine: Machine, name: str, text: str) -> None:
        """Note a statement; what a machine says of a thing before it heard that it was forgotten goes with it."""
        self.said.setdefault(name, set()).add(text)
        if self.forgets.get(name, set()) - self.heard.get(machine, set()):
            self.may_go.add(text)

    def store(self, machine: Machine) -> None:
        text = self.statement()
        self.say(machine, text, text)
        machine.remember(text)

    def store_keyed(self, machine: Machine) -> None:
        text, key = self.statement(), self.chance.choice(KEYS)
        self.say(machine, key, text)
        machine.remember(text, key=key)

    def edit(self, machine: Machine) -> None:
        """Change a statement in an editor, and let it say any time of change."""
        known = machine.memories()
        if not known:
            return
        key = self.chance.choice(sorted(known))
        path, text = machine.path(key), self.statement()
        before = path.read_text()
        at = self.chance.choice((*TIMES, known[key].updated))
        after = before.replace(known[key].body, text).replace(known[key].title, text.rstrip("."))
        history = f"\n## History\n\n### {known[key].updated}\n\n> {known[key].body}\n"
        after = after.replace("\n## History\n", history, 1) if "\n## History\n" in after else after + history
        after = re.sub(r"updated: .*", f"updated: {at}", after)
        self.say(machine, self.name_of(known[key].body), text)
        path.write_text(after)

    def name_of(self, statement: str) -> str:
        return next(name for name, texts in self.said.items() if statement in texts)

    def forget(self, machine: Machine, *, kill: bool = False) -> None:
        known = machine.memories()
        if not known:
            return
        key = self.chance.choice(sorted(known))
        every = [known[one.key] for one in machine.goes_with(key)]
        texts = {text for gone in every for text in (gone.body, *(earlier.text for earlier in gone.history))}
        number = self.next()
        # What others said of the same thing, before they heard of it, goes with it.
        for name in {self.name_of(text) for text in texts}:
            self.may_go |= self.said[name]
            self.forgets.setdefault(name, set()).add(number)
        if kill and machine.killed_at(self.chance.randrange(1, STEPS["forget"]), machine.forget, key):
            return
        if not kill:
            machine.forget(key)
        self.forgotten |= texts
        self.heard.setdefault(machine, set()).add(number)

    def rename(self, machine: Machine, *, kill: bool = False) -> None:
        known = machine.memories()
        free = [key for key in known if not key.startswith("moved-")]
        if not free:
            return
        key, new = self.chance.choice(sorted(free)), f"moved-{self.next()}"
        if kill:
            machine.killed_at(self.chance.randrange(1, STEPS["rename"]), machine.rename, key, new)
        else:
            machine.rename(key, new)

    def todo(self, machine: Machine) -> None:
        known = [text for text, done in machine.todos().items() if not done]
        if known and self.chance.random() < 0.5:
            text = self.chance.choice(known)
            machine.tick(text)
            self.boxes[text] = True
        else:
            text = f"look at ticket{self.next()}"
            machine.add_todo(text)
            self.boxes[text] = False

    def write(self, machine: Machine) -> None:
        """Write a line of one's own on a page, and now and then take one out."""
        path = machine.page("MEMORY.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else ["# Our notes", ""]
        own = [line for line in lines if line in self.lines]
        if own and self.chance.random() < 0.2:
            gone = self.chance.choice(own)
            self.lines.discard(gone)
            lines.remove(gone)
        else:
            text = f"A line of mine, {self.next()}."
            self.lines.add(text)
            lines.insert(self.chance.randrange(1, len(lines) + 1), text)
        path.write_text("\n".join(lines) + "\n")

    def kill(self, machine: Machine) -> None:
        """Kill a sync, a store, a forget or a move in the middle; what was not done yet need not be there."""
        what = self.chance.choice(sorted(STEPS))
        if what == "sync":
            machine.killed_at(self.chance.randrange(1, STEPS["sync"]), machine.sync)
        elif what == "store":
            text = self.statement()
            self.say(machine, text, text)
            if machine.killed_at(self.chance.randrange(1, STEPS["store"]), machine.remember, text):
                self.may_go.add(text)
        else:
            {"forget": self.forget, "rename": self.rename}[what](machine, kill=True)


def play(seed: int, folder: Path) -> None:
    """Play one interleaving and look at how it ended."""
    with nullcontext() if seed % REAL == 0 else git_in_process.git():
        story = Story(seed, folder)
        for _ in range(12):
            story.step()
        settle(*story.machines)
        check(story)


def check(story: Story) -> None:
    """All homes are byte-identical in what travels, with every statement and no marker; nothing forgotten is left."""
    first, *others = (machine.travelling() for machine in story.machines)
    assert all(other == first for other in others), "the machines differ"
    assert not [path for path, data in first.items() if b"<<<<<<<" in data or b">>>>>>>" in data], "there is a marker"
    known = story.machines[0].memories().values()
    held = {text for one in known for text in (one.body, *(earlier.text for earlier in one.history))}
    wanted = {text for texts in story.said.values() for text in texts}
    assert wanted - story.may_go - held == set(), "a statement is lost"
    assert story.machines[0].todos() == story.boxes, "the check boxes are not as they were left"
    page = story.machines[0].page("MEMORY.md")
    assert story.lines <= set(page.read_text().splitlines() if page.exists() else ()), "a line of a page is lost"
    for path in (path for machine in story.machines for path in machine.home.rglob("*") if path.is_file()):
        data = path.read_text(errors="replace")
        assert not [text for text in story.forgotten if text in data], f"{path} has what was forgotten"
    # What git packs, no look through files finds.
    for machine in story.machines:
        objects = b"".join(Depot(str(machine.home)).every_object()).decode("utf-8", "replace")
        assert not [text for text in story.forgotten if text in objects], "git's objects have what was forgotten"


def _played(seed: int) -> tuple[int, str]:
    folder = Path(tempfile.mkdtemp(prefix=f"{seed}-"))
    try:
        play(seed, folder)
    except Exception:
        return seed, f"{folder}\n{traceback.format_exc(limit=-2)}"
    shutil.rmtree(folder)
    return seed, ""


def main() -> int:
    """Play a range of seeds and say how many there were, what they cost, and which failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    for name in [name for name in os.environ if name.startswith(("HOLDFAST_", "_HOLDFAST", "GIT_"))]:
        del os.environ[name]
    base = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = base
    play(REAL, Path(tempfile.mkdtemp()))
    gc.collect()
    gc.freeze()
    begun, failed, seeds = time.monotonic(), 0, range(asked.first, asked.first + asked.count)
    with get_context("fork").Pool(asked.workers) as pool:
        for number, (seed, problem) in enumerate(pool.imap_unordered(_played, seeds, 4), 1):
            if problem:
                failed += 1
                print(f"seed {seed} failed, left in {problem}", flush=True)
            if number % 500 == 0 or number == asked.count:
                print(f"{number} played, {failed} failed, {time.monotonic() - begun:.0f} s", flush=True)
        pool.close()
        pool.join()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = (spent.ru_utime + spent.ru_stime) / asked.count
    print(f"{asked.count} interleavings from seed {asked.first}, {failed} failed, {each:.2f} s of processor time each")
    if not failed:
        shutil.rmtree(base)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
