"""A memory as a row of PostgreSQL, and the derived tables of one team."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from holdfast.base.digests import file_digest
from holdfast.language.derived import is_rule
from holdfast.records import Memory, Problem, Scope
from holdfast.store import layout, memory_file
from holdfast.store.index import Stamp
from holdfast.store.postgres_search import COLUMNS, MemoryRows, PassageRows, memory_of, told_words
from holdfast.store.postgres_sessions import SessionRecords
from holdfast.store.words import digest

# What a row has besides its place and number, in the order of `_values`; the last three make the words.
FIELDS = (
    *("kind", "owner", "key", "title", "body", "type", "tags", "low_tags", "trust", "created", "updated", "source"),
    *("agent", "session", "supersedes", "pinned", "anchors", "branch", "condition", "enforce", "is_rule", "said"),
    *("earlier", "length", "text"),
)
WORDS = " || ".join(f"holdfast.words_of(%s::text[], '{weight}')" for weight in "ABCD")
STAGED = ("words_a", "words_b", "words_c", "words_d")
TYPES_OF = {
    **dict.fromkeys(("tags", "low_tags", "supersedes", "anchors", "earlier", *STAGED), "text[]"),
    **dict.fromkeys(("pinned", "is_rule"), "boolean"),
    "length": "int",
}


def parsed(text: str, scope: Scope, key: str, at: str) -> tuple[Memory, tuple[Problem, ...]]:
    """Return the memory that the text of a row holds, and what is wrong with it."""
    return memory_file.read(text, memory_file.FilePlace(layout.usual_path(scope, key), scope, key, at))


def row_values(memory: Memory, text: str) -> tuple[object, ...]:
    """Return what the row of a memory has, in the order of `FIELDS`, and then the four lists that make its words."""
    named = f"{memory.key.replace('-', ' ')} {memory.key}"
    said = told_words(memory.body)
    earlier = told_words(*(one.text for one in memory.history))
    low = sorted({tag.lower() for tag in memory.tags})
    return (
        *(memory.scope.kind, memory.scope.owner, memory.key, memory.title, memory.body, memory.type),
        *(list(memory.tags), low, memory.trust, memory.created, memory.updated, memory.source, memory.agent),
        *(memory.session, list(memory.supersedes), memory.pinned, list(memory.anchors), memory.branch, memory.when),
        *(memory.enforce, is_rule(memory), digest(memory.body), [digest(one.text) for one in memory.history]),
        *(len(said), text, told_words(memory.title), told_words(named, *memory.tags), said, earlier),
    )


class TeamTables:
    """The derived tables of one team, on one connection."""

    def __init__(self, db: Any, place: tuple[int, int], models: dict[str, str]) -> None:
        self.db = db
        self.place = place
        self.memories = MemoryRows(db, place, models)
        self.passages = PassageRows(db, place, models)
        self.sessions = SessionRecords(db, place)

    def begin(self) -> AbstractContextManager[object]:
        """Return a transaction within the one of the question."""
        found: AbstractContextManager[object] = self.db.transaction()
        return found

    def rules(self, scope: Scope) -> list[tuple[Memory, Stamp, bytes]]:
        """Return the memories of a scope that have a condition and hold, each with a stamp and digest of its text."""
        rows = self.db.execute(
            f"SELECT m.id, m.change, m.text, {COLUMNS} FROM holdfast.memory m WHERE m.organisation = %s AND m.team = %s"
            " AND m.kind = %s AND m.owner = %s AND m.is_rule AND NOT EXISTS (SELECT 1 FROM holdfast.memory n WHERE"
            " (n.organisation, n.team, n.kind, n.owner) = (m.organisation, m.team, m.kind, m.owner)"
            " AND n.supersedes <> '{}' AND m.key = ANY(n.supersedes) AND n.key <> m.key)",
            (*self.place, scope.kind, scope.owner),
        ).fetchall()
        found = [(memory_of(fields), number, change, text.encode()) for number, change, text, *fields in rows]
        return [
            (one, Stamp(change, len(text), number), file_digest(text))
            for one, number, change, text in found
            if one.holds
        ]

    def newest_files(self, folder: str, most: int) -> list[tuple[str, int, int, int]]:
        """There are no files."""
        return []
