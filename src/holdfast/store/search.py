"""Text search over memories: the telling words of the query, weighed by BM25."""

from __future__ import annotations

from holdfast.store.base import Candidate, Filter
from holdfast.store.index import Index
from holdfast.store.memory_table import MemoryTable


def search(index: Index, query: str, wanted: Filter, limit: int) -> list[Candidate]:
    """Return the candidates that hold at least one of the query's words, best first."""
    table = MemoryTable(index)
    asked = table.ask(query)
    if not asked.expression:
        return []
    found = table.matches(asked.expression, wanted, limit)
    return table.candidates({row: (text, 0.0) for row, _, _, text in found}, asked, wanted)
