"""What a prompt's hook does for ratings: a number or a clear mood of the person becomes a row at once.

A poor one sets a sweep going, behind the hook: the incident and the lesson are made from the transcript.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import CUT
from holdfast.language import moods
from holdfast.parts import Effect
from holdfast.privacy.fence import kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from holdfast.language.ratings import Parsed, Rating
    from holdfast.parts import HookRun

# Up to this rating there is something to learn from the session.
POOR = 5
# More than this is a file that was pasted, whatever a person says of it.
MAX_MESSAGE = 8_000
# Between them a mood neither supports nor contradicts a number.
_BAD, _GOOD = 4, 7
# A rating has its number within so many characters.
_BEGINNING = 120


def at_prompt(run: HookRun) -> Iterator[Effect]:
    """Keep the rating that the person's message gives, if it gives one."""
    text = run.words() if len(run.call.prompt) <= MAX_MESSAGE else ""

    def last_answer() -> str | None:
        answer = run.latest("stop", "answer")
        # What was cut off may end in a question.
        return f"{answer}\n?" if answer and answer.endswith(CUT) else answer or None

    judged = judge(text, last_answer) if text else None
    if judged is None:
        return
    # Most prompts rate nothing.
    from holdfast.learning.ratings import model as signals

    project = run.project()
    whose = {"agent": run.call.agent, "session": run.session_label, "project": project.id if project else ""}
    row = row_of(judged, text, at=run.at, event=run.at, **whose)
    yield Effect(lambda: signals.add(run.home, row), sweep=row.rating <= POOR)


@dataclass(frozen=True, slots=True)
class Judged:
    """A rating of 1 to 10 and where it comes from, one of `ratings.SOURCES`."""

    rating: int
    source: str
    comment: str
    confidence: float


def judge(text: str, answer: Callable[[], str | None]) -> Judged | None:
    """Return what a message says about the work. `answer` tells what the agent said before, None where nobody knows."""
    if moods.may_have_a_number(text[:_BEGINNING]):
        # Most messages have no number.
        from holdfast.language import ratings

        said = ratings.parsed(text)
        if said is not None:
            chosen = is_choice(said, answer())
            return None if chosen else Judged(said.rating, "explicit", said.comment, 1.0)
    mood = moods.mood(text)
    return None if mood is None else Judged(mood.rating, "implicit", "", mood.confidence)


def is_choice(said: Parsed, answer: str | None) -> bool:
    """Whether a number may be an answer to the agent: a choice must never count as a rating.

    Where it may be one, only a comment of the same mood makes it a rating. Where it is not known what the agent said,
    a low number may be one. What is out of ten chooses nothing, but may be a count.
    """
    from holdfast.language import ratings

    if said.certain:
        return not said.comment and answer is not None and ratings.asks_how_many(answer)
    open_to_doubt = ratings.may_be_a_choice(said.rating) if answer is None else ratings.answers(said.rating, answer)
    mood = moods.mood(said.comment)
    agrees = mood is not None and (said.rating <= _BAD if mood.rating <= _BAD else said.rating >= _GOOD)
    return open_to_doubt and not agrees


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
