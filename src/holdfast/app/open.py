"""Workspaces that are opened from outside: the public handle `holdfast.open(home)`, and those of a process that stays.

In a process that stays each call opens a workspace of its own, and gets a store that an earlier call opened. Such a
store is told of changes in the files and need not sweep them before every read. Settings, project and scopes are looked
at again by every workspace, so nothing else can be stale. A store serves one workspace at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping

from holdfast.app.finish import finish, write_pages
from holdfast.errors import HoldfastError
from holdfast.memory import remember, show
from holdfast.recall import recall, related
from holdfast.recall.related import Related
from holdfast.records import Hit, Memory, Stored
from holdfast.store.base import Store
from holdfast.workspace import Workspace

_MAX_FREE = 4


class Holdfast:
    """An open memory. Use it in a `with` block, or close it, so that every index page is written."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._pages_written = time.monotonic()

    def __enter__(self) -> Holdfast:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        """Write what is due and give back the store."""
        finish(self._workspace)
        self._workspace.close()

    def remember(
        self,
        text: str,
        *,
        scope: str = "project",
        key: str | None = None,
        title: str | None = None,
        type: str | None = None,
        tags: tuple[str, ...] | None = None,
        trust: str = "user",
        source: str = "api",
        supersedes: tuple[str, ...] = (),
        pinned: bool | None = None,
    ) -> Stored:
        """Store a text; the answer says created, updated or unchanged, and holds the memory."""
        stored = remember.remember(
            self._workspace,
            text,
            scope=scope,
            key=key,
            title=title,
            type=type,
            tags=tags,
            trust=trust,
            source=source,
            supersedes=supersedes,
            pinned=pinned,
        )
        # In a long run the index pages are at most a second behind; a short one writes them when it closes.
        if time.monotonic() - self._pages_written > 1.0:
            write_pages(self._workspace)
            self._pages_written = time.monotonic()
        return stored

    def recall(
        self,
        query: str = "",
        *,
        scope: str | None = None,
        types: tuple[str, ...] = (),
        tags: tuple[str, ...] = (),
        agents: tuple[str, ...] = (),
        since: str = "",
        until: str = "",
        limit: int | None = None,
        everywhere: bool = False,
        project: str = "",
    ) -> list[Hit]:
        """Return the best hits among what is visible from the folder, or from another project on purpose."""
        return recall.recall(
            self._workspace,
            query,
            scope=scope,
            types=types,
            tags=tags,
            agents=agents,
            since=since,
            until=until,
            limit=limit,
            everywhere=everywhere,
            project=project,
        )

    def related(self, key: str, *, scope: str | None = None, limit: int = 10) -> list[Related]:
        """Return what is related to a memory, one step away, each with why; NotFound where there is none."""
        return related.related(self._workspace, key, scope=scope, limit=limit)

    def show(self, key: str, *, scope: str | None = None) -> Memory:
        """Return one memory, with its history; NotFound where there is none."""
        return show.show(self._workspace, key, scope=scope)

    def forget(self, key: str, *, scope: str | None = None) -> Memory:
        """Forget one memory and return what it was."""
        # This loads every feature, and few programs forget anything.
        from holdfast.app.erase import forget_memory

        return forget_memory(self._workspace, key, scope=scope)


def open(
    home: str | None = None,
    *,
    folder: str | None = None,
    project: str = "",
    session: str = "",
    profile: str = "",
) -> Holdfast:
    """Open the memory in `home` (HOLDFAST_HOME, or ~/.holdfast) as seen from `folder` (the working folder)."""
    return Holdfast(Workspace(home, folder=folder, project=project, session=session, profile=profile))


class Stores:
    """The open stores that no workspace uses now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: list[tuple[tuple[str, int], Store]] = []

    def take(self, opened_with: tuple[str, int]) -> Store | None:
        """Return the store that was used last, if it was opened with this home and limit; others are closed."""
        with self._lock:
            its, store = self._free.pop() if self._free else (opened_with, None)
        if store is not None and its != opened_with:
            store.close()
            return None
        return store

    def give_back(self, opened_with: tuple[str, int], store: Store) -> None:
        """Keep the store for the next workspace."""
        with self._lock:
            if len(self._free) < _MAX_FREE:
                self._free.append((opened_with, store))
                return
        store.close()

    def close(self) -> None:
        """Close all of them."""
        while self._free:
            self._free.pop()[1].close()


class PooledWorkspace(Workspace):
    """A workspace that gives its store back instead of closing it; after a fault the store is closed all the same."""

    def __init__(
        self,
        stores: Stores,
        home: str | None,
        *,
        folder: str | None,
        environment: Mapping[str, str],
        flags: Mapping[str, str],
        project: str = "",
        session: str = "",
        profile: str = "",
        caller: str,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(
            home,
            folder=folder,
            environment=environment,
            flags=flags,
            project=project,
            session=session,
            profile=profile,
            caller=caller,
            say=say,
        )
        self._stores = stores
        self._opened_with = self.home, self.settings.number("memory.largest")
        self._store = stores.take(self._opened_with)

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if self._store is not None and (problem is None or isinstance(problem, HoldfastError)):
            self._stores.give_back(self._opened_with, self._store)
            self._store = None
        self.close()
