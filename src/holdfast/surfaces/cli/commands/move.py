"""`holdfast move`."""

from __future__ import annotations

import click

from holdfast.memory import move
from holdfast.records import SCOPES
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import (
    complete_key,
    json_option,
    plan_json,
    print_json,
    print_plan,
    scope_option,
    with_workspace,
)
from holdfast.workspace import Workspace


@make_command("move", "holdfast move answer-in-english --to global")
@click.argument("key", shell_complete=complete_key)
@scope_option("The scope it is in now.")
@click.option("--to", type=click.Choice(SCOPES), help="The scope to move it to.")
@click.option("--key", "-k", "new_key", help="Its new key.")
@click.option("--dry-run", "-n", is_flag=True, help="Show the plan and change nothing.")
@json_option
@with_workspace
def command(
    workspace: Workspace,
    key: str,
    scope: str | None,
    to: str | None,
    new_key: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Move a memory to another scope or give it another key. History, tags and dates go with it; links follow."""
    planned, steps = move.plan(workspace, key, scope=scope, to=to, new_key=new_key)
    if not dry_run:
        move.apply(workspace, planned)
    if as_json:
        print_json(plan_json(steps, applied=bool(steps) and not dry_run))
    else:
        print_plan(steps)
