"""What a client of a hub asks for: the changes of a team since the last one it knows, and who was given what.

Changes are numbered in the order in which they were committed (`migrations/0002`), so a client that asks for all after
the last number it has misses nothing, wherever it was cut off. What was changed twice comes once, as it is now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.errors import ChangedMeanwhile, Conflict

if TYPE_CHECKING:
    from holdfast.records import Draft, Scope
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import Asks, Pool

_LOOK = "`holdfast hub allow TEAM --dry-run` shows the other version; then share it again."
_OLD = "Update Holdfast there, or change it on the page."


class FeedChange(NamedTuple):
    """One memory as it is after a change; `text` is None where it is gone."""

    change: int
    kind: str
    owner: str
    key: str
    text: str | None


class GivenTo(NamedTuple):
    """That a person was given a version of a memory of a team."""

    team: str
    person: str
    kind: str
    owner: str
    key: str
    version: int
    at: str
    is_gone: bool
    is_changed: bool


def changes(pool: Pool, asks: Asks, after: Mapping[str, int], limit: int) -> dict[str, list[FeedChange]]:
    """Return what changed in each of these teams after a number, in order, at most so many of each: one statement."""
    found: dict[str, list[FeedChange]] = {team: [] for team in after}
    of_team = "organisation = t.organisation AND team = t.id AND change > told.last ORDER BY change LIMIT %s"
    with pool.transaction(asks) as db:
        rows = db.execute(
            "SELECT t.name, c.* FROM unnest(%s::text[], %s::bigint[]) AS told(name, last)"
            " JOIN holdfast.team t ON t.name = told.name"
            " JOIN holdfast.feed f ON f.organisation = t.organisation AND f.team = t.id AND f.change > told.last"
            " CROSS JOIN LATERAL ("
            f"(SELECT change, kind, owner, key, text FROM holdfast.memory WHERE {of_team})"
            f" UNION ALL (SELECT change, kind, owner, key, NULL FROM holdfast.gone WHERE {of_team})"
            " ORDER BY change LIMIT %s) c ORDER BY t.name, c.change",
            (list(after), list(after.values()), limit, limit, limit),
        ).fetchall()
    for team, *change in rows:
        found[team].append(FeedChange(*change))
    return found


def version_at(db: Any, here: tuple[int, int], scope: Scope, key: str) -> tuple[int, str, str]:
    """Return the change that made a place what it is, and who said what there: 0 for none, no text for what is gone."""
    at = "organisation = %s AND team = %s AND kind = %s AND owner = %s AND key = %s"
    found = db.execute(
        f"SELECT change, source, body FROM holdfast.memory WHERE {at} UNION ALL"
        f" SELECT change, '', '' FROM holdfast.gone WHERE {at} ORDER BY 1 DESC LIMIT 1",
        (*here, scope.kind, scope.owner, key) * 2,
    ).fetchone()
    return (int(found[0]), str(found[1]), str(found[2])) if found else (0, "", "")


def check_based(db: Any, store: PostgresStore, draft: Draft, based: int | None) -> None:
    """Refuse to share over a version that the laptop did not see; the same words over the same words are no conflict.

    A client of an earlier version says no version: it may not share over what somebody else said last.
    """
    change, source, body = version_at(db, store.here, draft.scope, draft.key or "")
    if draft.text.split() == body.split() or based == change:
        return
    if based is not None:
        now_there = "was changed in" if body else "was withdrawn from"
        raise ChangedMeanwhile(f"{draft.key} {now_there} {store.asks.team} meanwhile; nothing was shared", _LOOK)
    if body and source != draft.source:
        raise Conflict(f"{draft.key} is another's in {store.asks.team}, and this client does not say what it saw", _OLD)


def add_receipts(store: PostgresStore, receipts: Sequence[tuple[str, str, str, int, str]]) -> None:
    """Note that the person was given these: kind, owner, key, version and time. The same again changes nothing."""
    with store.begin() as db, db.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO holdfast.receipt VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [(*store.here, store.asks.person, *one) for one in receipts],
        )


def trace(pool: Pool, asks: Asks, key: str, team: str = "") -> list[GivenTo]:
    """Return who was given a memory of that key, in one team or in all of the person's, the latest first.

    A person who does not review a team sees themselves there. `is_gone`: it was withdrawn since.
    `is_changed`: the team says something else since, or the same again after it was withdrawn.
    """
    with pool.transaction(asks) as db:
        rows = db.execute(
            "SELECT t.name, r.person, r.kind, r.owner, r.key, r.version, r.at, g.change IS NOT NULL AND"
            " g.change > r.version, coalesce(m.change > r.version, false) FROM holdfast.receipt r"
            " JOIN holdfast.team t ON t.organisation = r.organisation AND t.id = r.team"
            " LEFT JOIN holdfast.gone g ON (g.organisation, g.team, g.kind, g.owner, g.key)"
            " = (r.organisation, r.team, r.kind, r.owner, r.key)"
            " LEFT JOIN holdfast.memory m ON (m.organisation, m.team, m.kind, m.owner, m.key)"
            " = (r.organisation, r.team, r.kind, r.owner, r.key)"
            " WHERE r.key = %s AND %s IN (t.name, '') ORDER BY r.at DESC, r.person, t.name",
            (key, team),
        ).fetchall()
    return [GivenTo(*row) for row in rows]
