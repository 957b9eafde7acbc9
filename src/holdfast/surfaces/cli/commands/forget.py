"""The commands that forget memories, by their keys or all of a scope; no other command waits for what they load."""

from __future__ import annotations

import click

from holdfast.app import erase
from holdfast.base.text import count
from holdfast.memory import forget
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import confirm_steps, report_applied
from holdfast.workspace import Workspace


@command("forget", "holdfast forget deploys-need-the-vpn", sees=HERE)
@click.argument("keys", nargs=-1, required=True, type=options.KEY)
@options.scope("Only this scope.")
@options.consent
def _forget(workspace: Workspace, keys: tuple[str, ...], scope: str | None) -> None:
    """Forget memories for good. A tombstone without their words stays, so that no import brings them back."""
    if not invocation().dry_run and erase.finish_same(workspace, keys):
        report_applied((), f"forgotten: {', '.join(keys)}")
        return
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
