"""`holdfast unpin`."""

from __future__ import annotations

import click

from holdfast.actions.house import House
from holdfast.actions.pin import pin
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import complete_key, heading, scope_option, with_house


@make_command("unpin", "holdfast unpin deploys-need-the-vpn")
@click.argument("key", shell_complete=complete_key)
@scope_option("Only this scope.")
@with_house
def command(house: House, key: str, scope: str | None) -> None:
    """Unpin a memory: the rules of its scope hold for it again."""
    click.echo(f"unpinned  {heading(pin(house, key, scope=scope, pinned=False))}")
