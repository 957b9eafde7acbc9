"""Forgetting a session takes the words of its ratings; the numbers stay."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.learning.ratings import model
from holdfast.sessions.parts import Change, ForgetTarget


def noted(home: str, agent: str, session: str) -> Iterator[str]:
    """Return what was said with the ratings of a session."""
    for rating in model.read(home):
        if (rating.agent, rating.session) == (agent, session):
            yield from (rating.comment, rating.text)


def forget(target: ForgetTarget) -> list[Change]:
    """Return the change that takes the words."""
    return target.in_rows(model.PLACE, model.forget, "words of its ratings")
