"""What a harvest left for the next one, for lack of time: `state/to-learn`, which is gone when nothing waits.

It is there so that a person can be told, without looking through the whole archive.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass

from holdfast.base import files
from holdfast.base.text import count


@dataclass(frozen=True, slots=True)
class Waiting:
    """Sessions that were not looked at, those that the judge has not read, and for how many seconds it would read."""

    sessions: int = 0
    unjudged: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        """Return the line for the person; empty where nothing waits."""
        lasts = f", about {-(-self.seconds // 60):.0f} min" if self.seconds else ""
        judged = f"{count(self.unjudged, 'session')} for the judge{lasts}"
        return " and ".join([count(self.sessions, "session")][: self.sessions] + [judged][: self.unjudged])


def waiting(home: str) -> Waiting:
    """Return what the last harvest left."""
    try:
        return Waiting(**json.loads(files.read_if_there(_path(home)) or b"{}"))
    except (ValueError, TypeError):
        return Waiting()


def leave(home: str, what: Waiting) -> None:
    """Keep what waits."""
    if what == Waiting():
        with suppress(FileNotFoundError):
            os.unlink(_path(home))
    else:
        files.make_folder(os.path.join(home, "state"))
        files.write(_path(home), json.dumps(asdict(what)).encode(), durable=False)


def _path(home: str) -> str:
    return os.path.join(home, "state", "to-learn")
