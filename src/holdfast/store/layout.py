"""Where everything is in a home, and which files are memories."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.errors import BadInput, Refused
from holdfast.project.ids import check_id, is_id
from holdfast.records import SCOPES, Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER_OF_KIND = {"global": "global", "project": "projects", "session": "sessions", "agent": "agents"}
KIND_OF_FOLDER = {folder: kind for kind, folder in FOLDER_OF_KIND.items()}
MEMORIES = "memories"
DATA = "data"
INDEX = "index.md"
# What other packages keep in a scope's own folder; none of it is a memory. Below memories/ all is but INDEX.
RESERVED = frozenset((INDEX, "MEMORY.md", "buffer.md", "decisions.md", "lessons.md", "todo.md"))
FORGOTTEN = ".forgotten"


def check_scope(scope: Scope) -> Scope:
    """Return the scope if its kind is known and its owner can be a folder."""
    if scope.kind not in SCOPES:
        raise BadInput(f"{scope.kind!a} is not a scope", f"Use one of {', '.join(SCOPES)}.")
    if scope.kind == "global":
        if scope.owner:
            raise BadInput(f"the global scope has no owner such as {scope.owner!a}", "Leave the owner out.")
        return scope
    check_id(scope.owner, scope.kind)
    return scope


def folder_of(scope: Scope) -> str:
    """Return the folder of the scope, relative to the memory tree."""
    base = FOLDER_OF_KIND[check_scope(scope).kind]
    return f"{base}/{scope.owner}" if scope.owner else base


def scope_of(path: str) -> Scope | None:
    """Return the scope that a path of the memory tree lies in, or None where it is in no scope."""
    first, *rest = path.split("/")
    kind = KIND_OF_FOLDER.get(first)
    if kind is None:
        return None
    if kind == "global":
        return Scope("global")
    return Scope(kind, rest[0]) if rest else None


def usual_path(scope: Scope, key: str) -> str:
    """Return where a memory is written first; a person may put it elsewhere below the scope's `memories/`."""
    return f"{folder_of(scope)}/{MEMORIES}/{key}.md"


def is_memory_file(name: str, *, in_scope_folder: bool = False) -> bool:
    """Whether a file of that name is a memory: below `memories/`, or directly in the folder of a scope."""
    if name[-3:].lower() != ".md" or name[0] == ".":
        return False
    return name not in RESERVED if in_scope_folder else name != INDEX


def is_scope_folder(folder: str) -> bool:
    """Whether the folder, relative to the tree, is a scope's own folder and not its `memories/`."""
    depth = 0 if folder.startswith(FOLDER_OF_KIND["global"]) else 1
    return folder.count("/") == depth


def is_text(name: str) -> bool:
    """Whether a name on the disk is UTF-8; the index cannot hold any other."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def first_folders(root: str, scope: Scope) -> list[str]:
    """Return the folder of the scope and its `memories/`, where they exist. Links are not followed."""
    base = folder_of(scope)
    if files.link_on_the_way(root, base):
        return []
    return [one for one in (base, f"{base}/{MEMORIES}") if files.is_plain_folder(os.path.join(root, one))]


def memory_folders(root: str, scope: Scope) -> Iterator[str]:
    """Return the folders of the scope that hold memories, relative to the tree. Links are not followed."""
    for folder in first_folders(root, scope):
        yield from _nested(root, folder) if not is_scope_folder(folder) else (folder,)


def scopes_on_disk(root: str) -> Iterator[Scope]:
    """Return every scope that has a folder; folders whose name cannot be an owner are left out."""
    if files.is_plain_folder(os.path.join(root, "global")):
        yield Scope("global")
    for kind in SCOPES[1:]:
        folder = os.path.join(root, FOLDER_OF_KIND[kind])
        for name in filter(is_text, files.folders_in(folder) if files.is_plain_folder(folder) else ()):
            if is_id(name):
                yield Scope(kind, name)


def contained(root: str, path: str) -> str:
    """Return the whole path of one below the root; refuse one that dots or a link lead elsewhere."""
    if not all(part not in ("", ".", "..") for part in path.split("/")):
        raise Refused(f"{path!a} leads out of the memory tree", "Give a path below it.")
    files.refuse_links(root, os.path.dirname(path))
    return os.path.join(root, path)


def _nested(root: str, folder: str) -> Iterator[str]:
    yield folder
    for name in filter(is_text, files.folders_in(os.path.join(root, folder))):
        yield from _nested(root, f"{folder}/{name}")
