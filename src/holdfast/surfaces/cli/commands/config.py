"""`holdfast config`."""

from __future__ import annotations

import click

from holdfast.memory import config
from holdfast.memory.config import Shown
from holdfast.records import asdict
from holdfast.settings import BY_NAME, variable_of
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import answer, answered, say
from holdfast.workspace import Workspace

_name = click.argument(
    "name", shell_complete=lambda ctx, parameter, start: [name for name in BY_NAME if name.startswith(start)]
)


@group("config", "holdfast config set recall.limit 5")
def _config(workspace: Workspace) -> None:
    """Show every setting, its value and where that comes from."""
    found = config.show_all(workspace)
    if answered({"settings": [asdict(setting) for setting in found]}):
        return
    for setting in found:
        click.echo(f"{setting.name:24} {_plain(setting):12} ({setting.origin})\n    {setting.help}")


@_config.sub("get", "holdfast config get recall.limit")
@_name
def _get(workspace: Workspace, name: str) -> None:
    """Print the value of one setting."""
    found = config.show(workspace, name)
    answer(asdict(found), _plain(found))


@_config.sub("set", "holdfast config set recall.limit 5")
@_name
@click.argument("value")
def _set(workspace: Workspace, name: str, value: str) -> None:
    """Set a value in config.toml."""
    _print_changed(config.change(workspace, name, value))


@_config.sub("unset", "holdfast config unset recall.limit")
@_name
def _unset(workspace: Workspace, name: str) -> None:
    """Take a value out of config.toml again."""
    _print_changed(config.change(workspace, name, None))


def _print_changed(found: Shown) -> None:
    answer(asdict(found), f"{found.name} = {_plain(found)}")
    if found.origin == variable_of(found.name):
        say(f"{found.origin} is set in the environment and goes before config.toml")


def _plain(setting: Shown) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)
