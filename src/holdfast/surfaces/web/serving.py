"""The life of one server: from its socket to Ctrl-C.

Connections are few, and none is held by somebody who sends nothing: a request comes whole, and in time. uvicorn waits
for the rest of a request for as long as it takes, so a few hundred half-sent ones would keep everybody else out. Here a
request has so many seconds, and where there are too many connections the one that has waited longest without a whole
request makes room for the next.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import webbrowser
from collections.abc import Callable, Mapping
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.errors import BadInput, Conflict
from holdfast.surfaces.web.app import create
from holdfast.surfaces.web.security import MAX_BODY
from holdfast.surfaces.web.site import Site

MAX_CONNECTIONS = 100
# From its first byte, or the connection, to the last byte of its body.
REQUEST_SECONDS = 20.0
MAX_REQUEST = 2 * MAX_BODY
_ENDING = (signal.SIGINT, signal.SIGTERM)


def hold_signals() -> None:
    """Let whatever asks this process to end wait until it serves: in between, an end would be torn."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)


class StartedServer(uvicorn.Server):
    """A server that heeds what asks it to end once it has started."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and take the signals that were held."""
        await super().startup(sockets)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


class BoundedConnection(H11Protocol):
    """One connection; `_late` ends it where a request does not come whole in time."""

    _late: asyncio.TimerHandle | None = None
    _taken = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MAX_CONNECTIONS:
            # Who waits longest is the first to go; a set has no order.
            waiting = [one for one in self.connections if isinstance(one, BoundedConnection) and one.since < self.since]
            for one in sorted(waiting, key=lambda one: one.since)[: len(self.connections) - MAX_CONNECTIONS]:
                one.transport.abort()

    @property
    def since(self) -> float:
        """Since when it waits for a request, or for the rest of one; never while one is being answered."""
        timer = self._late or self.timeout_keep_alive_task
        return timer.when() if timer is not None else float("inf")

    def data_received(self, data: bytes) -> None:
        """Take what came; a whole request ends the waiting."""
        if self._late is None:
            self._wait()
        self._taken += len(data)
        if self._taken > MAX_REQUEST:
            # It was told so already; who goes on sending does not listen.
            self.transport.abort()
            return
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._unwait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._unwait()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._late = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _unwait(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late, self._taken = None, 0


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
    StartedServer(config).run(sockets=[listener])
