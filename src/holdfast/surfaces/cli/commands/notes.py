"""What a project notes down: `holdfast todo`, `decide` and `lesson`. Each adds the text behind its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from holdfast.base.clock import now
from holdfast.base.terminal import style
from holdfast.base.text import count
from holdfast.continuity import decisions, todo
from holdfast.continuity.note_tables import Note
from holdfast.continuity.notes import NoteChange
from holdfast.continuity.todo import TodoChange
from holdfast.learning.lessons import lesson
from holdfast.learning.lessons.model import Lesson, weight
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.commands.remember import say_condition
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import confirm_steps, emit_json, print_each, report_applied, say_empty, text_of
from holdfast.surfaces.cli.tables import flowing
from holdfast.workspace import Workspace

_TODO = 'holdfast todo "Write the docs"'
_DECIDE = 'holdfast decide "Use Postgres" --because "we need row locks"'
_LESSON = 'holdfast lesson "Run the migration first" --because "the deploy broke without it"'
_names = click.argument("names", metavar="N|ID|TEXT...", nargs=-1, required=True)
_ended = click.option("--all", "everything", is_flag=True, help="List those that no longer hold, too.")
# A lesson that somebody states is evidence, and says which session it comes from.
_PROFILE = {"profile": "The agent profile that it is for."}
_HERE: dict[str, Any] = {
    "sees": ("project", "session", "profile"),
    "means": {"session": "The session that it comes from.", **_PROFILE},
}


@group("todo", _TODO, adds=True, sees=PROJECT)
@click.option("--all", "everything", is_flag=True, help="List those that are done, too.")
def _todos(workspace: Workspace, everything: bool) -> None:
    """Add a to-do, or list the open ones: every check box of the project's todo.md, with its number and its id."""
    found = todo.show(workspace, everything=everything)
    if emit_json({"todos": found, "path": todo.path(workspace)}):
        return
    under, several = "", len({one.under for one in found}) > 1
    for one in found:
        if several and one.under != under:
            click.echo(style(one.under, "dim"))
        under = one.under
        box = f"[x] {one.text}" + (f"  {one.at}" if one.at else "") if one.done else one.text
        click.echo(f"{one.number:>3}  {style(one.id, 'dim')}  {box}")
    if not found:
        say_empty(workspace, f"nothing to do; add something: {_TODO}")


@_todos.sub("add", 'holdfast todo add "Write the docs"', sees=PROJECT)
@options.text("text")
def _add_todo(workspace: Workspace, text: tuple[str, ...]) -> None:
    """Add a to-do at the end of todo.md. Without TEXT, or with `-`, it is read from standard input."""
    _print_changed(todo.add(workspace, text_of(text, _TODO)))


@_todos.sub("done", "holdfast todo done 3 5", sees=PROJECT)
@_names
def _done(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Tick to-dos in place, with the date. Each is named by its number or id, or one by some of its words."""
    _print_changed(todo.done(workspace, names))


@_todos.sub("reopen", "holdfast todo reopen 3", sees=PROJECT)
@_names
def _reopen(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Open to-dos again that were done; name them as for `done`."""
    _print_changed(todo.reopen(workspace, names))


@_todos.sub("remove", "holdfast todo remove 3 --yes", sees=PROJECT)
@_names
@options.consent
def _remove(workspace: Workspace, names: tuple[str, ...]) -> None:
    """Take the lines of to-dos out of the page for good."""
    wanted, steps = todo.plan_remove(workspace, names)
    if confirm_steps(steps, "nothing to remove"):
        todo.remove(workspace, wanted)
        report_applied(steps, f"removed: {', '.join(one.id for one in wanted)}")


def _print_changed(changed: TodoChange) -> None:
    if not emit_json(changed):
        for one in changed.todos:
            click.echo(f"{changed.action}  {one.id}  {one.text}")


@group("decide", _DECIDE, adds=True, sees=PROJECT)
@_ended
def _decisions(workspace: Workspace, everything: bool) -> None:
    """Record a decision, or list those that hold: memories of the type decision, shown in the project's decisions.md.

    A new one takes --because WHY and --replaces ID.
    """
    found = decisions.listed(workspace, everything=everything)
    if emit_json({"decisions": found, "path": decisions.path(workspace)}):
        return
    print_each(workspace, found, _print_note, f"no decision is written down; add one: {_DECIDE}")


@_decisions.sub("add", 'holdfast decide add "Use Postgres" --because "we need row locks"', sees=PROJECT)
@options.text("text")
@click.option("--because", "--why", "--reason", default="", metavar="WHY", help="The reason.")
@click.option("--replaces", default="", metavar="ID", help="The decision that this one puts an end to.")
def _decide(workspace: Workspace, text: tuple[str, ...], because: str, replaces: str) -> None:
    """Add a decision. Without TEXT, or with `-`, it is read from standard input."""
    written = decisions.add(workspace, text_of(text, _DECIDE), because=because, replaces=replaces)
    _print_written(workspace, written, "decision")


@_decisions.sub("withdraw", "holdfast decide withdraw D3", sees=PROJECT)
@options.id
def _withdraw_decision(workspace: Workspace, name: str) -> None:
    """Strike a decision through, with the date. It stays, and no agent is given it any more."""
    _print_written(workspace, decisions.withdraw(workspace, name), "decision")


@group("lesson", _LESSON, adds=True, sees=("project", "profile"), means=_PROFILE)
@_ended
def _lessons(workspace: Workspace, everything: bool) -> None:
    """Write a lesson down, or list those that hold here, memories of the type lesson, and those that wait for you."""
    found, learned = lesson.lessons(workspace, everything=everything), lesson.learned(workspace, everything=everything)
    plain = [_lesson_json(one) for one in learned]
    if emit_json({"lessons": found, "path": lesson.path(workspace), "learned": plain}):
        return
    evidence = {one.key: one for one in learned if one.status in ("standing", "warning")}
    for note in found:
        _print_note(note)
        if note.key in evidence or note.scope not in ("", "project"):
            where = {"agent": f"for {workspace.profile}", "global": "everywhere"}.get(note.scope, "")
            came = _came_up(evidence[note.key]) if note.key in evidence else ""
            click.echo(f"    {', '.join(filter(None, (came, where)))}")
    for one in learned:
        if one.id not in {each.id for each in evidence.values()}:
            _print_lesson(one)
    if not found and not learned:
        say_empty(workspace, f"no lesson is written down; add one: {_LESSON}")


@_lessons.sub("add", 'holdfast lesson add "Run the migration first" --because "the deploy broke without it"', **_HERE)
@options.text("text")
@click.option("--because", "--why", "--reason", default="", metavar="WHAT", help="What went wrong.")
@click.option("--replaces", default="", metavar="ID", help="The lesson that this one puts an end to.")
@click.option("--source", default="", metavar="TEXT", help="Where it comes from: a session, an incident, a person.")
def _learn(workspace: Workspace, /, text: tuple[str, ...], **about: str) -> None:
    """Add a lesson of the project, or with --profile of that profile. Without TEXT, or with `-`, it is read from
    standard input.
    """
    scope = "agent" if invocation().where.get("profile") else "project"
    _print_written(workspace, lesson.learn(workspace, text_of(text, _LESSON), scope=scope, **about), "lesson")


@_lessons.sub("withdraw", "holdfast lesson withdraw L2", sees=("project", "profile"), means=_PROFILE)
@options.id
def _withdraw_lesson(workspace: Workspace, name: str) -> None:
    """Strike a lesson through, with the date. It stays, no agent is given it, and it does not come back by itself."""
    _print_written(workspace, lesson.withdraw(workspace, name), "lesson")


@_lessons.sub("show", "holdfast lesson show 1a2b")
@options.id
def _show_lesson(workspace: Workspace, name: str) -> None:
    """Show a learned lesson with everything that speaks for it."""
    found = lesson.show(workspace, name)
    if emit_json(_lesson_json(found)):
        return
    _print_lesson(found)
    click.echo(f"    {found.path}")
    for one in found.evidence:
        who = f"{one.agent}/{one.session}"
        click.echo(f"    {one.at[:19]}  {one.kind}  {who}: {one.quote}")
        if one.before:
            click.echo(f"        before: {one.before}")


def _marks(word: str, about: str) -> Callable[[Workspace, str], None]:
    def mark(workspace: Workspace, name: str) -> None:
        found = lesson.rate(workspace, name, word)
        if not emit_json(_lesson_json(found)):
            _print_lesson(found)

    mark.__doc__ = about
    return mark


for _word, _about in {
    "helpful": "Say that a learned lesson helped: it rises.",
    "harmful": "Say that a learned lesson did harm, which weighs four times as much as help. Where harm outweighs "
    "help, it becomes a warning.",
}.items():
    _lessons.sub(_word, f"holdfast lesson {_word} 1a2b")(options.id(_marks(_word, _about)))


def _print_lesson(one: Lesson) -> None:
    """Print what there is evidence for: id, status, what it says, and how often it came up and was marked."""
    where = "" if one.project or not one.id else ", everywhere"
    name = one.id or one.key
    click.echo(flowing(f"{name}  {one.status}  {one.statement}", lead=name))
    click.echo(flowing(f"    {_came_up(one)}{where}"))


def _came_up(one: Lesson) -> str:
    marks = "".join(f", {len(given)} {word}" for word in ("helpful", "harmful") if (given := getattr(one, word)))
    return f"{one.category}, came up {count(len(one.evidence), 'time')} in {count(one.sessions, 'session')}{marks}"


def _lesson_json(one: Lesson) -> dict[str, object]:
    """Return a learned lesson as `--json` promises it (docs/json.md)."""
    return {**asdict(one), "sessions": one.sessions, "weight": round(weight(one, now()), 3)}


def _print_written(workspace: Workspace, written: NoteChange, what: str) -> None:
    """Print what became of a decision or lesson, and at which calls a new one is told."""
    plain = asdict(written)
    if not emit_json({**plain, what: plain.pop("note")}):
        click.echo(f"{written.action}  ", nl=False)
        _print_note(written.note)
        if written.action == "added" and written.note.key:
            say_condition(workspace, workspace.locate(written.note.key))


def _print_note(note: Note) -> None:
    """Print a decision or lesson: id, date and what it says, and below it the reason."""
    ended = f"replaced by {note.replaced_by} " if note.replaced_by else "withdrawn " if note.done else ""
    over = f"  ({ended}{note.ended}".rstrip() + ")" if note.done else ""
    name = note.id or "-"
    click.echo(flowing(f"{name}  {note.at}  {note.text}{over}", lead=name))
    if note.because:
        click.echo(flowing(f"    {note.because}"))
