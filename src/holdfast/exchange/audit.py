"""A look into another tool's store: what repeats, contradicts, names files that are gone, or is a secret, and what
would be imported. Nothing is changed, there or here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from holdfast.errors import HoldfastError
from holdfast.exchange import stores
from holdfast.exchange.import_memories import import_memories
from holdfast.memory import lint
from holdfast.privacy import redact
from holdfast.records import Memory, Problem, Scope
from holdfast.store.keys import automatic_keys
from holdfast.workspace import Workspace

_KINDS = {"outdated": "contradiction"}


@dataclass(frozen=True, slots=True)
class Audited:
    """What was found in a store: the tool, how many files and statements, problems, and what an import would make."""

    tool: str
    files: int
    statements: int
    problems: tuple[Problem, ...]
    imports: dict[str, int]


def audit(workspace: Workspace, path: str) -> Audited:
    """Look through a store."""
    store = stores.read(path)
    memories = [
        _memory(file.name, one.text, number) for file in store.files for number, one in enumerate(file.cut.statements)
    ]
    hint = "An import takes it out. Change it: it has been on disk."
    secrets = [
        Problem("secret", one.path, f"a secret of the kind {kind}", hint, severity="error")
        for one in memories
        for kind, _ in redact.find(one.body)
    ]
    problems = [*secrets, *lint.duplicates(memories), *lint.outdated(memories), *_dead(workspace, memories)]
    told = import_memories(workspace, paths=(path,), scope="global", dry_run=True)
    counts: Counter[str] = Counter()
    for one in told.files:
        counts.update({"new": one.new, "waiting": one.waiting, "known": one.known})
        counts.update({"rejected": one.rejected, "refused": one.refused})
    by_key = {one.key: one for one in memories}
    shown = [_shown(one, by_key) for one in problems]
    return Audited(store.tool, len(store.files), len(memories), tuple(shown), {**counts})


def _memory(name: str, text: str, number: int) -> Memory:
    # A key is asked for where two of them are compared; the last of its kind is the text's own.
    key = automatic_keys(text)[-1] if automatic_keys(text) else f"s{number}"
    return Memory(key, Scope("global"), text.split("\n")[0][:80], text, path=name, updated=f"{number:09}")


def _dead(workspace: Workspace, memories: list[Memory]) -> list[Problem]:
    """Return the files that statements name and that this project does not have."""
    try:
        project = workspace.project()
    except HoldfastError:
        return []
    of_project = [Memory(one.key, Scope("project", project.id), one.title, one.body, path=one.path) for one in memories]
    return list(lint.stale_claims(of_project, {}, {project.id: project.root}))


def _shown(problem: Problem, by_key: dict[str, Memory]) -> Problem:
    """Return a problem in words that fit another tool's store: it has no keys, and nothing can be forgotten there."""
    kind = _KINDS.get(problem.kind, problem.kind)
    other = by_key.get(problem.text.split(" ")[0])
    text = f'{other.path} says otherwise: "{other.title}"' if kind == "contradiction" and other else problem.text
    return Problem(kind, problem.path, text, problem.hint if kind == "secret" else "", problem.line, problem.severity)
