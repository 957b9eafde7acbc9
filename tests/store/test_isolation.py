"""What others must not see: random organisations, teams, roles and queries, through the store and through raw SQL.

Every memory, passage and session says in its own words whose it is, so that a row of others is known wherever it shows.
"""

from __future__ import annotations

import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import BadInput, Refused, StoreUnavailable
from holdfast.records import Draft, Filter, Memory, Scope
from holdfast.store import layout, memory_file
from holdfast.store.passages import PassageSource
from holdfast.store.session_table import FileRow, SessionRow, Wanted
from support.postgres import hub, server

GLOBAL = Scope("global")
KIM = "SELECT set_config('holdfast.organisation', 'acme', true), set_config('holdfast.person', 'kim', true)"
ROLES = ("", "reader", "writer", "reviewer", "admin")
TEAMS = [("acme", "payments"), ("acme", "search"), ("acme", "empty"), ("globex", "payments"), ("globex", "search")]
PEOPLE = ("kim", "lee", "sam")
KEYS = [f"k-{number}" for number in range(6)]


@pytest.fixture(scope="module")
def world():
    """Return a hub with two organisations that have teams, people and keys of the same names, and the roles."""
    made, chance = hub(), random.Random(7)
    roles = {(*team, person): chance.choice(ROLES) for team in TEAMS for person in PEOPLE}
    # Of each kind there is one for certain.
    roles.update({("acme", "payments", "kim"): "admin", ("acme", "search", "kim"): "", ("globex", "search", "lee"): ""})
    roles.update({("globex", "payments", "kim"): "reader", ("acme", "payments", "sam"): "writer"})
    for organisation in ("acme", "globex"):
        made.operator.add_organisation(organisation)
    for organisation, team in TEAMS:
        made.operator.add_team(organisation, team)
        made.operator.set_member(organisation, team, "filler", "writer")
        for person in PEOPLE:
            made.operator.set_member(organisation, team, person, roles[organisation, team, person])
        fill(made, organisation, team)
    return made, roles


def open_store(made, organisation, team, person):
    from holdfast.store.postgres import PostgresStore

    return PostgresStore(made.url(organisation=organisation, team=team, person=person))


def fill(made, organisation, team):
    """Give a team memories with its own mark in every text, by COPY, and a passage and a session."""
    if team == "empty":
        return
    from holdfast.store.postgres_feed import add_receipts
    from holdfast.store.postgres_figures import SharedDigest, add_digests

    store, mark = open_store(made, organisation, team, "filler"), f"{organisation}{team}"
    memories = []
    for number, key in enumerate(KEYS):
        scope = GLOBAL if number % 2 else Scope("project", "shop")
        said = f"Deploys of {mark} need step {number}."
        at = f"2026-01-0{number + 1}T00:00:00Z"
        memory = Memory(key, scope, "Deploys", said, created=at, updated=at, path=layout.usual_path(scope, key))
        memories.append((memory, memory_file.create(memory)))
    assert store.add(memories) == len(KEYS)
    source = PassageSource("codex/s", GLOBAL, "codex")
    store.ask(
        lambda tables: tables.passages.put(source, {GLOBAL: [(0, f"Said in {mark}.", "0", "user", "2026-01-01")]})
    )
    row = SessionRow("codex/s", "codex", "s", mark)
    store.ask(lambda tables: tables.sessions.put(row, [FileRow(mark, mark, 1)], []))
    store.add_uses([(GLOBAL, KEYS[1], "2026-01-01T00:00:00Z")])
    store.remove(GLOBAL, KEYS[5], forget=True)
    made.operator.set_rule(organisation, team, "reviewed")
    reviewed = open_store(made, organisation, team, "filler")
    reviewed.reason = mark
    assert reviewed.put(Draft(f"Proposed in {mark}.", GLOBAL, key="proposed")).action == "proposed"
    made.operator.set_rule(organisation, team, "open")
    add_digests(store, [SharedDigest(mark, "2026-01-05", mark, "codex", "success", 1, 1, 1, 1, 1, 1.0, [("k", mark)])])
    add_receipts(store, [("global", "", KEYS[1], 1, "2026-01-01T00:00:00Z")])


asked = st.tuples(st.sampled_from(TEAMS), st.sampled_from(PEOPLE))
queries = st.sampled_from(["deploys", "step 3", "acmepayments", "globexsearch", "said in", "shop", "需要"])
scopes = st.sampled_from([None, (), (GLOBAL,), (Scope("project", "shop"),), (GLOBAL, Scope("project", "shop"))])


@given(asked, queries, scopes)
def test_a_store_gives_nothing_of_another_team(world, who, query, wanted_scopes):
    """Whatever is asked of a team's store, all that comes is the team's; who is no member opens nothing."""
    made, roles = world
    (organisation, team), person = who
    store, wanted = open_store(made, organisation, team, person), Filter(wanted_scopes)
    if not roles[organisation, team, person]:
        with pytest.raises(Refused):
            store.search(query, wanted, 50)
        return
    mark = f"{organisation}{team}"

    def every(tables):
        memories, passages = tables.memories, tables.passages
        found = memories.few(wanted, 1000)
        said = [*memories.texts(found).values(), *passages.texts(passages.newest(wanted, 99)).values()]
        said += [row.title for row in tables.sessions.find(Wanted())]
        return said + [
            one.memory.body for one in memories.candidates(dict.fromkeys(found, (0, 0)), memories.ask(query), wanted)
        ]

    said = [one.memory.body for one in store.search(query, wanted, 50)] + [one.body for one in store.find(wanted)]
    said += store.ask(every)
    assert [text for text in said if mark not in text] == []
    assert sum(group.memories for group in store.groups()) == (0 if team == "empty" else len(KEYS) - 1)


def rows_seen(made, organisation, person):
    """Return all rows of every table that raw SQL of the application gets, by table."""
    import psycopg

    found = {}
    with psycopg.connect(made.url()) as db:
        tables = [
            name
            for (name,) in db.execute(
                "SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'p')"
                " AND NOT relispartition"
            )
        ]
        assert len(tables) > 15
        for table in tables:
            sql = "SELECT set_config('holdfast.organisation', %s, true), set_config('holdfast.person', %s, true)"
            db.execute(sql, (organisation, person))
            cursor = db.execute(f"SELECT * FROM holdfast.{table}")
            names = [column.name for column in cursor.description]
            found[table] = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
            db.rollback()
    return found


@settings(max_examples=12)
@given(st.sampled_from(["acme", "globex", "nobody", ""]), st.sampled_from([*PEOPLE, "nobody", ""]))
def test_raw_sql_of_the_application_sees_no_row_of_others(world, organisation, person):
    """Any statement over any table gives only rows of the person's own teams: 0 rows of others."""
    made, roles = world
    numbers = team_numbers(made)
    mine = {numbers[where] for where in TEAMS if where[0] == organisation and roles.get((*where, person))}
    strong = ("reviewer", "admin")
    reviewed = {numbers[where] for where in TEAMS if where[0] == organisation and roles.get((*where, person)) in strong}
    # Everybody who has a role in a team reads what is everyone's.
    mine |= {numbers[where] for where in [(organisation, "everyone")] if mine}
    for table, rows in rows_seen(made, organisation, person).items():
        for row in rows:
            if "team" in row:
                assert (row["organisation"], row["team"]) in mine, table
                assert table not in ("shared_digest", "shared_signal"), "nobody here shared any"
                if table in ("proposal", "receipt"):
                    # Nobody here proposed or was given anything.
                    assert (row["organisation"], row["team"]) in reviewed, table
            elif table == "team":
                assert (row["organisation"], row["id"]) in mine
            elif table == "organisation":
                assert row["name"] == organisation
            elif table == "person":
                assert row["name"] == person
            else:
                assert table == "migration", (table, row)


def team_numbers(made):
    """Return organisation and number of every team by their names, as the operator sees them."""
    import psycopg

    with psycopg.connect(made.operator.conninfo) as db:
        rows = db.execute(
            "SELECT o.name, t.name, o.id, t.id FROM holdfast.team t"
            " JOIN holdfast.organisation o ON o.id = t.organisation"
        )
        return {(organisation, team): (one, other) for organisation, team, one, other in rows}


def test_without_a_principal_nothing_is_seen(world):
    """Where nobody is set, every table but the list of migrations is empty: it fails closed."""
    found = rows_seen(world[0], "", "")
    assert {table for table, rows in found.items() if rows} == {"migration"}
    assert {table for table, rows in rows_seen(world[0], "acme", "kim").items() if rows} >= {"memory", "audit", "use"}


TRICKS = (
    # A trigger that runs as the operator, on a table of one's own, with a row that names others.
    *(
        "CREATE TEMP TABLE own ON COMMIT DROP AS SELECT * FROM holdfast.proposal WHERE false;"
        f" CREATE TRIGGER t BEFORE INSERT ON own FOR EACH ROW EXECUTE FUNCTION holdfast.{name}()"
        for name in ("begin_proposal", "place_meaning", "keep_postings")
    ),
    "INSERT INTO holdfast.audit (organisation, at, person, act, team, kind, owner, key)"
    " SELECT organisation, '2020-01-01', 'kim', 'x', id, '', '', '' FROM holdfast.team WHERE name = 'payments'",
    "INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key)"
    " SELECT organisation, 'kim', 'x', {other}, '', '', '' FROM holdfast.team WHERE name = 'payments'",
    "UPDATE holdfast.meaning SET memory = memory + 1",
    "UPDATE holdfast.feed SET change = 0 WHERE change > 0",
    "UPDATE holdfast.feed SET change = 9000000000000000000 WHERE change > 0",
    # A withdrawal that others would not hear of, and one after which they would hear of nothing.
    "DELETE FROM holdfast.gone",
    "INSERT INTO holdfast.gone SELECT organisation, id, 'global', '', 'x', 9000000000000000000 FROM holdfast.team"
    " WHERE name = 'payments'",
    # A number that somebody else's memory would be given, and a vector in the place of another team's.
    "INSERT INTO holdfast.memory (id, organisation, team) SELECT 1000000, organisation, id FROM holdfast.team",
    "INSERT INTO holdfast.passage_meaning SELECT t.organisation, t.id, number, 'm', '', '[1]' FROM holdfast.team t,"
    " generate_series(1, 40) number WHERE t.name = 'payments' AND number NOT IN (SELECT id FROM holdfast.passage)",
)


@pytest.mark.parametrize("trick", TRICKS)
def test_raw_sql_reaches_others_by_no_detour(world, trick):
    """Neither a function of the operator, nor the audit, a vector or the feed of one's own team reaches others."""
    import psycopg

    made, _ = world
    other = team_numbers(made)["acme", "search"][1]
    with psycopg.connect(made.url()) as db:
        db.execute(KIM)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute(trick.replace("{other}", str(other)))


def test_no_estimate_of_the_planner_tells_of_others(world):
    """How many rows it expects is the same for a text that others have and for one that nobody has, also in a range."""
    import psycopg

    made, _ = world
    server().execute("ANALYZE", made.database)
    other = team_numbers(made)["globex", "payments"][0]
    with psycopg.connect(made.url()) as db:
        db.execute(KIM)
        for asked in ("title < {}", "title >= {}", "body = {}", "owner = {}", "key = {}", "source < {}", "said = {}"):
            expected = set()
            for text in ("", "globex", "k-1", "shop", "z"):
                where = asked.format(f"'{text}'")
                sql = f"EXPLAIN (FORMAT JSON) SELECT 1 FROM holdfast.memory WHERE organisation = {other} AND {where}"
                expected.add(db.execute(sql).fetchone()[0][0]["Plan"]["Plan Rows"])
            assert len(expected) == 1, asked
    assert made.sampled() == set()


def test_every_table_is_forced_and_no_partition_is_open(world):
    """Row-level security is on and forced on every table and partition; the application has no right to a partition."""
    import psycopg

    with psycopg.connect(world[0].url()) as db:
        rows = db.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity, relispartition FROM pg_class"
            " WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        assert [name for name, forced, _ in rows if not forced] == []
        partitions = [name for name, _, is_part in rows if is_part]
        assert len(partitions) >= 16
        for name in partitions:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"SELECT * FROM holdfast.{name}")
            db.rollback()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE holdfast.memory SET body = 'mine' WHERE body LIKE '%globex%' OR body LIKE '%search%'",
        "DELETE FROM holdfast.memory WHERE body LIKE '%globex%' OR body LIKE '%search%'",
        "UPDATE holdfast.memory SET team = 1, organisation = 1 WHERE false",
    ],
)
def test_raw_sql_changes_no_row_of_others(world, sql):
    """An update or a deletion that means rows of others touches none."""
    import psycopg

    with psycopg.connect(world[0].url()) as db:
        db.execute(KIM)
        assert db.execute(sql).rowcount == 0


def test_nobody_puts_a_row_into_another_team(world):
    """A row that names another team or organisation is refused, also as a change of one's own row."""
    import psycopg

    numbers = team_numbers(world[0])
    for where in (numbers["acme", "search"], numbers["globex", "payments"]):
        for sql in (
            "INSERT INTO holdfast.forgotten VALUES (%s, %s, 'global', '', 'key', 'x')",
            "UPDATE holdfast.memory SET organisation = %s, team = %s WHERE key = 'k-1'",
            "INSERT INTO holdfast.meaning SELECT %s, %s, id, 'm', '', '[1]' FROM holdfast.memory",
            "INSERT INTO holdfast.member SELECT %s, %s, person, 'admin' FROM holdfast.member",
        ):
            with psycopg.connect(world[0].url()) as db:
                db.execute(KIM)
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    db.execute(sql, where)


def test_a_connection_keeps_no_principal_for_the_next_one(world):
    """The principal ends with its transaction, so that whoever gets the connection next sees nothing of it."""
    from holdfast.store.postgres_connection import Asks, Pool

    pool = Pool(world[0].url())
    numbers = []
    for asks in (Asks("acme", "kim", "payments"), Asks("", "", "")):
        with pool.transaction(asks) as db:
            numbers.append((db.info.backend_pid, db.execute("SELECT count(*) FROM holdfast.memory").fetchone()[0]))
    pool.close()
    assert numbers[0][0] == numbers[1][0] and numbers[0][1] > 0 and numbers[1][1] == 0


def test_no_session_of_the_application_shows_values_of_others(world):
    """Every session of a role sees the text of its statements: no name and no key of another organisation is in one."""
    import psycopg

    made, _ = world
    store = open_store(made, "globex", "search", "filler")
    store.add_uses([(GLOBAL, "buy-initech", "2026-01-01T00:00:00Z")])
    seen = "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with psycopg.connect(made.url()) as db:
        db.execute(KIM)
        texts = [text for (text,) in db.execute(seen).fetchall()]
        with store.pool.transaction(store.asks):
            texts += [text for (text,) in db.execute(seen).fetchall()]
    assert any("holdfast.use" in text for text in texts), texts
    assert not [text for text in texts if "buy-initech" in text or "globex" in text]


def test_a_role_that_could_pass_over_the_rules_is_refused(world):
    """Neither a superuser nor the operator serves as the application."""
    from holdfast.store.postgres import PostgresStore

    for role in ("postgres", "operator"):
        url = server().url(world[0].database, role, organisation="acme", team="payments", person="kim")
        with pytest.raises(Refused, match="row-level security"):
            PostgresStore(url).groups()
    with pytest.raises(StoreUnavailable, match="not a hub"):
        PostgresStore(server().url("template1", "application", organisation="a", team="b", person="c")).groups()
    with pytest.raises(BadInput, match="team"):
        PostgresStore(world[0].url(organisation="acme", person="kim"))


def test_a_reader_changes_nothing(world):
    """Who may only read is refused every write, and the text stays."""
    store = open_store(world[0], "globex", "payments", "kim")
    before = store.text(store.get(GLOBAL, KEYS[1]))
    for write in (
        lambda: store.put(Draft("Mine now.", GLOBAL, key=KEYS[1])),
        lambda: store.put(Draft("Mine now.", GLOBAL, key="new")),
        lambda: store.change(GLOBAL, KEYS[1], pinned=True),
        lambda: store.move(GLOBAL, KEYS[1], GLOBAL, "new"),
        lambda: store.remove(GLOBAL, KEYS[1], forget=True),
        lambda: store.rewrite(GLOBAL, KEYS[1], "Mine now."),
    ):
        with pytest.raises(Refused):
            write()
    assert store.text(store.get(GLOBAL, KEYS[1])) == before


ADDED = {
    "meaning": "SELECT organisation, team, id, 'm', '\\x00', '[1]', 0 FROM holdfast.memory",
    "passage_meaning": "SELECT organisation, team, id, 'm', '\\x00', '[1]' FROM holdfast.passage",
    "use": "SELECT organisation, team, kind, owner, key, 1, '' FROM holdfast.memory",
}


@pytest.mark.parametrize("table", ADDED)
def test_a_reader_takes_nothing_away_by_raw_sql(world, table):
    """What recalls add for all of a team stays, whoever reads it."""
    import psycopg

    with psycopg.connect(world[0].url()) as db:
        db.execute(KIM.replace("acme", "globex"))
        team = team_numbers(world[0])["globex", "payments"][1]
        db.execute(f"INSERT INTO holdfast.{table} {ADDED[table]} ON CONFLICT DO NOTHING")
        assert db.execute(f"SELECT count(*) FROM holdfast.{table} WHERE team = {team}").fetchone()[0] > 0
        assert db.execute(f"DELETE FROM holdfast.{table} WHERE team = {team}").rowcount == 0
        db.rollback()


@pytest.mark.parametrize(
    ("scope", "type"),
    [(Scope("session", "s-1"), "project"), (Scope("agent", "reviewer"), "project"), (GLOBAL, "user")],
)
def test_what_is_personal_is_no_teams(world, scope, type):
    """What is of one session, one agent or about a person the database itself refuses, however it comes."""
    store = open_store(world[0], "acme", "payments", "sam")
    with pytest.raises(Refused):
        store.put(Draft("I like tabs.", scope, key="tabs", type=type))
    store.put(Draft("The team likes tabs.", GLOBAL, key="tabs", type="feedback"))
    with pytest.raises(Refused):
        store.change(GLOBAL, "tabs", type="user")
    with pytest.raises(Refused):
        store.move(GLOBAL, "tabs", Scope("session", "s-1"), "tabs")
    assert store.remove(GLOBAL, "tabs", forget=False).type == "feedback"


def test_the_audit_can_only_grow(world):
    """Every change has its row with who did it, raw SQL too; nobody changes, removes or forges a row."""
    import psycopg

    store = open_store(world[0], "acme", "payments", "sam")
    store.put(Draft("Audited.", GLOBAL, key="audited"))
    store.put(Draft("Audited again.", GLOBAL, key="audited"))
    store.remove(GLOBAL, "audited", forget=True)
    with psycopg.connect(world[0].url()) as db:
        who = KIM
        db.execute(who)
        db.execute("UPDATE holdfast.memory SET pinned = true WHERE key = 'k-1'")
        rows = db.execute("SELECT person, act, key, before, after FROM holdfast.audit ORDER BY at").fetchall()
        assert [row[:2] for row in rows if row[2] == "audited"] == [
            ("sam", "insert"),
            ("sam", "update"),
            ("sam", "delete"),
        ]
        assert rows[-1][:3] == ("kim", "update", "k-1") and all(len(one) in (0, 32) for row in rows for one in row[3:])
        db.commit()
        for sql in (
            "UPDATE holdfast.audit SET person = 'lee'",
            "DELETE FROM holdfast.audit",
            "TRUNCATE holdfast.audit",
            "INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key)"
            " SELECT organisation, 'lee', 'insert', team, '', '', '' FROM holdfast.audit LIMIT 1",
            "INSERT INTO holdfast.audit (organisation, person, act, team, kind, owner, key)"
            " SELECT organisation, 'kim', 'approve', team, '', '', '' FROM holdfast.audit LIMIT 1",
            "SELECT holdfast.note_act(1, 'approve', '', '', '', '', '')",
            "UPDATE holdfast.forgotten SET digest = 'x'",
            "ALTER TABLE holdfast.memory DISABLE TRIGGER note_change",
            "DROP POLICY seen ON holdfast.memory",
            "SET ROLE operator",
        ):
            db.execute(who)
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(sql)
            db.rollback()
        db.execute(who.replace("kim", "sam"))
        assert db.execute("SELECT count(*) FROM holdfast.audit WHERE key = 'audited'").fetchone() == (0,)


def test_a_tombstone_goes_only_where_its_words_are_said_again(world):
    """A writer deletes no tombstone by raw SQL; whoever says in their own name what was forgotten lifts its own."""
    import psycopg

    store = open_store(world[0], "acme", "payments", "kim")
    for key in ("buried", "kept"):
        store.put(Draft(f"This is {key}.", GLOBAL, key=key))
        store.remove(GLOBAL, key, forget=True)
    with psycopg.connect(world[0].url()) as db:
        db.execute(KIM)
        assert db.execute("DELETE FROM holdfast.forgotten").rowcount == 0
    store.put(Draft("This is buried.", GLOBAL, key="buried", trust="user"))
    assert not store.forgot(GLOBAL, "buried", "") and not store.forgot(GLOBAL, "x", "This is buried.")
    assert store.forgot(GLOBAL, "kept", "")
    store.remove(GLOBAL, "buried", forget=False)


def test_a_token_stands_for_its_person_until_it_ends(world):
    """A token says who asks and what they may; a wrong one, an ended one and one that was taken back say nothing."""
    from holdfast.store.organisations import bearer
    from holdfast.store.postgres_connection import Pool

    made, pool = world[0], Pool(world[0].url())
    token = made.operator.new_token("acme", "sam", "laptop", ("read", "write"), 30)
    found = bearer(pool, token)
    assert (found.organisation, found.person, found.name, found.rights) == ("acme", "sam", "laptop", ("read", "write"))
    assert set(found.teams) >= {"payments", "everyone"} and bearer(pool, token + "x") is None is bearer(pool, "")
    server().execute("UPDATE holdfast.token SET expires = now()", made.database)
    assert bearer(pool, token) is None
    other = made.operator.new_token("acme", "sam", "laptop", ("read",), 1)
    assert bearer(pool, other) is not None
    assert made.operator.end_tokens("acme", "sam") == 2 and bearer(pool, other) is None
    for rights, days in (((), 1), (("root",), 1), (("read",), 0), (("read",), 4000)):
        with pytest.raises(BadInput):
            made.operator.new_token("acme", "sam", "laptop", rights, days)
    pool.close()


def test_writers_of_one_team_go_one_after_the_other(world):
    """Of many who change one memory at once, every statement holds or is history."""
    stores = [open_store(world[0], "acme", "payments", "sam") for _ in range(6)]

    def write(store, number):
        for turn in range(3):
            store.put(Draft(f"Said by {number} in turn {turn}.", GLOBAL, key="crowd"))

    threads = [threading.Thread(target=write, args=(store, number)) for number, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    memory = stores[0].get(GLOBAL, "crowd")
    assert len({memory.body, *(one.text for one in memory.history)}) == 18
    stores[0].remove(GLOBAL, "crowd", forget=False)
