"""What is distributed where: for `uninstall`, which takes an agent's share out, and for `doctor`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from holdfast.agents.base import Agent, ConfigChange, Place
from holdfast.agents.editing import blocks
from holdfast.base import files
from holdfast.base.clock import now
from holdfast.errors import HoldfastError
from holdfast.patterns import distribute, targets
from holdfast.patterns import distribute_forms as forms
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.patterns.targets import FileEdits
from holdfast.patterns.verdicts import Decided
from holdfast.records import Problem
from holdfast.workspace import PLACES, Workspace

_LARGEST = 8 * 1_048_576


def shares(workspace: Workspace, agent: str, place: Place) -> list[tuple[CatalogueEntry, Target]]:
    """Return what an agent reads of ours in files of that place."""
    every = [(entry, one) for entry in Catalogue(workspace.home).all()[0] for one in entry.live]
    return [(entry, one) for entry, one in every if _reads(agent, one, place)]


def _reads(agent: str, target: Target, place: Place) -> bool:
    if target.to not in targets.FILES or agent not in target.agents:
        return False
    if place.scope != "project":
        return target.scope == "global"
    return target.scope != "global" and target.where.startswith(place.folder.rstrip("/") + "/")


def plan_uninstall(workspace: Workspace, agent: str, place: Place) -> list[ConfigChange]:
    """Return the changes that take an agent's share out; a file that others read keeps it, and so do edited words."""
    edits, made = FileEdits(place), targets.placed(workspace.home).files
    for entry, one in shares(workspace, agent, place):
        if one.agents != (agent,):
            continue
        try:
            targets.take_out(edits, one.where, entry.id, made)
        except HoldfastError as problem:
            workspace.say(f"{problem}; `holdfast patterns withdraw {entry.id} --force` takes it out")
    return list(edits.changes())


def note_uninstall(workspace: Workspace, agent: str, place: Place, changes: tuple[ConfigChange, ...]) -> None:
    """Note that an agent left: what it alone read is withdrawn where it is out; of all else it is no reader now."""
    catalogue = Catalogue(workspace.home)
    for entry, _ in shares(workspace, agent, place):
        entry = catalogue.get(entry.id)
        after = tuple(_without(one, agent, entry, place) for one in entry.targets)
        if after != entry.targets:
            status = entry.status if any(one.holds for one in after) else "withdrawn"
            catalogue.change(entry, f"withdrawn: {agent} was uninstalled", now(), targets=after, status=status)
    distribute.tidy(workspace, [change.path for change in changes if change.after is None])


def _without(one: Target, agent: str, entry: CatalogueEntry, place: Place) -> Target:
    if not one.holds or not _reads(agent, one, place):
        return one
    others = tuple(each for each in one.agents if each != agent)
    if others:
        return replace(one, agents=others)
    text = _text(one.where)
    return one if text and blocks.find(text, entry.id) is not None else replace(one, withdrawn=now())


def is_read_by(workspace: Workspace, agent: str, path: str, id: str) -> bool:
    """Whether a block in a file is this agent's business: it reads it, or nobody is known to."""
    real = os.path.realpath(path)
    try:
        entry = Catalogue(workspace.home).get(id)
    except HoldfastError:
        return True
    readers = [one.agents for one in entry.live if one.where == real]
    return not readers or any(agent in several for several in readers)


def ids_in(path: str) -> list[str]:
    """Return the patterns that stand in a file."""
    return [block.name for block in blocks.pattern_blocks(_text(path))]


def problems(workspace: Workspace) -> Iterator[Problem]:
    """Every entry of the catalogue can be read; what is distributed is where it says, in its words, nowhere else."""
    if not workspace.enabled or not os.path.isdir(workspace.home):
        return
    entries, broken = Catalogue(workspace.home).all()
    yield from broken
    yield from Decided(workspace.home).problems()
    for entry in entries:
        for one in entry.live:
            yield from _problems(workspace, entry, one)
    known = {(one.where, entry.id) for entry in entries for one in entry.live}
    unread = {os.path.basename(problem.path).removesuffix(".md") for problem in broken}
    for path in sorted(_looked_at(workspace)):
        for block in blocks.pattern_blocks(_text(path)):
            if (os.path.realpath(path), block.name) not in known and block.name not in unread:
                hint = f"Take it out in an editor, or `holdfast patterns distribute {block.name} --to rules` knows it."
                yield Problem("distributed", path, f"a block of pattern {block.name} that no entry knows", hint)


def _problems(workspace: Workspace, entry: CatalogueEntry, one: Target) -> Iterator[Problem]:
    again, away = f"holdfast patterns distribute {entry.id}", f"holdfast patterns withdraw {entry.id}"
    try:
        if one.to in targets.FILES:
            data = distribute.edits_of(workspace, one, {}).read(one.where)
            state = targets.state_of(data, one.where, entry.id, distribute.text_for(entry, one.to)[1])
        else:
            state = forms.state_of(workspace, entry, one)
    except HoldfastError as problem:
        yield Problem("distributed", one.where, str(problem), problem.hint)
        return
    said = {
        "missing": (f"pattern {entry.id} is no longer there", f"`{away}` notes that, or distribute it again."),
        "edited": (f"the text of pattern {entry.id} was edited by hand", f"`{again} --force` writes it again."),
        "old": (f"pattern {entry.id} stands there in earlier words", f"`{again}` brings it up to date."),
    }
    if state in said:
        text, hint = said[state]
        yield Problem("distributed", one.where, text, hint, severity="info" if state == "old" else "warning")


def _looked_at(workspace: Workspace) -> set[str]:
    """Return the instruction files and skills of every agent, for this person and in this project, that are there."""
    found = set()
    for scope in PLACES:
        try:
            place = workspace.place(scope)
        except HoldfastError:
            continue
        for agent in distribute.loadable_agents():
            found |= {path for path in places_of(agent, place) if os.path.isfile(path)}
    return found


def places_of(agent: Agent, place: Place) -> set[str]:
    """Return every file in which an agent may read something distributed, there or not."""
    found = {one.path for one in agent.instruction_files(place, "") if one.block}
    own = [(os.path.dirname(one.path), "") for one in agent.instruction_files(place, "") if not one.block]
    for folder, inside in [*own, *((folder, targets.SKILL) for folder in agent.skill_folders(place))]:
        names = [name for name in files.names_in(folder) if name.startswith("holdfast-")]
        found |= {os.path.join(folder, name, inside).rstrip("/") for name in names}
    return found


def _text(path: str) -> str:
    try:
        return files.read_head(path, _LARGEST).decode("utf-8", "replace")
    except OSError:
        return ""
