"""`holdfast activity`."""

from __future__ import annotations

import sys
from typing import Any

import click

from holdfast.records import asdict
from holdfast.sessions import activity
from holdfast.surfaces.cli.commands.sessions import say_where
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, say_empty, with_workspace
from holdfast.surfaces.cli.tables import print_table
from holdfast.workspace import Workspace

_SHORT = 13


@make_command("activity", "holdfast activity src/upload.py")
@click.argument("path", default="")
@click.option("--recent", is_flag=True, help="The last 24 hours, in every project.")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only by this agent; several are or.")
@click.option("--since", default="", metavar="TIME", help="Changed since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--until", default="", metavar="TIME", help="Changed before.")
@click.option("--everywhere", is_flag=True, help="In every project.")
@click.option("--limit", "-n", type=click.IntRange(1), default=activity.MOST, help="At most so many changes.")
@json_option
@with_workspace
def command(workspace: Workspace, /, as_json: bool, **asked: Any) -> None:
    """Show which files were changed, by which agent, in which session, when and how often, the last first.

    With PATH only that file, what lies below that folder, or files whose path ends so. The time of a change is the end
    of its session.
    """
    found = activity.activity(workspace, **asked)
    if as_json:
        changes = [asdict(change) for change in found.changes]
        print_json({"project": found.project, "changes": changes, "more": found.more})
        return
    say_where(workspace, found.project)
    # On a terminal the room is for the path; this much of an id is enough to find its session.
    most = _SHORT if sys.stdout.isatty() else None
    rows = [
        (one.at[:16].replace("T", " "), one.agent, one.session.partition("/")[2][:most], str(one.changes), one.path)
        for one in found.changes
    ]
    print_table(("when", "agent", "session", "changes", "file"), rows, right=("changes",))
    if found.more:
        say(f"the last {len(rows)}; --limit shows more")
    if not rows:
        say_empty(workspace, "no changed files here; `holdfast sweep` reads sessions in")
