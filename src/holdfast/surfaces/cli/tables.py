"""Tables on a terminal by rich; where the output is no terminal, plain lines with tabs between the cells."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, Literal

import click

from holdfast.sessions.transcript import harmless

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_WIDEST, _NARROWEST = 40, 10


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()) -> None:
    """Print the rows; the last column gets what is left of the width. Stored text in a cell only shows itself.

    Where the terminal is too narrow for a table, each row is a paragraph.
    """
    if not rows:
        return
    cells = [[harmless(" ".join(cell.split())) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in cells:
            click.echo("\t".join(row))
        return
    # rich is only loaded where there is something to show: it would cost every other command its import.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    widths = [min(_WIDEST, max(len(head), *(len(row[at]) for row in cells))) for at, head in enumerate(heads[:-1])]
    if sum(widths) + 2 * len(widths) + _NARROWEST > console.width:
        for row in cells:
            click.echo(_paragraph(heads, row, console.width))
        return
    # Only the last column gives way where the terminal is narrow.
    widths.append(console.width - sum(widths) - 2 * len(widths))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head, width in zip(heads, widths, strict=True):
        justify: Literal["left", "right"] = "right" if head in right else "left"
        table.add_column(head, justify=justify, no_wrap=True, overflow="ellipsis", max_width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _paragraph(heads: Sequence[str], row: Sequence[str], width: int) -> str:
    """Return a row as its first cell and, indented, the others that say something, each with its head."""
    told = ", ".join(f"{head} {cell}" for head, cell in zip(heads[1:], row[1:], strict=True) if cell)
    indented = textwrap.wrap(told, max(width, 2 * _NARROWEST), initial_indent="  ", subsequent_indent="  ")
    return "\n".join([row[0], *indented])
