"""Store a memory: redact, put, and say whether it was created, updated or unchanged."""

from __future__ import annotations

from holdfast.errors import BadInput
from holdfast.records import TRUSTS, TYPES, Draft, Stored
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
    _check_choice("type", type, TYPES)
    _check_choice("trust", trust, TRUSTS)
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
    workspace.check(draft)
    workspace.refresh_once(draft.scope)
    return workspace.put(draft)


def _check_choice(name: str, value: str | None, allowed: tuple[str, ...]) -> None:
    if value is not None and value not in allowed:
        raise BadInput(f"{value!a} is not a {name}", f"Use one of {', '.join(allowed)}.")
