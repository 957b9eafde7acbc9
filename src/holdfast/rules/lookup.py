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
from holdfast.records import Filter, Memory, Project
from holdfast.records import replace as replaced
from holdfast.rules.build import rules_of
from holdfast.rules.hook import others
from holdfast.rules.matching import elsewhere, files_in, text_of, tree_of
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
    folder = call.folder or workspace.folder or working_folder()
    try:
        own = workspace.project()
    except HoldfastError:
        own = None
    found = _fulfilled(listed(workspace, agent), replaced(call, folder=folder), own, workspace, is_own=True)
    for other in others(workspace, call.given, folder, own):
        theirs = [one for one in listed(other, agent) if one.rule.memory.scope.kind == "project"]
        found += _fulfilled(theirs, replaced(call, folder=folder), other.project(), workspace, is_own=False)
    return sorted(found, key=lambda one: -conditions.weight(one.rule.condition))


def _fulfilled(
    answers: list[RuleAnswer], call: Call, project: Project | None, workspace: Workspace, *, is_own: bool
) -> list[RuleAnswer]:
    """Return those of the rules that a call fulfils, in their project; those of everywhere hold in all."""
    root = project.root if project else ""
    branch = call.branch or (branch_at(root) if root else "")
    given = call.tool, call.given, call.error, call.folder, root, branch
    call = Call(*given, branch_in, files_in, text_of, tree_of(root))
    here = replaced(call, is_elsewhere=elsewhere(workspace, project, is_own=is_own)) if project else call
    found = []
    for one in answers:
        memory = one.rule.memory
        asked = here if memory.scope.kind == "project" else call
        fulfilled = conditions.matched(one.rule.condition, asked) if memory.branch in ("", branch) else ""
        found += [replace(one, fulfilled=fulfilled)] if fulfilled else []
    return found


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
