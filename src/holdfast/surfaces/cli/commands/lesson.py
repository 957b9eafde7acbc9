"""`holdfast lesson`."""

from __future__ import annotations

import click

from holdfast.actions import lesson
from holdfast.actions.house import House
from holdfast.actions.project_pages import Written
from holdfast.records import asdict
from holdfast.surfaces.cli.adding import AddsText, print_note, text_of
from holdfast.surfaces.cli.shared import json_option, print_json, say, subcommand, why_empty, with_house

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
    found = lesson.lessons(house, everything=everything)
    if as_json:
        print_json({"lessons": [asdict(note) for note in found], "path": lesson.path(house)})
        return
    for note in found:
        print_note(note)
    if not found:
        say(why_empty(house, f"no lesson is written down; add one: {_EXAMPLE}"))


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
    _tell(lesson.learn(house, said, because=because, source=source, replaces=replaces), as_json)


@subcommand(_list, "withdraw", "holdfast lesson withdraw L2", "Strike a lesson through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_house
def _withdraw(house: House, name: str, as_json: bool) -> None:
    _tell(lesson.withdraw(house, name), as_json)


def _tell(written: Written, as_json: bool) -> None:
    if as_json:
        plain = asdict(written)
        print_json({**plain, "lesson": plain.pop("note")})
        return
    click.echo(f"{written.action}  ", nl=False)
    print_note(written.note)


command = _list
