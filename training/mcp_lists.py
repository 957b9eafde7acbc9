"""Makes what agents are told about tools, prompts and resources, from our own tables.

    python training/mcp_lists.py              src/holdfast/surfaces/mcp/lists.json

A test says when the file is out of date. Schemas are in their plainest form, without references, null and titles:
agents hand them to models of many makers, and not all of them read the finer points.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from holdfast.records import SCOPES
from holdfast.surfaces.mcp import picked, server
from holdfast.workspace import NARROWEST_FIRST


def lists() -> dict[str, list[dict[str, Any]]]:
    """Return all lists as the protocol spells them."""
    return {
        "tools": [_tool(one) for one in server.TABLE],
        "prompts": [_prompt(*one) for one in picked.PROMPTS.items()],
        "resourceTemplates": [_template(kind) for kind in NARROWEST_FIRST],
    }


def _tool(tool: server.Tool) -> dict[str, Any]:
    # A reading tool has no other hints, and what the protocol takes for granted is not said: every byte of the list is
    # paid for in every session. The schema of answers is not listed either; models read the answer itself.
    hints = {"readOnlyHint": True} if tool.reads else {} if tool.destroys else {"destructiveHint": False}
    if tool.again and not tool.reads:
        hints["idempotentHint"] = True
    hints["openWorldHint"] = False
    return {
        "name": tool.name,
        "description": " ".join((tool.arguments.__doc__ or "").split()),
        "inputSchema": schema_of(tool.arguments),
        "annotations": hints,
    }


def _prompt(name: str, prompt: picked.Prompt) -> dict[str, Any]:
    scope = {"name": "scope", "description": f"Only this scope: {', '.join(SCOPES)}.", "required": False}
    arguments = [scope] if prompt.takes_scope else []
    return {"name": name, "title": prompt.title, "description": prompt.about, "arguments": arguments}


def _template(kind: str) -> dict[str, Any]:
    return {
        "name": f"{kind}-memory",
        "title": f"A memory of the scope {kind}",
        "uriTemplate": f"memory://{kind}/{{key}}",
        "description": "One memory by its key, whole.",
        "mimeType": picked.MARKDOWN,
    }


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of what a tool takes."""
    full = model.model_json_schema()
    made: dict[str, Any] = _plain(full, full.get("$defs", {}))
    made.pop("description", None)
    return {"type": "object", "properties": {}, **made}


def _plain(node: Any, parts: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(one, parts) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(parts[node["$ref"].rpartition("/")[2]], parts)
    made = {name: _plain(value, parts) for name, value in node.items() if name not in ("$defs", "title", "properties")}
    if "properties" in node:
        made["properties"] = {name: _plain(value, parts) for name, value in node["properties"].items()}
    return _without_null(made)


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    """Return an optional value as its one kind; leaving it out says the same as null, and as no."""
    if node.get("default") is False:
        node = {name: value for name, value in node.items() if name != "default"}
    kinds = [kind for kind in node.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return node
    rest = {
        name: value for name, value in node.items() if name != "anyOf" and not (name == "default" and value is None)
    }
    return {**kinds[0], **rest}


if __name__ == "__main__":
    made = json.dumps(lists(), ensure_ascii=False, indent=1)
    Path(server.__file__).with_name("lists.json").write_text(f"{made}\n", encoding="utf-8")
