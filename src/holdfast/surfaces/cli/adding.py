"""Groups of commands that add what is typed behind their name: `holdfast todo "Write the docs"`."""

from __future__ import annotations

import difflib
import sys
from typing import TYPE_CHECKING

import click

from holdfast.errors import BadInput
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.continuity.pages_tables import Note
    from holdfast.continuity.project_pages import Written

ADD = "add"
LIST = "list"
_LONGEST_NAME = 6


class AddsText(click.Group):
    """A group whose first word, where it names no command of the group, begins a text for `add`.

    The word `list` alone stands for the group without a command, which lists.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        lists = args[:1] == [LIST] and all(word.startswith("-") for word in args[1:])
        return super().parse_args(ctx, args[1:] if lists else args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args or args[0] in self.commands:
            return super().resolve_command(ctx, args)
        near = difflib.get_close_matches(args[0], self.commands, n=1, cutoff=0.7)
        if near and args[1:] and all(map(_is_name, args[1:])):
            # `dnoe 3` is no text that somebody wants to keep.
            raise click.UsageError(
                f"No such command {args[0]!r}. Did you mean {near[0]}? `add` adds it as a text.", ctx
            )
        return ADD, self.commands[ADD], args


def _is_name(word: str) -> bool:
    """Whether the word looks like the number or the id of an entry."""
    return word.isdecimal() or (len(word) <= _LONGEST_NAME and word[1:].isalnum() and any(map(str.isdecimal, word)))


def text_of(words: tuple[str, ...], example: str) -> str:
    """Return the text that was typed, or that of standard input where there is none, or only `-`."""
    if words and words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty():
        raise BadInput("there is no text to write down", f"Example: {example}")
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


def print_notes(notes: Sequence[Note], what: str, path: str, nothing: str, *, as_json: bool) -> None:
    """Print decisions or lessons; `what` they are called in JSON, and `nothing` is said where there is none."""
    if as_json:
        print_json({what: [asdict(note) for note in notes], "path": path})
        return
    for note in notes:
        print_note(note)
    if not notes:
        say(nothing)


def print_written(written: Written, what: str, *, as_json: bool) -> None:
    """Print what became of a decision or lesson."""
    if as_json:
        plain = asdict(written)
        print_json({**plain, what: plain.pop("note")})
        return
    click.echo(f"{written.action}  ", nl=False)
    print_note(written.note)


def print_note(note: Note) -> None:
    """Print a decision or lesson: id, date and what it says, and below it the reason."""
    ended = f"replaced by {note.replaced_by} " if note.replaced_by else "withdrawn " if note.done else ""
    over = f"  ({ended}{note.ended}".rstrip() + ")" if note.done else ""
    name = click.style(harmless(note.id or "-"), bold=True)
    click.echo(f"{name}  {harmless(note.at)}  {harmless(note.text)}{harmless(over)}")
    if note.because:
        click.echo(f"    {harmless(note.because)}")
