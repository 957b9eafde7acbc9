"""What finds proposals: `holdfast import` and `holdfast distil`."""

from __future__ import annotations

from typing import Any

import click

from holdfast.base.text import count
from holdfast.continuity.distil import Distilled, distil
from holdfast.continuity.distil_ask import Help
from holdfast.errors import BadInput
from holdfast.exchange import bundle
from holdfast.exchange.import_learning import import_learning
from holdfast.exchange.import_memories import FileImport, import_memories
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.commands.proposals import decision_json, heading, tell_decisions
from holdfast.surfaces.cli.making import PROJECT, command
from holdfast.surfaces.cli.output import confirm_steps, emit_json, report_applied, say, say_problems, scoped_json
from holdfast.workspace import Workspace

_IMPORTED = ("new", "waiting", "known", "rejected", "refused")
_DISTILLED = ("known", "waiting", "rejected", "refused", "left_out")
_HELPED = ("by", "will_send", "sent", "answered", "spent_today", "cap", "failed")
_WHERE = "Where it holds, with --file, --bundle or --learning."


@command("import", "holdfast import --dry-run", sees=PROJECT)
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option(
    "--file", "paths", multiple=True, metavar="PATH", help="Only this file, folder or store; may be repeated."
)
@click.option("--scope", "-s", type=click.Choice(("global", "project")), help=_WHERE)
@click.option("--bundle", "bundled", default="", metavar="FILE", help="Add the memories of a bundle that export made.")
@click.option("--learning", "learned", default="", metavar="FOLDER", help="Take over what another system learned.")
@options.consent
def _import(
    workspace: Workspace,
    agents: tuple[str, ...],
    paths: tuple[str, ...],
    bundled: str,
    learned: str,
    scope: str | None,
) -> int:
    """Read what agents have noted themselves (memory, instructions and rules) and propose what is new.

    AGENT is the name of one; default: all. Nothing becomes a memory until you approve it, here by --yes or later by
    `holdfast proposals`. Importing again proposes nothing twice. The memories of a bundle are shown and asked about at
    once, and keep the trust import: they are somebody else's words.
    """
    if bundled:
        return _import_bundle(workspace, bundled, scope or "", alone=not (agents or paths or learned))
    if learned and (agents or paths):
        raise BadInput("learnings are imported alone", "Give --learning, or agents and files, not both.")
    asked = invocation()
    if learned:
        done = import_learning(workspace, learned, scope=scope or "", dry_run=asked.dry_run)
    else:
        done = import_memories(
            workspace, agents, paths=paths, scope=scope or "", dry_run=asked.dry_run, approve=asked.yes
        )
    document = {
        "files": done.files,
        "proposals": [scoped_json(one) for one in done.proposals],
        "decisions": [decision_json(one) for one in done.decisions],
        "problems": done.problems,
        "applied": not asked.dry_run,
    }
    if emit_json(document):
        return next((one.exit_code for one in done.decisions if one.exit_code), 0)
    for one in done.files:
        click.echo(_file_line(one))
    for proposal in done.proposals if asked.dry_run else ():
        click.echo(f"would propose  {heading(proposal)}")
    say_problems(done.problems)
    code = tell_decisions(list(done.decisions))
    if not done.files and not done.problems:
        say("no agent has a file of its own here")
    elif done.proposals and not asked.yes and not asked.dry_run:
        say(f"{count(len(done.proposals), 'new proposal')}: holdfast proposals review")
    elif not done.proposals and not done.decisions:
        say("nothing new")
    return code


def _import_bundle(workspace: Workspace, path: str, scope: str, *, alone: bool) -> int:
    if not alone:
        raise BadInput("a bundle is imported alone", "Give --bundle, or agents, files and learnings, not both.")
    changes = bundle.plan(workspace, bundle.read(path), scope)
    steps = [change.step for change in changes]
    if confirm_steps(steps, "all of it is known, or was forgotten"):
        bundle.apply(workspace, changes)
        report_applied(steps, f"imported {count(len(steps), 'memory')} of {path}")
    return 0


def _file_line(one: FileImport) -> str:
    also = f"; mentions {', '.join(one.mentions)}" if one.mentions else ""
    taken_out = f"; redacted {', '.join(one.redacted)}" if one.redacted else ""
    counts = ", ".join(_counts(one, _IMPORTED)) or "nothing"
    return f"{one.path}  ({one.agent}, {one.scope})  {counts}{also}{taken_out}"


def _counts(one: object, names: tuple[str, ...]) -> list[str]:
    return [f"{number:,} {name.replace('_', ' ')}" for name in names if (number := getattr(one, name))]


@command("distil", "holdfast distil --since 2w --dry-run", sees=PROJECT)
@options.since("Only from then on")
@click.option("--with", "wish", default="", metavar="NAME|URL", help="Ask this agent, or this endpoint, for help.")
@options.dry_run("Say what would be proposed; write and send nothing.")
def _distil(workspace: Workspace, /, **asked: Any) -> None:
    """Propose entries for the page of this project, MEMORY.md, from its daily logs, digests, decisions and to-dos.

    Nothing stands on the page until you approve it: holdfast proposals review.
    """
    dry_run = invocation().dry_run
    done = distil(workspace, dry_run=dry_run, **asked)
    if emit_json(_distil_json(done)):
        return
    for proposal in done.proposals:
        click.echo(f"{heading(proposal)}\n          {proposal.evidence}")
    for one in done.taken_back:
        click.echo(f"{one.act}  {heading(one.proposal)}\n          {one.why}")
    if done.help:
        _tell_help(done.help)
    would = "would be " if dry_run else ""
    counts = _counts(done, _DISTILLED)
    counts += [f"{len(done.taken_back)} {would}taken back"] if done.taken_back else []
    proposed = f"{len(done.proposals)} {would}proposed from {count(done.sessions, 'session')} since {done.since[:10]}"
    say("; ".join([proposed, *counts]))
    if done.proposals and not dry_run:
        say("decide: holdfast proposals review")


def _tell_help(help: Help) -> None:
    spent = f"{help.spent_today:,} of {help.cap:,} tokens spent today"
    if help.failed:
        say(f"no help: {help.failed} (about {help.will_send:,} tokens to send; {spent})")
    else:
        say(f"{help.by} took {help.sent:,} tokens and answered with {help.answered:,}; {spent}")
    for why in help.dropped:
        say(f"dropped from its answer: {why}")


def _distil_json(done: Distilled) -> dict[str, object]:
    fields = {name: getattr(done, name) for name in ("project", "path", "since", "sessions", *_DISTILLED)}
    help = done.help
    asked = {name: getattr(help, name) for name in _HELPED} | {"dropped": list(help.dropped)} if help else None
    proposals = [scoped_json(one) for one in done.proposals]
    back = [decision_json(one) for one in done.taken_back]
    return {**fields, "proposals": proposals, "taken_back": back, "help": asked, "applied": not invocation().dry_run}
