"""`holdfast team`."""

from __future__ import annotations

import os

import click

from holdfast.base.text import count
from holdfast.exchange import team
from holdfast.exchange.team import TeamChange
from holdfast.records import Problem
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import group
from holdfast.surfaces.cli.output import answer, emit_json, print_problems, say
from holdfast.workspace import Workspace

_reason = click.option("--reason", default="", metavar="TEXT", help="Why; it is for those who review it.")
_branch = click.option(
    "--branch", default="", metavar="NAME", help="Make a branch with one commit; no file here changes."
)


@group("team", "holdfast team")
def _team(workspace: Workspace) -> None:
    """List what this repository's team remembers: plain files in .holdfast/memory/, reviewed like code."""
    found = team.listed(workspace)
    if emit_json({"memories": [{"path": path, "text": memory.body} for path, memory in found]}):
        return
    for path, memory in found:
        click.echo(f"{path}  {memory.title}")
    if not found:
        say("the team of this repository has no memories; start with `holdfast team promote KEY`")


@_team.sub("promote", 'holdfast team promote deploys-need-the-vpn --reason "everybody trips over it"')
@options.one_memory
@_reason
@_branch
@options.dry_run("Show the file and change nothing.")
def _promote(workspace: Workspace, key: str, scope: str | None, reason: str, branch: str) -> None:
    """Write a memory as a file of the team, for you to commit and others to review.

    What is personal or has a secret in it is refused. Nothing of this machine is in the file.
    """
    if not invocation().dry_run:
        _report(team.promote(workspace, key, reason, branch=branch, scope=scope))
        return
    change = team.promote(workspace, key, reason, branch=branch, scope=scope, dry_run=True)
    answer(change, f"{change.action} {change.path}:\n\n{change.text}")


@_team.sub("withdraw", 'holdfast team withdraw deploys-need-the-vpn --reason "the VPN is gone"')
@click.argument("key")
@_reason
@_branch
def _withdraw(workspace: Workspace, key: str, reason: str, branch: str) -> None:
    """Take a memory out of the team's files. Agents of whoever pulls that are no longer given it."""
    _report(team.withdraw(workspace, key, reason, branch=branch))


def _report(change: TeamChange) -> None:
    next_step = f"git push -u origin {change.branch}" if change.branch else f"git add {change.path}, and commit"
    answer(change, f"{change.action} {change.path}; now: {next_step}")


@_team.sub("trust", "holdfast team trust --branch origin/main")
@click.option("--branch", "branches", multiple=True, metavar="NAME", help="A branch of a remote, such as origin/main.")
@click.option("--signer", "signers", multiple=True, metavar="KEY", help="A .pub file of SSH, or a fingerprint.")
@click.option("--none", "nobody", is_flag=True, help="Trust nothing any longer; what was allowed stays.")
def _trust(workspace: Workspace, branches: tuple[str, ...], signers: tuple[str, ...], nobody: bool) -> None:
    """Let changes on a branch or by a signer that you trust reach agents without asking you again.

    First allow the set as it is. Without options it shows what you trust here.
    """
    if nobody:
        team.distrust(workspace)
    found = team.trust(workspace, branches, signers)
    answer({"trusts": found}, "\n".join(found) if found else "every change of the team's files waits for your decision")


@_team.sub("check", "holdfast team check")
@click.option("--annotations", is_flag=True, help="Print problems as GitHub Actions reads them; on by itself there.")
def _check(workspace: Workspace, annotations: bool) -> int:
    """Check the files of the team: form, secrets, size, duplicates, contradictions.

    Made for CI: it exits with 1 where it finds an error.
    """
    found = team.check(os.path.realpath(workspace.project().root))
    if emit_json({"problems": found}):
        pass
    elif annotations or os.environ.get("GITHUB_ACTIONS") == "true":
        for one in found:
            click.echo(_annotation(one))
    else:
        print_problems(found)
        say(f"{count(len(found), 'problem')}" if found else "nothing is wrong")
    return 1 if found else 0


def _annotation(problem: Problem) -> str:
    text = f"{problem.text}. {problem.hint}".replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    level = "error" if problem.severity == "error" else "warning"
    return f"::{level} file={problem.path.replace(',', '%2C')},line={max(problem.line, 1)}::{text}"
