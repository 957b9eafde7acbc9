"""What a client of a hub asks for: the changes of a team since the last one it knows, and who was given what.

Changes are numbered in the order in which they were committed (`migrations/0002`), so a client that asks for all after
the last number it has misses nothing, wherever it was cut off. What was changed twice comes once, as it is now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from holdfast.store.postgres import PostgresStore


class FeedChange(NamedTuple):
    """One memory as it is after a change; `text` is None where it is gone."""

    change: int
    kind: str
    owner: str
    key: str
    text: str | None


class GivenTo(NamedTuple):
    """That a person was given a version of a memory."""

    person: str
    kind: str
    owner: str
    key: str
    version: int
    at: str


def changes(store: PostgresStore, after: int, limit: int) -> list[FeedChange]:
    """Return what changed after a number, in order, at most so many."""
    with store.begin() as db:
        rows = db.execute(
            "(SELECT change, kind, owner, key, text FROM holdfast.memory"
            " WHERE organisation = %s AND team = %s AND change > %s ORDER BY change LIMIT %s)"
            " UNION ALL (SELECT change, kind, owner, key, NULL FROM holdfast.gone"
            " WHERE organisation = %s AND team = %s AND change > %s ORDER BY change LIMIT %s)"
            " ORDER BY change LIMIT %s",
            (*store.here, after, limit, *store.here, after, limit, limit),
        ).fetchall()
    return [FeedChange(*row) for row in rows]


def add_receipts(store: PostgresStore, receipts: Sequence[tuple[str, str, str, int, str]]) -> None:
    """Note that the person was given these: kind, owner, key, version and time. The same again changes nothing."""
    with store.begin() as db, db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO holdfast.receipt VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [(*store.here, store.asks.person, *one) for one in receipts],
        )


def trace(store: PostgresStore, key: str) -> list[GivenTo]:
    """Return who was given a memory of that key, the latest first; a person who does not review sees themselves."""
    with store.begin() as db:
        rows = db.execute(
            "SELECT person, kind, owner, key, version, at FROM holdfast.receipt"
            " WHERE organisation = %s AND team = %s AND key = %s ORDER BY at DESC, person",
            (*store.here, key),
        ).fetchall()
    return [GivenTo(*row) for row in rows]
