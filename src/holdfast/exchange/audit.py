"""A look into another tool's store: what repeats, contradicts, names files that are gone, or is a secret, and what
would be imported. Nothing is changed, there or here.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.base.text import count
from holdfast.errors import HoldfastError
from holdfast.exchange import stores
from holdfast.exchange.import_memories import import_memories
from holdfast.memory import lint
from holdfast.privacy import redact
from holdfast.records import Memory, Problem, Scope
from holdfast.store.words import same_words
from holdfast.workspace import Workspace

_KINDS = {"outdated": "contradiction"}
# A statement of another tool has no key; by this one a problem that two of them have is told from the words around it.
_KEY = "statement-"
_KEYS = re.compile(rf"{_KEY}\d+")
_MAX_STATEMENT = 200
_SEVERAL = re.compile(r"[\n;|]|[.!?]\s|^`")
# So many files that a project has none of are another project's.
_MANY = 3


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
            title = next((line for line in text.split("\n") if not line.startswith(("```", "~~~"))), "")[:80]
            key = f"{_KEY}{number}"
            memories.append(Memory(key, Scope("global"), title, text, path=shown, updated=f"{number:09}"))
    once, repeated = _repeated(memories)
    # What prose or a table denies in passing is no contradiction of anything.
    stated = [one for one in once if len(one.body) <= _MAX_STATEMENT and not _SEVERAL.search(one.body.strip())]
    problems = [*secrets, *repeated, *_first_of_each(lint.duplicates(once)), *_first_of_each(lint.outdated(stated))]
    problems += _dead(workspace, memories, path if os.path.isdir(path) else os.path.dirname(path))
    # What a project knows is known also where the store is taken over for everywhere.
    try:
        scope = workspace.scope("project").kind
    except HoldfastError:
        scope = "global"
    told = import_memories(workspace, paths=(path,), scope=scope, dry_run=True)
    counts: Counter[str] = Counter()
    for taken in told.files:
        counts.update({"new": taken.new, "waiting": taken.waiting, "known": taken.known})
        counts.update({"rejected": taken.rejected, "refused": taken.refused})
    by_key = {memory.key: memory for memory in memories}
    found = tuple([_shown(problem, by_key) for problem in problems])
    return Audited(store.tool, len(store.files), len(memories), found, {**counts})


def _repeated(memories: list[Memory]) -> tuple[list[Memory], list[Problem]]:
    """Return each statement once, and of those that stand there several times how often and where."""
    every: dict[str, list[Memory]] = {}
    for one in memories:
        every.setdefault(same_words(one.body), []).append(one)
    several = [found for found in every.values() if len(found) > 1]
    return [found[0] for found in every.values()], [
        Problem(
            "duplicate",
            found[1].path,
            f'"{found[0].title}" stands {len(found)} times: in {", ".join(dict.fromkeys(one.path for one in found))}',
        )
        for found in several
    ]


def _first_of_each(problems: Iterable[Problem]) -> list[Problem]:
    """Return of all problems of one statement the first: the others say the same of it."""
    found: dict[str, Problem] = {}
    for one in problems:
        # The hint names the statement.
        found.setdefault(one.hint, one)
    return list(found.values())


def _dead(workspace: Workspace, memories: list[Memory], folder: str) -> list[Problem]:
    """Return the files that statements name and that this project does not have, each once for a file of the store.

    A store's own files, in its `folder`, are none of the project's.
    Where it has none of those that are named, the store is about something else, and that is all there is to say.
    """
    try:
        project = workspace.project()
    except HoldfastError:
        return []
    named: dict[tuple[str, str], int] = {}
    there = 0
    for one in memories:
        for name in dict.fromkeys(name for line in one.body.split("\n") for name in lint.named_files(line)):
            if lint.is_there(project.root, name):
                there += 1
            elif not os.path.lexists(os.path.join(folder, name)):
                named[one.path, name] = named.get((one.path, name), 0) + 1
    if len(named) >= _MANY and not there:
        files = count(len({name for _, name in named}), "file")
        text = f"the store names {files}, none of which is in {project.root}; stand in its project to have them checked"
        return [Problem("elsewhere", project.root, text, severity="info")]
    return [
        Problem("stale-claim", path, f"names {name}, which is not in {project.root}{f' ({often} times)' * (often > 1)}")
        for (path, name), often in named.items()
    ]


def _shown(problem: Problem, by_key: dict[str, Memory]) -> Problem:
    """Return a problem in words that fit another tool's store: it has no keys, and nothing can be forgotten there."""
    kind = _KINDS.get(problem.kind, problem.kind)
    # What is told of two statements names the one in its text and the other in its hint.
    both = [by_key[key] for text in (problem.hint, problem.text) for key in _KEYS.findall(text)[:1]]
    if len(both) == 2 and kind == "contradiction":
        text = f'"{both[0].title}", but {both[1].path} says: "{both[1].title}"'
    elif len(both) == 2:
        text = f'"{both[0].title}" {_KEYS.sub("", problem.text)}"{both[1].title}" in {both[1].path}'
    else:
        text = problem.text
    return Problem(kind, problem.path, text, problem.hint if kind == "secret" else "", problem.line, problem.severity)
