"""The OpenAPI document of the REST interface, made of the table of endpoints and their types, with no second copy."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from holdfast.base.package import __version__
from holdfast.surfaces.web.api.endpoints import PREFIX, PROBLEM, TABLE, Endpoint, ProblemDetails

_SUCCESS = {200: "Done", 201: "Stored as a new one", 202: "Proposed to the person, who decides"}
_PROBLEMS = {
    401: "No token, or one that does not hold",
    403: "A rule says no: the right, the project or the origin",
    404: "Nothing of that name",
    409: "It is there already, cannot be read, or changed",
    412: "It is no longer what the change was made of",
    413: "More than a body, or a memory, may have",
    415: "A body that is not JSON",
    422: "What was sent cannot be used",
    428: "If-Match is missing",
    429: "Too many wrong tokens",
    503: "The home cannot be used now",
    507: "No space left",
}
_ALWAYS = (401, 403, 404, 422, 429, 503)
_REF = "#/components/schemas/{name}"


@cache
def document(*, on_hub: bool = False) -> dict[str, Any]:
    """Return the document; nothing in it depends on a home, but a hub has fewer paths."""
    table = [one for one in TABLE if one.on_hub or not on_hub]
    types = [one for each in table for one in (each.asked, each.given, each.gives) if one is not None]
    several = list(dict.fromkeys([*types, ProblemDetails]))
    shown, components = msgspec.json.schema_components(several, ref_template=_REF)
    schema_of = dict(zip(several, shown, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for one in table:
        queries = components[one.asked.__name__]
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, schema_of, queries)
    for name in {one.asked.__name__ for one in table}:
        del components[name]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Holdfast", "version": __version__, "description": "The memory of your coding agents."},
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "`holdfast tokens new NAME` makes one."}
            },
        },
    }


def _operation(one: Endpoint, schema_of: dict[Any, Any], queries: dict[str, Any]) -> dict[str, Any]:
    required = set(queries.get("required", ()))
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in one.parts
    ] + [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in queries["properties"].items()
    ]
    if one.changes:
        told = "The ETag of what the change was made of, or *."
        parameters.append(
            {"name": "If-Match", "in": "header", "required": True, "description": told, "schema": {"type": "string"}}
        )
    operation: dict[str, Any] = {
        "operationId": one.act.__name__,
        "summary": (one.act.__doc__ or "").strip(),
        "description": f"Needs the right `{one.needs}`.",
        "parameters": parameters,
        "responses": _responses(one, schema_of),
    }
    if one.given is not None:
        body = {"application/json": {"schema": schema_of[one.given]}}
        operation["requestBody"] = {"required": True, "content": body}
    return operation


def _responses(one: Endpoint, schema_of: dict[Any, Any]) -> dict[str, Any]:
    tag = {"headers": {"ETag": {"schema": {"type": "string"}}}} if one.tagged else {}
    found: dict[str, Any] = {
        str(status): {
            "description": _SUCCESS[status],
            "content": {"application/json": {"schema": schema_of[one.gives]}},
            **(tag if status != 202 else {}),
        }
        for status in one.statuses
    }
    if one.tagged and one.method == "GET":
        found["304"] = {"description": "As it was: If-None-Match names its state"}
    writes = one.needs != "read"
    codes = {
        *_ALWAYS,
        *((409, 413, 507) if writes else ()),
        *((412, 428) if one.changes else ()),
        *((413, 415) if one.given is not None else ()),
    }
    problem = {PROBLEM: {"schema": schema_of[ProblemDetails]}}
    for status in sorted(codes):
        found[str(status)] = {"description": _PROBLEMS[status], "content": problem}
    return found


async def serve_document(request: Request) -> Response:
    """Answer with the document; it is the same for everybody."""
    on_hub = not request.app.state.site.has_home
    return Response(msgspec.json.encode(document(on_hub=on_hub)), media_type="application/json")
