"""Tidy a crowded scope: groups of related memories get a sub-folder each. Keys stay, and links follow."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial

from holdfast.memory import audit, move
from holdfast.memory.index_pages import group
from holdfast.records import Filter, Memory, Step
from holdfast.store import layout, links
from holdfast.store.keys import slug
from holdfast.workspace import Workspace

_MIN_TO_MOVE = 5


def plan(workspace: Workspace, scope: str | None = None) -> tuple[dict[str, list[Memory]], list[Step]]:
    """Return which memories go into which folder, and the steps; nothing where no folder is crowded."""
    workspace.need_enabled()
    scopes = workspace.visible(scope)
    workspace.refresh(scopes)
    memories = list(workspace.store.find(Filter(scopes)))
    crowd = Counter(os.path.dirname(memory.path) for memory in memories)
    moves: dict[str, list[Memory]] = {}
    taken = {memory.path for memory in memories}
    for folder, count in sorted(crowd.items()):
        if count > workspace.settings.number("index.group_at") and f"/{layout.MEMORIES}" in folder:
            moves.update(_groups_of(folder, [m for m in memories if os.path.dirname(m.path) == folder], taken))
    steps = [Step("move", memory.path, f"to {folder}/") for folder, members in moves.items() for memory in members]
    return moves, steps


def apply(workspace: Workspace, moves: dict[str, list[Memory]]) -> int:
    """Move the files, then correct the relative links in and to them. Return how many moved."""
    places = {
        memory.path: f"{folder}/{os.path.basename(memory.path)}"
        for folder, members in moves.items()
        for memory in members
    }
    with audit.Act(workspace, "tidy") as act:
        for folder, members in moves.items():
            for memory in members:
                workspace.store.tree.place_in(memory, folder)
                act.done(memory.path, f"to {folder}/")
        _correct_links(workspace, places)
    audit.trim(workspace)
    return len(places)


def _groups_of(folder: str, memories: list[Memory], taken: set[str]) -> dict[str, list[Memory]]:
    found: dict[str, list[Memory]] = {}
    for label, members in group(memories):
        to = f"{folder}/{slug(label)}"
        free = [memory for memory in members if f"{to}/{os.path.basename(memory.path)}" not in taken]
        if slug(label) and len(free) >= _MIN_TO_MOVE and os.path.basename(to) != os.path.basename(folder):
            found.setdefault(to, []).extend(sorted(free, key=lambda memory: memory.key))
    return found


def _correct_links(workspace: Workspace, places: dict[str, str]) -> None:
    came_from = {new: old for old, new in places.items()}
    scopes = tuple({layout.scope_of(path): None for path in places})
    wanted = Filter(tuple(scope for scope in scopes if scope is not None))

    def there(path: str) -> bool:
        return os.path.exists(os.path.join(workspace.store.tree.root, path))

    for memory in list(workspace.store.find(wanted)):
        old, new = os.path.dirname(came_from.get(memory.path, memory.path)), os.path.dirname(memory.path)
        move.correct(workspace, memory, partial(links.moved, folder=old, places=places, new_folder=new, there=there))
