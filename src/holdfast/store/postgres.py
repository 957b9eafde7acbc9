"""The store of a hub: the memories of one team in PostgreSQL, as one person of it sees them.

Identity. A memory is a row of its organisation and team; its scope and key are unique there. Its text is Markdown as in
a file of the local store, and is the truth; the other columns are derived from it in the same write.

Writing. One transaction: the team's feed is locked, the memory read as it is now, the change put in and committed.
Writers of one team go one after the other, those of different teams do not meet. If the process dies, nothing happened,
or all of it did. The change gets its number and its row in the audit by triggers, whoever writes.

Whose. The database decides what a person sees and changes (`migrations/`, row-level security); nothing here can widen
it. Where a person may not write, a write is Refused and changes nothing.

Checking. `tests/store/test_postgres.py` runs the contract, `test_isolation.py` what others must not see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.base.clock import now
from holdfast.base.text import hash_of
from holdfast.errors import BadInput, Conflict, Refused
from holdfast.privacy.redact import redact
from holdfast.records import Candidate, Draft, Filter, Group, Memory, Problem, Refreshed, Scope, Stored, replace
from holdfast.store import layout, memory_file, merge
from holdfast.store.keys import automatic_keys, check_key
from holdfast.store.local import MAX_BYTES
from holdfast.store.postgres_connection import Asks, parse, pool_of
from holdfast.store.postgres_filter import COLUMNS, memory_of, where_of
from holdfast.store.postgres_rows import (
    FIELDS,
    STAGED,
    TYPES_OF,
    WORDS,
    TeamTables,
    add_proposal,
    check_erased,
    counting,
    new_text,
    parsed,
    row_values,
)
from holdfast.store.postgres_search import AMONG, MemoryRows
from holdfast.store.words import digest

if TYPE_CHECKING:
    from holdfast.store.base import Answer, MemoryTree, Progress, Tables

_PAGE = 200
# How many memories one statement adds.
_PORTION = 500
_HERE = "organisation = %s AND team = %s"
_AT = f"{_HERE} AND kind = %s AND owner = %s"


class PutPlan(NamedTuple):
    """What storing a draft would answer, and the present memory with its text."""

    stored: Stored
    found: tuple[Memory, str] | None


class PostgresStore:
    """The store of one team. The address names the database, and who asks: organisation, team and person."""

    has_tree = False
    is_temporary = False

    def __init__(self, address: str, largest: int = MAX_BYTES, asks: Asks | None = None) -> None:
        """Open the store of the team that the address names, or of whom `asks` says."""
        conninfo, named = parse(address)
        self.asks = asks or named
        if not all(self.asks):
            missing = ", ".join(name for name, value in self.asks._asdict().items() if not value)
            raise BadInput(f"the address of the store does not say {missing}", "Add ?organisation=..&team=..&person=..")
        self.pool = pool_of(conninfo)
        self.largest = largest
        self.notes: list[str] = []
        # Why the next changes are made, for the audit.
        self.reason = ""
        self._place: tuple[int, int] | None = None
        # Known after the first use: in a team with reviews, a new memory is only proposed.
        self.is_reviewed = False
        self._db: Any = None
        self._models: dict[str, str] = {}

    @property
    def tree(self) -> MemoryTree:
        """There are no files."""
        raise Refused("this store keeps no files", "Use a home folder for what is about files.")

    @contextmanager
    def begin(self) -> Iterator[Any]:
        """Yield the connection within a transaction of the person; within another one it is a part of that."""
        if self._db is not None:
            with self._db.transaction():
                yield self._db
            return
        with self.pool.transaction(self.asks) as db:
            self._db = db
            try:
                if self._place is None:
                    self._place, self.is_reviewed = _place_of(db, self.asks)
                yield db
            finally:
                self._db = None

    @contextmanager
    def writing(self) -> Iterator[Any]:
        """As `begin`, with the team's feed locked; Refused where the person may not write."""
        with self.begin() as db:
            if not db.execute(f"SELECT 1 FROM holdfast.feed WHERE {_HERE} FOR UPDATE", self._place).fetchone():
                hint = "An administrator of the organisation gives roles: `holdfast hub member`."
                raise Refused(f"{self.asks.person} may read {self.asks.team} but not write to it", hint)
            if self.reason:
                db.execute("SELECT set_config('holdfast.reason', %s, true)", (redact(self.reason)[0],))
            yield db

    def _at(self, scope: Scope) -> tuple[object, ...]:
        assert self._place is not None
        return (*self._place, scope.kind, scope.owner)

    def put(self, draft: Draft, clean: Callable[[Draft], Draft] | None = None, was: str | None = None) -> Stored:
        """Store the draft; see the contract in `base`."""
        draft = self.checked(draft, clean)
        with self.writing() as db:
            plan = self.plan(db, draft, was)
            memory, there, is_new = plan.stored.memory, plan.found, plan.stored.action != "unchanged"
            if is_new and self.is_reviewed:
                number = add_proposal(db, self.here, self.asks.person, self.reason, memory, new_text(memory, there))
                return Stored("proposed", there[0] if there else memory, proposal=str(number))
            if is_new:
                self._keep(db, memory, there)
            if draft.trust == "user":
                db.execute(
                    f"DELETE FROM holdfast.forgotten WHERE {_AT} AND (what, digest) IN (('key', %s), ('said', %s))",
                    (*self._at(draft.scope), hash_of("key", memory.key), digest(merge.content_of(draft).statement)),
                )
            return plan.stored

    def checked(self, draft: Draft, clean: Callable[[Draft], Draft] | None) -> Draft:
        """Return the draft without what must not be stored; what cannot be stored at all is refused."""
        merge.check(draft, self.largest)
        return clean(draft) if clean else draft

    def plan(self, db: Any, draft: Draft, was: str | None = None) -> PutPlan:
        """Return what storing a checked draft would make of what is there; nothing changes."""
        content, scope = merge.content_of(draft), draft.scope
        keys = (draft.key,) if draft.key is not None else automatic_keys(content.statement)
        for key in keys:
            found = self._read(db, scope, key)
            if was is not None:
                merge.check_was(key, was, found[1] if found else "")
            if draft.key is None and found is not None and not merge.restates(content.statement, found[0]):
                continue
            before = found[0] if found else None
            superseded = merge.superseded(draft, key, lambda other: (self._read(db, scope, other) or (None,))[0])
            if not self.is_reviewed:
                # In such a team somebody reviews it first, whoever says it.
                merge.check_whose(draft, before, superseded)
            merge.check_forgotten(self, draft, key, content.statement, before)
            stored = merge.answer(before, merge.merged(draft, key, content, before))
            return PutPlan(stored if key == keys[0] else replace(stored, beside=keys[0]), found)
        raise merge.no_free_key(scope)

    def _read(self, db: Any, scope: Scope, key: str) -> tuple[Memory, str] | None:
        """Return the memory with its history, and its text; None where there is no such memory."""
        sql = f"SELECT text, updated FROM holdfast.memory WHERE {_AT} AND key = %s"
        found = db.execute(sql, (*self._at(scope), key)).fetchone()
        return (parsed(found[0], scope, key, found[1])[0], found[0]) if found else None

    def _need(self, db: Any, scope: Scope, key: str) -> tuple[Memory, str]:
        found = self._read(db, layout.check_scope(scope), check_key(key))
        if found is None:
            raise merge.not_there(scope, key)
        return found

    def _keep(self, db: Any, memory: Memory, found: tuple[Memory, str] | None, text: str | None = None) -> None:
        """Write the memory in the place of the one that was found, into its text."""
        if self.is_reviewed:
            hint = "What a memory says can be changed: that is proposed, and somebody who reviews the team decides."
            raise Refused(f"{self.asks.team} is reviewed: this cannot be proposed there", hint)
        text = text or new_text(memory, found)
        check_erased(db, self.here[0], text, memory.key, self.reason)
        values = row_values(memory, text)
        if found is None:
            marks = ", ".join(["%s"] * len(FIELDS))
            db.execute(
                f"INSERT INTO holdfast.memory (organisation, team, {', '.join(FIELDS)}, words)"
                f" VALUES (%s, %s, {marks}, {WORDS})",
                (*self.here, *values),
            )
            return
        sets = ", ".join(f"{name} = %s" for name in FIELDS)
        old = found[0]
        changed = db.execute(
            f"UPDATE holdfast.memory SET {sets}, words = {WORDS} WHERE {_AT} AND key = %s",
            (*values, *self._at(old.scope), old.key),
        )
        if changed.rowcount != 1:
            raise Refused(f"{self.asks.person} may not change {old.key}", "`holdfast hub member` gives roles.")

    def get(self, scope: Scope, key: str) -> Memory:
        """Return the memory with its history."""
        with self.begin() as db:
            return self._need(db, scope, key)[0]

    def change(self, scope: Scope, key: str, **fields: object) -> Memory:
        """Set fields of the memory; the statement and the time of its last update stay."""
        with self.writing() as db:
            found = self._need(db, scope, key)
            after: Memory = replace(found[0], **fields)  # type: ignore[arg-type]
            if after != found[0]:
                self._keep(db, after, found)
        return after

    def move(self, scope: Scope, key: str, to: Scope, new_key: str) -> Memory:
        """Move the memory to another scope or key; Conflict where that is taken."""
        layout.check_scope(to)
        check_key(new_key)
        with self.writing() as db:
            found = self._need(db, scope, key)
            merge.check_free(self._read(db, to, new_key), to, new_key)
            after = replace(found[0], scope=to, key=new_key, path=layout.usual_path(to, new_key))
            self._keep(db, after, found)
        return after

    def absorb(self, memory: Memory, into: Scope) -> Memory:
        """Combine the memory with that of its key in another scope: the newer statement holds, the other is history."""
        with self.writing() as db:
            here, there = self._need(db, memory.scope, memory.key), self._need(db, into, memory.key)
            after = merge.combined(here[0], there[0])
            self._keep(db, after, there)
            self._delete(db, memory.scope, memory.key)
        return after

    def remove(self, scope: Scope, key: str, *, forget: bool) -> Memory:
        """Remove the memory; where it is forgotten, its tombstone is in the same transaction."""
        with self.writing() as db:
            memory, _ = self._need(db, scope, key)
            if forget:
                said = [digest(text) for text in (memory.body, *(one.text for one in memory.history))]
                buried = [("key", hash_of("key", key)), *(("said", one) for one in dict.fromkeys(said))]
                db.execute(
                    "INSERT INTO holdfast.forgotten SELECT %s, %s, %s, %s, * FROM unnest(%s::text[], %s::text[])"
                    " ON CONFLICT DO NOTHING",
                    (*self._at(scope), [what for what, _ in buried], [one for _, one in buried]),
                )
            self._delete(db, scope, key)
        return memory

    def _delete(self, db: Any, scope: Scope, key: str) -> None:
        db.execute(f"DELETE FROM holdfast.memory WHERE {_AT} AND key = %s", (*self._at(scope), key))
        db.execute(f"DELETE FROM holdfast.use WHERE {_AT} AND key = %s", (*self._at(scope), key))

    def text(self, memory: Memory) -> str:
        """Return the text of the memory, exactly."""
        with self.begin() as db:
            return self._need(db, memory.scope, memory.key)[1]

    def rewrite(
        self, scope: Scope, key: str, text: str, was: str | None = None, clean: Callable[[str], str] | None = None
    ) -> Memory:
        """Replace the whole text, front matter and all: what a person wrote in an editor. A reviewed team's stands."""
        with self.writing() as db:
            found = self._need(db, scope, key)
            if was is not None:
                merge.check_was(key, was, found[1])
            memory, problems = parsed(text, scope, key, now())
            if any(problem.severity == "error" for problem in problems):
                memory_file.update(text, memory, memory.path)
            after = merge.with_history(memory, found[0])
            text = memory_file.update(text, after, after.path)
            if clean:
                text = clean(text)
                after, _ = parsed(text, scope, key, after.updated)
            if self.is_reviewed:
                add_proposal(db, self.here, self.asks.person, self.reason, after, text)
            else:
                self._keep(db, after, found, text)
            return self._need(db, scope, key)[0]

    def relink(self, memory: Memory, text: str) -> None:
        """Replace the text where only links changed: no new statement, no history."""
        with self.writing() as db:
            found = self._need(db, memory.scope, memory.key)
            if (found[0].body, found[0].updated) != (memory.body, memory.updated):
                raise Conflict(f"{memory.key} changed meanwhile", "Try again.")
            after, _ = parsed(text, memory.scope, memory.key, memory.updated)
            self._keep(db, after, found, text)

    def add(self, memories: Iterable[tuple[Memory, str]]) -> int:
        """Add many memories, each with its text, by COPY; return how many. Where one is there already, none is added.

        It is one transaction, in portions, so that no statement runs into its time limit.
        """
        staged = ", ".join(f"{name} {TYPES_OF.get(name, 'text')}" for name in (*FIELDS, *STAGED))
        made = " || ".join(
            f"holdfast.words_of({name}, '{weight}')" for name, weight in zip(STAGED, "ABCD", strict=True)
        )
        fields, rest, count = ", ".join(FIELDS), iter(memories), 0
        insert = f"INSERT INTO holdfast.memory (organisation, team, {fields}, words) SELECT %s, %s, {fields}, {made}"
        with self.writing() as db:
            db.execute(f"CREATE TEMP TABLE holdfast_staged ({staged}) ON COMMIT DROP")
            while portion := [row_values(memory, text) for memory, text in islice(rest, _PORTION)]:
                with db.cursor().copy("COPY holdfast_staged FROM STDIN") as copy:
                    for row in portion:
                        copy.write_row(row)
                count += int(db.execute(f"{insert} FROM holdfast_staged", self._place).rowcount)
                db.execute("TRUNCATE holdfast_staged")
        return count

    def size(self, memory: Memory) -> int:
        """Return how many bytes the text takes."""
        return len(self.text(memory).encode())

    def modified(self, memory: Memory) -> str:
        """Return when the memory was last written, by whomever."""
        with self.begin() as db:
            self._need(db, memory.scope, memory.key)
            sql = (
                f'SELECT to_char(written, \'YYYY-MM-DD"T"HH24:MI:SS"Z"\') FROM holdfast.memory WHERE {_AT} AND key = %s'
            )
            return str(db.execute(sql, (*self._at(memory.scope), memory.key)).fetchone()[0])

    def find(self, wanted: Filter, limit: int | None = None, skip: int = 0) -> Iterator[Memory]:
        """Return memories, newest first, without their history."""
        order = "ORDER BY m.updated DESC, m.kind, m.owner, m.key"
        with self.begin() as db:
            where, values = where_of(wanted, self.here)
            sql = f"SELECT m.id FROM holdfast.memory m WHERE {where} {order} LIMIT %s OFFSET %s"
            ids = [row for (row,) in db.execute(sql, (*values, limit, skip)).fetchall()]

        def by_page() -> Iterator[Memory]:
            # Some at a time: nobody waits for a reader that is slow.
            for start in range(0, len(ids), _PAGE):
                with self.begin() as db:
                    sql = f"SELECT {COLUMNS} FROM {AMONG.format(table='memory')} m WHERE {where} {order}"
                    rows = db.execute(sql, (self.here[0], ids[start : start + _PAGE], *values)).fetchall()
                yield from map(memory_of, rows)

        return by_page()

    def counts(self, wanted: Filter) -> dict[str, dict[str, int]]:
        """Return how many of these memories there are by scope, type, trust, tag and use, most first."""
        with self.begin() as db:
            where, values = where_of(wanted, self.here)
            rows = db.execute(
                "SELECT m.kind, m.owner, m.type, m.trust, m.low_tags, EXISTS (SELECT 1 FROM holdfast.use u WHERE"
                " (u.organisation, u.team, u.kind, u.owner, u.key) = (m.organisation, m.team, m.kind, m.owner, m.key))"
                f" FROM holdfast.memory m WHERE {where}",
                values,
            ).fetchall()
        told: dict[str, Counter[str]] = {name: Counter() for name in ("scope", "type", "trust", "tag", "used")}
        for kind, owner, sort, trust, tags, used in rows:
            told["scope"][str(Scope(kind, owner))] += 1
            told["type"][sort] += 1
            told["trust"][trust] += 1
            told["tag"].update(dict.fromkeys(tags, 1))
            told["used"]["used" if used else "never"] += 1
        return {
            name: dict(sorted(counted.items(), key=lambda one: (-one[1], one[0]))) for name, counted in told.items()
        }

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return the best candidates for the words of the query."""
        with self.begin() as db:
            table = MemoryRows(db, self.here, self._models)
            asked = table.ask(query)
            found = table.matches(asked.expression, wanted, limit)
            return table.candidates({row: (text, 0.0) for row, _, _, text in found}, asked, wanted)

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys of these scopes that begin so, in order."""
        with self.begin() as db:
            where, values = where_of(Filter(tuple(scopes)), self.here)
            sql = f"SELECT DISTINCT m.key FROM holdfast.memory m WHERE {where} AND starts_with(m.key, %s) ORDER BY 1"
            return [key for (key,) in db.execute(sql, (*values, start)).fetchall()]

    def groups(self) -> list[Group]:
        """Return every scope that holds memories."""
        with self.begin() as db:
            rows = db.execute(
                "SELECT kind, owner, count(*), sum(octet_length(text))::bigint, max(updated) FROM holdfast.memory"
                f" WHERE {_HERE} GROUP BY 1, 2 ORDER BY 1, 2",
                self.here,
            ).fetchall()
        return [Group(Scope(kind, owner), count, size, updated) for kind, owner, count, size, updated in rows]

    def superseded_by(self, scope: Scope, key: str) -> str:
        """Return the key of the newest memory of the scope that replaces this one, or nothing."""
        with self.begin() as db:
            sql = (
                f"SELECT key FROM holdfast.memory WHERE {_AT} AND supersedes <> '{{}}' AND %s = ANY(supersedes)"
                " AND key <> %s ORDER BY updated DESC, key LIMIT 1"
            )
            found = db.execute(sql, (*self._at(scope), key, key)).fetchone()
        return str(found[0]) if found else ""

    def forgot(self, scope: Scope, key: str, statement: str) -> bool:
        """Whether the scope has forgotten the key, or the statement under any key."""
        with self.begin() as db:
            sql = f"SELECT 1 FROM holdfast.forgotten WHERE {_AT} AND (what, digest) IN (('key', %s), ('said', %s))"
            found = db.execute(sql, (*self._at(scope), hash_of("key", key), digest(statement))).fetchone()
        return found is not None

    def was_corrected(self, scope: Scope, statement: str) -> bool:
        """Whether a memory of the scope said this once and says something else now."""
        wanted = digest(statement)
        with self.begin() as db:
            sql = (
                f"SELECT 1 FROM holdfast.memory WHERE {_AT} AND earlier <> '{{}}' AND %s = ANY(earlier)"
                " AND said <> %s LIMIT 1"
            )
            return db.execute(sql, (*self._at(scope), wanted, wanted)).fetchone() is not None

    def inherit_forgotten(self, old: Scope, new: Scope) -> None:
        """What was forgotten in the old scope counts as forgotten in the new one."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO holdfast.forgotten SELECT organisation, team, %s, %s, what, digest FROM holdfast.forgotten"
                f" WHERE {_AT} ON CONFLICT DO NOTHING",
                (new.kind, new.owner, *self._at(old)),
            )

    def erase_traces(self, *, passages: bool = False, anew: bool = False) -> None:
        """Words and vectors go with their row; old versions of rows go when the database cleans up (docs/hub.md)."""

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""
        with self.begin() as db:
            sql = f"SELECT count, last FROM holdfast.use WHERE {_AT} AND key = %s"
            found = db.execute(sql, (*self._at(scope), key)).fetchone()
        return (int(found[0]), str(found[1])) if found else (0, "")

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count that these memories (scope, key, time) were handed out, each at most once a minute."""
        if self._place is None:
            with self.begin():
                pass
        for statement, *values in counting(self.here, uses):
            self.pool.do(self.asks, statement, *values)

    def clear_uses(self) -> None:
        """Set every count to 0, before uses are counted again."""
        with self.begin() as db:
            db.execute(f"DELETE FROM holdfast.use WHERE {_HERE}", self.here)

    def ask(self, question: Callable[[Tables], Answer]) -> Answer:
        """Return what the tables answer, within one transaction."""
        with self.begin() as db:
            return question(TeamTables(db, self.here, self._models, self.pool.complete))

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Refreshed:
        """Every read sees what is there; there is nothing to look at."""
        return Refreshed()

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """Throw away what was derived that recall makes again: the vectors."""
        with self.writing() as db:
            db.execute(f"DELETE FROM holdfast.meaning WHERE {_HERE}", self.here)
            # Whoever knew that all vectors were there has to check again.
            db.execute(f"UPDATE holdfast.feed SET change = change + 1 WHERE {_HERE}", self.here)
        return Refreshed()

    def problems(self) -> list[Problem]:
        """Nobody writes here by hand, so nothing is wrong in what people wrote."""
        return []

    def damage(self) -> str:
        """Return nothing: what the database finds broken it says itself."""
        return ""

    def close(self) -> None:
        """The connections are the process's; there is nothing to give back."""

    @property
    def here(self) -> tuple[int, int]:
        assert self._place is not None
        return self._place


def _place_of(db: Any, asks: Asks) -> tuple[tuple[int, int], bool]:
    """Return the numbers of organisation and team, and whether it is reviewed; Refused where the person sees none."""
    sql = "SELECT organisation, id, rule = 'reviewed' FROM holdfast.team WHERE name = %s"
    found = db.execute(sql, (asks.team,)).fetchone()
    if found is None:
        text = f"{asks.person} is in no team {asks.team} of {asks.organisation}"
        raise Refused(text, "An administrator of the organisation adds people: `holdfast hub member`.")
    return (int(found[0]), int(found[1])), bool(found[2])
