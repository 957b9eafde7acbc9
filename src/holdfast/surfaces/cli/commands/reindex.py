"""`holdfast reindex`."""

from __future__ import annotations

import sys

import click

from holdfast.actions.house import House
from holdfast.actions.reindex import make_all_vectors, reindex
from holdfast.surfaces.cli.shared import Progress, json_option, print_json, with_house
from holdfast.surfaces.cli.shared import command as make_command


class VectorProgress(Progress):
    """The bar of vectors: a transformer makes few of them in a second, so it is shown from the first on."""

    def __call__(self, done: int, total: int) -> None:
        if self._bar is None and done < total and sys.stderr.isatty():
            self._start(total)
        super().__call__(done, total)

    def _start(self, total: int) -> None:
        super()._start(total)
        self._bar.update(self._task, description="making vectors")

    def stop(self) -> None:
        """Take the bar away, also where the work was interrupted."""
        if self._bar is not None:
            self._bar.stop()


@make_command("reindex", "holdfast reindex")
@click.option("--meaning", is_flag=True, help="Only make the vectors that are missing, by the model of `recall.model`.")
@json_option
@with_house
def command(house: House, meaning: bool, as_json: bool) -> None:
    """Make the index anew from the files and the archive. It loses nothing, and recall goes on meanwhile."""
    if meaning:
        _make_vectors(house, as_json)
        return
    swept = reindex(house)
    if as_json:
        print_json({"read": swept.read, "gone": swept.gone, "sessions": swept.sessions})
    else:
        sessions = f", and {swept.sessions:,} sessions" if swept.sessions else ""
        click.echo(f"read {swept.read:,} files{sessions}; {swept.gone:,} were gone")


def _make_vectors(house: House, as_json: bool) -> None:
    progress = house.progress = VectorProgress()
    try:
        done = make_all_vectors(house)
    finally:
        progress.stop()
    if as_json:
        print_json({"made": done.made, "waiting": done.waiting, "model": done.model})
    elif done.model:
        click.echo(f"made {done.made:,} vectors by {done.model}; {done.waiting:,} are still missing")
    else:
        click.echo("made no vectors: there is no model to make them")
