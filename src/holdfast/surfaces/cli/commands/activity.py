"""What was done and given, over time: `holdfast timeline`, `activity`, `catch-up`, `receipts` and `preview`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import click

from holdfast.app.preview import preview
from holdfast.base.terminal import style
from holdfast.continuity.catch_up import catch_up, markdown
from holdfast.inject.receipts import receipts
from holdfast.records import Receipt, asdict
from holdfast.sessions import browse
from holdfast.sessions.browse import DoneSession
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import HERE, PROJECT, command
from holdfast.surfaces.cli.output import (
    emit_json,
    print_each,
    say,
    say_empty,
    say_where,
    scoped_json,
    unless_chosen,
    why_empty,
)
from holdfast.surfaces.cli.tables import columns, cut, flowing, indented, local_time, on_terminal, padded, print_table
from holdfast.workspace import Workspace

_MAX_FILES = 5
_MAX_MADE = 5
_MAX_RECEIPTS = 10
# So much of a session's id is enough to find it; the rest of the line is for what says more.
_SHORT = 13
# On a terminal with fewer columns, what would be the end of a line stands below it.
_NARROW = 80
_project_argument = click.argument("of_project", metavar="[PROJECT]", default="")


@command("timeline", "holdfast timeline --since 7d", sees=PROJECT)
@_project_argument
@options.since("Ended since")
@options.until("Began before")
@options.everywhere()
@options.limit(browse.MAX_SESSIONS)
@options.utc
def _timeline(workspace: Workspace, /, **asked: Any) -> None:
    """Show what was done in a project, day by day: sessions with their outcome, commits, pull requests and files."""
    found = browse.timeline(workspace, **asked)
    days = [
        {"day": day.day, "sessions": [{**asdict(one.session), "changed": one.files} for one in day.sessions]}
        for day in found.days
    ]
    if emit_json({"project": found.project, "days": days, "more": found.more}):
        return
    say_where(workspace, found.project)
    sessions = [one for day in found.days for one in day.sessions]
    widest = max((len(one.session.agent) for one in sessions), default=0)
    for date, of_day in groupby(sessions, lambda one: local_time(one.session.ended)[:10]):
        click.echo(style(date or "(no date)", "bold"))
        for one in of_day:
            _print_done(one, widest)
    if found.more:
        say("there are more sessions; choose with --since, --until or --limit")
    if not found.days:
        say_empty(workspace, unless_chosen("no sessions here; `holdfast sweep` reads them in", "session"))


def _print_done(one: DoneSession, widest: int) -> None:
    row, lines = one.session, _details(one)
    ended, title, id = local_time(row.ended)[11:], row.title or "(no title)", row.id
    if not on_terminal():
        click.echo(f"  {ended}  {row.outcome:9}  {row.agent}  {title}  {id}")
    elif columns() < _NARROW:
        click.echo(f"  {ended}  {row.outcome:9}  {cut(title, columns() - 20)}")
        lines = [f"{row.agent}  {id[:_SHORT]}", *lines]
    else:
        room = columns() - widest - _SHORT - 24
        name = style(id[:_SHORT], "dim")
        click.echo(f"  {ended}  {row.outcome:9}  {row.agent:{widest}}  {padded(title, room)}  {name}")
    for line in lines:
        click.echo(f"           {cut(line, columns() - 11) if on_terminal() else line}")


def _details(one: DoneSession) -> list[str]:
    """Return a line for each commit and pull request of a session, and one for the files that it changed."""
    row, lines = one.session, []
    for name, made in (("commit", row.commits), ("pull request", row.pull_requests)):
        lines += [f"{name}: {text}" for text in made[:_MAX_MADE]]
        lines += [f"and {len(made) - _MAX_MADE} more"] if len(made) > _MAX_MADE else []
    if one.files:
        more = f" and {row.files - _MAX_FILES} more" if row.files > _MAX_FILES else ""
        lines.append(f"files: {', '.join(file.path for file in one.files[:_MAX_FILES])}{more}")
    return lines


@command("activity", "holdfast activity src/upload.py", sees=PROJECT)
@click.argument("path", default="")
@click.option("--recent", is_flag=True, help="The last 24 hours, in every project.")
@options.agents("changes by")
@options.since("Changed since")
@options.until("Changed before")
@options.everywhere()
@options.limit(browse.MAX_CHANGES)
@options.utc
def _activity(workspace: Workspace, /, **asked: Any) -> None:
    """Show which files were changed, by which agent, in which session, when and how often, newest first.

    With PATH only that file, what lies below that folder, or files whose path ends with it. The time of a change is the
    end of its session.
    """
    found = browse.activity(workspace, **asked)
    if emit_json({"project": found.project, "changes": found.changes, "more": found.more}):
        return
    say_where(workspace, found.project)
    most = _SHORT if on_terminal() else None
    rows = [
        (local_time(one.at), one.agent, one.session.partition("/")[2][:most], str(one.changes), one.path)
        for one in found.changes
    ]
    print_table(("when", "agent", "session", "changes", "file"), rows, right=("changes",))
    if found.more:
        say(f"the last {len(rows)}; --limit shows more")
    if not rows:
        nothing = "no changed files here; `holdfast sweep` reads sessions in"
        say_empty(workspace, unless_chosen(nothing, "changed file"))


@command("catch-up", "holdfast catch-up --since 2w", sees=PROJECT)
@_project_argument
@click.option("--since", default="", metavar="TIME", help="Since: 2026-11-01, 7d, 2w. Default: the last week of work.")
def _catch_up(workspace: Workspace, since: str) -> None:
    """Show where a project stands for somebody who comes back: what was done, decided and failed, and what waits.

    Without --since it is the week that ended with the last session.
    """
    found = catch_up(workspace, since=since)
    agents = [{"agent": agent, "sessions": number} for agent, number in found.agents]
    if emit_json({**asdict(found), "agents": agents}):
        return
    if found.is_empty:
        nothing = f"nothing is known of the project {found.project} yet; `holdfast sweep` reads sessions in"
        say(why_empty(workspace, nothing))
    else:
        for line in markdown(found).splitlines():
            click.echo(flowing(line, "  " if line.startswith("- ") else ""))


@command("receipts", "holdfast receipts --limit 3")
@click.argument("of_session", metavar="[SESSION]", default="")
@click.option("--session", "also_session", default="", hidden=True)
@options.limit(_MAX_RECEIPTS)
@options.utc
def _receipts(workspace: Workspace, of_session: str, also_session: str, limit: int) -> None:
    """Show what sessions were given, newest first: each memory, why, about how many tokens, and what was left out.

    SESSION is the beginning of an agent's session id.
    """
    found = receipts(workspace, of_session or also_session, limit=limit)
    rows = [
        {**asdict(one), "given": [*map(scoped_json, one.given)], "left_out": _left_out(one.left_out)} for one in found
    ]
    if emit_json({"receipts": rows}):
        return
    show = _show_receipt if on_terminal() else _print_receipt
    print_each(workspace, found, show, unless_chosen("no session was given anything yet", "receipt"))


def _print_receipt(receipt: Receipt) -> None:
    """Print a receipt where the output is not a terminal: stable lines with the whole scope."""
    held = ", withheld" if receipt.withheld else ""
    name = receipt.session or "(no session)"
    click.echo(f"{name}  {receipt.agent}  {receipt.moment}  {receipt.at}  about {receipt.tokens} tokens{held}")
    for given in receipt.given:
        click.echo(f"  {given.scope}/{given.key}  {given.tokens} tokens  {given.why}")
    for name, reason in receipt.left_out:
        click.echo(f"  left out: {name}  {reason}")


def _show_receipt(receipt: Receipt) -> None:
    """Show a receipt on a terminal: when, to whom and at what cost, then a row for each thing that was given."""
    held = ", withheld" if receipt.withheld else ""
    session = receipt.session[:_SHORT] or "(no session)"
    line = f"{local_time(receipt.at)}  {receipt.agent}  {receipt.moment}  {session}"
    click.echo(style(cut(line, columns()), "bold"))
    wide = min(max((len(given.key) for given in receipt.given), default=0), columns() // 2)
    for given in receipt.given:
        if columns() < _NARROW:
            click.echo(f"  {given.tokens:>5}  {cut(given.key, columns() - 9)}")
            click.echo(style("\n".join(indented(given.why, " " * 9)), "dim"))
        else:
            why = cut(given.why, columns() - wide - 11)
            click.echo(f"  {given.tokens:>5}  {padded(given.key, wide)}  {style(why, 'dim')}")
    click.echo(f"  {receipt.tokens:>5}  tokens in all, by estimate{held}")
    left_out: dict[str, list[str]] = {}
    for name, reason in receipt.left_out:
        left_out.setdefault(reason, []).append(name.rpartition("/")[2])
    for reason, names in left_out.items():
        lines = indented(f"left out ({reason}): {', '.join(names)}", " " * 9)
        click.echo(style("\n".join(lines), "dim"))
    click.echo()


def _left_out(names: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "reason": reason} for name, reason in names]


@command("preview", "holdfast preview --prompt 'how do we deploy?'", sees=HERE)
@options.text("words")
@click.option("--prompt", default="", metavar="TEXT", help="What this prompt would bring here.")
@click.option("--after-compaction", is_flag=True, help="What the last session here would get back after a compaction.")
@click.option("--agent", default="", metavar="NAME", help="For this agent. Default: the one last heard from here.")
def _preview(workspace: Workspace, words: tuple[str, ...], prompt: str, after_compaction: bool, agent: str) -> None:
    """Show what an agent would be given here and now: the text, what each line costs and why it was chosen.

    WORDS are a prompt, as with --prompt. Below it comes what was left out, and why. The hook's own code makes it, and
    nothing is recorded.
    """
    prompt = prompt or " ".join(words)
    found = preview(workspace, prompt=prompt, after_compaction=after_compaction, agent=agent)
    lines = [{"text": one.text, "characters": one.characters, "why": one.why} for one in found.block.lines]
    left_out = _left_out(found.block.left_out)
    fields = {"agent": found.agent, "moment": found.moment, "budget": found.budget, "characters": len(found.block.text)}
    if emit_json({**fields, "note": found.note, "text": found.block.text, "lines": lines, "left_out": left_out}):
        return
    if found.block.text:
        click.echo(found.block.text)
    for line in found.block.lines:
        click.echo(f"{line.characters:>5}  {cut(' '.join(line.text.split()), max(20, columns() - 7))}")
        click.echo(style(f"       {line.why}", "dim"))
    for name, reason in found.block.left_out:
        click.echo(f"left out: {name}  {reason}")
    size = f"{len(found.block.text):,} of {found.budget:,} characters"
    moment = {"start": "the start of a session", "prompt": "this prompt"}.get(found.moment, found.moment)
    say(f"{size} for {found.agent} at {moment}. {found.note}".strip())
