"""`holdfast audit`."""

from __future__ import annotations

import click

from holdfast.base.text import count
from holdfast.exchange.audit import audit
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import emit_json, print_problems, say
from holdfast.workspace import Workspace

_SHOWN = 50


@command("audit", "holdfast audit ~/.claude/projects/-code-shop/memory")
@click.argument("path", type=click.Path())
def _audit(workspace: Workspace, path: str) -> None:
    """Look through another tool's store: duplicates, contradictions, dead paths, secrets, what would be imported.

    PATH is a Markdown file or a folder of them, memory.jsonl of the MCP memory server, an export of mem0, or
    claude-mem's database. Nothing is changed, there or here.
    """
    found = audit(workspace, path)
    fields = {"tool": found.tool, "files": found.files, "statements": found.statements, "imports": found.imports}
    if emit_json({**fields, "problems": found.problems}):
        return
    print_problems(found.problems[:_SHOWN])
    if len(found.problems) > _SHOWN:
        say(f"... and {len(found.problems) - _SHOWN:,} more; --json has all")
    click.echo(f"{found.tool}: {count(found.statements, 'statement')} in {count(found.files, 'file')}")
    verdicts = [f"{number:,} {name}" for name, number in found.imports.items() if number]
    click.echo(f"an import would find {', '.join(verdicts) or 'nothing'}")
