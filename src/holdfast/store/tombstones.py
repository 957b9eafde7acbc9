"""Tombstones: what was forgotten in a scope, so that an import cannot bring it back.

One line a tombstone in the scope's `.forgotten`: time, key, digest. The words themselves are gone; a digest of them
stays. When a person or an agent stores the key again on purpose, a line with `lifted` in place of the digest frees the
key, and one with `lifted:` before it frees that statement; what else the key once said stays forgotten.
"""

from __future__ import annotations

from holdfast.base import rows
from holdfast.store.words import digest

_LIFTED = "lifted"


class Tombstones:
    """The tombstones of one scope, in the file at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def has(self, key: str, statement: str) -> bool:
        """Whether the key, or a statement with these words under any key, was forgotten and not stored again."""
        keys, digests = self._read()
        return key in keys or digest(statement) in digests

    def statements(self) -> frozenset[str]:
        """Return the digest of every statement that is forgotten now."""
        return frozenset(self._read()[1])

    def bury(self, key: str, statements: list[str], at: str) -> None:
        """Note that the key with these statements was forgotten."""
        self._append([f"{at}\t{key}\t{digest(statement)}" for statement in statements])

    def lift(self, key: str, statement: str, at: str) -> None:
        """Note that the key and the statement hold again."""
        keys, digests = self._read()
        wanted = digest(statement)
        lines = [f"{at}\t{key}\t{_LIFTED}"] if key in keys else []
        lines += [f"{at}\t{key}\t{_LIFTED}:{wanted}"] if wanted in digests else []
        if lines:
            self._append(lines)

    def take_over(self, other: Tombstones) -> None:
        """Add what another scope has forgotten."""
        lines = [line.decode("utf-8", "replace") for line in rows.read(other.path)]
        if lines:
            self._append(lines)

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
            _, key, what = parts
            if what == _LIFTED:
                keys.discard(key)
            elif what.startswith(f"{_LIFTED}:"):
                digests.discard(what.partition(":")[2])
            else:
                keys.add(key)
                digests.add(what)
        return keys, digests
