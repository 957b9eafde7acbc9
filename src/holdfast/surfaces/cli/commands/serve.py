"""`holdfast serve`."""

from __future__ import annotations

import os
import signal

import click

from holdfast.agents import in_shell
from holdfast.base.text import address_parts
from holdfast.errors import BadInput, Refused, StoreUnavailable
from holdfast.settings import default_home
from holdfast.surfaces.cli.command_line import invocation
from holdfast.surfaces.cli.making import command
from holdfast.surfaces.cli.output import say

PORT = 7433


@command("serve", "holdfast serve --open", workspace=False)
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes a free one.")
@click.option("--open", "opened", is_flag=True, help="Open it in your browser.")
@click.option(
    "--public-url", default="", metavar="URL", help="Another address at which browsers reach it, such as a tunnel's."
)
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Listen on this address, where others can reach it."
)
@click.option("--store", "store", default="", metavar="URL", help="Serve the hub in this PostgreSQL database instead.")
def _serve(port: int, opened: bool, public_url: str, host: str, store: str) -> int:
    """Serve the page of this memory on this machine, until Ctrl-C.

    The address that it prints lets one browser in, once.
    """
    if in_shell(os.environ):
        # Whoever opens the page decides as the person does.
        raise Refused("an agent may not start the page", "Ask the person to run it in a terminal of their own.")
    if public_url and address_parts(public_url).scheme not in ("http", "https"):
        raise BadInput(f"{public_url!a} is not an address", "Give it as --public-url http://localhost:9000.")
    if store:
        return _serve_hub(store, host, port, public_url)
    if host not in ("127.0.0.1", "localhost", "::1") and not public_url:
        raise BadInput("others can reach it there, but not by an address that it knows", "Give --public-url, too.")
    asked = invocation()
    home = os.path.abspath(os.path.expanduser(asked.home)) if asked.home else default_home(os.environ)
    # What serves loads more than all other commands together.
    from holdfast.surfaces.web.serving import hold_signals, listening, serve
    from holdfast.surfaces.web.site import Site

    listener = listening(host, port)
    site = Site(home, listener.getsockname()[1], public_url, asked.flags)
    # Settings that cannot be used are reported before anything is served.
    site.workspace().close()
    try:
        # A service manager ends it as Ctrl-C does: requests that are under way are answered first.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        hold_signals()
        click.echo(f"the page of {home}: {site.address}\nIt listens on port {site.port}. Ctrl-C ends it.")
        serve(site, listener, opened=opened)
    except KeyboardInterrupt:
        click.echo("ended", err=True)
    return 0


def _serve_hub(address: str, host: str, port: int, public_url: str) -> int:
    """Serve a hub until the process is told to end."""
    if not address.startswith("postgresql://"):
        raise BadInput(f"{address.partition('://')[0]!a} is not a store that can be served", "Give postgresql://...")
    from holdfast.store.postgres_connection import check_hub, parse
    from holdfast.surfaces.web.serving import hold_signals, listening, serve_hub

    try:
        problems = check_hub(parse(address)[0])
    except StoreUnavailable as problem:
        # A database may come later than what serves it; a role that is the wrong one stays so.
        problems = [str(problem)]
    for one in problems:
        click.echo(f"not ready: {one}", err=True)
    listener = listening(host, port)
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        hold_signals()
        click.echo(f"the hub listens on port {listener.getsockname()[1]}. Ctrl-C ends it.")
        serve_hub(address, listener, public_url, invocation().flags, say)
    except KeyboardInterrupt:
        click.echo("ended", err=True)
    return 0
