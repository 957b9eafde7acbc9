"""Which rules hold at a call that somebody asks about, and what each would do there: nothing is noted and none told."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.agents.base import Agent
from holdfast.base.files import working_folder
from holdfast.errors import HoldfastError
from holdfast.language import conditions
from holdfast.language.conditions import Call
from holdfast.language.derived import is_silent
from holdfast.language.suggesting import permitted, with_exception
from holdfast.project.git import branch_at, branch_in
from holdfast.records import Filter, Memory
from holdfast.rules.build import rules_of
from holdfast.rules.matching import files_in, text_of, tree_of
from holdfast.rules.rule import DERIVED, Rule
from holdfast.rules.wording import strength
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """A rule, what it does at the call that was asked about, why, and what of the call fulfils its condition."""

    rule: Rule
    does: str
    why: str
    fulfilled: str = ""

    @property
    def origin(self) -> str:
        """Where its condition comes from, in words."""
        return f'derived from "{self.rule.words}"' if self.rule.origin == DERIVED else "given"


def asked(workspace: Workspace, call: Call, agent: Agent | None = None) -> list[RuleAnswer]:
    """Return the rules that hold at a call, in the order in which an agent would be told them."""
    folder = call.folder or working_folder()
    try:
        root = workspace.project().root
    except HoldfastError:
        root = ""
    branch = call.branch or (branch_at(root) if root else "")
    call = Call(call.tool, call.given, call.error, folder, root, branch, branch_in, files_in, text_of, tree_of(root))
    found = []
    for one in listed(workspace, agent):
        memory = one.rule.memory
        fulfilled = conditions.matched(one.rule.condition, call) if memory.branch in ("", call.branch) else ""
        if fulfilled:
            found.append(replace(one, fulfilled=fulfilled))
    return sorted(found, key=lambda one: -conditions.weight(one.rule.condition))


def held_all_the_same(workspace: Workspace, memory: Memory) -> list[str]:
    """Return, as lines, which rules hold a call that a statement permits, and how to except it: the person decides."""
    named = permitted(memory.body)
    found = asked(workspace, Call("Bash", named)) if named else []
    return [_still_holds(one.rule, memory.body, named) for one in found if one.does != "say"]


def _still_holds(rule: Rule, permits: str, named: str) -> str:
    but = with_exception(permits, rule.condition)
    way = f'to except that: holdfast edit {rule.memory.key} --when "{but}"' if but else "no exception says just that"
    return f"{rule.memory.key} still holds at {named}; {way}"


def silent(workspace: Workspace) -> list[Memory]:
    """Return the rules that are visible here and told at no call."""
    if not workspace.enabled or not workspace.settings.flag("rules.enabled"):
        return []
    rules = workspace.store.find(Filter(workspace.visible(), trusts=("user",)))
    return [memory for memory in rules if is_silent(memory)]


def listed(workspace: Workspace, agent: Agent | None = None) -> list[RuleAnswer]:
    """Return every rule that is visible here, narrowest scope first."""
    if not workspace.enabled or not workspace.settings.flag("rules.enabled"):
        return []
    strongest = workspace.settings.text("rules.strongest")
    found = []
    for rule in rules_of(workspace, workspace.visible()):
        does, why = strength(rule.does, rule.memory.trust, strongest, agent)
        found.append(RuleAnswer(rule, does, why or rule.why))
    return found
