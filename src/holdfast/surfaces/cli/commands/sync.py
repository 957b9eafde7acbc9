"""`holdfast sync`."""

from __future__ import annotations

import click

from holdfast.app import sync
from holdfast.base.text import count
from holdfast.exchange.sync import connection, run
from holdfast.exchange.sync.run import Synced
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import answer, emit_json, print_plan
from holdfast.workspace import Workspace


@group("sync", "holdfast sync --dry-run")
@options.consent
def _sync(workspace: Workspace) -> None:
    """Keep this home in step with your other machines, through a git remote of your own.

    A change on one of them reaches the others. Where two changed one memory differently, one version stands, the other
    becomes its history, and `holdfast proposals` asks you. What was forgotten anywhere is forgotten everywhere.
    """
    asked = invocation()
    done = sync.sync(workspace, dry_run=asked.dry_run, yes=asked.yes)
    if emit_json(done):
        return
    report = _report(done)
    if asked.dry_run and done.steps():
        print_plan(done.steps())
        # Nothing was received or sent.
        report = report[1:]
    for line in report:
        click.echo(line)


def _report(done: Synced) -> list[str]:
    if done.offline:
        return [f"not synced: {done.offline}", "what changed here goes with the next sync that reaches it"]
    counts = [(len(done.received), "received"), (len(done.sent), "sent"), (len(done.removed), "removed")]
    said = ", ".join(f"{number:,} {what}" for number, what in counts if number)
    found = [said or "nothing new on either side"]
    if done.conflicts:
        number = count(len(set(done.conflicts)), "memory")
        found.append(f"two machines disagree on {number}; decide: holdfast proposals review")
    found += [
        f"{name} was changed here and forgotten on another machine; it stays forgotten"
        for name in done.forgotten
        if name not in done.asked
    ]
    found += [
        f"{name} was stored or approved here and forgotten on another machine; decide: holdfast proposals"
        for name in done.asked
    ]
    if done.elsewhere:
        number = count(done.elsewhere, "memory")
        found.append(f"{number} that you forgot here had changed on another machine; what is forgotten stays forgotten")
    found += [f"what another machine published first stands, not yours: {what}" for what in done.gave_way]
    found += [f"{name} was forgotten on one machine; what another had said there stays" for name in done.left]
    found += [f"{name} lost words that were erased on another machine, and is struck through" for name in done.struck]
    found += [f"{path} has a secret in it and stays here" for path in done.held_back]
    found += [f"{path} of the remote has a secret in it and is not taken over" for path in done.held_out]
    found += [f"{path} is too large or is not UTF-8 text, and stays here" for path in done.left_out]
    found += [f"{path} cannot be put here: another file or folder is in its way" for path in done.not_put]
    found += [done.kept_history, f"  {run.WAY_OUT}."] if done.kept_history else []
    return found


@_sync.sub("init", "holdfast sync init git@host.example:me/memory.git")
@click.argument("url", required=False, default="")
def _init(workspace: Workspace, url: str) -> None:
    """Connect this home with URL: a private git remote, a bare repository on a stick, or a folder.

    Without URL, it uses the remote of a home that you put under git yourself. Git uses your own credentials.
    """
    found = connection.init(workspace, url)
    answer({"url": found}, f"this home syncs with {found}; now: holdfast sync")


@_sync.sub("status", "holdfast sync status")
def _status(workspace: Workspace) -> None:
    """Show where this home syncs to, and what waits to be sent."""
    found = connection.status(workspace)
    if not found.url:
        answer(found, "this home has no remote to sync with; `holdfast sync init URL` connects it")
        return
    waits = f"{count(found.waiting, 'file')} changed here since" if found.waiting else "nothing changed here since"
    reached = f"; last reached {found.reached[:16]}Z" if found.reached else ""
    answer(found, f"{found.url}, generation {found.generation}; {waits}{reached}")


@_sync.sub("leave", "holdfast sync leave")
def _leave(workspace: Workspace) -> None:
    """Disconnect this home. It and the remote stay as they are."""
    url = connection.status(workspace).url
    connection.leave(workspace)
    answer({"left": url}, f"left {url}" if url else "this home has no remote to sync with")
