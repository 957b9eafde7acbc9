"""Texts that nobody wrote: source code, output of commands and prose out of invented words, the same for one seed.

Words are as unevenly frequent as in real text (Zipf), so that compression and search find what they find there. Code
and prose are written once, as one long text each; a piece of it is a slice from line to line, which costs nothing.
"""

from __future__ import annotations

import random
from itertools import accumulate

_ONSETS = ("b", "br", "d", "dr", "f", "g", "gl", "h", "k", "kr", "l", "m", "n", "p", "pl", "r", "s", "st", "t", "v")
_MIDDLES = ("a", "e", "i", "o", "u", "ai", "ou", "ea")
_ENDINGS = ("", "n", "r", "l", "st", "nd", "m", "x", "ck", "th")
_FEW = ("the", "a", "of", "to", "in", "and", "is", "it", "for", "that", "with", "not", "on", "this", "now", "we", "so")
_RARE = ("größe", "naïve", "…", "✓", "→", "日本語")
_CODE = (
    "{in0}def {a}_{b}(self, {c}: {d}) -> {e}:",
    "{in1}return self._{a}.{b}({c}, {d}={n})",
    "{in1}if {a} is None or {b} > {n}:",
    '{in2}raise {D}Error(f"{a} {b} of {{{c}}} is {d}")',
    "{in1}{a} = {b}.{c}(\n{in2}{d},\n{in2}{e}={n},\n{in1})",
    "{in1}# {a} {b} {c}, {d} the {e}",
    "{in0}class {A}{B}({C}):",
    '{in1}"""{A} {b} {c} of the {d} {e}."""',
    "{in2}for {a}, {b} in self.{c}.items():",
    '{in1}{a}: dict[str, {B}] = {{"{c}": {n}, "{d}": {n}}}',
    "",
    "import {a}.{b} as {c}",
    "{in3}{a}.append({b}[{n}:])",
    "| {a} | {b} | {n} |",
    '  "{a}-{b}": "^{n}.{n}.0",',
    "const {a}{B} = await {c}.{d}({{ {e}: {n} }});",
)


class Texts:
    """Code and prose to cut pieces from."""

    def __init__(self, seed: int, size: int = 16_000_000) -> None:
        self.chance = random.Random(seed)
        self.words = self._make_words(6_000)
        self._often = list(accumulate(1 / (rank + 6) for rank in range(len(self.words))))
        self.code = self._make_code(size)
        self.prose = self._make_prose(size // 4)

    def some(self, count: int) -> list[str]:
        """Return invented words."""
        return self.chance.choices(self.words, cum_weights=self._often, k=count)

    def code_piece(self, length: int) -> str:
        """Return lines of code of about this length."""
        return self._piece(self.code, length)

    def prose_piece(self, length: int) -> str:
        """Return sentences of about this length."""
        return self._piece(self.prose, length)

    def _piece(self, whole: str, length: int) -> str:
        start = whole.find("\n", self.chance.randrange(max(1, len(whole) - length - 2_000))) + 1
        return whole[start : start + length]

    def _make_words(self, count: int) -> list[str]:
        words = dict.fromkeys(_FEW)
        while len(words) < count:
            parts = (self.chance.choice(one) for _ in range(self.chance.randint(1, 3)) for one in (_ONSETS, _MIDDLES))
            words["".join(parts) + self.chance.choice(_ENDINGS)] = None
        return list(words)

    def _make_code(self, size: int) -> str:
        chance, lines, length = self.chance, list[str](), 0
        indents = {f"in{depth}": " " * (4 * depth) for depth in range(4)}
        while length < size:
            words = self.some(500)
            for at in range(0, 500, 5):
                names = dict(zip("abcde", words[at : at + 5], strict=True))
                upper = {letter.upper(): name.capitalize() for letter, name in names.items()}
                lines.append(chance.choice(_CODE).format(**names, **upper, **indents, n=chance.randrange(1_000)))
                length += len(lines[-1]) + 1
        return "\n".join(lines)

    def _make_prose(self, size: int) -> str:
        chance, lines, length = self.chance, list[str](), 0
        while length < size:
            words = self.some(chance.randint(4, 24))
            if chance.random() < 0.1:
                words.append(f"`{words[0]}_{words[1]}.py`")
            if chance.random() < 0.02:
                words.append(chance.choice(_RARE))
            lines.append(" ".join(words).capitalize() + ".")
            length += len(lines[-1]) + 1
        return "\n".join(lines)


__all__ = ["Texts"]
