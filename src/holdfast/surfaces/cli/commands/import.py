"""`holdfast import`."""

from __future__ import annotations

import click

from holdfast.errors import BadInput
from holdfast.exchange.import_learning import import_learning
from holdfast.exchange.import_memories import FileImport, Imported, import_memories
from holdfast.records import asdict
from holdfast.surfaces.cli.commands.proposals import (
    decision_json,
    heading,
    proposal_json,
    tell_decisions,
    tell_problems,
)
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import consent_options, json_option, print_json, say, with_workspace
from holdfast.workspace import Workspace

_COUNTED = ("new", "waiting", "known", "rejected", "refused")


@make_command("import", "holdfast import --dry-run")
@click.argument("agents", metavar="[AGENT]...", nargs=-1)
@click.option("--file", "paths", multiple=True, metavar="PATH", help="Only this file; may be given several times.")
@click.option(
    "--scope", "-s", type=click.Choice(("global", "project")), help="Where it holds, with --file or --learning."
)
@click.option("--learning", "learned", default="", metavar="FOLDER", help="Take over what another system learned.")
@consent_options
@json_option
@with_workspace
def command(
    workspace: Workspace,
    agents: tuple[str, ...],
    paths: tuple[str, ...],
    learned: str,
    scope: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Read what agents know themselves and propose what is new: their own memory, instructions and rules.

    AGENT is the name of one; default: all. Nothing becomes a memory until you approve it, here by --yes or later by
    `holdfast proposals`. Importing again proposes nothing twice.
    """
    if learned and (agents or paths):
        raise BadInput("learnings are imported alone", "Give --learning, or agents and files, not both.")
    if learned:
        done = import_learning(workspace, learned, scope=scope or "", dry_run=dry_run)
    else:
        done = import_memories(workspace, agents, paths=paths, scope=scope or "", dry_run=dry_run, approve=yes)
    if as_json:
        print_json(_json(done, dry_run))
        return _exit_code(done)
    for one in done.files:
        click.echo(_line(one))
    for proposal in done.proposals if dry_run else ():
        click.echo(f"would propose  {heading(proposal)}")
    tell_problems(list(done.problems))
    code = tell_decisions(list(done.decisions), as_json=False)
    _tell_next(done, dry_run, yes)
    return code


def _line(one: FileImport) -> str:
    counts = [f"{getattr(one, name)} {name}" for name in _COUNTED if getattr(one, name)]
    also = f"; mentions {', '.join(one.mentions)}" if one.mentions else ""
    taken_out = f"; redacted {', '.join(one.redacted)}" if one.redacted else ""
    return f"{one.path}  ({one.agent}, {one.scope})  {', '.join(counts) or 'nothing'}{also}{taken_out}"


def _tell_next(done: Imported, dry_run: bool, yes: bool) -> None:
    if not done.files and not done.problems:
        say("no agent has a file of its own here")
    elif done.proposals and not yes and not dry_run:
        say(f"{len(done.proposals)} new proposal(s): holdfast proposals review")
    elif not done.proposals and not done.decisions:
        say("nothing new")


def _json(done: Imported, dry_run: bool) -> dict[str, object]:
    return {
        "files": [asdict(one) for one in done.files],
        "proposals": [proposal_json(one) for one in done.proposals],
        "decisions": [decision_json(one) for one in done.decisions],
        "problems": [asdict(one) for one in done.problems],
        "applied": not dry_run,
    }


def _exit_code(done: Imported) -> int:
    return next((one.exit_code for one in done.decisions if one.exit_code), 0)
