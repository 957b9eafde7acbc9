"""What a replay finds: moments, failures that came again, corrections, and what rules would have done."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdfast.records import Problem


@dataclass(frozen=True, slots=True)
class ReplayMoment:
    """One moment: where it is, what happened, what would have been said, and where that came from.

    `became` is what the session did then, where that can be told; `calls` how many calls later.
    """

    session: str
    line: int
    at: str
    text: str
    said: str = ""
    source: str = ""
    became: str = ""
    calls: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Repeated:
    """A failure that came again in a later session of its project: where it was first, and each later time.

    `in_hand`: what worked for it was known before the second time. `untold`: why a fix that was known is not told.
    """

    project: str
    text: str
    first: str
    in_hand: bool
    times: list[ReplayMoment] = field(default_factory=list)
    untold: str = ""


@dataclass(slots=True)
class Failures:
    """Commands that failed in a way that can be told again, of how many `different` kinds, and what was known of them.

    `repeated` kinds came again in later sessions, `again` times. Where the fix would have been `said`, the session then
    found the `same` itself, with `spared` calls more than the fix takes, or another way (`in_vain`); of the rest nobody
    knows. At `known_well` of these times it had worked in two sessions by then, so that it would be a lesson.
    """

    total: int = 0
    different: int = 0
    repeated: int = 0
    in_hand: int = 0
    again: int = 0
    said: int = 0
    known_well: int = 0
    same: int = 0
    spared: int = 0
    in_vain: int = 0
    tokens: int = 0
    kinds: list[Repeated] = field(default_factory=list)


@dataclass(slots=True)
class Corrections:
    """What the person corrected: a memory said the same by then (`stood`), or they did so in an earlier session.

    `given`: of the memories that stood, how many would have come with a prompt before it in the session.
    """

    total: int = 0
    stood: int = 0
    given: int = 0
    repeated: int = 0
    examples: list[ReplayMoment] = field(default_factory=list)


@dataclass(slots=True)
class RuleUse:
    """A memory with a condition, and what it would have done at calls: `said` with a result, or `held` the call.

    `in_vain`: nothing in the session shows that it was needed. What was said came with a call that went well, and the
    person corrected nothing like it afterwards; what was held the person had asked for in their last message.
    """

    key: str
    scope: str
    text: str
    condition: str
    does: str
    said: int = 0
    held: int = 0
    in_vain: int = 0
    tokens: int = 0
    examples: list[ReplayMoment] = field(default_factory=list)


@dataclass(slots=True)
class Replayed:
    """What a replay found in so many sessions between two times; of `without_events` only a digest is left.

    `rules` are those of the memories `with_condition` that would have spoken, most often first.
    """

    sessions: int = 0
    calls: int = 0
    first: str = ""
    last: str = ""
    without_events: int = 0
    failures: Failures = field(default_factory=Failures)
    corrections: Corrections = field(default_factory=Corrections)
    rules: list[RuleUse] = field(default_factory=list)
    with_condition: int = 0
    problems: list[Problem] = field(default_factory=list)
