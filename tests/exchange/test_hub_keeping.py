"""What an operator takes out of a hub: what had its time, and a text that is then in no file of the cluster."""

from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest

from holdfast.errors import BadInput
from holdfast.memory.remember import put_shared
from holdfast.records import Draft, Filter, Memory, Scope
from holdfast.store import layout, memory_file
from support.canaries import canary, coded, told_in
from support.postgres import hub, server

GLOBAL, PROJECT = Scope("global"), Scope("project", "shop")
SECRET = "Zanzibarquokka"


def store_of(made, person, organisation="keeping", team="shop"):
    from holdfast.store.postgres import PostgresStore

    return PostgresStore(made.url(organisation=organisation, team=team, person=person))


def added(store, key, scope=PROJECT, at="2020-01-01T00:00:00Z", **more):
    path = layout.usual_path(scope, key)
    memory = Memory(key, scope, "T", f"{key} says so.", created=at, updated=at, path=path, **more)
    store.add([(memory, memory_file.create(memory))])


def organisation(made, name):
    made.operator.add_organisation(name)
    made.operator.add_team(name, "shop")
    made.operator.set_member(name, "shop", "kim", "writer")
    made.operator.set_member(name, "shop", "sam", "reviewer")


def test_retention_takes_what_had_its_time_and_tells_clients(cli):
    """An old memory of a project goes; pinned, global, decided, used and given ones stay; the feed says what went."""
    from holdfast.store.postgres_connection import Asks
    from holdfast.store.postgres_feed import add_receipts, changes

    made = hub()
    organisation(made, "keeping")
    store = store_of(made, "kim")
    for key, more in {
        "old": {},
        "pinned": {"pinned": True},
        "decided": {"type": "decision"},
        "everywhere": {"scope": GLOBAL},
        "new": {"at": "2999-01-01T00:00:00Z"},
        "used": {},
        "given": {},
    }.items():
        added(store, key, **more)
    store.add_uses([(PROJECT, "used", "2999-01-01T00:00:00Z")])
    add_receipts(store, [("project", "shop", "given", 1, "2999-01-01T00:00:00Z")])
    url = made.operator.conninfo
    planned = cli("hub", "retention", url, "keeping", "--dry-run")
    assert "shop/old" in planned.out and "90 days" in planned.out and "pinned" not in planned.out
    assert len(list(store.find(Filter(None)))) == 7 and cli("hub", "retention", url, "keeping").code == 6
    assert "removed 1 memory" in cli("hub", "retention", url, "keeping", "--yes").out
    assert "old" not in {one.key for one in store.find(Filter(None))} and len(list(store.find(Filter(None)))) == 6
    last = changes(store.pool, Asks("keeping", "kim", ""), {"shop": 0}, 50)["shop"][-1]
    assert (last.key, last.text) == ("old", None)
    assert "nothing has expired" in cli("hub", "retention", url, "keeping", "--yes").err


def bytes_with(folder, wanted):
    """Return the files below a folder that hold these bytes, in whatever case; what the server removes holds none."""
    found = []
    for here, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError), open(os.path.join(here, name), "rb") as file:
                if wanted.lower().encode() in file.read().lower():
                    found.append(os.path.relpath(os.path.join(here, name), folder))
    return found


def test_what_is_erased_is_in_no_file_of_the_cluster(cli):
    """A text goes from memories, history, keys, proposals, reasons, words and samples; then no file holds its bytes."""
    made = hub()
    organisation(made, "erasing")
    made.server.execute("ALTER SYSTEM SET wal_recycle = off")
    made.server.execute("SELECT pg_reload_conf()")
    store = store_of(made, "kim", "erasing")
    store.put(Draft(f"The {SECRET} plan.", PROJECT, key="plan", tags=(SECRET.lower(),)))
    store.put(Draft("Another plan.", PROJECT, key="plan"))
    store.put(Draft(f"Remove {SECRET}.", PROJECT, key=f"{SECRET.lower()}-key"))
    store.put(Draft("Nothing to do with it.", PROJECT, key="other"))

    def with_vectors(tables):
        tables.memories.use_model("m")
        tables.memories.put_vectors([(row, b"abcd") for row, _ in tables.memories.without_vector(9)])

    store.ask(with_vectors)
    made.operator.set_rule("erasing", "shop", "reviewed")
    reviewed = store_of(made, "kim", "erasing")
    reviewed.reason = f"because {SECRET}"
    assert put_shared(reviewed, Draft(f"Propose {SECRET}.", PROJECT, key="open")).action == "proposed"
    store.reason = f"{SECRET} said so"
    store.remove(PROJECT, "other", forget=True)
    made.server.execute("ANALYZE", made.database)
    made.server.execute("CHECKPOINT")
    data = server().folder / "data"
    assert bytes_with(data, SECRET) != []
    url = made.operator.conninfo
    planned = cli("hub", "erase", url, "erasing", "--dry-run", stdin=SECRET).out
    assert "shop/plan" in planned and "audit.reason" in planned and "proposal.body" in planned
    done = cli("hub", "erase", url, "erasing", "--yes", stdin=SECRET)
    assert "erased from" in done.out, done
    assert "no table holds it" in cli("hub", "erase", url, "erasing", stdin=f"{SECRET}\n").err
    assert list(store.find(Filter(None))) == []
    # The operator of a test is no superuser: it is told what is left to do, and that is done here.
    assert "pg_switch_wal" in done.err and "CHECKPOINT" in done.err and "VACUUM" not in done.err
    for _ in range(2):
        made.server.execute("SELECT pg_switch_wal()")
        made.server.execute("CHECKPOINT")
    assert bytes_with(data, SECRET) == []
    from holdfast.exchange.hub_keeping import plan_erase

    with pytest.raises(BadInput):
        plan_erase(made.operator, "erasing", "ab")


def test_a_text_with_quotes_and_line_ends_is_found_wherever_it_stands():
    """In JSON and in lists a quote, a backslash and a line end are written otherwise; names within JSON count, too."""
    from holdfast.exchange.hub_keeping import apply_erase, plan_erase

    made = hub()
    organisation(made, "quoted")
    store = store_of(made, "kim", "quoted")
    text = 'the "Quince"\nC:\\plan'
    with store.begin():
        place = store.here
    rows = {
        "string": ({"title": f"See {text}.", "also": [1, None]}, ["main"]),
        "name": ([{"deep": {text: True}}], []),
        "list": ({}, ["main", f"on {text}"]),
        "other": ({"title": "The Quince plan."}, ["main"]),
    }
    with made.operator.begin() as db:
        for name, (row, branches) in rows.items():
            db.execute(
                "INSERT INTO holdfast.session VALUES (%s, %s, %s, '', '', '', %s, '', '', '', false, false, %s)",
                (*place, name, branches, json.dumps(row)),
            )
    plan = plan_erase(made.operator, "quoted", text)
    assert [(step.target, step.reason) for step in plan.steps] == [
        ("session.branches", "1 row"),
        ("session.row", "2 rows"),
    ]
    apply_erase(made.operator, "quoted", text, plan)
    with made.operator.begin() as db:
        left = db.execute("SELECT name FROM holdfast.session WHERE organisation = %s", place[:1]).fetchall()
    assert left == [("other",)]


def test_a_text_goes_in_every_encoding_that_a_home_knows():
    """Canaries in five encodings, in memories, their history, proposals and reasons: none is left in any table."""
    from holdfast.exchange.hub_keeping import apply_erase, plan_erase

    made = hub()
    organisation(made, "coded")
    store = store_of(made, "kim", "coded")
    for number in range(10):
        store.put(Draft(f"Note {coded(number)} holds.", PROJECT, key=f"n{number}"))
    for number in range(10, 15):
        store.put(Draft(f"Note {coded(number)} holds now.", PROJECT, key=f"n{number - 10}"))
    store.put(Draft("Nothing to do with it.", PROJECT, key="other"))
    store.reason = coded(18)
    store.put(Draft("Another thing.", PROJECT, key="other"))
    made.operator.set_rule("coded", "shop", "reviewed")
    reviewed = store_of(made, "kim", "coded")
    for number in range(20, 25):
        reviewed.reason = "r"
        put_shared(reviewed, Draft(f"Propose {coded(number)}.", PROJECT, key=f"p{number}"))
    assert len(tables_with_canaries(made)) > 3
    for number in (*range(15), 18, *range(20, 25)):
        apply_erase(made.operator, "coded", canary(number), plan_erase(made.operator, "coded", canary(number)))
    assert tables_with_canaries(made) == set()
    assert [one.key for one in store.find(Filter(None))] == ["other"]


def tables_with_canaries(made) -> set[str]:
    """Return the tables of which a row has a canary, in whatever encoding."""
    found = set()
    with made.operator.begin() as db:
        asked = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'holdfast'"
        for (name,) in db.execute(asked).fetchall():
            rows = db.execute(f'SELECT row_to_json(one)::text FROM holdfast."{name}" one').fetchall()
            if any(told_in(row.encode()) for (row,) in rows):
                found.add(name)
    return found


def test_what_was_erased_comes_back_by_no_share():
    """Whoever says it, in whichever project, key, team and letters: it was erased here; the rest may be said."""
    from holdfast.errors import Forgotten
    from holdfast.exchange.hub_keeping import apply_erase, plan_erase

    made = hub()
    organisation(made, "gone-for-good")
    made.operator.add_team("gone-for-good", "web")
    made.operator.set_member("gone-for-good", "web", "kim", "writer")
    made.operator.set_rule("gone-for-good", "web", "reviewed")
    store = store_of(made, "kim", "gone-for-good")
    said = Draft("The code of the blue door is 4711.", PROJECT, key="door", trust="user")
    put_shared(store, said)
    apply_erase(made.operator, "gone-for-good", "blue door", plan_erase(made.operator, "gone-for-good", "blue door"))
    other, web = Scope("project", "p2"), store_of(made, "kim", "gone-for-good", "web")
    web.reason = "r"
    again = Draft("See the BLUE-door.", GLOBAL, key="k", trust="user")
    for where, draft in ((store, said), (store, Draft(said.text, other, key="d")), (store, again), (web, again)):
        with pytest.raises(Forgotten, match="was erased here"):
            put_shared(where, draft)
    with pytest.raises(Forgotten, match="was erased here"):
        put_shared(store, Draft("Something else.", other, key="blue-door"))
    assert put_shared(store, Draft("The green door is open.", PROJECT, key="door", trust="user")).action == "created"
    organisation(made, "not-theirs")
    assert put_shared(store_of(made, "kim", "not-theirs"), said).action == "created"


def test_the_audit_names_the_operators_role_and_can_be_read(cli):
    """Members, tokens, groups, accounts and rules leave rows, raw SQL too; a filter and --json tell them."""
    made = hub()
    url = made.operator.conninfo
    for words in (
        ("member", url, "watched", "shop", "kim", "--role", "writer"),
        ("token", url, "watched", "kim", "--name", "laptop"),
        ("token", url, "watched", "kim", "--revoke"),
        ("group", url, "watched", "devs", "shop"),
        ("account", url, "watched", "kim"),
        ("member", url, "watched", "shop", "kim", "--remove"),
    ):
        assert cli("hub", *words).code == 0
    store_of(made, "kim", "watched", "everyone")
    found = json.loads(cli("hub", "audit", url, "watched", "--json").out)["audit"]
    assert {one["person"] for one in found} == {"operator:operator"}
    acts = [(one["act"], one["team"], one["key"]) for one in reversed(found)]
    assert ("member", "shop", "kim:writer") in acts and ("member", "shop", "kim:") in acts
    for act in (("token", "everyone", "kim:laptop"), ("end-tokens", "everyone", "kim:laptop")):
        assert act in acts
    assert ("group", "shop", "devs:reader") in acts
    assert "kim:writer" in cli("hub", "audit", url, "watched", "--team", "shop", "--since", "1d").out
    assert "no such row" in cli("hub", "audit", url, "watched", "--person", "kim").err
    assert "no such row" in cli("hub", "audit", url, "watched", "--until", "2020-01-01").err
