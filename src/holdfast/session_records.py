"""The records of sessions, which `records` hands out when they are asked for; their words are in docs/glossary.md."""

from __future__ import annotations

from holdfast.base.structs import dataclass, sparse_dataclass


@sparse_dataclass(frozen=True, slots=True)
class Cost:
    """What a session or message cost, in tokens, each counted once: `input` without what came from a cache.

    `dollars` is set where the agent tells it itself.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    dollars: float = 0.0


@sparse_dataclass(frozen=True, slots=True)
class SessionEvent:
    """One thing in a session, in the order of the source. What the agent does not tell is empty.

    `role` is one of ROLES. A tool call and its result are one event of role `tool`, joined by `call`; `answered`: the
    result came. `folder` and `branch` are those of this event. `id` is the agent's own id of it, `line` where it
    stands in the source.
    """

    place: int = 0
    role: str = ""
    text: str = ""
    at: str = ""
    tool: str = ""
    call: str = ""
    input: str = ""
    output: str = ""
    failed: bool = False
    milliseconds: int = 0
    folder: str = ""
    branch: str = ""
    model: str = ""
    id: str = ""
    line: int = 0
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Spend:
    """What the messages of one model cost on one day (`YYYY-MM-DD`, UTC); what is not told is empty."""

    day: str
    model: str
    cost: Cost


@dataclass(frozen=True, slots=True)
class Session:
    """One session of any agent. `id` is the agent's own; `parent` the session that it was forked from or works for.

    `spends` are `cost` taken apart by day and model. `beginning` is the id of the first event that has one: two
    sessions of one agent that begin with the same event are copies of each other.
    """

    agent: str
    id: str
    title: str = ""
    folder: str = ""
    project: str = ""
    branch: str = ""
    started: str = ""
    ended: str = ""
    models: tuple[str, ...] = ()
    parent: str = ""
    is_subagent: bool = False
    version: str = ""
    cost: Cost = Cost()
    events: int = 0
    malformed: int = 0
    source: str = ""
    spends: tuple[Spend, ...] = ()
    beginning: str = ""

    @property
    def name(self) -> str:
        """What the session is called: its agent and its id."""
        return f"{self.agent}/{self.id}"


__all__ = ["Cost", "Session", "SessionEvent", "Spend"]
