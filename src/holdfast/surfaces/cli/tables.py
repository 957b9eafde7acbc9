"""Tables and lines that fit a terminal; where the output is not a terminal, plain lines with tabs between the cells."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Sequence
from datetime import UTC, datetime

import click

from holdfast.base.terminal import harmless, style
from holdfast.surfaces.cli.command_line import invocation

_MAX_CELL, _MIN_CELL = 40, 10


def on_terminal() -> bool:
    """Whether somebody looks at the answer."""
    return sys.stdout.isatty()


def columns() -> int:
    """Return how many columns a line may have."""
    import shutil

    return max(2 * _MIN_CELL, shutil.get_terminal_size().columns)


def local_time(at: str) -> str:
    """Return a time as people read it, in local time unless UTC was asked for; what is not a time stays as it is."""
    shown = at[:16].replace("T", " ")
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return shown
    if len(at) <= len("2026-11-01") or invocation().utc:
        return shown
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def shown_time(at: str) -> str:
    """Return a time in local time on a terminal; elsewhere as it is stored, to the minute, in UTC."""
    return local_time(at) if on_terminal() else f"{at[:16]}Z" if len(at) >= len("2026-11-01T10:00") else at


def cut(text: str, width: int) -> str:
    """Return the text in one line of at most so many columns, with an ellipsis where it was cut."""
    from rich.cells import cell_len, set_cell_size

    text = harmless(text.replace("\n", " "))
    return text if cell_len(text) <= width else set_cell_size(text, max(0, width - 1)).rstrip() + "…"


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Return the text cut to a width and filled up to it with spaces."""
    from rich.cells import cell_len

    text = cut(text, width)
    space = " " * (width - cell_len(text))
    return space + text if right else text + space


def print_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[str] = (),
    under: Sequence[str] = (),
    cuts: str = "",
) -> None:
    """Print the rows; the last column gets what is left of the width. Stored text in a cell only shows itself.

    `under` has for each row the heading that it stands under; a terminal shows each heading once. `cuts` is a column
    that may be cut. Where the terminal is too narrow for a table, each row is a paragraph.
    """
    cells = [[harmless(" ".join(cell.split())) for cell in row] for row in rows]
    if not cells or not on_terminal():
        for row in cells:
            click.echo("\t".join(row))
        return
    from rich.cells import cell_len

    longest = [max(map(cell_len, column)) for column in zip(heads, *cells, strict=True)]
    widths = {head: min(_MAX_CELL, size) for head, size in zip(heads[:-1], longest, strict=False)}
    left = columns() - sum(widths.values()) - 2 * len(widths)
    if cuts and left < columns() // 2:
        less = min(columns() // 2 - left, max(0, widths[cuts] - columns() // 3))
        widths[cuts], left = widths[cuts] - less, left + less
    last = min(left, longest[-1]) if heads[-1] in right else left
    is_readable = not cuts or widths[cuts] >= min(2 * _MIN_CELL, longest[heads.index(cuts)])
    fits, sizes, above = left >= _MIN_CELL and is_readable, [*widths.values(), last], ""
    if fits:
        click.echo(_line(heads, heads, sizes, right))
    for at, row in enumerate(cells):
        if under and under[at] != above:
            click.echo(style(f"{above and chr(10)}{cut(under[at], columns())}", "dim"))
            above = under[at]
        if fits:
            click.echo(_line(heads, row, sizes, right))
        else:
            rest = ", ".join(f"{head} {cell}" for head, cell in zip(heads[1:], row[1:], strict=True) if cell)
            click.echo("\n".join([style(cut(row[0], columns()), "bold"), *indented(rest, "  ")]))


def _line(heads: Sequence[str], row: Sequence[str], widths: Sequence[int], right: Collection[str]) -> str:
    cells = zip(heads, row, widths, strict=True)
    first, *rest = (padded(cell, width, right=head in right) for head, cell, width in cells)
    return "  ".join([style(first, "bold"), *rest]).rstrip()


def indented(text: str, indent: str, first: str | None = None) -> list[str]:
    """Return a text in lines that fit the terminal, each behind the indent, the first one behind `first`.

    A key or a path stays whole where it fits a line.
    """
    from rich.cells import cell_len, chop_cells

    lines, line = [], indent if first is None else first
    for word in re.findall(r"\s*\S+", harmless(text)):
        if cell_len(line) + cell_len(word) <= columns():
            line += word
            continue
        lines += [line] if line.strip() else []
        *whole, rest = chop_cells(word.strip(), columns() - len(indent))
        lines += [f"{indent}{piece}" for piece in whole]
        line = f"{indent}{rest}"
    return [*lines, line]


def flowing(text: str, indent: str = "    ", lead: str = "") -> str:
    """Return a line of an answer: on a terminal wrapped, later lines behind the indent; elsewhere as it is.

    `lead` is the beginning of the text that stands out.
    """
    lines = indented(text.removeprefix(lead), indent, first=lead) if on_terminal() else [text]
    lines[0] = f"{style(lead, 'bold')}{lines[0].removeprefix(lead)}"
    return "\n".join(lines)
