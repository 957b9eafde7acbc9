"""`holdfast updates`."""

from __future__ import annotations

import click

from holdfast.app import updates
from holdfast.app.updates import Listed, Undo
from holdfast.base.terminal import harmless
from holdfast.base.text import count
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.main import invocation
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import agreed, answer, answered, print_each, unless_chosen
from holdfast.surfaces.cli.tables import shown_time
from holdfast.workspace import Workspace

_MAX_SHOWN = 20


@group("updates", "holdfast updates --since 7d")
@options.since("Done since")
@click.option("--command", default="", metavar="NAME", help="Only by this command: prune, heal, project merge, ...")
@options.limit(_MAX_SHOWN)
@options.utc
def _list(workspace: Workspace, since: str, command: str, limit: int) -> None:
    """List what Holdfast changed, moved or removed in this home and in the files of agents, newest first."""
    found = updates.updates(workspace, since=since, command=command, limit=limit)
    if answered({"updates": [_plain(one) for one in found]}):
        return
    print_each(workspace, found, _print_line, unless_chosen("nothing was changed by a command yet", "update"))


@_list.sub("show", "holdfast updates show 1a2b3c4d")
@click.argument("id", metavar="ID")
@options.utc
def _show(workspace: Workspace, id: str) -> None:
    """Show one update as a diff. ID may be its beginning."""
    listed, diff = updates.show(workspace, id)
    if answered({**_plain(listed), "diff": diff}):
        return
    _print_line(listed)
    for target in listed.update.targets:
        click.echo(f"  {harmless(target)}")
    click.echo(harmless(diff), nl=False)


@_list.sub("undo", "holdfast updates undo 1a2b3c4d --dry-run")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@options.consent
def _undo(workspace: Workspace, ids: tuple[str, ...]) -> None:
    """Put back what an update changed, removed or moved. The plan is a diff. A file that changed since is refused, and
    then nothing changes. It is an update itself, so it can be undone.
    """
    planned = updates.plan_undo(workspace, ids)
    if not invocation().json:
        click.echo(harmless(updates.diff(planned.changes)), nl=False)
        for alias in planned.aliases:
            click.echo(f"{alias.old}: {f'read in {alias.after} too' if alias.after else 'an id of its own again'}")
    why = f"changing {count(len(planned.changes), 'file')} needs your consent"
    if agreed(_plan(planned, "", applied=False), why, undone="nothing was changed"):
        done = updates.apply_undo(workspace, planned)
        id = done.id if done else ""
        answer(_plan(planned, id, applied=True), f"undone by {id}")


def _print_line(listed: Listed) -> None:
    one = listed.update
    more = f" and {len(one.targets) - 1} more" if len(one.targets) > 1 else ""
    can = f"  undone by {listed.undone_by}" if listed.undone_by else "  can be undone" if listed.can_be_undone else ""
    what = click.style(one.command, bold=True)
    click.echo(
        f"{one.id}  {harmless(shown_time(one.at))}  {what}  {harmless(f'{one.targets[0]}{more}: {one.reason}')}{can}"
    )


def _plain(listed: Listed) -> dict[str, object]:
    """Return an update as `--json` promises it (docs/json.md)."""
    one = listed.update
    told = {name: value for name, value in asdict(one).items() if name != "files"}
    acts = ["create" if not each.before else "edit" if each.after else "remove" for each in one.files]
    pairs = zip(one.files, acts, strict=True)
    touched = [{"path": each.path, "act": act, "kept": each.can_come_back} for each, act in pairs]
    return {**told, "files": touched, "can_be_undone": listed.can_be_undone, "undone_by": listed.undone_by}


def _plan(planned: Undo, id: str, *, applied: bool) -> dict[str, object]:
    changes = [{"path": one.path, "act": one.act, "diff": updates.diff((one,))} for one in planned.changes]
    aliases = [asdict(one) for one in planned.aliases]
    return {"undoes": list(planned.ids), "changes": changes, "aliases": aliases, "id": id, "applied": applied}
