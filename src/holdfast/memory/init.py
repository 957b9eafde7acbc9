"""Lay the memory tree: in the home, or in a workspace for an agent that has no memory of its own."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.errors import BadInput
from holdfast.memory import index_pages, scaffold
from holdfast.memory.index_pages import Page
from holdfast.records import Memory, Scope, Step
from holdfast.store import layout, memory_file
from holdfast.store.keys import key_of_file
from holdfast.workspace import Workspace

# Deeper than people nest folders; a clone may have any depth.
_MAX_DEPTH = 6


def plan(workspace: Workspace, folder: str | None = None) -> list[Step]:
    """Return what is missing; nothing where the tree is whole."""
    workspace.need_enabled()
    if folder is None:
        return scaffold.plan(workspace.store.tree.root, scaffold.HOME_FOLDERS)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise BadInput(f"{folder} is a file", "Name a folder, or none to prepare the home.")
    return scaffold.plan(_workspace_root(folder), scaffold.WORKSPACE_FOLDERS)


def apply(workspace: Workspace, steps: list[Step], folder: str | None = None) -> None:
    """Write what the plan says is missing, and bring the indexes up to date."""
    if folder is not None:
        root = _workspace_root(folder)
        scaffold.lay(root, steps)
        write_workspace_page(workspace, root)
        return
    files.make_folder(workspace.home)
    if steps:
        os.chmod(workspace.home, files.FOLDER_MODE)
    scaffold.lay(workspace.store.tree.root, steps)
    workspace.close()
    workspace.refresh(None)
    # An `init` that was killed after its last step has not written this page yet.
    if steps or not os.path.lexists(os.path.join(workspace.store.tree.root, "global", layout.INDEX)):
        workspace.store.tree.mark_stale(["global"])


def write_workspace_page(workspace: Workspace, root: str) -> None:
    """Bring the indexes of a workspace up to date with the files that its agent wrote; those that a person made stay.

    One stands at the top, and one in each folder below `memories/`.
    """
    index = os.path.join(root, layout.INDEX)
    if not _is_ours(index, scaffold.template("index.md")):
        marks = f"{index_pages.BEGIN} and {index_pages.END}"
        workspace.say(f"{index} is your own, so it lists nothing by itself; the lines {marks} in it would change that")
        return
    group_at = workspace.settings.number("index.group_at")
    found, folders = _listed(root, layout.MEMORIES, group_at)
    data = tuple(sorted(os.listdir(os.path.join(root, layout.DATA))))
    page = Page("Memory", found, len(found), "", folders, data, nested=f"{layout.MEMORIES}/")
    index_pages.write_page(index, scaffold.template("index.md") + "\n", index_pages.page_lines(page, group_at))


def _listed(root: str, folder: str, group_at: int, depth: int = 0) -> tuple[list[Memory], tuple[tuple[str, int], ...]]:
    """Return the memories of a folder, and its folders with how many are in each, whose indexes are written."""
    there = os.path.join(root, folder)
    memories = [_read(root, f"{folder}/{name}") for name in sorted(os.listdir(there))]
    folders: list[tuple[str, int]] = []
    for name in files.folders_in(there) if depth < _MAX_DEPTH else []:
        place = f"{folder}/{name}"
        inner, nested = _listed(root, place, group_at, depth + 1)
        new_page = scaffold.template("scope.md").format(title=name) + "\n"
        index = os.path.join(root, place, layout.INDEX)
        if (inner or nested) and _is_ours(index, new_page):
            page = Page(name, inner, len(inner), place, nested)
            index_pages.write_page(index, new_page, index_pages.page_lines(page, group_at))
        folders.append((name, len(inner) + sum(number for _, number in nested)))
    return [memory for memory in memories if memory is not None], tuple(folders)


def _is_ours(index: str, template: str) -> bool:
    """Whether an index may be written: it is not there, or has a part that is generated, or is as it was laid."""
    if not os.path.lexists(index):
        return True
    text = "" if os.path.islink(index) else files.read(index).decode("utf-8", "replace")
    return bool(index_pages.generated(text)) or text == template


def _workspace_root(folder: str) -> str:
    return os.path.join(os.path.realpath(folder), "memory")


def _read(root: str, path: str) -> Memory | None:
    full, name = os.path.join(root, path), os.path.basename(path)
    if not layout.is_memory_file(name) or os.path.islink(full) or not os.path.isfile(full):
        return None
    text, _ = memory_file.decode(files.read(full), path)
    place = memory_file.FilePlace(path, Scope("global"), key_of_file(name), now())
    return memory_file.read(text, place)[0]
