"""Tombstones: what was forgotten in a scope, so that nobody but the person brings it back.

One line a tombstone in the scope's `.forgotten`: time, a digest of the key behind `#`, a digest of what it said. The
words themselves are gone, also those that a key is made of; `hide_keys` puts right what earlier versions wrote. When
the person stores the key again, a line with `lifted` in place of the digest frees the key, and one
with `lifted:` before it frees that statement; what else the key once said stays forgotten.
"""

from __future__ import annotations

from holdfast.base import rows
from holdfast.base.text import hash_of
from holdfast.store.words import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LIFTED = "lifted"


class Tombstones:
    """The tombstones of one scope, in the file at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def has(self, key: str, statement: str) -> bool:
        """Whether the key, or a statement with these words under any key, was forgotten and not stored again."""
        keys, digests = self._read()
        return _hidden(key) in keys or digest(statement) in digests

    def statements(self) -> frozenset[str]:
        """Return the digest of every statement that is forgotten now."""
        return frozenset(self._read()[1])

    def bury(self, key: str, statements: list[str], at: str) -> None:
        """Note that the key with these statements was forgotten, unless that is noted."""
        keys, digests = self._read()
        new = [one for one in map(digest, statements) if _hidden(key) not in keys or one not in digests]
        if new:
            self._append([f"{at}\t{_hidden(key)}\t{one}" for one in new])

    def lift(self, key: str, statement: str, at: str) -> None:
        """Note that the key and the statement hold again."""
        keys, digests = self._read()
        key, wanted = _hidden(key), digest(statement)
        lines = [f"{at}\t{key}\t{_LIFTED}"] if key in keys else []
        lines += [f"{at}\t{key}\t{_LIFTED}:{wanted}"] if wanted in digests else []
        if lines:
            self._append(lines)

    def take_over(self, other: Tombstones) -> None:
        """Add what another scope has forgotten."""
        lines = [line.decode("utf-8", "replace") for line in rows.read(other.path)]
        if lines:
            self._append(lines)

    def hide_keys(self) -> int:
        """Put digests in place of the keys that an earlier version wrote out; return how many."""

        def instead(line: bytes) -> bytes | None:
            parts = line.decode("utf-8", "replace").split("\t")
            return "\t".join([parts[0], _hidden(parts[1]), parts[2]]).encode() if len(parts) == 3 else None

        return rows.rewrite(self.path, instead)

    def _append(self, lines: list[str]) -> None:
        rows.append(self.path, lines, errors="strict")

    def _read(self) -> tuple[set[str], set[str]]:
        """Return the keys and the digests that are forgotten now."""
        return _forgotten(line.decode("utf-8", "replace") for line in rows.read(self.path))


class Burials:
    """What the rows of one side forgot that another side, which knows the rows `known`, has not heard of."""

    def __init__(self, side: Iterable[str], known: Iterable[str]) -> None:
        every, old = list(side), set(known)
        keys, digests = _forgotten(every)
        new_keys, new_digests = _forgotten(row for row in every if row not in old)
        self.keys, self.digests = keys & new_keys, digests & new_digests

    def has_any(self, statements: Iterable[str]) -> bool:
        """Whether one of the statements was forgotten."""
        return any(digest(one) in self.digests for one in statements)


def together(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Return the rows of two sides as one: what either forgot without knowing the other's rows stays forgotten."""
    known, other = set(theirs), set(ours)
    every = [*theirs, *(row for row in ours if row not in known)]
    keys, digests = _forgotten(every)
    for side, heard in ((theirs, other), (ours, known)):
        new = Burials(side, heard)
        for row in side:
            parts = row.split("\t")
            if len(parts) == 3 and not parts[2].startswith(_LIFTED) and row not in heard:
                lifted = (_hidden(parts[1]) in new.keys - keys) or (parts[2] in new.digests - digests)
                every += [row] if lifted else []
    return every


def _forgotten(lines: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the keys and the digests that are forgotten when all rows are read in their order."""
    keys: set[str] = set()
    digests: set[str] = set()
    for line in lines:
        parts = line.split("\t")
        if len(parts) != 3:
            continue
        _, name, what = parts
        key = _hidden(name)
        if what == _LIFTED:
            keys.discard(key)
        elif what.startswith(f"{_LIFTED}:"):
            digests.discard(what.partition(":")[2])
        else:
            keys.add(key)
            digests.add(what)
    return keys, digests


def _hidden(key: str) -> str:
    """Return what stands for a key; a line of an earlier version has the key itself."""
    return key if key.startswith("#") else f"#{hash_of('key', key)}"
