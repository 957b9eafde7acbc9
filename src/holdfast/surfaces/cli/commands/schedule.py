"""`holdfast schedule`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.app import install, schedule
from holdfast.surfaces.cli.changes import changes_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import consent_options, json_option, person_agrees, print_json, say, with_workspace

if TYPE_CHECKING:
    from holdfast.app.schedule import Call, Plan, Scheduled
    from holdfast.workspace import Workspace


@make_command("schedule", "holdfast schedule --every 1h --dry-run")
@click.option("--every", default="1h", metavar="TIME", help="How often: 30m, 1h, 1d. Default: 1h.")
@click.option("--with", "way", type=click.Choice(schedule.WAYS), help="What runs it. Default: what fits this system.")
@click.option("--remove", is_flag=True, help="Take the schedule away.")
@click.option("--status", is_flag=True, help="Show the schedule that is there.")
@consent_options
@json_option
@with_workspace
def command(
    workspace: Workspace,
    every: str,
    way: str | None,
    remove: bool,
    status: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Let the system run `holdfast sweep` every so often: by a systemd timer, a launchd job or a crontab line.

    The plan is a diff. Foreign lines of a crontab stay as they are, and `--remove` takes out exactly what is ours.
    """
    if status:
        show_status(schedule.status(workspace), as_json)
        return
    planned = schedule.plan_removal(workspace) if remove else schedule.plan(workspace, way=way or "", every=every)
    nothing = "nothing to do: there is no schedule" if remove else "nothing to do: it is scheduled"
    if agreed(planned, dry_run=dry_run, yes=yes, as_json=as_json, nothing=nothing):
        calls = schedule.apply(workspace, planned)
        done = "the schedule is gone" if remove else f"a sweep runs every {planned.every}, by {planned.way}"
        told(planned, calls, as_json, done)


def agreed(planned: Plan, *, dry_run: bool, yes: bool, as_json: bool, nothing: str) -> bool:
    """Show the diff and return whether to go on; without a terminal nobody is asked."""
    if not as_json and planned.changes:
        click.echo(install.diff(planned.changes), nl=False)
    if dry_run or not (planned.changes or planned.first or planned.then):
        _tell_undone(planned, as_json, nothing)
        return False
    why = f"{len(planned.changes)} change(s) need your consent"
    if yes or person_agrees(why, lambda: _say_calls(planned)):
        return True
    print_json(schedule_json(planned)) if as_json else say("nothing was changed")
    return False


def _tell_undone(planned: Plan, as_json: bool, nothing: str) -> None:
    if as_json:
        print_json(schedule_json(planned))
        return
    _say_calls(planned)
    say(f"{len(planned.changes)} file(s) would change" if planned.changes else nothing)


def _say_calls(planned: Plan) -> None:
    for call in (*planned.first, *planned.then):
        say(f"then: {call.line}")


def told(planned: Plan, calls: tuple[Call, ...], as_json: bool, text: str) -> None:
    """Say that the plan was carried out, and what is left for the person to type."""
    if as_json:
        print_json(schedule_json(planned, calls, applied=True))
        return
    click.echo(text)
    for call in calls:
        if not call.ran:
            say(f"now run: {call.line}" + (f"  ({call.said})" if call.said else ""))


def show_status(found: list[Scheduled], as_json: bool) -> None:
    """Print the schedules that are there."""
    if as_json:
        print_json(_document("", "", found=found))
        return
    for one in found:
        running = {"yes": "running", "no": "not running", "unknown": "nobody here knows whether it runs"}[one.active]
        click.echo(f"{one.way:8} every {one.every:4} {running}  {one.path}")
    if not found:
        say("there is no schedule")


def schedule_json(planned: Plan, calls: tuple[Call, ...] = (), *, applied: bool = False) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    changes = changes_json(planned.changes)
    commands = [
        {"command": call.line, "ran": call.ran, "said": call.said} for call in calls or (*planned.first, *planned.then)
    ]
    return _document(planned.way, planned.every, changes=changes, commands=commands, applied=applied)


def _document(
    way: str,
    every: str,
    *,
    found: list[Scheduled] | None = None,
    changes: list[dict[str, str]] | None = None,
    commands: list[dict[str, object]] | None = None,
    applied: bool = False,
) -> dict[str, object]:
    scheduled = [{"way": one.way, "path": one.path, "every": one.every, "active": one.active} for one in found or []]
    return {
        "way": way,
        "every": every,
        "scheduled": scheduled,
        "changes": changes or [],
        "commands": commands or [],
        "applied": applied,
    }
