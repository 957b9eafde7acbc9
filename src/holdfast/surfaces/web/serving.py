"""The life of one server: from its socket to Ctrl-C."""

from __future__ import annotations

import socket
import webbrowser

import uvicorn

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
    # Not a line of it may hold an address with a token, so there is no log of requests.
    config = uvicorn.Config(
        create(site),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="on",
        ws="none",
        http=BoundedConnection,
        limit_concurrency=2 * MAX_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=1,
    )
    if opened:
        webbrowser.open(site.address)
    uvicorn.Server(config).run(sockets=[listener])
