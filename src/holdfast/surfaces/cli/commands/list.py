"""`holdfast list`."""

from __future__ import annotations

import click

from holdfast.memory.list import list_memories, replaced_by
from holdfast.records import TYPES, Memory
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import (
    heading,
    json_option,
    memory_json,
    print_json,
    say,
    say_empty,
    scope_option,
    with_workspace,
)
from holdfast.workspace import Workspace

_SHOWN = 50


@make_command("list", "holdfast list --scope global --tag deploy")
@scope_option("Only this scope.")
@click.option("--type", "-t", "types", multiple=True, type=click.Choice(TYPES), help="Only these types.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; several must all be there.")
@click.option("--since", default="", metavar="TIME", help="Updated since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--limit", "-n", type=click.IntRange(1), help=f"At most so many. Default: {_SHOWN}.")
@click.option("--all", "everything", is_flag=True, help="All of them, not only the newest.")
@click.option("--everywhere", is_flag=True, help="In every scope of every project.")
@json_option
@with_workspace
def command(
    workspace: Workspace,
    scope: str | None,
    types: tuple[str, ...],
    tags: tuple[str, ...],
    since: str,
    limit: int | None,
    everything: bool,
    everywhere: bool,
    as_json: bool,
) -> None:
    """List memories, newest first. Looking does not count as use."""
    wanted = None if everything else limit or _SHOWN
    memories = list_memories(
        workspace,
        scope=scope,
        types=types,
        tags=tags,
        since=since,
        limit=None if wanted is None else wanted + 1,
        everywhere=everywhere,
    )
    more = wanted is not None and len(memories) > wanted
    memories = memories[:wanted]
    if as_json:
        print_json({"memories": [_json(workspace, memory) for memory in memories], "more": more})
        return
    for memory in memories:
        newer = replaced_by(workspace, memory)
        click.echo(f"{heading(memory)}  {memory.title}" + (f"  (replaced by {newer})" if newer else ""))
    if more:
        say(f"the newest {wanted}; --all shows the rest")
    if not memories:
        say_empty(workspace, _nothing(bool(scope or types or tags or since)))


def _json(workspace: Workspace, memory: Memory) -> dict[str, object]:
    return {**memory_json(memory), "superseded_by": replaced_by(workspace, memory)}


def _nothing(asked: bool) -> str:
    return "nothing like that is visible here" if asked else 'nothing here yet: holdfast remember "..."'
