"""The doctrine: `memory/system/definition.md`, on which the person says how this memory is kept.

The page that Holdfast lays says what its guidance says anyway. What the person adds to it or writes instead goes into
the guidance of agents: into the start of a session where the agent's hook hands text over, else into its rules file and
the instructions of the MCP server. Whole sentences, at most MAX_TOLD characters; `holdfast doctor` says what did not
fit. The page is the person's: nothing here writes to it.
"""

from __future__ import annotations

import os

from holdfast.base import files
from holdfast.memory import scaffold
from holdfast.privacy.fence import safe, without_secrets

PAGE = os.path.join("memory", "system", "definition.md")
HEAD = "# From the person, about this memory"
MAX_TOLD = 600
_MAX_READ = 65_536


def own_lines(home: str) -> list[str]:
    """Return what the person says on the page, a statement each: neither lines of the template nor headings."""
    try:
        data = files.read_head(os.path.join(home, PAGE), _MAX_READ, follow=False)
    except OSError:
        return []
    template = scaffold.template("definition.md")
    if data == template.encode():
        return []
    ours = {line.strip() for line in template.split("\n")}
    found: list[str] = []
    is_new = True
    for line in data.decode("utf-8", "replace").lstrip("\ufeff").split("\n"):
        text = line.strip()
        if not text or text in ours or text.startswith(("#", "<!--", "|--", "```")):
            is_new = True
        elif is_new or text.startswith(("- ", "* ", "|")):
            found.append(text.lstrip("-* |"))
            is_new = False
        else:
            # The paragraph continues on the next line.
            found[-1] += f" {text}"
    said = [" ".join(safe(text, without_secrets).split()) for text in found]
    return [text for text in said if any(map(str.isalnum, text))]


def told(home: str, room: int = MAX_TOLD) -> tuple[list[str], int]:
    """Return the statements that have room, in their order and each whole, and how many are left out."""
    lines = own_lines(home)
    kept: list[str] = []
    for text in lines:
        if sum(map(len, kept)) + len(text) + 3 * (len(kept) + 1) > room:
            break
        kept.append(text)
    return kept, len(lines) - len(kept)


def with_doctrine(guidance: str, home: str, most: int) -> str:
    """Return the guidance with the doctrine behind its first paragraph.

    Where room is needed, paragraphs without a heading of their own go first, the last before the others: they explain.
    """
    kept, _ = told(home)
    if not kept:
        return guidance
    first, *sections = guidance.split("\n\n")
    said = [first, "\n".join([HEAD, *(f"- {text}" for text in kept)]), *sections]
    sections.reverse()
    for section in sorted(sections, key=lambda text: text.startswith("#")):
        if len("\n\n".join(said)) > most:
            said.remove(section)
    return "\n\n".join(said)
