"""`holdfast mcp`."""

from __future__ import annotations

import gc

import click

from holdfast.surfaces.cli.shared import command as make_command


@make_command("mcp", "holdfast mcp")
@click.option("--agent", default="", metavar="NAME", help="The agent that starts it, as `holdfast install` names it.")
@click.pass_context
def command(ctx: click.Context, agent: str) -> None:
    """Serve the memory to an agent over MCP, on standard input and output. Agents start it; `install` tells them how.

    It ends when its input ends.
    """
    # The SDK takes longer to load than all of Holdfast, so nothing but this command loads it. It makes hundreds of
    # classes that all stay; looking for garbage among them would be a fifth of the time to the first answer.
    gc.disable()
    from holdfast.surfaces.mcp.server import serve

    gc.freeze()
    gc.enable()
    base = ctx.find_root().obj or {}
    serve(base.get("home"), base.get("flags") or {}, agent)
