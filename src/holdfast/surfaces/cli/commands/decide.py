"""`holdfast decide`."""

from __future__ import annotations

import click

from holdfast.actions import decide
from holdfast.actions.house import House
from holdfast.actions.project_pages import Written
from holdfast.records import asdict
from holdfast.surfaces.cli.adding import AddsText, print_note, text_of
from holdfast.surfaces.cli.shared import json_option, print_json, say, subcommand, why_empty, with_house

_EXAMPLE = 'holdfast decide "Use Postgres" --because "we need row locks"'


@click.group(
    "decide",
    cls=AddsText,
    invoke_without_command=True,
    short_help="Write down a decision of this project, with its reason.",
    help=f"Example: {_EXAMPLE}\n\nWrite a decision into the table of the project's decisions.md, or list those that "
    "hold.",
)
@click.option("--all", "everything", is_flag=True, help="List those that hold no longer too.")
@json_option
@with_house
def _list(house: House, everything: bool, as_json: bool) -> None:
    if click.get_current_context().invoked_subcommand is not None:
        return
    found = decide.decisions(house, everything=everything)
    if as_json:
        print_json({"decisions": [asdict(note) for note in found], "path": decide.path(house)})
        return
    for note in found:
        print_note(note)
    if not found:
        say(why_empty(house, f"no decision is written down; add one: {_EXAMPLE}"))


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
    _tell(decide.decide(house, text_of(text, _EXAMPLE), because=because, replaces=replaces), as_json)


@subcommand(_list, "withdraw", "holdfast decide withdraw D3", "Strike a decision through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_house
def _withdraw(house: House, name: str, as_json: bool) -> None:
    _tell(decide.withdraw(house, name), as_json)


def _tell(written: Written, as_json: bool) -> None:
    if as_json:
        plain = asdict(written)
        print_json({**plain, "decision": plain.pop("note")})
        return
    click.echo(f"{written.action}  ", nl=False)
    print_note(written.note)


command = _list
