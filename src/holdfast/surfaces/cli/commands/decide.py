"""`holdfast decide`."""

from __future__ import annotations

import click

from holdfast.continuity import decide
from holdfast.surfaces.cli.adding import AddsText, print_notes, print_written, text_of
from holdfast.surfaces.cli.shared import group, json_option, subcommand, why_empty, with_workspace
from holdfast.workspace import Workspace

_EXAMPLE = 'holdfast decide "Use Postgres" --because "we need row locks"'


@group("decide", _EXAMPLE, AddsText)
@click.option("--all", "everything", is_flag=True, help="List those that hold no longer too.")
@json_option
@with_workspace
def _list(workspace: Workspace, everything: bool, as_json: bool) -> None:
    """Write a decision into the table of the project's decisions.md, or list those that hold."""
    nothing = why_empty(workspace, f"no decision is written down; add one: {_EXAMPLE}")
    found = decide.decisions(workspace, everything=everything)
    print_notes(found, "decisions", decide.path(workspace), nothing, as_json=as_json)


@subcommand(
    _list,
    "add",
    'holdfast decide add "Use Postgres" --because "we need row locks"',
    "Add a decision. Without TEXT, or with `-`, it is read from standard input.",
)
@click.argument("text", nargs=-1)
@click.option("--because", default="", metavar="WHY", help="The reason.")
@click.option("--replaces", default="", metavar="ID", help="The decision that this one puts an end to.")
@json_option
@with_workspace
def _add(workspace: Workspace, text: tuple[str, ...], because: str, replaces: str, as_json: bool) -> None:
    print_written(
        decide.decide(workspace, text_of(text, _EXAMPLE), because=because, replaces=replaces),
        "decision",
        as_json=as_json,
    )


@subcommand(_list, "withdraw", "holdfast decide withdraw D3", "Strike a decision through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _withdraw(workspace: Workspace, name: str, as_json: bool) -> None:
    print_written(decide.withdraw(workspace, name), "decision", as_json=as_json)


command = _list
