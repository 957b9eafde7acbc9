"""Packs the phrases, word lists and weights of the triggers into the one file that ships.

    python training/triggers/pack.py          training/triggers/words/*.txt -> src/holdfast/language/triggers.bin

`src/holdfast/language/trigger_table.py` says what lies where, and reads it. The same texts always give the same bytes;
a test holds that the file in the package is the one that these texts give.
"""

from __future__ import annotations

import sys
from itertools import accumulate
from pathlib import Path

from holdfast.language import trigger_table as layout
from holdfast.language.sentences import plain
from holdfast.language.trigger_table import FIELD, RECORD, hashed, joined, part_of, step
from holdfast.language.triggers import LANGUAGES

WORDS = Path(__file__).resolve().parent / "words"
TABLE = Path(layout.__file__).with_name("triggers.bin")


class Phrases:
    """Collects the phrases of all languages: each is kept once, and known by its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, group: str, begins: bool, steps: list[str]) -> int:
        """Return the number of a phrase, or of what is left of one behind its first word or two."""
        first = next((at for at, one in enumerate(steps) if step(one)[0] == "words"), len(steps))
        pieces = (steps[:first], steps[first : first + 1], steps[first + 1 :])
        text = FIELD.join((group, "^" if begins else "", *map(" ".join, pieces)))
        return self._numbers.setdefault(text, len(self._numbers))

    def packed(self) -> bytes:
        """Return where each phrase begins, and the phrases."""
        texts = [text.encode() for text in self._numbers]
        head = 4 * (len(texts) + 1)
        return little(4, [head + start for start in starts(texts)]) + b"".join(texts)


def packed(texts: dict[str, str]) -> bytes:
    """Return the table of these texts: `small`, `weights`, and one for each language."""
    phrases = Phrases()
    parts: list[list[str]] = [[] for _ in range(layout.PARTS)]
    for language in LANGUAGES:
        for word, record in records(plain(texts[language]), phrases).items():
            parts[part_of(word)].append(f"{RECORD}{language} {word}{FIELD}{record}")
    encoded = ["".join([*part, RECORD]).encode() if part else b"" for part in parts]
    sections = [
        *weight_sections(texts["weights"], small_words(plain(texts["small"]))),
        little(4, starts(encoded)),
        b"".join(encoded),
        phrases.packed(),
    ]
    head = len(layout.MAGIC) + 4 * (layout.SECTIONS + 1)
    return layout.MAGIC + little(4, [head + start for start in starts(sections)]) + b"".join(sections)


def records(text: str, phrases: Phrases) -> dict[str, str]:
    """Return for each word of a language its lists and phrases, as the fields of its record."""
    head, _, body = text.partition("\n[")
    lists: dict[str, list[str]] = {}
    for name, equals, words in (line.partition(" = ") for line in head.split("\n")):
        for word in words.split() if name[:1] == "<" and equals else ():
            lists.setdefault(word, []).append(name)
    alone: dict[str, list[int]] = {}
    pairs: dict[str, dict[str, list[int]]] = {}
    group = ""
    for line in f"[{body}".split("\n"):
        if line[:1] == "[":
            group = line[1:-1]
        elif line and line[0] != "#":
            first, *steps = line.removeprefix("^ ").split()
            seconds = second_words(steps)
            number = phrases.number(group, line[:2] == "^ ", steps[1:] if seconds else steps)
            for word in first.split("|"):
                if not seconds:
                    alone.setdefault(word, []).append(number)
                for second in seconds:
                    pairs.setdefault(word, {}).setdefault(second, []).append(number)
    return {
        word: FIELD.join((" ".join(lists.get(word, ())), field(alone.get(word, [])), pair_field(pairs.get(word, {}))))
        for word in sorted({*lists, *alone, *pairs})
    }


def second_words(steps: list[str]) -> list[str]:
    """Return the words of the second step of a phrase, where it is words and no list is among them."""
    if not steps or step(steps[0])[0] != "words" or any(one[:1] == "<" for one in steps[0].split("|")):
        return []
    return list(dict.fromkeys(steps[0].split("|")))


def field(numbers: list[int]) -> str:
    """Return numbers of phrases as the text of a field."""
    return ",".join(map(str, numbers))


def pair_field(pairs: dict[str, list[int]]) -> str:
    """Return second words and their phrases as the text of a field; words with the same phrases stand together."""
    alike: dict[str, list[str]] = {}
    for second, numbers in sorted(pairs.items()):
        alike.setdefault(field(numbers), []).append(second)
    return "".join(f" {' '.join(words)} \t{numbers}\t" for numbers, words in alike.items())


def small_words(text: str) -> bytes:
    """Return a line for each language with its small words."""
    found: dict[str, list[str]] = {name: [] for name in LANGUAGES}
    for name, colon, words in (line.partition(": ") for line in text.split("\n")):
        if colon and name in found:
            found[name] += words.split()
    return "\n".join(f"{name}: {' '.join(words)}" for name, words in found.items()).encode()


def weight_sections(text: str, small: bytes) -> list[bytes]:
    """Return the sections from `sure` to `wide`."""
    head, _, lines = text.partition("\n# Kinds: ")
    head, _, outs = head.partition("\n# Out: ")
    out = [joined(list(map(int, row.split())), layout.OUT_LANE) for row in outs.split(";")]
    # Scores are in hundredths of hundredths.
    sure = [layout.STEPS * int(number) for number in head.partition("\n# Sure: ")[2].split()]
    buckets: list[list[tuple[bytes, list[int]]]] = [[] for _ in range(layout.BUCKETS)]
    for feature, _, numbers in (line.partition("\t") for line in lines.rstrip("\n").split("\n")[1:]):
        bucket, short = hashed(feature)
        if any(short == other for other, _ in buckets[bucket]):
            raise ValueError(f"{feature!r} has the hash of another feature: choose another number of buckets")
        buckets[bucket].append((short, list(map(int, numbers.split()))))
    wide: list[bytes] = []
    features = [one for bucket in buckets for one in bucket]
    rows = [row_of(weights, wide) for _, weights in features]
    return [
        little(4, sure),
        b"".join(one.to_bytes(layout.OUT_ROW, "little", signed=True) for one in out),
        small,
        little(2, [0, *accumulate(map(len, buckets))]),
        b"".join(short for short, _ in features),
        b"".join(rows),
        b"".join(wide),
    ]


def row_of(weights: list[int], wide: list[bytes]) -> bytes:
    """Return the row of a feature; one with a large weight is put into `wide` instead, and its row tells where."""
    lifted = [weight + layout.MIDDLE for weight in weights]
    if max(lifted) >> layout.BITS or min(lifted) < 0:
        wide.append(joined(weights).to_bytes(layout.WIDE_ROW, "little", signed=True))
        return (len(wide) - 1 | 1 << layout.NARROW_ROW * 8 - 1).to_bytes(layout.NARROW_ROW, "little")
    thirds = [joined(lifted[at : at + layout.THIRD]) for at in range(0, layout.LANES, layout.THIRD)]
    return joined(thirds, layout.BITS).to_bytes(layout.NARROW_ROW, "little")


def starts(pieces: list[bytes]) -> list[int]:
    """Return where each piece begins, and where the last one ends."""
    return [0, *accumulate(map(len, pieces))]


def little(size: int, numbers: list[int]) -> bytes:
    """Return numbers of so many bytes."""
    return b"".join(number.to_bytes(size, "little") for number in numbers)


def texts(folder: Path = WORDS) -> dict[str, str]:
    """Return the texts that a table is made of."""
    return {name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in (*LANGUAGES, "small", "weights")}


def main() -> int:
    """Write the table."""
    table = packed(texts())
    TABLE.write_bytes(table)
    print(f"{TABLE.name}: {len(table):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
