"""`holdfast plugin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.app import plugin
from holdfast.surfaces.cli.commands.install import plan_json, portable_option
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_workspace

if TYPE_CHECKING:
    from holdfast.workspace import Workspace


@make_command("plugin", "holdfast plugin claude-code --out ./holdfast-plugin")
@click.argument("agent")
@click.option("--out", required=True, type=click.Path(), metavar="FOLDER", help="The folder to write.")
@portable_option
@json_option
@with_workspace
def command(workspace: Workspace, agent: str, out: str, portable: bool, as_json: bool) -> None:
    """Write a plugin with the hooks, the MCP server and a skill. No settings are touched.

    The folder is a marketplace of one plugin. One that is not empty and not a plugin of ours is refused.
    """
    planned = plugin.plan(workspace, agent, out, portable=portable)
    plugin.apply(planned)
    if as_json:
        print_json(plan_json(planned, applied=bool(planned.changes)))
        return
    for change in planned.changes:
        click.echo(change.path)
    if not planned.changes:
        say("nothing to do: the plugin is there")
