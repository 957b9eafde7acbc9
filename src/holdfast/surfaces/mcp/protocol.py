"""The protocol as we speak it ourselves: its versions, the lists, the first answers, and what is a proper client.

What is answered to the first questions depends only on the version of the protocol, on ours, on the setting
`mcp.guidance` and on the doctrine; the lists are in `lists.json`, which `training/mcp_lists.py` makes from our own
tables. A test holds that the SDK says the same.
"""

from __future__ import annotations

import json
import os
from typing import Any

from holdfast.base.package import __version__
from holdfast.memory.doctrine import with_doctrine

# Versions of the protocol that begin with a handshake, and the one that has an envelope on each request instead.
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE = "2026-07-28"
LISTS = {"tools/list": "tools", "prompts/list": "prompts", "resources/templates/list": "resourceTemplates"}
# Some agents cut the instructions of a server off behind this.
MAX_GUIDANCE = 2_000
SERVER = {"name": "holdfast", "title": "Holdfast memory", "version": __version__}
_CAPABILITIES = {
    "prompts": {"listChanged": False},
    "resources": {"listChanged": False, "subscribe": False},
    "tools": {"listChanged": False},
}
META = "io.modelcontextprotocol/"
_HERE = os.path.dirname(os.path.abspath(__file__))


def guidance(variant: str, home: str = "") -> str:
    """Return the instructions of a variant (minimal, normal, eager), with the doctrine of a home that is given."""
    said = read(os.path.join("guidance", f"{variant}.md"))
    return with_doctrine(said, home, MAX_GUIDANCE) if home else said


def listed(name: str) -> list[dict[str, Any]]:
    """Return the `tools`, `prompts` or `resourceTemplates` as agents see them."""
    found: list[dict[str, Any]] = json.loads(read("lists.json"))[name]
    return found


def read(name: str) -> str:
    """Return the text of a file that ships beside this code, without the line end at its end."""
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        return file.read().strip()


def greeting(version: str, instructions: str) -> dict[str, Any]:
    """Return the answer to a handshake."""
    about = {"capabilities": _CAPABILITIES, "instructions": instructions}
    return {"protocolVersion": version, "serverInfo": SERVER, **about}


def discovery(instructions: str) -> dict[str, Any]:
    """Return what a client discovers that sends an envelope with each request."""
    return {"supportedVersions": [ENVELOPE], "capabilities": _CAPABILITIES, "instructions": instructions}


def enveloped(result: dict[str, Any], *, lasts: bool) -> dict[str, Any]:
    """Return a result as it goes out to who sent an envelope; `lasts` where it could be kept for a while."""
    kept = {"ttlMs": 0, "cacheScope": "private"} if lasts else {}
    whole = {"resultType": "complete", **kept, **result}
    return {**{name: whole[name] for name in sorted(whole)}, "_meta": {f"{META}serverInfo": SERVER}}


def envelope_of(params: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Return how the client calls itself and the `_meta` of a request with a proper envelope; None for any other."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or meta.get(f"{META}protocolVersion") != ENVELOPE:
        return None
    client = name_of(meta.get(f"{META}clientInfo"), meta.get(f"{META}clientCapabilities"))
    return (client, meta) if client is not None else None


def is_id(number: object) -> bool:
    """Whether this can be the id of a request: a number, or a text that can be sent back, without half a letter."""
    if isinstance(number, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in number)
    return isinstance(number, int) and not isinstance(number, bool)


def name_of(info: object, capabilities: object) -> str | None:
    """Return how a client calls itself, where it says who it is in the form that the protocol asks for."""
    if not isinstance(info, dict) or not isinstance(capabilities, dict):
        return None
    is_told = isinstance(info.get("version"), str) and isinstance(info.get("title", ""), str)
    if not is_told or not all(isinstance(one, dict) for one in capabilities.values()):
        return None
    name = info.get("name")
    return name if isinstance(name, str) else None
