"""`holdfast remember`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.memory.remember import remember
from holdfast.records import TRUSTS, TYPES
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import answered, heading, memory_json, say, text_of
from holdfast.workspace import Workspace


@command("remember", 'holdfast remember "Deploys need the VPN." --tag deploy', sees=HERE)
@options.text("text")
@options.scope("Where it holds. Default: project.", default="project")
@click.option("--key", "-k", shell_complete=options.complete_key, help="Its key; default: the first six words.")
@click.option("--title", help="Its title; default: the first sentence.")
@click.option("--type", "-t", type=click.Choice(TYPES), help="A label. Default: project.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times, or with commas.")
@click.option("--trust", type=click.Choice(TRUSTS), default="user", help="Who says so. Default: user.")
@click.option("--source", default="cli", help="Where it comes from.")
@click.option("--agent", default="", help="The agent that stores it.")
@click.option("--supersedes", multiple=True, type=options.KEY, metavar="KEY", help="The key of what this replaces.")
@click.option("--pin", is_flag=True, help="Never let it expire.")
def _remember(workspace: Workspace, /, text: tuple[str, ...], tags: tuple[str, ...], pin: bool, **asked: Any) -> None:
    """Store a memory. TEXT is taken from the arguments, or from standard input where there are none or `-`.

    Storing under a key that is there already updates it; what it said before is kept as its history.
    """
    said = text_of(text, 'holdfast remember "Deploys need the VPN."', "remember")
    stored = remember(workspace, said, tags=tags or None, pinned=True if pin else None, **asked)
    memory = stored.memory
    if answered({"action": stored.action, "redacted": stored.redacted, "memory": memory_json(memory)}):
        return
    click.echo(f"{stored.action}  {heading(memory)}")
    if stored.action == "updated" and memory.history:
        say(f"what it said before is kept: holdfast history {memory.key}")
