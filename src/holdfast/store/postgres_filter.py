"""Which memories of a team a filter lets through, as a condition, and a memory of the columns of its row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.records import Filter, Memory, Scope
from holdfast.store import layout

COLUMNS = (
    "m.key, m.kind, m.owner, m.title, m.body, m.type, m.tags, m.trust, m.created, m.updated, m.source, m.agent,"
    " m.session, m.supersedes, m.pinned, m.anchors, m.branch, m.condition, m.enforce"
)


def where_of(wanted: Filter, place: tuple[int, int]) -> tuple[str, list[object]]:
    """Return the condition on the memory `m` that keeps what may and should be seen, and its values."""
    clauses, values = in_scopes("m", wanted, place)
    low = [name.lower() for name in wanted.agents]
    wished = ("m.type", wanted.types), ("m.key", wanted.keys), ("lower(m.agent)", low), ("m.trust", wanted.trusts)
    for column, wishes in wished:
        if wishes:
            clauses.append(f"{column} = ANY(%s)")
            values.append(list(wishes))
    if wanted.tags:
        clauses.append("m.low_tags @> %s::text[]")
        values.append([tag.lower() for tag in wanted.tags])
    for sign, moment in ((">=", wanted.since), ("<", wanted.until)):
        if moment:
            clauses.append(f"m.updated {sign} %s")
            values.append(moment)
    if wanted.anchored:
        clauses.append("(m.anchors <> '{}' OR m.branch <> '')")
    if any(wanted.between):
        since, until = wanted.between[0], wanted.between[1] or "~"
        clauses.append("(m.updated >= %s AND m.updated < %s OR m.created >= %s AND m.created < %s)")
        values += [since, until, since, until]
    if wanted.used is not None:
        clauses.append(
            f"{'' if wanted.used else 'NOT '}EXISTS (SELECT 1 FROM holdfast.use u WHERE"
            " (u.organisation, u.team, u.kind, u.owner, u.key) = (m.organisation, m.team, m.kind, m.owner, m.key))"
        )
    return " AND ".join(clauses), values


def in_scopes(alias: str, wanted: Filter, place: tuple[int, int]) -> tuple[list[str], list[object]]:
    """Return the conditions that keep rows to the team and the wanted scopes, and their values."""
    clauses, values = [f"{alias}.organisation = %s", f"{alias}.team = %s"], list[object](place)
    if wanted.scopes is not None and len(wanted.scopes) == 1:
        clauses.append(f"{alias}.kind = %s AND {alias}.owner = %s")
        values += pair(wanted.scopes[0])
    elif wanted.scopes is not None:
        clauses.append(f"({alias}.kind, {alias}.owner) IN (SELECT * FROM unnest(%s::text[], %s::text[]))")
        values += [[one.kind for one in wanted.scopes], [one.owner for one in wanted.scopes]]
    return clauses, values


def memory_of(fields: Sequence[Any]) -> Memory:
    """Return the memory of a row of COLUMNS."""
    key, kind, owner, title, body, sort, tags, trust, created, updated, source, agent, session, *rest = fields
    supersedes, pinned, anchors, branch, condition, enforce = rest
    scope = Scope(kind, owner)
    return Memory(
        *(key, scope, title, body, sort, tuple(tags), trust, created, updated, source, agent, session),
        *(tuple(supersedes), pinned, (), layout.usual_path(scope, key), tuple(anchors), branch, condition, enforce),
    )


def pair(scope: Scope) -> tuple[str, str]:
    """Return a scope as rows have it."""
    return scope.kind, scope.owner
