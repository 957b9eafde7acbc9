"""Links between memories: `[[key]]` and relative Markdown links to files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

WIKI = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
MARKDOWN = re.compile(r"\[[^\[\]\n]*\]\(([^()\s#]+)(?:#[^()\s]*)?(?:\s+\"[^\"\n]*\")?\)")


def wiki_links(text: str) -> list[tuple[str, int]]:
    """Return the target and the line of each `[[key]]` outside code."""
    return _found(WIKI, text)


def targets(text: str) -> list[str]:
    """Return what the text links to by `[[key]]`, each once, in order."""
    return list(dict.fromkeys(target for target, _ in wiki_links(text)))


def file_links(text: str) -> list[tuple[str, int]]:
    """Return the target and the line of each relative link to a Markdown file outside code."""
    from urllib.parse import unquote

    links = [(unquote(target), line) for target, line in _found(MARKDOWN, text)]
    return [(target, line) for target, line in links if target.endswith(".md") and _is_relative(target)]


def moved(text: str, folder: str, places: dict[str, str], new_folder: str, there: Callable[[str], bool]) -> str:
    """Return the text with its relative links corrected, after files (`places`: old to new path) or it moved.

    Only what leads to a file that is `there` is a link; `f[x](y)` in a piece of code is left as it is.
    """
    from urllib.parse import unquote

    def corrected(match: re.Match[str]) -> str:
        target = unquote(match.group(1))
        old = os.path.normpath(os.path.join(folder, target))
        path = places.get(old, old)
        new = relative(path, new_folder)
        if not _is_relative(target) or os.path.normpath(target) == new or not there(path):
            return match.group(0)
        return match.group(0).replace(f"({match.group(1)}", f"({new.replace(' ', '%20')}", 1)

    return MARKDOWN.sub(corrected, text)


def renamed(text: str, old: str, new: str) -> str:
    """Return the text with `[[old]]` turned into `[[new]]`."""
    return re.sub(rf"\[\[\s*{re.escape(old)}\s*(?=[\]|#])", f"[[{new}", text)


def relative(path: str, folder: str) -> str:
    """Return the way from a folder to a path, both in the tree. The working directory may be gone and is not used."""
    below = f"{folder}/"
    return path[len(below) :] if path.startswith(below) else os.path.relpath(f"/{path}", f"/{folder}")


def _is_relative(target: str) -> bool:
    return not target.startswith("/") and ":" not in target.split("/", 1)[0]


def _found(pattern: re.Pattern[str], text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    fenced = False
    if "[[" not in text and "](" not in text:
        return found
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            without_code = re.sub(r"`[^`]*`", "", line)
            found += [(match.group(1).strip(), number) for match in pattern.finditer(without_code)]
    return found
