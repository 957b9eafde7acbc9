"""`holdfast synthesis`."""

from __future__ import annotations

import click

from holdfast.errors import BadInput
from holdfast.learning.synthesis import write as synthesis
from holdfast.learning.synthesis.page import lines_of
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, nothing, print_json, say, session_means, with_workspace
from holdfast.workspace import Workspace


@make_command("synthesis", "holdfast synthesis --month --dry-run")
@click.option("--week", is_flag=True, help="The last 7 days. The default.")
@click.option("--month", is_flag=True, help="The last 30 days.")
@click.option("--all", "everything", is_flag=True, help="Every rating there is.")
@click.option("--dry-run", "-n", is_flag=True, help="Show the page and write nothing.")
@json_option
@session_means("")
@with_workspace
def command(workspace: Workspace, week: bool, month: bool, everything: bool, dry_run: bool, as_json: bool) -> None:
    """Write down what ratings say together: their trend, what people complain about and praise again and again, with
    examples, and what came of it.

    It speaks of every project, with --project of that one. The same period is the same file, made anew. A sweep writes
    the page of the week that is over.
    """
    if week + month + everything > 1:
        raise BadInput("which time?", "Give one of --week, --month and --all.")
    if not workspace.enabled:
        nothing(workspace, as_json)
        return
    kind = "month" if month else "all" if everything else "week"
    written = synthesis.synthesis(workspace, kind, dry_run=dry_run)
    if as_json:
        print_json({"path": written.path, "action": written.action, "report": asdict(written.report)})
        return
    for line in lines_of(written.report):
        click.echo(harmless(line))
    say(f"{written.action}: {written.path}" if written.action else "nothing was written")
