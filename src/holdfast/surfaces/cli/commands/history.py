"""`holdfast history`."""

from __future__ import annotations

import click

from holdfast.memory.history import history
from holdfast.records import asdict
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import heading, json_option, nothing, one_memory, print_json, with_workspace
from holdfast.workspace import Workspace


@make_command("history", "holdfast history deploys-need-the-vpn")
@one_memory
@json_option
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None, as_json: bool) -> None:
    """Show what a memory says and what it said before, newest first."""
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    memory, statements = history(workspace, key, scope=scope)
    if as_json:
        print_json({"key": memory.key, "scope": memory.scope.kind, "statements": [asdict(s) for s in statements]})
        return
    click.echo(heading(memory))
    for statement in statements:
        click.echo(f"\n{statement.at}")
        for line in statement.text.split("\n"):
            click.echo(f"  {line}")
