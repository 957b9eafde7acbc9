"""The working state of a project: what is being done now, as an agent or a person says it themselves.

It stands in the project's buffer (`continuity/buffer.py`), where hooks write what they see of a session beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from holdfast import project as projects
from holdfast.base.clock import now
from holdfast.base.text import check_text
from holdfast.continuity import buffer, open_sessions
from holdfast.continuity.buffer import MAX_FOCUS, MAX_ITEM, MAX_ITEMS, ProjectPages, WorkingState
from holdfast.continuity.check_boxes import attributed, unattributed
from holdfast.errors import BadInput, TooLarge
from holdfast.privacy import redact
from holdfast.privacy.fence import harmless_line, shown
from holdfast.records import replace
from holdfast.workspace import Workspace

# A command may wait longer for its turn than a hook.
_WAIT_SECONDS = 20.0
_SHORTER = "Say what matters now; what should last belongs in a memory."


@dataclass(frozen=True, slots=True)
class Updated:
    """The answer to an update: created, updated or unchanged; the kinds of secret, and the decisions that made room."""

    action: str
    state: WorkingState
    redacted: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def read(workspace: Workspace) -> WorkingState:
    """Return the working state of the project of the folder; an empty one where there is no page, or memory is off."""
    if not workspace.enabled:
        return WorkingState()
    pages = _pages(workspace)
    return buffer.read(pages.buffer, pages.older_buffers)


def update(
    workspace: Workspace,
    *,
    focus: str | None = None,
    decisions: tuple[str, ...] = (),
    next_steps: tuple[str, ...] | None = None,
    open_threads: tuple[str, ...] | None = None,
    clear: bool = False,
    by: str = "",
) -> Updated:
    """Say what is being done now. What is given replaces what stood there, but decisions are added to; None stays.

    With `clear` all fields are emptied first.
    """
    workspace.need_enabled()
    kinds: set[str] = set()
    new_decisions = _items("decisions", decisions, kinds)
    new: dict[str, Any] = {} if focus is None else {"focus": _cleaned("focus", focus, MAX_FOCUS, kinds)}
    lists = {"next_steps": next_steps, "open_threads": open_threads}
    new.update({name: _items(name, items, kinds) for name, items in lists.items() if items is not None})
    if not new and not new_decisions and not clear:
        raise BadInput("nothing is said about the working state", "Give at least one field.")
    told_by = harmless_line(redact.redact(by)[0]) if by else ""
    pages, before, over = _pages(workspace), WorkingState(), tuple[str, ...]()

    def edit(state: WorkingState) -> WorkingState:
        nonlocal before, over
        before, start = state, WorkingState() if clear else state
        every = tuple(dict.fromkeys((*start.decisions, *new_decisions)))
        over = every[:-MAX_ITEMS]
        there = {name: getattr(start, name) for name in ("focus", *lists)}
        after = replace(state, decisions=every, **{**there, **new})
        if after.focus != state.focus:
            # A prompt may set the focus as well, and then it is the person's.
            is_same = after.focus == unattributed(state.focus)
            after = replace(after, focus=state.focus if is_same else attributed(after.focus, told_by))
        return after if after == state else replace(after, updated=now(), by=told_by)

    after = buffer.change(pages.buffer, edit, pages.older_buffers, _WAIT_SECONDS)
    if focus and by:
        open_sessions.note_focus(workspace.home, workspace.project().id, by, now())
    _note_for_the_log(workspace, by, new_decisions, new.get("next_steps"))
    if after is before:
        return Updated("unchanged", before, tuple(sorted(kinds)))
    projects.record(workspace.project(), workspace.registry)
    return Updated("updated" if before.path else "created", after, tuple(sorted(kinds)), over)


def _note_for_the_log(
    workspace: Workspace, by: str, decisions: tuple[str, ...], next_steps: tuple[str, ...] | None
) -> None:
    """Note in the session of the agent what it decided and what comes next, so that the log tells whose it is."""
    rows = [(open_sessions.AGREED, text) for text in decisions]
    rows += [(open_sessions.STEPS, json.dumps(list(next_steps)))] if next_steps is not None else []
    project = workspace.project().id
    one = open_sessions.at_work(workspace.home, project, by, workspace.session) if rows and by else None
    if one is not None:
        open_sessions.note(workspace.home, one.agent, one.session, project, now(), rows)


def _pages(workspace: Workspace) -> ProjectPages:
    project = workspace.project()
    return ProjectPages(workspace.home, project.id, project.aliases, project.root)


def _items(name: str, items: tuple[str, ...], kinds: set[str]) -> tuple[str, ...]:
    if len(items) > MAX_ITEMS:
        raise TooLarge(f"{name} has {len(items)} items, and the working state at most {MAX_ITEMS}", _SHORTER)
    cleaned = [_cleaned(name, item, MAX_ITEM, kinds) for item in items]
    return tuple(dict.fromkeys(item for item in cleaned if item))


def _cleaned(name: str, text: str, most: int, kinds: set[str]) -> str:
    """Return the text as one line without secrets, which cannot pass for a marker."""
    check_text(text)
    if len(text) > most:
        raise TooLarge(f"{name} has {len(text):,} characters, and at most {most:,} are kept", _SHORTER)
    # What is whole only when its lines are joined may be a secret, too.
    first, found = redact.redact(shown(text)) if text else ("", ())
    cleaned, more = redact.redact(harmless_line(first))
    kinds.update((*found, *more))
    return cleaned
