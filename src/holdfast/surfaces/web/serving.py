"""The life of one server: from its socket to Ctrl-C."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable, Mapping
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from holdfast.errors import BadInput, Conflict
from holdfast.surfaces.web.app import create
from holdfast.surfaces.web.connections import MAX_CONNECTIONS, BoundedConnection
from holdfast.surfaces.web.site import Site


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens; Conflict where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Without the protocol named, asyncio lets small packets wait, and each answer takes 40 ms.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except OSError as problem:
        made.close()
        if problem.errno and socket.gaierror is type(problem):
            raise BadInput(f"{host} is not an address of this machine", "Use --host 127.0.0.1.") from None
        raise Conflict(f"port {port} cannot be used: {problem.strerror}", "Take another: --port 0 finds one.") from None
    made.listen(128)
    return made


def serve(site: Site, listener: socket.socket, *, opened: bool) -> None:
    """Serve until the process is told to end."""
    if opened:
        webbrowser.open(site.address)
    _run(create(site), listener, lifespan="on", timeout_graceful_shutdown=1)


def serve_hub(
    address: str, listener: socket.socket, public_url: str, flags: Mapping[str, str], say: Callable[[str], None]
) -> None:
    """Serve a hub until the process is told to end; requests that are under way are answered first."""
    # psycopg is an extra, which nobody needs who serves a home.
    from holdfast.surfaces.web.hub import create as create_hub

    app = create_hub(address, listener.getsockname()[1], public_url, flags)
    site = app.state.site
    if site.keys.signer is None:
        named = site.settings.text("hub.key_from")
        say(f"there is no page, because {named} is not set: export {named}=$(openssl rand -hex 32)")
    _run(app, listener, lifespan="on", timeout_graceful_shutdown=20)


def _run(app: ASGIApp, listener: socket.socket, **more: Any) -> None:
    # Not a line of it may hold an address with a token, so there is no log of requests.
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        server_header=False,
        ws="none",
        http=BoundedConnection,
        limit_concurrency=2 * MAX_CONNECTIONS,
        timeout_keep_alive=15,
        **more,
    )
    uvicorn.Server(config).run(sockets=[listener])
