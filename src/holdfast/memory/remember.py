"""Store a memory: redact, put, and say whether it was created, updated or unchanged."""

from __future__ import annotations

from holdfast.memory.put import put
from holdfast.records import Draft, Stored
from holdfast.workspace import Workspace, normal_tags


def remember(
    workspace: Workspace,
    text: str,
    *,
    scope: str = "project",
    key: str | None = None,
    title: str | None = None,
    type: str | None = None,
    tags: tuple[str, ...] | None = None,
    trust: str = "user",
    source: str = "",
    agent: str = "",
    supersedes: tuple[str, ...] = (),
    pinned: bool | None = None,
) -> Stored:
    """Store the text in the scope as seen from here. The same text again changes nothing."""
    workspace.need_enabled()
    draft = Draft(
        text=text,
        scope=workspace.scope(scope),
        key=key,
        title=title,
        type=type,
        tags=None if tags is None else normal_tags(tags),
        trust=trust,
        source=source,
        agent=agent,
        session=workspace.session,
        supersedes=supersedes,
        pinned=pinned,
    )
    workspace.refresh_once(draft.scope)
    return put(workspace, draft)
