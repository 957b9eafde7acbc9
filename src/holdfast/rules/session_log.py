"""What a session was told of rules: `state/told/<digest of the session>`, a line for each rule that was said or held.

A line is what was done, where it was said (nothing for what was held: that counts for the whole session), and the
rule with a digest of its words; beside what was held stands which call that was, and when. `compacted` says that what
was said before is said again. It may be lost, at the price of a rule being told twice; `inject.shown.tidy` removes it
when its session is long over.
"""

from __future__ import annotations

import os
import time

from holdfast.base import files, rows
from holdfast.base.text import hash_of
from holdfast.errors import StoreUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = ("state", "told")
SAID, HELD = "said", "held"
_AT = "held-at"
_LOST = "compacted"
_LOCK_SECONDS = 0.25
_MAX_READ = 1_000_000


def place_of(home: str, session: str) -> str:
    """Return the file of a session."""
    return os.path.join(home, *FOLDER, hash_of(session))


def read(place: str) -> set[str]:
    """Return the lines that count: what was held, and what was said since the last compaction."""
    lines = [line.decode("utf-8", "replace") for line in rows.read(place, _MAX_READ)]
    since = len(lines) - lines[::-1].index(_LOST) if _LOST in lines else 0
    return {line for number, line in enumerate(lines) if number >= since or line.startswith(HELD)}


def lose(place: str) -> None:
    """Note that the context with what was said is gone."""
    rows.append(place, [_LOST], durable=False)


def held_at(line: str, call_id: str) -> str:
    """Return what is noted of the call that was held with a line."""
    return "\t".join([_AT, line, call_id, str(time.time_ns())])


def first_held(known: Iterable[str], line: str) -> tuple[str, int]:
    """Return the id of the call that was held with a line, and when; nothing and 0 where that is not known."""
    found = [one.split("\t")[-2:] for one in known if one.startswith(f"{_AT}\t{line}\t")]
    return (found[-1][0], int(found[-1][1])) if found and found[-1][1].isdigit() else ("", 0)


def claim(place: str, line: str, also: Iterable[str] = (), *, shared: bool = False) -> bool:
    """Note a line, and others with it; False where it stands there already: of two calls at once one gets it.

    With `shared` both get it. Where nothing can be written, nothing is claimed: what cannot be noted would hold for
    ever.
    """
    try:
        files.make_folder(os.path.dirname(place))
        with files.Lock(place, _LOCK_SECONDS):
            known = read(place)
            if line in known:
                return shared
            rows.append(place, [line, *[other for other in also if other not in known]], durable=False)
            return True
    except StoreUnavailable:
        return False
