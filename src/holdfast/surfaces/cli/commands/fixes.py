"""`holdfast fixes`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from holdfast.base.text import count
from holdfast.learning.fixes import listing
from holdfast.learning.fixes.model import Fix
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import emit_json, print_each
from holdfast.surfaces.cli.tables import flowing, shown_time
from holdfast.workspace import Workspace

_ids = click.argument("ids", metavar="ID...", nargs=-1, required=True)


@group("fixes", "holdfast fixes", sees=PROJECT)
@click.option("--rejected", is_flag=True, help="List those that you rejected.")
@options.everywhere("List those of every project.")
@options.utc
def _list(workspace: Workspace, rejected: bool, everywhere: bool) -> None:
    """List what made a failed command of this project work, newest first, and when agents are told it, or why not."""
    found = listing.known(workspace, everywhere=everywhere, rejected=rejected)
    when = {} if rejected else {fix.id: listing.told(workspace, fix) for fix in found}
    if emit_json({"fixes": [_plain(fix, *when.get(fix.id, (False, "you rejected it"))) for fix in found]}):
        return
    nothing = "no fix was rejected" if rejected else "no fix is known yet; a failure that an agent solves leaves one"
    print_each(workspace, found, lambda fix: _print(fix, *when.get(fix.id, ())), nothing)


@_list.sub("reject", "holdfast fixes reject 3f9c", sees=PROJECT)
@_ids
@options.dry_run()
def _reject(workspace: Workspace, ids: tuple[str, ...]) -> None:
    """Reject fixes: no agent is told them again, whichever session they are found in."""
    _tell("rejected", listing.reject(workspace, ids, dry_run=invocation().dry_run))


@_list.sub("restore", "holdfast fixes restore 3f9c", sees=PROJECT)
@_ids
@options.dry_run()
def _restore(workspace: Workspace, ids: tuple[str, ...]) -> None:
    """Let agents be told rejected fixes again."""
    _tell("restored", listing.restore(workspace, ids, dry_run=invocation().dry_run))


def _tell(done: str, fixes: Sequence[Fix]) -> None:
    if emit_json({done: [_plain(fix) for fix in fixes], "dry_run": invocation().dry_run}):
        return
    for fix in fixes:
        click.echo(flowing(f"{'would be ' if invocation().dry_run else ''}{done}  {fix.id[:8]}  {fix.command}"))


def _print(fix: Fix, told: bool = False, why: str = "") -> None:
    helped = f"helped in {count(fix.times, 'session')}, last {shown_time(fix.at)} ({fix.agent}/{fix.session[:8]})"
    click.echo(flowing(f"{fix.id[:8]}  {fix.command}: {fix.error}"))
    for step in fix.steps:
        click.echo(flowing(f"    {step}", indent="      "))
    click.echo(f"    {helped}")
    if why:
        click.echo(flowing(f"    {'told' if told else 'not told'}: {why}", indent="      "))


def _plain(fix: Fix, *told: bool | str) -> dict[str, object]:
    names = ("id", "project", "command", "error", "steps", "times", "agent", "session", "at")
    return {name: getattr(fix, name) for name in names} | dict(zip(("told", "why"), told, strict=False))
