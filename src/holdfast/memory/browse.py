"""Browsing memories: filtered, counted by kind, searched or newest first, page by page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from holdfast.errors import BadInput
from holdfast.memory.show import replaced_by
from holdfast.recall.recall import search
from holdfast.records import Filter, Hit, Scope
from holdfast.store.layout import check_scope
from holdfast.workspace import Workspace

PAGE = 50
MAX_FOUND = 20


@dataclass(frozen=True, slots=True)
class BrowsedMemories:
    """One page: the hits, how many there are in all, and how many of each scope, type, trust and tag, used or not.

    What a query found is ranked, and never more than MAX_FOUND.
    """

    hits: tuple[Hit, ...]
    total: int
    counts: dict[str, dict[str, int]]
    skip: int = 0


def _counted(found: list[Hit]) -> dict[str, dict[str, int]]:
    memories = [one.memory for one in found]
    told = {
        "scope": [str(one.scope) for one in memories],
        "type": [one.type for one in memories],
        "trust": [one.trust for one in memories],
        "tag": [tag.lower() for one in memories for tag in one.tags],
    }
    return {name: dict(Counter(values).most_common()) for name, values in told.items()}


def scope_named(name: str) -> Scope:
    """Return the scope that is written so: `global`, or its kind and its owner with a colon between."""
    kind, _, owner = name.partition(":")
    return check_scope(Scope(kind, owner))


def browse(workspace: Workspace, wanted: Filter, query: str = "", *, skip: int = 0) -> BrowsedMemories:
    """Return a page of the memories that the filter lets through: the newest, or the best for the query."""
    if skip < 0:
        raise BadInput(f"{skip} is before the first one", "Give 0 or more.")
    if not workspace.enabled:
        return BrowsedMemories((), 0, {})
    workspace.refresh(wanted.scopes)
    if query.strip():
        found = search(workspace, query, wanted, MAX_FOUND)
        return BrowsedMemories(tuple(found[skip : skip + PAGE]), len(found), _counted(found), skip)
    counts = workspace.store.counts(wanted)
    newest = workspace.store.find(wanted, PAGE, skip)
    hits = tuple(Hit(one, 0.0, superseded_by=one.ended_by(replaced_by(workspace, one))) for one in newest)
    return BrowsedMemories(hits, sum(counts["trust"].values()), counts, skip)
