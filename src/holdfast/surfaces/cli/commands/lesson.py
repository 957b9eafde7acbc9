"""`holdfast lesson`."""

from __future__ import annotations

import click

from holdfast.actions import lesson
from holdfast.actions.house import House
from holdfast.surfaces.cli.adding import AddsText, print_notes, print_written, text_of
from holdfast.surfaces.cli.shared import json_option, subcommand, why_empty, with_house

_EXAMPLE = 'holdfast lesson "Run the migration first" --because "the deploy broke without it"'


@click.group(
    "lesson",
    cls=AddsText,
    invoke_without_command=True,
    short_help="Write down a lesson of this project, and what went wrong.",
    help=f"Example: {_EXAMPLE}\n\nWrite a lesson into the table of the project's lessons.md, or list those that hold.",
)
@click.option("--all", "everything", is_flag=True, help="List those that hold no longer too.")
@json_option
@with_house
def _list(house: House, everything: bool, as_json: bool) -> None:
    if click.get_current_context().invoked_subcommand is not None:
        return
    nothing = why_empty(house, f"no lesson is written down; add one: {_EXAMPLE}")
    found = lesson.lessons(house, everything=everything)
    print_notes(found, "lessons", lesson.path(house), nothing, as_json=as_json)


@subcommand(
    _list,
    "add",
    'holdfast lesson add "Run the migration first" --because "the deploy broke without it"',
    "Add a lesson. Without TEXT, or with `-`, it is read from standard input.",
)
@click.argument("text", nargs=-1)
@click.option("--because", default="", metavar="WHAT", help="What went wrong.")
@click.option("--replaces", default="", metavar="ID", help="The lesson that this one puts an end to.")
@click.option("--source", default="", metavar="TEXT", help="Where it comes from: a session, an incident, a person.")
@json_option
@with_house
def _add(house: House, text: tuple[str, ...], because: str, replaces: str, source: str, as_json: bool) -> None:
    said = text_of(text, _EXAMPLE)
    print_written(
        lesson.learn(house, said, because=because, source=source, replaces=replaces), "lesson", as_json=as_json
    )


@subcommand(_list, "withdraw", "holdfast lesson withdraw L2", "Strike a lesson through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_house
def _withdraw(house: House, name: str, as_json: bool) -> None:
    print_written(lesson.withdraw(house, name), "lesson", as_json=as_json)


command = _list
