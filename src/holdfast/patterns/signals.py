"""Signals: single things in a session that, if they come again in others, make a pattern; and what they are found in.

What each kind means is in docs/patterns.md. Only the agent's work and the person's own words give a signal; what was
injected, our own text, summaries and the tasks of sub-agents give none.
"""

from __future__ import annotations

from dataclasses import dataclass as plain_dataclass

from holdfast.base.structs import dataclass, sparse_dataclass
from holdfast.learning.fixes.model import Fix

# By which rules signals were found: kept with them, so that older ones can be told apart. Whoever changes what is found
# raises it, and the number in the harvest too, which makes every session worth another look.
RULES = 1
# How a call ended. A refused one was not run, because a person or a rule of the agent did not let it.
RESULTS = ("passed", "failed", "refused", "unknown")
# Besides the kinds of tools: the person speaks, and the context was summed up because it ran over.
ASK, OVERFLOW = "ask", "overflow"


@plain_dataclass(frozen=True, slots=True)
class SignalKind:
    """A kind of signal: its name, a heading for patterns of it, how severe it is from 1 to 3, and whether it is good.

    For a good kind the severity is how much it is worth.
    """

    name: str
    heading: str
    severity: int
    good: bool = False


_KINDS = (
    SignalKind("failed-command", "A command fails", 2),
    SignalKind("retry-loop", "The same call is repeated", 2),
    SignalKind("edit-churn", "A file is changed over and over", 1),
    SignalKind("correction", "The person corrects", 3),
    SignalKind("low-rating", "The person is displeased", 3),
    SignalKind("high-rating", "The person is pleased", 2, good=True),
    SignalKind("permission-denied", "A call is not permitted", 2),
    SignalKind("context-overflow", "The context runs over", 1),
    SignalKind("red-green", "Tests go from red to green", 2, good=True),
    SignalKind("long-detour", "The goal is reached by a long detour", 2),
    SignalKind("fix-worked", "A fix worked", 2, good=True),
    SignalKind("lookup-anew", "The same is looked up anew", 1),
)
KINDS = {kind.name: kind for kind in _KINDS}


@sparse_dataclass(frozen=True, slots=True)
class Signal:
    """One signal. `signature` says what it is about, without what differs from time to time; `text` is the quote.

    `session` is the agent's own id of it; `place` and `line` are those of the event. `times` is how often it came in
    the session. `bound`: the signature means something within one project only. `fingerprint` is that of a failure,
    as fixes have it. `whole` is the session of which this one is a part or a copy, by its id, if any.
    """

    kind: str
    signature: str
    text: str
    agent: str
    session: str
    project: str = ""
    at: str = ""
    place: int = 0
    line: int = 0
    severity: int = 1
    good: bool = False
    times: int = 1
    bound: bool = False
    fingerprint: str = ""
    whole: str = ""

    @property
    def name(self) -> str:
        """What the session is called: its agent and its id."""
        return f"{self.agent}/{self.session}"

    @property
    def counted_as(self) -> str:
        """The session that it counts for: its own, or the one of which that is a part or a copy."""
        return f"{self.agent}/{self.whole or self.session}"


@dataclass(frozen=True, slots=True)
class SessionAct:
    """One call of a tool, one message of the person, or one overflow.

    `name` is the command that a shell line was run for (`npm test`), else the kind of tool; `text` shows it. `error` is
    the line that says what went wrong, `is_telling` whether it says more than that something did. `check` is `test`,
    `lint`, `build` or nothing. `given` stands for tool and input, `answer` for the output, each a hash. `paths` are the
    files that were changed, `sought` what was looked up: signatures, each with the command that did it.
    """

    kind: str
    place: int = 0
    line: int = 0
    at: str = ""
    name: str = ""
    text: str = ""
    result: str = "unknown"
    error: str = ""
    fingerprint: str = ""
    check: str = ""
    given: str = ""
    answer: str = ""
    paths: tuple[str, ...] = ()
    is_look: bool = False
    is_telling: bool = False
    sought: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReasonedRating:
    """A rating of the person, from 1 to 10, with what was said, and each thing that it is about."""

    rating: int
    text: str
    about: tuple[str, ...]
    at: str = ""


@dataclass(frozen=True, slots=True)
class SeenSession:
    """One session as a row of acts, in the same words for every agent and without its output.

    `whole` is the session that it is a part or a copy of, by its id, if any. In `corrections` each name is what one is
    about: its words, each in one form.
    """

    agent: str
    session: str
    project: str = ""
    at: str = ""
    whole: str = ""
    acts: tuple[SessionAct, ...] = ()
    corrections: tuple[SessionAct, ...] = ()
    ratings: tuple[ReasonedRating, ...] = ()
    fixes: tuple[Fix, ...] = ()
