"""`holdfast todo`."""

from __future__ import annotations

import click

from holdfast.continuity import todo
from holdfast.continuity.pages_boxes import Todo
from holdfast.continuity.todo import Changed
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.adding import AddsText, text_of
from holdfast.surfaces.cli.shared import (
    applied,
    consent_options,
    consented,
    group,
    json_option,
    print_json,
    say_empty,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

_EXAMPLE = 'holdfast todo "Write the docs"'


@group("todo", _EXAMPLE, AddsText)
@click.option("--all", "everything", is_flag=True, help="List those that are done too.")
@json_option
@with_workspace
def _list(workspace: Workspace, everything: bool, as_json: bool) -> None:
    """Add a to-do, or list the open ones: every check box of the project's todo.md, with its number and its id."""
    found = todo.show(workspace, everything=everything)
    if as_json:
        print_json({"todos": [asdict(one) for one in found], "path": todo.path(workspace)})
        return
    _print_all(found)
    if not found:
        say_empty(workspace, f"nothing to do; add something: {_EXAMPLE}")


@subcommand(
    _list,
    "add",
    'holdfast todo add "Write the docs"',
    "Add a to-do at the end of todo.md. Without TEXT, or with `-`, it is read from standard input.",
)
@click.argument("text", nargs=-1)
@json_option
@with_workspace
def _add(workspace: Workspace, text: tuple[str, ...], as_json: bool) -> None:
    _tell(todo.add(workspace, text_of(text, _EXAMPLE)), as_json)


@subcommand(
    _list,
    "done",
    "holdfast todo done 3 5",
    "Tick to-dos in place, with the date. Each is named by its number or id, or one by some of its words.",
)
@click.argument("names", metavar="N|ID|TEXT...", nargs=-1, required=True)
@json_option
@with_workspace
def _done(workspace: Workspace, names: tuple[str, ...], as_json: bool) -> None:
    _tell(todo.done(workspace, names), as_json)


@subcommand(_list, "reopen", "holdfast todo reopen 3", "Open to-dos again that were done, named as for `done`.")
@click.argument("names", metavar="N|ID|TEXT...", nargs=-1, required=True)
@json_option
@with_workspace
def _reopen(workspace: Workspace, names: tuple[str, ...], as_json: bool) -> None:
    _tell(todo.reopen(workspace, names), as_json)


@subcommand(_list, "remove", "holdfast todo remove 3 --yes", "Take the lines of to-dos out of the page for good.")
@click.argument("names", metavar="N|ID|TEXT...", nargs=-1, required=True)
@consent_options
@json_option
@with_workspace
def _remove(workspace: Workspace, names: tuple[str, ...], dry_run: bool, yes: bool, as_json: bool) -> None:
    wanted, steps = todo.plan_remove(workspace, names)
    if consented(steps, dry_run=dry_run, yes=yes, as_json=as_json, nothing="nothing to remove"):
        todo.remove(workspace, wanted)
        applied(steps, as_json, f"removed: {', '.join(one.id for one in wanted)}")


def _tell(changed: Changed, as_json: bool) -> None:
    if as_json:
        plain = asdict(changed)
        print_json({**plain, "redacted": list(changed.redacted)})
        return
    for one in changed.todos:
        click.echo(f"{changed.action}  {one.id}  {harmless(one.text)}")


def _print_all(found: tuple[Todo, ...]) -> None:
    """Print each, under the headings of the page where there are several."""
    named = len({one.under for one in found}) > 1
    under = ""
    for one in found:
        if named and one.under != under:
            click.echo(click.style(harmless(one.under), dim=True))
        under = one.under
        _print(one)


def _print(one: Todo) -> None:
    box = f"[x] {harmless(one.text)}" + (f"  {one.at}" if one.at else "") if one.done else harmless(one.text)
    click.echo(f"{one.number:>3}  {click.style(one.id, dim=True)}  {box}")


command = _list
