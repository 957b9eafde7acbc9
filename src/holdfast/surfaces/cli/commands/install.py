"""What connects Holdfast with agents and with the system: `holdfast install`, `uninstall`, `plugin` and `schedule`."""

from __future__ import annotations

from collections.abc import Iterable

import click

from holdfast import agents
from holdfast.agents.base import ConfigChange
from holdfast.app import install, schedule
from holdfast.app.install import InstallPlan, Seen, UninstallOutcome
from holdfast.app.schedule import Scheduled, SystemCall
from holdfast.base.text import count
from holdfast.errors import BadInput
from holdfast.inject import publish
from holdfast.patterns import distributed
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import answer, confirm_plan, emit_json, say
from holdfast.surfaces.cli.tables import flowing
from holdfast.surfaces.hook import bundling
from holdfast.workspace import PLACES, Workspace

_scope = click.option(
    "--scope",
    type=click.Choice(PLACES),
    default="user",
    help="For you everywhere (user), or for this project alone (project).",
)
_portable = click.option(
    "--portable", is_flag=True, help="Write command names instead of paths, for files that are shared with others."
)


@command("install", "holdfast install claude-code --dry-run")
@click.argument("names", metavar="[AGENT]...", nargs=-1)
@_scope
@_portable
@options.consent
def _install(workspace: Workspace, names: tuple[str, ...], scope: str, portable: bool) -> None:
    """Connect agents: their hooks and the MCP server, in their own config files. Without AGENT: list the agents.

    The plan is a diff of every file. What else is in it stays, comments and order too; `holdfast uninstall` takes
    exactly this out again.
    """
    if not names:
        _show_agents(install.overview(workspace))
        return
    if len(names) > 1 and invocation().json:
        raise BadInput("--json answers for one agent", "Name one at a time.")
    for agent in [agents.get(name) for name in dict.fromkeys(names)]:
        planned = install.plan(workspace, agent.name, scope=scope, portable=portable)
        if agent.detect(planned.place) is None:
            prepared = "; its files are prepared for it" if planned.changes else ""
            say(f"{agent.title} was not found here{prepared}")
        connect(workspace, planned)


def connect(workspace: Workspace, planned: InstallPlan, *, show: bool = True) -> None:
    """Show what an install would change and, where the person wants it, do it."""
    done = "it is connected" if planned.agent.events else "its sessions are read without an install"
    if planned.agent.events and not planned.changes and not invocation().dry_run:
        # A home that was made again knows nothing of the hooks that stand there.
        install.take_up(workspace, planned)
    if _confirm_changes(planned, f"nothing to do: {done}", show=show):
        install.apply(workspace, planned)
        bundling.write_all(planned.agent)
        published = publish.refresh(workspace)
        answer({**_plan_json(planned, applied=True), "published": published}, f"installed {planned.agent.title}")
        for path in () if invocation().json else published:
            say(f"wrote {path}")
    for line in () if invocation().json or invocation().dry_run else planned.agent.advice:
        say(line)


def _show_agents(every: list[Seen]) -> None:
    """Print the agents that are here, what each gets, and the names of those that are not here."""
    listed = [
        {
            "name": one.agent.name,
            "title": one.agent.title,
            "found": one.found is not None,
            "program": one.found.program if one.found else "",
            "folder": one.found.folder if one.found else "",
            "installed": list(one.installed),
            "gets": list(one.gets),
            "advice": list(one.agent.advice),
        }
        for one in every
    ]
    if emit_json({"agents": listed}):
        return
    for one in every:
        if one.found is not None:
            connected = f"connected ({', '.join(one.installed)})" if one.installed else "not connected"
            state = connected if one.agent.events else "read only"
            click.echo(flowing(f"{one.agent.name:12} {state:24} {', '.join(one.gets)}", " " * 13))
    missing = [one.agent.name for one in every if one.found is None]
    if missing:
        say(f"not found here: {', '.join(missing)}")
    if any(one.found and not one.installed and one.agent.events for one in every):
        say("connect one: holdfast install NAME")


def _confirm_changes(planned: InstallPlan, nothing: str, *, show: bool = True) -> bool:
    """Show the diff and return whether to go on; without a terminal nobody is asked."""
    files = count(len(planned.changes), "file")
    if show and not invocation().json and planned.changes:
        click.echo(install.diff(planned.changes), nl=False)
    return confirm_plan(
        _plan_json(planned, applied=False),
        f"changing {files} needs your consent",
        "" if planned.changes else nothing,
        undone=f"{files} would change",
    )


def _plan_json(planned: InstallPlan, *, applied: bool) -> dict[str, object]:
    """Return a plan of changes as `--json` promises it (docs/json.md)."""
    return {
        "agent": planned.agent.name,
        "scope": planned.place.scope,
        "changes": changes_json(planned.changes),
        "applied": applied,
        "advice": list(planned.agent.advice),
        "published": [],
    }


def changes_json(changes: Iterable[ConfigChange]) -> list[dict[str, str]]:
    """Return changes of files as `--json` promises them (docs/json.md)."""
    return [
        {
            "path": change.path,
            "act": "create" if change.before is None else "remove" if change.after is None else "edit",
            "diff": install.diff((change,)),
        }
        for change in changes
    ]


@command("uninstall", "holdfast uninstall claude-code --verify")
@click.argument("agent")
@_scope
@click.option("--verify", is_flag=True, help="Search every file that the agent reads, and say that nothing is left.")
@options.consent
def _uninstall(workspace: Workspace, agent: str, scope: str, verify: bool) -> int:
    """Take out exactly what `holdfast install` put in. Memories stay.

    A file that nobody touched since becomes what it was, byte for byte. In one that was changed, Holdfast's entries are
    found by their tags, and every other byte stays.
    """
    dry_run, planned = invocation().dry_run, install.plan_removal(workspace, agent, scope=scope)
    done: list[UninstallOutcome] = []
    if not planned.changes and not dry_run:
        # Files that other agents read, too, do not change, but this agent no longer reads them through us.
        distributed.note_uninstall(workspace, planned.agent.name, planned.place, ())
        install.forget_install(workspace, planned)
    if planned.changes or dry_run or not verify:
        if not _confirm_changes(planned, "nothing of Holdfast's is there"):
            return 0
        done = install.apply_removal(workspace, planned)
        # What stood in one rules file may belong in another one now.
        publish.refresh(workspace)
    searched, left = install.verify(workspace, agent, scope=scope) if verify else ([], [])
    stays = install.elsewhere(workspace, agent, scope=scope) if verify else []
    fields = {
        "files": done,
        "searched": searched,
        "left": left,
        "elsewhere": stays,
    }
    if not emit_json({**_plan_json(planned, applied=bool(done)), **fields}):
        for one in done:
            state = "removed" if one.removed else "as it was, byte for byte" if one.identical else "entries removed"
            click.echo(f"{one.path}: {state}")
        for problem in left:
            click.echo(f"{problem.path}:{problem.line}: {problem.text} is left")
        for line in stays:
            click.echo(f"elsewhere: {line}")
        if verify and not left:
            there = " in them" if stays else ""
            files = f"{count(len(searched), 'file')} searched" if searched else "no file to search"
            say(f"verified: {files}, nothing of Holdfast's is left{there}")
    return 1 if left else 0


@command("plugin", "holdfast plugin claude-code --out ./holdfast-plugin")
@click.argument("agent")
@click.option("--out", required=True, type=click.Path(), metavar="FOLDER", help="The folder to write.")
@_portable
def _plugin(workspace: Workspace, agent: str, out: str, portable: bool) -> None:
    """Write a plugin with the hooks, the MCP server and a skill. No settings are touched.

    The folder is a marketplace of one plugin. One that is neither empty nor a plugin of Holdfast's is refused.
    """
    planned = install.plan_plugin(workspace, agent, out, portable=portable)
    install.apply_plugin(planned)
    if emit_json(_plan_json(planned, applied=bool(planned.changes))):
        return
    for change in planned.changes:
        click.echo(change.path)
    if not planned.changes:
        say("nothing to do: the plugin is there")


@command("schedule", "holdfast schedule --every 1h --dry-run")
@click.option("--every", default="1h", metavar="TIME", help="How often: 30m, 1h, 1d. Default: 1h.")
@click.option("--with", "way", type=click.Choice(schedule.WAYS), help="What runs it. Default: what fits this system.")
@click.option("--remove", is_flag=True, help="Take the schedule away.")
@click.option("--status", is_flag=True, help="Show the schedule that is there.")
@options.consent
def _schedule(workspace: Workspace, every: str, way: str | None, remove: bool, status: bool) -> None:
    """Let the system run `holdfast sweep` at regular intervals: by a systemd timer, a launchd job or a crontab line.

    The plan is a diff. Other lines of a crontab stay as they are, and `--remove` takes out exactly what this put in.
    """
    if status:
        _show_schedule(schedule.status(workspace))
        return
    planned = schedule.plan_removal(workspace) if remove else schedule.plan(workspace, way=way or "", every=every)
    calls = (*planned.first, *planned.then)
    if not invocation().json and planned.changes:
        click.echo(install.diff(planned.changes), nl=False)
    files = count(len(planned.changes), "file")
    state = "there is no schedule" if remove else "it is scheduled"
    then = "".join(f"then: {call.line}\n" for call in calls)
    if confirm_plan(
        _schedule_json(planned, calls),
        f"changing {files} needs your consent",
        "" if planned.changes or calls else f"nothing to do: {state}",
        undone=f"{then}{files} would change",
        show=lambda: say(then.rstrip()) if then else None,
    ):
        _report_schedule(planned, schedule.apply(workspace, planned), remove)


def _report_schedule(planned: schedule.SchedulePlan, calls: tuple[SystemCall, ...], remove: bool) -> None:
    """Say that the plan was carried out, and what is left for the person to type."""
    if emit_json(_schedule_json(planned, calls or (*planned.first, *planned.then), applied=True)):
        return
    click.echo("the schedule is gone" if remove else f"a sweep runs every {planned.every}, by {planned.way}")
    for call in calls:
        if not call.ran:
            say(f"now run: {call.line}" + (f"  ({call.said})" if call.said else ""))


def _show_schedule(found: list[Scheduled]) -> None:
    """Print the schedules that are there."""
    listed = [{"way": one.way, "path": one.path, "every": one.every, "active": one.active} for one in found]
    if emit_json({"way": "", "every": "", "scheduled": listed, "changes": [], "commands": [], "applied": False}):
        return
    for one in found:
        running = {"yes": "running", "no": "not running", "unknown": "whether it runs is not known here"}[one.active]
        click.echo(f"{one.way:8} every {one.every:4} {running}  {one.path}")
    if not found:
        say("there is no schedule")


def _schedule_json(
    planned: schedule.SchedulePlan, calls: tuple[SystemCall, ...], *, applied: bool = False
) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    return {
        "way": planned.way,
        "every": planned.every,
        "scheduled": [],
        "changes": changes_json(planned.changes),
        "commands": [{"command": call.line, "ran": call.ran, "said": call.said} for call in calls],
        "applied": applied,
    }
