"""Makes secrets of more than a hundred kinds in many surroundings, and harmless text that looks like them.

`shapes.txt` tells each kind by its parts and `frames.txt` the surroundings, so that no file here holds anything that a
scanner takes for a secret. The same seed gives the same texts. The kinds are those that scanners know today, and some
of vendors that do not exist.
"""

from __future__ import annotations

import base64
import os
import random
import re
from collections.abc import Callable

from fake_secrets import (
    ALNUM,
    B64,
    DIGITS,
    HERE,
    HEX,
    LOWER,
    MARK,
    UPPER,
    URLSAFE,
    human_password,
    jwt,
    leaks,
    pem_body,
    pick,
    uuid,
)

# A part such as `a36` stands for 36 letters or digits, `h` for hex, `u` for what is safe in a URL, `b` for base64,
# `l` for lower case and digits, `U` for upper, `d` for digits, `uuid` for one. Others stand for themselves.
ALPHABETS = {"h": HEX, "a": ALNUM, "u": URLSAFE, "b": B64, "l": LOWER + DIGITS, "U": UPPER + DIGITS, "d": DIGITS}
LINE_END = "⏎"
MAKERS: dict[str, Callable[[random.Random], str]] = {
    "password": lambda rng: human_password(rng).replace("&", "+"),
    "token": lambda rng: pick(rng, ALNUM, 32),
    "hex": lambda rng: pick(rng, HEX, 40),
    "b40": lambda rng: pick(rng, B64, 40),
    "base64": lambda rng: base64.b64encode(f"deploy:{pick(rng, ALNUM, 24)}".encode()).decode(),
    "jwt": jwt,
    "pem": pem_body,
}


def lines(name: str) -> list[str]:
    """Return the lines of a file beside this one."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read().splitlines()


def part_of(part: str, rng: random.Random) -> str:
    """Return what a part stands for."""
    if part == "uuid":
        return uuid(rng)
    is_random = part[:1] in ALPHABETS and part[1:].isdigit()
    return pick(rng, ALPHABETS[part[0]], int(part[1:])) if is_random else part


def secrets(seed: int, count: int) -> list[dict[str, str]]:
    """Return so many rows, each kind as often as the others: its name, the text, and the value that must go."""
    rng = random.Random(seed)
    shapes = {kind: parts for kind, *parts in (line.split() for line in lines("shapes.txt"))}
    frames: dict[str, list[str]] = {}
    makers = {}
    for kind, maker, frame in (line.split(" ", 2) for line in lines("frames.txt")):
        frames.setdefault(kind, []).append(frame.replace(LINE_END, "\n"))
        makers[kind] = MAKERS.get(maker, jwt)
    kinds = [*shapes, *(kind for kind in frames if kind != "any")]
    rows = []
    for number in range(count):
        kind = kinds[number % len(kinds)]
        value = "".join(part_of(part, rng) for part in shapes[kind]) if kind in shapes else makers[kind](rng)
        frame = rng.choice(frames.get(kind, frames["any"])).replace("NAME", f"{kind.upper().replace('-', '')}VALUE")
        rows.append({"kind": kind, "text": frame.replace(MARK, value), "value": value})
    return rows


def is_left(row: dict[str, str], cleaned: str) -> bool:
    """Say whether a piece of the secret is in the cleaned text; the name of its kind may be a part of both."""
    return leaks(row["value"], re.sub(r"\[redacted:[a-z0-9-]+\]", "", cleaned))


def harmless(seed: int, count: int) -> list[str]:
    """Return so many texts without a secret: digests, ids, lock files, names, flags, prose and code."""
    rng = random.Random(seed)
    forms = lines("harmless_forms.txt")
    return [
        re.sub(r"\{(\w+)\}", lambda part: part_of(part[1], rng), forms[number % len(forms)]) for number in range(count)
    ]
