"""A shell command line taken apart at `&&`, `||`, `;`, `|` and line ends outside of quotes and here-documents.

This is no shell: what it cannot understand stays one word, and a wrong guess costs a wrong line in a digest.
"""

from __future__ import annotations

import re

MAX_COMMANDS = 24
_MAX_WORDS = 40
# `plain` is a row of words without any sign of a shell, which is most of what is run; it saves looking at each.
_TOKEN = re.compile(
    r"""(?P<plain>(?:(?:[^'"\s;&|\\<(){}\#]++|(?<=>)&(?=\d))++(?:[ \t\r]++|\Z|(?=[;|\n]|&&)))++)"""
    r"""|(?P<here><<-?\s*(?P<q>['"]?)(?P<tag>\w+)(?P=q))"""
    r"""|(?P<end>&&|\|\|?&?|;+|\n|(?<![<>&\d])&(?![>&\d]))|(?P<space>[ \t\r]+|\\\n)|(?P<comment>(?<!\S)\#[^\n]*)"""
    r"""|(?P<single>'[^']*(?:'|\Z))|(?P<double>"(?:[^"\\]|\\.)*(?:"|\Z))|(?P<other>\\.|[^'"\s;&|\\<]+|.)""",
    re.DOTALL,
)


def split(command: str) -> list[tuple[list[str], str, str]]:
    """Return the words of each command of a line, its text, and the sign that ends it."""
    found: list[tuple[list[str], str, str]] = []
    words: list[str] = []
    word = here = ""
    start = at = 0
    while at < len(command) and len(found) < MAX_COMMANDS and (match := _TOKEN.match(command, at)):
        text, kind, before, at = match[0], match.lastgroup, at, match.end()
        if kind == "plain":
            first, *rest = text.split()
            words += [word + first, *rest]
            word = ""
        elif kind == "end":
            _end(found, [*words, word], command[start:before], text)
            words, word = [], ""
            if text == "\n" and here:
                at, here = _behind(command, at, here), ""
            start = at
        elif kind == "here":
            here = match["tag"]
        elif kind == "space" or kind == "comment":
            words.append(word)
            word = ""
        else:
            word += _unquoted(text, kind)
    _end(found, [*words, word], command[start:at], "")
    return found


def _end(found: list[tuple[list[str], str, str]], words: list[str], text: str, sign: str) -> None:
    """Put the command away that ends by this sign, if it has a word."""
    words = [word for word in words if word]
    if words:
        found.append((words[:_MAX_WORDS], text, sign))


def _behind(command: str, at: int, tag: str) -> int:
    """Return where the here-document ends that begins here and is closed by a line of its tag."""
    close = re.compile(rf"^[ \t]*{re.escape(tag)}[ \t]*$", re.MULTILINE).search(command, at)
    return close.end() if close else len(command)


def _unquoted(text: str, kind: str | None) -> str:
    if kind == "single" or kind == "double":
        return text[1:].removesuffix(text[0]) or " "
    if text[0] == "\\" and len(text) == 2:
        return text[1]
    # A bracket that stands alone groups commands and is no word.
    return "" if text in "(){}" else text
