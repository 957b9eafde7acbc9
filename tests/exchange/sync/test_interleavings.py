"""Three machines, editors, commands, kills and wrong clocks in any order: all end alike, and nothing is lost."""

from __future__ import annotations

import random
import re

import pytest

from exchange.sync.machines import Machine, settle
from support.sampling import count

KEYS = ("deploy", "database", "style", "review")
TIMES = ("1999-01-01T00:00:00Z", "2031-12-31T23:59:59Z")


class Story:
    """One interleaving: what was said under which name, and which of it may be gone."""

    def __init__(self, seed: int, folder) -> None:
        self.chance = random.Random(seed)
        self.machines = [Machine(folder / name, folder / "remote") for name in "abc"]
        (folder / "remote").mkdir()
        for machine in self.machines:
            machine.join()
        self.said: dict[str, set[str]] = {}
        self.forgotten: set[str] = set()
        self.may_go: set[str] = set()
        self.number = seed * 1000

    def statement(self) -> str:
        """Return a sentence that nobody said before; all of them begin alike, as facts about many things do."""
        self.number += 1
        return f"The nightly job of the shop runs on host h{self.number}."

    def step(self) -> None:
        """Let one machine do one thing."""
        machine = self.chance.choice(self.machines)
        acts = (self.store, self.store_keyed, self.edit, self.forget, self.rename, self.todo, self.write, self.kill)
        weights = (3, 4, 3, 1, 1, 2, 2, 1)
        if self.chance.random() < 0.4:
            machine.sync()
        else:
            self.chance.choices(acts, weights)[0](machine)

    def store(self, machine: Machine) -> None:
        text = self.statement()
        self.said.setdefault(text, set()).add(text)
        machine.remember(text)

    def store_keyed(self, machine: Machine) -> None:
        text, key = self.statement(), self.chance.choice(KEYS)
        self.said.setdefault(key, set()).add(text)
        machine.remember(text, key=key)

    def edit(self, machine: Machine) -> None:
        """Change a statement in an editor, on a machine whose clock may be wrong."""
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
        self.said.setdefault(self.name_of(known[key].body), set()).add(text)
        path.write_text(after)

    def name_of(self, statement: str) -> str:
        return next(name for name, texts in self.said.items() if statement in texts)

    def forget(self, machine: Machine) -> None:
        known = machine.memories()
        if not known:
            return
        gone = known[self.chance.choice(sorted(known))]
        texts = {gone.body, *(earlier.text for earlier in gone.history)}
        self.forgotten |= texts
        # What others say of the same thing at the same time goes with it.
        for text in texts:
            self.may_go.add(self.name_of(text))
        machine.forget(gone.key)

    def rename(self, machine: Machine) -> None:
        known = machine.memories()
        free = [key for key in known if not key.startswith("moved-")]
        if free:
            key = self.chance.choice(sorted(free))
            self.number += 1
            machine.rename(key, f"moved-{self.number}")

    def todo(self, machine: Machine) -> None:
        known = [text for text, done in machine.todos().items() if not done]
        if known and self.chance.random() < 0.5:
            machine.tick(self.chance.choice(known))
        else:
            self.number += 1
            machine.add_todo(f"look at ticket{self.number}")

    def write(self, machine: Machine) -> None:
        """Write a line of one's own on a page."""
        path = machine.page("MEMORY.md")
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else ["# Our notes", ""]
        self.number += 1
        lines.insert(self.chance.randrange(1, len(lines) + 1), f"A line of mine, {self.number}.")
        path.write_text("\n".join(lines) + "\n")

    def kill(self, machine: Machine) -> None:
        machine.sync_killed_at(self.chance.randrange(1, 150))


@pytest.mark.parametrize("seed", range(count(10_000, 12)))
def test_machines_end_alike_and_nothing_is_lost(seed, tmp_path):
    """After any interleaving all homes are byte-identical in what travels, with every statement, and no marker."""
    story = Story(seed, tmp_path)
    for _ in range(12):
        story.step()
    settle(*story.machines)
    first, *others = (machine.travelling() for machine in story.machines)
    assert all(other == first for other in others)
    assert not [path for path, data in first.items() if b"<<<<<<<" in data or b">>>>>>>" in data]
    known = story.machines[0].memories().values()
    held = {text for one in known for text in (one.body, *(earlier.text for earlier in one.history))}
    wanted = {text for name, texts in story.said.items() if name not in story.may_go for text in texts}
    assert wanted - held == set()
    assert held & story.forgotten == set()
