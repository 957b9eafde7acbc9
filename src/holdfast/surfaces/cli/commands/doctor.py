"""`holdfast doctor`."""

from __future__ import annotations

import click

from holdfast.app.doctor import doctor
from holdfast.records import asdict
from holdfast.surfaces.cli.commands.lint import print_problems
from holdfast.surfaces.cli.shared import command as make_command
from holdfast.surfaces.cli.shared import json_option, print_json, say, with_workspace
from holdfast.workspace import Workspace


@make_command("doctor", "holdfast doctor --fix")
@click.option("--fix", is_flag=True, help="Mend what is derived: the index, the pages, file modes.")
@json_option
@with_workspace
def command(workspace: Workspace, fix: bool, as_json: bool) -> int:
    """Check this installation and this home. The exit code is 1 where anything is wrong."""
    problems = doctor(workspace, fix=fix)
    if as_json:
        print_json({"problems": [asdict(problem) for problem in problems]})
    else:
        print_problems(problems)
        say(f"{len(problems)} finding(s)" if problems else "all is well")
    return int(any(problem.severity != "info" for problem in problems))
