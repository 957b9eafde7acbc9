"""Sessions that only hooks told of."""

from __future__ import annotations

import os

from holdfast.app.harvest import harvest
from holdfast.learning.incidents.model import CONTEXT, Incidents
from holdfast.records import Event
from sessions.making import answer, human
from support.learned import DELETED, SHOP, learned_in, rated, talked

NAME = "quiet-agent/q-1"


def tell(h, kind: str, at: str, **data: object) -> None:
    """Write an event as a hook of the quiet agent does."""
    h.journal.append(Event(at, kind, {"agent": "quiet-agent", "session": "q-1", "project": SHOP, **data}))


def told(h) -> None:
    """A session that hooks told of: an ask, a call, an answer, a complaint."""
    tell(h, "prompt", "2026-05-04T10:00:00Z", prompt="Clean up, please.")
    tell(h, "tool", "2026-05-04T10:01:00Z", tool="Bash", tool_input='{"command": "rm migrations/0007_x.py"}')
    tell(h, "stop", "2026-05-04T10:02:00Z", answer="I cleaned up.")
    tell(h, "prompt", "2026-05-04T10:03:00Z", prompt=f"2 - {DELETED}")
    rated(h, NAME, 2, DELETED, "2026-05-04T10:03:00Z")


def test_a_session_without_a_transcript_is_harvested_from_the_journal(workspace, shop) -> None:
    """The incident has the turns and the cause, the lesson is proposed; doing it again adds nothing."""
    with workspace() as h:
        told(h)
        assert {one.kind for one in harvest(h).found} >= {"lesson", "incident"}
        (one,) = Incidents(h.home).all()
        with open(os.path.join(one.path, CONTEXT), encoding="utf-8") as file:
            text = file.read()
        assert "`rm migrations/0007_x.py` (place 1): it removed something" in text and "> I cleaned up." in text
        assert harvest(h).found == () and learned_in(h)[0].evidence[0].session == "q-1"
        os.unlink(os.path.join(h.home, "state", "harvested"))
        assert harvest(h).found == ()


def test_a_rating_of_a_moment_ago_waits_for_its_sweep(workspace, shop) -> None:
    """While a sweep may still bring the session, nothing is made of what hooks told."""
    with workspace() as h:
        rated(h, NAME, 2, DELETED, "2999-01-01T00:00:00Z")
        assert harvest(h).found == ()


def test_a_session_in_the_archive_is_read_there(workspace, shop) -> None:
    """What the archive has is not harvested from the journal as well; a forgotten session not at all."""
    with workspace() as h:
        told(h)
        talked(h, shop, "q-1", human("Clean up, please."), answer(), human(f"2 - {DELETED}"), agent="quiet-agent")
        assert harvest(h).sessions == 1 and len(Incidents(h.home).all()) == 1
