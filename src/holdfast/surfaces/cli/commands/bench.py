"""`holdfast bench`."""

from __future__ import annotations

import click

from holdfast.app.bench import bench, names
from holdfast.surfaces.cli.shared import command as make_command


@make_command("bench", "holdfast bench store", ignore_unknown_options=True)
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(name: str | None, arguments: tuple[str, ...]) -> int:
    """Measure this installation on this machine. Without NAME it lists the benchmarks."""
    if name is None:
        click.echo("\n".join(names()))
        return 0
    return bench(name, list(arguments))
