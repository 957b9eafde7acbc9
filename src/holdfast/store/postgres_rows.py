"""A memory as a row of PostgreSQL, and the derived tables of one team."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from holdfast.base.files import file_digest
from holdfast.base.text import hash_of
from holdfast.errors import BadInput, Forgotten
from holdfast.language.derived import is_rule
from holdfast.privacy.erased import Erased
from holdfast.privacy.redact import redact
from holdfast.records import Memory, Problem, Scope
from holdfast.store import layout, memory_file
from holdfast.store.index import Stamp
from holdfast.store.postgres_filter import COLUMNS, memory_of
from holdfast.store.postgres_passages import PassageRows
from holdfast.store.postgres_search import MemoryRows, told_words
from holdfast.store.postgres_sessions import SessionRecords
from holdfast.store.words import digest

# The columns of a row besides its place and number, in the order of `_values`; the last three make its words.
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


def new_text(memory: Memory, found: tuple[Memory, str] | None) -> str:
    """Return the text of a memory, made of the one that was found, if any."""
    return memory_file.update(found[1], memory, memory.path) if found else memory_file.create(memory)


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

    def __init__(self, db: Any, place: tuple[int, int], models: dict[str, str], complete: dict[object, int]) -> None:
        self.db = db
        self.place = place
        self.memories = MemoryRows(db, place, models, complete)
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


def erased_in(db: Any, organisation: int) -> Erased:
    """Return what an operator erased in an organisation."""
    rows = db.execute("SELECT noted FROM holdfast.erased WHERE organisation = %s", (organisation,)).fetchall()
    return Erased("", [noted.encode() for (noted,) in rows])


def check_erased(db: Any, organisation: int, *texts: str) -> None:
    """Refuse what an operator erased, in whichever team, scope and key it comes back, and whoever says it."""
    if any(map(erased_in(db, organisation).holds, texts)):
        raise Forgotten("this was erased here", "An operator of the hub erased it; say it without that.")


def add_proposal(db: Any, here: tuple[int, int], person: str, reason: str, memory: Memory, text: str) -> int:
    """Propose what a memory of a reviewed team would become, and return the number of the proposal."""
    if not reason:
        raise BadInput("this needs a reason", 'Give --reason "why".')
    check_erased(db, here[0], text, memory.key, reason)
    marks = ", ".join(["%s"] * (len(FIELDS) + 5))
    columns = ("organisation", "team", "person", "reason", "key_digest", *FIELDS, "words")
    made = db.execute(
        f"INSERT INTO holdfast.proposal ({', '.join(columns)}) VALUES ({marks}, {WORDS}) RETURNING id",
        (*here, person, redact(reason)[0], hash_of("key", memory.key), *row_values(memory, text)),
    ).fetchone()
    return int(made[0])


# Counts that memories were handed out, each at most once a minute. Nobody waits for the disk for a count.
_COUNT = (
    "INSERT INTO holdfast.use SELECT %s, %s, kind, owner, key, 1, at"
    " FROM (SELECT set_config('synchronous_commit', 'off', true)) quick,"
    " unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS told(kind, owner, key, at)"
    " ON CONFLICT (organisation, team, kind, owner, key) DO UPDATE SET count = use.count + 1, last = excluded.last"
    " WHERE excluded.last::timestamptz - use.last::timestamptz >= interval '60 seconds'"
)


def counting(here: tuple[int, int], uses: Iterable[tuple[Scope, str, str]]) -> Iterator[tuple[Any, ...]]:
    """Yield statements with their values that count these uses of a team's memories (scope, key, time)."""
    rest = sorted({(scope.kind, scope.owner, key, at) for scope, key, at in uses})
    while rest:
        # One statement counts a memory once; what has more times comes again.
        first = {one[:3]: one for one in reversed(rest)}
        rest = [one for one in rest if first[one[:3]] != one]
        yield _COUNT, *here, *map(list, zip(*sorted(first.values()), strict=True))
