"""Long passages, made of several units that lie side by side, and messages in which a statement is buried.

A teacher reads 256 or 512 tokens and knows one vector for all of them. A long passage is therefore never shown to it
whole: it is as near to a query as the nearest of its parts, which the teacher has read one by one.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from extract import Unit, words_in

SEED = 11
MAX_PARTS = 12
RUN = 32
# What a page may be joined from; the rest is too short or has no order.
OF_PAGES = frozenset("page document manual faq prose docstring comment changelog service release chat".split())
PAGE_WORDS = (220, 900)
FILLER_WORDS = (60, 600)
PAGES = 48_000
BURIED_SHARE = 0.5
ABOUT_THE_FILLER = 0.2


class Long(NamedTuple):
    """A long passage as a unit, the numbers of the units that it is made of, and the one that its query is about."""

    unit: Unit
    parts: list[int]
    about: int


def long_passages(units: list[Unit]) -> list[Long]:
    """Return the long passages out of the units; the same units give the same again."""
    chance = random.Random(SEED)
    lengths = [words_in(unit.passage) for unit in units]
    pages = list(joined(units, lengths, PAGE_WORDS, chance))
    step = max(1.0, len(pages) / PAGES)
    kept = [pages[int(at * step)] for at in range(int(len(pages) / step))]
    fillers = list(joined(units, lengths, FILLER_WORDS, chance))
    found = (page(units, parts, chance) for parts in kept)
    return [one for one in found if one] + list(buried(units, fillers, chance))


def joined(
    units: list[Unit], lengths: list[int], least_and_most: tuple[int, int], chance: random.Random
) -> Iterator[list[int]]:
    """Yield neighbours of one group, from two up, that are together as long as wanted; none is in two of them."""
    for (kind, _), stretch in itertools.groupby(range(len(units)), key=lambda at: units[at][:2]):
        if kind not in OF_PAGES:
            continue
        held: list[int] = []
        wanted, size = chance.randint(*least_and_most), 0
        for at in stretch:
            held.append(at)
            size += lengths[at]
            if size >= wanted or len(held) == MAX_PARTS - 1:
                if len(held) > 1 and size >= least_and_most[0]:
                    yield held
                held, wanted, size = [], chance.randint(*least_and_most), 0


def page(units: list[Unit], parts: list[int], chance: random.Random) -> Long | None:
    """Return the parts as one page, asked for by the query of any one of them; none if none has a query."""
    asked = [at for at in parts if units[at].query]
    if not asked:
        return None
    about = chance.choice(asked)
    text = " ".join(units[at].passage for at in parts)
    return Long(Unit("long", units[about].group, units[about].query, text), parts, about)


def buried(units: list[Unit], fillers: list[list[int]], chance: random.Random) -> Iterator[Long]:
    """Yield our own statements inside long messages about something else.

    The statements of a run are about the same, and half of the runs are buried in pages that lie side by side: then
    only the statement tells the messages apart.
    """
    own = [at for at, unit in enumerate(units) if unit.kind in ("rule", "said", "taste")]
    for _, stretch in itertools.groupby(own, key=lambda at: units[at][:2]):
        run = list(stretch)
        if chance.random() > BURIED_SHARE:
            continue
        first = chance.randrange(len(fillers) - RUN)
        near = chance.random() < 0.5
        for place, at in enumerate(run):
            filler = fillers[first + place % RUN] if near else chance.choice(fillers)
            yield message(units, at, filler, chance)


def message(units: list[Unit], own: int, filler: list[int], chance: random.Random) -> Long:
    """Return one long message; now and then it is asked for by what the rest of it is about."""
    parts = list(filler)
    parts.insert(chance.randint(0, len(parts)), own)
    asked = [at for at in filler if units[at].query]
    about = chance.choice(asked) if asked and chance.random() < ABOUT_THE_FILLER else own
    text = " ".join(units[at].passage for at in parts)
    return Long(Unit("buried", units[own].group, units[about].query, text), parts, about)
