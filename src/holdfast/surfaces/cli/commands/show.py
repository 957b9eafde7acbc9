"""`holdfast show`."""

from __future__ import annotations

import os

import click

from holdfast.memory import show
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, memory_json, nothing, one_memory, print_json, with_workspace
from holdfast.workspace import Workspace


@make_command("show", "holdfast show deploys-need-the-vpn")
@one_memory
@click.option("--path", "only_path", is_flag=True, help="Print the path of its file and nothing else.")
@json_option
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None, only_path: bool, as_json: bool) -> None:
    """Show one memory as its file has it, history and all. Looking does not count as use."""
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    memory = show.show(workspace, key, scope=scope)
    if only_path:
        click.echo(os.path.join(workspace.store.tree.root, memory.path))
    elif as_json:
        print_json(memory_json(memory, history=True))
    else:
        click.echo(show.data(workspace, memory), nl=False)
