"""`holdfast lesson`."""

from __future__ import annotations

import click

from holdfast.learning.lessons import lesson
from holdfast.learning.lessons.model import Lesson, weight
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.adding import AddsText, print_notes, print_written, text_of
from holdfast.surfaces.cli.shared import group, json_option, print_json, subcommand, why_empty, with_workspace
from holdfast.workspace import Workspace, now

_EXAMPLE = 'holdfast lesson "Run the migration first" --because "the deploy broke without it"'


@group("lesson", _EXAMPLE, AddsText)
@click.option("--all", "everything", is_flag=True, help="List those that hold no longer too.")
@json_option
@with_workspace
def _list(workspace: Workspace, everything: bool, as_json: bool) -> None:
    """Write a lesson into the table of the project's lessons.md, or list those that hold, and those that were learned
    from sessions.
    """
    found, learned = lesson.lessons(workspace, everything=everything), lesson.learned(workspace, everything=everything)
    if as_json:
        notes = [asdict(note) for note in found]
        print_json({"lessons": notes, "path": lesson.path(workspace), "learned": [lesson_json(one) for one in learned]})
        return
    nothing = "" if learned else why_empty(workspace, f"no lesson is written down; add one: {_EXAMPLE}")
    if found or nothing:
        print_notes(found, "lessons", lesson.path(workspace), nothing, as_json=False)
    for one in learned:
        _print_learned(one)


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
@with_workspace
def _add(workspace: Workspace, text: tuple[str, ...], because: str, replaces: str, source: str, as_json: bool) -> None:
    said = text_of(text, _EXAMPLE)
    print_written(
        lesson.learn(workspace, said, because=because, source=source, replaces=replaces), "lesson", as_json=as_json
    )


@subcommand(_list, "withdraw", "holdfast lesson withdraw L2", "Strike a lesson through, with the date. It stays.")
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _withdraw(workspace: Workspace, name: str, as_json: bool) -> None:
    print_written(lesson.withdraw(workspace, name), "lesson", as_json=as_json)


@subcommand(_list, "show", "holdfast lesson show 1a2b", "Show a learned lesson with everything that speaks for it.")
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _show(workspace: Workspace, name: str, as_json: bool) -> None:
    found = lesson.show(workspace, name)
    if as_json:
        print_json(lesson_json(found))
        return
    _print_learned(found)
    click.echo(f"    {found.path}")
    for one in found.evidence:
        click.echo(
            f"    {one.at[:19]}  {one.kind}  {harmless(one.agent)}/{harmless(one.session)}: {harmless(one.quote)}"
        )
        if one.before:
            click.echo(f"        before: {harmless(one.before)}")


@subcommand(_list, "helpful", "holdfast lesson helpful 1a2b", "Say that a learned lesson helped: it rises.")
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _helpful(workspace: Workspace, name: str, as_json: bool) -> None:
    _print_marked(lesson.rate(workspace, name, "helpful"), as_json)


@subcommand(
    _list,
    "harmful",
    "holdfast lesson harmful 1a2b",
    "Say that a learned lesson did harm, which weighs four times. Where harm outweighs, it becomes a warning.",
)
@click.argument("name", metavar="ID")
@json_option
@with_workspace
def _harmful(workspace: Workspace, name: str, as_json: bool) -> None:
    _print_marked(lesson.rate(workspace, name, "harmful"), as_json)


def _print_marked(found: Lesson, as_json: bool) -> None:
    print_json(lesson_json(found)) if as_json else _print_learned(found)


def _print_learned(one: Lesson) -> None:
    """Print a learned lesson: id, status, what it says, and how often it came up and was marked."""
    name = click.style(harmless(one.id), bold=True)
    marks = "".join(f", {len(given)} {word}" for word in ("helpful", "harmful") if (given := getattr(one, word)))
    where = "" if one.project else ", everywhere"
    click.echo(f"{name}  {one.status}  {harmless(one.statement)}")
    click.echo(f"    {one.category}, came up {len(one.evidence)} time(s) in {one.sessions} session(s){marks}{where}")


def lesson_json(one: Lesson) -> dict[str, object]:
    """Return a learned lesson as `--json` promises it (docs/json.md)."""
    return {**asdict(one), "sessions": one.sessions, "weight": round(weight(one, now()), 3)}


command = _list
