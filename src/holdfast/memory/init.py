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


def plan(workspace: Workspace, folder: str | None = None) -> list[Step]:
    """Return what is missing; nothing where the tree is whole."""
    workspace.need_enabled()
    if folder is None:
        return scaffold.plan(workspace.store.tree.root, scaffold.HOME_FOLDERS)
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise BadInput(f"{folder} is a file", "Name a folder, or none to prepare the home.")
    return scaffold.plan(_workspace_root(folder), scaffold.WORKSPACE_FOLDERS)


def apply(workspace: Workspace, steps: list[Step], folder: str | None = None) -> None:
    """Lay what the plan says is missing, and bring the indexes up to date."""
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
    if steps:
        workspace.store.tree.mark_stale(["global"])


def write_workspace_page(workspace: Workspace, root: str) -> None:
    """Bring the index of a workspace up to date with the files that its agent wrote; one that a person made stays."""
    index = os.path.join(root, layout.INDEX)
    text = files.read(index).decode("utf-8", "replace")
    if not index_pages.generated(text) and text != scaffold.template("index.md"):
        marks = f"{index_pages.BEGIN} and {index_pages.END}"
        workspace.say(f"{index} is your own, so it lists nothing by itself; the lines {marks} in it would change that")
        return
    memories = [_read(root, name) for name in sorted(os.listdir(os.path.join(root, layout.MEMORIES)))]
    found = [memory for memory in memories if memory is not None]
    page = Page("Memory", found, len(found), "", data=tuple(sorted(os.listdir(os.path.join(root, layout.DATA)))))
    lines = index_pages.page_lines(page, workspace.settings.number("index.group_at"))
    index_pages.write_page(index, scaffold.template("index.md") + "\n", lines)


def _workspace_root(folder: str) -> str:
    return os.path.join(os.path.realpath(folder), "memory")


def _read(root: str, name: str) -> Memory | None:
    path = f"{layout.MEMORIES}/{name}"
    full = os.path.join(root, path)
    if not layout.is_memory_file(name) or os.path.islink(full) or not os.path.isfile(full):
        return None
    text, _ = memory_file.decode(files.read(full), path)
    place = memory_file.FilePlace(path, Scope("global"), key_of_file(name), now())
    return memory_file.read(text, place)[0]
