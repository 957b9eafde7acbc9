"""`holdfast reindex`."""

from __future__ import annotations

import click

from holdfast.app.reindex import make_all_vectors, reindex
from holdfast.surfaces.cli.shared import Progress, json_option, print_json, with_workspace
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.workspace import Workspace


@make_command("reindex", "holdfast reindex")
@click.option("--meaning", is_flag=True, help="Only make the vectors that are missing.")
@json_option
@with_workspace
def command(workspace: Workspace, meaning: bool, as_json: bool) -> None:
    """Make the index anew from the files and the archive. It loses nothing, and recall goes on meanwhile."""
    if meaning:
        _make_vectors(workspace, as_json)
        return
    swept = reindex(workspace)
    if as_json:
        print_json({"read": swept.read, "gone": swept.gone, "sessions": swept.sessions})
    else:
        sessions = f", and {swept.sessions:,} sessions" if swept.sessions else ""
        click.echo(f"read {swept.read:,} files{sessions}; {swept.gone:,} were gone")


def _make_vectors(workspace: Workspace, as_json: bool) -> None:
    progress = workspace.progress = Progress("making vectors")
    try:
        done = make_all_vectors(workspace)
    finally:
        progress.stop()
    if as_json:
        print_json({"made": done.made, "waiting": done.waiting, "model": done.model})
    elif done.model:
        click.echo(f"made {done.made:,} vectors by {done.model}; {done.waiting:,} are still missing")
    else:
        click.echo("made no vectors: there is no model to make them")
