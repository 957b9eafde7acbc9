"""`holdfast forget`."""

from __future__ import annotations

import click

from holdfast.memory import forget
from holdfast.surfaces.cli.shared import (
    applied,
    complete_key,
    consent_options,
    consented,
    json_option,
    scope_option,
    with_workspace,
)
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("forget", "holdfast forget deploys-need-the-vpn")
@click.argument("keys", nargs=-1, required=True, shell_complete=complete_key)
@scope_option("Only this scope.")
@consent_options
@json_option
@with_workspace
def command(
    workspace: Workspace, keys: tuple[str, ...], scope: str | None, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Forget memories for good. A tombstone without their words stays, so that no import brings them back."""
    memories, steps = forget.plan(workspace, keys, scope=scope)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to forget"):
        forget.apply(workspace, memories)
        applied(steps, as_json, f"forgotten: {', '.join(memory.key for memory in memories)}")
