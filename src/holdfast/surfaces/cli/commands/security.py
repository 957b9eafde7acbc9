"""`holdfast security`."""

from __future__ import annotations

import click

from holdfast.learning.security.judge import KINDS
from holdfast.learning.security.listing import trail, unguarded
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, say_empty, session_means, with_workspace
from holdfast.workspace import Workspace

_SHOWN = 50


@make_command("security", "holdfast security --since 7d")
@click.option("--since", default="", metavar="TIME", help="Made since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--kind", default=None, type=click.Choice(KINDS), metavar="KIND", help=f"Only {', '.join(KINDS)}.")
@click.option("--everywhere", is_flag=True, help="List those of every project.")
@click.option("--limit", "-n", type=click.IntRange(1), default=_SHOWN, help=f"At most so many. Default: {_SHOWN}.")
@json_option
@session_means("")
@with_workspace
def command(workspace: Workspace, since: str, kind: str | None, everywhere: bool, limit: int, as_json: bool) -> None:
    """List calls of tools that destroy, read a secret or write outside the project, newest first.

    It tells that a call was made, not that it went well. `blocked` ones were refused before they ran.
    """
    for why in unguarded(workspace):
        say(why)
    found = trail(workspace, since=since, kind=kind or "", everywhere=everywhere, limit=limit)
    if as_json:
        print_json({"records": [asdict(record) for record in found]})
        return
    for one in found:
        what = click.style(f"{one.kind:11} {one.rule}", bold=True)
        who = f"{one.agent}/{one.session[:8]}"
        click.echo(f"{harmless(one.at[:16]):16}  {what}  {one.decision}  {harmless(f'{who}  {one.text}')}")
    if not found:
        say_empty(workspace, "no call was noted; what hooks do not tell, `holdfast harvest` finds in the archive")
