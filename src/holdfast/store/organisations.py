"""Organisations, teams, people, roles and tokens of a hub: what its operator sets up, and who a token stands for.

The operator connects as the role that migrated. Everything here is one transaction each and may be said again. Of a
token only a digest is kept; the token itself is shown once. It always ends, and may no more than its person.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from holdfast.base.text import sha256
from holdfast.errors import BadInput, NotFound, Refused
from holdfast.store.postgres_connection import OPERATORS, Asks, Pool, connect, owns_hub, told

ROLES = ("reader", "writer", "reviewer", "admin")
# The rights that a token may have, the same as for the page of a home.
RIGHTS = ("read", "write", "review", "admin")
# Whether what is shared with a team appears at once, or once a reviewer has approved it.
RULES = ("open", "reviewed")
MAX_DAYS = 366
# The team of which everybody in the organisation is a member.
EVERYONE = "everyone"
_PREFIX = "hfh_"
# In everybody's team, people see their own.
_OWN_ROLES = (
    "SELECT t.name, m.role::text FROM holdfast.team t JOIN holdfast.member m"
    " ON (m.organisation, m.team) = (t.organisation, t.id) ORDER BY t.name"
)


class Bearer(NamedTuple):
    """The person a token stands for, its rights, and that person's role in each of their teams."""

    organisation: str
    person: str
    name: str
    rights: tuple[str, ...]
    teams: tuple[str, ...]
    roles: Mapping[str, str]


class AuditRow(NamedTuple):
    """One act in an organisation: by a person, or by the operator's database role as `operator:ROLE`."""

    at: str
    person: str
    act: str
    team: str
    kind: str
    owner: str
    key: str
    before: str
    after: str
    reason: str


class Operator:
    """The operator of one hub."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo

    @contextmanager
    def begin(self) -> Iterator[Any]:
        """Yield the connection within one transaction of the operator; Refused for any other role."""
        with told(self.conninfo), connect(self.conninfo) as db:
            if not owns_hub(db):
                raise Refused("this role is not the hub's operator", OPERATORS)
            yield db

    def number_of(self, db: Any, organisation: str) -> int:
        """Return the number of an organisation; NotFound where no organisation has that name."""
        return _organisation(db, organisation)

    def outside(self, sql: str) -> str:
        """Carry out a statement that no transaction takes; return why PostgreSQL refuses it, or nothing."""
        said: list[str] = []
        try:
            with told(self.conninfo), connect(self.conninfo) as db:
                db.autocommit = True
                db.execute("SET statement_timeout = 0")
                db.add_notice_handler(lambda notice: said.append(str(notice.message_primary)))
                db.execute(sql)
        except Refused as problem:
            said.append(str(problem.__cause__).partition("\n")[0])
        return said[0] if said else ""

    def add_organisation(self, name: str, *, personal: bool = False) -> None:
        """Add an organisation with its partitions and the team of everyone; an existing one stays as it is.

        What is for everyone is reviewed, unless the organisation is one person's own.
        """
        with self.begin() as db:
            made = db.execute(
                "INSERT INTO holdfast.organisation (name, personal) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (_name(name, "an organisation"), personal),
            )
            db.execute("SELECT holdfast.add_partitions()")
        self.add_team(name, EVERYONE)
        if made.rowcount and not personal:
            self.set_rule(name, EVERYONE, "reviewed")

    def add_team(self, organisation: str, team: str) -> None:
        """Add a team."""
        with self.begin() as db:
            number = _organisation(db, organisation)
            sql = "INSERT INTO holdfast.team (organisation, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            db.execute(sql, (number, _name(team, "a team")))
            db.execute(
                "INSERT INTO holdfast.feed (organisation, team) SELECT organisation, id FROM holdfast.team"
                " WHERE organisation = %s AND name = %s ON CONFLICT DO NOTHING",
                (number, team),
            )

    def set_rule(self, organisation: str, team: str, rule: str, *, own: bool = False) -> None:
        """Make a team open or reviewed; with `own`, who reviews it may also approve what they proposed."""
        if rule not in RULES:
            raise BadInput(f"{rule!a} is not a rule", f"Use one of {', '.join(RULES)}.")
        with self.begin() as db:
            sql = "UPDATE holdfast.team SET rule = %s, own_review = %s WHERE organisation = %s AND name = %s"
            if not db.execute(sql, (rule, own, _organisation(db, organisation), team)).rowcount:
                raise _missing(organisation, "team", team)

    def set_member(self, organisation: str, team: str, person: str, role: str) -> bool:
        """Give a person a role in a team, and at least that of a reader in the team of everyone; "" takes it away.

        Return whether they are in the team now, or were until now.
        """
        if role and role not in ROLES:
            raise BadInput(f"{role!a} is not a role", f"Use one of {', '.join(ROLES)}.")
        with self.begin() as db:
            number = _organisation(db, organisation)
            if not db.execute(
                "SELECT 1 FROM holdfast.team WHERE organisation = %s AND name = %s", (number, team)
            ).fetchone():
                raise _missing(organisation, "team", team)
            _name(person, "a person", "@")
            of_person = (
                "SELECT t.organisation, t.id, p.id FROM holdfast.team t JOIN holdfast.person p USING (organisation)"
                " WHERE t.organisation = %s AND t.name = %s AND p.name = %s"
            )
            if not role:
                sql = f"DELETE FROM holdfast.member WHERE (organisation, team, person) IN ({of_person})"
                return bool(db.execute(sql, (number, team, person)).rowcount)
            sql = "INSERT INTO holdfast.person (organisation, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            db.execute(sql, (number, person))
            insert = f"INSERT INTO holdfast.member SELECT found.*, %s::holdfast.role FROM ({of_person}) found"
            also = "ON CONFLICT (organisation, person, team) DO"
            db.execute(f"{insert} {also} UPDATE SET role = excluded.role", (role, number, team, person))
            db.execute(f"{insert} {also} NOTHING", ("reader", number, EVERYONE, person))
        return True

    def set_group(self, organisation: str, group: str, team: str, role: str) -> None:
        """Give a group of the provider a role in a team, which its people have when they next sign in; "" takes it."""
        if role and role not in ROLES:
            raise BadInput(f"{role!a} is not a role", f"Use one of {', '.join(ROLES)}.")
        with self.begin() as db:
            number = _organisation(db, organisation)
            where = "organisation = %s AND team = (SELECT id FROM holdfast.team WHERE organisation = %s AND name = %s)"
            db.execute(f"DELETE FROM holdfast.group_role WHERE {where} AND name = %s", (number, number, team, group))
            if role:
                made = db.execute(
                    "INSERT INTO holdfast.group_role SELECT organisation, %s, id, %s::holdfast.role FROM holdfast.team"
                    " WHERE organisation = %s AND name = %s",
                    (group, role, number, team),
                )
                if not made.rowcount:
                    raise _missing(organisation, "team", team)

    def forget_account(self, organisation: str, person: str) -> None:
        """Let the next account of the provider that has this person's name be theirs."""
        with self.begin() as db:
            number = _organisation(db, organisation)
            sql = "UPDATE holdfast.person SET subject = '' WHERE organisation = %s AND name = %s"
            if not db.execute(sql, (number, person)).rowcount:
                raise _missing(organisation, "person", person)

    def new_token(self, organisation: str, person: str, name: str, rights: tuple[str, ...], days: int) -> str:
        """Return a new token of a person, which ends after so many days; it cannot be shown again."""
        if not rights or not set(rights) <= set(RIGHTS):
            raise BadInput(f"{' '.join(rights)!a} are not rights of a token", f"Use some of {', '.join(RIGHTS)}.")
        if not 0 < days <= MAX_DAYS:
            raise BadInput(f"a token does not last {days} days", f"Give 1 to {MAX_DAYS}.")
        token = fresh_token()
        with self.begin() as db:
            made = db.execute(
                "INSERT INTO holdfast.token (digest, organisation, person, organisation_name, person_name, name,"
                " rights, expires) SELECT %s, o.id, p.id, o.name, p.name, %s, %s, now() + make_interval(days => %s)"
                " FROM holdfast.organisation o JOIN holdfast.person p ON p.organisation = o.id"
                " WHERE o.name = %s AND p.name = %s",
                (digest_of(token), name, list(rights), days, organisation, person),
            )
            if not made.rowcount:
                raise _missing(organisation, "person", person)
        return token

    def end_tokens(self, organisation: str, person: str, name: str = "") -> int:
        """End the tokens of a person, or those of one name; return how many."""
        with self.begin() as db:
            sql = "DELETE FROM holdfast.token WHERE organisation_name = %s AND person_name = %s AND %s IN (name, '')"
            return int(db.execute(sql, (organisation, person, name)).rowcount)

    def audit(self, organisation: str, since: str, until: str, person: str, team: str, limit: int) -> list[AuditRow]:
        """Return the newest acts in an organisation, the latest first; a filter that is empty lets all in."""
        with self.begin() as db:
            rows = db.execute(
                "SELECT to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), a.person, a.act,"
                " coalesce(t.name, ''), a.kind, a.owner, a.key, a.before, a.after, a.reason FROM holdfast.audit a"
                " LEFT JOIN holdfast.team t ON t.organisation = a.organisation AND t.id = a.team"
                " WHERE a.organisation = %s AND (%s = '' OR a.at >= %s::timestamptz) AND (%s = '' OR a.at <"
                " %s::timestamptz) AND %s IN ('', a.person) AND %s IN ('', t.name) ORDER BY a.at DESC LIMIT %s",
                (_organisation(db, organisation), since, since or None, until, until or None, person, team, limit),
            ).fetchall()
        return [AuditRow(*row) for row in rows]


def bearer(pool: Pool, token: str) -> Bearer | None:
    """Return whom a token stands for; None where it is unknown or over."""
    return bearer_of(pool, digest_of(token)) if token.startswith(_PREFIX) else None


def bearer_of(pool: Pool, digest: str) -> Bearer | None:
    """Return whom the token with this digest stands for; None where it is unknown or over."""
    with pool.transaction(Asks("", "", "")) as db:
        found = db.execute("SELECT * FROM holdfast.sign_in(%s)", (digest,)).fetchone()
    if found is None:
        return None
    organisation, person, name, rights, teams, roles = found
    return Bearer(organisation, person, name, tuple(rights), tuple(teams), dict(zip(teams, roles, strict=True)))


def roles_of(pool: Pool, organisation: str, person: str) -> dict[str, str]:
    """Return the role of a person in each of their teams; none where they are not there, or no more."""
    with pool.transaction(Asks(organisation, person, "")) as db:
        return dict(db.execute(_OWN_ROLES).fetchall())


def sign_in(pool: Pool, organisation: str, person: str, account: str, groups: list[str]) -> str:
    """Return the name of whoever signed in as an account of the provider, with the roles that their groups have."""
    with pool.transaction(Asks("", "", "")) as db:
        found = db.execute("SELECT holdfast.sign_in(%s, %s, %s, %s)", (organisation, person, account, groups))
        name = str(found.fetchone()[0])
    if not roles_of(pool, organisation, name):
        raise Refused(f"{name} is in no team here", "An administrator adds people; so does a group that has a role.")
    return name


class OwnToken(NamedTuple):
    """A token of somebody, as they see it: its name, what it may, and from when to when it holds."""

    name: str
    rights: list[str]
    created: str
    expires: str


def own_tokens(pool: Pool, asks: Asks) -> list[OwnToken]:
    """Return the tokens of whoever asks that hold, the oldest first."""
    day = 'to_char({}, \'YYYY-MM-DD"T"HH24:MI:SS"Z"\')'
    sql = f"SELECT name, rights, {day.format('created')}, {day.format('expires')} FROM holdfast.own_tokens()"
    with pool.transaction(asks) as db:
        return [OwnToken(*row) for row in db.execute(sql).fetchall()]


def new_own_token(pool: Pool, asks: Asks, name: str, rights: list[str], days: int) -> str:
    """Return a new token of whoever asks; it is shown here alone."""
    token = fresh_token()
    with pool.transaction(asks) as db:
        db.execute("SELECT holdfast.add_own_token(%s, %s, %s, %s)", (digest_of(token), name, rights, days))
    return token


def end_own_tokens(pool: Pool, asks: Asks, name: str) -> int:
    """End those tokens of whoever asks that have this name; return how many."""
    with pool.transaction(asks) as db:
        return int(db.execute("SELECT holdfast.end_own_tokens(%s)", (name,)).fetchone()[0])


def fresh_token() -> str:
    """Return a new random token."""
    return _PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return what is kept of a token."""
    return sha256(token.encode()).hexdigest()


def _missing(organisation: str, what: str, name: str) -> NotFound:
    """Return the error of a team or a person that an organisation does not have."""
    return NotFound(f"{organisation} has no {what} {name}", f"`holdfast hub member` adds the {what}.")


def _organisation(db: Any, name: str) -> int:
    found = db.execute("SELECT id FROM holdfast.organisation WHERE name = %s", (name,)).fetchone()
    if found is None:
        raise NotFound(f"there is no organisation {name}", "`holdfast hub member` adds it.")
    return int(found[0])


def _name(text: str, what: str, more: str = "") -> str:
    letters = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-" + more)
    most = 120 if more else 60
    if not text or len(text) > most or not letters.issuperset(text) or not text[0].isalnum():
        hint = f"Use up to {most} of a-z, 0-9, dot, underscore and hyphen."
        raise BadInput(f"{text!a} is not the name of {what}", hint)
    return text
