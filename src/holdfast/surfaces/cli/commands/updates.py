"""`holdfast updates`."""

from __future__ import annotations

import click

from holdfast.app import updates
from holdfast.app.updates import Listed, Undo
from holdfast.journal.updates import Touched
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import (
    consent_options,
    group,
    json_option,
    person_agrees,
    print_json,
    say,
    say_empty,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

_SHOWN = 20


@group("updates", "holdfast updates --since 7d")
@click.option("--since", default="", metavar="TIME", help="Done since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--command", default="", metavar="NAME", help="Only by this command: prune, heal, project merge, ...")
@click.option("--limit", "-n", type=click.IntRange(1), default=_SHOWN, help=f"At most so many. Default: {_SHOWN}.")
@json_option
@with_workspace
def _list(workspace: Workspace, since: str, command: str, limit: int, as_json: bool) -> None:
    """List what Holdfast changed, moved or removed in this home and in the files of agents, newest first."""
    found = updates.updates(workspace, since=since, command=command, limit=limit)
    if as_json:
        print_json({"updates": [_plain(one) for one in found]})
        return
    for one in found:
        _print_line(one)
    if not found:
        say_empty(workspace, "nothing was changed by a command yet")


@subcommand(_list, "show", "holdfast updates show 1a2b3c4d", "Show one update as a diff. ID may be its beginning.")
@click.argument("id", metavar="ID")
@json_option
@with_workspace
def _show(workspace: Workspace, id: str, as_json: bool) -> None:
    listed, diff = updates.show(workspace, id)
    if as_json:
        print_json({**_plain(listed), "diff": diff})
        return
    _print_line(listed)
    for target in listed.update.targets:
        click.echo(f"  {harmless(target)}")
    click.echo(harmless(diff), nl=False)


@subcommand(
    _list,
    "undo",
    "holdfast updates undo 1a2b3c4d --dry-run",
    "Put back what an update changed, removed or moved. The plan is a diff. A file that changed since is refused, and "
    "then nothing changes. It is an update itself, so it can be undone.",
)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@consent_options
@json_option
@with_workspace
def _undo(workspace: Workspace, ids: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool) -> None:
    planned = updates.plan_undo(workspace, ids)
    if not as_json:
        click.echo(harmless(updates.diff(planned.changes)), nl=False)
        for alias in planned.aliases:
            click.echo(f"{alias.old}: {f'read in {alias.after} too' if alias.after else 'an id of its own again'}")
    if not _agreed(planned, dry_run=dry_run, yes=yes):
        print_json(_plan(planned, "", applied=False)) if as_json else say("nothing was changed")
        return
    done = updates.apply_undo(workspace, planned)
    id = done.id if done else ""
    print_json(_plan(planned, id, applied=True)) if as_json else click.echo(f"undone by {id}")


def _agreed(planned: Undo, *, dry_run: bool, yes: bool) -> bool:
    if dry_run or yes:
        return not dry_run
    return person_agrees(f"{len(planned.changes)} change(s) of files need your consent")


def _print_line(listed: Listed) -> None:
    one = listed.update
    more = f" and {len(one.targets) - 1} more" if len(one.targets) > 1 else ""
    can = f"  undone by {listed.undone_by}" if listed.undone_by else "  can be undone" if listed.can_be_undone else ""
    what = click.style(one.command, bold=True)
    click.echo(f"{one.id}  {harmless(one.at[:16])}  {what}  {harmless(f'{one.targets[0]}{more}: {one.reason}')}{can}")


def _plain(listed: Listed) -> dict[str, object]:
    """Return an update as `--json` promises it (docs/json.md)."""
    one = listed.update
    told = {name: value for name, value in asdict(one).items() if name != "files"}
    touched = [{"path": each.path, "act": _act(each), "kept": each.can_come_back} for each in one.files]
    return {**told, "files": touched, "can_be_undone": listed.can_be_undone, "undone_by": listed.undone_by}


def _act(one: Touched) -> str:
    return "create" if not one.before else "edit" if one.after else "remove"


def _plan(planned: Undo, id: str, *, applied: bool) -> dict[str, object]:
    changes = [{"path": one.path, "act": one.act, "diff": updates.diff((one,))} for one in planned.changes]
    aliases = [asdict(one) for one in planned.aliases]
    return {"undoes": list(planned.ids), "changes": changes, "aliases": aliases, "id": id, "applied": applied}


command = _list
