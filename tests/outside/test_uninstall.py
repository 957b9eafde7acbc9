"""After an uninstall every file is as it was, byte for byte, and the agent runs as before."""

from __future__ import annotations

from outside.life import Life
from outside.loopback import Request
from outside.reading import OPEN


def _is_without_us(request: Request) -> bool:
    return not any(OPEN in text for text in request.texts) and not any("memory_store" in one for one in request.tools)


def test_an_uninstall_gives_back_every_byte(life: Life) -> None:
    """Install and uninstall in both scopes leave the home and the project as the agent's first run had left them."""
    assert life.installed != life.before
    assert life.uninstalled == life.before


def test_the_agent_runs_as_before(life: Life) -> None:
    """After sessions with Holdfast and an uninstall the agent offers the same tools and tells us nothing any more."""
    assert _is_without_us(life.bare.first) and not _is_without_us(life.second.first)
    assert life.configs_after == life.configs
    assert life.last.code == 0 and _is_without_us(life.last.first)
    assert life.last.first.tools == life.bare.first.tools
    assert life.told_after == []
