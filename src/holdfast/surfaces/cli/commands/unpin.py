"""`holdfast unpin`."""

from __future__ import annotations

import click

from holdfast.memory.pin import pin
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import heading, json_option, memory_json, one_memory, print_json, with_workspace
from holdfast.workspace import Workspace


@make_command("unpin", "holdfast unpin deploys-need-the-vpn")
@one_memory
@json_option
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None, as_json: bool) -> None:
    """Unpin a memory: the rules of its scope hold for it again."""
    memory = pin(workspace, key, scope=scope, pinned=False)
    print_json(memory_json(memory)) if as_json else click.echo(f"unpinned  {heading(memory)}")
