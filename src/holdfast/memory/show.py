"""Show one memory. Looking is not use."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.records import Memory
from holdfast.workspace import Workspace


def show(workspace: Workspace, key: str, *, scope: str | None = None) -> Memory:
    """Return the memory as its file has it now, from the narrowest scope that has the key."""
    return workspace.locate(key, scope)


def data(workspace: Workspace, memory: Memory) -> bytes:
    """Return its file, byte for byte, even where that is not UTF-8."""
    return files.read(os.path.join(workspace.store.tree.root, memory.path))
