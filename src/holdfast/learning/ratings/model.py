"""The file of ratings, `learning/signals/ratings.jsonl`.

Identity: a rating has an id of agent, session, time and text. Atomic: one line is added in one durable write, under a
lock, after it was looked for. Checked when read: a line that is broken or says no rating from 1 to 10 is passed over,
and the shapes in which other programs wrote their ratings are understood. No row is removed; the words of one go with
their session, when a person forgets that.
"""

from __future__ import annotations

import os

from holdfast.base import clock, files, rows
from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.language.ratings import HIGHEST, LOWEST, MAX_COMMENT, MAX_TEXT, SOURCES, Rating, id_of
from holdfast.project.ids import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PLACE = ("learning", "signals", "ratings.jsonl")
# A hook waits with a person before it; what it cannot write a harvest finds later.
_WAIT_SECONDS = 2.0
# The same message in the same session within so many seconds is one rating, told twice.
_TWICE = 120
_COPIED = 5
_MAX_NAME = 500
# How others call the fields.
_OTHER_NAMES = {
    "at": ("timestamp", "time", "date"),
    "rating": ("score",),
    "session": ("session_id", "sessionId"),
    "comment": ("sentiment_summary", "summary"),
    "text": ("message", "prompt", "user_message"),
}


def path_of(home: str) -> str:
    """Return the file of ratings of a home."""
    return os.path.join(home, *PLACE)


def add(home: str, rating: Rating, *, timed: bool = True) -> bool:
    """Write a rating down for good; False where it is there already.

    `timed` is False where nobody told when it was said: then the same text in the same session is the same rating.
    """
    path = path_of(home)
    files.refuse_links(home, "/".join(PLACE[:-1]))
    files.make_folder(os.path.dirname(path))
    with _lock(home):
        if _is_there(files.read_if_there(path), rating, timed):
            return False
        rows.append(path, [dumps(_plain(rating))])
    return True


def forget(home: str, agent: str, session: str) -> int:
    """Take the words out of every rating of a session, and return how many had some; the numbers stay."""

    def without_words(line: bytes) -> bytes | None:
        rating = of_line(line)
        if rating is None or (rating.agent, rating.session) != (agent, session) or not (rating.comment or rating.text):
            return None
        return dumps(_plain(replace(rating, comment="", text=""))).encode()

    path = path_of(home)
    if not os.path.lexists(path):
        return 0
    files.refuse_links(home, "/".join(PLACE[:-1]))
    with _lock(home):
        return rows.rewrite(path, without_words)


def _lock(home: str) -> files.Lock:
    return files.lock_of(home, "ratings", _WAIT_SECONDS)


def read(home: str) -> list[Rating]:
    """Return all ratings, oldest first."""
    return in_order(rating for line in rows.read(path_of(home)) if (rating := of_line(line)) is not None)


def of_person(home: str) -> list[Rating]:
    """Return the ratings of the person, oldest first: not what an agent passed on and nobody heard."""
    return [row for row in read(home) if row.source != "passed-on"]


def in_order(ratings: Iterable[Rating]) -> list[Rating]:
    """Return ratings, oldest first, those of one moment as they came."""
    return sorted(ratings, key=lambda rating: rating.at)


def of_line(line: bytes) -> Rating | None:
    """Return the rating that a line says, in our words or those of others; None where it says none."""
    told = rows.object_in(line)
    return _rating(told) if told is not None else None


def _rating(told: Mapping[str, object]) -> Rating | None:
    number = _told(told, "rating")
    if isinstance(number, str) and number.strip().isdecimal():
        number = int(number)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or not LOWEST <= number <= HIGHEST:
        return None
    source = _text(told, "source", 20)
    sure = told.get("confidence")
    found = Rating(
        at=_text(told, "at", 40),
        rating=number,
        source=source if source in SOURCES else "explicit",
        agent=_text(told, "agent", _MAX_NAME),
        session=_text(told, "session", _MAX_NAME),
        project=_text(told, "project", _MAX_NAME),
        comment=_text(told, "comment", MAX_COMMENT),
        confidence=min(1.0, max(0.0, float(sure))) if isinstance(sure, (int, float)) else 1.0,
        text=_text(told, "text", MAX_TEXT),
        event=_text(told, "event", 40),
    )
    id = _text(told, "id", 64)
    if not is_id(id):
        # A folder of an incident may be named after it, and others write such files too.
        id = id_of(found.agent, found.session, found.at, found.text or f"{number} {found.comment}")
    return replace(found, id=id)


def _told(told: Mapping[str, object], name: str) -> object:
    return next((told[each] for each in (name, *_OTHER_NAMES.get(name, ())) if each in told), None)


def _text(told: Mapping[str, object], name: str, most: int) -> str:
    value = _told(told, name)
    return value[:most] if isinstance(value, str) else ""


def _plain(rating: Rating) -> dict[str, object]:
    told: dict[str, object] = {
        "id": rating.id,
        "at": rating.at,
        "rating": rating.rating,
        "source": rating.source,
        "confidence": rating.confidence,
        "agent": rating.agent,
        "session": rating.session,
        "project": rating.project,
        "comment": rating.comment,
        "text": rating.text,
    }
    return {**told, "event": rating.event} if rating.event else told


def _is_there(data: bytes, rating: Rating, timed: bool) -> bool:
    """Whether the rating is among the lines. Only lines that have its id or its text are read."""
    if rating.id and rating.id.encode() in data:
        return True
    others = map(of_line, rows.having(data, dumps(rating.text).encode()))
    return any(other is not None and _is_same(other, rating, timed) for other in others)


def _is_same(one: Rating, other: Rating, timed: bool) -> bool:
    if (one.agent, one.text) != (other.agent, other.text):
        return False
    apart = abs(clock.seconds(one.at) - clock.seconds(other.at))
    if one.session != other.session:
        # A session that was forked from another has its messages, with their times.
        return apart <= _COPIED
    return not timed or apart <= _TWICE
