"""`holdfast harvest`."""

from __future__ import annotations

import click

from holdfast.app.harvest import RECENT, Harvest, harvest
from holdfast.errors import BadInput
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, print_plan, say, why_empty
from holdfast.workspace import Workspace


@make_command("harvest", "holdfast harvest --recent 20 --dry-run")
@click.option("--recent", type=click.IntRange(min=1), metavar="N", help=f"The N that ended last. Default: {RECENT}.")
@click.option("--all", "everything", is_flag=True, help="Every session of the archive.")
@click.option("--session", default="", metavar="ID", help="This session, also when it was harvested before.")
@click.option("--dry-run", "-n", is_flag=True, help="Show what is found, known or not, and write nothing.")
@json_option
@click.pass_context
def command(
    ctx: click.Context, recent: int | None, everything: bool, session: str, dry_run: bool, as_json: bool
) -> None:
    """Look through archived sessions of every agent and project for what can be learned: ratings, lessons, incidents,
    fixes, and records of research and security.

    A sweep does it for what it takes in. Harvesting twice adds nothing; what was done already is passed over.
    """
    if sum((recent is not None, everything, bool(session))) > 1:
        raise BadInput("which sessions?", "Give one of --recent, --all and --session.")
    base = ctx.find_root().obj or {}
    with Workspace(base.get("home"), flags=base.get("flags"), say=say) as workspace:
        done = harvest(workspace, recent=recent or RECENT, everything=everything, session=session, dry_run=dry_run)
        print_json(asdict(done)) if as_json else _print(workspace, done)


def _print(workspace: Workspace, done: Harvest) -> None:
    for one in done.found:
        click.echo(f"{one.kind:10} {one.session}  {one.at[:10]}  {harmless(one.text)}")
    if done.dropped:
        print_plan(done.dropped)
    for problem in done.problems:
        click.echo(f"{problem.path}: {problem.text}", err=True)
    known = f", {done.known:,} known" if done.known else ""
    waiting = f", {done.waiting:,} left for lack of time" if done.waiting else ""
    what = "found" if done.dry_run else "new"
    text = f"{done.sessions:,} sessions, {done.unchanged:,} unchanged: {len(done.found):,} {what}{known}{waiting}"
    say(text if workspace.enabled else why_empty(workspace, ""))
