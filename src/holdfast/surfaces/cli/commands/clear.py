"""`holdfast clear`."""

from __future__ import annotations

from holdfast.memory import clear
from holdfast.surfaces.cli.shared import applied, consent_options, consented, json_option, scope_option, with_workspace
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("clear", "holdfast clear --scope session --session 4f2a --dry-run")
@scope_option("The scope to clear.", required=True)
@consent_options
@json_option
@with_workspace
def command(workspace: Workspace, scope: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Forget every memory of a scope."""
    memories, steps = clear.plan(workspace, scope)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="the scope is empty"):
        clear.apply(workspace, memories)
        applied(steps, as_json, f"cleared {workspace.scope(scope)}: {len(steps)} forgotten")
