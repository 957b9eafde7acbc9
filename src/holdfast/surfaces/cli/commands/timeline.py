"""`holdfast timeline`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.records import asdict
from holdfast.sessions import timeline
from holdfast.sessions.timeline import Done
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.commands.sessions import say_where, session_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, say_empty, with_workspace
from holdfast.workspace import Workspace

_FILES = 5
_MADE = 5


@make_command("timeline", "holdfast timeline --since 7d")
@click.argument("of_project", metavar="[PROJECT]", default="")
@click.option("--since", default="", metavar="TIME", help="Ended since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--until", default="", metavar="TIME", help="Began before.")
@click.option("--everywhere", is_flag=True, help="In every project.")
@click.option("--limit", "-n", type=click.IntRange(1), default=timeline.MOST, help="At most so many sessions.")
@json_option
@with_workspace
def command(workspace: Workspace, /, of_project: str, as_json: bool, **asked: Any) -> None:
    """Show what was done in a project, day by day: sessions with their outcome, commits, pull requests and files."""
    workspace.asked_project = of_project or workspace.asked_project
    found = timeline.timeline(workspace, **asked)
    if as_json:
        days = [{"day": day.day, "sessions": [_json(one) for one in day.sessions]} for day in found.days]
        print_json({"project": found.project, "days": days, "more": found.more})
        return
    say_where(workspace, found.project)
    for day in found.days:
        click.echo(click.style(harmless(day.day) or "(no date)", bold=True))
        for one in day.sessions:
            _print(one)
    if found.more:
        say("there is more; --since, --until and --limit choose")
    if not found.days:
        say_empty(workspace, "no sessions here; `holdfast sweep` reads them in")


def _json(one: Done) -> dict[str, object]:
    return {**session_json(one.session), "changed": [asdict(file) for file in one.files]}


def _print(one: Done) -> None:
    row = one.session
    ended, title, id = harmless(row.ended[11:16]), harmless(row.title) or "(no title)", harmless(row.id)
    click.echo(f"  {ended}  {row.outcome:9}  {row.agent}  {title}  {click.style(id, dim=True)}")
    for name, made in (("commit", row.commits), ("pull request", row.pull_requests)):
        for text in made[:_MADE]:
            click.echo(f"           {name}: {harmless(text)}")
        if len(made) > _MADE:
            click.echo(f"           and {len(made) - _MADE} more")
    if one.files:
        more = f" and {row.files - _FILES} more" if row.files > _FILES else ""
        click.echo(f"           files: {', '.join(harmless(file.path) for file in one.files[:_FILES])}{more}")
