"""Proposals of the kind `lesson`: approving makes the lesson stand as a memory, rejecting ends it however it recurs.

The id of one is that of its lesson. A person may edit the proposal first; then the lesson says what they wrote.
"""

from __future__ import annotations

from holdfast.actions import lesson_standing
from holdfast.actions.house import House, check_text
from holdfast.capture import redact
from holdfast.errors import Forgotten, NotFound
from holdfast.learning import lessons
from holdfast.memory.statements import same
from holdfast.records import Draft, Proposal

KIND = lesson_standing.KIND


def keep(house: House, proposal: Proposal) -> str:
    """Make the lesson of an approved proposal stand, and return the key of its memory."""
    check_text(proposal.text)
    text = redact.redact(proposal.text)[0]
    try:
        lesson = lessons.room(house.home).get(proposal.id)
    except NotFound:
        # Somebody removed the file of the lesson; what it says is still worth keeping.
        return house.put(_draft(proposal, text)).memory.key
    said = lesson.statement if same(text) == same(lesson.statement) else text
    lesson = lesson_standing.stand(house, lesson, trust="user", why="a person approved it", text=said)
    if lesson.status != "standing":
        raise Forgotten("it was forgotten or corrected", "Store it with `holdfast remember` if it holds again.")
    return lesson.key


def reject(house: House, proposal: Proposal) -> None:
    """Note with the lesson that it was rejected."""
    try:
        lesson_standing.reject(house, lessons.room(house.home).get(proposal.id))
    except NotFound:
        return


def _draft(proposal: Proposal, text: str) -> Draft:
    return Draft(
        text=text,
        scope=proposal.scope,
        title=proposal.title,
        type="lesson",
        tags=proposal.tags,
        trust="user",
        source=proposal.source,
        agent=proposal.agent,
    )
