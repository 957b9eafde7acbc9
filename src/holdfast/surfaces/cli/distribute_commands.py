"""The sub-commands of `holdfast patterns` that hand a pattern to agents and take it back."""

from __future__ import annotations

import sys

import click

from holdfast.actions import distribute, install, withdraw
from holdfast.actions.distribute import Plan
from holdfast.actions.house import House
from holdfast.errors import NeedsConsent
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import (
    consent_options,
    json_option,
    print_json,
    print_plan,
    say,
    subcommand,
    with_house,
)

_agent = click.option("--agent", "names", multiple=True, metavar="NAME", help="Only this agent; may be given again.")
_to = click.option("--to", type=click.Choice(distribute.TARGETS), help="What it becomes, or became.")
_force = click.option("--force", is_flag=True, help="Also where somebody edited our text; the edit is lost.")


def add_to(group: click.Group) -> None:
    """Add the sub-commands to the group."""
    _distribute(group)
    _withdraw(group)


def _distribute(group: click.Group) -> None:
    about = (
        "Hand an approved pattern to agents: as a memory, a lesson, a rule in their instruction files, a skill, or a "
        "warning when its failure occurs. The plan is a diff. Without --to: bring every place up to date."
    )

    @subcommand(group, "distribute", "holdfast patterns distribute 1a2b --to rules --agent codex --dry-run", about)
    @click.argument("name", metavar="ID")
    @_to
    @_agent
    @click.option("--scope", type=click.Choice(distribute.SCOPES), default="project", show_default=True, help="Where.")
    @click.option(
        "--folder",
        type=click.Path(exists=True, file_okay=False),
        help="A folder of the project, instead of this one.",
    )
    @_force
    @consent_options
    @json_option
    @with_house
    def run(
        house: House,
        name: str,
        to: str | None,
        names: tuple[str, ...],
        scope: str,
        folder: str | None,
        force: bool,
        dry_run: bool,
        yes: bool,
        as_json: bool,
    ) -> None:
        if folder is not None:
            house.folder = folder
        planned = distribute.plan(house, name, to=to or "", names=names, scope=scope, force=force)
        if _agreed(planned, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to do: it is there"):
            distribute.apply(house, planned)
            _tell(planned, as_json)


def _withdraw(group: click.Group) -> None:
    about = "Take a pattern back, from everywhere or from some agents. Every byte that is not ours stays."

    @subcommand(group, "withdraw", "holdfast patterns withdraw 1a2b --dry-run", about)
    @click.argument("name", metavar="ID")
    @_to
    @_agent
    @click.option("--scope", type=click.Choice(distribute.SCOPES), help="Only from there.")
    @_force
    @consent_options
    @json_option
    @with_house
    def run(
        house: House,
        name: str,
        to: str | None,
        names: tuple[str, ...],
        scope: str | None,
        force: bool,
        dry_run: bool,
        yes: bool,
        as_json: bool,
    ) -> None:
        planned = withdraw.plan(house, name, to=to or "", names=names, scope=scope or "", force=force)
        if _agreed(planned, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to do: it is not there"):
            withdraw.apply(house, planned)
            _tell(planned, as_json)


def _agreed(planned: Plan, *, dry_run: bool, yes: bool, as_json: bool, nothing: str) -> bool:
    """Show the plan and return whether to go on; without a terminal nobody is asked."""
    if not as_json:
        _show(planned)
    if dry_run or planned.is_empty:
        if as_json:
            print_json(plan_json(planned, applied=False))
        elif planned.is_empty:
            say(nothing)
        return False
    if yes:
        return True
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NeedsConsent("this changes what agents read", "Look with --dry-run, then give --yes.")
    if click.confirm("Do this?", err=True):
        return True
    print_json(plan_json(planned, applied=False)) if as_json else say("nothing was changed")
    return False


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
    changes = [
        {
            "path": change.path,
            "act": "create" if change.before is None else "remove" if change.after is None else "edit",
            "diff": install.diff((change,)),
        }
        for change in planned.changes
    ]
    return {
        "id": planned.entry.id,
        "act": planned.act,
        "changes": changes,
        "plan": [asdict(step) for step in planned.steps],
        "targets": [asdict(one) for one in planned.targets if one.holds],
        "notes": list(planned.notes),
        "applied": applied,
    }
