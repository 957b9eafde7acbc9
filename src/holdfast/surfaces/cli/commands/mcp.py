"""`holdfast mcp`."""

from __future__ import annotations

import gc
import os
import sys

import click

from holdfast.settings import default_home
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.mcp.incoming import begin, settings_at_start


@command("mcp", "holdfast mcp --agent codex", workspace=False)
@click.option("--agent", default="", metavar="NAME", help="The agent that starts it, as `holdfast install` names it.")
def _mcp(agent: str) -> None:
    """Serve the memory to an agent over MCP, on standard input and output. Agents start it; `install` tells them how.

    It ends when its input ends.
    """
    asked = invocation()
    home = os.path.abspath(os.path.expanduser(asked.home)) if asked.home else default_home(os.environ)
    found = settings_at_start(home, os.environ, asked.flags)
    if sys.stdin.isatty():
        click.echo("this is a server that agents start; it waits for JSON-RPC. Ctrl-D ends it.", err=True)
    incoming = begin(found.text("mcp.guidance"), home)
    # The SDK takes longer to load than all of Holdfast, so nothing but this command loads it. It makes hundreds of
    # classes that all stay; looking for garbage among them would be a fifth of the time to the first answer.
    gc.disable()
    from holdfast.surfaces.mcp.server import serve

    gc.freeze()
    gc.enable()
    serve(home, asked.flags, agent, found, incoming)
