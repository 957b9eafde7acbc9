"""Figures of sessions that people share with a team, and what may be told of them: groups, never one person.

A digest is figures of one session, under a digest of its name, and its signals. No word of a prompt is in it. The
database shows a person their own alone, and of others only groups of a least size (`migrations/0008`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import Asks, Pool

_FIELDS = "session, week, project, agent, outcome, asks, calls, failed_calls, minutes, tokens, dollars"


@dataclass(frozen=True, slots=True)
class SharedDigest:
    """What is shared of one session: figures, and each signal's kind and subject."""

    session: str
    week: str
    project: str
    agent: str
    outcome: str
    asks: int
    calls: int
    failed_calls: int
    minutes: int
    tokens: int
    dollars: float
    signals: list[tuple[str, str]]


class GroupFigures(NamedTuple):
    """The means of a group of people; `people` is rounded down to steps of the smallest group."""

    value: str
    people: int
    asks: float
    calls: float
    failed: float
    minutes: float
    tokens: float
    dollars: float
    succeeded: float


class GroupSignal(NamedTuple):
    """What recurs in sessions of many people."""

    kind: str
    signature: str
    people: int


def add_digests(store: PostgresStore, digests: Sequence[SharedDigest]) -> None:
    """Share digests with the team, each in the place of what was told of its session."""
    with store.begin() as db, db.cursor() as cursor:
        here = (*store.here, store.asks.person)
        sessions = [one.session for one in digests]
        db.execute(
            "DELETE FROM holdfast.shared_digest WHERE organisation = %s AND team = %s AND person = %s"
            " AND session = ANY(%s)",
            (*here, sessions),
        )
        marks = ", ".join(["%s"] * 14)
        cursor.executemany(
            f"INSERT INTO holdfast.shared_digest (organisation, team, person, {_FIELDS}) VALUES ({marks})",
            [(*here, *astuple(one)[:-1]) for one in digests],
        )
        cursor.executemany(
            "INSERT INTO holdfast.shared_signal VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            [(*here, one.session, *signal) for one in digests for signal in one.signals],
        )


def own_digests(pool: Pool, asks: Asks) -> list[dict[str, Any]]:
    """Return all that the person shares, of all teams, the newest first."""
    with pool.transaction(asks) as db:
        rows = db.execute(
            f"SELECT t.name, {', '.join(f'd.{name}' for name in _FIELDS.split(', '))},"
            " coalesce((SELECT json_agg(json_build_array(s.kind, s.signature) ORDER BY 1)"
            " FROM holdfast.shared_signal s WHERE (s.organisation, s.team, s.person, s.session)"
            " = (d.organisation, d.team, d.person, d.session)), '[]') FROM holdfast.shared_digest d"
            " JOIN holdfast.team t ON t.organisation = d.organisation AND t.id = d.team ORDER BY d.week DESC, d.session"
        ).fetchall()
    return [{"team": team, **asdict(SharedDigest(session, str(week), *rest))} for team, session, week, *rest in rows]


def take_back(pool: Pool, asks: Asks) -> int:
    """Take back all digests that the person shares; return how many."""
    with pool.transaction(asks) as db:
        return int(db.execute("DELETE FROM holdfast.shared_digest").rowcount)


def figures(pool: Pool, asks: Asks, team: str, by: str) -> list[GroupFigures]:
    """Return the means of each group of a team that is large enough."""
    with pool.transaction(asks) as db:
        rows = db.execute("SELECT * FROM holdfast.figures_over(%s, %s)", (team, by)).fetchall()
    return [GroupFigures(*row) for row in rows]


def signals(pool: Pool, asks: Asks, team: str) -> list[GroupSignal]:
    """Return what recurs over enough people of a team, the most common first."""
    with pool.transaction(asks) as db:
        return [GroupSignal(*row) for row in db.execute("SELECT * FROM holdfast.signals_over(%s)", (team,)).fetchall()]
