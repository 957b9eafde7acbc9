"""What Holdfast remembers about projects: one text file that only grows.

Identity: a line is one row, fields parted by tabs; the kind and the id (for `path` and `inode` also the path) are its
key, and of two rows with one key the later one holds. In fields `\\\\`, `\\t`, `\\n` and `\\r` are escapes.

    alias       old  new                what was stored under `old` belongs to `new`
    unalias     old                     no longer, and not by itself again
    marker      id   nonce        path  the folder whose marker file has this id and nonce
    repository  id   fingerprint  path  the git common dir that has this id
    path        id   path               a folder that was known under this id
    inode       id   path         number  the inode that a folder or git directory of this id had at that path;
                                        may be followed by when its oldest file was modified and changed

Atomic: rows of one append go in by one write under a lock, and are on the disk when `append` returns; a write
that fails is taken back. What may be lost: nothing that was acknowledged. Lines that begin with `#`, lines of
an unknown kind and broken lines are skipped and stay as they are. The file never has a url in it.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.errors import BadInput, Conflict
from holdfast.project.ids import check_id, is_hex, is_id

Row = tuple[str, ...]

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_UNESCAPES = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
_READ_LIMIT = 64 * 1024 * 1024
_LOCK_SECONDS = 5.0


class Known:
    """What the rows say, read once: a snapshot without I/O."""

    __slots__ = ("_aliases", "_rows", "_unaliased", "inodes", "markers", "repositories")

    def __init__(self, rows: dict[Row, Row]) -> None:
        self._rows = rows
        self._aliases = {key[1]: row[0] for key, row in rows.items() if key[0] == "alias" and row}
        self._unaliased = {key[1] for key, row in rows.items() if key[0] == "alias" and not row}
        self.markers = {key[1]: (row[0], row[1]) for key, row in rows.items() if key[0] == "marker"}
        self.repositories = {key[1]: (row[0], row[1]) for key, row in rows.items() if key[0] == "repository"}
        self.inodes = {(key[1], key[2]): row for key, row in rows.items() if key[0] == "inode"}

    def has(self, row: Row) -> bool:
        """Tell whether the row holds already."""
        key, value = _keyed(row)
        return self._rows.get(key) == value

    def canonical(self, name: str) -> str:
        """Return the id that this one was merged into, at the end of the chain; itself if it was not."""
        chain = [name]
        while (after := self._aliases.get(chain[-1])) is not None:
            if after in chain:
                return min(chain[chain.index(after) :])  # all members of a loop agree on one
            chain.append(after)
        return chain[-1]

    def merged_into(self, name: str) -> set[str]:
        """Return the ids that were merged into this one."""
        return {old for old in self._aliases if old != name and self.canonical(old) == name}

    def stands_alone(self, name: str) -> bool:
        """Tell whether the id may become an alias by itself: it is none, and nobody took that back."""
        return name not in self._aliases and name not in self._unaliased

    def ids_at(self, path: str) -> list[str]:
        """Return the ids under which a folder was known, oldest first."""
        return [key[1] for key in self._rows if key[0] == "path" and key[2] == path]

    def paths(self) -> list[tuple[str, str]]:
        """Return each id with each folder that was known under it, oldest first."""
        return [(key[1], key[2]) for key in self._rows if key[0] == "path"]

    def roots(self) -> dict[str, str]:
        """Return where each project was last seen."""
        return dict(self.paths())

    def belongs_elsewhere(self, name: str, path: str) -> bool:
        """Tell whether the id is that of a marked folder or a repository at another path."""
        rows = (self.markers.get(name), self.repositories.get(name))
        return any(row is not None and row[1] != path for row in rows)


class Registry:
    """The file of rows. Reading needs no lock; a file that is not there is an empty registry."""

    __slots__ = ("path",)

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def known(self) -> Known:
        """Return what the file says now."""
        try:
            data = files.read_head(self.path, _READ_LIMIT)
        except FileNotFoundError:
            data = b""
        except OSError as error:
            raise files.unavailable(error, self.path) from error
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        rows = (tuple(map(_unescaped, line.split("\t"))) for line in lines)
        return Known(dict(_keyed(row) for row in rows if _is_whole(row)))

    def append(self, *added: Row) -> None:
        """Add the rows that do not hold yet, durably."""
        known = self.known()
        if all(known.has(row) for row in added):
            return
        files.make_folder(os.path.dirname(os.path.abspath(self.path)))
        with files.Lock(self.path, _LOCK_SECONDS):
            known = self.known()
            lines = [
                "\t".join([field.translate(_ESCAPES) for field in row])
                for row in dict.fromkeys(added)
                if not known.has(row)
            ]
            if lines:
                rows.append(self.path, lines, alone=True, errors="surrogateescape")


def add_alias(registry: Registry, old: str, new: str) -> None:
    """Make everything stored under `old` part of `new`; refuse an id that would end up as its own alias."""
    check_id(old, "the old project id")
    check_id(new, "the new project id")
    if old == new:
        raise BadInput(f"{old} cannot be an alias of itself", hint="give two different ids")
    if registry.known().canonical(new) == old:
        raise Conflict(
            f"{new} is an alias of {old} already, so {old} cannot become one of {new}",
            hint=f"take that alias away first, or merge {new} into {old}",
        )
    registry.append(("alias", old, new))


def remove_alias(registry: Registry, old: str) -> None:
    """Make `old` an id of its own again; Holdfast will not alias it by itself after that."""
    registry.append(("unalias", check_id(old, "the project id")))


def _keyed(row: Row) -> tuple[Row, Row]:
    kind, name, *rest = row
    if kind == "unalias":
        return ("alias", name), ()
    if kind == "path":
        return (kind, name, rest[0]), ()
    if kind == "inode":
        return (kind, name, rest[0]), tuple(rest[1:])
    return (kind, name), tuple(rest)


def _is_whole(row: Row) -> bool:
    match row:
        case ("alias", old, new):
            return is_id(old) and is_id(new)
        case ("unalias", old):
            return is_id(old)
        case ("marker", name, nonce, path):
            return is_id(name) and is_hex(nonce, 32) and path.startswith("/")
        case ("repository", name, fingerprint, path):
            return is_id(name) and is_hex(fingerprint, 64) and path.startswith("/")
        case ("path", name, path):
            return is_id(name) and path.startswith("/")
        case ("inode", name, path, *numbers):
            is_number = len(numbers) in (1, 3) and all(map(str.isdecimal, numbers))
            return is_id(name) and path.startswith("/") and is_number
    return False


def _unescaped(field: str) -> str:
    if "\\" not in field:
        return field
    out, rest = "", iter(field)
    for c in rest:
        out += c if c != "\\" else _UNESCAPES.get(next(rest, ""), "\0")
    return "" if "\0" in out else out
