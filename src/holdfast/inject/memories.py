"""Memories as a block tells them: who said it decides the fence, what it is the heading, what it is worth the order.

Worth goes from what the person marked themselves to what only time tells: pinned, who says so, what kind of thing it
is, how often it was used, how near it is to what the project is doing now, how new it is. A lesson that stands brings
its own weight, in which marks count.
"""

from __future__ import annotations

from holdfast.base.clock import days_between
from holdfast.base.light_records import replace
from holdfast.base.text import count
from holdfast.inject.block import (
    EVERYWHERE,
    NOTES,
    OF_RULES,
    RULES,
    Item,
    given_of,
    statement_of,
)
from holdfast.inject.prompt import topics
from holdfast.privacy import fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.project.anchors import Freshness
    from holdfast.records import Candidate, Scope
    from holdfast.store.read_only_index import ReadOnlyIndex

_TRUST = {"user": 1.5, "agent": 0.9, "derived": 0.7, "import": 0.2}
_TYPE = {"user": 1.0, "feedback": 1.0, "decision": 0.8, "lesson": 0.8, "project": 0.5, "reference": 0.5}
_SCOPE = {"session": 0.3, "project": 0.2, "agent": 0.2}
_PINNED, _NEAREST, _MAX_USED, _NEW = 4.0, 1.5, 0.6, 0.6
_HALF_AFTER_DAYS = 30
# Rules are the person's own; what somebody else says that the person wants is a note.
RULE_TYPES = ("user", "feedback")
_HEADS = {"user": "Wishes", "feedback": "Wishes", "decision": "Decided", "lesson": "Lessons"}
_FACTS = "Facts"
_ORDER = (OF_RULES, "Wishes", "Decided", "Lessons", _FACTS)
_NEAR = 0.25
_MAX_NAME = 40


def found(
    index: ReadOnlyIndex,
    scopes: Mapping[str, Sequence[Scope]],
    fresh: Callable[[], Freshness],
    room: int,
    doing: Sequence[str] = (),
) -> tuple[list[Candidate], int, list[tuple[str, str]]]:
    """Return the memories of these scopes that may be told, how many there are besides, and what is not told.

    `fresh` knows which of them hold on the branch that is checked out; there is so much `room`, in characters. `doing`
    are texts about what the project is doing now: asks, and how things stand.
    """
    every = [one for some in scopes.values() for one in some]
    near = index.nearest(every, topics(doing)) if doing else {}
    candidates: list[Candidate] = []
    left_out: list[tuple[str, str]] = []
    total = 0
    for some in scopes.values():
        total += index.number_in(some)
        for one in index.worth_telling(some, room, near):
            memory = None if one.superseded_by else index.as_it_is(one.memory)
            if memory is None or (memory.branch and not fresh().holds_here(memory)):
                why = f"replaced by {one.superseded_by}" if one.superseded_by else "its file is gone"
                why = why if memory is None else f"learned on the branch {memory.branch}"
                left_out.append((f"{one.memory.scope}/{one.memory.key}", why))
            else:
                candidates.append(one if memory is one.memory else replace(one, memory=memory))
    return candidates, max(0, total - len(candidates) - len(left_out)), left_out


def items(
    candidates: Iterable[Candidate],
    now: str,
    fresh: Callable[[], Freshness] | None = None,
    *,
    weights: Mapping[tuple[str, str, str], float] | None = None,
    doubted: Mapping[tuple[str, str, str], str] | None = None,
) -> list[Item]:
    """Return the memories as items, in the order in which they are told.

    `weights` has what lessons weigh, and `doubted` what stands before a memory that the person may have taken back, by
    scope, owner and key. `fresh` is asked whether the code is as it was that a memory names, of each that is told.
    """
    made = [_item(one, now, weights or {}, fresh, doubted or {}) for one in candidates]
    # The newest of each kind first, with pinned ones before them except for rules, where the newer word wins; lessons
    # by their weight.
    made.sort(key=lambda pair: pair[0].memory.updated, reverse=True)
    made.sort(key=lambda pair: pair[1].worth if pair[1].head.startswith("Lessons") else 0.0, reverse=True)
    made.sort(key=lambda pair: pair[1].head == OF_RULES or not pair[0].memory.pinned)
    made.sort(key=lambda pair: next(place for place, head in enumerate(_ORDER) if pair[1].head.startswith(head)))
    return [item for _, item in made]


def _item(
    one: Candidate,
    now: str,
    weights: Mapping[tuple[str, str, str], float],
    fresh: Callable[[], Freshness] | None,
    doubted: Mapping[tuple[str, str, str], str],
) -> tuple[Candidate, Item]:
    memory = one.memory
    place = (memory.scope.kind, memory.scope.owner, memory.key)
    statement = statement_of(memory)
    theirs = memory.trust == "user"
    is_rule = theirs and memory.type in RULE_TYPES
    days = days_between(memory.updated, now)
    weight = weights.get(place, 0.0)
    worth = (
        _PINNED * memory.pinned
        + _TRUST.get(memory.trust, 0.0)
        + _TYPE.get(memory.type, 0.5)
        + _SCOPE.get(memory.scope.kind, 0.0)
        + min(_MAX_USED, one.uses / 10)
        + _NEAREST * one.meaning
        + _NEW / (1 + days / _HALF_AFTER_DAYS)
        + weight
    )
    head = OF_RULES if is_rule else _HEADS.get(memory.type, _FACTS)
    # Above them, because most of what an agent noted comes from the same one.
    if memory.trust == "import":
        head += ", imported"
    elif memory.trust == "agent":
        who = fence.safe(fence.harmless_line(memory.agent, _MAX_NAME), fence.without_secrets)
        head += f", as the agent {who} says" if who else ", as an agent says"
    part = NOTES if not is_rule else EVERYWHERE if memory.scope.kind == "global" else RULES
    why = _why(one, days, weight)
    doubt, code = doubted.get(place, ""), fresh if memory.anchors else None
    lead = (lambda: doubt + (code().lead(memory) if code else "")) if doubt or code else None
    told = given_of(memory, why)
    return one, Item(statement, told, part, head, theirs, worth, statement, safe=False, lead=lead)


def _why(one: Candidate, days: float, weight: float) -> str:
    memory, uses = one.memory, one.uses
    told = [
        "pinned" if memory.pinned else "",
        f"said by: {memory.trust}",
        f"type {memory.type}",
        f"used {count(uses, 'time')}" if uses else "",
        "near to what is being done" if one.meaning >= _NEAR else "",
        f"weighs {weight:.1f} as a lesson" if weight else "",
        f"updated {count(round(days), 'day')} ago" if round(days) else "updated today",
    ]
    return ", ".join([part for part in told if part])
