"""`holdfast decide`."""

from __future__ import annotations

import click

from holdfast.actions import decide
from holdfast.actions.house import House
from holdfast.surfaces.cli.adding import AddsText, print_notes, print_written, text_of
from holdfast.surfaces.cli.shared import group, json_option, subcommand, why_empty, with_house

_EXAMPLE = 'holdfast decide "Use Postgres" --because "we need row locks"'


@group("decide", _EXAMPLE, AddsText)
@click.option("--all", "everything", is_flag=True, help="List those that hold no longer too.")
@json_option
@with_house
def _list(house: House, everything: bool, as_json: bool) -> None:
    """Write a decision into the table of the project's decisions.md, or list those that hold."""
    nothing = why_empty(house, f"no decision is written down; add one: {_EXAMPLE}")
    found = decide.decisions(house, everything=everything)
    print_notes(found, "decisions", decide.path(house), nothing, as_json=as_json)


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
@with_house
def _add(house: House, text: tuple[str, ...], because: str, replaces: str, as_json: bool) -> None:
    print_written(
        decide.decide(house, text_of(text, _EXAMPLE), because=because, replaces=replaces), "decision", as_json=as_json
    )


@subcommand(_list, "withdraw", "holdfast decide withdraw D3", "Strike a decision through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_house
def _withdraw(house: House, name: str, as_json: bool) -> None:
    print_written(decide.withdraw(house, name), "decision", as_json=as_json)


command = _list
