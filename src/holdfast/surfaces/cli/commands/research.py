"""`holdfast research`."""

from __future__ import annotations

import click

from holdfast.learning.research import listing as research
from holdfast.learning.research.model import Report
from holdfast.records import asdict
from holdfast.sessions.transcript import harmless
from holdfast.surfaces.cli.shared import (
    group,
    json_option,
    print_json,
    say_empty,
    session_means,
    subcommand,
    with_workspace,
)
from holdfast.workspace import Workspace

_SHOWN = 20


@group("research", "holdfast research --since 7d")
@click.option("--since", default="", metavar="TIME", help="Handed over since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--everywhere", is_flag=True, help="List those of every project.")
@click.option("--limit", "-n", type=click.IntRange(1), default=_SHOWN, help=f"At most so many. Default: {_SHOWN}.")
@json_option
@session_means("")
@with_workspace
def _list(workspace: Workspace, since: str, everywhere: bool, limit: int, as_json: bool) -> None:
    """List what sub-agents handed over in the end, newest first."""
    found = research.reports(workspace, since=since, everywhere=everywhere, limit=limit)
    if as_json:
        print_json({"reports": [_json(report) for report in found]})
        return
    for one in found:
        name = click.style(_id(one), bold=True)
        click.echo(f"{name}  {harmless(f'{one.at[:16]}  {one.agent}  {one.summary}')}")
    if not found:
        say_empty(workspace, "no sub-agent handed anything over yet")


@subcommand(_list, "show", "holdfast research show 1a2b3c", "Show one report. ID is what the list shows, or a file.")
@click.argument("name", metavar="ID")
@json_option
@session_means("")
@with_workspace
def _show(workspace: Workspace, name: str, as_json: bool) -> None:
    report = research.show(workspace, name)
    if as_json:
        print_json({**_json(report), "text": report.text})
        return
    click.echo(harmless(f"{report.at}  {report.agent}/{report.session}  {report.path}"))
    click.echo(harmless(report.text))


def _id(report: Report) -> str:
    return report.path.rpartition("-")[2].removesuffix(".md")


def _json(report: Report) -> dict[str, object]:
    """Return a report as `--json` promises it (docs/json.md), without its text."""
    told = {name: value for name, value in asdict(report).items() if name != "text"}
    return {"id": _id(report), **told}


command = _list
