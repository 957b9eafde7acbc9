"""The commands that store a memory, and act on memories by their keys, or on all of a scope."""

from __future__ import annotations

import os
from typing import Any

import click

from holdfast.app import erase
from holdfast.base.text import count, one_line
from holdfast.memory import anchors, combine, forget, move, show
from holdfast.memory.edit import edit, set_rule
from holdfast.memory.remember import pin, remember
from holdfast.memory.show import history
from holdfast.records import SCOPES, STRENGTHS, TRUSTS, TYPES, Memory, asdict
from holdfast.rules.rule import condition_of, rule_of
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import (
    answer,
    confirm_steps,
    emit_json,
    heading,
    memory_json,
    plan_json,
    print_plan,
    report_applied,
    say,
    text_of,
    why_empty,
)
from holdfast.surfaces.cli.tables import on_terminal
from holdfast.workspace import Workspace

_MAX_REPLACED = 200


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
    stale = workspace.fresh().warning(memory) if memory.anchors else ""
    newer = show.replaced_by(workspace, memory)
    if not emit_json(
        {**memory_json(memory, history=True), "stale": stale, "rule": None if newer else _rule_json(memory)}
    ):
        data = show.data(workspace, memory)
        is_exact = raw and not on_terminal()
        click.echo(data if is_exact else data.decode("utf-8", "surrogateescape"), nl=False)
        if stale:
            say(f"{stale}; if it still holds: holdfast confirm {memory.key}")
        if newer:
            say(f"no longer given to agents: {newer} replaces it")
        elif condition := condition_of(memory):
            say(condition)


def _rule_json(memory: Memory) -> dict[str, object] | None:
    rule = rule_of(memory)
    if rule is None:
        return None
    fields = {"does": rule.does, "origin": rule.origin, "words": rule.words, "why": rule.why}
    return {"when": str(rule.condition), **fields}


@command("history", "holdfast history deploys-need-the-vpn", sees=HERE, reads=True)
@options.one_memory
def _history(workspace: Workspace, key: str, scope: str | None) -> None:
    """Show what a memory says and what it said before, newest first."""
    memory, statements = history(workspace, key, scope=scope)
    listed = [asdict(statement) for statement in statements]
    if emit_json({"key": memory.key, "scope": memory.scope.kind, "statements": listed}):
        return
    click.echo(heading(memory))
    for statement in statements:
        click.echo(f"\n{statement.at}")
        for line in statement.text.split("\n"):
            click.echo(f"  {line}")


@command("edit", "holdfast edit deploys-need-the-vpn", sees=HERE, json=False)
@options.one_memory
@click.option("--when", metavar="CONDITION", help="Only change at which calls it is given; none: at no call.")
@click.option("--enforce", type=click.Choice(STRENGTHS), help="Only change what it does there.")
def _edit(workspace: Workspace, key: str, scope: str | None, when: str | None, enforce: str | None) -> None:
    """Edit a memory in your editor: $VISUAL, $EDITOR, or the one that git uses.

    You may as well open its file yourself (`holdfast show KEY --path`); the next recall sees it.
    """
    if when is not None or enforce is not None:
        memory = set_rule(workspace, key, when, enforce, scope)
        click.echo(f"updated  {heading(memory)}")
        _say_condition(workspace, memory, "no condition")
        return
    memory, changed = edit(workspace, key, scope=scope)
    click.echo(f"{'updated' if changed else 'unchanged'}  {heading(memory)}")


def _say_condition(workspace: Workspace, memory: Memory, otherwise: str = "") -> None:
    """Say at which calls a memory is told, and which agents have no hook there yet."""
    told_at = condition_of(memory) or otherwise
    if told_at:
        say(told_at)
    if "tool:" in memory.when:
        # Few rules name a tool, and nothing else here needs what installs.
        from holdfast.app import install

        for agent, folder, way in install.outdated(workspace):
            where = f" in {folder}" if folder else ""
            say(f"{agent.title}{where} is not asked at every such call until you run: {way}")


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
    held = [anchors.confirm(workspace, memory) for memory in [workspace.locate(key, scope) for key in keys]]
    if not emit_json({"confirmed": [memory_json(memory) for memory in held]}):
        for memory in held:
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
    """Unpin a memory: the rules of its scope hold for it again."""
    memory = pin(workspace, key, scope=scope, pinned=False)
    answer(memory_json(memory), f"unpinned  {heading(memory)}")


@command("move", "holdfast move answer-in-english --to global", sees=HERE)
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
    """Make one memory of several. The others are superseded by it and stay, with their history; it can be undone."""
    draft, _, steps = combine.plan(workspace, keys, into=into, text=text, scope=scope)
    dry_run = invocation().dry_run
    merged = None if dry_run else combine.apply(workspace, draft)
    if emit_json({**plan_json(steps, applied=not dry_run), "text": draft.text}):
        return
    if dry_run:
        print_plan(steps)
    click.echo(draft.text if merged is None else f"merged  {heading(merged)}")


@command("forget", "holdfast forget deploys-need-the-vpn", sees=HERE)
@click.argument("keys", nargs=-1, required=True, type=options.KEY)
@options.scope("Only this scope.")
@options.consent
def _forget(workspace: Workspace, keys: tuple[str, ...], scope: str | None) -> None:
    """Forget memories for good. A tombstone without their words stays, so that no import brings them back."""
    memories, steps = forget.plan(workspace, keys, scope=scope)
    if confirm_steps(steps, "nothing to forget"):
        erase.forget_memories(workspace, memories)
        report_applied(steps, f"forgotten: {', '.join(memory.key for memory in memories)}")


@command("clear", "holdfast clear --scope session --session 4f2a --dry-run", sees=HERE)
@options.scope("The scope to clear.", required=True)
@options.consent
def _clear(workspace: Workspace, scope: str) -> None:
    """Forget every memory of a scope."""
    memories, steps = forget.plan_scope(workspace, scope)
    if confirm_steps(steps, "the scope is empty"):
        erase.forget_memories(workspace, memories, command="clear")
        report_applied(steps, f"cleared {workspace.scope(scope)}: {count(len(memories), 'memory')} forgotten")


@command("remember", 'holdfast remember "Deploys need the VPN." --tag deploy', sees=HERE)
@options.text("text")
@options.scope("Where it holds. Default: project.", default="project")
@click.option("--key", "-k", shell_complete=options.complete_key, help="Its key; default: the first six words.")
@click.option("--title", help="Its title; default: the first sentence.")
@click.option(
    "--type", "-t", type=click.Choice(TYPES), help="What it is. Default: feedback for an order, else project."
)
@click.option("--tag", "tags", multiple=True, help="A tag; may be given several times, or with commas.")
@click.option("--trust", type=click.Choice(TRUSTS), default="user", help="Who says so. Default: user.")
@click.option("--source", default="cli", help="Where it comes from.")
@click.option("--agent", default="", help="The agent that stores it.")
@click.option("--supersedes", multiple=True, type=options.KEY, metavar="KEY", help="The key of what this replaces.")
@click.option("--pin", is_flag=True, help="Never let it expire.")
@click.option("--when", metavar="CONDITION", help="Give it at these calls: `git push`, `src/*.ts`; none: at no call.")
@click.option("--enforce", type=click.Choice(STRENGTHS), help="What it does there: say it, hold the call, ask, deny.")
def _remember(workspace: Workspace, /, text: tuple[str, ...], tags: tuple[str, ...], pin: bool, **asked: Any) -> None:
    """Store a memory. TEXT is taken from the arguments, or from standard input where there are none or `-`.

    Storing under a given key that is there already updates it; what it said before is kept as its history. Without a
    key, only the same statement in other spelling does that: any other becomes a memory of its own.
    """
    statement = text_of(text, 'holdfast remember "Deploys need the VPN."', "remember")
    stored = remember(workspace, statement, tags=tags or None, pinned=True if pin else None, **asked)
    memory = stored.memory
    fields = {
        "action": stored.action,
        "redacted": stored.redacted,
        "replaced": stored.replaced,
        "beside": stored.beside,
    }
    if emit_json({**fields, "memory": memory_json(memory)}):
        return
    click.echo(f"{stored.action}  {heading(memory)}")
    _say_condition(workspace, memory)
    if stored.replaced:
        before = one_line(stored.replaced, _MAX_REPLACED)
        say(f"what it said before is kept (holdfast history {memory.key}): {before}")
    if stored.beside and stored.action == "created":
        say(f"{stored.beside} begins alike and says something else; to change that one: --key {stored.beside}")
