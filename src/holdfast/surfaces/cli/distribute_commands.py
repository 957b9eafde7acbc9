"""The sub-commands of `holdfast patterns` that hand a pattern to agents and take it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from holdfast.app import install
from holdfast.patterns import distribute, withdraw
from holdfast.patterns.distribute import Plan
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.changes import changes_json
from holdfast.surfaces.cli.shared import (
    consent_options,
    json_option,
    person_agrees,
    print_json,
    print_plan,
    say,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

# `holdfast patterns` takes them over.
commands = click.Group()
_ABOUT = (
    "Hand an approved pattern to agents: as a memory, a lesson, a rule in their instruction files, a skill, or a "
    "warning when its failure occurs. The plan is a diff. Without --to: bring every place up to date."
)
_agent = click.option("--agent", "names", multiple=True, metavar="NAME", help="Only this agent; may be given again.")
_to = click.option("--to", type=click.Choice(distribute.TARGETS), help="What it becomes, or became.")
_force = click.option("--force", is_flag=True, help="Also where somebody edited our text; the edit is lost.")


@subcommand(commands, "distribute", "holdfast patterns distribute 1a2b --to rules --agent codex --dry-run", _ABOUT)
@click.argument("name", metavar="ID")
@_to
@_agent
@click.option("--scope", type=click.Choice(distribute.SCOPES), default="project", show_default=True, help="Where.")
@click.option(
    "--folder", type=click.Path(exists=True, file_okay=False), help="A folder of the project, instead of this one."
)
@_force
@consent_options
@json_option
@with_workspace
def _distribute(
    workspace: Workspace,
    /,
    name: str,
    to: str | None,
    names: tuple[str, ...],
    scope: str,
    folder: str | None,
    force: bool,
    **consent: bool,
) -> None:
    if folder is not None:
        workspace.folder = folder
    planned = distribute.plan(workspace, name, to=to or "", names=names, scope=scope, force=force)
    _carry_out(workspace, planned, distribute.apply, "nothing to do: it is there", **consent)


@subcommand(
    commands,
    "withdraw",
    "holdfast patterns withdraw 1a2b --dry-run",
    "Take a pattern back, from everywhere or from some agents. Every byte that is not ours stays.",
)
@click.argument("name", metavar="ID")
@_to
@_agent
@click.option("--scope", type=click.Choice(distribute.SCOPES), help="Only from there.")
@_force
@consent_options
@json_option
@with_workspace
def _withdraw(
    workspace: Workspace,
    /,
    name: str,
    to: str | None,
    names: tuple[str, ...],
    scope: str | None,
    force: bool,
    **consent: bool,
) -> None:
    planned = withdraw.plan(workspace, name, to=to or "", names=names, scope=scope or "", force=force)
    _carry_out(workspace, planned, withdraw.apply, "nothing to do: it is not there", **consent)


def _carry_out(
    workspace: Workspace,
    planned: Plan,
    apply: Callable[[Workspace, Plan], object],
    nothing: str,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Show the plan and, where the person wants it, do it; without a terminal nobody is asked."""
    if not as_json:
        _show(planned)
    if dry_run or planned.is_empty:
        if as_json:
            print_json(plan_json(planned, applied=False))
        elif planned.is_empty:
            say(nothing)
    elif yes or person_agrees("this changes what agents read"):
        apply(workspace, planned)
        _tell(planned, as_json)
    else:
        print_json(plan_json(planned, applied=False)) if as_json else say("nothing was changed")


def _show(planned: Plan) -> None:
    diff = install.diff(planned.changes)
    if diff:
        click.echo("\n".join(harmless(line) for line in diff.split("\n")), nl=False)
    if planned.steps:
        print_plan(planned.steps)
    for note in planned.notes:
        say(harmless(note))


def _tell(planned: Plan, as_json: bool) -> None:
    if as_json:
        print_json(plan_json(planned, applied=True))
        return
    done = "distributed" if planned.act == "distribute" else "withdrawn"
    click.echo(f"{done}  {click.style(planned.entry.id, bold=True)}  {harmless(planned.entry.title)}")


def plan_json(planned: Plan, *, applied: bool) -> dict[str, object]:
    """Return a plan as `--json` promises it (docs/json.md)."""
    return {
        "id": planned.entry.id,
        "act": planned.act,
        "changes": changes_json(planned.changes),
        "plan": [asdict(step) for step in planned.steps],
        "targets": [asdict(one) for one in planned.targets if one.holds],
        "notes": list(planned.notes),
        "applied": applied,
    }
