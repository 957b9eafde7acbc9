"""Proposals of the kind `lesson`: approving makes the lesson stand as a memory, rejecting ends it however it recurs.

The id of one is that of its lesson. A person may edit the proposal first; then the lesson says what they wrote.
"""

from __future__ import annotations

from contextlib import suppress

from holdfast.base.text import check_text
from holdfast.errors import Forgotten, NotFound
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.memory.proposal_files import same
from holdfast.memory.proposals import Kind
from holdfast.memory.remember import put
from holdfast.privacy import redact
from holdfast.records import Draft, Proposal
from holdfast.workspace import Workspace

KIND = lesson_standing.KIND


class LessonKind(Kind):
    """An approved lesson stands. It has a file of its own, which an undo could not bring back."""

    can_be_undone = False

    def keep(self, workspace: Workspace, proposal: Proposal) -> str:
        """Make the lesson stand, and return the key of its memory."""
        check_text(proposal.text)
        text = redact.redact(proposal.text)[0]
        try:
            lesson = lessons.room(workspace.home).get(proposal.id)
        except NotFound:
            # Somebody removed the file of the lesson; what it says is still worth keeping.
            told = {name: getattr(proposal, name) for name in ("scope", "title", "tags", "source", "agent")}
            return put(workspace, Draft(text=text, type="lesson", trust="user", **told)).memory.key
        said = lesson.statement if same(text) == same(lesson.statement) else text
        lesson = lesson_standing.stand(workspace, lesson, trust="user", why="a person approved it", text=said)
        if lesson.status != "standing":
            raise Forgotten("it was forgotten or corrected", "Store it with `holdfast remember` if it holds again.")
        return lesson.key

    def id_now(self, proposal: Proposal) -> str:
        """Return the id, which stands for the evidence, whatever the proposal says."""
        return proposal.id

    def reject(self, workspace: Workspace, proposal: Proposal) -> list[str]:
        """Note with the lesson that it was rejected."""
        with suppress(NotFound):
            lesson_standing.reject(workspace, lessons.room(workspace.home).get(proposal.id))
        return []
