"""An agent's own memory beside this one: kept alike in both directions, or switched off.

What is known here can stand in the agent's own memory file of a project, in a block between two markers, which follows
every change (`inject/publish.py`). What the agent adds around it comes back as proposals: at a sweep, and by `import`;
what stands in the block, or is known in other ways, is never proposed. An agent whose hooks hand memories over at a
session's start gets no block, so that nothing comes twice.

Whether an agent keeps a memory at all is a line in its settings; only a line that says nothing else is changed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast import agents
from holdfast.agents import NATIVE
from holdfast.agents.base import ConfigChange, ConfigPart, Place
from holdfast.agents.editing import json_text, plan, record, toml_text
from holdfast.agents.editing.record import Insertions, Install
from holdfast.base.clock import now
from holdfast.errors import Conflict, HoldfastError, NotFound, Refused
from holdfast.exchange.import_memories import import_memories
from holdfast.inject import publish
from holdfast.workspace import Workspace


@dataclass(frozen=True, slots=True)
class NativeMemory:
    """An agent's own memory: its file for this project, whether our block is in it, and whether it is switched off."""

    agent: str
    path: str
    kept: bool
    can_be_off: bool
    off: bool


def overview(workspace: Workspace) -> list[NativeMemory]:
    """Return the agents that have a memory of their own of this project, or one that can be switched off."""
    place, kept = workspace.place("project"), record.load(workspace.home, NATIVE)
    found = []
    for agent in map(agents.get, agents.names()):
        path, part = agent.own_memory(place), agent.memory_switch(_personal(workspace))
        if path or part:
            is_kept = any((one.agent, one.folder) == (agent.name, place.folder) for one in kept)
            is_off = part is not None and _standing(workspace, part)[1] == part.value
            found.append(NativeMemory(agent.name, path, is_kept, part is not None, is_off))
    return found


def keep(workspace: Workspace, name: str) -> str:
    """Keep a block of what is known here in the agent's own memory of this project; return the file."""
    workspace.need_enabled()
    workspace.need_person("writes into an agent's memory")
    agent, place = agents.get(name), workspace.place("project")
    path = agent.own_memory(place)
    if not path:
        raise NotFound(f"{agent.title} has no memory file of a project", "`holdfast native` lists those that have.")
    installs = [one for one in record.load(workspace.home) if one.agent == name]
    if "start" in agent.injects and any(one.scope == "user" or one.folder == place.folder for one in installs):
        hint = f"Its hooks hand them over; first: holdfast uninstall {name}"
        raise Refused(f"{agent.title} would be told everything twice", hint)
    with record.lock(workspace.home):
        others = [one for one in record.load(workspace.home, NATIVE) if one.where != _where(name, place)]
        record.save(workspace.home, [*others, Install(*_where(name, place), now())], NATIVE)
    publish.refresh(workspace)
    return path


def drop(workspace: Workspace, name: str) -> str:
    """Take the block out of the agent's memory, which else stays as it is; return the file."""
    workspace.need_person("writes into an agent's memory")
    agent, place = agents.get(name), workspace.place("project")
    with record.lock(workspace.home):
        kept = record.load(workspace.home, NATIVE)
        if not any(one.where == _where(name, place) for one in kept):
            raise NotFound(f"Holdfast keeps nothing in the memory of {agent.title} here", "`holdfast native` shows it.")
        publish.take_out(agent.own_memory(place), place)
        record.save(workspace.home, [one for one in kept if one.where != _where(name, place)], NATIVE)
    return agent.own_memory(place)


def take_back(workspace: Workspace) -> int:
    """Propose what agents added to memories in which a block of ours stands; return how many are new."""
    if not workspace.enabled:
        return 0
    number = 0
    for one in record.load(workspace.home, NATIVE):
        if os.path.isdir(one.folder):
            with Workspace(workspace.home, folder=one.folder, environment=workspace.environment) as there:
                try:
                    number += len(import_memories(there, (one.agent,)).proposals)
                except HoldfastError as problem:
                    workspace.say(f"the memory of {one.agent} in {one.folder} is not read: {problem}")
    return number


def plan_switch(workspace: Workspace, name: str, *, on: bool) -> list[ConfigChange]:
    """Return the change of the agent's settings that switches its own memory off, or lets it be as before."""
    agent = agents.get(name)
    part = agent.memory_switch(_personal(workspace))
    if part is None:
        raise NotFound(
            f"{agent.title} has no switch for a memory of its own", "`holdfast native` lists those that have."
        )
    data, stands = _standing(workspace, part)
    text = plan.decoded(data or b"", part.path)
    if stands not in (None, part.value):
        hint = f"Change {'.'.join(part.keys)} in an editor."
        raise Conflict(f"{part.path} already says how its memory is used", hint)
    if (stands is None) == on:
        return []
    edited = Insertions(text)
    if on:
        if part.form == "table":
            after = toml_text.drop(text, part.keys)
        else:
            *_, last = part.keys
            after = json_text.drop(text, lambda node: node.key == last and json_text.path_of(node) == part.keys, None)
        return [ConfigChange(part.path, data, after.encode(), empty=not after.strip())]
    if part.form == "table" and isinstance(part.value, dict):
        toml_text.add(edited, part.keys, part.value)
    else:
        json_text.add(edited, part.keys, part.value, element=False)
    return [ConfigChange(part.path, data, edited.text.encode())]


def apply_switch(workspace: Workspace, changes: list[ConfigChange]) -> None:
    """Carry it out."""
    workspace.need_person("changes the settings of an agent")
    plan.apply(changes, _personal(workspace))


def _standing(workspace: Workspace, part: ConfigPart) -> tuple[bytes | None, object]:
    """Return the bytes of the settings file, and the value of the switch in it."""
    data = plan.read(part.path, _personal(workspace))
    text = plan.decoded(data or b"", part.path)
    if part.form == "table":
        return data, toml_text.find(toml_text.parse(text), part.keys)
    root = json_text.scan(text).plain() if text.strip("\ufeff \t\r\n") else {}
    for key in part.keys:
        root = root.get(key) if isinstance(root, dict) else None
    return data, root


def _personal(workspace: Workspace) -> Place:
    return workspace.place("user")


def _where(name: str, place: Place) -> tuple[str, str, str]:
    return name, "project", place.folder
