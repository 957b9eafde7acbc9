"""`holdfast recall`."""

from __future__ import annotations

import sys

import click

from holdfast.errors import ScopeUnknown
from holdfast.recall.recall import recall
from holdfast.recall.related import Related, related_to
from holdfast.records import TYPES, Hit, Scope, asdict
from holdfast.surfaces.cli.commands.related import related_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import (
    heading,
    json_option,
    memory_json,
    print_json,
    say,
    say_empty,
    scope_option,
    with_workspace,
)
from holdfast.workspace import Workspace

_LINES = 6
_RELATED = 3


@make_command("recall", 'holdfast recall "how do we deploy" --limit 3')
@click.argument("query", nargs=-1)
@scope_option("Only this scope.")
@click.option("--type", "-t", "types", multiple=True, type=click.Choice(TYPES), help="Only these types.")
@click.option("--tag", "tags", multiple=True, help="Only with this tag; several must all be there.")
@click.option("--agent", "agents", multiple=True, metavar="NAME", help="Only what this agent stored; several are or.")
@click.option("--since", default="", metavar="TIME", help="Updated since: 2026-11-01, 7d, 2w, yesterday.")
@click.option("--until", default="", metavar="TIME", help="Updated before.")
@click.option("--limit", "-n", type=click.IntRange(1, 1000), help="At most so many hits. Default: 10.")
@click.option("--everywhere", is_flag=True, help="In every scope of every project.")
@click.option("--related", "with_related", is_flag=True, help=f"Under each hit, up to {_RELATED} related memories.")
@click.option("--explain", is_flag=True, help="Show each part of the score.")
@json_option
@with_workspace
def command(
    workspace: Workspace,
    query: tuple[str, ...],
    scope: str | None,
    types: tuple[str, ...],
    tags: tuple[str, ...],
    agents: tuple[str, ...],
    since: str,
    until: str,
    limit: int | None,
    everywhere: bool,
    with_related: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Find memories by words and by meaning, best first: of this project, of the session and profile given, and global.

    Without QUERY it shows the newest. `-` reads the query from standard input. A time in the query counts: "what did we
    decide last week". `--project ID` searches another project.
    """
    words = " ".join(query) if query != ("-",) else sys.stdin.buffer.read().decode("utf-8", "replace")
    hits = recall(
        workspace,
        words,
        scope=scope,
        types=types,
        tags=tags,
        agents=agents,
        since=since,
        until=until,
        limit=limit,
        everywhere=everywhere,
    )
    beside = [_related(workspace, hit, everywhere) if with_related else None for hit in hits]
    if as_json:
        found = [_json(hit, others, explain) for hit, others in zip(hits, beside, strict=True)]
        print_json({"query": words, "project": "" if everywhere else _project(workspace), "hits": found})
        return
    if workspace.asked_project and not everywhere:
        say(f"in the project {_project(workspace)}, as --project says")
    for hit, others in zip(hits, beside, strict=True):
        _print(hit, others, explain)
    if not hits:
        say_empty(workspace, "nothing found; `holdfast list` shows what is visible here")


def _project(workspace: Workspace) -> str:
    try:
        return workspace.project().id
    except ScopeUnknown:
        return ""


def _related(workspace: Workspace, hit: Hit, everywhere: bool) -> list[Related]:
    """Return what is related to the hit and visible here; where all was searched, of its own scope and global."""
    scopes = (hit.memory.scope, Scope("global")) if everywhere else workspace.visible()
    return related_to(workspace, hit.memory, scopes, _RELATED)


def _json(hit: Hit, others: list[Related] | None, explain: bool) -> dict[str, object]:
    plain = {
        **memory_json(hit.memory),
        "score": hit.score,
        "words": list(hit.words),
        "superseded_by": hit.superseded_by,
        "earlier": hit.earlier,
    }
    if others is not None:
        plain["related"] = [related_json(each) for each in others]
    return {**plain, "parts": [{**asdict(part), "points": part.points} for part in hit.parts]} if explain else plain


def _print(hit: Hit, others: list[Related] | None, explain: bool) -> None:
    click.echo(f"{heading(hit.memory)}  {click.style(f'{hit.score:.2f}', dim=True)}")
    if hit.superseded_by:
        click.echo(f"  replaced by {hit.superseded_by}")
    if hit.earlier:
        click.echo(f"  the words stand in an earlier statement: holdfast history {hit.memory.key}")
    lines = hit.memory.body.split("\n")
    for line in lines[:_LINES]:
        click.echo(f"  {line}")
    if len(lines) > _LINES:
        click.echo(f"  … {len(lines) - _LINES} more lines: holdfast show {hit.memory.key}")
    for each in others or ():
        click.echo(f"  {', '.join(each.why)}: {each.memory.key}  {each.memory.scope}  {each.memory.title}")
    for part in hit.parts if explain else ():
        click.echo(f"    {part.points:6.3f} = {part.value:.3f} × {part.weight:.2f}  {part.name:8} {part.why}")
