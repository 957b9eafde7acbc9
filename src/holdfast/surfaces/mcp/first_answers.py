"""The first answers of the server, given while the SDK is still being loaded.

Loading it takes most of a second, and some agents ask their model after one second without the tools of a server that
has not answered yet. What is answered to the first questions depends only on the version of the protocol, on ours, on
the setting `mcp.guidance` and on the doctrine; the lists are in `lists.json`, which `training/mcp_lists.py` makes from
our own tables. The SDK gets the same questions, and its answers to them are not sent. A test holds that it says the
same.
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
_INITIALIZE, _DISCOVER = "initialize", "server/discover"
_META = "io.modelcontextprotocol/"
_ENVELOPED = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": {f"{_META}serverInfo": SERVER}}
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


class FirstAnswers:
    """Answers the first request of each kind; whatever is unusual, and all that follows it, is left to the SDK."""

    def __init__(self, variant: str, home: str = "") -> None:
        self._guidance = guidance(variant, home)
        self._open = {_INITIALIZE, _DISCOVER, *LISTS}
        self._has_shaken = False

    def to(self, request: object) -> dict[str, Any] | None:
        """Return the result of a request, or None where the SDK has to answer."""
        if not isinstance(request, dict) or not is_id(request.get("id")):
            return None
        method, params = request.get("method"), request.get("params", {})
        if not isinstance(method, str) or method not in self._open:
            return None
        result = self._result(method, params) if isinstance(params, dict) else None
        self._open = self._open - {method, _INITIALIZE} if result else set()
        return result

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        if method == _INITIALIZE:
            return self._handshake(params)
        if not self._has_shaken:
            return self._enveloped(method, params)
        if method not in LISTS or params.get("cursor") or f"{_META}protocolVersion" in _meta(params):
            return None
        return {LISTS[method]: listed(LISTS[method])}

    def _handshake(self, params: dict[str, Any]) -> dict[str, Any] | None:
        version = params.get("protocolVersion")
        if version not in HANDSHAKES or not _is_client(params.get("clientInfo"), params.get("capabilities")):
            return None
        self._has_shaken = True
        about = {"capabilities": _CAPABILITIES, "instructions": self._guidance}
        return {"protocolVersion": version, "serverInfo": SERVER, **about}

    def _enveloped(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        meta = _meta(params)
        is_known = meta.get(f"{_META}protocolVersion") == ENVELOPE and not params.get("cursor")
        if not is_known or not _is_client(meta.get(f"{_META}clientInfo"), meta.get(f"{_META}clientCapabilities")):
            return None
        if method in LISTS:
            return {LISTS[method]: listed(LISTS[method]), **_ENVELOPED}
        about = {"capabilities": _CAPABILITIES, "instructions": self._guidance}
        return {"supportedVersions": [ENVELOPE], **about, **_ENVELOPED}


def is_id(number: object) -> bool:
    """Whether this can be the id of a request: a number, or a text that can be sent back, without half a letter."""
    if isinstance(number, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in number)
    return isinstance(number, int) and not isinstance(number, bool)


def _meta(params: dict[str, Any]) -> dict[str, Any]:
    meta = params.get("_meta")
    return meta if isinstance(meta, dict) else {}


def _is_client(info: object, capabilities: object) -> bool:
    """Whether these say who calls, in the form that the protocol asks for."""
    if not isinstance(info, dict) or not isinstance(capabilities, dict):
        return False
    return isinstance(info.get("name"), str) and isinstance(info.get("version"), str)
