"""Tombstones: what was forgotten in a scope, so that nobody but the person brings it back.

One line a tombstone in the scope's `.forgotten`: time, a digest of the key behind `#`, a digest of what it said. The
words themselves are gone, also those that a key is made of; `hide_keys` puts right what earlier versions wrote. When
the person stores the key again, a line with `lifted` in place of the digest frees the key, and one
with `lifted:` before it frees that statement; what else the key once said stays forgotten.
"""

from __future__ import annotations

from holdfast.base import rows
from holdfast.base.digests import short
from holdfast.store.words import digest

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
        """Note that the key with these statements was forgotten."""
        self._append([f"{at}\t{_hidden(key)}\t{digest(statement)}" for statement in statements])

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
        keys: set[str] = set()
        digests: set[str] = set()
        for line in rows.read(self.path):
            parts = line.decode("utf-8", "replace").split("\t")
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
    return key if key.startswith("#") else f"#{short('key', key)}"
