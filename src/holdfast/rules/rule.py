"""A memory as a rule: its condition, how strongly it holds there, and why both are as they are.

Only what the person said themselves holds a call, and only what forbids or sets a condition does so unasked. What was
derived holds where the statement names the command or file; all else is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.language import conditions, derived
from holdfast.language.conditions import Condition
from holdfast.project.anchors import parsed
from holdfast.records import STRENGTHS, Memory, replace

GIVEN, DERIVED = "given", "derived"
_DOES = {"say": "told", "hold": "holds", "ask": "asks", "deny": "denies"}


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
        does, why = _strength(memory, condition, forbids, literal=True)
        return Rule(memory, condition, does, GIVEN, why=why)
    if found is None:
        return None
    condition = _followed(found.condition, memory)
    does, why = _strength(memory, condition, found.forbids, literal=found.literal)
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


def _strength(memory: Memory, condition: Condition, forbids: bool, *, literal: bool) -> tuple[str, str]:
    """Return what a rule does at a call, and why."""
    if memory.trust != "user":
        return "say", "these are not your own words"
    if condition.failures:
        return "say", "what failed has already run"
    if memory.enforce in STRENGTHS:
        return memory.enforce, "`enforce` says so"
    if not forbids:
        return "say", "it forbids nothing"
    if not literal:
        return "say", "which of these calls it means cannot be told from a call"
    return "hold", "its words forbid this, or set a condition for it"


def condition_of(memory: Memory) -> str:
    """Return in a line which condition a memory has, what it does there, and why; nothing where it has none."""
    rule = rule_of(memory)
    if rule is None:
        could = derived.derive(memory.body) if memory.when else None
        return f'no condition: "{could.words}" is not used, because when is {memory.when}' if could else ""
    origin = "given" if rule.origin == GIVEN else f'derived from "{rule.words}"'
    off = "" if rule.origin == GIVEN else f"; to switch it off: holdfast edit {memory.key} --when none"
    return f"{_DOES[rule.does]} at: {rule.condition} ({origin}), because {rule.why}{off}"
