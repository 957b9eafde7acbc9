"""Keep the rules files true: memories for agents whose hooks cannot hand them over.

A file holds what a session would start with. It is written when that changes, and goes when the last memory goes.
A user's file holds what is global; a project's holds what is the project's, and what is global where no user's file
of the same agent does, so that nothing comes twice.
"""

from __future__ import annotations

import os
from dataclasses import replace

from holdfast import agents, project
from holdfast.agents import NATIVE
from holdfast.agents.base import ConfigChange, ManagedFile, Place
from holdfast.agents.editing import blocks, record
from holdfast.agents.editing.plan import apply as carry_out
from holdfast.agents.editing.plan import decoded, read
from holdfast.agents.editing.record import Install
from holdfast.base.clock import now
from holdfast.errors import Conflict, HoldfastError
from holdfast.inject import memories
from holdfast.inject.block import blocked
from holdfast.memory import doctrine
from holdfast.memory.proposal_files import same
from holdfast.project.anchors import freshness_of
from holdfast.records import Project, Scope
from holdfast.store.read_only_index import ReadOnlyIndex
from holdfast.workspace import Workspace


def refresh(workspace: Workspace) -> list[str]:
    """Bring every rules file up to date and return those that changed. It never fails what the caller did."""
    if not workspace.has_installs or not workspace.enabled:
        return []
    changed: list[str] = []
    try:
        with record.lock(workspace.home):
            installs = record.load(workspace.home)
            kept = [_refreshed(workspace, one, installs, changed) for one in installs]
            if kept != installs:
                record.save(workspace.home, kept)
            for one in record.load(workspace.home, NATIVE):
                _refreshed(workspace, one, installs, changed, native=True)
    except (HoldfastError, OSError) as problem:
        workspace.say(f"a rules file is not up to date: {problem}")
    return changed


def take_out(path: str, place: Place) -> None:
    """Take our block out of an agent's own memory; what else stands there stays."""
    data = read(path, place)
    after = blocks.drop_memories(decoded(data or b"", path)).encode("utf-8")
    if data is not None and after != data:
        carry_out([ConfigChange(path, data, after or None)], place)


def _refreshed(
    workspace: Workspace, one: Install, installs: list[Install], changed: list[str], *, native: bool = False
) -> Install:
    """Bring the rules file of one install up to date; return its record with what was made for it.

    With `native` it is the block in the agent's own memory of that project.
    """
    place = Place(workspace.place("user").home, one.folder, one.scope, workspace.environment)
    try:
        agent = agents.get(one.agent)
        rules = ManagedFile(agent.own_memory(place), block=True) if native else agent.rules_file(place)
        if rules is None or (one.scope == "project" and not os.path.isdir(one.folder)):
            return one
        data = read(rules.path, place)
        own = blocks.drop_memories(decoded(data or b"", rules.path)) if rules.block else ""
        change = _change(rules, data, _text(workspace, one, installs, own), created=one.created_rules)
        if change is None:
            return one
        folders = carry_out([change], place)
    except (HoldfastError, OSError) as problem:
        workspace.say(f"the rules file of {one.agent} is not up to date: {problem}")
        return one
    changed.append(change.path)
    made = tuple(sorted({*one.folders, *folders}))
    return replace(one, folders=made, created_rules=change.before is None or one.created_rules)


def _change(rules: ManagedFile, data: bytes | None, text: str, *, created: bool) -> ConfigChange | None:
    """Return the change that makes the file hold the text, or None where it does; an empty text is no file."""
    if rules.block:
        before = decoded(data or b"", rules.path)
        after = blocks.put_memories(before, text) if text else blocks.drop_memories(before)
        wanted = None if not after and (created or data is None) else after.encode("utf-8")
    elif data is not None and blocks.NOTE.encode() not in data:
        raise Conflict(f"{rules.path} is there and was not written by Holdfast", "Move it away.")
    else:
        wanted = (rules.head + blocks.NOTE + text + "\n").encode("utf-8") if text else None
    return None if wanted == data else ConfigChange(rules.path, data, wanted)


def _text(workspace: Workspace, one: Install, installs: list[Install], own: str) -> str:
    """Return what a session would start with and no line of the file's `own` says, or nothing where none is left."""
    scopes, known = _scopes(workspace, one, installs)
    check = freshness_of(workspace.home, known)
    room = workspace.settings.number("inject.start_characters")
    with ReadOnlyIndex(workspace.home, lambda: False) as index:
        found, more, _ = memories.found(index, scopes, lambda: check, room)
    said_there = {same(line.strip().lstrip("-*+ ")) for line in own.splitlines()}
    found = [each for each in found if same(each.memory.body) not in said_there]
    items = memories.items(found, now(), lambda: check)
    # What the person says about this memory stands outside the fence: it is no stored data.
    kept, _ = doctrine.told(workspace.home)
    said = "\n".join([doctrine.HEAD, *(f"- {text}" for text in kept), ""]) + "\n" if kept else ""
    return (said + blocked(items, room - len(said), more=more).text).rstrip("\n")


def _scopes(
    workspace: Workspace, one: Install, installs: list[Install]
) -> tuple[dict[str, list[Scope]], Project | None]:
    """Return the scopes that stand in the file of one install, and its project."""
    everywhere = {"global": [Scope("global")]}
    if one.scope == "user":
        return everywhere, None
    override = workspace.settings.text("project.id")
    known = project.resolve(one.folder, workspace.registry, override=override, override_from="the setting project.id")
    scopes = {"project": [Scope("project", owner) for owner in known.ids]}
    # Where the same agent reads a file of the user, too, what holds everywhere stands there.
    of_user = any(other.agent == one.agent and other.scope == "user" for other in installs)
    of_user = of_user and agents.get(one.agent).rules_file(workspace.place("user")) is not None
    return (scopes if of_user else {**scopes, **everywhere}), known
