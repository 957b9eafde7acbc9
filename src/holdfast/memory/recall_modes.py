"""Recall as an agent asks for it: by a mode, in an order, and with what is related."""

from __future__ import annotations

from holdfast.base.clock import now
from holdfast.errors import BadInput
from holdfast.memory.show import list_memories
from holdfast.recall.recall import count_use, recall
from holdfast.recall.related import Related, related_to
from holdfast.records import Filter, Hit, Memory
from holdfast.store.keys import is_key
from holdfast.workspace import Workspace

MODES = ("hybrid", "bm25", "metadata")
ORDERS = ("score", "recency", "usage")
# What leaves meaning out of a recall; the workspace is opened with it.
FLAGS_OF = {"bm25": {"recall.meaning": "false"}}
_RELATED = 3
_MAX_UNASKED = 1_000


def recall_by(
    workspace: Workspace,
    query: str,
    *,
    scope: str | None = None,
    types: tuple[str, ...] = (),
    limit: int = 10,
    mode: str = "hybrid",
    order: str = "score",
) -> list[Hit]:
    """Return the best hits by score, in the order asked for.

    `metadata` finds what has every word of the query in its text, key or tags, newest first. A query that is the key of
    a memory brings that memory first.
    """
    if mode not in MODES:
        raise BadInput(f"{mode!a} is not a search mode", f"Use one of {', '.join(MODES)}.")
    if order not in ORDERS:
        raise BadInput(f"{order!a} is not an order", f"Use one of {', '.join(ORDERS)}.")
    if not workspace.enabled:
        return []
    # Without words only the newest would be found, and the most used may be older.
    looked_at = _MAX_UNASKED if order == "usage" and not query.strip() else limit
    find = _by_metadata if mode == "metadata" else _by_score
    hits = find(workspace, query, scope, types, looked_at)
    hits = [hit for hit in hits if not hit.memory.branch or workspace.fresh().holds_here(hit.memory)]
    if order == "recency":
        hits = sorted(hits, key=lambda hit: hit.memory.updated, reverse=True)
    elif order == "usage":
        hits = sorted(hits, key=lambda hit: workspace.store.uses(hit.memory.scope, hit.memory.key)[0], reverse=True)
    return hits[:limit]


def related(workspace: Workspace, memory: Memory) -> list[Related]:
    """Return a few memories that are related to this one and visible here."""
    return related_to(workspace, memory, workspace.visible(), _RELATED)


def _by_score(workspace: Workspace, query: str, scope: str | None, types: tuple[str, ...], limit: int) -> list[Hit]:
    hits = recall(workspace, query, scope=scope, types=types, limit=limit)
    key = query.strip()
    if not is_key(key):
        return hits
    paths = {hit.memory.path for hit in hits}
    named = [Hit(one, 1.0) for one in workspace.store.find(Filter(workspace.visible(scope), types, keys=(key,)), limit)]
    _count(workspace, [hit for hit in named if hit.memory.path not in paths])
    first = [hit for hit in hits if hit.memory.key == key] or named
    return [*first, *(hit for hit in hits if hit.memory.key != key)][:limit]


def _by_metadata(workspace: Workspace, query: str, scope: str | None, types: tuple[str, ...], limit: int) -> list[Hit]:
    words = query.casefold().split()
    found = []
    for memory in list_memories(workspace, scope=scope, types=types):
        text = "\n".join((memory.key, memory.title, *memory.tags, memory.body)).casefold()
        if all(word in text for word in words):
            found.append(Hit(memory, 0.0))
        if len(found) == limit:
            break
    if words:
        _count(workspace, found)
    return found


def _count(workspace: Workspace, hits: list[Hit]) -> None:
    if workspace.settings.flag("recall.count_use"):
        count_use(workspace, hits, now())
