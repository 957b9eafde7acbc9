"""A hub behind a real PgBouncer in transaction mode: connections are shared, and nothing of one client is another's."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time

import pytest

from holdfast.errors import StoreBusy
from holdfast.records import Draft, Filter, Scope
from support.postgres import NOBODY, hub
from support.sampling import count

GLOBAL = Scope("global")
DEBIAN = ("apt-get", "install", "-y", "--no-install-recommends", "pgbouncer")


def pooler() -> str:
    """Return the path of PgBouncer; it is installed where that can be done, else the test says why it is not run."""
    found = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(DEBIAN, capture_output=True, check=False, timeout=300)
        found = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    return found or pytest.skip(f"there is no pgbouncer here; on Debian: {' '.join(DEBIAN)}")


@pytest.fixture(scope="module")
def pooled(tmp_path_factory):
    """Return a hub and the address of its database through a pooler that has two connections for everybody."""
    program, made = pooler(), hub()
    folder = tmp_path_factory.mktemp("pooler")
    # PgBouncer runs as another user; a folder that everybody may use, as the one of all temporary files, stays so.
    for place in (folder, *list(folder.parents)[:3]):
        place.chmod(place.stat().st_mode & 0o7777 | 0o055)
    shutil.chown(folder, NOBODY if os.geteuid() == 0 else None, None) if os.geteuid() == 0 else None
    (folder / "users").write_text('"application" ""\n')
    config = folder / "pgbouncer.ini"
    config.write_text(
        f"[databases]\n* = host={made.server.folder} port=5432\n[pgbouncer]\nlisten_addr =\nlisten_port = 6432\n"
        f"unix_socket_dir = {folder}\nauth_type = trust\nauth_file = {folder}/users\npool_mode = transaction\n"
        f"default_pool_size = 2\nmax_client_conn = 100\nlogfile = {folder}/log\n"
    )
    more = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    child = subprocess.Popen([program, str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    for _ in range(12_000):
        if (folder / ".s.PGSQL.6432").exists():
            break
        assert child.poll() is None, (folder / "log").read_text()
        time.sleep(0.05)
    yield made, f"postgresql://application@/{made.database}?host={folder}&port=6432"
    child.terminate()
    child.wait(600)


def test_no_principal_reaches_the_next_client(pooled):
    """Two clients take turns on the same connections: each sees its own, and who says no name sees nothing."""
    import psycopg

    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import Asks

    made, address = pooled
    stores = {}
    for organisation in ("pooled-a", "pooled-b"):
        made.operator.add_organisation(organisation)
        made.operator.add_team(organisation, "team")
        made.operator.set_member(organisation, "team", "kim", "writer")
        stores[organisation] = PostgresStore(address, asks=Asks(organisation, "kim", "team"))
        stores[organisation].put(Draft(f"Said in {organisation}.", GLOBAL, key="k"))
    with psycopg.connect(address, prepare_threshold=None, autocommit=True) as nobody:
        for _ in range(30):
            for organisation, store in stores.items():
                assert [one.body for one in store.find(Filter(None))] == [f"Said in {organisation}."]
                seen = nobody.execute(
                    "SELECT count(*), current_setting('holdfast.person', true) FROM holdfast.memory"
                ).fetchone()
                assert seen[0] == 0 and not seen[1]
    assert stores["pooled-a"].pool is stores["pooled-b"].pool


def test_many_clients_on_two_connections_mix_up_nothing(pooled):
    """Thirty threads write and read as ten people of ten organisations; no statement meets another's."""
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import Asks

    made, address = pooled
    wrong: list[object] = []
    for number in range(10):
        made.operator.add_organisation(f"crowd-{number}")
        made.operator.add_team(f"crowd-{number}", "team")
        made.operator.set_member(f"crowd-{number}", "team", "kim", "writer")

    def work(number: int, turn: int) -> None:
        store = PostgresStore(address, asks=Asks(f"crowd-{number}", "kim", "team"))
        try:
            for step in range(count(8, 3)):
                store.put(Draft(f"Said by {number}.", GLOBAL, key=f"k-{turn}-{step}"))
                said = {one.body for one in store.find(Filter(None))} | {
                    one.memory.body for one in store.search("said", Filter(None), 50)
                }
                if said != {f"Said by {number}."}:
                    wrong.append((number, said))
        except StoreBusy:
            # Every connection of the process was in use for too long: nothing was mixed up.
            return
        except BaseException as problem:
            wrong.append(problem)

    crowd = [threading.Thread(target=work, args=(number, turn)) for number in range(10) for turn in range(3)]
    for one in crowd:
        one.start()
    for one in crowd:
        one.join(600)
    assert wrong == []


def test_a_statement_ends_in_time_behind_a_pooler_too(pooled):
    """The limits are set with the principal, for each transaction: a pooler hands no settings of a session on."""
    from holdfast.store.postgres import pool_of
    from holdfast.store.postgres_connection import STATEMENT_SECONDS, Asks, parse

    with pool_of(parse(pooled[1])[0]).transaction(Asks("", "", "")) as db:
        found = db.execute("SELECT current_setting('statement_timeout'), current_setting('timezone')").fetchone()
    assert found == (f"{STATEMENT_SECONDS}s", "UTC")


def test_statements_are_prepared_where_nobody_shares_the_connection(pooled):
    """Straight to the database repeated statements are prepared, and show each person their own; else none is."""
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import Asks

    made, address = pooled
    for organisation in ("kept-a", "kept-b"):
        made.operator.add_organisation(organisation)
        made.operator.add_team(organisation, "team")
        made.operator.set_member(organisation, "team", "kim", "writer")
    for conninfo, is_direct in ((made.url(), True), (address, False)):
        stores = {name: PostgresStore(conninfo, asks=Asks(name, "kim", "team")) for name in ("kept-a", "kept-b")}
        for name, store in stores.items():
            store.put(Draft(f"Said in {name}.", GLOBAL, key="k"))
        for _ in range(15):
            for name, store in stores.items():
                assert [one.memory.body for one in store.search("said", Filter(None), 9)] == [f"Said in {name}."]
        with stores["kept-a"].pool.transaction(Asks("", "", "")) as db:
            assert not db.execute("SELECT count(*) FROM holdfast.memory").fetchone()[0]
            kept = db.execute("SELECT count(*) FROM pg_prepared_statements WHERE from_sql = false").fetchone()[0]
        assert bool(kept) == is_direct


def test_a_process_that_lost_what_it_prepared_goes_on_without(pooled):
    """Where a pooler was not known for one, a request fails once, and nothing is prepared from then on."""
    from holdfast.errors import StoreUnavailable
    from holdfast.store.postgres_connection import Asks, Pool

    made, _ = pooled
    pool, nobody = Pool(made.url()), Asks("", "", "")

    def ask() -> list[tuple[int]]:
        with pool.transaction(nobody) as db:
            return db.execute("SELECT %s::int", (7,)).fetchall()

    for _ in range(5):
        ask()
    with pool.transaction(nobody) as db:
        db.pgconn.exec_(b"DEALLOCATE ALL")
    with pytest.raises(StoreUnavailable):
        ask()
    assert [ask() for _ in range(9)] == [[(7,)]] * 9
    pool.close()
