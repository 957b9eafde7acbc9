"""Tables as a person sees them, on a real terminal."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from itertools import product

import pytest
from rich.cells import cell_len

from holdfast.inject.receipts import event_of
from holdfast.records import Given, Receipt, Scope
from support.archived import edited, said, session, store
from support.command_line import program
from support.places import SHOP


def seen(home, columns: int, *words: str) -> list[str]:
    """Return the lines that a command shows on a terminal of that width, without colours."""
    environment = {**os.environ, "HOLDFAST_HOME": str(home), "TERM": "xterm"}
    environment.pop("COLUMNS", None)
    ended = program(*words, environment=environment, folder=os.getcwd(), columns=columns, hears=False)
    assert ended.code == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", ended.out).splitlines()


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


LONG = "The bastion host is the only way in. " * 20


@pytest.fixture
def known(workspace, shop, cli):
    """Memories of the project and global, one of them long, and a session that was given some of them."""
    cli("remember", LONG, "--key", "a-key-that-is-rather-long-because-somebody-wrote-a-sentence", "--tag", "deploy")
    cli("remember", "Deploys need the VPN.", "--key", "vpn", "--pin")
    cli("remember", "Deploys need the bastion.", "--key", "bastion", "--supersedes", "vpn")
    cli("remember", "Answer in British English.", "--key", "english", "--scope", "global")
    scope, why = Scope("project", SHOP), "updated 2 days ago, said by: user"
    given = tuple(Given(scope, key, "", why, 20) for key in ("vpn", "bastion"))
    left_out = tuple((f"project:{SHOP}/no-room-for-number-{number}", "no room") for number in range(9))
    with workspace() as h:
        store(h, session("61d299fc-d26a", shop, title="A title " * 20), said("human", "Hello."), edited("a.py", shop))
        start = Receipt("2026-05-04T11:00:00Z", "codex", "61d299fc-d26a", "start", given, left_out, tokens=40)
        h.journal.append(event_of(start))


@pytest.fixture
def noted(known, cli):
    """Besides, a decision, a piece of work, a rating and an update, each with more words than fit a line."""
    cli("decide", LONG, "--because", "the old way in was closed, and nobody could say who had used it last")
    cli("work", "add", "Move every upload of the shop to the new bucket without breaking a link")
    cli("rate", "8", "clean and quick, and the tests were written before the code that they are about")
    cli("move", "english", "--key", "answer-in-english")


def too_long(home, widths: tuple[int, ...], commands: tuple[str, ...], whole: Callable[[str, str], bool]) -> list:
    """Return what commands show beyond a width, but for lines that stay whole; also one that shows nothing."""
    found = []
    for words, columns in product(commands, widths):
        lines = [line for line in seen(home, columns, *words.split()) if not whole(words, line)]
        found += [(words, columns, line) for line in lines or ["x" * 999] if len(line) > columns]
    return found


def test_every_line_fits(known, home) -> None:
    """Whatever the width, the terminal breaks nothing but the parts of a score, and a key that recall keeps whole."""

    def whole(words: str, line: str) -> bool:
        return words.startswith("recall") and (" = " in line or "a-key-that-is-rather" in line)

    commands = ("list", "recall bastion --explain", "receipts", "timeline", "sessions", "activity")
    assert too_long(home, (40, 72, 100, 160), commands, whole) == []


def test_lines_of_text_are_wrapped(noted, home) -> None:
    """Whatever else is listed is wrapped between words; the home and a command to copy stay whole."""

    def whole(words: str, line: str) -> bool:
        return line.startswith(("  holdfast sessions show", "home  "))

    commands = ("rate", "decide", "work", "updates", "config", "status", "catch-up", "sessions search hello")
    assert too_long(home, (40, 100), commands, whole) == []


def test_wide_letters_count_for_two_columns(cli, shop, home) -> None:
    """Text without spaces in wide letters is wrapped by what a terminal shows of it, and columns stay aligned."""
    cli("remember", "部署需要VPN。请向金女士申请访问权限。数据库在东京。" * 3, "--key", "wide")
    cli("remember", "Deploys need the VPN.", "--key", "vpn")
    lines = [line for words in (["recall", "VPN"], ["list"]) for line in seen(home, 60, *words)]
    assert [line for line in lines if cell_len(line) > 60] == []
    assert any("部署需要VPN" in line for line in lines)


def test_a_list_names_each_scope_once(known, home) -> None:
    """Memories stand in columns under their scope; what is pinned or replaced says so first."""
    lines = seen(home, 100, "list")
    assert [line for line in lines if "example.com" in line] == [f"project {SHOP}"] and "global" in lines
    rows = {line.split()[0]: line for line in lines if "  20" in line}
    assert len({row.index("  20") for row in rows.values()}) == 1 and len(rows) == 4
    assert "pinned · replaced by bastion · Deploys need the" in rows["vpn"]


def test_hits_are_wrapped_and_cut_with_a_way_to_see_the_rest(known, home) -> None:
    """Score and key stand first; of a long text six lines are shown, and how to see the others."""
    lines = seen(home, 80, "recall", "bastion")
    assert not any("example.com" in line for line in lines)
    (rest,) = [line for line in lines if "more line" in line]
    assert rest.strip().startswith("… 4 more lines: holdfast show a-key-that-is-rather-long")
    assert re.match(r"0\.\d\d  ", lines[0])


def test_a_receipt_names_no_scope_and_sums_up_what_was_left_out(known, home) -> None:
    """What was given stands in columns, what was left out in one paragraph for each reason."""
    lines = seen(home, 100, "receipts", "--utc")
    assert lines[0] == "2026-05-04 11:00  codex  start  61d299fc-d26a"
    assert not any("example.com" in line for line in lines)
    assert lines[1].split()[:2] == ["20", "vpn"] and lines[1].index("updated") == lines[2].index("updated")
    assert len([line for line in lines if "left out (no room): no-room-for-number-0," in line]) == 1


def test_where_the_output_is_not_a_terminal_lines_are_stable(known, cli) -> None:
    """A pipe gets whole scopes and whole titles, a line for each thing."""
    assert f"vpn  project:{SHOP}  20" in cli("list").out and "(replaced by bastion)" in cli("list").out
    assert re.search(rf"^bastion  project:{SHOP}  [\d-]+  0\.\d\d$", cli("recall", "bastion").out, re.MULTILINE)
    out = cli("receipts").out.splitlines()
    assert out[0] == "61d299fc-d26a  codex  start  2026-05-04T11:00:00Z  about 40 tokens"
    assert out[1] == f"  project:{SHOP}/vpn  20 tokens  updated 2 days ago, said by: user"
    assert "  11:00  unknown    some-agent  A title A title" in cli("timeline", "--utc").out


@pytest.mark.parametrize("words", ["sessions", "timeline", "activity", "sessions search hello"])
def test_times_are_local_and_utc_on_request(known, cli, monkeypatch, words) -> None:
    """People read their own time, also where that is another day; JSON stays UTC."""
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    time.tzset()
    try:
        here, utc, json = (cli(*words.split(), *more) for more in ((), ("--utc",), ("--json",)))
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()
    shown, day = ("22:00", "2026-05-04") if "search" in words else ("23:00", "2026-05-04")
    assert shown in here.out and day in here.out
    assert shown not in utc.out and shown not in json.out and "2026-05-04T1" in json.out


def test_numbers_in_the_last_column_stand_by_their_row(workspace, shop, home) -> None:
    """A last column that is set to the right is as wide as it needs to be, however wide the terminal is."""
    with workspace() as h:
        store(h, session("61d299fc", shop, title="A title"), said("human", "Hello."))
    head = seen(home, 200, "sessions", "cost")[0]
    assert head.endswith("dollars") and len(head) < 120
