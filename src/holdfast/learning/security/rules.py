"""The rules of `security_rules.txt`: which words of a command make it one to note, and the lists beside them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DESTRUCTIVE, SECRET, OUTSIDE = "destructive", "secret", "outside"
KINDS = (DESTRUCTIVE, SECRET, OUTSIDE)
_FILE = os.path.join(os.path.dirname(__file__), "rules.txt")
_SECTIONS = {"[destructive]": DESTRUCTIVE, "[reads a secret]": SECRET, "[lists]": ""}
# Options before a sub-command that take the next word: `git -C folder push`.
_TAKES_A_WORD = frozenset(("-C", "-c", "-n", "--namespace", "--context", "--profile", "--region", "-f", "--file", "-p"))


class Rules:
    """The rules by program, and the lists by name."""

    def __init__(self) -> None:
        self.lists: dict[str, frozenset[str]] = {}
        self._forms: dict[str, list[tuple[str, str, list[str]]]] = {}
        with open(_FILE, encoding="utf-8") as file:
            self._take(file.read().split("\n"))

    def _take(self, lines: list[str]) -> None:
        kind = ""
        for line in lines:
            if line in _SECTIONS:
                kind = _SECTIONS[line]
            elif line and line[0] != "#":
                name, _, rest = line.partition(": ")
                words = rest.split()
                if kind:
                    for program in words[0].split("|"):
                        self._forms.setdefault(program, []).append((kind, name, words[1:]))
                else:
                    self.lists[name] = self.lists.get(name, frozenset()).union(words)

    def found(self, words: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield kind and name of each rule that a command's words fulfil, each once."""
        program = words[0].rpartition("/")[2]
        forms = self._forms.get(program) or self._forms.get(program.partition(".")[0] + ".*") or ()
        seen = set()
        for kind, name, form in forms:
            if name not in seen and _fulfils(words[1:], form):
                seen.add(name)
                yield kind, name

    def has(self, name: str, text: str) -> bool:
        """Whether a list has the text, or a pattern that it fits."""
        return text in self.lists[name] or any(fits(text, one) for one in self.lists[name] if "*" in one)


def _fulfils(words: Sequence[str], form: list[str]) -> bool:
    """Whether the words have what a form asks for: its sub-commands in order, the rest anywhere."""
    plain = _plain_words(words)
    for wanted in form:
        if wanted[0] == "!":
            if any(_is_option(word, wanted[1:]) for word in words):
                return False
            continue
        either = wanted.split("|")
        if wanted[0] in "-+:" or "=" in wanted or either[0] in (".", "/"):
            if not any(_is_option(word, one) for word in words for one in either):
                return False
        elif not plain or not any(fits(plain[0], one) for one in either):
            # A word of an option and a plain one may be asked for together: `777` behind `-R`.
            if not (wanted[0].isdigit() and any(word in either for word in words)):
                return False
        else:
            plain.pop(0)
    return True


def _plain_words(words: Sequence[str]) -> list[str]:
    """Return the words that are no options, nor values of options before the first of them."""
    found: list[str] = []
    passing = False
    for word in words:
        if passing:
            passing = False
        elif word[:1] == "-":
            passing = not found and word in _TAKES_A_WORD
        else:
            found.append(word)
    return found


def _is_option(word: str, wanted: str) -> bool:
    if "*" in wanted:
        return fits(word, wanted)
    if word == wanted or (wanted[:2] == "--" and word.startswith(f"{wanted}=")):
        return True
    bundled = len(wanted) == 2 and wanted[0] == "-" and word[:1] == "-" and word[1:2].isalpha() and word[1:].isalpha()
    return bundled and wanted[1] in word[1:]


def fits(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern in which `*` stands for anything."""
    if "*" not in pattern:
        return text == pattern
    first, *middle, last = pattern.split("*")
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at = len(first)
    for piece in middle:
        at = text.find(piece, at, len(text) - len(last))
        if at < 0:
            return False
        at += len(piece)
    return True
