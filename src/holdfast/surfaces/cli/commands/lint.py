"""`holdfast lint`."""

from __future__ import annotations

import click

from holdfast.memory.lint import lint
from holdfast.records import Problem, asdict
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, why_empty, with_workspace
from holdfast.workspace import Workspace


@make_command("lint", "holdfast lint")
@json_option
@with_workspace
def command(workspace: Workspace, as_json: bool) -> int:
    """Find problems in memories: broken files, orphans, dead links, stale claims, contradictions, duplicates, secrets.

    It reads and writes nothing. The exit code is 1 where anything of severity error was found.
    """
    problems = lint(workspace)
    if as_json:
        print_json({"problems": [asdict(problem) for problem in problems]})
    else:
        print_problems(problems)
        say(f"{len(problems)} problem(s)" if problems else why_empty(workspace, "no problems"))
    return int(any(problem.severity == "error" for problem in problems))


def print_problems(problems: list[Problem]) -> None:
    """Print each problem with its place, and below it the way out."""
    for problem in problems:
        line = f":{problem.line}" if problem.line else ""
        click.echo(f"{problem.severity:7}  {problem.kind:15} {problem.path}{line}  {problem.text}")
        if problem.hint:
            click.echo(f"{'':25}{problem.hint}")
