"""Ratings in the archive: what a person said of the work in sessions of agents whose hooks did not hear it.

A rating that a hook judged refers to its event, so its message is known by its time and is not judged again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial

from holdfast.base import clock
from holdfast.language.judge import MOODS
from holdfast.language.ratings import Rating
from holdfast.learning.ratings import model
from holdfast.learning.ratings.hook import MAX_MESSAGE, Judged, judge, row_of
from holdfast.learning.said.harvest import is_recent, judged_messages
from holdfast.privacy import speech
from holdfast.session_records import SessionEvent
from holdfast.sessions.facts import Digest
from holdfast.sessions.parts import Finding
from holdfast.workspace import Workspace

# From this rating down there is something to learn.
LOW = 5
# So many seconds may lie between what a hook heard and what the transcript says of its time.
_APART = 120
_TELLING = 20
# A mood as a rating, as a hook would give it, and how sure it is.
_MOODS = {"praise": 8, "frustration": 3}
_CONFIDENCE = 0.6
_by_session: dict[tuple[str, int, int], dict[tuple[str, str], list[Rating]]] = {}


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the ratings that the person gave in a session; what an agent told its sub-agent is none."""
    session = digest.session
    if session.is_subagent:
        return
    for event, text, heard in _unheard(workspace, digest, events):
        if heard is not None:
            yield _finding(workspace, digest, event, text, heard)


def judged(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the moods that the judge sees where a hook's word lists see none, as ratings."""
    session = digest.session
    if session.is_subagent or not is_recent(session):
        return
    # Where both are seen, the first one counts.
    read = judged_messages(workspace.home, session, events)
    moods = {id(one): mood for one, said in read for mood in reversed(MOODS) if mood in said.kinds}
    for event, text, heard in _unheard(workspace, digest, events) if moods else ():
        if heard is None and (mood := moods.get(id(event))):
            yield _finding(workspace, digest, event, text, Judged(_MOODS[mood], "implicit", "", _CONFIDENCE))


def _unheard(
    workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]
) -> Iterator[tuple[SessionEvent, str, Judged | None]]:
    """Yield the person's messages that no hook judged, what was typed of each, and what a hook would say of it."""
    session, answer = digest.session, ""
    heard = {_heard_at(row, events) for row in ratings_of(workspace.home, session.agent, session.id) if row.event}
    for place, event in enumerate(events):
        if event.role == "assistant" and event.text.strip():
            answer = event.text
        is_asked = event.role == "human" and len(event.text) <= MAX_MESSAGE and place not in heard
        if is_asked and (text := speech.typed(event.text)):
            yield event, text, judge(text, partial(str, answer))


def _finding(workspace: Workspace, digest: Digest, event: SessionEvent, text: str, judged: Judged) -> Finding:
    session = digest.session
    told = event.at or session.started
    at = f"{told[:19]}Z" if told else ""
    row = row_of(judged, text, at=at, agent=session.agent, session=session.id, project=session.project)
    keep = partial(model.add, workspace.home, row, timed=bool(event.at))
    return Finding("rating", f"{row.rating}/10, {row.source}: {row.text}", row.at, session.name, keep)


def place_of(rating: Rating, events: Sequence[SessionEvent]) -> int:
    """Return where in the events the message stands that a rating came from; behind the last where it is not there.

    A rating that no hook heard, and any in a transcript without times, is known by its words.
    """
    place = _heard_at(rating, events) if rating.event else -1
    if place >= 0:
        return place
    wanted = _plain(rating.text or rating.comment)
    said = [(at, _plain(event.text)) for at, event in enumerate(events) if event.role == "human" and wanted]
    same = [at for at, text in said if text == wanted]
    # A short one, such as a bare number, stands in many a message.
    same = same or [at for at, text in said if len(wanted) > _TELLING and wanted in text]
    if same:
        return same[-1]
    later = [at for at, event in enumerate(events) if event.at and rating.at and event.at > rating.at]
    return later[0] if later else len(events)


def _heard_at(rating: Rating, events: Sequence[SessionEvent]) -> int:
    """Return the message that was said when the hook heard it; -1 where none was said about then."""
    heard = clock.seconds(rating.event)
    said = [(place, clock.seconds(event.at)) for place, event in enumerate(events) if event.role == "human"]
    near = [(abs(at - heard), place) for place, at in said if abs(at - heard) <= _APART]
    return min(near)[1] if near else -1


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def low_ratings(home: str, agent: str, session: str) -> list[Rating]:
    """Return the low ratings of a session."""
    return [one for one in ratings_of(home, agent, session) if one.rating <= LOW]


def ratings_of(home: str, agent: str, session: str) -> list[Rating]:
    """Return the ratings of a session, oldest first."""
    return by_session(home).get((agent, session), [])


def by_session(home: str) -> dict[tuple[str, str], list[Rating]]:
    """Return all ratings by agent and session. The file is read once while it stays as it is."""
    try:
        status = os.stat(model.path_of(home))
    except OSError:
        return {}
    stamp = (model.path_of(home), status.st_mtime_ns, status.st_size)
    if stamp not in _by_session:
        _by_session.clear()
        found = _by_session[stamp] = {}
        for one in model.read(home):
            found.setdefault((one.agent, one.session), []).append(one)
    return _by_session[stamp]
