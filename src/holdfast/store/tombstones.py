"""Tombstones: what was forgotten in a scope, so that an import cannot bring it back.

One line a tombstone in the scope's `.forgotten`: time, key, digest. The words themselves are gone; a digest of them
stays. A line with the digest `lifted` says that a person or an agent stored the key again on purpose.
"""

from __future__ import annotations

import hashlib
import os

from holdfast.store import files

_LIFTED = "lifted"


def digest(statement: str) -> str:
    """Return what stands for a statement: the same for texts that differ only in case and white space."""
    return hashlib.sha256(" ".join(statement.casefold().split()).encode("utf-8", "replace")).hexdigest()[:32]


class Tombstones:
    """The tombstones of one scope, in the file at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path

    def exist(self) -> bool:
        """Whether anything was ever forgotten here."""
        return os.path.exists(self.path)

    def has(self, key: str, statement: str) -> bool:
        """Whether the key, or a statement with these words under any key, was forgotten and not stored again."""
        buried = self._read()
        wanted = digest(statement)
        return key in buried or any(wanted in digests for digests in buried.values())

    def bury(self, key: str, statements: list[str], at: str) -> None:
        """Note that the key with these statements was forgotten."""
        lines = "".join(f"{at}\t{key}\t{digest(statement)}\n" for statement in statements)
        files.append(self.path, lines.encode())

    def lift(self, key: str, statement: str, at: str) -> None:
        """Note that the key and the statement hold again."""
        wanted = digest(statement)
        again = [name for name, digests in self._read().items() if name == key or wanted in digests]
        if again:
            files.append(self.path, "".join(f"{at}\t{name}\t{_LIFTED}\n" for name in again).encode())

    def take_over(self, other: Tombstones) -> None:
        """Add what another scope has forgotten."""
        lines = files.read_if_there(other.path)
        if lines:
            files.append(self.path, lines)

    def _read(self) -> dict[str, set[str]]:
        buried: dict[str, set[str]] = {}
        for line in files.read_if_there(self.path).decode("utf-8", "replace").splitlines():
            parts = line.split("\t")
            if len(parts) != 3:
                continue
            if parts[2] == _LIFTED:
                buried.pop(parts[1], None)
            else:
                buried.setdefault(parts[1], set()).add(parts[2])
        return buried
