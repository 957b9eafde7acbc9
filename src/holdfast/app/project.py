"""Projects: which one this folder is and why, aliases, marks, and merging one into another."""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast.errors import BadInput, NotFound
from holdfast.memory import audit
from holdfast.memory.audit import Act
from holdfast.project import marking
from holdfast.project.ids import check_id
from holdfast.project.registry import add_alias
from holdfast.records import Filter, Memory, Project, Scope, Step
from holdfast.sessions.browse import ask
from holdfast.store import layout
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class KnownProject:
    """A project as `holdfast project list` shows it: where it was last seen, what it has, when that changed."""

    id: str
    folder: str
    memories: int
    sessions: int
    last: str
    aliases: tuple[str, ...]


def known(workspace: Workspace) -> list[KnownProject]:
    """Return every project that has memories or sessions or was seen, the last to change first."""
    if not workspace.enabled:
        return []
    workspace.refresh(None)
    registry = workspace.registry.known()
    roots = registry.roots()
    counts: dict[str, dict[str, int]] = {}
    changed: dict[str, str] = {}
    stored = [
        (one.scope.owner, one.memories, one.updated) for one in workspace.store.groups() if one.scope.kind == "project"
    ]
    archived = ask(workspace, lambda table: table.totals("project"))
    seen = [(name, 0, "") for name in (*roots, *registry.markers, *registry.repositories)]
    for what, found in (("memories", stored), ("sessions", archived), ("", seen)):
        for name, number, at in found:
            id = registry.canonical(name)
            of = counts.setdefault(id, {"memories": 0, "sessions": 0, "": 0})
            of[what] += number
            changed[id] = max(at, changed.get(id, ""))
    listed = [
        KnownProject(
            id, roots.get(id, ""), of["memories"], of["sessions"], changed[id], tuple(sorted(registry.merged_into(id)))
        )
        for id, of in counts.items()
        if id
    ]
    return sorted(listed, key=lambda one: (one.last, one.id), reverse=True)


def mark(workspace: Workspace, *, adopt: bool = False, new: bool = False) -> Project:
    """Write a marker into this folder, so that it stays the same project when it is renamed."""
    workspace.need_enabled()
    folder = workspace.folder if workspace.folder is not None else "."
    return marking.mark(folder, workspace.registry, adopt=adopt, new=new)


def plan_alias(workspace: Workspace, old: str, new: str = "") -> tuple[str, list[Step]]:
    """Return the id that would read the old one's memories too, and the step."""
    workspace.need_enabled()
    check_id(old, "the old project id")
    target = check_id(new, "the project id") if new else workspace.project().id
    if old == target:
        raise BadInput(f"{old} means that project already", "Name the other id.")
    if not _is_known(workspace, old):
        raise NotFound(f"no project {old} is known here", "`holdfast project list` shows those that are known.")
    return target, [Step("alias", old, f"its memories are read in {target} too; no file moves")]


def _is_known(workspace: Workspace, name: str) -> bool:
    """Whether the id has a folder of memories or was seen before; a typing error is neither."""
    known = workspace.registry.known()
    folder = os.path.join(workspace.store.tree.root, layout.folder_of(Scope("project", name)))
    return os.path.isdir(folder) or name in known.roots() or name in known.markers or name in known.repositories


def apply_alias(workspace: Workspace, old: str, target: str) -> None:
    """Record the alias."""
    with audit.Act(workspace, "project alias", keep=False) as act:
        _alias(workspace, act, old, target)


def _alias(workspace: Workspace, act: Act, old: str, target: str) -> None:
    meant = workspace.registry.known().canonical(old)
    add_alias(workspace.registry, old, target)
    act.alias(old, meant if meant != old else "", target)
    act.done(old, f"read in {target} too")


def plan_merge(workspace: Workspace, old: str, new: str = "") -> tuple[Scope, list[tuple[Memory, str]], list[Step]]:
    """Return the scope to merge into, what happens to each memory of the old project, and the steps."""
    target_id, alias_steps = plan_alias(workspace, old, new)
    source, target = Scope("project", old), Scope("project", target_id)
    workspace.refresh((source, target))
    there = {memory.key: memory for memory in workspace.store.find(Filter((target,)))}
    acts = [(memory, _act(workspace, memory, target, there)) for memory in workspace.store.find(Filter((source,)))]
    reasons = {
        "move": f"to {target}",
        "drop": f"{target} says the same, or has forgotten it",
        "combine": f"with the one in {target}; the newer statement holds, the other is history",
    }
    steps = [Step(act, f"{memory.scope}/{memory.key}", reasons[act]) for memory, act in acts]
    return target, acts, [*steps, *alias_steps]


def apply_merge(workspace: Workspace, old: str, target: Scope, acts: list[tuple[Memory, str]]) -> None:
    """Carry out the merge; from then on the old id means the new project."""
    workspace.need_person("joins two projects")
    source = Scope("project", old)
    workspace.store.inherit_forgotten(source, target)
    with audit.Act(workspace, "project merge") as noted:
        for memory, act in acts:
            if act == "move":
                workspace.store.move(memory.scope, memory.key, target, memory.key)
            elif act == "combine":
                workspace.store.absorb(memory, target)
            else:
                workspace.store.remove(memory.scope, memory.key, forget=False)
            noted.done(f"{memory.scope}/{memory.key}", f"{act} into {target}")
        _alias(workspace, noted, old, target.owner)
    audit.trim(workspace)


def _act(workspace: Workspace, memory: Memory, target: Scope, there: dict[str, Memory]) -> str:
    if workspace.store.forgot(target, memory.key, memory.body):
        return "drop"
    other = there.get(memory.key)
    if other is None:
        return "move"
    return "drop" if other.body == memory.body else "combine"
