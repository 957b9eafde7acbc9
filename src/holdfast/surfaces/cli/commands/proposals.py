"""`holdfast proposals`."""

from __future__ import annotations

import click

from holdfast.app.proposals import approve, reject, review
from holdfast.base.terminal import style
from holdfast.errors import BadInput
from holdfast.memory import anchors, proposals
from holdfast.memory.proposals import Decision
from holdfast.memory.show import list_memories
from holdfast.records import Memory, Proposal
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.commands.remember import say_condition
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import emit_json, need_terminal, say, say_problems, scoped_json, why_empty
from holdfast.workspace import Workspace

_ANSWERS = ("a", "e", "r", "s", "q")


@group("proposals", "holdfast proposals")
def _list(workspace: Workspace) -> None:
    """List what was found and waits to become a memory, oldest first. Nothing is remembered until you approve it."""
    found, problems = proposals.waiting(workspace)
    if emit_json({"proposals": [scoped_json(one) for one in found], "problems": problems}):
        return
    for proposal in found:
        click.echo(f"{heading(proposal)}\n          {proposal.source}")
    say_problems(problems)
    if stale := anchors.stale(workspace, list_memories(workspace)):
        are = "memory names" if len(stale) == 1 else "memories name"
        say(f"{len(stale)} {are} code that changed since: holdfast confirm lists them")
    say("decide: holdfast proposals review" if found else why_empty(workspace, "no proposal waits"))


@_list.sub("show", "holdfast proposals show 1a2b")
@options.id
def _show(workspace: Workspace, name: str) -> None:
    """Show one proposal: its text, and where it comes from."""
    proposal = proposals.show(workspace, name)
    near = proposals.alike(workspace, proposal)
    if not emit_json({**scoped_json(proposal), "alike": [memory.key for memory in near]}):
        _print_whole(proposal, near)


@_list.sub("approve", "holdfast proposals approve 1a2b 3c4d")
@click.argument("names", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that wait.")
def _approve(workspace: Workspace, names: tuple[str, ...], everything: bool) -> int:
    """Make memories of proposals. An ID may be cut short. What was forgotten or corrected since is refused."""
    if everything == bool(names):
        raise BadInput("which proposals?", "Give the IDs, or --all.")
    workspace.need_person("approves what was proposed")
    decided = approve(workspace, proposals.every_id(workspace) if everything else names)
    code = tell_decisions(decided)
    for one in decided:
        if one.act == "approved" and one.key and one.proposal.kind == "memory":
            say_condition(workspace, workspace.locate(one.key))
    return code


@_list.sub("reject", 'holdfast proposals reject 1a2b --reason "no longer true"')
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="Why, for your own records.")
def _reject(workspace: Workspace, names: tuple[str, ...], reason: str) -> int:
    """Reject proposals for good: the same statement is not proposed again, wherever it is found."""
    return tell_decisions(reject(workspace, names, reason=reason))


@_list.sub("snooze", "holdfast proposals snooze 1a2b --days 14")
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--days", type=int, default=proposals.SNOOZE_DAYS, show_default=True, metavar="N", help="For how many days."
)
def _snooze(workspace: Workspace, names: tuple[str, ...], days: int) -> int:
    """Put proposals off: they are shown again after some days."""
    return tell_decisions(proposals.snooze(workspace, names, days=days))


@_list.sub("edit", "holdfast proposals edit 1a2b", json=False)
@options.id
def _edit(workspace: Workspace, name: str) -> None:
    """Edit a proposal in your editor before you approve it."""
    proposal, changed = proposals.edit(workspace, name)
    click.echo(f"{'updated' if changed else 'unchanged'}  {heading(proposal)}")


@_list.sub("review", "holdfast proposals review", json=False)
def _review(workspace: Workspace) -> None:
    """Walk through what waits, one by one, on a terminal: approve, edit, reject, skip or quit."""
    need_terminal("Use `holdfast proposals`, then approve or reject by ID.")

    def ask(proposal: Proposal, place: int, total: int) -> str:
        click.echo(f"\n[{place}/{total}]")
        _print_whole(proposal, proposals.alike(workspace, proposal))
        text = "(a)pprove (e)dit (r)eject (s)kip (q)uit"
        answer: str = click.prompt(text, type=click.Choice(_ANSWERS), show_choices=False, default="s")
        return answer

    say_problems(proposals.waiting(workspace)[1])
    decided = [decision for decision in review(workspace, ask) if _tell_decision(decision)]
    say(f"{len(decided)} decided" if decided else why_empty(workspace, "nothing was decided"))


def _print_whole(proposal: Proposal, near: list[Memory]) -> None:
    click.echo(f"{heading(proposal)}\n\n{proposal.text}\n")
    tags = f", tags {', '.join(proposal.tags)}" if proposal.tags else ""
    found = f"found {proposal.created[:10]}, type {proposal.type}{tags}"
    click.echo(f"from {proposal.source} ({proposal.evidence}), {found}")
    for memory in near:
        click.echo(f"nearly the same: {memory.scope}/{memory.key}  {memory.title}")


def heading(proposal: Proposal) -> str:
    """Return the line that names a proposal: id, scope, title."""
    return f"{style(proposal.id, 'bold')}  {proposal.scope}  {proposal.title}"


def tell_decisions(decisions: list[Decision]) -> int:
    """Say what became of each proposal and return the exit code: that of the first refusal, if there was one."""
    if not emit_json({"decisions": [decision_json(one) for one in decisions]}):
        for one in decisions:
            _tell_decision(one)
    return next((one.exit_code for one in decisions if one.exit_code), 0)


def _tell_decision(one: Decision) -> bool:
    """Say what became of a proposal, and return whether that was decided."""
    why = {"refused": f"  {one.why}", "snoozed": f"  until {one.why[:10]}"}.get(one.act, "")
    detail = f"  as {one.key}" if one.key else why
    click.echo(f"{one.act:8}  {heading(one.proposal)}{detail}")
    return one.act in ("approved", "rejected")


def decision_json(decision: Decision) -> dict[str, object]:
    """Return a decision as `--json` promises it (docs/json.md)."""
    return {
        "id": decision.proposal.id,
        "act": decision.act,
        "key": decision.key,
        "why": decision.why,
        "update": decision.update,
    }
