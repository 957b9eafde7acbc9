"""Files of rows: one row a line, added at the end, each read on its own.

A row is a JSON object, a JSON list of texts, or fields separated by tabs; the caller says which. The contract is the
same for all of them.

Atomic: the rows of one `append` go in by one write, so rows of several processes stay whole, and with `durable` they
are on the disk when it returns. `rewrite` replaces the file whole, durably; it needs a lock that everybody
who adds to that file takes. `write_over` and `fill_in` change rows in their places, never move one, and need no lock.

May be lost: the row that was being written when the machine stopped or the disk was full. What is left of it does not
swallow the next row: `append` ends it first. What was added without `durable` may be lost with a power cut.

Read: a torn row, a row of another program or version and a blank one say nothing and are passed over; they stay in the
file. A row that is longer than the caller's bound says nothing either. `rewrite` keeps what it does not understand.

Bounded: with `most`, a file that has so many bytes takes no more. `remove_older` tidies a folder of such files.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files
from holdfast.base.minijson import dumps, loads
from holdfast.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    # What takes the place of a line: empty bytes drop it, None leaves it as it is.
    Instead = Callable[[bytes], bytes | None]
    Triple = tuple[str, str, str]

MAX_ROW = 65_536
HEAD = "head"


def append(
    path: str,
    lines: Iterable[str],
    *,
    durable: bool = True,
    heading: str = "",
    most: int = 0,
    alone: bool = False,
    errors: str = "replace",
) -> int:
    """Add lines at the end and return where they end; 0 where the file has `most` bytes already and takes no more.

    The `heading` is the first line of a new file. `alone` says that a lock keeps others away, so that lines which could
    not be written whole are taken back.
    """
    text = "".join([f"{line}\n" for line in lines])
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, files.FILE_MODE)
        try:
            size = os.fstat(descriptor).st_size
            if most and size >= most:
                return 0
            if heading and not size:
                text = f"{heading}\n{text}"
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                text = f"\n{text}"
            _write(descriptor, text.encode("utf-8", errors), durable, back_to=size if alone else -1)
            end = os.lseek(descriptor, 0, os.SEEK_CUR)
        finally:
            os.close(descriptor)
        if durable and not size:
            files.sync_folder(os.path.dirname(path))
    except OSError as problem:
        raise files.unavailable(problem, path) from problem
    return end


def fill_in(path: str, end: int, room: bytes, said: bytes) -> None:
    """Fill the room that was left at the end of the line that ends here; where there is no such room, do nothing."""
    start = end - len(room) - 1
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if len(said) == len(room) and os.pread(descriptor, len(room) + 1, start) == room + b"\n":
                os.pwrite(descriptor, said, start)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise files.unavailable(problem, path) from problem


def _write(descriptor: int, data: bytes, durable: bool, back_to: int) -> None:
    try:
        files.write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    except OSError:
        if back_to >= 0:
            os.ftruncate(descriptor, back_to)
        raise


def read(path: str, most: int = -1) -> list[bytes]:
    """Return the lines of a file, or of its first `most` bytes; none where it does not exist."""
    # An editor may have saved it with other line ends.
    return [line for line in files.read_if_there(path, most).replace(b"\r\n", b"\n").split(b"\n") if line]


def encoded(value: object) -> bytes:
    """Return a value as it stands in rows, to write it or to look for it."""
    return dumps(value).encode("utf-8", "replace")


def object_in(line: bytes, most: int = MAX_ROW) -> dict[str, object] | None:
    """Return the object on a line; None where there is none, or the line has more than `most` bytes."""
    if not line.strip() or len(line) > most:
        return None
    try:
        value = loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def texts_in(line: bytes | str) -> tuple[str, ...] | None:
    """Return the list of texts on a line; None where the line is anything else."""
    try:
        value = loads(line.decode("utf-8", "replace") if isinstance(line, bytes) else line) if line else None
    except (ValueError, RecursionError):
        return None
    return tuple(value) if isinstance(value, list) and all(isinstance(part, str) for part in value) else None


def triple_in(line: bytes | str) -> Triple | None:
    """Return the list of three texts on a line; None where the line is anything else."""
    found = texts_in(line)
    return (found[0], found[1], found[2]) if found is not None and len(found) == 3 else None


def having(data: bytes, part: bytes) -> Iterator[bytes]:
    """Yield the lines that contain these bytes, without looking at the others."""
    start = data.find(part)
    while start >= 0:
        end = data.find(b"\n", start)
        end = end if end >= 0 else len(data)
        yield data[data.rfind(b"\n", 0, start) + 1 : end]
        start = data.find(part, end)


def note(
    path: str, whose: Triple, at: str, noted: Iterable[tuple[str, str]], *, most: int = 0, anew: bool = False
) -> bool:
    """Add rows of a kind, a text and a time to the file of a session, whose first row says whose it is.

    Returns False where the file has `most` bytes already. A file that is not there is made, and its folder too. With
    `anew` the rows replace all that was in it.
    """
    heading = dumps([HEAD, dumps(list(whose)), at])
    lines = [dumps([kind, text, at]) for kind, text in noted]
    if anew:
        files.write(path, ("\n".join([heading, *lines]) + "\n").encode("utf-8", "replace"), durable=False)
        return True
    if not os.path.exists(path):
        files.make_folder(os.path.dirname(path))
    return append(path, lines, durable=False, heading=heading, most=most) > 0


def whose(data: bytes) -> Triple | None:
    """Return whose the file of a session is, as its first row says it."""
    head = triple_in(data.partition(b"\n")[0])
    return triple_in(head[1]) if head is not None and head[0] == HEAD else None


def session(path: str, most: int) -> tuple[Triple, list[Triple], float, int] | None:
    """Return whose the file of a session is, its rows, when it changed and its size; None where it says nothing."""
    try:
        data = files.read(path, most)
        changed = os.stat(path).st_mtime
    except (NotFound, OSError):
        return None
    owner = whose(data)
    if owner is None:
        return None
    return owner, [row for row in map(triple_in, data.split(b"\n")) if row], changed, len(data)


def instead_of(data: bytes, instead: Instead) -> list[tuple[int, bytes, bytes]]:
    """Return where each line begins that would change, the line, and what would replace it."""
    found, start = [], 0
    for line in data.split(b"\n"):
        after = instead(line) if line.strip() else None
        if after is not None and after.rstrip() != line.rstrip():
            found.append((start, line, after))
        start += len(line) + 1
    return found


def rewrite(path: str, instead: Instead) -> int:
    """Change or drop lines by writing the file again, and return how many; under the lock of the file."""
    data = files.read_if_there(path)
    changes = instead_of(data, instead)
    if changes:
        pieces, end = [], 0
        for start, line, after in changes:
            pieces += [data[end:start], after + b"\n" if after else b""]
            end = start + len(line) + 1
        files.write(path, b"".join([*pieces, data[end:]]))
    return len(changes)


def write_over(path: str, instead: Instead) -> int:
    """Write over lines in place, padding what is shorter with blanks, and return how many.

    Others may add to the file meanwhile without a lock, so nothing is moved. What would be longer stays as it is.
    """
    files.refuse_link(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            changes = [one for one in instead_of(files.read(path), instead) if len(one[2]) <= len(one[1])]
            for start, line, after in changes:
                os.pwrite(descriptor, after.ljust(len(line)), start)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise files.unavailable(problem, path) from problem
    return len(changes)


def remove_older(folder: str, seconds: float) -> None:
    """Remove the files of a folder to which nothing was added for so long; what cannot be removed stays."""
    before = time.time() - seconds
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        try:
            if os.lstat(path).st_mtime <= before:
                os.unlink(path)
        except OSError:
            continue
