"""`holdfast remember`."""

from __future__ import annotations

import sys

import click

from holdfast.errors import BadInput
from holdfast.memory.remember import remember
from holdfast.records import TRUSTS, TYPES, Stored
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import (
    complete_key,
    heading,
    json_option,
    memory_json,
    print_json,
    say,
    scope_option,
    with_workspace,
)
from holdfast.workspace import Workspace


@make_command("remember", 'holdfast remember "Deploys need the VPN." --tag deploy')
@click.argument("text", nargs=-1)
@scope_option("Where it holds. Default: project.", default="project")
@click.option("--key", "-k", shell_complete=complete_key, help="Its key; default: the first six words.")
@click.option("--title", help="Its title; default: the first sentence.")
@click.option("--type", "-t", "kind", type=click.Choice(TYPES), help="A label. Default: project.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times, or with commas.")
@click.option("--trust", type=click.Choice(TRUSTS), default="user", help="Who says so. Default: user.")
@click.option("--source", default="cli", help="Where it comes from.")
@click.option("--agent", default="", help="The agent that stores it.")
@click.option("--supersedes", multiple=True, shell_complete=complete_key, help="The key of what this replaces.")
@click.option("--pin", is_flag=True, help="Never let it expire.")
@json_option
@with_workspace
def command(
    workspace: Workspace,
    text: tuple[str, ...],
    scope: str,
    key: str | None,
    title: str | None,
    kind: str | None,
    tags: tuple[str, ...],
    trust: str,
    source: str,
    agent: str,
    supersedes: tuple[str, ...],
    pin: bool,
    as_json: bool,
) -> None:
    """Store a memory. TEXT is taken from the arguments, or from standard input where there are none or `-`.

    Storing under a key that is there already updates it; what it said before is kept as its history.
    """
    stored = remember(
        workspace,
        _text(text),
        scope=scope,
        key=key,
        title=title,
        type=kind,
        tags=tags or None,
        trust=trust,
        source=source,
        agent=agent,
        supersedes=supersedes,
        pinned=True if pin else None,
    )
    _print(stored, as_json)


def _text(words: tuple[str, ...]) -> str:
    if words and words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty():
        raise BadInput("there is no text to remember", 'Example: holdfast remember "Deploys need the VPN."')
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def _print(stored: Stored, as_json: bool) -> None:
    if as_json:
        print_json({"action": stored.action, "redacted": stored.redacted, "memory": memory_json(stored.memory)})
        return
    click.echo(f"{stored.action}  {heading(stored.memory)}")
    if stored.action == "updated" and stored.memory.history:
        say(f"what it said before is kept: holdfast history {stored.memory.key}")
