"""Machines, editors, commands, kills and wrong clocks in any order: all end alike, and nothing is lost.

Three are there from the beginning. Others join late: one that is new, one that lived by itself and has memories, one
with an old copy of another's home. Bundles are handed from one to another, names are erased, what a sync or another
act did is undone, and every now and then a sync is only tried. The remote is away, refuses, takes what is pushed and
says nothing, is ahead, or is put back to what it was.

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

from exchange.sync.machines import Machine, remote_that_is, settle
from holdfast.errors import Conflict, Refused
from holdfast.exchange.sync.depot import Depot
from holdfast.exchange.sync.memories import statements
from holdfast.memory import proposals
from holdfast.memory.proposal_files import Proposals
from holdfast.records import Memory
from support import git_in_process

KEYS = ("deploy", "database", "style", "review")
TIMES = ("1999-01-01T00:00:00Z", "2031-12-31T23:59:59Z")
# One of so many is played with the git that is installed, the others without starting it.
REAL = 8
DAY = 86_400
YEAR = 365 * DAY
# With those that come late.
MOST = 5
# How many steps each takes at most, before or after one of which it is killed.
STEPS = {"sync": 150, "store": 60, "rename": 100, "forget": 400, "see": 120}


class Story:
    """One interleaving: what was said under which name, and which of it may be gone."""

    def __init__(self, seed: int, folder) -> None:
        self.chance = random.Random(seed)
        clocks = [self.chance.choice((0, 0, -20 * YEAR, 5 * YEAR, 3_600, -3 * DAY, 2 * DAY)) for _ in "abc"]
        self.folder = folder
        self.machines = [
            Machine(folder / name, folder / "remote", ahead=clock) for name, clock in zip("abc", clocks, strict=True)
        ]
        (folder / "remote").mkdir()
        for machine in self.machines:
            machine.join()
        # Copies of homes that nobody uses yet, and bundles that nobody took in.
        self.copies: list[Machine] = []
        self.bundles: list[Path] = []
        # Each erase is a name and a number; which machine has heard of which, the remote among them, which were
        # followed by a new word of the same name, and how many erases of that name there were by then.
        self.marks: list[tuple[str, int]] = []
        self.heard: dict[object, set[tuple[str, int]]] = {}
        self.lifted: set[tuple[str, int]] = set()
        self.again: dict[str, tuple[str, int]] = {}
        # The keys of what each machine approved or moved since its last sync.
        self.since: dict[Machine, set[str]] = {}
        # What an undo took back, which may be gone or not.
        self.unsure_boxes: set[str] = set()
        # What each statement came of: the first statements that one machine made, of which it is one or an edit.
        self.came_of: dict[str, set[str]] = {}
        self.forgotten: set[str] = set()
        # What it came of that was forgotten: it goes with that. And what was killed before it was said.
        self.forgotten_facts: set[str] = set()
        self.may_be_unsaid: set[str] = set()
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

    def name(self) -> str:
        """Return the name of somebody whom nobody spoke of before."""
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(self.next()))
        return f"Kim W{letters}son"

    def step(self) -> None:
        """Let one machine do one thing."""
        machine = self.chance.choice(self.machines)
        acts = {
            **{self.store: 2, self.store_keyed: 4, self.store_named: 2, self.edit: 3, self.forget: 1, self.rename: 1},
            **{self.todo: 2, self.write: 2, self.kill: 3, self.erase: 1, self.undo: 1, self.decide: 2, self.row: 3},
            **{self.say_again: 2, self.approve: 2},
        }
        if self.chance.random() < 0.4:
            self.sync(machine)
        elif self.chance.random() < 0.2:
            acts_of_few = (self.come, self.copy, self.hand_out, self.take_in, self.put_back, self.put_back)
            self.chance.choice(acts_of_few)(machine)
        else:
            machine.see()
            self.chance.choices([*acts], [*acts.values()])[0](machine)

    def sync(self, machine: Machine) -> None:
        """Sync, now and then after it was tried, which changes nothing."""
        if machine.is_apart:
            machine.join()
        if self.chance.random() < 0.2:
            self.only_try(machine)
        if self.chance.random() < 0.2:
            self.sync_in_trouble(machine)
        else:
            self.look_at(machine, machine.sync())

    @property
    def erased(self) -> set[str]:
        """Return the names that were erased, and not said again since."""
        return {name for name, number in self.marks if (name, number) not in self.lifted}

    def look_at(self, machine: Machine, done) -> None:
        """See that what a sync takes of what was done here is told, and that nothing erased was published."""
        if done.offline:
            return
        told = " ".join([*done.forgotten, *done.gave_way, *done.left, *done.struck])
        lost = self.since.pop(machine, set()) - machine.memories().keys()
        assert all(f"/{key}" in told for key in lost), f"{lost} went without a word"
        known = self.heard.setdefault(machine, set()) | self.heard.setdefault("remote", set())
        self.heard[machine], self.heard["remote"] = set(known), set(known)
        for path in (machine.home / "sync" / "agreed").rglob("*.md"):
            data = path.read_text()
            assert not [name for name, _ in known - self.lifted if name in data], f"{path} was published after an erase"

    def sync_in_trouble(self, machine: Machine) -> None:
        """Sync with a remote that fails, or on which another machine has published meanwhile."""
        trouble = self.chance.choice(("away", "gone", "dumb", "refuses", "keeps", "ahead"))
        others = [one for one in self.machines if one is not machine and not one.is_apart]
        with remote_that_is(trouble, self.chance.choice(others).sync if others else bool):
            try:
                machine.sync()
            except Refused:
                assert trouble in ("refuses", "keeps"), trouble
            except Conflict:
                # However often it merged again, the other one was there first.
                assert trouble == "ahead", trouble

    def put_back(self, _: Machine) -> None:
        """Keep what the remote has now, or put it back to what was kept."""
        kept, remote = self.folder / "kept", self.folder / "remote"
        was, now = (kept, remote) if kept.exists() and self.chance.random() < 0.7 else (remote, kept)
        shutil.rmtree(now, ignore_errors=True)
        shutil.copytree(was, now)
        self.heard[now.name] = set(self.heard.get(was.name, ()))

    def only_try(self, machine: Machine) -> None:
        """Let a machine show what a sync would do; what a killed command left is finished before."""
        if machine.was_killed:
            machine.see()
        homes = {each: each.plain_files() for each in self.machines}
        at = self.published()
        machine.sync(dry_run=True)
        changed = [
            path
            for each, files in homes.items()
            for path in {*files, *each.plain_files()}
            if files.get(path) != each.plain_files().get(path)
        ]
        assert not changed, f"a dry run changes {changed}"
        assert at == self.published(), "a dry run changes the remote"

    def published(self) -> dict[str, bytes]:
        """Return the refs of the remote."""
        remote = self.folder / "remote" / "holdfast.git"
        paths = [*remote.glob("refs/**/*"), remote / "packed-refs"]
        return {str(path): path.read_bytes() for path in paths if path.is_file()}

    def come(self, _: Machine) -> None:
        """Let a machine come that joins at its first sync, or one with a copy of another's home as it once was."""
        if len(self.machines) < MOST:
            name = f"late{len(self.machines)}"
            new = Machine(self.folder / name, self.folder / "remote", ahead=self.chance.choice((0, YEAR, -YEAR)))
            self.machines.append(self.copies.pop() if self.copies and self.chance.random() < 0.7 else new)

    def copy(self, machine: Machine) -> None:
        """Copy a home, to be used later."""
        if machine.home.exists() and len(self.copies) < 2:
            self.copies.append(machine.copied(self.folder / f"copy{self.next()}"))
            self.heard[self.copies[-1]] = set(self.heard.get(machine, ()))

    def hand_out(self, machine: Machine) -> None:
        """Export what a machine has."""
        self.bundles.append(self.folder / f"{self.next()}.tar.gz")
        machine.hand_out(self.bundles[-1])

    def take_in(self, machine: Machine) -> None:
        """Import what a machine had exported, some time ago."""
        if self.bundles:
            machine.take_in(self.chance.choice(self.bundles))

    def say(self, text: str, before: Memory | None = None) -> None:
        """Note a statement that nobody said before, and what it came of."""
        earlier = () if before is None else statements(before)
        # Of a statement that was struck through, or lost an erased name, nothing is noted.
        self.came_of[text] = set().union(*(self.came_of.get(one, ()) for one in earlier)) or {text}

    def store(self, machine: Machine) -> None:
        text = self.statement()
        self.say(text)
        machine.remember(text)

    def store_keyed(self, machine: Machine) -> None:
        text, key = self.statement(), self.chance.choice(KEYS)
        self.say(text, machine.memories().get(key))
        machine.remember(text, key=key)

    def store_named(self, machine: Machine) -> None:
        text = f"The invoices of the shop go to {self.name()} in room r{self.next()}."
        self.say(text)
        machine.remember(text)

    def erase(self, machine: Machine) -> None:
        """Erase a name that a memory, or what one said before, tells."""
        every = [text for one in machine.memories().values() for text in statements(one)]
        names = sorted({name for text in every for name in re.findall(r"Kim W[a-j]+son", text)})
        if names:
            name = self.chance.choice(names)
            self.marks.append((name, self.next()))
            self.heard.setdefault(machine, set()).add(self.marks[-1])
            self.since.pop(machine, None)
            machine.erase(name)

    def say_again(self, machine: Machine) -> None:
        """Say a name again that the machine knows to be erased."""
        known = self.heard.get(machine, set())
        names = sorted({name for name, _ in known} & self.erased)
        if names:
            name = self.chance.choice(names)
            text = f"The ledger of the shop is with {name} in room r{self.next()}."
            self.say(text)
            self.again[text] = name, len([one for one in self.marks if one[0] == name])
            self.lifted |= {one for one in known if one[0] == name}
            machine.remember(text)

    def approve(self, machine: Machine) -> None:
        """Decide a disagreement for the statement that gave way."""
        known = machine.memories()
        waits = [
            one
            for one in Proposals(str(machine.home)).all()[0]
            if one.kind == "memory" and one.replaces in known and one.text in statements(known[one.replaces])
        ]
        if waits:
            one = self.chance.choice(waits)
            if machine.act(proposals.approve, (one.id,))[0].act == "approved":
                self.since.setdefault(machine, set()).add(one.replaces)

    def undo(self, machine: Machine) -> None:
        """Undo what a sync or another act did here; what goes by that may be gone everywhere, or stay."""
        before, boxes = self.said_by(machine), machine.todos()
        if not machine.undo(self.chance.choice):
            return
        self.since.pop(machine, None)
        gone, after = before - self.said_by(machine), machine.todos()
        self.may_be_unsaid |= gone
        self.lines -= gone
        self.unsure_boxes |= {text for text in {*boxes, *after} if boxes.get(text) != after.get(text)}

    def said_by(self, machine: Machine) -> set[str]:
        """Return all that a machine's memories say and said, and the lines of its page."""
        page = machine.page("MEMORY.md")
        said = {text for one in machine.memories().values() for text in statements(one)}
        return said.union(page.read_text().splitlines() if page.exists() else ())

    def decide(self, machine: Machine) -> None:
        text = self.chance.choice((self.statement(), f"{self.name()} keeps the ledger until the audit is over."))
        self.say(text)
        machine.decide(text)

    def row(self, machine: Machine) -> None:
        """Write a row into the table of decisions, or change or strike through one that is there."""
        path = machine.page("decisions.md")
        if not path.exists():
            return
        page, known = path.read_text(), machine.memories()
        rows = [one for one in known.values() if one.type == "decision" and f"| {one.body} |" in page]
        text, what = self.statement(), self.chance.random()
        if what < 0.4 or not rows:
            self.say(text)
            page = page.replace("<!-- holdfast:end decisions -->", f"| | | {text} | |\n<!-- holdfast:end decisions -->")
        elif what < 0.8:
            old = self.chance.choice(rows)
            self.say(text, old)
            page = page.replace(f"| {old.body} |", f"| {text} |")
        else:
            old = self.chance.choice(rows).body
            page = page.replace(f"| {old} |", f"| ~~{old}~~ |") if old[:2] != "~~" else page
        path.write_text(page)
        if self.chance.random() < 0.3:
            machine.killed_at(self.chance.randrange(1, STEPS["see"]), machine.see)

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
        self.say(text, known[key])
        path.write_text(after)

    def forget(self, machine: Machine, *, kill: bool = False) -> None:
        known = machine.memories()
        if not known:
            return
        key = self.chance.choice(sorted(known))
        self.since.pop(machine, None)
        every = [known[one.key] for one in machine.goes_with(key)]
        texts = {text for gone in every for text in statements(gone)}
        # What others made of the same, before they heard of it, goes with it.
        self.forgotten_facts |= set().union(*(self.came_of.get(text, ()) for text in texts))
        if kill and machine.killed_at(self.chance.randrange(1, STEPS["forget"]), machine.forget, key):
            return
        if not kill:
            machine.forget(key)
        self.forgotten |= texts

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
            self.since.setdefault(machine, set()).discard(key)
            self.since[machine].add(new)

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
        what = self.chance.choice(("forget", "rename", "store", "sync"))
        self.since.pop(machine, None)
        if what == "sync":
            if machine.is_apart:
                machine.join()
            machine.killed_at(self.chance.randrange(1, STEPS["sync"]), machine.sync)
        elif what == "store":
            text = self.statement()
            self.say(text)
            if machine.killed_at(self.chance.randrange(1, STEPS["store"]), machine.remember, text):
                self.may_be_unsaid.add(text)
        else:
            {"forget": self.forget, "rename": self.rename}[what](machine, kill=True)


def play(seed: int, folder: Path) -> None:
    """Play one interleaving and look at how it ended."""
    with nullcontext() if seed % REAL == 0 else git_in_process.git():
        story = Story(seed, folder)
        for _ in range(14):
            story.step()
        for machine in story.machines:
            if machine.is_apart:
                machine.join()
        settle(*story.machines)
        check(story)


def check(story: Story) -> None:
    """All homes are byte-identical in what travels, with every statement and no marker; nothing forgotten is left."""
    first, *others = (machine.travelling() for machine in story.machines)
    assert all(other == first for other in others), "the machines differ"
    assert not [path for path, data in first.items() if b"<<<<<<<" in data or b">>>>>>>" in data], "there is a marker"
    known = story.machines[0].memories().values()
    held = {text for one in known for text in statements(one)}
    wanted = {text for text, facts in story.came_of.items() if facts.isdisjoint(story.forgotten_facts)}
    gone = {name for name, _ in story.marks}
    wanted = {text for text in wanted if text in story.again or not any(name in text for name in gone)}
    wanted -= {text for text, (name, many) in story.again.items() if [one[0] for one in story.marks].count(name) > many}
    wanted -= {text for text, (name, _) in story.again.items() if name in story.erased}
    assert wanted - story.may_be_unsaid - held == set(), "a statement is lost"
    boxes = story.machines[0].todos()
    sure = {*boxes, *story.boxes} - story.unsure_boxes
    assert all(boxes.get(text) == story.boxes.get(text) for text in sure), "the check boxes are not as they were left"
    # A table shows what an editor wrote into a memory when a command has looked at it.
    every = [machine.memories() for machine in story.machines]
    assert all(one.keys() == every[0].keys() for one in every), "the machines find different memories"
    assert len({frozenset(machine.rows()) for machine in story.machines}) == 1, "decisions are told in different ways"
    page = story.machines[0].page("MEMORY.md")
    assert story.lines <= set(page.read_text().splitlines() if page.exists() else ()), "a line of a page is lost"
    for path in (path for machine in story.machines for path in machine.home.rglob("*") if path.is_file()):
        data = path.read_text(errors="replace")
        # What a person put in place there, and forgot elsewhere, waits for them to decide.
        is_asked = path.parent.name == "proposals" and "\nkind: again\n" in data
        assert is_asked or not [text for text in story.forgotten if text in data], f"{path} has what was forgotten"
        assert not [name for name in story.erased if name in data], f"{path} has what was erased"
    # What git packs, no look through files finds.
    for machine in story.machines:
        objects = b"".join(Depot(str(machine.home)).every_object()).decode("utf-8", "replace")
        gone = story.forgotten | story.erased
        assert not [text for text in gone if text in objects], "git's objects have what was forgotten or erased"


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
