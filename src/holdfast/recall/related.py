"""Show what is related to a memory, one step away, and why. Looking is not use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.recall.embed import near
from holdfast.recall.meaning import model_of, scan_of
from holdfast.recall.vectors import make_vectors
from holdfast.records import Filter, Memory, Scope
from holdfast.store import links
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.store.base import MemorySearch, Tables

LIMIT = 10
# The least cosine of a neighbour.
NEAR_ENOUGH = 0.4
_LOOKED_AT = 500


class Related(NamedTuple):
    """A memory beside another one, and each way in which it is: `links to`, `linked from`, `near 0.71` ..."""

    memory: Memory
    why: tuple[str, ...]


def related(workspace: Workspace, key: str, *, scope: str | None = None, limit: int = LIMIT) -> list[Related]:
    """Return what is related to the memory of that key, the plainest ties first; only what is visible here."""
    if not workspace.enabled:
        return []
    return related_to(workspace, workspace.locate(key, scope), workspace.visible(), limit)


def related_to(workspace: Workspace, memory: Memory, scopes: tuple[Scope, ...], limit: int) -> list[Related]:
    """Return what is related to the memory within these scopes."""
    memories: dict[str, Memory] = {}
    reasons: dict[str, list[str]] = {}
    for other, why in _ties(workspace, memory, scopes, limit):
        if other.path != memory.path and other.scope in scopes:
            memories.setdefault(other.path, other)
            reasons.setdefault(other.path, []).append(why)
    found = [Related(other, tuple(dict.fromkeys(reasons[path]))) for path, other in memories.items()]
    return found[:limit]


def _ties(workspace: Workspace, memory: Memory, scopes: tuple[Scope, ...], limit: int) -> Iterator[tuple[Memory, str]]:
    newer = workspace.store.superseded_by(memory.scope, memory.key)
    yield from ((other, "replaced by") for other in _of_scope(workspace, memory.scope, (newer,)))
    yield from ((other, "replaces") for other in _of_scope(workspace, memory.scope, memory.supersedes))
    for target in links.targets(memory.body):
        yield from ((other, "links to") for other in _target(workspace, memory, target, scopes))
    yield from ((other, "linked from") for other in _linking(workspace, memory, scopes))
    for nearness, other in _neighbours(workspace, memory, scopes, limit):
        yield other, f"near {nearness:.2f}"


def _of_scope(workspace: Workspace, scope: Scope, keys: tuple[str, ...]) -> list[Memory]:
    wanted = tuple(key for key in keys if key)
    return list(workspace.store.find(Filter((scope,), keys=wanted))) if wanted else []


def _target(workspace: Workspace, memory: Memory, key: str, scopes: tuple[Scope, ...]) -> list[Memory]:
    """Return the memory that a `[[key]]` leads to: of the same scope first, then of an alias, then a global one."""
    kin = [scope for scope in scopes if scope.kind == memory.scope.kind]
    for scope in dict.fromkeys((memory.scope, *kin, Scope("global"))):
        found = _of_scope(workspace, scope, (key,)) if scope in scopes else []
        if found:
            return found[:1]
    return []


def _linking(workspace: Workspace, memory: Memory, scopes: tuple[Scope, ...]) -> list[Memory]:
    """Return the memories whose `[[key]]` leads to this one."""

    def naming(tables: Tables) -> list[Memory]:
        table = tables.memories
        return _memories(table, table.with_phrase(memory.key, Filter(scopes), _LOOKED_AT), scopes)

    others = [other for other in workspace.store.ask(naming) if memory.key in links.targets(other.body)]
    return [
        other for other in others if [m.path for m in _target(workspace, other, memory.key, scopes)] == [memory.path]
    ]


def _neighbours(
    workspace: Workspace, memory: Memory, scopes: tuple[Scope, ...], limit: int
) -> list[tuple[float, Memory]]:
    """Return the nearest by meaning that still hold; where there are too many vectors, of those that share words."""
    model = model_of(workspace)
    if model is None:
        return []

    def nearest(tables: Tables) -> list[tuple[float, Memory]]:
        table = tables.memories
        make_vectors(table, model)
        text = "\n".join((memory.title, *memory.tags, memory.body))
        vector = model.encode(text)
        # One more than asked for: the memory is its own nearest.
        rows = [row for row, _, _ in scan_of(workspace, table).nearest(vector, Filter(scopes), limit + 1)]
        if not rows:
            expression = table.ask(text).expression
            found = table.matches(expression, Filter(scopes), _LOOKED_AT) if expression else []
            rows = [row for row, _, _, _ in found]
        marks = {row: near(vector, blob) for row, blob in table.vectors(rows).items()}
        best = [row for row in sorted(marks, key=lambda row: -marks[row]) if marks[row] >= NEAR_ENOUGH][: limit + 1]
        return [(marks[row], other) for row in best for other in _memories(table, [row], scopes)]

    found = workspace.store.ask(nearest)
    return [(mark, other) for mark, other in found if not workspace.store.superseded_by(other.scope, other.key)]


def _memories(table: MemorySearch, rows: list[int], scopes: tuple[Scope, ...]) -> list[Memory]:
    found = table.candidates(dict.fromkeys(rows, (0.0, 0.0)), table.ask(""), Filter(scopes))
    return [candidate.memory for candidate in found]
