"""`holdfast measure`."""

from __future__ import annotations

import click

from holdfast.patterns.measure import BEFORE_AFTER, Estimate, Followed
from holdfast.patterns.measuring import Report, measure
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, why_empty, with_workspace
from holdfast.workspace import Workspace

_SHARE = "sessions with it"
# Of so many patterns without effect one is called something else, by bounds of 95 %.
_MANY = 20


@make_command("measure", "holdfast measure --since 90d")
@click.option("--pattern", default="", metavar="ID", help="Only this pattern of the catalogue.")
@click.option("--memory", default="", metavar="KEY", help="Only the memories of this key.")
@click.option("--since", default="", metavar="TIME", help="Only sessions from then on: 90d, 2026-11-01.")
@json_option
@with_workspace
def command(workspace: Workspace, pattern: str, memory: str, since: str, as_json: bool) -> None:
    """Show whether what agents are given helps: each distributed pattern by its own signal, before and after; each
    memory that is given often by errors, retries, corrections, tokens and time; and what each costs.

    With `measure.holdout` a share of sessions is given nothing. Only these tell help from chance; what is in a rules
    file or a skill cannot be withheld. Behind each change stand its bounds, and where the data is too thin it says so.
    """
    report = measure(workspace, pattern=pattern, memory=memory, since=since)
    if as_json:
        print_json(asdict(report))
        return
    followed = [*([report.everything] if report.everything else []), *report.patterns, *report.memories]
    for one in followed:
        _show(one)
    for advice in report.retire:
        click.echo(f"worth retiring: {harmless(advice.name)}: {advice.reason}: {harmless(advice.command)}")
    _say_rest(workspace, report)


def _say_rest(workspace: Workspace, report: Report) -> None:
    if not report.sessions:
        say(why_empty(workspace, "there is no session to compare yet: holdfast sweep, then holdfast harvest --all"))
        return
    share = f"{100 * report.holdout:g} % of new sessions are given nothing"
    drawn = f"{report.given} drawn to be given all, {report.withheld} to be given nothing"
    say(f"{report.sessions} session(s) looked at; {drawn}; {share}")
    count = len(report.patterns)
    if count >= _MANY:
        say(f"of {count} patterns without effect about {count // _MANY} would seem to help or harm by chance")
    if report.mixed:
        say(f"{report.mixed} had both, since the share was changed meanwhile, and count in neither")
    if report.left_out:
        say(f"{report.left_out} session(s) have only a digest left, and count nowhere")
    if report.waiting:
        say(f"{report.waiting} session(s) wait to be looked at closely: holdfast harvest --all")


def _show(one: Followed) -> None:
    click.echo(f"{click.style(harmless(one.name), bold=True)}  {one.verdict}  {harmless(one.title)}")
    held = f", withheld from {one.withheld}" if one.withheld else ""
    click.echo(f"  given to {one.given} session(s){held}, about {one.tokens:,} tokens in all")
    click.echo(f"  {one.why}")
    for estimate in one.estimates:
        if estimate.sessions_before and estimate.sessions_after:
            click.echo(f"    {line_of(estimate)}")


def line_of(one: Estimate) -> str:
    """Return a comparison in one line: both sides, the change with its bounds, and what it says."""
    first, second = ("before", "since") if one.compares == BEFORE_AFTER else ("withheld", "given")
    sides = f"{_shown(one, one.before)} {first} ({one.sessions_before}), {_shown(one, one.after)} {second}"
    change, low, high = (_change(one, value) for value in (one.change, one.low, one.high))
    return f"{one.measure}: {sides} ({one.sessions_after}): {change} ({low} to {high}): {one.verdict}"


def _change(one: Estimate, value: float | None) -> str:
    if value is None:
        return "?"
    return f"{value:.2f} times" if one.is_ratio else _shown(one, value, "+")


def _shown(one: Estimate, value: float | None, sign: str = "") -> str:
    if value is None:
        return "?"
    if one.measure == _SHARE:
        return f"{100 * value:{sign}.1f} %"
    return f"{value:{sign},.0f}" if one.is_ratio else f"{value:{sign}.2f}"
