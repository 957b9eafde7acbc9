"""Edit a memory in the person's own editor. What the editor leaves is checked and redacted before it is kept."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any

from holdfast.base.text import check_text
from holdfast.errors import BadInput, ChangedMeanwhile
from holdfast.language.given_conditions import given
from holdfast.language.suggesting import need_condition
from holdfast.memory.anchors import confirm
from holdfast.privacy import redact
from holdfast.records import USUAL, Memory
from holdfast.store import front_matter, memory_file
from holdfast.workspace import Workspace

# What only the person does, in the words of the refusal.
OF_STRENGTH = "says how strongly a rule holds"


def edit(workspace: Workspace, key: str, *, scope: str | None = None) -> tuple[Memory, bool]:
    """Open the memory's file in the editor; return the memory and whether it changed."""
    memory = workspace.locate(key, scope)
    workspace.need_own(memory)
    before = workspace.store.text(memory)
    after = edited(before, memory.key, editor(workspace))
    if after == before:
        return memory, False
    try:
        return rewrite(workspace, memory, before, after), True
    except ChangedMeanwhile as problem:
        kept = kept_aside(redact.redact(after)[0], memory.key)
        raise ChangedMeanwhile(str(problem), f"What you wrote is in {kept}.") from None


def rewrite(workspace: Workspace, memory: Memory, before: str, after: str) -> Memory:
    """Return the memory with the text that a person made of `before`; ChangedMeanwhile where it changed meanwhile."""
    workspace.need_own(memory)
    check_text(after)
    after, kinds = redact.redact(after)
    if kinds:
        workspace.say(f"redacted before it was stored: {', '.join(kinds)}")
    if not memory_file.read_content(front_matter.parse(after).body).statement:
        raise BadInput("no text is left, so nothing was changed", f"To be rid of it: holdfast forget {memory.key}")
    # What it said before becomes history, except for a secret that was typed in by hand.
    clean = (lambda text: redact.redact(text)[0]) if redact.find(before) else None
    changed = workspace.store.rewrite(memory.scope, memory.key, after, was=before, clean=clean)
    # What it says now may name other code, and the person has just looked at it.
    return confirm(workspace, changed) if changed.body != memory.body else changed


def with_statement(text: str, old: str, new: str) -> str:
    """Return the text of a file in which the statement is another one; a title that was made of it follows."""
    body = front_matter.parse(text).body
    offset = len(text) - len(body)
    title = re.match(r"\s*# ([^\n]*)\n", body)
    start = offset + (title.end() if title else 0)
    head, found, rest = text[start:].partition(old)
    if not found or not old:
        raise BadInput("its text cannot be told apart from the rest of its file", "Edit the whole file.")
    before, after = text[:start], new.strip()
    if title and (after.startswith("# ") or title[1].strip() == memory_file.first_words(old)):
        content = memory_file.split_title(after)
        before, after = f"{text[: offset + title.start(1)]}{content.title}\n", content.statement
    return f"{before}{head}{after}{rest}"


def set_rule(workspace: Workspace, key: str, when: str | None, enforce: str | None, scope: str | None = None) -> Memory:
    """Give a memory another condition or strength, without an editor; an empty `when` is what it says of itself."""
    memory = workspace.locate(key, scope)
    fields = rule_fields(workspace, memory, when, enforce, memory.body)
    return workspace.store.change(memory.scope, memory.key, **fields)


def rule_fields(
    workspace: Workspace, memory: Memory, when: str | None, enforce: str | None, text: str
) -> dict[str, Any]:
    """Return the fields by which a memory that says this `text` gets another condition or strength, if it may."""
    if memory.trust == "user" and (when is not None or enforce is not None):
        workspace.need_person(f"says when {memory.key} holds")
    if enforce is not None:
        workspace.need_person(OF_STRENGTH)
    fields: dict[str, Any] = {}
    enforce = "" if enforce == USUAL else enforce
    if when is not None:
        parsed = given(when)
        fields["when"] = redact.redact(str(parsed) if when.strip() else "")[0]
    if enforce is not None:
        need_condition(text, fields.get("when", memory.when), enforce)
        fields["enforce"] = enforce
    return fields


def editor(workspace: Workspace) -> list[str]:
    """Return the words that start the person's editor."""
    environment = workspace.environment
    named = environment.get("VISUAL") or environment.get("EDITOR") or _of_git(environment)
    if not named and sys.stdin.isatty() and sys.stdout.isatty():
        # A terminal editor that most systems have, for somebody at a terminal.
        there = (name for name in ("nano", "vi") if shutil.which(name, path=environment.get("PATH")))
        named = next(there, "")
    if not named.strip():
        raise BadInput(
            "no editor is set", "Set VISUAL or EDITOR, or open the file itself (`holdfast show KEY --path`)."
        )
    try:
        return shlex.split(named)
    except ValueError as problem:
        raise BadInput(f"the editor {named!r} cannot be read: {problem}", "Correct VISUAL or EDITOR.") from None


def _of_git(environment: Mapping[str, str]) -> str:
    """Return the editor that the person set for git, or nothing."""
    command = ["git", "config", "--get", "core.editor"]
    try:
        ended = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return ended.stdout.strip()


def kept_aside(text: str, key: str) -> str:
    """Keep a text that could not be stored, so that nobody has to write it again, and return where."""
    descriptor, path = tempfile.mkstemp(prefix=f"holdfast-{key}-", suffix=".md")
    with open(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def edited(text: str, key: str, program: list[str]) -> str:
    """Return what the editor makes of the text, in a private copy so that a half-done save is never seen."""
    with tempfile.TemporaryDirectory(prefix="holdfast-edit-") as folder:
        path = os.path.join(folder, f"{key}.md")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        try:
            ended = subprocess.run([*program, path], check=False).returncode
        except OSError as problem:
            raise BadInput(
                f"the editor {program[0]} does not start: {problem.strerror}", "Set EDITOR to one that does."
            ) from problem
        if ended:
            raise BadInput(f"the editor ended with {ended}; nothing was changed", "Save and leave it normally.")
        try:
            with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
                return file.read()
        except OSError:
            raise BadInput("the editor left no file; nothing was changed", "Save and leave it normally.") from None
