"""`holdfast allow` and `holdfast deny`."""

from __future__ import annotations

import click

from holdfast.base.text import count
from holdfast.exchange import repository_set
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import answer, confirm_steps, report_applied, say
from holdfast.workspace import Workspace

_path = click.argument("path", required=False, type=click.Path(exists=True, file_okay=False))


def _set_of(workspace: Workspace, path: str | None) -> repository_set.RepositorySet:
    if path:
        workspace.folder = path
    return repository_set.of(workspace)


@command("allow", "holdfast allow --dry-run")
@_path
@options.consent
def _allow(workspace: Workspace, path: str | None) -> None:
    """Let agents be given what the repository of this folder, or of PATH, has in its memory/ folder.

    It is allowed as it is now: what is new, changed and gone is shown first, and a later change has to be allowed
    again. It becomes memories of this project with the trust import: data, never your rules.
    """
    found = _set_of(workspace, path)
    plan = found.plan()
    steps = [change.step for change in plan]
    if not steps and found.is_open:
        found.allow([])
    if confirm_steps(steps, "it is allowed already, and there is nothing new in it"):
        refused = found.allow(plan)
        for name in refused:
            say(f"{name} says what you forgot, so it stays out")
        report_applied(steps, f"allowed {count(len(steps) - len(refused), 'change')} of {found.root}")


@command("deny", "holdfast deny")
@_path
def _deny(workspace: Workspace, path: str | None) -> None:
    """Take back what `allow` let in from the repository of this folder, or of PATH. Its files stay as they are."""
    gone = _set_of(workspace, path).deny()
    answer({"removed": gone}, f"denied; {count(len(gone), 'memory')} of it went")
