"""The texts that ship beside this code: guidance for agents and what the prompts say, as Markdown files."""

from __future__ import annotations

import os

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
