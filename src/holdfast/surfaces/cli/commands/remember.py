"""The command that stores a memory."""

from __future__ import annotations

from typing import Any

import click

from holdfast.base.text import one_line
from holdfast.memory.remember import remember
from holdfast.records import STRENGTHS, TRUSTS, TYPES, USUAL, Memory
from holdfast.rules.lookup import held_all_the_same
from holdfast.rules.rule import OFF, as_fields, condition_of
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import emit_json, heading, memory_json, say, text_of
from holdfast.workspace import Workspace

_MAX_REPLACED = 200


@command("remember", 'holdfast remember "Deploys need the VPN." --tag deploy', sees=HERE)
@options.text("text")
@options.scope("Where it holds. Default: project.", default="project")
@click.option("--key", "-k", shell_complete=options.complete_key, help="Its key; default: the first six words.")
@click.option("--title", help="Its title; default: the first sentence.")
@click.option(
    "--type", "-t", type=click.Choice(TYPES), help="What it is. Default: feedback for an order, else project."
)
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated, or several with commas.")
@click.option("--trust", type=click.Choice(TRUSTS), default="user", help="Who says so. Default: user.")
@click.option("--source", default="cli", help="Where it comes from.")
@click.option("--agent", default="", help="The agent that stores it.")
@click.option("--supersedes", multiple=True, type=options.KEY, metavar="KEY", help="The key of what this replaces.")
@click.option("--pin", is_flag=True, help="Never let it expire.")
@click.option("--when", metavar="CONDITION", help="Give it at these calls: `git push`, `src/*.ts`; none: at no call.")
@click.option(
    "--enforce",
    type=click.Choice((*STRENGTHS, USUAL)),
    help="What it does there: say it, hold the call, ask, deny; default: what its words say.",
)
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
    rule = as_fields(memory, workspace.settings.text("rules.strongest"))
    if emit_json({**fields, "memory": memory_json(memory), **rule}):
        return
    click.echo(f"{stored.action}  {heading(memory)}")
    say_condition(workspace, memory)
    for line in held_all_the_same(workspace, memory):
        say(line)
    if stored.replaced:
        before = one_line(stored.replaced, _MAX_REPLACED)
        say(f"what it said before is kept (holdfast history {memory.key}): {before}")
    if stored.beside and stored.action == "created":
        say(f"{stored.beside} begins the same but says something else; to change that one: --key {stored.beside}")


def say_condition(workspace: Workspace, memory: Memory) -> None:
    """Say at which calls a memory is told, and which agents have no hook there yet."""
    lines = condition_of(memory, workspace.settings.text("rules.strongest"))
    if lines and not workspace.settings.flag("rules.enabled"):
        lines = [lines[0], OFF]
    for number, line in enumerate(lines):
        say(f"  {line}" if number else line)
    if any("tool: " in line for line in lines[:1]):
        # Few rules name a tool, and nothing else here needs what installs.
        from holdfast.app import install

        for agent, folder, way in install.outdated(workspace):
            where = f" in {folder}" if folder else ""
            say(f"{agent.title}{where} is not asked at every such call until you run: {way}")
