"""The public handle: `holdfast.open(home)`."""

from __future__ import annotations

import time

from holdfast.app.finish import finish, write_pages
from holdfast.memory import forget, remember, show
from holdfast.recall import recall, related
from holdfast.recall.related import Related
from holdfast.records import Hit, Memory, Stored
from holdfast.workspace import Workspace


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
        self._write_pages_in_time()
        return stored

    def _write_pages_in_time(self) -> None:
        """In a long run, keep the index pages at most a second behind; a short one writes them when it closes."""
        if time.monotonic() - self._pages_written > 1.0:
            write_pages(self._workspace)
            self._pages_written = time.monotonic()

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
        return forget.forget(self._workspace, key, scope=scope)


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
