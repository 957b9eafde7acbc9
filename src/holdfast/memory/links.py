"""Links between memories: `[[key]]` and relative Markdown links to files."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote

WIKI = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
MARKDOWN = re.compile(r"\[[^\[\]\n]*\]\(([^()\s]+?\.md)(?:#[^()\s]*)?\)")


def wiki_links(text: str) -> list[tuple[str, int]]:
    """Return the target and the line of each `[[key]]` outside code."""
    return _found(WIKI, text)


def file_links(text: str) -> list[tuple[str, int]]:
    """Return the target and the line of each relative link to a Markdown file outside code."""
    links = [(unquote(target), line) for target, line in _found(MARKDOWN, text)]
    return [(target, line) for target, line in links if "://" not in target and not target.startswith("/")]


def moved(text: str, folder: str, places: dict[str, str], new_folder: str) -> str:
    """Return the text with its relative links corrected, after files (`places`: old to new path) or it moved."""

    def corrected(match: re.Match[str]) -> str:
        target = unquote(match.group(1))
        if "://" in target or target.startswith("/"):
            return match.group(0)
        old = os.path.normpath(os.path.join(folder, target))
        new = os.path.relpath(places.get(old, old), new_folder)
        if os.path.normpath(target) == new:
            return match.group(0)
        return match.group(0).replace(f"({match.group(1)}", f"({new.replace(' ', '%20')}", 1)

    return MARKDOWN.sub(corrected, text)


def renamed(text: str, old: str, new: str) -> str:
    """Return the text with `[[old]]` turned into `[[new]]`."""
    return re.sub(rf"\[\[{re.escape(old)}(?=[\]|#])", f"[[{new}", text)


def _found(pattern: re.Pattern[str], text: str) -> list[tuple[str, int]]:
    found = []
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            found += [(match.group(1).strip(), number) for match in pattern.finditer(_without_code(line))]
    return found


def _without_code(line: str) -> str:
    return re.sub(r"`[^`]*`", "", line)
