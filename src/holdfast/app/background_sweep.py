"""What the end of a session sets going: one sweep of its agent's transcripts, in a process of its own.

The hook does not wait for it. It is low in priority, holds nothing that the agent gave the hook, ends within
`sweep.within_seconds`, and where another sweep runs it ends at once (decision 0020).
"""

from __future__ import annotations

import fcntl
import os
import sys
import time

from holdfast.base.package import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.settings import Settings

STAMP = "sweep-started"
_BEHIND = os.path.join(FOLDER, "surfaces", "hook", "background.py")
_FIRST_OF_OTHERS = 3


def start_sweep(home: str, agent: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    """Start a sweep behind the hook and return whether it was; not when the last start was a moment ago."""
    if not settings.flag("sweep.at_session_end") or not sys.executable:
        return False
    if not _is_time(os.path.join(home, "state", STAMP), settings.number("sweep.least_minutes") * 60):
        return False
    _spawn([sys.executable, "-I", _BEHIND, home, str(settings.number("sweep.within_seconds")), agent], environment)
    return True


def _is_time(stamp: str, seconds: int) -> bool:
    """Whether the last start is long enough ago, and note this one; of several that ask at once, one gets yes.

    It is noted before it starts: where starting fails, not every hook of the next minutes has to find that out.
    """
    descriptor = os.open(stamp, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        status = os.fstat(descriptor)
        # An empty file was just made; a time in the future was written by a wrong clock.
        if status.st_size and 0 <= time.time() - status.st_mtime < seconds:
            return False
        os.pwrite(descriptor, b"\n", 0)
        os.utime(descriptor)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def _spawn(words: list[str], environment: Mapping[str, str]) -> None:
    """Run the words in a session of their own, with nothing on their standard streams and no other descriptor."""
    for name in os.listdir("/dev/fd"):
        if int(name) >= _FIRST_OF_OTHERS:
            try:
                # Descriptors that the agent left open are not passed on: it may wait until everybody has closed them.
                os.set_inheritable(int(name), False)
            except OSError:
                # The descriptor by which the folder was listed is closed already.
                continue
    silent: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    try:
        os.posix_spawn(words[0], words, dict(environment), file_actions=silent, setsid=True)
    except NotImplementedError:
        # On an older system it starts in the agent's session and leaves it once it runs.
        os.posix_spawn(words[0], words, dict(environment), file_actions=silent, setpgroup=0)
