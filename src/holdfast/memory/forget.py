"""Forget memories: the file goes, a tombstone stays, so that no import brings them back."""

from __future__ import annotations

from holdfast.errors import Refused
from holdfast.journal import notices
from holdfast.memory import audit
from holdfast.memory.remember import end
from holdfast.privacy import redact
from holdfast.records import Filter, Memory, Step
from holdfast.store.kinds import is_of_the_person
from holdfast.workspace import Workspace


def plan(workspace: Workspace, keys: tuple[str, ...], *, scope: str | None = None) -> tuple[list[Memory], list[Step]]:
    """Return the memories that would go, and the steps.

    What a memory replaced goes with it: it was not told any more, and must not be told again because of this.
    """
    memories = [workspace.locate(key, scope) for key in dict.fromkeys(keys)]
    memories += _replaced_by(workspace, memories)
    for memory in memories:
        workspace.need_reach(memory.scope.kind)
    return memories, _steps(workspace, memories)


def _replaced_by(workspace: Workspace, memories: list[Memory]) -> list[Memory]:
    """Return what only these replace, what only that replaced, and so on."""
    found: list[Memory] = []
    for scope in dict.fromkeys(one.scope for one in memories if one.supersedes):
        every = list(workspace.store.find(Filter((scope,))))
        newer: dict[str, set[str]] = {}
        for one in every:
            for key in one.supersedes:
                newer.setdefault(key, set()).add(one.key)
        replaced = [one for one in every if one.key in newer]
        gone = {one.key for one in memories if one.scope == scope}
        while more := [one for one in replaced if one.key not in gone and newer[one.key] <= gone]:
            found += more
            gone |= {one.key for one in more}
    return found


def plan_scope(workspace: Workspace, scope: str) -> tuple[list[Memory], list[Step]]:
    """Return every memory of the scope as seen from here, and the steps."""
    workspace.need_enabled()
    target = workspace.scope(scope)
    workspace.refresh((target,))
    memories = list(workspace.store.find(Filter((target,))))
    return memories, _steps(workspace, memories)


def remove_for(workspace: Workspace, memory: Memory, agent: str, *, source: str = "mcp") -> Memory:
    """Remove a memory that an agent wants gone, and nothing else of its words: others may have said them, too.

    What only it replaced goes with it, or would be told again. It leaves no tombstone and can be undone, for only a
    person forgets for good. What is theirs is proposed to them.
    """
    workspace.need_enabled()
    if is_of_the_person(memory):
        end(workspace, memory, agent=agent, source=source)
        raise Refused(f"{memory.key} is the person's own; it was proposed to them", "They decide.")
    workspace.need_reach(memory.scope.kind)
    replaced = [one for one in _replaced_by(workspace, [memory]) if not is_of_the_person(one)]
    with audit.Act(workspace, "forget") as act:
        gone = workspace.store.remove(memory.scope, memory.key, forget=False)
        act.done(f"{gone.scope}/{gone.key}", f"the agent {redact.redact(agent)[0]} asked for it")
        for one in replaced:
            workspace.store.remove(one.scope, one.key, forget=False)
            act.done(f"{one.scope}/{one.key}", f"{gone.key} had replaced it")
    if not workspace.has_home:
        return gone
    audit.trim(workspace)
    hint = "`holdfast updates` has it, and undoes it."
    notices.report(workspace.home, "forget", "an agent forgot memories", [str(gone.scope)], hint=hint)
    return gone


def _steps(workspace: Workspace, memories: list[Memory]) -> list[Step]:
    return [Step("forget", f"{one.scope}/{one.key}", one.title, workspace.store.size(one)) for one in memories]


def apply(workspace: Workspace, memories: list[Memory], *, command: str = "forget") -> None:
    """Forget the memories of the plan, also what the change history has of them."""
    workspace.need_enabled()
    gone = []
    try:
        with audit.Act(workspace, command, keep=False) as act:
            for memory in memories:
                gone.append(workspace.store.remove(memory.scope, memory.key, forget=True))
                # A key is made of the first words of a memory.
                act.done(f"a memory of {memory.scope}", "a person asked for it")
    finally:
        if gone:
            audit.forgotten(workspace, gone)
    workspace.store.erase_traces()
