"""What an operator takes out of a hub: memories that have expired, and a text that must go from every table.

Both are plans first. Applying one is a transaction: triggers number each removal, so that every client drops what is
gone, and write it to the audit. Erasing then has PostgreSQL rewrite the tables, since old versions of rows stay in
its files; what it leaves of the write-ahead log and of backups is not ours (docs/hub.md).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from holdfast.base.clock import now
from holdfast.base.text import count, hash_of
from holdfast.errors import BadInput
from holdfast.exchange.hub_allowed import erased_key
from holdfast.memory.retention import judge
from holdfast.privacy.scrub import Scrubber, needle, words_of
from holdfast.records import Step
from holdfast.store import words
from holdfast.store.organisations import Operator
from holdfast.store.postgres_filter import COLUMNS, memory_of
from holdfast.store.postgres_rows import erased_in

MIN_TEXT = 4
YEAR = 365
# What goes by its age alone: the table, the moment that counts, and how many days it stays.
_AGED = (
    ("proposal", "decided", "state <> 'open' AND", 90, "decided proposals"),
    ("receipt", "at::timestamptz", "", YEAR, "receipts"),
    ("shared_digest", "week", "", YEAR, "digests of sessions"),
    ("token", "expires", "", 0, "tokens that ended"),
)
# Whose rows go whole where they hold the text; of all others the field is emptied.
_WHOLE = ("proposal", "passage", "passage_source", "session", "session_file", "shared_digest", "shared_signal")
# Names and digests, which are no words of people; a key is taken out with its memory.
_NAMES = (
    *("kind", "owner", "key", "person", "act", "digest", "model", "what", "stem", "said", "name", "session", "state"),
)
# The types of fields with words, and how each says all of them: of JSON every string and every name of a value.
_PARTS = {
    "text": "ARRAY[{0}]",
    "text[]": "{0}",
    "jsonb": "(SELECT array_agg(one #>> '{{}}') FROM (SELECT jsonb_path_query({0}, 'strict $.**') UNION ALL"
    " SELECT jsonb_path_query({0}, 'strict $.** ? (@.type() == \"object\").keyvalue().key')) every(one))",
}
# So many rows come to this process at once.
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class HubPlan:
    """What would go, and the numbers of the memories among it."""

    steps: list[Step]
    memories: list[int]


def plan_retention(operator: Operator, organisation: str, days: int) -> HubPlan:
    """Return what has expired in an organisation, each with its rule: memories by type, scope and last use."""
    steps, expired = [], []
    with operator.begin() as db:
        number = operator.number_of(db, organisation)
        rows = db.execute(
            "SELECT m.id, t.name, octet_length(m.text), greatest(m.updated, coalesce(u.last, ''),"
            " coalesce((SELECT max(r.at) FROM holdfast.receipt r WHERE (r.organisation, r.team, r.key, r.kind, r.owner)"
            f" = (m.organisation, m.team, m.key, m.kind, m.owner)), '')), {COLUMNS} FROM holdfast.memory m"
            " JOIN holdfast.team t ON t.organisation = m.organisation AND t.id = m.team"
            " LEFT JOIN holdfast.use u ON (u.organisation, u.team, u.kind, u.owner, u.key)"
            " = (m.organisation, m.team, m.kind, m.owner, m.key) WHERE m.organisation = %s ORDER BY t.name, m.key",
            (number,),
        ).fetchall()
        for id, team, size, touched, *fields in rows:
            verdict = judge(memory_of(fields), touched, {"project": days, "session": 14}, now())
            if verdict.expired:
                steps.append(Step("remove", f"{team}/{verdict.memory.key}", verdict.rule, size))
                expired.append(id)
        for table, moment, also, aged, what in _AGED:
            gone = db.execute(f"SELECT count(*) FROM holdfast.{table} WHERE {_old(moment, also)}", (number, aged))
            if found := int(gone.fetchone()[0]):
                steps.append(Step("remove", what, f"{count(found, 'row')}, older than {aged} days"))
    return HubPlan(steps, expired)


def apply_retention(operator: Operator, organisation: str, plan: HubPlan) -> None:
    """Remove what the plan names; every client drops those memories at its next sync."""
    with operator.begin() as db:
        number = operator.number_of(db, organisation)
        db.execute("SELECT set_config('holdfast.reason', 'retention', true)")
        db.execute("DELETE FROM holdfast.memory WHERE organisation = %s AND id = ANY(%s)", (number, plan.memories))
        for table, moment, also, aged, _ in _AGED:
            db.execute(f"DELETE FROM holdfast.{table} WHERE {_old(moment, also)}", (number, aged))


def _old(moment: str, also: str) -> str:
    return f"organisation = %s AND {also} {moment} < now() - make_interval(days => %s)"


def plan_erase(operator: Operator, organisation: str, text: str) -> HubPlan:
    """Return where a text stands in an organisation, in any encoding: memories that go whole, and other fields."""
    if len(text.strip()) < MIN_TEXT:
        raise BadInput(f"a text to erase has at least {MIN_TEXT} characters", "Give more of it.")
    holds = _finder(text)
    with operator.begin() as db:
        number = operator.number_of(db, organisation)
        ids = [id for _, id in _rows_with(db, number, ("memory", "text", "text"), holds, "id")]
        rows = db.execute(
            "SELECT m.id, t.name, m.key, octet_length(m.text) FROM holdfast.memory m JOIN holdfast.team t"
            " ON t.organisation = m.organisation AND t.id = m.team WHERE m.organisation = %s AND m.id = ANY(%s)"
            " ORDER BY 2, 3",
            (number, ids),
        ).fetchall()
        steps = [
            Step("erase", f"{team}/{key}", "with its history, words and vectors", size) for _, team, key, size in rows
        ]
        for table, column, kind in _columns(db):
            found = 0 if table == "memory" else len(_rows_with(db, number, (table, column, kind), holds))
            if found:
                act = "erase" if table in _WHOLE else "rewrite"
                steps.append(Step(act, f"{table}.{column}", count(found, "row")))
    return HubPlan(steps, [row[0] for row in rows])


def apply_erase(operator: Operator, organisation: str, text: str, plan: HubPlan) -> list[str]:
    """Take the text out of every table, then have the tables rewritten; return what PostgreSQL did not let us do."""
    holds = _finder(text)
    with operator.begin() as db:
        number = operator.number_of(db, organisation)
        db.execute("SELECT set_config('holdfast.reason', 'erased', true)")
        gone = db.execute(
            "DELETE FROM holdfast.memory WHERE organisation = %s AND id = ANY(%s)"
            " RETURNING organisation, team, kind, owner, key, body",
            (number, plan.memories),
        ).fetchall()
        for organisation_id, team, kind, owner, key, body in gone:
            place = (organisation_id, team, kind, owner)
            _bury(db, place, key, body)
        for row in erased_in(db, number).rows_of(now(), [text, *(body for *_, body in gone)]):
            note = "INSERT INTO holdfast.erased VALUES (%s, %s) ON CONFLICT DO NOTHING"
            db.execute(note, (number, json.dumps(row)))
        for table, column, kind in _columns(db):
            if table == "memory":
                continue
            empty = "'{}'" if kind == "text[]" else "''"
            act = f"UPDATE holdfast.{table} one SET {column} = {empty} FROM"
            if table in _WHOLE:
                act = f"DELETE FROM holdfast.{table} one USING"
            places = [place for place, _ in _rows_with(db, number, (table, column, kind), holds)]
            asked = f"{act} unnest(%s::text[]) place WHERE one.tableoid::text || one.ctid::text = place"
            if places:
                db.execute(asked, (places,))
    return _rewritten(operator, number)


def _finder(text: str) -> Callable[[str], bool]:
    """Return what tells whether words hold a text: as it stands, or as its words in any of the encodings of `erase`."""
    scrubber, lowered = Scrubber([needle(text)] if words_of(text) else []), text.lower()
    return lambda said: lowered in said.lower() or scrubber.holds(said.encode("utf-8", "surrogatepass")) > 0


def _rows_with(
    db: Any, number: int, field: tuple[str, str, str], holds: Callable[[str], bool], also: str = "NULL"
) -> list[tuple[str, Any]]:
    """Return where the rows lie whose field holds a text, each with one more of its columns.

    A part of a field is looked at as it was said: in JSON and lists a quote or a line end is written otherwise.
    """
    table, column, kind = field
    parts = _PARTS[kind].format(column)
    with db.cursor(name="erasing") as rows:
        rows.itersize = _AT_ONCE
        rows.execute(
            f"SELECT tableoid::text || ctid::text, {also}, {parts} FROM holdfast.{table} WHERE organisation = %s",
            (number,),
        )
        return [(place, other) for place, other, said in rows if any(holds(one) for one in said or () if one)]


def _bury(db: Any, place: tuple[int, int, str, str], key: str, body: str) -> None:
    """Keep digests of what was erased, so that no agent brings it back, and take its key out of trails and the feed."""
    told = [("key", hash_of("key", key)), ("said", words.digest(body))]
    for what, digest in told:
        db.execute(
            "INSERT INTO holdfast.forgotten VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
            (*place, what, digest),
        )
    for table in ("audit", "receipt", "proposal", "gone"):
        where = "organisation = %s AND team = %s AND kind = %s AND owner = %s AND key = %s"
        db.execute(f"UPDATE holdfast.{table} SET key = %s WHERE {where}", (erased_key(key), *place, key))


def _columns(db: Any) -> list[tuple[str, str, str]]:
    """Return table, column and type of all that may hold words of people, whichever tables there are."""
    return list(
        db.execute(
            "SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
            " WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            " AND format_type(a.atttypid, NULL) = ANY(%s) AND EXISTS (SELECT 1 FROM pg_attribute o WHERE"
            " o.attrelid = c.oid AND o.attname = 'team') AND a.attname <> ALL(%s) ORDER BY 1, 2",
            (list(_PARTS), list(_NAMES)),
        ).fetchall()
    )


def _rewritten(operator: Operator, organisation: int) -> list[str]:
    """Rewrite every table of an organisation, and the samples that the planner keeps; return what was refused."""
    with operator.begin() as db:
        _clear_samples(db)
        of_schema = "relnamespace = 'holdfast'::regnamespace"
        tables = db.execute(
            f"SELECT relname FROM pg_class WHERE {of_schema} AND relkind = 'r'"
            " AND (NOT relispartition OR relname LIKE %s) ORDER BY 1",
            (f"%\\_{organisation}",),
        ).fetchall()
        parted = db.execute(f"SELECT relname FROM pg_class WHERE {of_schema} AND relkind = 'p' ORDER BY 1").fetchall()
    steps = [f"VACUUM (FULL, ANALYZE) holdfast.{name}" for (name,) in tables]
    steps += [f"ANALYZE holdfast.{name}" for (name,) in parted]
    told = {
        sql: operator.outside(sql)
        for sql in (*steps, "VACUUM FULL pg_catalog.pg_statistic", "SELECT pg_switch_wal()", "CHECKPOINT")
    }
    return [f"{sql}: {problem}" for sql, problem in told.items() if problem]


def _clear_samples(db: Any) -> None:
    """Take away what the planner sampled of every column: looking at an emptied table again leaves the old samples.

    Before PostgreSQL 18 only a superuser can; there they are renewed for tables that still have rows.
    """
    if db.info.server_version >= 180_000:
        db.execute(
            "SELECT pg_clear_attribute_stats('holdfast', c.relname::text, a.attname::text, is_whole) FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
            " CROSS JOIN unnest('{true,false}'::boolean[]) is_whole WHERE c.relnamespace = 'holdfast'::regnamespace"
            " AND c.relkind IN ('r', 'p')"
        )
