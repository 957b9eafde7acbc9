"""`holdfast recall`, `related` and `list`: what finds memories."""

from __future__ import annotations

import sys
from typing import Any

import click

from holdfast.base.terminal import style
from holdfast.base.text import count, one_line
from holdfast.memory.show import list_memories, replaced_by
from holdfast.recall.recall import recall
from holdfast.recall.related import LIMIT, Related, related, related_to
from holdfast.records import TYPES, Hit, Memory, Scope
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import runnable
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import (
    emit_json,
    heading,
    labels,
    memory_json,
    parts_json,
    print_parts,
    say,
    say_empty,
    tags_of,
)
from holdfast.surfaces.cli.tables import columns, cut, flowing, indented, on_terminal, print_table
from holdfast.workspace import Workspace

_MAX_LINES = 6
_MAX_BESIDE = 200
_MAX_RELATED = 3
_MAX_LISTED = 50
_TOLD_OF_SESSIONS = ("session", "agent", "title", "event", "speaker", "at", "text", "score")
_types = click.option("--type", "-t", "types", multiple=True, type=click.Choice(TYPES), help="Only these types.")
_tags = click.option("--tag", "tags", multiple=True, help="Only with this tag; of several, with all.")


@command("recall", 'holdfast recall "how do we deploy" --limit 3', sees=HERE)
@options.text("query")
@options.scope("Only this scope.")
@_types
@_tags
@options.agents("what was stored by")
@options.since("Updated since")
@options.until("Updated before")
@options.limit(None, 1000, shown=10)
@options.everywhere("In every scope of every project.")
@click.option("--related", "with_related", is_flag=True, help=f"Under each hit, up to {_MAX_RELATED} related memories.")
@click.option("--explain", is_flag=True, help="Show each part of the score.")
def _recall(
    workspace: Workspace, /, query: tuple[str, ...], everywhere: bool, with_related: bool, explain: bool, **asked: Any
) -> None:
    """Find memories by words and by meaning, best first: of this project, of the session and profile given, and global.

    Without QUERY it shows the newest. `-` reads the query from standard input. A time in the query counts: "what did we
    decide last week". `--project ID` searches another project.
    """
    words = " ".join(query) if query != ("-",) else sys.stdin.buffer.read().decode("utf-8", "replace")
    hits = recall(workspace, words, everywhere=everywhere, **asked)
    # Where all was searched, a hit is related to memories of its own scope and global ones.
    scopes = [(hit.memory.scope, Scope("global")) if everywhere else workspace.visible() for hit in hits]
    beside = [
        related_to(workspace, hit.memory, seen, _MAX_RELATED) if with_related else None
        for hit, seen in zip(hits, scopes, strict=True)
    ]
    stale = [workspace.fresh().warning(hit.memory) if hit.memory.anchors else "" for hit in hits]
    found = [_hit_json(hit, others, explain, said) for hit, others, said in zip(hits, beside, stale, strict=True)]
    # Who asks for a type, a tag or a scope asks for memories alone.
    narrow = everywhere or any(asked[name] for name in ("scope", "types", "tags", "agents", "since", "until"))
    # Loaded here: `list` and `related` need not wait for what finds documents and sessions.
    from holdfast.app import search

    pages, sessions = ([], []) if narrow else search.beside(workspace, words)
    fields = {
        "pages": [{"page": one.speaker, "at": one.at, "text": one.text, "score": one.score} for one in pages],
        "sessions": [{name: getattr(one, name) for name in _TOLD_OF_SESSIONS} for one in sessions],
    }
    if emit_json({"query": words, "project": "" if everywhere else _project(workspace), "hits": found, **fields}):
        return
    if workspace.asked_project and not everywhere:
        say(f"in the project {_project(workspace)}, as --project says")
    show = _show_hit if on_terminal() else _print_hit
    several = len({hit.memory.scope for hit in hits}) > 1
    for hit, others, said in zip(hits, beside, stale, strict=True):
        show(hit, several, said)
        for each in others or ():
            scope = "" if on_terminal() else f"  {each.memory.scope}"
            line = f"  {', '.join(each.why)}: {each.memory.key}{scope}  {each.memory.title}"
            click.echo(cut(line, columns()) if on_terminal() else line)
        if explain:
            print_parts(hit.parts)
    _print_beside("In the pages of this project:", [(one.speaker, one.at[:10], one.shown) for one in pages])
    _print_beside("In sessions:", [(one.session, one.at[:10], one.shown) for one in sessions])
    if not hits:
        say_empty(workspace, "no memory found; `holdfast list` shows what is visible here")


def _print_beside(title: str, found: list[tuple[str, str, str]]) -> None:
    """Print what was found elsewhere, one line each, below all memories."""
    if found:
        click.echo(style(title, "dim"))
    for where, what, text in found:
        click.echo(flowing(f"  {where}  {what}  {one_line(text, _MAX_BESIDE)}"))


def _project(workspace: Workspace) -> str:
    project = workspace.project_if_any()
    return project.id if project else ""


def _hit_json(hit: Hit, others: list[Related] | None, explain: bool, stale: str) -> dict[str, object]:
    plain = {
        **memory_json(hit.memory),
        "score": hit.score,
        "words": list(hit.words),
        "superseded_by": hit.superseded_by,
        "earlier": hit.earlier,
        "stale": stale,
    }
    if others is not None:
        plain["related"] = [_related_json(each) for each in others]
    return {**plain, "parts": parts_json(hit.parts)} if explain else plain


def _print_hit(hit: Hit, several: bool, stale: str) -> None:
    """Print a hit where the output is not a terminal: stable lines with the whole scope."""
    click.echo(f"{heading(hit.memory)}  {hit.score:.2f}")
    lines = hit.memory.body.split("\n")
    for line in (*_remarks(hit, stale), *lines[:_MAX_LINES]):
        click.echo(f"  {line}")
    _print_rest(hit, len(lines))


def _show_hit(hit: Hit, several: bool, stale: str) -> None:
    """Show a hit on a terminal: score and key first, the scope only where hits have several, the text wrapped."""
    memory, indent = hit.memory, "      " if columns() >= 60 else "  "
    scope = f"  {memory.scope.kind} {memory.scope.owner.rpartition('--')[2]}".rstrip() if several else ""
    room = columns() - len(memory.key) - 6
    details = cut(f"  {memory.updated[:10]}{scope}{labels(memory)}", room) if room > 12 else ""
    click.echo(f"{hit.score:.2f}  {style(memory.key, 'bold')}{style(details, 'dim')}")
    lines = [piece for line in memory.body.split("\n") for piece in indented(line, indent)]
    for line in (*(f"{indent}{remark}" for remark in _remarks(hit, stale)), *lines[:_MAX_LINES]):
        click.echo(line.rstrip())
    _print_rest(hit, len(lines), indent)


def _print_rest(hit: Hit, lines: int, indent: str = "  ") -> None:
    if lines > _MAX_LINES:
        more = runnable(f"… {count(lines - _MAX_LINES, 'more line')}: holdfast show {hit.memory.key}")
        click.echo(f"{indent}{style(more, 'dim')}")


def _remarks(hit: Hit, stale: str) -> list[str]:
    replaced = [f"replaced by {hit.superseded_by}"] if hit.superseded_by else []
    earlier = runnable(f"the words stand in an earlier statement: holdfast history {hit.memory.key}")
    return [*replaced, *([stale] if stale else []), *([earlier] if hit.earlier else [])]


@command("related", "holdfast related deploys-need-the-vpn", sees=HERE)
@click.argument("key", type=options.KEY)
@options.scope("Only a memory of this scope.")
@options.limit(LIMIT, 1000)
def _related(workspace: Workspace, key: str, scope: str | None, limit: int) -> None:
    """Show what is related to a memory, one step away: links, replacements, the nearest by meaning; each with why."""
    found = related(workspace, key, scope=scope, limit=limit)
    if emit_json({"key": key, "related": [_related_json(each) for each in found]}):
        return
    for each in found:
        if on_terminal():
            click.echo(flowing(f"{each.memory.key}  {', '.join(each.why)}: {each.memory.title}", lead=each.memory.key))
        else:
            click.echo(f"{', '.join(each.why):20}  {heading(each.memory)}  {each.memory.title}")
    if not found:
        say_empty(workspace, "nothing that is visible here is related to it")


def _related_json(each: Related) -> dict[str, object]:
    """Return a related memory as `--json` promises it (docs/json.md)."""
    return {**memory_json(each.memory), "why": list(each.why)}


@command("list", "holdfast list --scope global --tag deploy", sees=HERE)
@options.scope("Only this scope.")
@_types
@_tags
@options.since("Updated since")
@options.limit(None, shown=_MAX_LISTED)
@click.option("--all", "everything", is_flag=True, help="All of them, not only the newest.")
@options.everywhere("In every scope of every project.")
def _list(workspace: Workspace, /, limit: int | None, everything: bool, **asked: Any) -> None:
    """List memories, newest first. Looking does not count as use."""
    wanted = None if everything else limit or _MAX_LISTED
    found = list_memories(workspace, limit=None if wanted is None else wanted + 1, **asked)
    listed = [(memory, replaced_by(workspace, memory)) for memory in found[:wanted]]
    more = wanted is not None and len(found) > wanted
    memories = [{**memory_json(memory), "superseded_by": newer} for memory, newer in listed]
    if emit_json({"memories": memories, "more": more}):
        return
    if on_terminal():
        _show_list(listed)
    else:
        for memory, newer in listed:
            click.echo(f"{heading(memory)}  {memory.title}" + (f"  (replaced by {newer})" if newer else ""))
    if more:
        say(f"the newest {wanted}; --all shows the rest")
    if not listed:
        asked_for = any(asked[name] for name in ("scope", "types", "tags", "since"))
        empty = 'nothing here yet: holdfast remember "..."'
        say_empty(workspace, "nothing like that is visible here" if asked_for else empty)


def _show_list(listed: list[tuple[Memory, str]]) -> None:
    """Show memories on a terminal, those of a scope together; what is pinned or replaced says so first."""
    scopes = list(dict.fromkeys(memory.scope for memory, _ in listed))
    rows, under = [], []
    for memory, newer in sorted(listed, key=lambda each: scopes.index(each[0].scope)):
        marks = f"{'pinned · ' if memory.pinned else ''}{f'replaced by {newer} · ' if newer else ''}"
        rows.append((memory.key, memory.updated[:10], f"{marks}{memory.title} {tags_of(memory)}"))
        under.append(f"{memory.scope.kind} {memory.scope.owner}".rstrip())
    print_table(("key", "updated", "title"), rows, under=under, cuts="key")
