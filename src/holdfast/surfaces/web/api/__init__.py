"""The REST interface `/api/v1` and MCP over HTTP at `/mcp`."""

from __future__ import annotations

from starlette.routing import BaseRoute

ROUTES: list[BaseRoute] = []
