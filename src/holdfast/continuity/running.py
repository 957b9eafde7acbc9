"""Whether the agent of a session still runs, known by its process. Where the system tells nothing, nobody knows."""

from __future__ import annotations

import os

# What may stand between an agent and its hook for no longer than the hook runs.
_BETWEEN = frozenset(("sh", "dash", "bash", "zsh", "fish", "ksh", "env", "timeout", "nice"))
_MAX_BETWEEN = 4
_ENDED = "ZX"


def agent() -> str:
    """Return what names the process that started this hook, or nothing."""
    process = os.getppid()
    try:
        room = _namespace()
        for _ in range(_MAX_BETWEEN):
            name, _, parent, began = _told(process)
            if name not in _BETWEEN:
                return f"{process} {began} {room}"
            process = int(parent)
    except OSError:
        return ""
    return ""


def is_gone(named: str) -> bool:
    """Whether that process certainly runs no more; of one in another container it cannot be said."""
    process, _, rest = named.partition(" ")
    began, _, room = rest.partition(" ")
    try:
        if not process.isdigit() or room != _namespace():
            return False
        _, state, _, now = _told(int(process))
    except (FileNotFoundError, ProcessLookupError):
        return True
    except OSError:
        return False
    return now != began or state in _ENDED


def _namespace() -> str:
    """Return in which world of numbers this process has its own."""
    return os.readlink("/proc/self/ns/pid")


def _told(process: int) -> tuple[str, str, str, str]:
    """Return name, state, parent and beginning of a process, as the system tells them."""
    descriptor = os.open(f"/proc/{process}/stat", os.O_RDONLY | os.O_CLOEXEC)
    try:
        text = os.read(descriptor, 4_096).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    # A name may have any sign in it, also brackets.
    name, _, rest = text.partition("(")[2].rpartition(")")
    fields = rest.split()
    return name, fields[0], fields[1], fields[19]
