"""Sessions with something to learn from, as the tests of the harvest put them into the archive."""

from __future__ import annotations

from pathlib import Path

from holdfast.language.ratings import Rating, id_of
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.model import Lesson
from holdfast.learning.ratings import model as signals
from holdfast.records import SessionEvent
from holdfast.workspace import Workspace
from sessions.making import ran
from support.archived import said, session, store

SHOP = "example.com--acme--shop"
DELETED = "you deleted my migration again"
REMOVED = "you removed the migration again!!"


def rated(workspace: Workspace, name: str, rating: int, comment: str, at: str, project: str = SHOP) -> Rating:
    """Write a rating down as the hook of that session would."""
    agent, _, id = name.partition("/")
    text = f"{rating} - {comment}" if comment else str(rating)
    one = Rating(at, rating, "explicit", agent, id, project, comment, 1.0, text, id_of(agent, id, at, text))
    signals.add(workspace.home, one)
    return one


def complained(
    workspace: Workspace,
    shop: Path | str,
    id: str = "s-1",
    comment: str = DELETED,
    *,
    rating: int = 2,
    agent: str = "some-agent",
    day: str = "2026-05-04",
    calls: tuple[SessionEvent, ...] = (ran("rm migrations/0007_x.py"),),
) -> str:
    """Archive a session in which the agent did something and the person rated it low; return its name."""
    at = f"{day}T10:30:00Z"
    told = session(id, shop, agent=agent, day=day)
    asked = said("human", "Clean the project up, please.", f"{day}T10:00:00Z", shop)
    words = said("human", f"{rating} - {comment}", at, shop)
    name = store(workspace, told, asked, *calls, said("assistant", "I cleaned up.", at, shop), words)
    rated(workspace, name, rating, comment, at)
    return name


def talked(
    workspace: Workspace, shop: Path | str, id: str, *events: SessionEvent, day: str = "2026-05-04", **more
) -> str:
    """Archive a session with these events, and return its name."""
    return store(workspace, session(id, shop, day=day, **more), *events)


def learned_in(workspace: Workspace) -> list[Lesson]:
    """Return every lesson of the home that there is evidence for, as it is."""
    return lesson_standing.every(workspace)
