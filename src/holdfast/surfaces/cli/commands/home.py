"""How things stand: `holdfast up`, `status` and `doctor`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.app.doctor import doctor
from holdfast.app.status import status
from holdfast.app.up import up
from holdfast.base.text import count
from holdfast.records import asdict
from holdfast.surfaces.cli.main import runnable
from holdfast.surfaces.cli.shared import PROJECT, answered, command, print_problems, say
from holdfast.workspace import Workspace


@command("up", "holdfast up", sees=PROJECT)
def _up(workspace: Workspace) -> None:
    """Prepare this home, show what it holds, and say in a line each what to do next."""
    found: dict[str, Any] = up(workspace)
    if answered(found):
        return
    say(f"prepared {workspace.home}" if found["prepared"] else f"{workspace.home} is ready")
    _print_status(found)
    for line in found["next"]:
        click.echo(f"→ {runnable(line)}")


@command("status", "holdfast status", sees=PROJECT)
def _status(workspace: Workspace) -> None:
    """Show what the home holds: memories and bytes by scope, and the project of this folder."""
    found = status(workspace)
    if not answered(found):
        _print_status(found)


def _print_status(found: dict[str, Any]) -> None:
    if not found["enabled"]:
        say("memory is switched off (setting enabled)")
    click.echo(f"home      {found['home']}" + ("" if found["exists"] else runnable("  (not there yet: holdfast up)")))
    project = found["project"]
    click.echo(
        f"project   {project['id']}  ({project['rule']})" if project["id"] else f"project   none: {project['reason']}"
    )
    click.echo(f"memories  {found['memories']:,} ({count(found['bytes'], 'byte')})")
    for scope in found["scopes"]:
        name = f"{scope['scope']}:{scope['owner']}" if scope["owner"] else scope["scope"]
        click.echo(f"  {scope['memories']:>7,}  {name}  (newest {scope['updated'][:10]})")
    if found["proposals"]:
        click.echo(runnable(f"proposals {found['proposals']:,} waiting (holdfast proposals)"))
    if found["problems"]:
        click.echo(runnable(f"problems  {found['problems']} (holdfast lint)"))


@command("doctor", "holdfast doctor --fix")
@click.option("--fix", is_flag=True, help="Mend what is derived: the index, the pages, file modes.")
def _doctor(workspace: Workspace, fix: bool) -> int:
    """Check this installation and this home. The exit code is 1 where anything is wrong."""
    problems = doctor(workspace, fix=fix)
    if not answered({"problems": [asdict(problem) for problem in problems]}):
        print_problems(problems)
        say(count(len(problems), "finding") if problems else "all is well")
    return int(any(problem.severity != "info" for problem in problems))
