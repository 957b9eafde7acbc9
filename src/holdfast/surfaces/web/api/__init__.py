"""The REST interface `/api/v1`, and MCP over HTTP at `/mcp`."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route

from holdfast.surfaces.web.api import activity, memories, reviewing, working
from holdfast.surfaces.web.api.endpoints import PREFIX, TABLE, OnePath
from holdfast.surfaces.web.api.openapi import serve_document

# Each of them puts its endpoints into the table.
PARTS = (memories, reviewing, activity, working)
# What is spelt out comes before what stands for any name.
_paths = sorted({one.path for one in TABLE}, key=lambda path: path.replace("{", "\uffff"))


def routes(*, on_hub: bool = False) -> list[BaseRoute]:
    """Return the routes of the interface; on a hub, what is about the home of one machine only says so."""
    return [
        Route(f"{PREFIX}/openapi.json", serve_document),
        *(Route(PREFIX + path, OnePath(path, on_hub=on_hub)) for path in _paths),
        Route(f"{PREFIX}/{{rest:path}}", OnePath()),
    ]
