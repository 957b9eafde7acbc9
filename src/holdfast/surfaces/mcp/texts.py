"""The texts that ship beside this code: guidance for agents and what the prompts say, as Markdown files."""

from __future__ import annotations

import os

from holdfast import settings
from holdfast.errors import HoldfastError
from holdfast.surfaces.mcp.calls import say

_HERE = os.path.dirname(__file__)
USUAL = "normal"


def guidance(variant: str) -> str:
    """Return the instructions that an agent gets with the tools: minimal, normal or eager."""
    return read("guidance", variant)


def prompt_text(name: str) -> str:
    """Return the text of a prompt."""
    return read("prompt_texts", name)


def read(folder: str, name: str) -> str:
    """Return one of the files, without the line end at its end."""
    with open(os.path.join(_HERE, folder, f"{name}.md"), encoding="utf-8") as file:
        return file.read().strip()


def settings_at_start(home: str, environment: dict[str, str], flags: dict[str, str]) -> tuple[str, float]:
    """Return the variant of the guidance and the seconds that a call may take; what cannot be read is as usual.

    The server starts even with a broken config.toml: each call then says what is wrong with it.
    """
    try:
        found = settings.load(home, environment, flags)
    except HoldfastError as problem:
        say(f"{problem}; the guidance is as usual")
        found = settings.Settings({one.name: one.default for one in settings.SETTINGS}, {})
    return found.text("mcp.guidance"), found.number("mcp.timeout_ms") / 1000
