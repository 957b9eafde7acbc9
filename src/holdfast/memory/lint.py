"""Lint: every check over every memory. It reads, and writes nothing of the person's, not even an index page."""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.errors import HoldfastError
from holdfast.memory import checks, indexes
from holdfast.privacy import redact
from holdfast.records import Filter, Memory, Problem
from holdfast.store import layout
from holdfast.workspace import Workspace


def lint(workspace: Workspace) -> list[Problem]:
    """Return every problem, errors first, each with its place and the way out; the run then writes no page."""
    return find(workspace) if workspace.enabled else []


def find(workspace: Workspace) -> list[Problem]:
    """Return every problem, for those who go on to mend them."""
    workspace.refresh(None)
    memories = list(workspace.store.find(Filter(None)))
    texts = _texts(workspace, memories)
    root = workspace.store.tree.root
    found = [
        *workspace.store.problems(),
        *checks.contradictions(memories),
        *checks.duplicates(memories),
        *checks.dead_links(memories, texts, root, lambda memory, key: _forgot(workspace, memory, key)),
        *checks.dead_page_links(_index_pages(root), root),
        *checks.stale_claims(memories, texts, _project_roots(workspace)),
        *checks.renamed(memories, texts),
        *checks.orphans(root),
        *_secrets(texts),
        *_came_back(workspace, memories),
    ]
    return sorted(found, key=lambda problem: (problem.severity != "error", problem.path, problem.line, problem.kind))


def _texts(workspace: Workspace, memories: list[Memory]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for place, memory in enumerate(memories, 1):
        try:
            texts[memory.path] = workspace.store.text(memory)
        except HoldfastError:
            texts[memory.path] = memory.body
        if workspace.progress and place % 100 == 0:
            workspace.progress(place, len(memories))
    return texts


def _secrets(texts: dict[str, str]) -> list[Problem]:
    hint = "`holdfast heal` redacts it. Change the secret too: it has been on disk."
    return [
        Problem("secret", path, f"a secret of the kind {kind}", hint, line, "error")
        for path, text in texts.items()
        for kind, line in redact.find(text)
    ]


def _forgot(workspace: Workspace, memory: Memory, key: str) -> bool:
    """Whether a memory of that key was forgotten in the scope of this one."""
    return workspace.store.forgot(memory.scope, key, "")


def _came_back(workspace: Workspace, memories: list[Memory]) -> list[Problem]:
    hint = "Forget it again, or store it with `holdfast remember` if it holds."
    return [
        Problem("came-back", memory.path, f"{memory.key} was forgotten and its file is there again", hint)
        for memory in memories
        if workspace.store.forgot(memory.scope, memory.key, memory.body)
    ]


def _index_pages(root: str) -> dict[str, str]:
    """Return of each index what the person wrote; what is generated is true again after the next command."""
    pages: dict[str, str] = {}
    for folder, names, found in os.walk(root):
        names[:] = [name for name in names if not os.path.islink(os.path.join(folder, name))]
        if layout.INDEX in found and not os.path.islink(os.path.join(folder, layout.INDEX)):
            path = os.path.join(folder, layout.INDEX)
            pages[os.path.relpath(path, root)] = indexes.own_words(files.read(path).decode("utf-8", "replace"))
    return pages


def _project_roots(workspace: Workspace) -> dict[str, str]:
    """Return where each project was last seen, so that the files it speaks of can be looked for."""
    roots = workspace.registry.known().roots()
    try:
        project = workspace.project()
    except HoldfastError:
        return roots
    return {**roots, project.id: project.root}
