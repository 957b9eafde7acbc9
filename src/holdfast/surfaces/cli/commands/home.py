"""How things stand and how they are set: `holdfast up`, `status`, `doctor` and `config`."""

from __future__ import annotations

import sys
from typing import Any

import click

from holdfast.agents.editing import record
from holdfast.app import install
from holdfast.app.doctor import doctor
from holdfast.app.harvest_backlog import Waiting
from holdfast.app.status import TIMED_DAYS, AgentState, agents, of_disk, status, up
from holdfast.base.text import count
from holdfast.journal import notices
from holdfast.memory import config
from holdfast.memory.config import ShownSetting
from holdfast.settings import BY_NAME, variable_of
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation, runnable
from holdfast.surfaces.cli.commands.install import connect
from holdfast.surfaces.cli.making import PROJECT, command, group
from holdfast.surfaces.cli.output import answer, emit_json, print_problems, say
from holdfast.surfaces.cli.tables import flowing, local_time
from holdfast.workspace import Workspace


@command("up", "holdfast up", sees=PROJECT)
@options.utc
def _up(workspace: Workspace) -> None:
    """Prepare this home, show what it holds, offer to connect the agents on this machine, and say what to do next.

    Nothing is asked where there is no terminal.
    """
    found = up(workspace)
    if emit_json(found):
        return
    say(f"prepared {workspace.home}" if found["prepared"] else f"{workspace.home} is ready")
    _print_status(found)
    _print_notices(workspace)
    if sys.stdin.isatty() and sys.stdout.isatty() and _offer(workspace, found["agents"]):
        found = up(workspace)
    for line in found["next"]:
        click.echo(f"→ {runnable(line)}")


def _offer(workspace: Workspace, states: list[dict[str, Any]]) -> bool:
    """Ask of each agent that is here and not connected whether to connect it; return whether one was."""
    before = len(record.load(workspace.home))
    for one in states:
        if one["can_connect"] and not one["connected"]:
            look = runnable(f"holdfast install {one['name']} --dry-run")
            if click.confirm(f"Connect {one['title']}? (`{look}` shows what changes)", default=True):
                invocation().yes = True
                connect(workspace, install.plan(workspace, one["name"]), show=False)
    return len(record.load(workspace.home)) > before


@command("status", "holdfast status", sees=PROJECT)
@options.utc
def _status(workspace: Workspace) -> None:
    """Show agents (connected, last heard from), sessions and memories, and the project of this folder."""
    found = status(workspace)
    if not emit_json(found):
        if workspace.why_off:
            say(workspace.why_off)
        _print_status(found)
        _print_notices(workspace)


def _print_status(found: dict[str, Any]) -> None:
    project, missing = found["project"], "" if found["exists"] else "  (not there yet: holdfast up)"
    click.echo(runnable(f"home      {found['home']}{missing}"))
    text = f"{project['id']}  ({project['rule']})" if project["id"] else f"none: {project['reason']}"
    click.echo(flowing(f"project   {text}", " " * 10))
    for note in project["notes"]:
        click.echo(runnable(f"  note    {note}"))
    _print_agents([AgentState(**one) for one in found["agents"]])
    if found["hooks"]:
        click.echo(f"hooks     {sum(one['count'] for one in found['hooks']):,} in the last {TIMED_DAYS} days")
    for one in found["hooks"]:
        took = f"median {one['p50']:,.0f} ms, 95 % within {one['p95']:,.0f} ms, longest {one['longest']:,.0f} ms"
        click.echo(flowing(f"  {one['count']:>7,}  {one['moment']}  ({took})", " " * 11))
    click.echo(f"sessions  {found['sessions']:,}")
    if left := str(Waiting(**found["to_learn"])):
        click.echo(flowing(f"  to learn from at the next sweep: {left}", " " * 11))
    click.echo(f"memories  {found['memories']:,} ({count(found['bytes'], 'byte')})")
    for scope in found["scopes"]:
        name = f"{scope['scope']}:{scope['owner']}" if scope["owner"] else scope["scope"]
        click.echo(flowing(f"  {scope['memories']:>7,}  {name}  (newest {scope['updated'][:10]})", " " * 11))
    if found["proposals"]:
        click.echo(runnable(f"proposals {found['proposals']:,} waiting (holdfast proposals)"))
    if found["patterns"]:
        click.echo(runnable(f"patterns  {found['patterns']:,} waiting (holdfast patterns review)"))
    if found["problems"]:
        click.echo(runnable(f"problems  {found['problems']} in files; holdfast lint names them and looks further"))


def _print_notices(workspace: Workspace) -> None:
    """Print what happened while nobody was looking; in a terminal a person sees it, and it is done with."""
    found = notices.unseen(workspace.home)
    for at, one in enumerate([*of_disk(workspace.home), *found]):
        click.echo(f"{'' if at else 'notices':9} {local_time(one.last)}  {one.line()}")
        if one.hint:
            click.echo(f"{'':10}{runnable(one.hint)}")
    if found and sys.stdout.isatty():
        notices.settle(workspace.home, found)


def _print_agents(states: list[AgentState]) -> None:
    widest = max((len(one.name) for one in states), default=0)
    for at, one in enumerate(states):
        connected = f"connected ({', '.join(one.connected)})" if one.connected else "not connected"
        state = connected if one.can_connect else "read only"
        heard = (
            f"last heard from {local_time(one.heard)}" if one.heard else "not heard from yet" if one.connected else ""
        )
        text = "  ".join(part for part in (heard, count(one.sessions, "session") if one.sessions else "") if part)
        click.echo(flowing(f"{'' if at else 'agents':9} {one.name:{widest}}  {state:16}  {text}".rstrip(), " " * 10))
    if not states:
        click.echo("agents    none found on this machine")


@command("doctor", "holdfast doctor --fix", checks=True)
@click.option("--fix", is_flag=True, help="Mend what is derived: the index, the pages, file modes.")
@options.utc
def _doctor(workspace: Workspace, fix: bool) -> int:
    """Check this installation, this home, and whether the connected agents run their hooks.

    The exit code is 1 where anything is wrong.
    """
    problems = doctor(workspace, fix=fix)
    states = [] if any(one.kind in ("installs", "index") for one in problems) else agents(workspace)
    if not emit_json({"problems": problems, "agents": states}):
        print_problems(problems)
        _print_agents(states)
        say(count(len(problems), "finding") if problems else "all is well")
    return int(any(problem.severity != "info" for problem in problems))


_name = click.argument(
    "name", shell_complete=lambda ctx, parameter, start: [name for name in BY_NAME if name.startswith(start)]
)


@group("config", "holdfast config set recall.limit 5")
def _config(workspace: Workspace) -> None:
    """Show every setting, its value and where that comes from."""
    found = config.show_all(workspace)
    if emit_json({"settings": found}):
        return
    widest = max(len(setting.name) for setting in found)
    for setting in found:
        click.echo(flowing(f"{setting.name:{widest}}  {_plain(setting) or '(empty)'}  ({setting.origin})"))
        click.echo(flowing(f"    {setting.help}"))


@_config.sub("get", "holdfast config get recall.limit")
@_name
def _get(workspace: Workspace, name: str) -> None:
    """Print the value of one setting."""
    found = config.show(workspace, name)
    answer(found, _plain(found))


@_config.sub("set", "holdfast config set recall.limit 5")
@_name
@click.argument("value", cls=options.Text)
def _set(workspace: Workspace, name: str, value: str) -> None:
    """Set a value in config.toml."""
    _print_changed(config.change(workspace, name, value))


@_config.sub("unset", "holdfast config unset recall.limit")
@_name
def _unset(workspace: Workspace, name: str) -> None:
    """Take a value out of config.toml again."""
    _print_changed(config.change(workspace, name, None))


def _print_changed(found: ShownSetting) -> None:
    answer(found, f"{found.name} = {_plain(found)}")
    if found.origin == variable_of(found.name):
        say(f"{found.origin} is set in the environment and goes before config.toml")


def _plain(setting: ShownSetting) -> str:
    return str(setting.value).lower() if isinstance(setting.value, bool) else str(setting.value)
