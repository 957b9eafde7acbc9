"""Proposals of a hub: what is to be shared with a reviewed team, who decides on it, and what an admin sets.

Identity. A proposal is a row of its organisation: the memory as it would become, who proposed it and why. One person
has at most one open proposal for a memory; a newer one takes its place.

Deciding is one transaction in the database (`migrations/0005`): it looks up itself whether the person may, whether the
memory is still what it was, writes it, and takes the words out of the proposal. Nothing here can go past it.

Whose words. What is shown is read from the text, which is what clients will fetch; the columns beside it, which agents
of the hub are told, come from whoever proposed. Where the two differ, nobody can approve.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple

from holdfast.base.text import hash_of
from holdfast.errors import BadInput, NotFound, Refused
from holdfast.privacy.redact import redact
from holdfast.records import Scope
from holdfast.store.organisations import digest_of, fresh_token
from holdfast.store.postgres_connection import Asks, Pool
from holdfast.store.postgres_rows import FIELDS, parsed, row_values

STATES = ("open", "approved", "rejected", "replaced")
_MOST = 200
_SHOWN = (
    'p.id, t.name, p.kind, p.owner, p.key, p.person, p.reason, to_char(p.made, \'YYYY-MM-DD"T"HH24:MI:SS"Z"\'),'
    " p.state, p.decided_by, p.answer, p.type, p.tags, p.title, p.body, coalesce(m.title, ''), coalesce(m.body, ''),"
    " p.state = 'open' AND p.before <> coalesce(holdfast.digest_of(m.text), ''), p.text, p.updated, p.key_digest"
)
# Of the columns that a text makes, those that say what a memory is and does.
_MADE = ("title", "body", "type", "tags", "supersedes", "trust", "branch", "condition", "enforce", "said")


class HubProposal(NamedTuple):
    """What somebody proposes to share, and what is there now; the words are gone once it is decided."""

    id: int
    team: str
    kind: str
    owner: str
    key: str
    person: str
    reason: str
    made: str
    state: str
    decided_by: str
    answer: str
    type: str
    tags: list[str]
    title: str
    body: str
    title_now: str
    body_now: str
    is_stale: bool
    # Whether the columns are not what the text makes.
    is_forged: bool = False

    def diff(self) -> list[str]:
        """Return what would change, line by line; nothing once it is decided."""
        if self.state != "open":
            return []
        before = [self.title_now, "", *self.body_now.splitlines()] if self.body_now else []
        after = [self.title, "", *self.body.splitlines()] if self.body else []
        return list(difflib.unified_diff(before, after, "now", "proposed", lineterm="", n=3))


def proposals(pool: Pool, asks: Asks, state: str = "open", which: int | None = None) -> list[HubProposal]:
    """Return the proposals that a person made or reviews, the oldest first; with `which`, that one, in any state."""
    if state not in STATES:
        raise BadInput(f"{state!a} is not a state of a proposal", f"Use one of {', '.join(STATES)}.")
    with pool.transaction(asks) as db:
        rows = db.execute(
            f"SELECT {_SHOWN}, {', '.join(f'p.{name}' for name in _MADE)} FROM holdfast.proposal p"
            " JOIN holdfast.team t ON t.organisation = p.organisation AND t.id = p.team LEFT JOIN holdfast.memory m"
            " ON (m.organisation, m.team, m.kind, m.owner, m.key) = (p.organisation, p.team, p.kind, p.owner, p.key)"
            " WHERE (p.id = %s OR %s::bigint IS NULL AND p.state = %s) ORDER BY p.id LIMIT %s",
            (which, which, state, _MOST),
        ).fetchall()
    if which is not None and not rows:
        raise NotFound(f"there is no proposal {which} that you may see", "`holdfast hub review` lists them.")
    return [_proposal(row) for row in rows]


def _proposal(row: Sequence[Any]) -> HubProposal:
    """Return a proposal as its text says it."""
    width = len(HubProposal._fields) - 1
    found, (text, updated, key_digest), made = HubProposal(*row[:width]), row[width : width + 3], row[width + 3 :]
    if found.state != "open":
        return found
    memory, _ = parsed(text, Scope(found.kind, found.owner), found.key, updated)
    of_text = dict(zip(FIELDS, row_values(memory, text), strict=False))
    is_own = key_digest == hash_of("key", found.key) and list(made) == [of_text[name] for name in _MADE]
    said = found._replace(title=memory.title, body=memory.body, type=memory.type, tags=list(memory.tags))
    return said._replace(is_forged=not is_own)


def decide(pool: Pool, asks: Asks, which: int, *, approve: bool, reason: str) -> str:
    """Approve or reject a proposal; return the name of its team."""
    verdict = "approved" if approve else "rejected"
    if approve and proposals(pool, asks, which=which)[0].is_forged:
        raise Refused(f"proposal {which} does not say what it would share", "Reject it.")
    return str(_call(pool, asks, "decide(%s, %s, %s)", (which, verdict, redact(reason.strip())[0])))


def set_rule(pool: Pool, asks: Asks, team: str, rule: str, *, own: bool) -> None:
    """Make a team open or reviewed, as its admin."""
    _call(pool, asks, "set_rule(%s, %s, %s)", (team, rule, own))


def set_role(pool: Pool, asks: Asks, team: str, person: str, role: str) -> None:
    """Give a person a role in a team, as its admin; "" takes it away. New people the organisation's admin adds."""
    _call(pool, asks, "set_role(%s, %s, %s)", (team, person, role))


def team_people(pool: Pool, asks: Asks, team: str) -> dict[str, Any]:
    """Return the rule of a team and the role of each of its people, for its admin."""
    with pool.transaction(asks) as db:
        rows = db.execute("SELECT * FROM holdfast.team_people(%s)", (team,)).fetchall()
    people = [{"person": person, "role": role} for _, _, person, role in rows if person]
    return {"team": team, "rule": rows[0][0], "own": rows[0][1], "people": people}


def new_token(pool: Pool, asks: Asks, person: str, name: str, rights: list[str], days: int) -> str:
    """Return a new token of a person, made by the organisation's admin; it is shown here alone."""
    token = fresh_token()
    _call(pool, asks, "add_token(%s, %s, %s, %s, %s)", (person, digest_of(token), name, rights, days))
    return token


def end_tokens(pool: Pool, asks: Asks, person: str, name: str = "") -> int:
    """End the tokens of a person, or those of a name, as the organisation's admin; return how many."""
    return int(_call(pool, asks, "end_tokens(%s, %s)", (person, name)))


def _call(pool: Pool, asks: Asks, function: str, values: tuple[object, ...]) -> Any:
    if not asks.person:
        raise Refused("only a person may ask this, and none is named", "Give a token.")
    with pool.transaction(asks) as db:
        return db.execute(f"SELECT holdfast.{function}", values).fetchone()[0]
