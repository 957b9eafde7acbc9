"""`holdfast project`."""

from __future__ import annotations

import click

from holdfast.app import project
from holdfast.records import Project, asdict
from holdfast.surfaces.cli.shared import (
    applied,
    consent_options,
    consented,
    group,
    json_option,
    print_json,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace


@group("project", "holdfast project")
@json_option
@with_workspace
def _explain(workspace: Workspace, as_json: bool) -> None:
    """Say which project this folder is, which rule won and why."""
    _print(project.explain(workspace), as_json)


@subcommand(
    _explain, "alias", "holdfast project alias shop-1a2b3c4d5e6f", "Read the memories of the old id OLD here too."
)
@click.argument("old")
@click.option("--to", default="", metavar="ID", help="The id that reads them. Default: the project of this folder.")
@click.option("--dry-run", "-n", is_flag=True, help="Show the plan and change nothing.")
@json_option
@with_workspace
def _alias(workspace: Workspace, old: str, to: str, dry_run: bool, as_json: bool) -> None:
    target, steps = project.plan_alias(workspace, old, to)
    if consented(steps, dry_run=dry_run, yes=True, as_json=as_json, nothing=""):
        project.apply_alias(workspace, old, target)
        applied(steps, as_json, f"{old} is read in {target} too")


@subcommand(
    _explain,
    "merge",
    "holdfast project merge shop-1a2b3c4d5e6f --dry-run",
    "Move the memories of the old id OLD into this project, and let OLD mean this project from now on.",
)
@click.argument("old")
@click.option("--to", default="", metavar="ID", help="The id to merge into. Default: the project of this folder.")
@consent_options
@json_option
@with_workspace
def _merge(workspace: Workspace, old: str, to: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    target, acts, steps = project.plan_merge(workspace, old, to)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing=""):
        project.apply_merge(workspace, old, target, acts)
        applied(steps, as_json, f"merged {len(acts)} memories of {old} into {target.owner}")


@subcommand(
    _explain,
    "mark",
    "holdfast project mark",
    "Write a marker file into this folder, so that it stays the same project when it is renamed. "
    "For folders without git.",
)
@click.option("--adopt", is_flag=True, help="Accept a marker that came from somewhere else.")
@click.option("--new", is_flag=True, help="Give a copied folder an id of its own.")
@json_option
@with_workspace
def _mark(workspace: Workspace, adopt: bool, new: bool, as_json: bool) -> None:
    _print(project.mark(workspace, adopt=adopt, new=new), as_json)


def _print(found: Project, as_json: bool) -> None:
    if as_json:
        print_json(asdict(found))
        return
    click.echo(f"{found.id}\n  rule    {found.rule}: {found.reason}\n  root    {found.root}")
    if found.aliases:
        click.echo(f"  reads   {', '.join(found.aliases)} too")
    for note in found.notes:
        click.echo(f"  note    {note}")


command = _explain
