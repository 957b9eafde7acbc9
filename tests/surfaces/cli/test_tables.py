"""Tables as a person sees them, on a real terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from support.archived import said, session, store


def seen(home, columns: int, *words: str) -> list[str]:
    """Return the lines that a command shows on a terminal of that width, without colours."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "HOLDFAST_HOME": str(home), "COLUMNS": str(columns), "TERM": "xterm"}
    command = [sys.executable, "-m", "holdfast", *words]
    ended = subprocess.run(command, env=environment, stdout=theirs, stderr=subprocess.DEVNULL, check=False)
    os.close(theirs)
    assert ended.returncode == 0
    data = b""
    try:
        while piece := os.read(ours, 65_536):
            data += piece
    except OSError:
        # The other end is closed and everything was read.
        pass
    finally:
        os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", data.decode()).replace("\r", "").splitlines()


@pytest.mark.parametrize("columns", [80, 120])
def test_a_table_fits_the_terminal(workspace, shop, home, columns) -> None:
    """Every line fits, the heads stand above the columns, a long title is cut, and stored text cannot add markup."""
    with workspace() as h:
        title = "[bold]A very long title[/bold] \x1b[31m " + "and on " * 12
        store(h, session("61d299fc-d26a-498a-b04f-cc8059ceb9a2", shop, title=title), said("human", "Hello."))
    head, line = seen(home, columns, "sessions")
    assert head.split() == ["session", "ended", "agent", "outcome", "files", "cost", "title"]
    assert line.startswith("61d299fc  2026-05-04 11:00  some-agent") and "[bold]A very" in line and "\x1b" not in line
    assert len(head) <= columns and len(line) <= columns


def test_a_narrow_terminal_shows_rows_as_paragraphs(workspace, shop, home) -> None:
    """Where a table has no room every cell is still there, each with its head, and no line is too long."""
    with workspace() as h:
        store(h, session("61d299fc", shop, title="A title of several words that goes on"), said("human", "Hello."))
    first, *rest = seen(home, 40, "sessions")
    assert first == "61d299fc" and all(line.startswith("  ") and len(line) <= 40 for line in rest)
    told = " ".join(" ".join(rest).split())
    assert "ended 2026-05-04 11:00" in told and "title A title of several words that goes on" in told
