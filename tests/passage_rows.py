"""What tests of several packages do with tables that are searched: put passages with vectors, look at all vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.records import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.records import Scope
    from holdfast.store.base import SearchTable
    from holdfast.store.passages import Passage, Passages, PassageSource, Told
    from holdfast.store.words import Row


def put(
    table: Passages,
    source: PassageSource,
    passages: Sequence[Passage],
    vectors: Sequence[bytes | None],
    scopes: dict[int, Scope] | None = None,
) -> None:
    """Store a session with the vector of each passage; `scopes` has those places that are not seen as the session."""
    by_scope: dict[Scope, list[Told]] = {}
    for one in passages:
        listed = by_scope.setdefault((scopes or {}).get(one.place, source.scope), [])
        listed.append((one.place, one.text, one.name, one.speaker, one.at))
    table.put(source, by_scope)
    rows = dict(
        table.db.execute(
            "SELECT p.place, p.id FROM passage p JOIN session s ON s.id = p.session WHERE s.name = ?", (source.name,)
        )
    )
    made = [(rows[one.place], vector) for one, vector in zip(passages, vectors, strict=True) if vector is not None]
    table.put_vectors(made)


def all_vectors(table: SearchTable, wanted: Filter) -> list[tuple[Row, bytes]]:
    """Return every vector that the filter lets through, with its row."""
    return table.seen(table.few(Filter(None), 1_000_000) or [], wanted)
