"""Signals: single things in a session that, if they come again in others, make a pattern.

What each kind means is in docs/patterns.md. Only the agent's work and the person's own words give a signal; what was
injected, our own text, summaries and the tasks of sub-agents give none.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass as plain_dataclass
from holdfast.base.structs import sparse_dataclass

# By which rules signals were found: kept with them, so that older ones can be told. A change of what extractors find
# raises it, and the number in the harvest too, which makes every session worth another look.
RULES = 1


@plain_dataclass(frozen=True, slots=True)
class Kind:
    """A kind of signal: its name, a heading for patterns of it, how severe it is from 1 to 3, and whether it is good.

    For a good kind the severity is how much it is worth.
    """

    name: str
    heading: str
    severity: int
    good: bool = False


_KINDS = (
    Kind("failed-command", "A command fails", 2),
    Kind("retry-loop", "The same call is repeated", 2),
    Kind("edit-churn", "A file is changed over and over", 1),
    Kind("correction", "The person corrects", 3),
    Kind("low-rating", "The person is displeased", 3),
    Kind("high-rating", "The person is pleased", 2, good=True),
    Kind("permission-denied", "A call is not permitted", 2),
    Kind("context-overflow", "The context runs over", 1),
    Kind("red-green", "Tests go from red to green", 2, good=True),
    Kind("long-detour", "The goal is reached by a long detour", 2),
    Kind("fix-worked", "A fix worked", 2, good=True),
    Kind("lookup-anew", "The same is looked up anew", 1),
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


__all__ = ["KINDS", "RULES", "Kind", "Signal"]
