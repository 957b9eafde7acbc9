"""`holdfast native`."""

from __future__ import annotations

import click

from holdfast.app import native
from holdfast.app.install import diff
from holdfast.surfaces.cli import options
from holdfast.surfaces.cli.making import PROJECT, group
from holdfast.surfaces.cli.output import answer, confirm_plan, emit_json, say
from holdfast.workspace import Workspace


@group("native", "holdfast native", sees=PROJECT)
def _native(workspace: Workspace) -> None:
    """List agents' own memories of this project: the file, whether it has Holdfast's block, what is switched off."""
    found = native.overview(workspace)
    if emit_json({"memories": found}):
        return
    for one in found:
        said = ["kept alike" if one.kept else "", "off" if one.off else "can be switched off" if one.can_be_off else ""]
        click.echo(f"{one.agent}  {one.path or 'no file of a project'}  {', '.join(filter(None, said))}".rstrip())


@_native.sub("keep", "holdfast native keep gemini-cli")
@click.argument("agent")
def _keep(workspace: Workspace, agent: str) -> None:
    """Keep what is known of this project in AGENT's own memory, in a marked block; what it adds there is proposed."""
    path = native.keep(workspace, agent)
    answer({"path": path}, f"kept in {path}; what {agent} adds there is proposed at the next sweep")


@_native.sub("drop", "holdfast native drop gemini-cli")
@click.argument("agent")
def _drop(workspace: Workspace, agent: str) -> None:
    """Take Holdfast's block out of AGENT's own memory of this project; the rest of it stays."""
    path = native.drop(workspace, agent)
    answer({"path": path}, f"taken out of {path}")


@_native.sub("off", "holdfast native off claude-code --dry-run")
@click.argument("agent")
@options.consent
def _off(workspace: Workspace, agent: str) -> None:
    """Switch AGENT's own memory off, in its settings, so that there is only one."""
    _switch(workspace, agent, on=False)


@_native.sub("on", "holdfast native on claude-code")
@click.argument("agent")
@options.consent
def _on(workspace: Workspace, agent: str) -> None:
    """Let AGENT use a memory of its own again: takes out what `off` put into its settings."""
    _switch(workspace, agent, on=True)


def _switch(workspace: Workspace, agent: str, *, on: bool) -> None:
    changes = native.plan_switch(workspace, agent, on=on)
    document = {"files": [change.path for change in changes], "applied": False}
    nothing = "" if changes else f"the memory of {agent} is {'not switched off' if on else 'off already'}"
    shown = diff(tuple(changes))
    if confirm_plan(document, "its settings need your consent", nothing, undone=shown, show=lambda: say(shown)):
        native.apply_switch(workspace, changes)
        answer({**document, "applied": True}, f"switched {'on' if on else 'off'} in {changes[0].path}")
