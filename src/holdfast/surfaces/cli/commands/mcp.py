"""`holdfast mcp`."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING

import click

from holdfast import agents
from holdfast.settings import default_home
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.mcp.incoming import Incoming, begin, settings_at_start
from holdfast.surfaces.mcp.light_server import QuickServer
from holdfast.surfaces.mcp.protocol import guidance

if TYPE_CHECKING:
    from holdfast.surfaces.mcp.handlers import Handlers


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
    # A name that is no agent's is refused before anything is served. What the person says about this memory comes from
    # the hook of an agent that takes it at a start, and else from here, so that each agent hears it once.
    is_told = bool(agent) and "start" in agents.get(agent).injects
    incoming, instructions = begin(), guidance(found.text("mcp.guidance"), "" if is_told else home)
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(130))

    def handlers() -> Handlers:
        # Loaded with the first call, so that the lists come at once.
        from holdfast.surfaces.mcp.caller import Caller
        from holdfast.surfaces.mcp.handlers import Handlers

        caller = Caller(dict(os.environ), agent=agent, home=home, flags=asked.flags)
        return Handlers(caller, found.number("mcp.timeout_ms") / 1000)

    quick = QuickServer(incoming, instructions, handlers)
    if quick.run():
        _serve_by_the_sdk(incoming, quick.handlers, instructions)
    quick.wait()
    if quick.was_used and quick.handlers.calls.running:
        # A call that was given up may still wait for somebody; it must not keep the process.
        os._exit(0)
    incoming.close()
    if quick.was_used:
        quick.handlers.caller.stores.close()


def _serve_by_the_sdk(incoming: Incoming, handlers: Handlers, instructions: str) -> None:
    # It makes hundreds of classes that all stay; looking for garbage among them would be a fifth of the time.
    gc.disable()
    from holdfast.surfaces.mcp.server import serve

    gc.freeze()
    gc.enable()
    serve(incoming, handlers, instructions)
