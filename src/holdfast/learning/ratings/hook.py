"""What a prompt's hook does for ratings: a number or a clear mood of the person becomes a row at once.

A poor one sets a sweep going, behind the hook: the incident and the lesson are made from the transcript.
"""

from __future__ import annotations

from holdfast.base.text import CUT
from holdfast.language import judging
from holdfast.parts import Effect
from holdfast.privacy.kept import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.language.judging import Judged
    from holdfast.language.ratings import Rating
    from holdfast.parts import HookRun

# Up to this rating there is something to learn from the session.
POOR = 5
# More than this is a file that was pasted, whatever a person says of it.
MAX_MESSAGE = 8_000


def at_prompt(run: HookRun) -> Iterator[Effect]:
    """Keep the rating that the person's message gives, if it gives one."""
    text = run.words() if len(run.call.prompt) <= MAX_MESSAGE else ""
    judged = judging.judge(text, lambda: _last_answer(run)) if text else None
    if judged is None:
        return
    # Most prompts rate nothing.
    from holdfast.learning.ratings import model as signals

    project = run.project()
    whose = {"agent": run.call.agent, "session": run.session_label, "project": project.id if project else ""}
    row = row_of(judged, text, at=run.at, event=run.at, **whose)
    yield Effect(lambda: signals.add(run.home, row), sweep=row.rating <= POOR)


def row_of(judged: Judged, text: str, *, at: str, agent: str, session: str, project: str, event: str = "") -> Rating:
    """Return what was judged as a row: without secrets, without what we injected, and no longer than bounded."""
    from holdfast.language.ratings import MAX_COMMENT, MAX_TEXT, Rating, id_of

    said = _one_line(text, MAX_TEXT)
    comment = _one_line(judged.comment, MAX_COMMENT)
    id = id_of(agent, session, at, said)
    return Rating(
        at, judged.rating, judged.source, agent, session, project, comment, judged.confidence, said, id, event
    )


def _one_line(text: str, most: int) -> str:
    return " ".join(kept(text, most).split())


def _last_answer(run: HookRun) -> str | None:
    """Return what the agent said last in this session; None where that is not known."""
    answer = run.latest("stop", "answer")
    # What was cut off may end in a question.
    return f"{answer}\n?" if answer and answer.endswith(CUT) else answer or None
