"""`holdfast catch-up`."""

from __future__ import annotations

import click

from holdfast.continuity.catch_up import CatchUp, catch_up
from holdfast.continuity.catch_up_page import markdown
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.commands.sessions import session_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, why_empty, with_workspace
from holdfast.workspace import Workspace


@make_command("catch-up", "holdfast catch-up --since 2w")
@click.argument("of_project", metavar="[PROJECT]", default="")
@click.option("--since", default="", metavar="TIME", help="Since: 2026-11-01, 7d, 2w. Default: the last week of work.")
@json_option
@with_workspace
def command(workspace: Workspace, of_project: str, since: str, as_json: bool) -> None:
    """Show where a project stands for somebody who comes back: what was done, decided and failed, and what waits.

    Without --since it is the week that ended with the last session.
    """
    workspace.asked_project = of_project or workspace.asked_project
    found = catch_up(workspace, since=since)
    if as_json:
        print_json(_json(found))
    elif found.is_empty:
        say(
            why_empty(
                workspace, f"nothing is known of the project {found.project} yet; `holdfast sweep` reads sessions in"
            )
        )
    else:
        click.echo(harmless(markdown(found)), nl=False)


def _json(found: CatchUp) -> dict[str, object]:
    return {
        **{name: getattr(found, name) for name in ("project", "since", "focus", "updated", "by")},
        "sessions": [session_json(row) for row in found.sessions],
        "agents": [{"agent": agent, "sessions": count} for agent, count in found.agents],
        "decisions": [asdict(one) for one in found.decisions],
        **{name: list(getattr(found, name)) for name in ("failed", "open_threads", "next_steps")},
        "todos": [asdict(one) for one in found.todos],
        "files": [asdict(one) for one in found.files],
        "more": found.more,
    }
