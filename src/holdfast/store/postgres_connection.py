"""Connections to PostgreSQL, who asks over them, and the numbered migrations.

Principal. Every transaction begins with the names of the organisation and of the person, set for that transaction
alone, so that no pool, here or between, hands them to whoever gets the connection next. Without them no row is seen.

Bounds. A process holds at most `MAX_CONNECTIONS` connections to one database and waits `WAIT_SECONDS` for one; a
statement ends after `STATEMENT_SECONDS`. A connection that broke while it lay idle is replaced unseen.

Role. The application connects as a member of `holdfast_app`. One that could pass over row-level security is refused.

Migrations. Files of `migrations/`, in the order of their numbers, each in a transaction of its own with its row in
`holdfast.migration`; there is no way back. Who migrates owns what is made and is the hub's operator.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from holdfast.base.text import address_parts
from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused, StoreBusy, StoreFull, StoreUnavailable

try:
    import psycopg
except ImportError as missing:
    raise StoreUnavailable(
        "PostgreSQL needs psycopg, which is not installed", "pip install 'holdfast[hub]'"
    ) from missing

MIN_SERVER = 150_000
MAX_CONNECTIONS = 8
WAIT_SECONDS = 10.0
STATEMENT_SECONDS = 30
CONNECT_SECONDS = 5
MAX_SECONDS_APART = 30
# After this many uses on one connection, a statement stays prepared there.
PREPARED_AFTER = 3
_TRIES = 20
_LIMITS = {
    "statement_timeout": f"{STATEMENT_SECONDS}s",
    "idle_in_transaction_session_timeout": "60s",
    "timezone": "UTC",
}
_PRINCIPAL = "SELECT " + ", ".join(
    [f"set_config('holdfast.{name}', %s, true)" for name in ("organisation", "person")]
    + [f"set_config('{name}', '{value}', true)" for name, value in _LIMITS.items()]
)
# A statement and its values: these travel beside it, since every session of a role sees the text of its statements.
Statement = tuple[str, tuple[object, ...]]
# The time there, and how many connections are still to be had by this role, the one that asks included.
_STATE = (
    "SELECT extract(epoch FROM clock_timestamp())::float8, 1 + least("
    "current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int - count(*),"
    " (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user)"
    " - count(*) FILTER (WHERE usename = current_user)) FROM pg_stat_activity WHERE datid IS NOT NULL"
)
_WHICH = (
    "SELECT pg_backend_pid(), (SELECT format('%s-%s-%s', s.system_identifier, d.oid, c.timeline_id)"
    " FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database())"
)
_MIGRATIONS = os.path.join(os.path.dirname(__file__), "migrations")
OPERATORS = "Connect as the role that owns the database, the operator's; docs/hub.md shows how."
# An arbitrary number of ours: by this lock, two migrations at once run one after the other.
_MIGRATING = 7_433_001


# The SQLSTATEs by which functions of the database report errors to people (`migrations/0005`).
_OURS: dict[str, type[HoldfastError]] = {"HF403": Refused, "HF404": NotFound, "HF409": Conflict, "HF422": BadInput}


class Asks(NamedTuple):
    """Who asks, and of which team: the principal of a transaction."""

    organisation: str
    person: str
    team: str


def parse(address: str) -> tuple[str, Asks]:
    """Return what libpq takes, and who asks: `postgresql://HOST/DATABASE?organisation=...&team=...&person=...`."""
    parts = address_parts(address)
    given = dict(parse_qsl(parts.query))
    asks = Asks(*(given.pop(name, "") for name in Asks._fields))
    return urlunsplit(parts._replace(query=urlencode(given))), asks


class Pool:
    """The connections of this process to one database."""

    def __init__(self, conninfo: str) -> None:
        self.conninfo = conninfo
        # What `postgres_search` knows of teams that have all of their vectors.
        self.complete: dict[object, int] = {}
        self.prepares = True
        # Whose numbers of changes these are: restored from a backup, or promoted, a database goes on with others.
        self.numbered = ""
        self._free: list[Any] = []
        self._room = threading.BoundedSemaphore(MAX_CONNECTIONS)
        self._lock = threading.Lock()

    @contextmanager
    def transaction(self, asks: Asks) -> Iterator[Any]:
        """Yield a connection within a transaction of this principal; it commits, or nothing happened."""
        with self._begun(("BEGIN", ()), (_PRINCIPAL, asks[:2])) as db:
            yield db
            db.commit()

    def do(self, asks: Asks, statement: str, *values: object) -> None:
        """Carry out one statement of this principal as a transaction of its own, in one round trip."""
        with self._begun((_PRINCIPAL, asks[:2]), (statement, values)):
            pass

    @contextmanager
    def _begun(self, *statements: Statement) -> Iterator[Any]:
        """Yield a connection after these statements; what is still open when an error comes is rolled back."""
        if not self._room.acquire(timeout=WAIT_SECONDS):
            raise StoreBusy("every connection to the database is in use", "Try again in a while.")
        try:
            with told(self.conninfo):
                db = self._after(statements)
                try:
                    yield db
                except (psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement):
                    # A pooler in between shares the connections after all.
                    self.prepares = False
                    db.close()
                    self.close()
                    raise
                except BaseException:
                    _roll_back(db)
                    raise
                finally:
                    self._give_back(db)
        finally:
            self._room.release()

    def _after(self, statements: tuple[Statement, ...]) -> Any:
        """Return a connection on which these were carried out in one round trip, together or not at all.

        One that broke meanwhile is left aside.
        """
        while True:
            with self._lock:
                db = self._free.pop() if self._free else None
            is_new = db is None
            db = db or self._connected()
            try:
                with db.pipeline():
                    for statement, values in statements:
                        db.execute(statement, values, prepare=False)
                return db
            except psycopg.OperationalError:
                db.close()
                if is_new:
                    raise
            except BaseException:
                _roll_back(db)
                self._give_back(db)
                raise

    def _connected(self) -> Any:
        db = connect(self.conninfo)
        try:
            check_role(db)
            # A transaction begins together with its principal, in one round trip.
            db.autocommit = True
            process, self.numbered = db.execute(_WHICH).fetchone()
            # A pooler names a process of its own invention, and what is prepared now may not be there next time.
            if self.prepares and db.info.backend_pid == process:
                db.prepare_threshold = PREPARED_AFTER
        except BaseException:
            db.close()
            raise
        return db

    def _give_back(self, db: Any) -> None:
        with self._lock:
            if not db.closed:
                self._free.append(db)

    @property
    def idle(self) -> int:
        """How many connections lie idle."""
        return len(self._free)

    def close(self) -> None:
        """Close what lies idle."""
        with self._lock:
            while self._free:
                self._free.pop().close()


_POOLS: dict[str, Pool] = {}


def pool_of(conninfo: str) -> Pool:
    """Return the connections of this process to a database."""
    if not _POOLS:
        atexit.register(_close_all, os.getpid())
    return _POOLS.setdefault(conninfo, Pool(conninfo))


def _close_all(process: int) -> None:
    """Close what lies idle when the process ends; a copy of it by fork has no connections of its own to close."""
    for pool in _POOLS.values() if process == os.getpid() else ():
        pool.close()


def connect(conninfo: str) -> Any:
    """Return a new connection, on which nothing is prepared, so that a pooler in between may share it."""
    if not conninfo.startswith(("postgresql://", "postgres://")):
        raise BadInput("this is not the address of a database", "Give postgresql://ROLE@HOST/DATABASE.")
    return psycopg.connect(conninfo, connect_timeout=CONNECT_SECONDS, prepare_threshold=None, client_encoding="utf8")


def check_role(db: Any) -> None:
    """Refuse a role that could pass over row-level security or was granted nothing, and an unmigrated database."""
    strong = db.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()[0]
    hint = "Connect as a role that was granted holdfast_app and nothing else; docs/hub.md shows how."
    if owns_hub(db) or strong:
        raise Refused("this role could bypass row-level security", hint)
    if not db.execute("SELECT has_schema_privilege('holdfast', 'USAGE')").fetchone()[0]:
        raise Refused("this role was not granted the hub", hint)
    db.rollback()


def owns_hub(db: Any) -> bool:
    """Whether the connected role is the operator; raises where the database is not a hub yet."""
    found = db.execute(
        "SELECT pg_has_role(c.relowner, 'MEMBER') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'holdfast' AND c.relname = 'migration'"
    ).fetchone()
    if found is None:
        raise StoreUnavailable("this database is not a hub yet", "`holdfast hub migrate URL` makes it one.")
    return bool(found[0])


def _roll_back(db: Any) -> None:
    try:
        db.rollback()
    except psycopg.Error:
        db.close()


@contextmanager
def told(conninfo: str) -> Iterator[None]:
    """Raise errors of ours for what PostgreSQL refused; of the address they name only the database."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as problem:
        hint = "What is personal is never shared; for anything else, ask an admin of the organisation for a role."
        raise Refused("this person may not change that here", hint) from problem
    except psycopg.errors.UndefinedTable as problem:
        hint = "`holdfast hub migrate URL` does what is missing."
        raise StoreUnavailable("this database is older than this program", hint) from problem
    except psycopg.errors.UniqueViolation as problem:
        raise Conflict("it is there already", "Try again.") from problem
    except (psycopg.errors.QueryCanceled, psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected) as problem:
        raise StoreBusy("the database took too long", "Try again in a while.") from problem
    except psycopg.errors.DiskFull as problem:
        raise StoreFull("no space left for the database", "Free some space on its disk.") from problem
    except psycopg.DataError as problem:
        raise BadInput(
            f"the database does not accept this: {problem.diag.message_primary or problem}", "Change it."
        ) from problem
    except psycopg.errors.CheckViolation as problem:
        raise BadInput("a name or a value is not allowed", "Use a-z, 0-9, dot, underscore and hyphen.") from problem
    except psycopg.Error as problem:
        if kind := _OURS.get(problem.sqlstate or ""):
            raise kind(problem.diag.message_primary or "", problem.diag.message_hint or "") from problem
        where = urlsplit(conninfo)
        text = f"the database {where.path.lstrip('/')} on {where.hostname or 'this machine'} cannot be used"
        # What the server says of its own state is told; what it says of a statement may repeat values.
        refused = str(problem).rpartition("FATAL:")[2] if problem.sqlstate is None and "FATAL:" in str(problem) else ""
        text += f" ({refused.strip() or type(problem).__name__})"
        raise StoreUnavailable(text, "Is it running, and may this role connect?") from problem


def versions() -> list[tuple[int, str, str]]:
    """Return number, name and SQL of every migration, in order."""
    found = []
    for file in sorted(os.listdir(_MIGRATIONS)):
        with open(os.path.join(_MIGRATIONS, file), encoding="utf-8") as opened:
            number, _, name = file.removesuffix(".sql").partition("-")
            found.append((int(number), name, opened.read()))
    return found


def migrate(conninfo: str, up_to: int | None = None) -> list[str]:
    """Bring the database to the newest version, or to an earlier one on the way; return what was done."""
    done = []
    with told(conninfo), connect(conninfo) as db:
        db.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
        _prepare(db)
        for number, name, sql in versions():
            if up_to is not None and number > up_to:
                break
            if _migrated(db, number, name, sql):
                done.append(f"{number:04} {name}")
    return done


def _prepare(db: Any) -> None:
    """Make what the first step needs; Refused where the role may not."""
    try:
        if not db.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone():
            db.execute("CREATE EXTENSION vector")
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as problem:
        hint = "A superuser adds it once, in this database: CREATE EXTENSION vector; (pgvector has to be installed)"
        raise Refused("the database has no extension vector, and this role cannot add it", hint) from problem
    try:
        db.execute("CREATE SCHEMA IF NOT EXISTS holdfast")
        db.execute(
            "CREATE TABLE IF NOT EXISTS holdfast.migration"
            " (number int PRIMARY KEY, name text NOT NULL, at timestamptz NOT NULL DEFAULT now())"
        )
    except psycopg.errors.InsufficientPrivilege as problem:
        raise Refused("this role may not make a hub of this database", OPERATORS) from problem
    db.commit()


def _migrated(db: Any, number: int, name: str, sql: str) -> bool:
    """Do one step; return whether it was to be done. Where processes that go on hold a table, it tries again."""
    for left in reversed(range(_TRIES)):
        try:
            with db.transaction():
                db.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATING,))
                if db.execute("SELECT 1 FROM holdfast.migration WHERE number = %s", (number,)).fetchone():
                    return False
                # Everybody else would queue behind a migration that waits for its lock.
                db.execute("SET LOCAL lock_timeout = '2s'")
                db.execute(sql)
                db.execute("INSERT INTO holdfast.migration VALUES (%s, %s)", (number, name))
                if db.execute("SELECT to_regproc('holdfast.add_partitions')").fetchone()[0]:
                    db.execute("SELECT holdfast.add_partitions()")
                return True
        except (psycopg.errors.LockNotAvailable, psycopg.errors.DeadlockDetected):
            if not left:
                raise
            time.sleep(0.2)
    return False


def check_hub(conninfo: str) -> list[str]:
    """Return what is wrong with a hub as the application sees it; nothing where all is well."""
    problems = []
    with told(conninfo), connect(conninfo) as db:
        check_role(db)
        if db.info.server_version < MIN_SERVER:
            problems.append(f"PostgreSQL {db.info.server_version // 10000} is too old: 15 and newer are known to work")
        done = {number for (number,) in db.execute("SELECT number FROM holdfast.migration").fetchall()}
        missing = [f"{number:04} {name}" for number, name, _ in versions() if number not in done]
        if missing:
            problems.append(f"migrations are not done: {', '.join(missing)}; `holdfast hub migrate URL` does them")
        if max(done, default=0) > versions()[-1][0]:
            problems.append("the database is newer than this program")
        open_tables = db.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'holdfast'::regnamespace AND relkind IN ('r', 'p')"
            " AND NOT (relrowsecurity AND relforcerowsecurity) ORDER BY 1"
        ).fetchall()
        if open_tables:
            problems.append(f"row-level security is not forced on {', '.join(name for (name,) in open_tables)}")
        seen = db.execute("SELECT count(*) FROM holdfast.memory").fetchone()[0]
        if seen:
            problems.append("without a principal rows are seen: this role bypasses row-level security")
        at, free = db.execute(_STATE).fetchone()
        if (apart := abs(time.time() - at)) > MAX_SECONDS_APART:
            told_apart = f"the clocks of this machine and of the database are {apart:.0f} seconds apart"
            problems.append(f"{told_apart}: sign-ins end by the one, tokens by the other")
        if free < MAX_CONNECTIONS:
            problems.append(
                f"only {max(0, free)} more connections are free for this role; each process takes up to"
                f" {MAX_CONNECTIONS}: raise max_connections or the role's limit, or put a pooler between"
            )
    return problems
