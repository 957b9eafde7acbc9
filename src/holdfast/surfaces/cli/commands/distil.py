"""`holdfast distil`."""

from __future__ import annotations

import click

from holdfast.continuity.distil_project import Distilled, distil
from holdfast.continuity.distil_with import Help
from holdfast.surfaces.cli.commands.proposals import decision_json, heading, proposal_json
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_workspace
from holdfast.workspace import Workspace

_COUNTED = ("known", "waiting", "rejected", "refused", "left_out")
_TOLD = ("by", "will_send", "sent", "answered", "spent_today", "cap", "failed")


@make_command("distil", "holdfast distil --since 2w --dry-run")
@click.option("--since", default="", metavar="TIME", help="Only from then on: 7d, yesterday, 2026-11-01.")
@click.option("--with", "wish", default="", metavar="NAME|URL", help="Ask this agent, or this endpoint, for help.")
@click.option("--dry-run", "-n", is_flag=True, help="Say what would be proposed; write and send nothing.")
@json_option
@with_workspace
def command(workspace: Workspace, since: str, wish: str, dry_run: bool, as_json: bool) -> None:
    """Propose entries for the page of this project, MEMORY.md, from its daily logs, digests, decisions and to-dos.

    Nothing stands on the page until you approve it: holdfast proposals review.
    """
    done = distil(workspace, since=since, dry_run=dry_run, wish=wish)
    if as_json:
        print_json(_json(done, dry_run))
        return
    for proposal in done.proposals:
        click.echo(f"{heading(proposal)}\n          {proposal.evidence}")
    for one in done.taken_back:
        click.echo(f"{one.act}  {heading(one.proposal)}\n          {one.why}")
    if done.help:
        _tell_help(done.help)
    counts = [f"{getattr(done, name)} {name.replace('_', ' ')}" for name in _COUNTED if getattr(done, name)]
    counts += [f"{len(done.taken_back)} taken back"] if done.taken_back and not dry_run else []
    counts += [f"{len(done.taken_back)} would be taken back"] if done.taken_back and dry_run else []
    would = "would be proposed" if dry_run else "proposed"
    say("; ".join([f"{len(done.proposals)} {would} from {done.sessions} session(s) since {done.since[:10]}", *counts]))
    if done.proposals and not dry_run:
        say("decide: holdfast proposals review")


def _tell_help(help: Help) -> None:
    spent = f"{help.spent_today:,} of {help.cap:,} tokens spent today"
    if help.failed:
        say(f"no help: {help.failed} (about {help.will_send:,} tokens to send; {spent})")
    else:
        say(f"{help.by} took {help.sent:,} tokens and answered with {help.answered:,}; {spent}")
    for why in help.dropped:
        say(f"dropped of its answer: {why}")


def _json(done: Distilled, dry_run: bool) -> dict[str, object]:
    told = {name: getattr(done, name) for name in ("project", "path", "since", "sessions", *_COUNTED)}
    help = done.help
    asked = {name: getattr(help, name) for name in _TOLD} | {"dropped": list(help.dropped)} if help else None
    proposals = [proposal_json(one) for one in done.proposals]
    back = [decision_json(one) for one in done.taken_back]
    return {**told, "proposals": proposals, "taken_back": back, "help": asked, "applied": not dry_run}
