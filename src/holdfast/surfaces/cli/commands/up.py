"""`holdfast up`."""

from __future__ import annotations

import click

from holdfast.actions.house import House
from holdfast.actions.up import up
from holdfast.surfaces.cli.commands.status import print_status
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_house


@make_command("up", "holdfast up")
@json_option
@with_house
def command(house: House, as_json: bool) -> None:
    """Prepare this home, show what it holds, and say in a line each what to do next."""
    found = up(house)
    if as_json:
        print_json(found)
        return
    say(f"prepared {house.home}" if found["prepared"] else f"{house.home} is ready")
    print_status(found)
    for line in found["next"]:  # type: ignore[attr-defined]
        click.echo(f"→ {line}")
