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
from holdfast.workspace import Workspace

_KINDS = {"outdated": "contradiction"}
# A statement of another tool has no key; by this one a problem that two of them have is told from the words around it.
_KEY = "statement-"


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
    hint = "An import takes it out. Change it: it has been on disk."
    secrets: list[Problem] = []
    memories: list[Memory] = []
    for file in store.files:
        shown = redact.redact(file.name)[0]
        for one in file.cut.statements:
            kinds = [f"a secret of the kind {kind}" for kind, _ in redact.find(one.text)]
            secrets += [Problem("secret", shown, text, hint, severity="error") for text in kinds]
            # What is compared and shown from here on has no secret in it.
            text, number = redact.redact(one.text)[0], len(memories)
            title = text.split("\n")[0][:80]
            key = f"{_KEY}{number}"
            memories.append(Memory(key, Scope("global"), title, text, path=shown, updated=f"{number:09}"))
    problems = [*secrets, *lint.duplicates(memories), *lint.outdated(memories), *_dead(workspace, memories)]
    told = import_memories(workspace, paths=(path,), scope="global", dry_run=True)
    counts: Counter[str] = Counter()
    for taken in told.files:
        counts.update({"new": taken.new, "waiting": taken.waiting, "known": taken.known})
        counts.update({"rejected": taken.rejected, "refused": taken.refused})
    by_key = {memory.key: memory for memory in memories}
    found = tuple([_shown(problem, by_key) for problem in problems])
    return Audited(store.tool, len(store.files), len(memories), found, {**counts})


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
    words = problem.text.split(" ")
    if kind == "contradiction" and (other := by_key.get(words[0])):
        text = f'{other.path} says otherwise: "{other.title}"'
    else:
        text = " ".join(
            [f'"{by_key[word].title}" in {by_key[word].path}' if word in by_key else word for word in words]
        )
    return Problem(kind, problem.path, text, problem.hint if kind == "secret" else "", problem.line, problem.severity)
