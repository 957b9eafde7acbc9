"""`holdfast pin`."""

from __future__ import annotations

import click

from holdfast.memory.pin import pin
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import heading, json_option, memory_json, one_memory, print_json, with_workspace
from holdfast.workspace import Workspace


@make_command("pin", "holdfast pin deploys-need-the-vpn")
@one_memory
@json_option
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None, as_json: bool) -> None:
    """Pin a memory: it never expires, and comes first where memories are handed to an agent."""
    memory = pin(workspace, key, scope=scope)
    print_json(memory_json(memory)) if as_json else click.echo(f"pinned  {heading(memory)}")
