"""`holdfast related`."""

from __future__ import annotations

import click

from holdfast.recall.related import LIMIT, Related, related
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import (
    complete_key,
    heading,
    json_option,
    memory_json,
    print_json,
    say_empty,
    scope_option,
    with_workspace,
)
from holdfast.workspace import Workspace


@make_command("related", "holdfast related deploys-need-the-vpn")
@click.argument("key", shell_complete=complete_key)
@scope_option("Only a memory of this scope.")
@click.option("--limit", "-n", type=click.IntRange(1, 1000), default=LIMIT, help=f"At most so many. Default: {LIMIT}.")
@json_option
@with_workspace
def command(workspace: Workspace, key: str, scope: str | None, limit: int, as_json: bool) -> None:
    """Show what is related to a memory, one step away: links, replacements, the nearest by meaning; each with why."""
    found = related(workspace, key, scope=scope, limit=limit)
    if as_json:
        print_json({"key": key, "related": [related_json(each) for each in found]})
        return
    for each in found:
        click.echo(f"{', '.join(each.why):20}  {heading(each.memory)}  {each.memory.title}")
    if not found:
        say_empty(workspace, "nothing that is visible here is related to it")


def related_json(each: Related) -> dict[str, object]:
    """Return a related memory as `--json` promises it (docs/json.md)."""
    return {**memory_json(each.memory), "why": list(each.why)}
