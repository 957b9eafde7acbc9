"""`holdfast completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from holdfast.surfaces.cli.main import cli
from holdfast.surfaces.cli.shared import command as make_command


@make_command("completion", 'eval "$(holdfast completion bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of your shell, for commands, options and keys."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(kind(cli, {}, "holdfast", "_HOLDFAST_COMPLETE").source())
