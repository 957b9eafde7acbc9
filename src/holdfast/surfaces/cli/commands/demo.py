"""`holdfast demo`."""

from __future__ import annotations

import click

from holdfast.app.demo import demo
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import say


@make_command("demo", "holdfast demo")
@click.option("--keep", metavar="FOLDER", help="Leave the home of the story in this folder, to look around.")
def command(keep: str | None) -> int:
    """Play a short story with the real commands, in a home that is thrown away. Your own home is not touched."""
    worst = 0
    for scene in demo(keep):
        click.echo(click.style(f"\n{scene.told}", bold=True))
        click.echo(click.style(scene.shown, fg="cyan"))
        click.echo("".join(f"  {line}\n" for line in scene.output.splitlines()), nl=False)
        worst = max(worst, scene.code)
    say("\nThe home of this story is gone." if not keep else f"\nThe home of this story is in {keep}.")
    return worst
