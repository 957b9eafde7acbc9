"""Makes a home of facts and questions about them out of a table of services and aspects (`tune.txt`, `held.txt`)."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
# Of so many facts there is an older version, and of so many one for staging.
OLDER, STAGING = 40, 40


@dataclass
class Facts:
    """`facts` are key, text and age in days; `questions` are a text and the keys of the facts that answer it."""

    facts: list[tuple[str, str, int]] = field(default_factory=list)
    questions: list[tuple[str, frozenset[str]]] = field(default_factory=list)


def made(name: str, asked: int = 200, seed: int = 18) -> Facts:
    """Return a fact for every service and aspect, and questions about as many of them, each asked in one way."""
    services, aspects = read(name)
    chance = random.Random(seed)
    found = Facts()
    said: dict[tuple[str, int], str] = {}
    for service in services:
        for number, (templates, values, _) in enumerate(aspects):
            text = chance.choice(templates).format(s=service, v=chance.choice(values))
            said[service, number] = text
            found.facts.append((_key(service, number), text[0].upper() + text[1:], 1))
    for service, number in chance.sample(sorted(said), asked):
        question = chance.choice(aspects[number][2]).format(s=service)
        found.questions.append((question, frozenset([_key(service, number)])))
    return found


def with_versions(name: str, asked: int = 120, seed: int = 19) -> Facts:
    """Return the same facts, some of them with an older version or one for staging; questions are about those."""
    services, aspects = read(name)
    chance = random.Random(seed)
    found = made(name, 0, seed)
    texts = {key: text for key, text, _ in found.facts}
    picked = chance.sample([(service, number) for service in services for number in range(len(aspects))], asked)
    for place, (service, number) in enumerate(picked):
        templates, values, asks = aspects[number]
        key, question = _key(service, number), chance.choice(asks).format(s=service)
        other = chance.choice([value for value in values if value not in texts[key]])
        text = chance.choice(templates).format(s=service, v=other)
        if place < OLDER:
            found.facts.append((f"{key}-old", text[0].upper() + text[1:], 60))
            found.questions.append((question, frozenset([key])))
        elif place < OLDER + STAGING:
            found.facts.append((f"{key}-staging", f"In staging, {text}", 1))
            found.questions.append((f"In staging: {question}", frozenset([f"{key}-staging"])))
        else:
            found.questions.append((question, frozenset([key])))
    return found


def _key(service: str, aspect: int) -> str:
    return f"{service.lower()}-{aspect}"


def read(name: str) -> tuple[list[str], list[tuple[list[str], list[str], list[str]]]]:
    """Return the services of a table, and of each aspect its facts, its values and its questions."""
    with open(os.path.join(HERE, f"{name}.txt"), encoding="utf-8") as file:
        paragraphs = "".join(line for line in file if not line.startswith("#")).strip().split("\n\n")
    told = [[line.partition(": ")[::2] for line in paragraph.splitlines()] for paragraph in paragraphs]
    services = told[0][0][1].split(", ")
    pick = [{kind: [text for what, text in lines if what == kind] for kind in ("fact", "ask")} for lines in told[1:]]
    values = [next(text for what, text in lines if what == "values").split("; ") for lines in told[1:]]
    return services, [(one["fact"], value, one["ask"]) for one, value in zip(pick, values, strict=True)]
