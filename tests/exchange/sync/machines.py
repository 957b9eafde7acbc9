"""Machines that share one remote: each a home of its own, seen from the same project."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from holdfast.app import erase, finish, sync, updates
from holdfast.app.erase_target import of_texts
from holdfast.continuity import decisions, todo
from holdfast.errors import HoldfastError
from holdfast.exchange import bundle
from holdfast.exchange.sync import connection, depot, payload
from holdfast.memory import move
from holdfast.memory.forget import plan
from holdfast.memory.remember import remember
from holdfast.records import Filter, Memory
from holdfast.workspace import Workspace
from support.killing import killed_at

PROJECT = "shop"


class Machine:
    """One home. Each act opens and closes it, as a command does."""

    def __init__(self, folder: Path, remote: Path, *, ahead: float = 0.0) -> None:
        self.home = folder / "home"
        # By how many seconds its clock is wrong.
        self.ahead = ahead
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.remote = remote
        # The next command finishes what a killed one left, and looks for what it changed.
        self.was_killed = False

    @property
    def is_apart(self) -> bool:
        """Whether it has not joined the others yet."""
        return not (self.home / "sync" / "remote").exists()

    def copied(self, folder: Path) -> Machine:
        """Return a machine with a copy of this home, as somebody gets who puts a backup on another one."""
        clone = Machine(folder, self.remote, ahead=self.ahead)
        clone.was_killed = self.was_killed
        shutil.copytree(self.home, clone.home)
        return clone

    def act(self, do, *given, **more):
        """Do one thing in the home."""
        environment = {"HOME": str(self.folder), "HOLDFAST_PROJECT_ID": PROJECT}
        right = time.time
        with patch("time.time", lambda: right() + self.ahead):
            workspace = Workspace(str(self.home), folder=str(self.folder), environment=environment)
            try:
                if self.was_killed:
                    finish.repair(workspace)
                    workspace.refresh(None)
                    self.was_killed = False
                return do(workspace, *given, **more)
            finally:
                finish.finish(workspace)
                workspace.close()

    def join(self) -> Machine:
        """Connect it with the remote."""
        self.act(connection.init, str(self.remote))
        return self

    def sync(self, **more):
        """Sync it."""
        return self.act(sync.sync, **more)

    def remember(self, text: str, key: str | None = None, scope: str = "project") -> Memory:
        """Store a statement."""
        return self.act(remember, text, key=key, scope=scope).memory

    def goes_with(self, key: str) -> list[Memory]:
        """Return what would be forgotten with a memory: itself, and what only it replaced."""
        return self.act(lambda workspace: plan(workspace, (key,))[0])

    def forget(self, key: str) -> None:
        """Forget a memory for good."""
        self.act(lambda workspace: erase.forget_memories(workspace, plan(workspace, (key,))[0]))

    def erase(self, text: str) -> None:
        """Erase a text from everything."""
        self.act(lambda workspace: erase.erase(workspace, of_texts(workspace, (text,))))

    def undo(self, choose) -> bool:
        """Undo the one of the updates that is chosen; False where there is none, or it cannot be undone any more."""

        def do(workspace) -> bool:
            every = [one.update.id for one in updates.updates(workspace, limit=4) if one.can_be_undone]
            try:
                return bool(every) and bool(
                    updates.apply_undo(workspace, updates.plan_undo(workspace, [choose(every)]))
                )
            except HoldfastError:
                return False

        return self.act(do)

    def decide(self, text: str) -> None:
        """Write a decision down."""
        self.act(decisions.add, text)

    def see(self) -> None:
        """Adopt what was written into a table of a page, as each command does first."""
        self.act(finish.see)

    def rename(self, key: str, new: str) -> None:
        """Give a memory another key."""
        self.act(lambda workspace: move.apply(workspace, move.plan(workspace, key, new_key=new)[0]))

    def add_todo(self, text: str) -> None:
        """Add a check box."""
        self.act(todo.add, text)

    def tick(self, text: str) -> None:
        """Tick a check box."""
        self.act(todo.done, (text,))

    def todos(self) -> dict[str, bool]:
        """Return all check boxes, and whether each is ticked."""
        return {one.text: one.done for one in self.act(todo.todos, everything=True)}

    def memories(self) -> dict[str, Memory]:
        """Return all memories of the project and all global ones by key, with their history."""

        def do(workspace):
            workspace.refresh(None)
            return {one.key: workspace.store.get(one.scope, one.key) for one in workspace.store.find(Filter(None))}

        return self.act(do)

    def path(self, key: str) -> Path:
        """Return the file of a memory of the project."""
        return self.home / "memory" / "projects" / PROJECT / "memories" / f"{key}.md"

    def page(self, name: str) -> Path:
        """Return a page of the project."""
        return self.home / "memory" / "projects" / PROJECT / name

    def rows(self) -> list[str]:
        """Return the rows of the table of decisions, without its head and days, which are as first told."""
        page = self.page("decisions.md")
        told = [line.split("|") for line in page.read_text().splitlines() if line[:1] == "|"] if page.exists() else []
        return ["|".join(cells[:2] + cells[3:]) for cells in told[2:]]

    def travelling(self) -> dict[str, bytes]:
        """Return what of the home travels."""
        return self.act(lambda workspace: payload.Home(workspace).files)

    def hand_out(self, file: Path) -> None:
        """Export what the home has as a bundle."""
        self.act(bundle.export, str(file))

    def take_in(self, file: Path) -> None:
        """Import a bundle."""
        self.act(lambda workspace: bundle.apply(workspace, bundle.plan(workspace, bundle.read(str(file)))))

    def plain_files(self) -> dict[str, bytes]:
        """Return every file of the home but those of git, and those of the index, which looking changes, and locks."""
        every = (path for path in self.home.rglob("*") if path.is_file())
        named = {str(path.relative_to(self.home)): path for path in every}
        hidden = ("sync/depot.git/", "index.db", "state/locks/")
        return {name: path.read_bytes() for name, path in named.items() if not name.startswith(hidden)}

    def killed_at(self, step: int, do, *given, **more) -> bool:
        """Begin something in a process of its own, and kill it at one of its steps; False where it came to its end."""
        killed = killed_at(step, lambda: do(*given, **more))
        self.was_killed |= killed
        return killed


@contextmanager
def remote_that_is(trouble: str, meanwhile: Callable[[], object]) -> Iterator[None]:
    """Let the remote be away, refuse what is pushed, take it and say nothing, or be ahead: `meanwhile` is done."""
    right = depot._done

    def done(words: list[str], *given):
        command = next((word for word in words if word in ("fetch", "push")), "")
        is_forced = any(word.startswith("--force-with-lease") for word in words)
        if command == "push" and trouble == "ahead":
            with patch.object(depot, "_done", right):
                meanwhile()
        if command == "push" and trouble == "dumb":
            right(words, *given)
        fails = command if trouble in TROUBLES.get(command, ()) or (is_forced and trouble == "keeps") else ""
        return _failed(trouble) if fails else right(words, *given)

    with patch.object(depot, "_done", done):
        yield


# Which command of git fails in which trouble.
TROUBLES = {"fetch": ("away",), "push": ("gone", "dumb", "refuses")}


def _failed(trouble: str) -> SimpleNamespace:
    """Return what git ends with."""
    refused = b"! [remote rejected] (pre-receive hook declined)"
    said = refused if trouble in ("refuses", "keeps") else b"fatal: the remote end hung up unexpectedly"
    return SimpleNamespace(returncode=1, stdout=b"", stderr=said)


def settle(*machines: Machine) -> None:
    """Sync them in turn until each has nothing new for the others, and once more: a history may still be replaced."""
    quiet = 0
    for machine in islice(cycle(machines), 7 * len(machines)):
        done = machine.sync()
        quiet = 0 if done.sent or done.received or done.removed else quiet + 1
        if quiet == 2 * len(machines):
            return
    raise AssertionError("they do not come to an end")
