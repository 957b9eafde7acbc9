"""Makes what agents are told about tools, prompts and resources, from our own tables.

    python training/mcp_lists.py              src/holdfast/surfaces/mcp/lists.json

A test says when the file is out of date.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdfast.records import SCOPES
from holdfast.surfaces.mcp import prompts, tools
from holdfast.workspace import NARROWEST_FIRST


def lists() -> dict[str, list[dict[str, Any]]]:
    """Return all lists as the protocol spells them."""
    return {
        "tools": [_tool(one) for one in tools.TABLE],
        "prompts": [_prompt(*one) for one in prompts.PROMPTS.items()],
        "resourceTemplates": [_template(kind) for kind in NARROWEST_FIRST],
    }


def _tool(tool: tools.Tool) -> dict[str, Any]:
    # A reading tool has no other hints, and what the protocol takes for granted is not said: every byte of the list is
    # paid for in every session. The schema of answers is not listed either; models read the answer itself.
    hints = {"readOnlyHint": True} if tool.reads else {} if tool.destroys else {"destructiveHint": False}
    if tool.again and not tool.reads:
        hints["idempotentHint"] = True
    hints["openWorldHint"] = False
    return {
        "name": tool.name,
        "description": " ".join((tool.arguments.__doc__ or "").split()),
        "inputSchema": tool.arguments.schema(),
        "annotations": hints,
    }


def _prompt(name: str, prompt: prompts.Prompt) -> dict[str, Any]:
    scope = {"name": "scope", "description": f"Only this scope: {', '.join(SCOPES)}.", "required": False}
    arguments = [scope] if prompt.takes_scope else []
    return {"name": name, "title": prompt.title, "description": prompt.about, "arguments": arguments}


def _template(kind: str) -> dict[str, Any]:
    return {
        "name": f"{kind}-memory",
        "title": f"A memory of the scope {kind}",
        "uriTemplate": f"memory://{kind}/{{key}}",
        "description": "One memory by its key, whole.",
        "mimeType": prompts.MARKDOWN,
    }


if __name__ == "__main__":
    made = json.dumps(lists(), ensure_ascii=False, indent=1)
    Path(tools.__file__).with_name("lists.json").write_text(f"{made}\n", encoding="utf-8")
