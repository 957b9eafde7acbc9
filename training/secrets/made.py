"""Makes up secrets in the places where people leave them, and harmless texts that look like them, from `places.txt`."""

from __future__ import annotations

import base64
import random
import re
import string
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
HEX = DIGITS + "abcdef"
KINDS = {"h": HEX, "H": HEX.upper(), "a": ALNUM, "b": ALNUM + "+/", "d": DIGITS, "l": LOWER, "U": UPPER + DIGITS}
START, END = "\0", "\1"
_LIKES = ("look alikes", "their places"), ("names with numbers", "words around them")
USERS = (
    "admin root app deploy svc_backup jmiller postgres bob alice sa guest info@acme.io test demo user pi ubuntu kim"
    " maria.lopez grafana zabbix operator ops@acme.io gitlab nagios master manager tester dev qa"
    " jane.doe@acme.io".split()
)
HOSTS = (
    "db.internal 10.0.3.17 prod-db-2.acme.io localhost 192.168.1.20 srv01 mail.firma.de redis:6379 203.0.113.77"
    " 172.20.8.4".split()
)


def sections() -> dict[str, list[str]]:
    """Return the lists and forms of `places.txt` by their titles."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in Path(__file__).with_name("places.txt").read_text("utf-8").splitlines():
        if head := re.fullmatch(r"\[([a-z ]+)\]", line):
            title = head[1]
        elif line and title:
            found.setdefault(title, []).append(line.replace("⏎", "\n").replace("⇥", "\t"))
    lists = ("words", "vendors", "purposes", "passwords", "tokens", "harmless names")
    return {title: " ".join(rows).split() if title in lists else rows for title, rows in found.items()}


class Maker:
    """Draws values, names and texts; the same seed always gives the same ones."""

    def __init__(self, seed: int, words: list[str] | None = None) -> None:
        self.rng = random.Random(seed)
        self.lists = sections()
        self.lists["words"] += words or []

    def drawn(self, count: int, letters: str = ALNUM) -> str:
        """Return so many letters."""
        return "".join(self.rng.choices(letters, k=count))

    def word(self) -> str:
        """Return a word that people make passwords of."""
        return self.rng.choice(self.lists["words"])

    def password(self) -> str:
        """Return a password as people or a generator make it."""
        rng, word, other = self.rng, self.word(), self.word()
        sign, number = rng.choice("!!!!@#$%?*&+_-."), str(rng.randrange(1, 10_000))
        leet = word.translate(str.maketrans("aeoist", "430157"))
        made: list[Callable[[], str]] = [
            lambda: word.capitalize() + str(rng.randrange(1950, 2030)) + rng.choice(["", sign]),
            lambda: word.capitalize() + number[:3] + sign,
            lambda: word + number,
            lambda: leet.capitalize() + rng.choice(["", sign]) + number[:3],
            lambda: word + other.capitalize() + number + rng.choice(["", sign]),
            lambda: "-".join(self.word() for _ in range(rng.randrange(3, 6))) + rng.choice(["", number[:1]]),
            lambda: rng.choice("_.-+").join((word, other, number[:3])),
            self.joined,
            self.joined,
            lambda: sign.join((word.capitalize(), other.capitalize())) + rng.choice(["", "="]) + number[:2],
            lambda: "-".join(self.drawn(rng.randrange(3, 6), LOWER + DIGITS) for _ in range(rng.randrange(3, 6))),
            lambda: number + word.capitalize() + rng.choice(["", sign]),
            lambda: rng.choice(["P@ssw0rd", "Passw0rd", "Adm1n", "S3cr3t", "hunter"]) + sign + number,
            lambda: self.drawn(3, UPPER) + self.drawn(4, LOWER) + number + rng.choice(["", sign]),
            lambda: word.upper() + rng.choice(["", "_", "-"]) + number,
            lambda: word[:5] + rng.choice("_-.") + other[:5].upper() + rng.choice("._-!") + number,
            lambda: "-".join((word, other, self.word())) + number[:2],
            lambda: self.drawn(rng.randrange(8, 25)),
            lambda: self.drawn(rng.randrange(7, 14), LOWER + DIGITS) + rng.choice(DIGITS),
            lambda: self.drawn(rng.randrange(6, 12), LOWER + DIGITS) + rng.choice(DIGITS) + rng.choice(LOWER),
            lambda: self.drawn(rng.randrange(10, 24), ALNUM + "!@%^*_-+=?.~#&$"),
            lambda: self.drawn(rng.randrange(10, 33), rng.choice([LOWER + DIGITS, LOWER, LOWER + UPPER, UPPER])),
        ]
        return rng.choice(made)()

    def joined(self) -> str:
        """Return words as people join them to a password: by one sign, written in one way, perhaps a number behind."""
        rng = self.rng
        written = rng.choice((str.lower, str.lower, str.lower, str.capitalize, str.upper))
        words = [written(self.word()) for _ in range(rng.randrange(3, 6))]
        return rng.choice("__..-+~").join(words) + rng.choice(("", "", "", str(rng.randrange(10, 9_999)), "!"))

    def token(self) -> str:
        """Return what services give out."""
        rng = self.rng
        made: list[Callable[[], str]] = [
            lambda: self.drawn(rng.choice((16, 20, 24, 32, 32, 40, 40, 48, 64, 64, 128)), HEX),
            lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            lambda: self.drawn(rng.randrange(20, 65), rng.choice([ALNUM, ALNUM + "-_", LOWER + DIGITS])),
            lambda: base64.b64encode(rng.randbytes(rng.choice((15, 16, 24, 32, 48, 64)))).decode(),
            lambda: self.drawn(rng.choice((16, 20, 26, 32, 52)), UPPER + "234567"),
            lambda: f"{self.drawn(rng.randrange(2, 6), LOWER)}{rng.choice('_-')}{self.drawn(rng.randrange(16, 48))}",
            lambda: f"{self.drawn(rng.choice((6, 8, 10)), LOWER + DIGITS)}.{self.drawn(rng.randrange(16, 40))}",
            lambda: self.drawn(rng.choice((32, 40, 64)), HEX.upper()),
            lambda: "-".join(self.drawn(5, UPPER + DIGITS) for _ in range(rng.randrange(4, 6))),
        ]
        return rng.choice(made)()

    def name(self, noun: str) -> str:
        """Return the name of a thing of this kind, in one of the spellings of code and settings."""
        rng, parts = self.rng, [noun]
        before = rng.choice((None, "vendors", "vendors", "purposes"))
        parts[:0] = [rng.choice(self.lists[before])] if before else []
        parts = [piece for part in parts for piece in re.split("[_-]", part)]
        spelled: list[Callable[[], str]] = [
            lambda: "_".join(parts).upper(),
            lambda: "_".join(parts),
            lambda: parts[0] + "".join(part.capitalize() for part in parts[1:]),
            lambda: "".join(part.capitalize() for part in parts),
            lambda: rng.choice("-.").join(parts),
            lambda: "".join(parts),
        ]
        return rng.choice(spelled)()

    def filled(self, form: str, name: str, value: str) -> str:
        """Return a form with what it asks for, the value between marks."""
        code = re.sub("[.-]", "_", name)
        given = {"n": name, "i": code, "I": code[:1].upper() + code[1:], "v": START + value + END}
        given |= {"t": given["v"], "u": self.rng.choice(USERS), "h": self.rng.choice(HOSTS)}
        return form.format(**given)

    def placed(self, text: str, around: list[str]) -> str:
        """Return a text alone, or among lines of others."""
        if not around or self.rng.random() < 0.5:
            return text
        lines = [self.rng.choice(around) for _ in range(self.rng.randrange(4))]
        return "\n".join([*lines[:2], text, *lines[2:]])

    def secrets(self, count: int, around: list[str]) -> Iterator[tuple[str, int, int, str]]:
        """Yield texts, where in each the secret is, and the form it was made of."""
        rng = self.rng
        places = [form for title, forms in self.lists.items() if title.startswith("in ") for form in forms]
        for _ in range(count):
            lists = (self.lists["forms"], self.lists["talk"], self.lists["commands"], places)
            form = rng.choice(rng.choices(lists, (30, 9, 15, 46))[0])
            is_token = bool(re.search(r"(?i)token|key|secret|salt|bearer|hmac|jwt|cookie|licen|data:", form))
            is_token = "{t}" in form if form in places else is_token
            is_token = rng.random() < 0.55 if "{n}" in form or "{i}" in form else is_token
            name = self.name(rng.choice(self.lists["tokens" if is_token else "passwords"]))
            value = self.token() if is_token and rng.random() < 0.75 else self.password()
            text = self.placed(self.filled(form, name, value), around)
            start, end = text.index(START), text.index(END) - 1
            yield text.replace(START, "").replace(END, ""), start, end, form

    def harmless(self, count: int, around: list[str]) -> Iterator[str]:
        """Yield texts that hold no secret: values that are none under its names, and others' values beside it."""
        rng = self.rng
        for _ in range(count):
            noun = rng.choice(self.lists["passwords" if rng.random() < 0.45 else "tokens"])
            nothing, other = rng.choice(self.lists["no values"]), rng.choice(self.lists["harmless names"])
            value = self.token() if rng.random() < 0.5 else rng.choice(self.lists["no values"])
            if (share := rng.random()) < 0.3:
                likes, around_them = _LIKES[share < 0.15]
                like = re.sub(r"\{(\w+)\}", lambda part: self._part(part[1]), rng.choice(self.lists[likes]))
                text = rng.choice(self.lists[around_them]).format(x=like)
            elif share < 0.45:
                text = self.filled(rng.choice(self.lists["forms"]), self.name(noun), nothing)
            elif share < 0.65:
                text = self.filled(rng.choice(self.lists["forms"]), other, value)
            else:
                form = rng.choice(self.lists["harmless forms"])
                given = {
                    "n1": self.name(noun),
                    "n2": other,
                    "a": nothing,
                    "b": value,
                    "n": other,
                    "i": other,
                    "v": value,
                }
                text = re.sub(r"\{(\w+)\}", lambda part: given.get(part[1]) or self._part(part[1]), form)  # noqa: B023
            yield self.placed(text.replace(START, "").replace(END, ""), around)

    def _part(self, part: str) -> str:
        if part in "wW":
            return self.word() if part == "w" else self.word().capitalize()
        if part == "uuid":
            return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
        return self.drawn(int(part[1:] or self.rng.randrange(1, 4)), KINDS[part[0]]) if part[0] in KINDS else part
