"""`holdfast heal`."""

from __future__ import annotations

from holdfast.memory import heal
from holdfast.surfaces.cli.shared import applied, consent_options, consented, json_option, with_workspace
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("heal", "holdfast heal --dry-run")
@consent_options
@json_option
@with_workspace
def command(workspace: Workspace, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Repair what is safe: redact secrets, remove leftovers of a crash, merge equal memories, close open modes.

    Each act leaves a line in updates/. What needs judgement is left to you.
    """
    steps = heal.plan(workspace)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to heal"):
        done = heal.apply(workspace, steps)
        applied(done, as_json, f"healed {len(done)} of {len(steps)}")
