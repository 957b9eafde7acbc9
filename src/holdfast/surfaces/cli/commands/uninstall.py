"""`holdfast uninstall`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.app import publish, uninstall
from holdfast.patterns import distributed
from holdfast.records import asdict
from holdfast.surfaces.cli.commands.install import agreed, plan_json, scope_option
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import consent_options, json_option, print_json, say, with_workspace

if TYPE_CHECKING:
    from holdfast.app.install import Plan
    from holdfast.app.uninstall import Outcome
    from holdfast.records import Problem
    from holdfast.workspace import Workspace


@make_command("uninstall", "holdfast uninstall claude-code --verify")
@click.argument("agent")
@scope_option
@click.option("--verify", is_flag=True, help="Search every file that the agent reads, and say that nothing is left.")
@consent_options
@json_option
@with_workspace
def command(workspace: Workspace, agent: str, scope: str, verify: bool, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Take out exactly what `holdfast install` put in. Memories stay.

    A file that nobody touched since becomes what it was, byte for byte. In one that was changed, our entries are found
    by their tags, and every other byte stays.
    """
    planned = uninstall.plan(workspace, agent, scope=scope)
    done: list[Outcome] = []
    if not planned.changes and not dry_run:
        # Files that other agents read, too, do not change, but this one is no reader of them any more.
        distributed.left(workspace, planned.agent.name, planned.place, ())
    if planned.changes or dry_run or not verify:
        if not agreed(planned, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing of ours is there"):
            return 0
        done = uninstall.apply(workspace, planned)
        # What stood in one rules file may belong into another one now.
        publish.refresh(workspace)
    searched, left = uninstall.verify(workspace, agent, scope=scope) if verify else ([], [])
    if as_json:
        print_json(_json(planned, done, searched, left))
    else:
        _print(done, left)
        if verify and not left:
            say(f"verified: {len(searched)} file(s) searched, nothing of ours is left")
    return 1 if left else 0


def _json(planned: Plan, done: list[Outcome], searched: list[str], left: list[Problem]) -> dict[str, object]:
    files = [asdict(one) for one in done]
    found = [asdict(one) for one in left]
    return {**plan_json(planned, applied=bool(done)), "files": files, "searched": searched, "left": found}


def _print(done: list[Outcome], left: list[Problem]) -> None:
    for one in done:
        state = "removed" if one.removed else "as it was, byte for byte" if one.identical else "without our entries"
        click.echo(f"{one.path}: {state}")
    for problem in left:
        click.echo(f"{problem.path}:{problem.line}: {problem.text} is left")
