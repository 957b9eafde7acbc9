"""`holdfast prune`."""

from __future__ import annotations

import click

from holdfast.app import prune
from holdfast.surfaces.cli.shared import applied, consent_options, consented, json_option, with_workspace
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("prune", "holdfast prune --dry-run")
@click.option("--kept", is_flag=True, help="Show what is kept too, each with its rule.")
@consent_options
@json_option
@with_workspace
def command(workspace: Workspace, kept: bool, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Remove memories that have had their time, by the rule of their scope.

    Global and agent memories, pinned ones, and the types user, feedback and decision never expire.
    """
    verdicts, steps = prune.plan(workspace)
    shown = prune.kept(verdicts) if kept else []
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing has expired", kept=shown):
        applied(steps, as_json, f"removed {prune.apply(workspace, verdicts)}", shown)
