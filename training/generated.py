"""Pairs about what agents' memories and sessions are made of: rules, preferences, decisions, fixes, facts, people.

`families.txt` has them, written by hand: what is said, how it is asked for, and the words that go into both; tastes
take their words from WordNet besides (`tastes.py`). A seed makes the pairs; a statement stands alone, in a chatty
message, in a dialogue, or in a long note among many others. `long.py` buries them in long messages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from extract import Unit
from tastes import Taste

SLOT = re.compile(r"\{(\w+)\}")


class Family(NamedTuple):
    """One thing that people say and ask for: its name, the ways to say it and the ways to ask for it."""

    name: str
    said: list[str]
    asked: list[str]


def read_families(path: Path) -> tuple[dict[str, list[str]], list[Family]]:
    """Return the lists of words and the families of `families.txt`.

    Statements and the questions that follow them are one family: each question must fit each of the statements.
    """
    lists: dict[str, list[str]] = {}
    families: list[Family] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "@":
            name, _, items = rest.partition(": ")
            lists[name] = [item.strip() for item in items.split("|")]
        elif mark == "=":
            families.append(Family(rest, [], []))
        elif mark == "-":
            if families[-1].asked:
                families.append(Family(families[-1].name, [], []))
            families[-1].said.append(rest)
        elif mark == "?":
            families[-1].asked.append(rest)
    return lists, families


class Writer:
    """Writes pairs with one source of chance, so that a seed gives the same text again."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.lists, self.families = read_families(folder / "families.txt")
        self.chance = random.Random(seed)
        self.asides = self.lists["aside"]

    def pair(self, family: Family) -> tuple[str, str]:
        """Return a question and the statement that answers it, with the same words in the same places."""
        chosen: dict[str, str] = {}
        said = self.fill(self.chance.choice(family.said), chosen)
        return self.fill(self.chance.choice(family.asked), chosen), said

    def fill(self, text: str, chosen: dict[str, str]) -> str:
        """Return the text with each slot filled and a capital first; a slot that was filled keeps its words."""
        out = SLOT.sub(lambda found: self.word(found[1], chosen), text)
        return out[:1].upper() + out[1:]

    def word(self, slot: str, chosen: dict[str, str]) -> str:
        """Return the words for a slot; `{tool2}` is another one than `{tool}`."""
        if slot not in chosen:
            taken = set(chosen.values())
            free = [words for words in self.lists[slot.rstrip("0123456789")] if words not in taken]
            words = self.chance.choice(free)
            chosen[slot] = SLOT.sub(lambda found: self.word(found[1], chosen), words)
        return chosen[slot]

    def statement(self) -> str:
        """Return what some family says."""
        return self.pair(self.chance.choice(self.families))[1]

    def units(self, count: int) -> Iterator[Unit]:
        """Yield `count` pairs; pairs of one family stand together, so that they are each other's hard negatives."""
        each = count // len(self.families) // 32 + 1
        runs = [family for family in self.families for _ in range(each)]
        self.chance.shuffle(runs)
        for number, family in enumerate(runs):
            for _ in range(32):
                query, said = self.pair(family)
                kind = "said" if family.name.startswith("life") else "rule"
                yield Unit(kind, f"{family.name}-{number}", self.asked(query), self.dressed(said))

    def tastes(self, tastes: list[Taste], runs: int) -> Iterator[Unit]:
        """Yield runs of 32 pairs: what a person likes, asked for by the kind that it is of.

        In a run all things are of one field and no kind stands twice, so that each question has one answer.
        """
        fields = sorted({taste.field for taste in tastes})
        by_field = {field: [taste for taste in tastes if taste.field == field] for field in fields}
        for number in range(runs):
            field = self.chance.choices(fields, [len(by_field[field]) for field in fields])[0]
            picked = {taste.kind: taste for taste in self.chance.sample(by_field[field], 100)}
            for taste in list(picked.values())[:32]:
                asked = self.chance.choice(self.lists["taste_asked"])
                article = "an" if taste.kind[0] in "aeiou" else "a"
                asked = asked.replace("{a kind}", f"{article} {taste.kind}").replace("{kind}", taste.kind)
                said = self.fill(self.chance.choice(self.lists["taste_said"]), {"thing": taste.thing})
                yield Unit("taste", f"{field}-{number}", self.asked(asked), self.dressed(said))

    def asked(self, query: str) -> str:
        """Return the question as people type it: with a lead-in, without its mark, in lower case, or as it is."""
        if self.chance.random() < 0.25:
            query = f"{self.chance.choice(self.lists['lead'])} {query[:1].lower()}{query[1:]}"
        if self.chance.random() < 0.3:
            query = query.lower().rstrip("?")
        return query

    def dressed(self, said: str) -> str:
        """Return the statement alone, with an aside, in a dialogue, or in a long note."""
        form = self.chance.choices((self.alone, self.chatty, self.dialogue, self.note), (35, 30, 20, 15))[0]
        return form(said)

    def alone(self, said: str) -> str:
        """Return the statement as a memory file would have it."""
        return said

    def chatty(self, said: str) -> str:
        """Return the statement inside a message with small talk around it."""
        parts = [self.fill(self.chance.choice(self.asides), {}) for _ in range(self.chance.randint(1, 3))]
        parts.insert(self.chance.randint(0, len(parts)), said)
        return " ".join(parts)

    def dialogue(self, said: str) -> str:
        """Return a few turns between a person and an assistant, one of which says it."""
        turns = [self.statement() for _ in range(self.chance.randint(1, 3))]
        turns.insert(self.chance.randint(0, len(turns)), said)
        answers = self.lists["answer"]
        return " ".join(f"User: {turn} Assistant: {self.fill(self.chance.choice(answers), {})}" for turn in turns)

    def note(self, said: str) -> str:
        """Return a long note of many statements, as a page of instructions has them."""
        lines = [self.statement() for _ in range(self.chance.randint(4, 16))]
        lines.insert(self.chance.randint(0, len(lines)), said)
        return " ".join(f"- {line}" for line in lines)

    def wrapped(self, unit: Unit) -> Unit:
        """Return a piece of documentation as a conversation about it: the heading is the topic of both sides."""
        topic = unit.query.rstrip(".?!: ")
        topic = topic if topic[:2].isupper() else topic[:1].lower() + topic[1:]
        chosen = {"topic": topic}
        query = self.fill(self.chance.choice(self.lists["topic_asked"]), chosen)
        said = self.fill(self.chance.choice(self.lists["topic_said"]), chosen)
        aside = self.fill(self.chance.choice(self.asides), {}) if self.chance.random() < 0.4 else ""
        return Unit("chat", unit.group, query, f"User: {said} {aside} Assistant: {unit.passage}".replace("  ", " "))
