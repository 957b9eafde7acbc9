"""Cursor, by the contract of every agent, and its rule."""

from __future__ import annotations

from holdfast import agents
from holdfast.records import HookCall

from .contract import AgentContract


class TestCursor(AgentContract):
    name = "cursor"
    host = {"CURSOR_VERSION": "2"}  # noqa: RUF012


def test_where_the_rule_stands_the_hook_is_silent(tmp_path) -> None:
    """What a session starts with comes once: by the rule of the project, or by the hook."""
    call = HookCall("cursor", "start", "sessionStart", folder=str(tmp_path))
    assert "TEXT" in agents.get("cursor").injection_output(call, "TEXT")
    (tmp_path / ".cursor" / "rules").mkdir(parents=True)
    (tmp_path / ".cursor" / "rules" / "holdfast.mdc").touch()
    assert agents.get("cursor").injection_output(call, "TEXT") == ""
