"""Organisations, teams, people, roles and tokens of a hub: what its operator sets up, and who a token stands for.

The operator connects as the role that migrated. Everything here is one transaction each and may be said again. Of a
token only a digest is kept; the token itself is shown once. It always ends, and may no more than its person.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from holdfast.base.digests import sha256
from holdfast.errors import BadInput, NotFound
from holdfast.store.postgres_connection import Asks, Pool, connect, told

ROLES = ("reader", "writer", "reviewer", "admin")
# What a token may be allowed, as on a page of one's own.
RIGHTS = ("read", "write", "review")
MAX_DAYS = 366
# The team of which everybody in the organisation is a member.
EVERYONE = "everyone"
_PREFIX = "hfh_"


class Bearer(NamedTuple):
    """Whom a token stands for, what it may do, and in which teams that person is."""

    organisation: str
    person: str
    name: str
    rights: tuple[str, ...]
    teams: tuple[str, ...]


class Operator:
    """The operator of one hub."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    @contextmanager
    def _begin(self) -> Iterator[Any]:
        with told(self.conninfo), connect(self.conninfo) as db:
            yield db

    def add_organisation(self, name: str, *, personal: bool = False) -> None:
        """Add an organisation with its partitions and the team of everyone; one that is there stays as it is."""
        with self._begin() as db:
            db.execute(
                "INSERT INTO holdfast.organisation (name, personal) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (_name(name, "an organisation"), personal),
            )
            db.execute("SELECT holdfast.add_partitions()")
        self.add_team(name, EVERYONE)

    def add_team(self, organisation: str, team: str) -> None:
        """Add a team."""
        with self._begin() as db:
            number = _organisation(db, organisation)
            sql = "INSERT INTO holdfast.team (organisation, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            db.execute(sql, (number, _name(team, "a team")))
            db.execute(
                "INSERT INTO holdfast.feed (organisation, team) SELECT organisation, id FROM holdfast.team"
                " WHERE organisation = %s AND name = %s ON CONFLICT DO NOTHING",
                (number, team),
            )

    def set_member(self, organisation: str, team: str, person: str, role: str) -> None:
        """Give a person a role in a team, and at least that of a reader in the team of everyone; "" takes it away."""
        if role and role not in ROLES:
            raise BadInput(f"{role!a} is not a role", f"Use one of {', '.join(ROLES)}.")
        with self._begin() as db:
            number = _organisation(db, organisation)
            if not db.execute(
                "SELECT 1 FROM holdfast.team WHERE organisation = %s AND name = %s", (number, team)
            ).fetchone():
                raise NotFound(f"{organisation} has no team {team}", "`holdfast hub member` adds it.")
            sql = "INSERT INTO holdfast.person (organisation, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            db.execute(sql, (number, _name(person, "a person", "@")))
            of_person = (
                "SELECT t.organisation, t.id, p.id FROM holdfast.team t JOIN holdfast.person p USING (organisation)"
                " WHERE t.organisation = %s AND t.name = %s AND p.name = %s"
            )
            if not role:
                sql = f"DELETE FROM holdfast.member WHERE (organisation, team, person) IN ({of_person})"
                db.execute(sql, (number, team, person))
                return
            insert = f"INSERT INTO holdfast.member SELECT found.*, %s::holdfast.role FROM ({of_person}) found"
            also = "ON CONFLICT (organisation, person, team) DO"
            db.execute(f"{insert} {also} UPDATE SET role = excluded.role", (role, number, team, person))
            db.execute(f"{insert} {also} NOTHING", ("reader", number, EVERYONE, person))

    def new_token(self, organisation: str, person: str, name: str, rights: tuple[str, ...], days: int) -> str:
        """Return a new token of a person, which ends after so many days; it is shown here alone."""
        if not rights or not set(rights) <= set(RIGHTS):
            raise BadInput(f"{' '.join(rights)!a} are not rights of a token", f"Use some of {', '.join(RIGHTS)}.")
        if not 0 < days <= MAX_DAYS:
            raise BadInput(f"a token does not last {days} days", f"Give 1 to {MAX_DAYS}.")
        token = _PREFIX + secrets.token_urlsafe(32)
        with self._begin() as db:
            made = db.execute(
                "INSERT INTO holdfast.token (digest, organisation, person, organisation_name, person_name, name,"
                " rights, expires) SELECT %s, o.id, p.id, o.name, p.name, %s, %s, now() + make_interval(days => %s)"
                " FROM holdfast.organisation o JOIN holdfast.person p ON p.organisation = o.id"
                " WHERE o.name = %s AND p.name = %s",
                (digest_of(token), name, list(rights), days, organisation, person),
            )
            if not made.rowcount:
                raise NotFound(f"{organisation} has no person {person}", "`holdfast hub member` adds them.")
        return token

    def end_tokens(self, organisation: str, person: str, name: str = "") -> int:
        """End the tokens of a person, or those of one name; return how many."""
        with self._begin() as db:
            sql = "DELETE FROM holdfast.token WHERE organisation_name = %s AND person_name = %s AND %s IN (name, '')"
            return int(db.execute(sql, (organisation, person, name)).rowcount)


def bearer(pool: Pool, token: str) -> Bearer | None:
    """Return whom a token stands for; None where it does not hold, or no longer."""
    if not token.startswith(_PREFIX):
        return None
    with pool.transaction(Asks("", "", "")) as db:
        db.execute("SELECT set_config('holdfast.token', %s, true)", (digest_of(token),))
        sql = "SELECT organisation_name, person_name, name, rights FROM holdfast.token"
        found = db.execute(sql).fetchone()
        if found is None:
            return None
        organisation, person, name, rights = found
        sql = "SELECT set_config('holdfast.organisation', %s, true), set_config('holdfast.person', %s, true)"
        db.execute(sql, (organisation, person))
        teams = [team for (team,) in db.execute("SELECT name FROM holdfast.team ORDER BY name").fetchall()]
    return Bearer(organisation, person, name, tuple(rights), tuple(teams))


def digest_of(token: str) -> str:
    """Return what is kept of a token."""
    return sha256(token.encode()).hexdigest()


def _organisation(db: Any, name: str) -> int:
    found = db.execute("SELECT id FROM holdfast.organisation WHERE name = %s", (name,)).fetchone()
    if found is None:
        raise NotFound(f"there is no organisation {name}", "`holdfast hub member` adds it.")
    return int(found[0])


def _name(text: str, what: str, more: str = "") -> str:
    letters = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-" + more)
    if not text or len(text) > 60 or not letters.issuperset(text) or not text[0].isalnum():
        raise BadInput(f"{text!a} is not the name of {what}", "Use up to 60 of a-z, 0-9, dot, underscore and hyphen.")
    return text
