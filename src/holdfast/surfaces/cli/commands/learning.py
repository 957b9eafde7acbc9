"""What was learned, as a person reads it: `holdfast rate`, `synthesis`, `research`, `security` and `measure`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.app.harvest import learn_from
from holdfast.app.install import unguarded
from holdfast.base.terminal import style
from holdfast.base.text import count
from holdfast.errors import BadInput
from holdfast.language.ratings import Rating
from holdfast.learning.ratings import rate
from holdfast.learning.research import listing as research
from holdfast.learning.research.model import Report
from holdfast.learning.security.judge import KINDS
from holdfast.learning.security.listing import trail
from holdfast.learning.synthesis import write as synthesis
from holdfast.learning.synthesis.write import lines_of
from holdfast.patterns.estimates import BEFORE_AFTER, Estimate, Followed
from holdfast.patterns.measure import MeasureReport, measure
from holdfast.records import asdict
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation, runnable
from holdfast.surfaces.cli.making import PROJECT, command, group
from holdfast.surfaces.cli.output import emit_json, print_each, say, say_empty, why_empty
from holdfast.surfaces.cli.tables import flowing, shown_time
from holdfast.workspace import Workspace

_RATE = 'holdfast rate 8 "clean and quick"'
_RATED: dict[str, Any] = {
    "sees": ("project", "session"),
    "means": {"session": "The session to rate, instead of the last one."},
}
_MAX_RATINGS, _MAX_REPORTS, _MAX_CALLS = 100, 20, 50
_SHARE = "sessions with it"
# Of so many patterns without effect one is called something else, by bounds of 95 %.
_CHANCE = 20


@group("rate", _RATE, adds=True, **_RATED)
@click.option("--list", "listing", is_flag=True, help="List the ratings, as without a number.")
@options.everywhere("List those of every project.")
@options.limit(20)
@options.utc
def _ratings(workspace: Workspace, listing: bool, everywhere: bool, limit: int) -> None:
    """Rate the last session of this project, or the one that --session names. Without a number it lists the ratings,
    newest first.
    """
    found = rate.ratings(workspace, everywhere=everywhere, limit=limit)
    if emit_json({"ratings": found}):
        return
    none = f"no session was rated yet; rate one: {_RATE}"
    if not (found or everywhere or workspace.asked_project) and rate.ratings(workspace, everywhere=True, limit=1):
        none = "no session of this project was rated yet; those of others: holdfast rate --everywhere"
    print_each(workspace, found, _print_rating, none)


@_ratings.sub("add", 'holdfast rate add 2 "it deleted my migration"', **_RATED)
@click.argument("number")
@options.text("comment")
def _rate(workspace: Workspace, number: str, comment: tuple[str, ...]) -> None:
    """Rate a session. `rate NUMBER` is short for it."""
    rated = rate.rate(workspace, number, " ".join(comment))
    learn_from(workspace, rated)
    if not emit_json(rated):
        click.echo(f"{rated.action}  ", nl=False)
        _print_rating(rated.rating)


@_ratings.sub("import", "holdfast rate import ratings.jsonl --dry-run", sees=PROJECT)
@click.argument("file", type=click.Path())
@options.dry_run("Show what would be added and change nothing.")
def _import_ratings(workspace: Workspace, file: str) -> None:
    """Take over the ratings that another program wrote, one JSON object a line. Each is added once."""
    dry_run, plan = invocation().dry_run, rate.plan_import(workspace, file)
    added = 0 if dry_run else rate.apply_import(workspace, plan)
    counts = {"new": len(plan.new), "known": plan.known, "passed_over": plan.passed_over, "added": added}
    if emit_json({**counts, "applied": not dry_run}):
        return
    for one in plan.new[:_MAX_RATINGS] if dry_run else ():
        _print_rating(one)
    done = f"{len(plan.new)} would be added" if dry_run else f"{added} added"
    click.echo(f"{done}, {plan.known} known, {plan.passed_over} passed over")


def _print_rating(one: Rating) -> None:
    who = "/".join(part for part in (one.agent, one.session[:8]) if part)
    how = {"explicit": "", "implicit": f"  implicit {one.confidence:.2f}"}.get(one.source, f"  {one.source}")
    number = f"{one.rating:2}/10"
    comment = one.comment or (one.text if one.source == "implicit" else "")
    click.echo(flowing(f"{number}  {shown_time(one.at)}  {who}{how}  {comment}".rstrip(), "       ", lead=number))


@command("synthesis", "holdfast synthesis --month --dry-run", sees=PROJECT, reads=True)
@click.option("--week", is_flag=True, help="The last 7 days. The default.")
@click.option("--month", is_flag=True, help="The last 30 days.")
@click.option("--all", "everything", is_flag=True, help="Every rating there is.")
@options.dry_run("Show the page and write nothing.")
def _synthesis(workspace: Workspace, week: bool, month: bool, everything: bool) -> None:
    """Write down what ratings say together: their trend, what people complain about and praise again and again, with
    examples, and what came of it.

    It covers every project, or with --project that one. The same period is written to the same file again. A sweep
    writes the page of each past week.
    """
    if week + month + everything > 1:
        raise BadInput("which period?", "Give one of --week, --month and --all.")
    kind = "month" if month else "all" if everything else "week"
    written = synthesis.synthesis(workspace, kind, dry_run=invocation().dry_run)
    if emit_json({"path": written.path, "action": written.action, "report": written.report}):
        return
    for line in lines_of(written.report):
        click.echo(line)
    say(f"{written.action}: {written.path}" if written.action else "nothing was written")


@group("research", "holdfast research --since 7d", sees=PROJECT)
@options.since("Handed over since")
@options.everywhere("List those of every project.")
@options.limit(_MAX_REPORTS)
@options.utc
def _research(workspace: Workspace, since: str, everywhere: bool, limit: int) -> None:
    """List what sub-agents reported at the end, newest first."""
    found = research.reports(workspace, since=since, everywhere=everywhere, limit=limit)
    if emit_json({"reports": [_report_json(report) for report in found]}):
        return
    for one in found:
        click.echo(flowing(f"{_id(one)}  {shown_time(one.at)}  {one.agent}  {one.summary}", lead=_id(one)))
    if not found:
        say_empty(workspace, "no sub-agent has reported anything yet")


@_research.sub("show", "holdfast research show 1a2b3c")
@options.id
def _show_report(workspace: Workspace, name: str) -> None:
    """Show one report. ID is what the list shows, or a file."""
    report = research.show(workspace, name)
    if emit_json({**_report_json(report), "text": report.text}):
        return
    click.echo(f"{report.at}  {report.agent}/{report.session}  {report.path}")
    click.echo(report.text)


def _id(report: Report) -> str:
    return report.path.rpartition("-")[2].removesuffix(".md")


def _report_json(report: Report) -> dict[str, object]:
    """Return a report as `--json` promises it (docs/json.md), without its text."""
    fields = {name: value for name, value in asdict(report).items() if name != "text"}
    return {"id": _id(report), **fields}


@command("security", "holdfast security --since 7d", sees=PROJECT)
@options.since("Made since")
@click.option("--kind", type=click.Choice(KINDS), metavar="KIND", help=f"Only {', '.join(KINDS)}.")
@options.everywhere("List those of every project.")
@options.limit(_MAX_CALLS)
@options.utc
def _security(workspace: Workspace, /, kind: str | None, **asked: Any) -> None:
    """List tool calls that destroy, read a secret or write outside the project, newest first.

    It says that a call was made, not that it succeeded. Those marked `blocked` were refused before they ran.
    """
    for why in unguarded(workspace):
        say(why)
    found = trail(workspace, kind=kind or "", **asked)
    if emit_json({"records": found}):
        return
    for one in found:
        who = f"{one.agent}/{one.session[:8]}"
        text = f"{one.kind:11} {one.rule}  {one.decision}  {who}  {one.text}"
        click.echo(flowing(f"{shown_time(one.at):16}  {text}", lead=f"{shown_time(one.at):16}"))
    if not found:
        say_empty(workspace, "no such call is recorded; `holdfast harvest` finds in the archive what hooks did not see")


@command("measure", "holdfast measure --since 90d")
@click.option("--pattern", default="", metavar="ID", help="Only this pattern of the catalogue.")
@click.option("--memory", default="", metavar="KEY", type=options.KEY, help="Only the memories of this key.")
@options.since("Only sessions from then on")
def _measure(workspace: Workspace, /, **asked: str) -> None:
    """Show whether what agents are given helps: each distributed pattern by its own signal, before and after; each
    memory that is given often by errors, retries, corrections, tokens and time; and what each costs.

    With `measure.holdout` a share of sessions is given nothing. Only these tell help from chance; what is in a rules
    file or a skill cannot be withheld. Each change is shown with its bounds; where the data is too thin, it says so.
    """
    report = measure(workspace, **asked)
    if emit_json(report):
        return
    for one in (*([report.everything] if report.everything else []), *report.patterns, *report.memories):
        _print_followed(one)
    for advice in report.retire:
        click.echo(f"worth retiring: {advice.name}: {advice.reason}: {runnable(advice.command)}")
    for line in _basis(report):
        say(why_empty(workspace, line))


def _basis(report: MeasureReport) -> list[str]:
    """Return what the comparison rests on, a line each."""
    if not report.sessions:
        return ["there are no sessions to compare yet: holdfast sweep, then holdfast harvest --all"]
    share = f"{100 * report.holdout:g} % of new sessions are given nothing"
    drawn = f"{report.given} drawn to be given everything, {report.withheld} to be given nothing"
    lines = [f"{count(report.sessions, 'session')} looked at; {drawn}; {share}"]
    patterns = len(report.patterns)
    if patterns >= _CHANCE:
        by_chance = f"about {patterns // _CHANCE} would seem to help or harm by chance"
        lines.append(f"of {patterns} patterns without effect {by_chance}")
    if report.mixed:
        mixed = count(report.mixed, "session")
        lines.append(f"{mixed} had both, because the share changed meanwhile: counted for neither side")
    if report.left_out:
        lines.append(f"{count(report.left_out, 'session')} not counted: only a digest is left")
    if report.waiting:
        lines.append(f"{count(report.waiting, 'session')} not yet looked at closely: holdfast harvest --all")
    return lines


def _print_followed(one: Followed) -> None:
    click.echo(f"{style(one.name, 'bold')}  {one.verdict}  {one.title}")
    held = f", withheld from {one.withheld}" if one.withheld else ""
    click.echo(f"  given to {count(one.given, 'session')}{held}, about {count(one.tokens, 'token')} in all")
    click.echo(f"  {one.why}")
    for estimate in one.estimates:
        if estimate.sessions_before and estimate.sessions_after:
            click.echo(f"    {line_of(estimate)}")


def line_of(one: Estimate) -> str:
    """Return a comparison in one line: both sides, the change with its bounds, and what it says."""
    first, second = ("before", "since") if one.compares == BEFORE_AFTER else ("withheld", "given")
    sides = f"{_shown(one, one.before)} {first} ({one.sessions_before}), {_shown(one, one.after)} {second}"
    change, low, high = (_shown(one, value, is_change=True) for value in (one.change, one.low, one.high))
    return f"{one.measure}: {sides} ({one.sessions_after}): {change} ({low} to {high}): {one.verdict}"


def _shown(one: Estimate, value: float | None, *, is_change: bool = False) -> str:
    if value is None:
        return "?"
    if is_change and one.is_ratio:
        return f"{value:.2f} times"
    sign = "+" if is_change else ""
    if one.measure == _SHARE:
        return f"{100 * value:{sign}.1f} %"
    return f"{value:{sign},.0f}" if one.is_ratio else f"{value:{sign}.2f}"
