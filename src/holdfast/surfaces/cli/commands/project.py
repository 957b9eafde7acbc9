"""`holdfast project`."""

from __future__ import annotations

import click

from holdfast.app import project
from holdfast.base.text import count
from holdfast.records import Project
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import confirm_steps, emit_json, report_applied, say_empty
from holdfast.surfaces.cli.tables import print_table
from holdfast.workspace import Workspace

_to = click.option("--to", default="", metavar="ID", help="The id to read or merge into. Default: that of this folder.")


@group("project", "holdfast project", sees=PROJECT)
def _explain(workspace: Workspace) -> None:
    """Show which project this folder is, which rule won and why."""
    _print(workspace.project())


@_explain.sub("list", "holdfast project list")
def _list(workspace: Workspace) -> None:
    """List the projects that are known, the most recently changed first, with the folder of each."""
    found = project.known(workspace)
    if emit_json({"projects": found}):
        return
    rows = [(one.id, str(one.memories), str(one.sessions), one.last[:10], one.folder) for one in found]
    print_table(("project", "memories", "sessions", "last", "folder"), rows, right=("memories", "sessions"))
    if not found:
        say_empty(
            workspace, "no project is known yet; `holdfast remember` or `holdfast sweep` makes the first one known"
        )


@_explain.sub("alias", "holdfast project alias shop-1a2b3c4d5e6f", sees=PROJECT)
@click.argument("old")
@_to
@options.dry_run()
def _alias(workspace: Workspace, old: str, to: str) -> None:
    """Read the memories of the old id OLD here, too."""
    target, steps = project.plan_alias(workspace, old, to)
    if confirm_steps(steps, "", ask=False):
        project.apply_alias(workspace, old, target)
        report_applied(steps, f"{old} is read in {target} too")


@_explain.sub("merge", "holdfast project merge shop-1a2b3c4d5e6f --dry-run", sees=PROJECT)
@click.argument("old")
@_to
@options.consent
def _merge(workspace: Workspace, old: str, to: str) -> None:
    """Move the memories of the old id OLD into this project, and let OLD mean this project from now on."""
    target, acts, steps = project.plan_merge(workspace, old, to)
    if confirm_steps(steps, ""):
        project.apply_merge(workspace, old, target, acts)
        report_applied(steps, f"merged {count(len(acts), 'memory')} of {old} into {target.owner}")


@_explain.sub("mark", "holdfast project mark")
@click.option("--adopt", is_flag=True, help="Accept a marker that came from somewhere else.")
@click.option("--new", is_flag=True, help="Give a copied folder an id of its own.")
def _mark(workspace: Workspace, adopt: bool, new: bool) -> None:
    """Write a marker file into this folder, so that it stays the same project when it is renamed. For folders without
    git.
    """
    _print(project.mark(workspace, adopt=adopt, new=new))


def _print(found: Project) -> None:
    if emit_json(found):
        return
    click.echo(f"{found.id}\n  rule    {found.rule}: {found.reason}\n  root    {found.root}")
    if found.aliases:
        click.echo(f"  reads   {', '.join(found.aliases)} too")
    for note in found.notes:
        click.echo(f"  note    {note}")
