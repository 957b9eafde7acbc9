"""`holdfast config`."""

from __future__ import annotations

import click

from holdfast.app import config
from holdfast.app.config import Shown
from holdfast.records import asdict
from holdfast.settings import BY_NAME, variable_of
from holdfast.surfaces.cli.shared import group, json_option, print_json, say, subcommand, with_workspace
from holdfast.workspace import Workspace


def _complete(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    return [name for name in BY_NAME if name.startswith(start)]


@group("config", "holdfast config set recall.limit 5")
@json_option
@with_workspace
def _config(workspace: Workspace, as_json: bool) -> None:
    """Show every setting, its value and where that comes from."""
    found = config.show_all(workspace)
    if as_json:
        print_json({"settings": [asdict(setting) for setting in found]})
        return
    for setting in found:
        click.echo(f"{setting.name:24} {_plain(setting):12} ({setting.origin})\n    {setting.help}")


@subcommand(_config, "get", "holdfast config get recall.limit", "Print the value of one setting.")
@click.argument("name", shell_complete=_complete)
@json_option
@with_workspace
def _get(workspace: Workspace, name: str, as_json: bool) -> None:
    found = config.show(workspace, name)
    print_json(asdict(found)) if as_json else click.echo(_plain(found))


@subcommand(_config, "set", "holdfast config set recall.limit 5", "Set a value in config.toml.")
@click.argument("name", shell_complete=_complete)
@click.argument("value")
@json_option
@with_workspace
def _set(workspace: Workspace, name: str, value: str, as_json: bool) -> None:
    _print_changed(workspace, config.change(workspace, name, value), as_json)


@subcommand(_config, "unset", "holdfast config unset recall.limit", "Take a value out of config.toml again.")
@click.argument("name", shell_complete=_complete)
@json_option
@with_workspace
def _unset(workspace: Workspace, name: str, as_json: bool) -> None:
    _print_changed(workspace, config.change(workspace, name, None), as_json)


def _print_changed(workspace: Workspace, found: Shown, as_json: bool) -> None:
    print_json(asdict(found)) if as_json else click.echo(f"{found.name} = {_plain(found)}")
    if found.origin == variable_of(found.name):
        say(f"{found.origin} is set in the environment and goes before config.toml")


def _plain(setting: Shown) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)


command = _config
