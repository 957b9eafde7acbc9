"""What the notes of a project share: its folders, texts without secrets, and what is answered to a change."""

from __future__ import annotations

import os
from dataclasses import dataclass

from holdfast import project as projects
from holdfast.base.text import check_text
from holdfast.continuity import pages
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.note_tables import Note
from holdfast.errors import BadInput, ScopeUnknown, TooLarge
from holdfast.memory.remember import redacted
from holdfast.privacy.fence import harmless_line
from holdfast.records import Draft, Scope
from holdfast.workspace import Workspace

# Looking for secrets in more than can be kept would only take its time; spaces and line ends do not count in the end.
_MAX_GIVEN = 4 * pages.MAX_BECAUSE


@dataclass(frozen=True, slots=True)
class NoteChange:
    """The answer to a change of a decision or lesson: added, withdrawn or unchanged; and the kinds of secret in it."""

    action: str
    note: Note
    path: str
    redacted: tuple[str, ...] = ()


def folders(workspace: Workspace) -> tuple[str, ...]:
    """Return the folder of the project, and those of its earlier ids; without a project, raise ScopeUnknown."""
    try:
        project = workspace.project()
    except ScopeUnknown as problem:
        # Elsewhere the scope global is a way out; these pages have no other place.
        raise ScopeUnknown(str(problem), "cd into a project, or name one with --project ID") from None
    return ProjectPages(workspace.home, project.id, project.aliases).folders


def without_secrets(
    workspace: Workspace, text: str, because: str = "", source: str = ""
) -> tuple[list[str], tuple[str, ...]]:
    """Return the texts as one line each without secrets, and the kinds that were found, which the person is told."""
    if not text.strip():
        raise BadInput("there is no text to write down", "Say it in a sentence.")
    for given in (text, because, source):
        check_text(given)
        if len(given) > _MAX_GIVEN:
            raise TooLarge(f"the text has {len(given):,} characters", "Say it in a sentence or two.")
    scope = Scope("global")
    first, secrets = redacted(Draft(text, scope, title=because, source=source))
    lines = [harmless_line(given) for given in (first.text, first.title or "", first.source)]
    # Once more: taking out invisible characters may have made a secret whole.
    last, more = redacted(Draft(lines[0], scope, title=lines[1], source=lines[2]))
    every = tuple(sorted({*secrets, *more}))
    if every:
        workspace.say(f"redacted before it was stored: {', '.join(every)}")
    return [last.text, last.title or "", last.source], every


def path_of(workspace: Workspace, page: str) -> str:
    """Return where a page of the project lies, whether it is there or not."""
    return os.path.join(folders(workspace)[0], page)


def remember_project(workspace: Workspace) -> None:
    """Note what tells this project from others, so that a renamed folder is known again."""
    projects.record(workspace.project(), workspace.registry)
