"""Ratings in the archive: what a person said of the work in sessions of agents whose hooks did not hear it."""

from __future__ import annotations

from functools import partial

from holdfast.language import judging
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings.hook import MAX_MESSAGE, row_of
from holdfast.privacy import speech
from holdfast.sessions.parts import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.language.ratings import Rating
    from holdfast.session_records import SessionEvent
    from holdfast.sessions.facts import Digest
    from holdfast.workspace import Workspace


def harvest(workspace: Workspace, digest: Digest, events: Sequence[SessionEvent]) -> Iterator[Finding]:
    """Yield the ratings that the person gave in a session; what an agent told its sub-agent is none."""
    session = digest.session
    if session.is_subagent:
        return
    answer = ""
    for event in events:
        if event.role == "assistant" and event.text.strip():
            answer = event.text
        if event.role != "human" or len(event.text) > MAX_MESSAGE:
            continue
        row = _row(event, answer, digest)
        if row is not None:
            text = f"{row.rating}/10, {row.source}: {row.text}"
            keep = partial(signals.add, workspace.home, row, timed=bool(event.at))
            yield Finding("rating", text, row.at, session.name, keep)


def _row(event: SessionEvent, answer: str, digest: Digest) -> Rating | None:
    session, text = digest.session, speech.typed(event.text)
    judged = judging.judge(text, lambda: answer) if text else None
    if judged is None:
        return None
    told = event.at or session.started
    at = f"{told[:19]}Z" if told else ""
    return row_of(judged, text, at=at, agent=session.agent, session=session.id, project=session.project)
