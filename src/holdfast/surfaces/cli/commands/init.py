"""`holdfast init`."""

from __future__ import annotations

import click

from holdfast.memory import init
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, plan_json, print_json, print_plan, say, with_workspace
from holdfast.workspace import Workspace


@make_command("init", "holdfast init ./workspace")
@click.argument("folder", required=False, type=click.Path())
@click.option("--dry-run", "-n", is_flag=True, help="Show the plan and change nothing.")
@json_option
@with_workspace
def command(workspace: Workspace, folder: str | None, dry_run: bool, as_json: bool) -> None:
    """Lay the memory tree in the home, or below FOLDER for an agent that has no memory of its own.

    Only what is missing is written. What you edited stays as it is.
    """
    steps = init.plan(workspace, folder)
    if not dry_run:
        init.apply(workspace, steps, folder)
    if as_json:
        print_json(plan_json(steps, applied=bool(steps) and not dry_run))
    elif steps:
        print_plan(steps)
    else:
        say("the tree is whole; nothing to do")
