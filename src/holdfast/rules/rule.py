"""A memory as a rule: its condition, how strongly it holds there, and why both are as they are.

Only what the person said themselves holds a call, and only what forbids or sets a condition does so unasked. What was
derived holds where the statement names the command or file; all else is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.language import conditions, derived, suggesting
from holdfast.language.conditions import Condition
from holdfast.language.derived_parts import wants_asking
from holdfast.language.rule_tongues import in_english
from holdfast.project.anchors import parsed
from holdfast.records import STRENGTHS, Memory, replace
from holdfast.rules.wording import strength

GIVEN, DERIVED = "given", "derived"
_DOES = {"say": "told", "hold": "holds", "ask": "asks", "deny": "denies"}
_MEANS = {
    "say": "the call runs, and its result brings the rule",
    "hold": "the first such call of a session is stopped",
    "ask": "you are asked before the call runs",
    "deny": "the call is refused each time",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """The condition of a memory, what it does there (one of STRENGTHS), and in words why each is so.

    `origin` is GIVEN or DERIVED, `words` are those of the statement from which it was derived.
    """

    memory: Memory
    condition: Condition
    does: str
    origin: str
    words: str = ""
    why: str = ""


def rule_of(memory: Memory) -> Rule | None:
    """Return the rule that a memory is; None where it has no condition, or was withdrawn."""
    if not memory.holds:
        return None
    found = derived.derive(memory.body)
    if memory.when:
        condition = conditions.read(memory.when)
        if not condition:
            return None
        condition = _followed(condition, memory)
        forbids = found.forbids if found is not None else derived.forbids(memory.body)
        # Who says where a rule is told has not made it a stronger one.
        asks = found.asks if found is not None else wants_asking(in_english(memory.body))
        does, why = _strength(memory, condition, forbids, literal=found is None or found.literal, asks=asks)
        return Rule(memory, condition, does, GIVEN, why=why)
    if found is None:
        return None
    condition = _followed(found.condition, memory)
    does, why = _strength(memory, condition, found.forbids, literal=found.literal, asks=found.asks)
    return Rule(memory, condition, does, DERIVED, found.words, why)


def _followed(condition: Condition, memory: Memory) -> Condition:
    """Return a condition that names a file or folder which was renamed since also with the name that it has now."""
    moved = {one.was: one.path for one in parsed(memory.anchors) if one.was}
    if not moved:
        return condition
    commands, paths = list(condition.commands), list(condition.paths)
    for was, path in moved.items():
        for some in (commands, paths):
            for one in list(some):
                but, name = ("!", one[1:]) if one[:1] == "!" else ("", one)
                first, space, rest = name.partition(" ")
                is_in = first.startswith(f"{was}/")
                now = f"{but}{path}{first[len(was) :] if is_in else ''}{space}{rest}"
                if (is_in or was == first or was.endswith(f"/{first}")) and now not in some:
                    some.append(now)
    return replace(condition, commands=tuple(commands), paths=tuple(paths))


def _strength(memory: Memory, condition: Condition, forbids: bool, *, literal: bool, asks: bool) -> tuple[str, str]:
    """Return what a rule does at a call, and why."""
    if memory.trust != "user":
        return "say", "only what you said yourself holds a call"
    if condition.failures:
        return "say", "it is about a call that has failed"
    if memory.enforce in STRENGTHS:
        return memory.enforce, f"you set it so (--enforce {memory.enforce})"
    if not forbids:
        return "say", "its words do not plainly forbid the call"
    if not literal:
        return "say", "a call alone does not show whether it goes against your words"
    if asks and not condition.paths:
        return "ask", "your words want you to be asked first; where you cannot be asked, the call is held once"
    return "hold", "your words forbid it, or want something done first"


def rule_here(memory: Memory, strongest: str) -> Rule | None:
    """Return the rule that a memory is, with what it does where no rule may do more than the `strongest`."""
    rule = rule_of(memory)
    does, why = strength(rule.does, memory.trust, strongest, None) if rule else ("", "")
    return replace(rule, does=does, why=why or rule.why) if rule else None


OFF = "rules are switched off (rules.enabled), so none is told at any call"


def told_at(memory: Memory, strongest: str) -> str:
    """Return in a few words at which calls a memory is told, or that a rule is told at none; nothing of any other."""
    rule = rule_here(memory, strongest)
    but = f" (not at: {', '.join(left)})" if (left := _left_out(rule)) else ""
    return (
        f"{_DOES[rule.does]} at: {rule.condition}{but}"
        if rule
        else derived.NOWHERE
        if derived.is_silent(memory)
        else ""
    )


def _left_out(rule: Rule | None) -> tuple[str, ...]:
    """Return what a rule is against and not told at, because its words do not say surely that it is meant."""
    return suggesting.left_out(rule.memory.body) if rule and rule.origin == DERIVED else ()


def as_fields(memory: Memory, strongest: str) -> dict[str, object]:
    """Return, for programs, the rule that a memory is, and whether it is one to the person and told at no call."""
    rule = rule_here(memory, strongest)
    named = {"when": str(rule.condition), "does": rule.does, "origin": rule.origin} if rule else {}
    told = {**named, "words": rule.words, "why": rule.why} if rule else None
    return {"rule": told, "left_out": list(_left_out(rule)), "told_nowhere": rule is None and derived.is_silent(memory)}


def condition_of(memory: Memory, strongest: str) -> list[str]:
    """Return at which calls a memory is told, and on lines of their own why, and how to change it; none of no rule."""
    rule, told = rule_here(memory, strongest), told_at(memory, strongest)
    if rule is not None:
        off = [f"to switch it off: holdfast edit {memory.key} --when none"] if rule.origin == DERIVED else []
        stronger = "to have each refused: --enforce deny; to be asked: --enforce ask"
        other = "to have each refused: --enforce deny; to have it held once: --enforce hold"
        off += (
            [stronger if rule.does == "hold" else other] if rule.does in ("hold", "ask") and not memory.enforce else []
        )
        origin = f'derived from "{rule.words}"' if rule.origin == DERIVED else "given"
        left = ", ".join([str(rule.condition), *_left_out(rule)])
        more = [f'to have it told there, too: holdfast edit {memory.key} --when "{left}"'] if _left_out(rule) else []
        return [f"{told} ({origin})", f"{_MEANS[rule.does]}: {rule.why}", *more, *off]
    if told:
        return [
            f"{told}: its words do not say surely which command or file they mean",
            f"to give it one: {suggesting.give_one(memory)}",
        ]
    could = derived.derive(memory.body) if memory.when else None
    unused = f': "{could.words}" is not used, because when is {memory.when}' if could else ""
    return [f"no condition{unused}"] if memory.when else []
