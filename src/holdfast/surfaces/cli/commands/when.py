"""`holdfast when`: which rules hold at a call, and what each would do there."""

from __future__ import annotations

import json
from typing import Any

import click

from holdfast import agents
from holdfast.base.terminal import style
from holdfast.base.text import count, one_line
from holdfast.errors import BadInput
from holdfast.language.conditions import Call
from holdfast.language.derived import NOWHERE
from holdfast.language.suggesting import give_one
from holdfast.language.tools import KINDS
from holdfast.rules.lookup import RuleAnswer, asked, listed, silent
from holdfast.rules.rule import OFF
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import HERE, command
from holdfast.surfaces.cli.output import emit_json, say
from holdfast.workspace import Workspace

# A name by which each kind of tool is known.
_TOOLS = {"shell": "Bash", "edit": "Edit", "read": "Read"}
_MAX_NAMED = 8
_DOES = {"say": "says it", "hold": "holds once", "ask": "asks you", "deny": "denies"}


@command("when", 'holdfast when "git push --force"', sees=HERE, reads=True)
@options.text("line")
@click.option("--path", default="", metavar="FILE", help="A file that is changed, instead of a command.")
@click.option("--tool", default="", metavar="NAME", help=f"The tool: a name, or a kind such as {', '.join(KINDS[:3])}.")
@click.option("--failed", default="", metavar="TEXT", help="What the call failed with.")
@click.option("--branch", default="", metavar="NAME", help="The branch it runs on. Default: that of this folder.")
@click.option("--agent", default="", metavar="NAME", help="As this agent can do it; without it, as the rules say.")
def _when(workspace: Workspace, /, line: tuple[str, ...], path: str, tool: str, agent: str, **more: Any) -> None:
    """Show which rules apply to a call, and what each would do. Nothing runs, and no session is given anything.

    LINE is a command as an agent would run it. Without it and without `--path` or `--tool` all rules are listed.
    """
    if line and path:
        raise BadInput("a call is a command or a file", "Give the command, or --path.")
    by = agents.get(agent) if agent else None
    given = json.dumps({"file_path": path}) if path else " ".join(line)
    is_call = bool(given or tool or more["failed"])
    kind = _TOOLS.get(tool, tool) or ("Edit" if path else "Bash")
    call = Call(kind, given, more["failed"], workspace.folder or "", branch=more["branch"])
    found = asked(workspace, call, by) if is_call else listed(workspace, by)
    nowhere = silent(workspace)
    asked_about = {"tool": kind, "line": " ".join(line), "path": path}
    keys = [memory.key for memory in nowhere]
    if emit_json({"call": asked_about, "rules": [_json(one) for one in found], "told_nowhere": keys}):
        return
    if not found:
        is_off = not workspace.settings.flag("rules.enabled")
        nothing = "no rule applies to this call" if is_call else "no memory here has a condition"
        say(OFF if is_off else nothing)
    for one in found:
        memory = one.rule.memory
        click.echo(f"{style(_DOES[one.does], 'bold')}  {memory.key}  {memory.scope}")
        click.echo(f"  {one_line(memory.body)}")
        click.echo(f"  when: {one.rule.condition}  ({one.origin})")
        click.echo(f"  why: {one.why}")
    if nowhere and not (is_call and found):
        others = f" and {len(keys) - _MAX_NAMED} more" if keys[_MAX_NAMED:] else ""
        say(f"{count(len(keys), 'rule')} {NOWHERE}: {', '.join(keys[:_MAX_NAMED])}{others}")
        if not is_call:
            say(f"  to give {keys[0]} one: {give_one(nowhere[0])}")


def _json(one: RuleAnswer) -> dict[str, object]:
    rule, memory = one.rule, one.rule.memory
    return {
        "key": memory.key,
        "scope": memory.scope.kind,
        "owner": memory.scope.owner,
        "does": one.does,
        "why": one.why,
        "when": str(rule.condition),
        "origin": rule.origin,
        "words": rule.words,
        "fulfilled": one.fulfilled,
        "text": memory.body,
    }
