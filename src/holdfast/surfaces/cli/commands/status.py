"""`holdfast status`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.app.status import status
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_workspace
from holdfast.workspace import Workspace


@make_command("status", "holdfast status")
@json_option
@with_workspace
def command(workspace: Workspace, as_json: bool) -> None:
    """Show what the home holds: memories and bytes by scope, and the project of this folder."""
    found = status(workspace)
    print_json(found) if as_json else print_status(found)


def print_status(found: dict[str, Any]) -> None:
    """Print the status for a person."""
    if not found["enabled"]:
        say("memory is switched off (setting enabled)")
    click.echo(f"home      {found['home']}" + ("" if found["exists"] else "  (not there yet: holdfast up)"))
    project = found["project"]
    click.echo(
        f"project   {project['id']}  ({project['rule']})" if project["id"] else f"project   none: {project['reason']}"
    )
    click.echo(f"memories  {found['memories']:,} ({found['bytes']:,} bytes)")
    for scope in found["scopes"]:
        name = f"{scope['scope']}:{scope['owner']}" if scope["owner"] else scope["scope"]
        click.echo(f"  {scope['memories']:>7,}  {name}  (newest {scope['updated'][:10]})")
    if found["proposals"]:
        click.echo(f"proposals {found['proposals']:,} wait (holdfast proposals)")
    if found["problems"]:
        click.echo(f"problems  {found['problems']} (holdfast lint)")
