"""What the tests share: a person's empty machine, a project to stand in, and the real command line."""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from holdfast.agents import SHELLS
from holdfast.app.finish import finish
from holdfast.workspace import Workspace
from support.command_line import play
from support.places import AGELESS, FOLDERS, make_repository
from support.sampling import LONG, count

# Matrices here are small: a second thread of theirs would only wait, and loudly. Processes that are started inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# No example is timed: a machine may be busy at any moment. The sample is the same each time.
settings.register_profile(
    "holdfast",
    max_examples=count(100, 15),
    deadline=None,
    derandomize=not LONG,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("holdfast")
# What a developer may have set: programs, colours, and where agents keep their things.
FOREIGN = {*("VISUAL", "EDITOR", "NO_COLOR", "FORCE_COLOR"), *FOLDERS, *SHELLS}
# A file system in memory, and how much room it must have before tests are run there.
IN_MEMORY, ROOM = "/dev/shm", 4 << 30
_people = itertools.count()


def pytest_configure(config):
    """Keep what tests write in memory: a disk makes every durable write wait, and all of it is thrown away.

    No test asks what a power cut leaves behind. `TMPDIR=/tmp make test` runs them on a disk all the same.
    """
    if "TMPDIR" not in os.environ and os.path.isdir(IN_MEMORY) and shutil.disk_usage(IN_MEMORY).free > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = IN_MEMORY
    # A shell lets what it starts in the background ignore Ctrl-C, and so would every program that a test interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session):
    """End the database server of this process: one that works for another ends without its own last acts."""
    if "support.postgres" in sys.modules:
        sys.modules["support.postgres"].end()


def pytest_collection_finish(session):
    """Let the garbage collector look at what tests make, and not again and again at the thousands of tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Keep tests that share a long set-up in one process, where several run tests."""
    from support.scheduling import Together

    return Together(config, log)


@pytest.fixture(autouse=True)
def machine(request, tmp_path_factory, monkeypatch):
    """Give every test a home folder of its own and an environment without a trace of the developer's."""
    # Numbered here: to find the next number, pytest would look through the folders of all tests before this one.
    person = tmp_path_factory.getbasetemp() / f"person{next(_people)}"
    person.mkdir(mode=0o700)
    for name in list(os.environ):
        if name.startswith(("HOLDFAST_", "_HOLDFAST")) or name in FOREIGN:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(person))
    # As after an install: the shell finds the program, so that hints are short.
    monkeypatch.setenv("PATH", os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath))))
    monkeypatch.setenv("HOLDFAST_HOME", str(person / ".holdfast"))
    for name, value in AGELESS.items():
        monkeypatch.setenv(name, value)
    failed = request.session.testsfailed
    yield person
    # What a test left that failed is there to be looked at.
    if request.session.testsfailed == failed:
        shutil.rmtree(person, ignore_errors=True)


@pytest.fixture
def home(machine) -> Path:
    """The home of Holdfast, which does not exist yet."""
    return machine / ".holdfast"


@pytest.fixture
def repository(machine):
    """Make a git repository with a remote, without git: only its files count."""
    return lambda name: make_repository(machine / "code", name)


@pytest.fixture
def shop(repository, monkeypatch) -> Path:
    """The repository of the shop, and we stand in it."""
    folder = repository("shop")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def workspace(home, shop):
    """Open the home as seen from the shop, as often as a test likes; what was said lies in `workspace.said`."""

    @contextmanager
    def make(*, finishes: bool = True, **options) -> Iterator[Workspace]:
        with Workspace(str(home), **{"folder": str(shop), "say": make.said.append, **options}) as opened:
            yield opened
            if finishes:
                finish(opened)

    make.said = []
    return make


@pytest.fixture
def at_once():
    """Run a function in several processes at once, each with arguments of its own; all of them end well."""

    def play(target, *arguments: tuple) -> None:
        context = multiprocessing.get_context("spawn")
        workers = [context.Process(target=target, args=given) for given in arguments]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(300)
            assert worker.exitcode == 0

    return play


@pytest.fixture
def write(home):
    """Write a file below the memory tree, as a person does in an editor, and return its path."""

    def make(path: str, text: str | bytes) -> Path:
        full = home / "memory" / path
        for folder in [*reversed(full.parents)]:
            if not folder.exists():
                folder.mkdir(mode=0o700)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())
        full.chmod(0o600)
        return full

    return make


@pytest.fixture
def tree():
    """Return every path below a folder with its mode and its bytes, to tell whether anything changed."""

    def read(folder: Path, *, index: bool = False) -> dict[str, object]:
        """`index` takes in what may be deleted at any time too: index.db, which changes by looking, and locks."""
        paths = sorted(folder.rglob("*")) if folder.exists() else []
        found = {str(path.relative_to(folder)): (path.lstat().st_mode, _content(path)) for path in paths}
        return {
            name: what for name, what in found.items() if index or not name.startswith(("index.db", "state/locks/"))
        }

    return read


def _content(path: Path) -> object:
    if path.is_symlink():
        return os.readlink(path)
    return path.read_bytes() if path.is_file() else None


@pytest.fixture
def cli():
    """Run one command line in this process, by the adapter that the program uses."""
    return play


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """Set an editor that is a small script; it finds the file as $1."""

    def make(script: str) -> None:
        path = tmp_path / "editor.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setenv("EDITOR", str(path))

    return make
