"""`holdfast sessions`."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from holdfast.app import erase, forget
from holdfast.base.terminal import style
from holdfast.records import asdict
from holdfast.sessions import browse as sessions
from holdfast.sessions import search as session_search
from holdfast.sessions.browse import CostRow
from holdfast.sessions.facts import OUTCOMES
from holdfast.sessions.search import SessionHit
from holdfast.store.session_table import BY, SessionRow
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation, runnable
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import (
    answer,
    confirm_steps,
    emit_json,
    parts_json,
    print_parts,
    report_applied,
    say,
    say_empty,
    say_where,
    unless_chosen,
)
from holdfast.surfaces.cli.tables import columns, cut, flowing, local_time, on_terminal, print_table
from holdfast.workspace import Workspace

_MAX_SHOWN = 50
_TOKENS = ("input", "output", "cache_read", "cache_write", "reasoning")


def _complete(ctx: click.Context, parameter: click.Parameter, start: str) -> list[str]:
    """Return the ids that begin so, for shell completion; whatever goes wrong, the shell is not disturbed."""
    try:
        with Workspace(options.home_of(ctx)) as workspace:
            return sessions.ids_beginning(workspace, start)
    except Exception:
        return []


_session = click.argument("session_id", metavar="ID", shell_complete=_complete)


@group("sessions", "holdfast sessions --since 7d --outcome failure", sees=PROJECT)
@options.agents("sessions of")
@options.since("Ended since")
@options.until("Began before")
@click.option("--outcome", "outcomes", multiple=True, type=click.Choice(OUTCOMES), help="Only with this outcome.")
@click.option("--file", default="", metavar="PATH", help="Only those that changed this file, or one below it.")
@click.option("--branch", default="", metavar="NAME", help="Only those that worked on this branch.")
@click.option("--subagents", is_flag=True, help="Sub-agents too.")
@options.everywhere("Of every project.")
@options.limit(_MAX_SHOWN)
@options.utc
def _sessions(workspace: Workspace, /, **asked: Any) -> None:
    """List the sessions of this project, newest first."""
    found = sessions.list_sessions(workspace, **asked)
    listed = [{**asdict(row), "pinned": row.name in found.pins} for row in found.sessions]
    if emit_json({"project": found.project, "sessions": listed, "more": found.more}):
        return
    say_where(workspace, found.project)
    heads = ("session", "ended", "agent", "outcome", "files", "cost", "title")
    short = found.short if found.short and on_terminal() else {}
    cells = [_cells(row, short.get(row.id, row.id), row.name in found.pins) for row in found.sessions]
    print_table(heads, cells, right=("files", "cost"))
    if found.more:
        say(f"the last {len(found.sessions)}; --limit shows more")
    if not found.sessions:
        elsewhere = ", --everywhere shows those of all projects" if found.project else ""
        nothing = f"no sessions here; `holdfast sweep` reads them in{elsewhere}"
        say_empty(workspace, unless_chosen(nothing, "session"))


def _cells(row: SessionRow, id: str, pinned: bool) -> tuple[str, ...]:
    title = f"{'pinned · ' if pinned else ''}{row.title or '(no title)'}"
    dollars = f"{'~' if row.dollars_from == 'prices' else ''}${row.dollars:,.2f}" if row.dollars_from else ""
    return id, local_time(row.ended), row.agent, row.outcome, str(row.files or ""), dollars, title


@_sessions.sub("cost", "holdfast sessions cost --by day --since 7d", sees=PROJECT)
@click.option("--by", type=click.Choice(tuple(BY)), default="project", help="What to sum by. Default: project.")
@options.since("From this day on")
@options.until("Before this day")
def _cost(workspace: Workspace, by: str, since: str, until: str) -> None:
    """Show what sessions cost, in tokens and dollars. In every project, unless --project names one."""
    rows = sessions.cost(workspace, by=by, since=since, until=until)
    whole = sessions.total(rows)
    if emit_json({"by": by, "rows": [_cost_json(row) for row in rows], "total": _cost_json(whole)}):
        return
    if not rows:
        say_empty(workspace, "nothing was spent; `holdfast sweep` reads sessions in")
        return
    heads = (by, "sessions", "input", "output", "cache read", "cache write", "reasoning", "dollars")
    print_table(heads, [_cost_cells(row) for row in (*rows, whole)], right=heads[1:])
    say("~ is an estimate from the table of prices; what the agent itself reported has no mark")
    if whole.unpriced:
        say(f"{whole.unpriced:,} tokens of models without a price are not in the dollars: prices.toml adds one")


def _cost_json(row: CostRow) -> dict[str, object]:
    tokens = {name: getattr(row.cost, name) for name in _TOKENS}
    dollars = {"dollars": row.dollars, "told": row.told, "estimated": row.estimated, "unpriced": row.unpriced}
    return {"group": row.group, "sessions": row.sessions, **tokens, **dollars}


def _cost_cells(row: CostRow) -> tuple[str, ...]:
    known = row.told or row.estimated
    mark = "+" if row.unpriced else ""
    dollars = f"{'~' if row.estimated else ''}${row.dollars:,.2f}{mark}" if known else "unknown" if row.unpriced else ""
    tokens = (f"{getattr(row.cost, name):,}" for name in _TOKENS)
    return row.group or "(none)", f"{row.sessions:,}", *tokens, dollars


@_sessions.sub("show", "holdfast sessions show 61d299fc --raw --from 12 --to 20", json=False)
@_session
@click.option("--raw", is_flag=True, help="What happened, event by event, instead of the digest.")
@click.option("--earlier", is_flag=True, help="With --raw: as it was before its transcript was rewritten shorter.")
@click.option("--as", "form", type=click.Choice(("markdown", "json", "html")), default="markdown", help="The form.")
@click.option("--from", "first", type=click.IntRange(0), help="With --raw: from this event on.")
@click.option("--to", "last", type=click.IntRange(0), help="With --raw: up to this event.")
@click.option("--out", "-o", default="", metavar="FILE", help="Write it to this file, not to standard output.")
def _show(workspace: Workspace, /, session_id: str, out: str, first: int | None, **asked: Any) -> None:
    """Show the digest of a session, or its events. ID is its id, AGENT/ID, or a part of the id that no other has."""
    if not workspace.enabled:
        say_empty(workspace, "")
        return
    if not asked["raw"] and (first is not None or asked["last"] is not None or asked["earlier"]):
        raise click.UsageError("--earlier, --from and --to choose events: give --raw with them")
    pieces = sessions.shown(workspace, session_id, first=first or 0, **asked)
    if out:
        click.echo(f"wrote {sessions.save(out, pieces)}")
        return
    for piece in pieces:
        sys.stdout.write(piece)


@_sessions.sub("search", 'holdfast sessions search "why did the upload fail last week"', sees=PROJECT)
@options.text("query", required=True)
@options.agents("sessions of")
@options.since("Said since")
@options.until("Said before")
@options.limit(10, 1000)
@options.everywhere("In the sessions of every project.")
@click.option("--explain", is_flag=True, help="Show each part of the score.")
@options.utc
def _search(workspace: Workspace, /, query: tuple[str, ...], explain: bool, **asked: Any) -> None:
    """Find what was said and done in the sessions of this project, by words and by meaning, best first."""
    words = " ".join(query)
    found = session_search.search(workspace, words, explain=explain, **asked)
    if emit_json({"query": words, "project": found.project, "hits": [_hit_json(hit, explain) for hit in found.hits]}):
        return
    say_where(workspace, found.project)
    for hit in found.hits:
        _print_hit(hit, explain)
    if not found.hits:
        elsewhere = "; --everywhere searches the sessions of all projects" if found.project else ""
        say_empty(workspace, f"nothing found{elsewhere}")


def _hit_json(hit: SessionHit, explain: bool) -> dict[str, object]:
    plain = {**hit._asdict(), "open": _opens(hit)}
    del plain["parts"]
    return {**plain, "parts": parts_json(hit.parts)} if explain else plain


def _opens(hit: SessionHit) -> str:
    where = f" --raw --from {hit.event}" if hit.event >= 0 else ""
    # An id is whatever a transcript says: pasted into a shell it must stay one word.
    return f"holdfast sessions show {shlex.quote(hit.session)}{where}"


def _print_hit(hit: SessionHit, explain: bool) -> None:
    line = f"{hit.session}  {hit.speaker}  {local_time(hit.at)}"
    if on_terminal():
        click.echo(flowing(f"{hit.score:.2f}  {line}", lead=f"{hit.score:.2f}"))
        click.echo(style(cut(f"  {hit.title}", columns()), "dim"))
    else:
        click.echo(f"{line}  {hit.title}  {hit.score:.2f}")
    click.echo(flowing(f"  {hit.shown}", "  "))
    click.echo(f"  {style(runnable(_opens(hit)), 'dim')}")
    if explain:
        print_parts(hit.parts)


@_sessions.sub("pin", "holdfast sessions pin 61d299fc")
@_session
def _pin(workspace: Workspace, session_id: str) -> None:
    """Keep the events of a session, whatever the byte budget says."""
    name = sessions.pin(workspace, session_id, pinned=True)
    answer({"session": name, "pinned": True}, f"pinned: {name}")


@_sessions.sub("unpin", "holdfast sessions unpin 61d299fc")
@_session
def _unpin(workspace: Workspace, session_id: str) -> None:
    """Unpin a session: the byte budget applies to its events again."""
    name = sessions.pin(workspace, session_id, pinned=False)
    answer({"session": name, "pinned": False}, f"unpinned: {name}")


@_sessions.sub("forget", "holdfast sessions forget 61d299fc --dry-run")
@click.argument("session_ids", metavar="ID...", nargs=-1, required=True, shell_complete=_complete)
@options.consent
def _forget(workspace: Workspace, session_ids: tuple[str, ...]) -> None:
    """Forget sessions for good. A hash of the name stays, so that no sweep brings them back."""
    workspace.need_person("forgets sessions for good")
    if not invocation().dry_run and erase.finish_same(workspace, session_ids):
        report_applied((), f"forgotten: {', '.join(session_ids)}")
        return
    names, steps = forget.plan(workspace, session_ids)
    if confirm_steps(steps, "nothing to forget"):
        erase.forget_sessions(workspace, tuple(names))
        report_applied(steps, f"forgotten: {', '.join(names)}")
