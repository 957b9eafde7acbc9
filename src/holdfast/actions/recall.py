"""Find memories: see what changed, search, fuse, and count what was handed out as used."""

from __future__ import annotations

from holdfast.actions.house import House, normal_tags, now
from holdfast.capture import journal
from holdfast.errors import HoldfastError
from holdfast.recall import fusion, when
from holdfast.recall.embed import Model, to_bytes
from holdfast.recall.engine import Engine
from holdfast.records import Hit
from holdfast.store.base import Candidate, Filter
from holdfast.store.memory_table import MemoryTable

_LOOKED_AT = 20
# A recall makes so many missing vectors on its way; `holdfast reindex` makes all.
AT_ONCE = 50


def recall(
    house: House,
    query: str = "",
    *,
    scope: str | None = None,
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    limit: int | None = None,
    everywhere: bool = False,
) -> list[Hit]:
    """Return the best hits among what is visible here. Without a query, the newest; nothing found is no error."""
    if not house.enabled:
        return []
    at = now()
    scopes = house.readable(scope, everywhere=everywhere)
    wanted = Filter(
        scopes,
        types,
        normal_tags(tags),
        when.moment(since, at) if since else "",
        when.moment(until, at) if until else "",
    )
    limit = limit or house.settings.number("recall.limit")
    house.refresh(scopes)
    hits = fusion.fuse(_candidates(house, query, wanted, max(_LOOKED_AT, limit * 2)), at)[:limit]
    if query.strip() and house.settings.flag("recall.count_use"):
        count_use(house, hits, at)
    return hits


def _candidates(house: House, query: str, wanted: Filter, limit: int) -> list[Candidate]:
    if query.strip():
        return _found(house, query, wanted, limit)
    memories = house.store.find(wanted, limit)
    return [
        Candidate(
            memory,
            text=0.0,
            words=(),
            earlier=False,
            uses=house.store.uses(memory.scope, memory.key)[0],
            superseded_by=house.store.index.superseded_by(memory.scope, memory.key),
        )
        for memory in memories
    ]


def _found(house: House, query: str, wanted: Filter, limit: int) -> list[Candidate]:
    model = house.model()

    def search(table: MemoryTable) -> list[Candidate]:
        if model is not None:
            make_vectors(table, model, AT_ONCE)
        asked = table.ask(query)
        scored = Engine(table, model, house.scan(table)).find(asked, wanted, limit)
        found = [table.candidate(one.id, one.marks.words, asked, wanted, one.marks.meaning) for one in scored]
        return [candidate for candidate in found if candidate is not None]

    return house.store.consult(search)


def make_vectors(table: MemoryTable, model: Model, most: int) -> int:
    """Make the vectors of memories that have none yet, at most so many, the newest first; return how many."""
    table.use_model(model.version)
    missing = table.without_vector(most)
    if missing:
        vectors = model.encode_many([text for _, text in missing])
        table.put_vectors([(row, to_bytes(vector)) for (row, _), vector in zip(missing, vectors, strict=True)])
    return len(missing)


def count_use(house: House, hits: list[Hit], at: str) -> None:
    """Note in journal and index that the hits were handed out. A home that cannot be written does not stop a recall."""
    memories = [(hit.memory.scope, hit.memory.key) for hit in hits]
    if not memories or house.store.index.path == ":memory:":
        return
    try:
        house.journal.append(journal.use(memories, at), durable=False)
        house.store.add_uses((scope, key, at) for scope, key in memories)
    except HoldfastError as problem:
        house.say(f"the use was not counted: {problem}")
