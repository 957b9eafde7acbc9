"""`holdfast up`."""

from __future__ import annotations

import click

from holdfast.app.up import up
from holdfast.surfaces.cli.commands.status import print_status
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_workspace
from holdfast.workspace import Workspace


@make_command("up", "holdfast up")
@json_option
@with_workspace
def command(workspace: Workspace, as_json: bool) -> None:
    """Prepare this home, show what it holds, and say in a line each what to do next."""
    found = up(workspace)
    if as_json:
        print_json(found)
        return
    say(f"prepared {workspace.home}" if found["prepared"] else f"{workspace.home} is ready")
    print_status(found)
    for line in found["next"]:  # type: ignore[attr-defined]
        click.echo(f"→ {line}")
