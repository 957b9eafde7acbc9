"""Edit a memory in the person's own editor. What the editor leaves is checked and redacted before it is kept."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

from holdfast.actions.house import House, check_text
from holdfast.capture import redact
from holdfast.errors import BadInput
from holdfast.records import Memory


def edit(house: House, key: str, *, scope: str | None = None) -> tuple[Memory, bool]:
    """Open the memory's file in the editor; return the memory and whether it changed."""
    memory = house.locate(key, scope)
    before = house.store.text(memory)
    after = _edited(before, memory.key, _editor(house))
    if after == before:
        return memory, False
    check_text(after)
    after, kinds = redact.redact(after)
    if kinds:
        house.say(f"redacted before it was stored: {', '.join(kinds)}")
    return house.store.rewrite(memory.scope, memory.key, after), True


def _editor(house: House) -> list[str]:
    named = house.environment.get("VISUAL") or house.environment.get("EDITOR") or ""
    if not named.strip():
        raise BadInput(
            "no editor is set", "Set VISUAL or EDITOR, or open the file itself (`holdfast show KEY --path`)."
        )
    return shlex.split(named)


def _edited(text: str, key: str, editor: list[str]) -> str:
    """Return what the editor makes of the text, in a private copy so that a half-done save is never seen."""
    with tempfile.TemporaryDirectory(prefix="holdfast-edit-") as folder:
        path = os.path.join(folder, f"{key}.md")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            ended = subprocess.run([*editor, path], check=False).returncode
        except OSError as problem:
            raise BadInput(f"the editor {editor[0]} does not start: {problem.strerror}", "Set EDITOR.") from problem
        if ended:
            raise BadInput(f"the editor ended with {ended}; nothing was changed", "Save and leave it normally.")
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
