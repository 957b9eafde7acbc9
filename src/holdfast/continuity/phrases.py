"""Phrases with slots, and whether a sentence says them. The form of the files is told at the top of `words/en.txt`.

A hook needs them for one message only, so a phrase is taken apart when the message has its first word, or where its
second step is words, its first two.
"""

from __future__ import annotations

import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.continuity.sentences import Sentence

    # One step of a phrase: what it is, words and lists of which one must stand there, and a number.
    Step = tuple[str, frozenset[str], int]
    # The group of a phrase, whether it begins the sentence, words of which one must be there, and the steps to come,
    # packed.
    Phrase = tuple[str, bool, frozenset[str], bytes]
    # Of a word: the lists that it is on, the phrases it begins, and those it begins under each second word. Phrases
    # stay packed until a sentence asks for them.
    Row = tuple[tuple[str, ...], bytes, dict[str, bytes]]

_SLOT = 6
_SIGNS = ",:;!-="
NOTHING: Row = ((), b"", {})


class Phrases:
    """The phrases of one language, and its lists of words, out of the text of a file."""

    def __init__(self, text: str) -> None:
        head, _, body = text.partition("\n[")
        self._lists: dict[str, list[str]] = {}
        for line in head.split("\n"):
            if line[:1] == "<":
                name, _, words = line.partition(" = ")
                for word in words.split():
                    self._lists.setdefault(word, []).append(name)
        self._lines: dict[str, list[tuple[str, str]]] = {}
        group = ""
        for line in f"[{body}".split("\n"):
            if line[:1] == "[":
                group = line[1:-1]
            elif line and line[0] != "#":
                for word in line.removeprefix("^ ").partition(" ")[0].split("|"):
                    self._lines.setdefault(word, []).append((group, line))

    def words(self) -> set[str]:
        """Return all words and lists that have a row."""
        return self._lists.keys() | self._lines.keys()

    def row(self, word: str) -> Row:
        """Return what is known of a word, or of a list by its name."""
        alone: list[Phrase] = []
        pairs: dict[str, list[Phrase]] = {}
        for group, line in self._lines.get(word, ()):
            begins = line[:2] == "^ "
            steps = tuple(map(_step, line.removeprefix("^ ").split()[1:]))
            if steps and steps[0][0] == "words" and not any(one[:1] == "<" for one in steps[0][1]):
                for second in steps[0][1]:
                    pairs.setdefault(second, []).append((group, begins, _needed(steps[1:]), _packed(steps[1:])))
            else:
                alone.append((group, begins, _needed(steps), _packed(steps)))
        if not (alone or pairs or word in self._lists):
            return NOTHING
        packed = {second: marshal.dumps(phrases) for second, phrases in pairs.items()}
        return tuple(self._lists.get(word, ())), marshal.dumps(alone) if alone else b"", packed


def said(sentence: Sentence, names: list[tuple[str, ...]], rows: Mapping[str, Row]) -> set[str]:
    """Return the groups of which a sentence says a phrase; `names` has the lists and shapes of each word."""
    words = sentence.words
    here = {*words, *(name for each in names for name in each)}
    begins_until = next((at for at, each in enumerate(names) if "<lead>" not in each), 0)
    cues: set[str] = set()
    for at, word in enumerate(words):
        for key in (word, *names[at]) if names[at] else (word,):
            row = rows[key]
            if row is NOTHING:
                continue
            _, alone, pairs = row
            second = pairs.get(words[at + 1]) if pairs and at + 1 < len(words) else None
            for packed, start in ((alone, at + 1), (second, at + 2)):
                for group, begins, needed, steps in _unpacked[packed] if packed else ():
                    if group in cues or (begins and at > begins_until) or (needed and needed.isdisjoint(here)):
                        continue
                    if not steps or _follows(_unpacked[steps], start, sentence, names):
                        cues.add(group)
    return cues


class Unpacked(dict[bytes, "Any"]):
    """What `Phrases.row` packed, unpacked once."""

    def __missing__(self, packed: bytes) -> Any:
        """Unpack it and keep it."""
        found = self[packed] = marshal.loads(packed)  # noqa: S302
        return found


_unpacked = Unpacked()


def _packed(steps: tuple[Step, ...]) -> bytes:
    return marshal.dumps(steps) if steps else b""


def _step(text: str) -> Step:
    if text[0] == "*":
        return "gap", frozenset(), int(text[1:] or _SLOT)
    if text in ("$", "_"):
        return text, frozenset(), 0
    if text in _SIGNS:
        return "sign", frozenset(text), 0
    return "words", frozenset(text.split("|")), 0


def _needed(steps: tuple[Step, ...]) -> frozenset[str]:
    return next((words for kind, words, _ in steps if kind == "words"), frozenset())


def _follows(steps: tuple[Step, ...], at: int, sentence: Sentence, names: list[tuple[str, ...]]) -> bool:
    """Whether the rest of a phrase stands in the sentence from a word on."""
    words, last = sentence.words, len(sentence.words)
    for number, (kind, wanted, reach) in enumerate(steps):
        if kind == "gap":
            rest = steps[number + 1 :]
            places = range(at, min(at + reach, last) + 1)
            return not rest or any(_follows(rest, place, sentence, names) for place in places)
        if kind == "$":
            if at != last:
                return False
        elif kind == "sign":
            if wanted.isdisjoint(sentence.after[at - 1]):
                return False
        elif at < last and (kind == "_" or words[at] in wanted or not wanted.isdisjoint(names[at])):
            at += 1
        else:
            return False
    return True
