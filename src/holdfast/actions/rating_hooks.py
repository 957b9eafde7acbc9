"""What a prompt's hook does for ratings: a number or a clear mood of the person becomes a row at once.

A poor one sets a sweep going, behind the hook: the incident and the lesson are made from the transcript.
"""

from __future__ import annotations

from holdfast.actions.hook import kept
from holdfast.agents import speaking
from holdfast.learning import judging

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.actions.hook import Visit
    from holdfast.learning.judging import Judged
    from holdfast.learning.ratings import Rating

# Up to this rating there is something to learn from the session.
POOR = 5
# More than this is a file that was pasted, whatever a person says of it.
MOST_MESSAGE = 8_000
_MOST_SESSION = 200
_CUT = " [...]"


def at(visit: Visit) -> None:
    """Keep the rating that the person's message gives, if it gives one."""
    call = visit.call
    text = "" if call.subagent or len(call.prompt) > MOST_MESSAGE else speaking.typed(call.prompt)
    judged = judging.judge(text, lambda: _last_answer(visit)) if text else None
    if judged is None:
        return
    # Most prompts rate nothing.
    from holdfast.learning import signals

    project = visit.project()
    session = visit.told_session or kept(visit.session, _MOST_SESSION)
    row = row_of(judged, text, at=visit.at, agent=call.agent, session=session, project=project.id if project else "")
    if signals.add(visit.home, row) and row.rating <= POOR:
        from holdfast.actions import session_end

        session_end.start_sweep(visit.home, visit.agent.name, visit.settings, visit.environment)


def row_of(judged: Judged, text: str, *, at: str, agent: str, session: str, project: str) -> Rating:
    """Return what was judged as a row: without secrets, without what we injected, and no longer than bounded."""
    from holdfast.learning.ratings import MOST_COMMENT, MOST_TEXT, Rating, id_of

    said = _one_line(text, MOST_TEXT)
    comment = _one_line(judged.comment, MOST_COMMENT)
    id = id_of(agent, session, at, said)
    return Rating(at, judged.rating, judged.source, agent, session, project, comment, judged.confidence, said, id)


def _one_line(text: str, most: int) -> str:
    return " ".join(kept(text, most - len(_CUT)).split())


def _last_answer(visit: Visit) -> str | None:
    """Return what the agent said last in this session; None where that is not known."""
    for event in visit.journal.latest("stop"):
        if event.data.get("session") == visit.told_session and event.data.get("agent") == visit.call.agent:
            answer = str(event.data.get("answer", ""))
            # What was cut off may end in a question.
            return f"{answer}\n?" if answer.endswith(_CUT) else answer or None
    return None
