"""`holdfast tidy`."""

from __future__ import annotations

from holdfast.memory import tidy
from holdfast.surfaces.cli.shared import applied, consent_options, consented, json_option, scope_option, with_workspace
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("tidy", "holdfast tidy --dry-run")
@scope_option("Only this scope.")
@consent_options
@json_option
@with_workspace
def command(workspace: Workspace, scope: str | None, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Move groups of related memories of a crowded folder into sub-folders, each with an index of its own.

    Keys stay the same, and links follow.
    """
    moves, steps = tidy.plan(workspace, scope)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="no folder is crowded"):
        applied(steps, as_json, f"moved {tidy.apply(workspace, moves)} memories into {len(moves)} folders")
