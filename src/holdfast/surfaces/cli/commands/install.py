"""`holdfast install`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.app import install, publish
from holdfast.surfaces.cli.changes import changes_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import consent_options, json_option, person_agrees, print_json, say, with_workspace
from holdfast.surfaces.hook import bundling

if TYPE_CHECKING:
    from holdfast.app.install import Plan, Seen
    from holdfast.workspace import Workspace

scope_option = click.option(
    "--scope",
    type=click.Choice(install.SCOPES),
    default="user",
    help="For you everywhere (user), or for this project alone (project).",
)
portable_option = click.option(
    "--portable", is_flag=True, help="Write the names of our programs instead of paths, for files that others share."
)


@make_command("install", "holdfast install claude-code --dry-run")
@click.argument("agent", required=False)
@scope_option
@portable_option
@consent_options
@json_option
@with_workspace
def command(
    workspace: Workspace, agent: str | None, scope: str, portable: bool, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Connect an agent: its hooks and the MCP server, in its own config files. Without AGENT: list the agents.

    The plan is a diff of every file. Foreign bytes, comments and order stay; `holdfast uninstall` takes exactly this
    out again.
    """
    if agent is None:
        show_agents(install.overview(workspace), as_json)
        return
    planned = install.plan(workspace, agent, scope=scope, portable=portable)
    if planned.agent.detect(planned.place) is None:
        say(f"{planned.agent.title} was not found here; its files are prepared for it")
    done = "it is installed" if planned.agent.events else "its sessions are read without an install"
    if agreed(planned, dry_run=dry_run, yes=yes, as_json=as_json, nothing=f"nothing to do: {done}"):
        install.apply(workspace, planned)
        bundling.write_all(planned.agent)
        published = publish.refresh(workspace)
        told(planned, as_json, f"installed {planned.agent.title}", published)
    if not as_json and not dry_run:
        for line in planned.agent.advice:
            say(line)


def show_agents(agents: list[Seen], as_json: bool) -> None:
    """Print the agents that are here, what each gets, and the names of those that are not here."""
    if as_json:
        print_json({"agents": [seen_json(one) for one in agents]})
        return
    for one in agents:
        if one.found is not None:
            state = f"installed ({', '.join(one.installed)})" if one.installed else "not installed"
            click.echo(f"{one.agent.name:12} {state:24} {', '.join(one.gets)}")
    missing = [one.agent.name for one in agents if one.found is None]
    if missing:
        say(f"not found here: {', '.join(missing)}")


def seen_json(one: Seen) -> dict[str, object]:
    """Return an agent as `--json` promises it (docs/json.md)."""
    return {
        "name": one.agent.name,
        "title": one.agent.title,
        "found": one.found is not None,
        "program": one.found.program if one.found else "",
        "folder": one.found.folder if one.found else "",
        "installed": list(one.installed),
        "gets": list(one.gets),
        "advice": list(one.agent.advice),
    }


def agreed(planned: Plan, *, dry_run: bool, yes: bool, as_json: bool, nothing: str) -> bool:
    """Show the diff and return whether to go on; without a terminal nobody is asked."""
    if not as_json and planned.changes:
        click.echo(install.diff(planned.changes), nl=False)
    if dry_run or not planned.changes:
        print_json(plan_json(planned, applied=False)) if as_json else say(_undone(planned, nothing))
        return False
    if yes or person_agrees(f"{len(planned.changes)} change(s) of files need your consent"):
        return True
    print_json(plan_json(planned, applied=False)) if as_json else say("nothing was changed")
    return False


def _undone(planned: Plan, nothing: str) -> str:
    return f"{len(planned.changes)} file(s) would change" if planned.changes else nothing


def told(planned: Plan, as_json: bool, text: str, published: list[str]) -> None:
    """Say that the plan was carried out."""
    if as_json:
        print_json({**plan_json(planned, applied=True), "published": published})
        return
    click.echo(text)
    for path in published:
        say(f"wrote {path}")


def plan_json(planned: Plan, *, applied: bool) -> dict[str, object]:
    """Return a plan of changes as `--json` promises it (docs/json.md)."""
    return {
        "agent": planned.agent.name,
        "scope": planned.place.scope,
        "changes": changes_json(planned.changes),
        "applied": applied,
        "advice": list(planned.agent.advice),
        "published": [],
    }
