"""`holdfast patterns`: the report. The sub-commands are in `pattern_*.py` beside the folder of commands."""

from __future__ import annotations

import click

from holdfast.patterns import report as patterns
from holdfast.patterns import review as pattern_review
from holdfast.patterns.clusters import Pattern
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli import distribute_commands, pattern_commands
from holdfast.surfaces.cli.shared import group, json_option, print_json, say, say_empty, with_workspace
from holdfast.workspace import Workspace

_SHOWN_QUOTES = 2


@group("patterns", "holdfast patterns --problems --explain")
@click.option("--min-frequency", type=click.IntRange(1), metavar="N", help="In at least so many sessions. Default: 3.")
@click.option("--since", default="", metavar="TIME", help="Only from then on: 7d, yesterday, 2026-11-01.")
@click.option("--domain", default="", metavar="NAME", help="Only projects of this domain, as config.toml maps them.")
@click.option("--problems", "only", flag_value="problems", help="Only what goes wrong.")
@click.option("--successes", "only", flag_value="successes", help="Only what goes well.")
@click.option("--limit", type=click.IntRange(1), default=30, metavar="N", help="At most so many. Default: 30.")
@click.option("--explain", is_flag=True, help="Show all evidence, and what was counted and merged.")
@json_option
@with_workspace
def _report(
    workspace: Workspace,
    min_frequency: int | None,
    since: str,
    domain: str,
    only: str | None,
    limit: int,
    explain: bool,
    as_json: bool,
) -> None:
    """Show what recurs over the sessions of every agent: those that more than one agent shows first, then by the
    number of sessions, how severe they are, and how recent.
    """
    gathered = patterns.gather(workspace)
    found = patterns.found_in(
        workspace,
        gathered,
        min_frequency=min_frequency or 0,
        since=since,
        project=workspace.project().id if workspace.asked_project else "",
        domain=domain,
    )
    found = pattern_review.not_rejected(workspace, found)
    wanted = [one for one in found if only is None or one.good == (only == "successes")]
    if as_json:
        rows = [pattern_json(one) for one in wanted[:limit]]
        print_json({"patterns": rows, "total": len(wanted), "sessions": gathered.sessions})
        return
    for number, one in enumerate(wanted[:limit], 1):
        print_pattern(one, number, explain=explain)
    if not wanted:
        least = min_frequency or workspace.settings.number("patterns.min_frequency")
        _say_nothing(workspace, gathered, least, domain)
    _say_rest(gathered, len(wanted), limit)


def _say_nothing(workspace: Workspace, gathered: patterns.Gathered, least: int, domain: str) -> None:
    if domain and domain not in workspace.settings.domains.values():
        say(f"no project is in the domain {harmless(domain)}: holdfast config set domains.PROJECT {harmless(domain)}")
        return
    say_empty(workspace, f"nothing that was asked for recurs in {least} of {gathered.sessions} session(s)")


def _say_rest(gathered: patterns.Gathered, count: int, limit: int) -> None:
    if count > limit:
        say(f"{count - limit} more; see them with --limit {count}")
    if gathered.waiting:
        say(f"{gathered.waiting} session(s) wait to be looked at closely: holdfast harvest --all")


def print_pattern(one: Pattern, number: int = 0, *, explain: bool = False) -> None:
    """Print a pattern with some of its evidence, or with all and with what was counted."""
    place = f"{number:>3}. " if number else ""
    flag = "  CROSS-AGENT" if one.cross_agent else ""
    mark = "+" if one.good else "-"
    click.echo(f"{place}{click.style(one.id, bold=True)}  {mark} {harmless(one.title)}{flag}")
    where = f", domain {harmless(one.domain)}" if one.domain else ""
    count = f"{len(one.sessions)} sessions of {', '.join(map(harmless, one.agents))}"
    click.echo(f"     {one.kind}, {count}, {one.first[:10]} to {one.last[:10]}{where}")
    if explain:
        click.echo(f"     severity {one.severity}, {one.times} times in all, {len(one.projects)} project(s)")
        for signature in one.signatures:
            click.echo(f"     signature: {harmless(signature)}")
    for quote in one.evidence if explain else one.evidence[:_SHOWN_QUOTES]:
        click.echo(f"       {quote.at[:16]}  {pattern_commands.where_of(quote)}  {harmless(quote.text)}")


def pattern_json(one: Pattern) -> dict[str, object]:
    """Return a pattern as `--json` promises it (docs/json.md)."""
    return asdict(one)


for _part in (pattern_commands.commands, distribute_commands.commands):
    for _each in _part.commands.values():
        _report.add_command(_each)
command = _report
