"""Connections are few, and none is held by somebody who sends nothing: a request comes whole, and in time.

uvicorn waits for the rest of a request for as long as it takes, so a few hundred half-sent ones would keep everybody
else out. Here a request has so many seconds, and where there are too many connections the one that has waited longest
without a whole request makes room for the next.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from holdfast.surfaces.web.security import MAX_BODY

MAX_CONNECTIONS = 100
# From its first byte, or the connection, to the last byte of its body.
REQUEST_SECONDS = 20.0
MAX_REQUEST = 2 * MAX_BODY


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
