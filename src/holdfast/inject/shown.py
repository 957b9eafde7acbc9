"""What a session was shown already, and which events were seen already, for every adapter.

Identity: a session's file is named by a digest of its id; a line in it is one memory, as scope, owner, key and digest
of what was shown, parted by tabs, and of two lines with one memory the later one holds. Atomic: what is added goes in
by one write under a lock of the file. May be lost: all of it, at the price of showing something twice.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.text import hash_of
from holdfast.errors import StoreBusy, StoreUnavailable
from holdfast.records import Given, HookCall, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FORGOTTEN = "forgotten"
# The kind of place of a statement: whatever name it came under, a context is told it once.
SAID = "said"
_LOST = "compacted"
LOCK_SECONDS = 0.25
# Hooks of one event run at the same time; the same tag much later is another event.
_SAME_EVENT_SECONDS = 20.0
# What each folder of `state/` keeps of a session, and for how long; those of `open` and `work` end earlier by
# themselves, but for what a project left in which nobody starts any more.
_KEPT_SECONDS = {
    **dict.fromkeys(("shown", "told", "waiting", "tails"), 60 * 86_400),
    **{"seen": 86_400, "open": 30 * 86_400, "work": 30 * 86_400},
}
_MAX_READ = 1_000_000

Shown = dict[tuple[str, str, str], str]


def hidden(key: str) -> str:
    """Return the name under which it is noted that a memory is gone: a key is mostly made of its words."""
    return f"m-{hash_of(key)}"


class ShownSet:
    """The memories that one session was shown. Use it in a `with` block: nobody else adds to it meanwhile."""

    def __init__(self, home: str, session: str) -> None:
        self.folder = os.path.join(home, "state", "shown")
        self.path = os.path.join(self.folder, hash_of(session))
        self._lock: files.Lock | None = None

    def __enter__(self) -> ShownSet:
        try:
            files.make_folder(self.folder)
            lock = files.Lock(self.path, LOCK_SECONDS)
            lock.__enter__()
            self._lock = lock
        except StoreBusy:
            raise
        except StoreUnavailable:
            # Where nothing can be written, something is shown twice rather than not at all.
            self._lock = None
        return self

    def __exit__(self, *problem: object) -> None:
        if self._lock is not None:
            self._lock.__exit__(None, None, None)

    def read(self) -> Shown:
        """Return the digest of what was shown, by scope kind, owner and key."""
        found = [line.decode("utf-8", "replace").split("\t") for line in rows.read(self.path, _MAX_READ)]
        return {(row[0], row[1], row[2]): row[3] for row in found if len(row) == 4}

    def add(self, given: Iterable[Given]) -> None:
        """Note that these were shown now."""
        self.note([(each.scope, each.key, each.digest) for each in given])

    def note(self, known: Iterable[tuple[Scope, str, str]]) -> None:
        """Note for each memory what the session knows of it.

        The digest FORGOTTEN, with the key as `hidden` names it, says that it is gone: no line has its words then.
        """
        rows_now = [(scope.kind, scope.owner, key, digest) for scope, key, digest in known]
        gone = {row[:3] for row in rows_now if row[3] == FORGOTTEN}
        lines = ["\t".join(row) for row in rows_now]
        if lines and self._lock is not None:
            try:
                if gone:
                    before = [(*place, digest) for place, digest in self.read().items()]
                    lines = ["\t".join(row) for row in before if (*row[:2], hidden(row[2])) not in gone] + lines
                    self.clear()
                rows.append(self.path, lines, durable=False)
            except StoreUnavailable:
                return

    def lose(self) -> None:
        """Note that the context with what was shown is being compacted."""
        self.clear()
        rows.append(self.path, [_LOST], durable=False)

    def is_lost(self) -> bool:
        """Whether a compaction took what was shown, and nothing was handed over since."""
        return rows.read(self.path, _MAX_READ)[:1] == [_LOST.encode()]

    def clear(self) -> None:
        """Forget what was shown: the context that had it is lost."""
        try:
            os.truncate(self.path, 0)
        except OSError:
            return


def is_first(home: str, call: HookCall) -> bool:
    """Whether this event was not seen before, and note it. Of several hooks that ask at once, one gets yes.

    Where it cannot be noted, each gets yes.
    """
    folder = os.path.join(home, "state", "seen")
    name = hash_of(
        call.agent, call.session, call.moment, call.subagent, call.tag, (call.prompt or call.notice)[:2_000], length=32
    )
    now = time.time()
    period = int(now // _SAME_EVENT_SECONDS)
    try:
        files.make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        os.close(os.open(os.path.join(folder, f"{name}-{period}"), flags, files.FILE_MODE))
    except FileExistsError:
        return False
    except (StoreUnavailable, OSError):
        return True
    return now - _changed(os.path.join(folder, f"{name}-{period - 1}")) > _SAME_EVENT_SECONDS


def tidy(home: str) -> None:
    """Remove what belongs to sessions and events of long ago; at most once a day, and never in anybody's way."""
    stamp = os.path.join(home, "state", "tidied")
    now = time.time()
    if now - _changed(stamp) < 86_400:
        return
    try:
        files.replace(stamp, b"", durable=False)
        for name, seconds in _KEPT_SECONDS.items():
            rows.remove_older(os.path.join(home, "state", name), seconds)
    except OSError:
        return


def _changed(path: str) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
