"""One step of forgetting a session, and how it is done: what the plan shows is what is applied."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.light_records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.records import Step

    # The line that stands in the place of one, nothing for none; None leaves it as it is.
    Instead = Callable[[bytes], bytes | None]


@dataclass(frozen=True, slots=True)
class Change:
    """A step of the plan; `do` carries it out. What stays has nothing to do, and is told."""

    step: Step
    do: Callable[[], object] | None = None


def names_in(folder: str) -> list[str]:
    """Return what a folder has, but for hidden files; nothing where there is none."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]
    except OSError:
        return []


def lines_instead(data: bytes, instead: Instead) -> list[tuple[int, bytes]]:
    """Return where each line stands that goes, and what stands there then, as long as it was."""
    found, start = [], 0
    for line in data.split(b"\n"):
        after = instead(line) if line.strip() else None
        if after is not None and len(after) <= len(line) and after.rstrip() != line.rstrip():
            found.append((start, after.ljust(len(line))))
        start += len(line) + 1
    return found


def write_over(path: str, instead: Instead) -> None:
    """Write over lines of a file in their places. Others add to it meanwhile without a lock, so nothing is moved."""
    files.refuse_link(path)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            for start, line in lines_instead(files.read(path), instead):
                os.pwrite(descriptor, line, start)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as problem:
        raise files.unavailable(problem, path) from problem
