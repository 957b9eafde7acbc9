"""Workspaces for a process that stays: each call opens one of its own, and gets a store that an earlier call opened.

A store that stays is told of changes in the files and need not sweep them before every read. Settings, project and
scopes are looked at anew by every workspace, so nothing else can be stale. A store serves one workspace at a time.
"""

from __future__ import annotations

import threading

from holdfast.errors import HoldfastError
from holdfast.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from holdfast.store.base import Store

_MAX_FREE = 4


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
        session: str,
        say: Callable[[str], None],
    ) -> None:
        super().__init__(home, folder=folder, environment=environment, flags=flags, session=session, say=say)
        self._stores = stores
        self._opened_with = self.home, self.settings.number("memory.largest")
        self._store = stores.take(self._opened_with)

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._store is not None and (problem is None or isinstance(problem, HoldfastError)):
            self._stores.give_back(self._opened_with, self._store)
            self._store = None
        self.close()
