"""One running page: the home that it shows, the workspace of each request, and whom it knows.

Each request opens a workspace of its own, so settings, project and scopes are as they are now; the stores behind them
are kept and told of changes in the files.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.requests import Request

from holdfast.app.doctor import doctor
from holdfast.app.finish import finish
from holdfast.app.open import PooledWorkspace, Stores
from holdfast.base.clock import now
from holdfast.errors import BadInput, Conflict, HoldfastError
from holdfast.memory.lint import lint
from holdfast.records import Problem
from holdfast.settings import Settings
from holdfast.surfaces.web.security import Keys, Principal
from holdfast.workspace import Workspace

# The views: where, by which name, and which other addresses belong to it.
VIEWS = (
    ("/review", "Review", ""),
    ("/receipts", "Receipts", ""),
    ("/memories", "Memories", "/memory/"),
    ("/sessions", "Sessions", "/session/"),
    ("/patterns", "Patterns", "/measure"),
    ("/health", "Health", "/update/"),
    ("/now", "Now", ""),
)
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# So long pages may be behind what they show.
FINISH_SECONDS, MAX_FINISH_SECONDS = 1.0, 30.0
# In a home of at most so many memories Review looks through all of them by itself: a longer look slows other pages.
MAX_LOOKED_AT, LOOK_SECONDS = 5_000, 600.0
# So many requests are answered at once; each has a thread and a store.
_AT_ONCE = 4


def say(text: str) -> None:
    """Tell the person something, in the terminal in which the page was started."""
    sys.stderr.write(f"holdfast serve: {text}\n")
    sys.stderr.flush()


@dataclass
class Findings:
    """What a check found when it last looked, which takes a while: some read every file."""

    check: Callable[[Workspace], list[Problem]]
    found: list[Problem] = field(default_factory=list)
    at: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_running(self) -> bool:
        """Whether somebody has it looked through just now."""
        return self._lock.locked()

    def look(self, workspace: Workspace) -> None:
        """Look again; Conflict where that is being done, since two at once would only take twice as long."""
        if not self._lock.acquire(blocking=False):
            raise Conflict("all memories are being looked through", "Load the page again in a while.")
        try:
            self.found, self.at = self.check(workspace), now()
        finally:
            self._lock.release()


@dataclass
class Site:
    """What is served, and where. `public_url` is the address by which browsers reach it besides loopback.

    With `looks_itself` findings are looked for as soon as somebody reviews, in a home that is not large.
    """

    home: str | None
    port: int
    public_url: str = ""
    flags: Mapping[str, str] = field(default_factory=dict)
    folder: str | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    say: Callable[[str], None] = say
    looks_itself: bool = True
    # A hub's has none (`hub_pages.py`).
    has_home = True

    def __post_init__(self) -> None:
        self.stores = Stores()
        self._lock = threading.Lock()
        self._due: set[str] = set()
        self._timer: threading.Timer | None = None
        self._took = 0.0
        self._looked = -LOOK_SECONDS
        self.feeds = 0
        self.limiter = anyio.CapacityLimiter(_AT_ONCE)
        self.findings = Findings(lint)
        self.checks = Findings(doctor)
        self.keys = Keys(cookie=f"holdfast-{self.port}")
        self.origins = frozenset(f"http://{host}:{self.port}" for host in LOOPBACK)
        if self.public_url:
            parts = urlsplit(self.public_url)
            self.origins |= {f"{parts.scheme}://{parts.netloc}".lower()}
        self.hosts = frozenset(urlsplit(origin).netloc for origin in self.origins)

    def finish_soon(self, project: str) -> None:
        """Have the pages of what was changed written soon, so that a hundred changes write them once."""
        with self._lock:
            self._due.add(project)
            if self._timer is None:
                # In a large home it takes longer; then it is done less often, and never takes more than a tenth.
                pause = min(max(FINISH_SECONDS, 10 * self._took), MAX_FINISH_SECONDS)
                self._timer = threading.Timer(pause, self.finish_due)
                self._timer.daemon = True
                self._timer.start()

    def finish_due(self) -> None:
        """Write the pages that are behind; also when the server ends."""
        with self._lock:
            due, self._due = self._due, set()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        begun = time.monotonic()
        for project in sorted(due):
            try:
                with self.workspace(project) as workspace:
                    # What is written is known by the store alone, which only its use opens.
                    workspace.refresh(())
                    finish(workspace)
            except (HoldfastError, OSError, sqlite3.Error) as problem:
                self.say(f"pages are not up to date: {problem}")
        self._took = time.monotonic() - begun

    def look_soon(self, workspace: Workspace) -> None:
        """Have findings looked for beside the requests, unless that was done lately or the home is large."""
        with self._lock:
            if not self.looks_itself or time.monotonic() - self._looked <= LOOK_SECONDS or self.findings.is_running:
                return
            self._looked = time.monotonic()
        if sum(group.memories for group in workspace.store.groups()) <= MAX_LOOKED_AT:
            threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        try:
            with self.workspace() as workspace:
                self.checks.look(workspace)
                self.findings.look(workspace)
        except (HoldfastError, OSError, sqlite3.Error) as problem:
            self.say(f"the home could not be looked through: {problem}")

    @property
    def address(self) -> str:
        """The address of the page, with the token that opens it once."""
        return f"{self.public_url.rstrip('/') or f'http://127.0.0.1:{self.port}'}/open?token={self.keys.one_time}"

    def settings_now(self, flags: Mapping[str, str] | None = None) -> Settings:
        """Return the settings that hold now, and with more flags."""
        with self.workspace() as workspace:
            return workspace.settings

    def frame(self, request: Request) -> dict[str, Any]:
        """Return what every page shows beside its own: the views that there are."""
        return {"nav": VIEWS, "has_home": True, "who": None}

    def workspace(
        self,
        project: str = "",
        *,
        caller: str = "person",
        session: str = "",
        profile: str = "",
        team: str = "",
        principal: Principal | None = None,
        via: str = "",
    ) -> Workspace:
        """Return a workspace as seen from the folder in which the page was started, or from a project."""
        if team:
            raise BadInput("a home has no teams", "Leave out the team.")
        return PooledWorkspace(
            self.stores,
            self.home,
            folder=self.folder,
            environment=self.environment,
            flags=self.flags,
            project=project,
            session=session,
            profile=profile,
            caller=caller,
            say=lambda text: None,
        )
