"""`holdfast config`."""

from __future__ import annotations

import click

from holdfast.actions import config
from holdfast.actions.config import Shown
from holdfast.actions.house import House
from holdfast.records import asdict
from holdfast.settings import BY_NAME
from holdfast.surfaces.cli.shared import json_option, print_json, with_house

_NAMES = click.Choice(list(BY_NAME))


@click.group(
    "config",
    invoke_without_command=True,
    short_help="Show and change settings.",
    help="Example: holdfast config set recall.limit 5\n\nShow every setting, its value and where that comes from.",
)
@json_option
@with_house
def _config(house: House, as_json: bool) -> None:
    if click.get_current_context().invoked_subcommand is not None:
        return
    found = config.show_all(house)
    if as_json:
        print_json({"settings": [asdict(setting) for setting in found]})
        return
    for setting in found:
        click.echo(f"{setting.name:24} {_plain(setting):12} ({setting.origin})\n    {setting.help}")


@_config.command("get", help="Example: holdfast config get recall.limit\n\nPrint the value of one setting.")
@click.argument("name", shell_complete=lambda c, p, start: [name for name in BY_NAME if name.startswith(start)])
@json_option
@with_house
def _get(house: House, name: str, as_json: bool) -> None:
    found = config.show(house, name)
    print_json(asdict(found)) if as_json else click.echo(_plain(found))


@_config.command("set", help="Example: holdfast config set recall.limit 5\n\nSet a value in config.toml.")
@click.argument("name", shell_complete=lambda c, p, start: [name for name in BY_NAME if name.startswith(start)])
@click.argument("value")
@with_house
def _set(house: House, name: str, value: str) -> None:
    click.echo(f"{name} = {_plain(config.change(house, name, value))}")


@_config.command("unset", help="Example: holdfast config unset recall.limit\n\nTake a value out of config.toml again.")
@click.argument("name", type=_NAMES)
@with_house
def _unset(house: House, name: str) -> None:
    click.echo(f"{name} = {_plain(config.change(house, name, None))}")


def _plain(setting: Shown) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)


command = _config
