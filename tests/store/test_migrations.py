"""A hub's database: brought to the newest version from every earlier one, and used again after it went away."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from holdfast.errors import StoreUnavailable
from holdfast.records import Draft, Filter, Scope
from support.postgres import Hub, hub, server
from support.sampling import some

GLOBAL = Scope("global")


def store_of(made):
    from holdfast.store.postgres import PostgresStore

    made.operator.add_organisation("acme")
    made.operator.add_team("acme", "payments")
    made.operator.set_member("acme", "payments", "kim", "writer")
    return PostgresStore(made.url(organisation="acme", team="payments", person="kim"))


def test_every_earlier_version_becomes_the_newest():
    """From each version there was, with people in it, the rest is done once, in order; then the store works."""
    from holdfast.store.postgres_connection import migrate, versions

    hub()
    newest = versions()[-1][0]
    assert [number for number, _, _ in versions()] == list(range(1, newest + 1))
    for begun in (0, *some(range(1, newest), 4), newest):
        made = Hub(server(), server().database())
        conninfo = made.operator.conninfo
        assert len(migrate(conninfo, begun)) == begun
        if begun:
            server().execute("INSERT INTO holdfast.organisation (name) VALUES ('older')", made.database)
            server().execute("ANALYZE", made.database)
        rest = migrate(conninfo)
        assert [int(one[:4]) for one in rest] == list(range(begun + 1, newest + 1)) and migrate(conninfo) == []
        store = store_of(made)
        assert store.put(Draft("Deploys need the VPN.", GLOBAL, key="k")).action == "created"
        assert [one.memory.key for one in store.search("vpn", Filter(None), 5)] == ["k"]
        if begun:
            made.operator.add_team("older", "theirs")
            made.operator.set_member("older", "theirs", "lee", "writer")
            url = made.url(organisation="older", team="theirs", person="lee")
            from holdfast.store.postgres import PostgresStore

            assert PostgresStore(url).put(Draft("Ours.", GLOBAL, key="k")).action == "created"
        server().execute("ANALYZE", made.database)
        assert made.sampled() == set()


def test_two_that_migrate_at_once_do_each_step_once():
    """Of two processes that bring one database up at the same time, one waits for the other."""
    from holdfast.store.postgres_connection import migrate, versions

    hub()
    made, done = Hub(server(), server().database()), []
    threads = [threading.Thread(target=lambda: done.extend(migrate(made.operator.conninfo))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [f"{number:04} {name}" for number, name, _ in versions()]


def test_a_store_outlives_the_server_it_talks_to():
    """What was acknowledged is there after a crash of the server; meanwhile it is said that it cannot be used."""
    store = store_of(hub())
    store.put(Draft("Deploys need the VPN.", GLOBAL, key="kept"))
    server().stop(signal.SIGQUIT)
    with pytest.raises(StoreUnavailable):
        store.get(GLOBAL, "kept")
    server().start()
    assert store.get(GLOBAL, "kept").body == "Deploys need the VPN."
    store.remove(GLOBAL, "kept", forget=False)


def test_without_the_extra_the_way_out_is_named(tmp_path):
    """Where psycopg is not installed, an address of PostgreSQL says how to get it, and nothing else needs it."""
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from holdfast.store.back_ends import open_store\n"
        "open_store(sys.argv[1], 1).groups()\n"
        "try: open_store('postgresql://h/d?organisation=a&team=b&person=c', 1)\n"
        "except Exception as problem: print(problem, '|', problem.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "pip install 'holdfast[hub]'" in done.stdout and "psycopg" in done.stdout


def test_a_backup_is_a_whole_hub_again(tmp_path):
    """What pg_dump wrote as a superuser is restored with its rows, its roles' rights and its forced security."""
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import check_hub

    made = hub()
    made.operator.add_organisation("backed")
    made.operator.add_team("backed", "up")
    made.operator.set_member("backed", "up", "kim", "writer")
    asks = {"organisation": "backed", "team": "up", "person": "kim"}
    kept = PostgresStore(made.url(**asks))
    kept.put(Draft("Deploys need the VPN.", GLOBAL, key="kept"))
    kept.put(Draft("Gone.", GLOBAL, key="gone"))
    kept.remove(GLOBAL, "gone", forget=True)
    dump, other = str(tmp_path / "hub.dump"), Hub(server(), server().database("template0"))
    program = {"check": True, "capture_output": True}
    subprocess.run([server().bin / "pg_dump", "-Fc", "-f", dump, server().url(made.database)], **program)
    subprocess.run([server().bin / "pg_restore", "-d", server().url(other.database), dump], **program)
    restored = PostgresStore(other.url(**asks))
    assert restored.text(restored.get(GLOBAL, "kept")) == kept.text(kept.get(GLOBAL, "kept"))
    assert restored.forgot(GLOBAL, "gone", "") and check_hub(other.url()) == []
    assert restored.put(Draft("Deploys need nothing.", GLOBAL, key="kept")).action == "updated"
    with pytest.raises(subprocess.CalledProcessError):
        subprocess.run([server().bin / "pg_dump", "-f", dump, made.operator.conninfo], **program)


def test_a_role_that_is_the_wrong_one_is_told_which_is_right(cli):
    """Without pgvector, without a migration, without a grant, or as the other role: each says what to do."""
    running = server()
    hub()
    name = running.database("template0")
    running.execute("DROP ROLE IF EXISTS ungranted")
    running.execute("CREATE ROLE ungranted LOGIN")
    operator, application = running.url(name, "operator"), running.url(name, "application")
    lacking = cli("hub", "migrate", operator)
    assert lacking.code == 6 and "CREATE EXTENSION vector" in lacking.err
    running.execute("CREATE EXTENSION vector", name)
    early = cli("hub", "member", operator, "acme", "payments", "kim")
    assert early.code == 5 and "not a hub yet" in early.err
    assert "owns the database" in cli("hub", "migrate", application).err
    assert cli("hub", "migrate", operator).code == 0
    assert "granted holdfast_app" in cli("hub", "doctor", running.url(name, "ungranted")).err
    assert cli("hub", "member", operator, "acme", "payments", "kim").code == 0
    for words in (("retention", application, "acme", "--dry-run"), ("member", application, "acme", "payments", "lee")):
        refused = cli("hub", *words)
        assert refused.code == 6 and "not the hub's operator" in refused.err
    absent = cli("hub", "member", operator, "acme", "payments", "typo", "--remove")
    assert absent.code == 3 and "typo is not in payments" in absent.err
    assert cli("hub", "token", operator, "acme", "typo").code == 3
    assert "not the address of a database" in cli("hub", "doctor", "http://hub.example.com").err


def test_a_hub_with_few_connections_left_and_a_refused_one_say_so():
    """Doctor counts what a role may still open, and tells what the server says of a connection that it refuses."""
    from holdfast.store.postgres_connection import check_hub

    made = hub()
    made.server.execute("CREATE ROLE narrow LOGIN CONNECTION LIMIT 3; GRANT holdfast_app TO narrow")
    narrow = made.server.url(made.database, "narrow")
    (problem,) = check_hub(narrow)
    assert "only 3 more connections" in problem
    made.server.execute("ALTER ROLE narrow CONNECTION LIMIT 0")
    for address, reason in ((narrow, "too many connections"), (made.server.url("nowhere"), "does not exist")):
        with pytest.raises(StoreUnavailable, match=reason):
            check_hub(address)


def test_a_wrong_role_is_not_served_and_what_lay_idle_is_closed_at_the_end():
    """A process that serves as the operator ends at once; connections that a process kept are no warning at its end."""
    made = hub()
    words = [sys.executable, "-m", "holdfast", "serve", "--port", "0", "--store", made.operator.conninfo]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert refused.returncode == 6 and "row-level security" in refused.stderr and refused.stdout == ""
    code = (
        "import sys\nfrom holdfast.store.postgres_connection import Asks, pool_of\n"
        "with pool_of(sys.argv[1]).transaction(Asks('', '', '')) as db: db.execute('SELECT 1')"
    )
    words = [sys.executable, "-W", "always", "-c", code, made.url()]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stderr == ""
