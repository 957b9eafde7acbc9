"""The program itself: `holdfast init`, `demo`, `completion` and `bench`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from holdfast.base.terminal import style
from holdfast.memory import init
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.bench import bench, names
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.demo import demo
from holdfast.surfaces.cli.main import cli
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import emit_json, plan_json, print_plan, say
from holdfast.workspace import Workspace


@command("init", "holdfast init ./workspace")
@click.argument("into", metavar="[FOLDER]", required=False, type=click.Path())
@options.dry_run()
def _init(workspace: Workspace, into: str | None) -> None:
    """Create the memory tree in the home, or below FOLDER for an agent that has no memory of its own.

    Only what is missing is written. What you edited stays as it is.
    """
    dry_run, steps = invocation().dry_run, init.plan(workspace, into)
    if not dry_run:
        init.apply(workspace, steps, into)
    if emit_json(plan_json(steps, applied=bool(steps) and not dry_run)):
        return
    if steps:
        print_plan(steps)
    else:
        say("the tree is whole; nothing to do")


@command("demo", "holdfast demo", workspace=False)
@click.option("--keep", metavar="FOLDER", help="Leave the home of the story in this folder, to look around.")
def _demo(keep: str | None) -> int:
    """Play a short story with the real commands, in a home that is thrown away. Your own home is not touched."""
    worst = 0
    for scene in demo(keep):
        click.echo(style(f"\n{scene.heading}", "bold"))
        click.echo(style(scene.shown, "cyan"))
        click.echo("".join(f"  {line}\n" for line in scene.output.splitlines()), nl=False)
        worst = max(worst, scene.code)
    say("\nThe home of this story is gone." if not keep else f"\nThe home of this story is in {keep}.")
    return worst


@command("completion", 'eval "$(holdfast completion bash)"', workspace=False)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def _completion(shell: str) -> None:
    """Print the completion script for your shell, for commands, options and keys."""
    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(kind(cli, {}, "holdfast", "_HOLDFAST_COMPLETE").source())


@command("bench", "holdfast bench store", context_settings={"ignore_unknown_options": True}, workspace=False)
@click.argument("name", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def _bench(name: str | None, arguments: tuple[str, ...]) -> int:
    """Measure this installation on this machine. Without NAME it lists the benchmarks."""
    if name is None:
        click.echo("\n".join(names()))
        return 0
    return bench(name, list(arguments))
