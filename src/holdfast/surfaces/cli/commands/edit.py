"""`holdfast edit`."""

from __future__ import annotations

import click

from holdfast.memory.edit import edit
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import heading, one_memory, with_workspace
from holdfast.workspace import Workspace


@make_command("edit", "holdfast edit deploys-need-the-vpn")
@one_memory
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None) -> None:
    """Edit a memory in $VISUAL or $EDITOR. You may as well open its file yourself; the next recall sees it."""
    memory, changed = edit(workspace, key, scope=scope)
    click.echo(f"{'updated' if changed else 'unchanged'}  {heading(memory)}")
