"""`holdfast export`."""

from __future__ import annotations

import click

from holdfast.base.text import count
from holdfast.exchange import bundle
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import answer
from holdfast.workspace import Workspace


@command("export", "holdfast export memories.tar.gz")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False))
@options.scope("Only this scope as seen from here; default: the whole home.")
def _export(workspace: Workspace, path: str, scope: str | None) -> None:
    """Write memories as one file with checksums, to keep or to hand on: the same memories give the same bytes.

    `holdfast import --bundle FILE` reads it elsewhere, as somebody else's. Session memories are left out.
    """
    number = bundle.export(workspace, path, scope or "")
    answer({"path": path, "memories": number}, f"{count(number, 'memory')} in {path}")
