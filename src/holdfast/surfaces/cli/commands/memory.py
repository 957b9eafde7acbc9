"""The commands that act on memories by their keys."""

from __future__ import annotations

import os

import click

from holdfast.memory import anchors, combine, move, show
from holdfast.memory.edit import edit, set_rule
from holdfast.memory.remember import pin
from holdfast.memory.show import history
from holdfast.records import SCOPES, STRENGTHS, USUAL
from holdfast.rules.rule import as_fields
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.commands.remember import say_condition
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import (
    answer,
    emit_json,
    heading,
    memory_json,
    plan_json,
    print_plan,
    say,
    why_empty,
)
from holdfast.surfaces.cli.tables import on_terminal
from holdfast.workspace import Workspace


@command("show", "holdfast show deploys-need-the-vpn", sees=HERE, reads=True)
@options.one_memory
@click.option("--path", "only_path", is_flag=True, help="Print the path of its file and nothing else.")
@click.option("--raw", is_flag=True, help="Print the bytes of its file, also those that no terminal should be given.")
def _show(workspace: Workspace, key: str, scope: str | None, only_path: bool, raw: bool) -> None:
    """Show one memory as its file has it, history and all. Looking does not count as use."""
    memory = show.show(workspace, key, scope=scope)
    if only_path:
        path = os.path.join(workspace.store.tree.root, memory.path)
        answer({"path": path}, path)
        return
    to_confirm = [one.warning for one in anchors.stale(workspace, [memory])]
    stale = "".join(to_confirm) or (workspace.fresh().warning(memory) if memory.anchors else "")
    newer = show.replaced_by(workspace, memory)
    rule = as_fields(memory, workspace.settings.text("rules.strongest"))
    fields = {"rule": None, "left_out": [], "told_nowhere": False} if newer else rule
    if not emit_json({**memory_json(memory, history=True), "stale": stale, **fields}):
        data = show.data(workspace, memory)
        is_exact = raw and not on_terminal()
        click.echo(data if is_exact else data.decode("utf-8", "surrogateescape"), nl=False)
        if to_confirm:
            say(f"{stale}; if it still holds: holdfast confirm {memory.key}")
        elif stale:
            say(f"{stale}, which agents are told with it; to write it so: holdfast edit {memory.key}")
        if newer:
            say(f"no longer given to agents: {newer} replaces it")
        else:
            say_condition(workspace, memory)


@command("history", "holdfast history deploys-need-the-vpn", sees=HERE, reads=True)
@options.one_memory
def _history(workspace: Workspace, key: str, scope: str | None) -> None:
    """Show what a memory says and what it said before, newest first."""
    memory, statements = history(workspace, key, scope=scope)
    if emit_json({"key": memory.key, "scope": memory.scope.kind, "statements": statements}):
        return
    click.echo(heading(memory))
    for statement in statements:
        click.echo(f"\n{statement.at}")
        for line in statement.text.split("\n"):
            click.echo(f"  {line}")


_RESTATE = 'To say it otherwise: holdfast remember --key KEY "TEXT"'
_MOVE_TO = "Say where it goes with --to: holdfast move KEY --to global"


@command("edit", "holdfast edit deploys-need-the-vpn", sees=HERE, json=False, instead=_RESTATE)
@options.one_memory
@click.option("--when", metavar="CONDITION", help="Only change at which calls it is given; none: at no call.")
@click.option(
    "--enforce",
    type=click.Choice((*STRENGTHS, USUAL)),
    help="Only change what it does there; default: what its words say.",
)
def _edit(workspace: Workspace, key: str, scope: str | None, when: str | None, enforce: str | None) -> None:
    """Edit a memory in your editor: $VISUAL, $EDITOR, or the one that git uses.

    You can also open its file yourself (`holdfast show KEY --path`); the next recall sees it.
    """
    if when is not None or enforce is not None:
        memory = set_rule(workspace, key, when, enforce, scope)
        click.echo(f"updated  {heading(memory)}")
        say_condition(workspace, memory)
        return
    memory, changed = edit(workspace, key, scope=scope)
    click.echo(f"{'updated' if changed else 'unchanged'}  {heading(memory)}")
    for problem in [one for one in workspace.store.problems() if changed and one.path == memory.path]:
        say(f"{problem.text}. {problem.hint}")


@command("confirm", "holdfast confirm tokens-expire-after-15-minutes", sees=HERE)
@click.argument("keys", nargs=-1, type=options.KEY)
@options.scope("Only this scope.")
def _confirm(workspace: Workspace, keys: tuple[str, ...], scope: str | None) -> None:
    """Say that memories still hold although the code that they name changed; without a key, list those to look at.

    They are anchored to the code as it is now. What no longer holds: `holdfast edit` or `holdfast forget`.
    """
    if not keys:
        _list_stale(workspace, scope)
        return
    workspace.need_enabled()
    held = [(memory, anchors.confirm(workspace, memory)) for memory in [workspace.locate(key, scope) for key in keys]]
    for before, after in held:
        if lost := anchors.let_go(before, after):
            say(f"{after.key}: {lost}. To say what holds now: holdfast edit {after.key}")
    if not emit_json({"confirmed": [memory_json(memory) for _, memory in held]}):
        for _, memory in held:
            click.echo(f"confirmed  {heading(memory)}")


def _list_stale(workspace: Workspace, scope: str | None) -> None:
    found = anchors.stale(workspace, show.list_memories(workspace, scope=scope))
    if emit_json({"stale": [{**memory_json(one.memory), "stale": one.warning} for one in found]}):
        return
    for one in found:
        click.echo(f"{heading(one.memory)}\n  {one.memory.title}\n  {one.warning}")
        for way in one.ways:
            click.echo(f"  {way}")
    ways = "it holds: holdfast confirm KEY; it does not: holdfast edit KEY, or holdfast forget KEY"
    say(ways if found else why_empty(workspace, "the code that memories name is as it was"))


@command("pin", "holdfast pin deploys-need-the-vpn", sees=HERE)
@options.one_memory
def _pin(workspace: Workspace, key: str, scope: str | None) -> None:
    """Pin a memory: it never expires, and comes first where memories are handed to an agent."""
    memory = pin(workspace, key, scope=scope)
    answer(memory_json(memory), f"pinned  {heading(memory).removesuffix('  pinned')}")


@command("unpin", "holdfast unpin deploys-need-the-vpn", sees=HERE)
@options.one_memory
def _unpin(workspace: Workspace, key: str, scope: str | None) -> None:
    """Unpin a memory: the rules of its scope apply to it again."""
    memory = pin(workspace, key, scope=scope, pinned=False)
    answer(memory_json(memory), f"unpinned  {heading(memory)}")


@command("move", "holdfast move answer-in-english --to global", sees=HERE, instead=_MOVE_TO)
@click.argument("key", type=options.KEY)
@options.scope("The scope it is in now.")
@click.option("--to", type=click.Choice(SCOPES), help="The scope to move it to.")
@click.option("--key", "-k", "new_key", help="Its new key.")
@options.dry_run()
def _move(workspace: Workspace, key: str, scope: str | None, to: str | None, new_key: str | None) -> None:
    """Move a memory to another scope or give it another key. History, tags and dates go with it; links follow."""
    planned, steps = move.plan(workspace, key, scope=scope, to=to, new_key=new_key)
    dry_run = invocation().dry_run
    if not dry_run:
        move.apply(workspace, planned)
    if emit_json(plan_json(steps, applied=not dry_run)):
        return
    if dry_run:
        print_plan(steps)
    for step in () if dry_run else steps:
        click.echo(f"{'moved' if step.act == 'move' else 'relinked'}  {step.target}  {step.reason}")


@command("merge", "holdfast merge use-tabs indent-with-tabs --dry-run", sees=HERE)
@click.argument("keys", nargs=-1, required=True, type=options.KEY)
@options.scope("The scope they are in.")
@click.option(
    "--into", default="", metavar="KEY", type=options.KEY, help="Which of them says it all; without it, the first."
)
@click.option("--text", default="", help="What it says; without it, what all of them say.")
@options.dry_run()
def _merge(workspace: Workspace, keys: tuple[str, ...], scope: str | None, into: str, text: str) -> None:
    """Make one memory of several. The others are superseded by it and stay, with their history.

    `holdfast updates undo` undoes it. Forgetting the one memory forgets the others with it.
    """
    draft, _, steps = combine.plan(workspace, keys, into=into, text=text, scope=scope)
    dry_run = invocation().dry_run
    merged = None if dry_run else combine.apply(workspace, draft)
    if emit_json({**plan_json(steps, applied=not dry_run), "text": draft.text}):
        return
    if dry_run:
        print_plan(steps)
    click.echo(draft.text if merged is None else f"merged  {heading(merged)}")
