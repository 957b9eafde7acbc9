"""`holdfast reindex`."""

from __future__ import annotations

import click

from holdfast.actions.house import House
from holdfast.actions.reindex import reindex
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, with_house


@make_command("reindex", "holdfast reindex")
@json_option
@with_house
def command(house: House, as_json: bool) -> None:
    """Make the index anew from the files. It loses nothing, and recall goes on meanwhile."""
    swept = reindex(house)
    if as_json:
        print_json({"read": swept.read, "gone": swept.gone})
    else:
        click.echo(f"read {swept.read:,} files; {swept.gone:,} were gone")
