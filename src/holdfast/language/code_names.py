"""What a statement names in code: files, lines of files, and symbols. Only what is written as a name counts."""

from __future__ import annotations

import re
from typing import NamedTuple

from holdfast.base.regexes import kept

MAX_STATEMENT = 4_000
MAX_NAMES = 8
_FILE = r"(?:[\w@.+-]+/)*\.?[\w@+-][\w@.+-]*"
# With a folder or an ending; whether there is such a file, the project tells.
_PATH = kept(rf"(?<![\w/:.@~$#-])(?:\./|/)?({_FILE})(?::(\d+)(?:-(\d+))?|\#L(\d+)(?:-L?(\d+))?)?(?![\w/])")
_NUMBERS = r"(?:lines?\s+|L)(\d+)(?:\s*(?:-|–|to|and)\s*L?(\d+))?"
_LINES_OF = kept(rf"\b{_NUMBERS},?\s+(?:of|in|from)\s+[`'\"]?({_FILE})", re.IGNORECASE)
_FILE_LINES = kept(rf"(?<![\w/])({_FILE})[`'\"]?,?\s+\(?(?:(?:at|on|around)\s+)?{_NUMBERS}", re.IGNORECASE)
# Files that are known by a name without an ending.
_WITHOUT_ENDING = frozenset(
    (
        *("Makefile", "Dockerfile", "Containerfile", "Jenkinsfile", "Rakefile", "Gemfile", "Procfile", "Vagrantfile"),
        *("Justfile", "justfile", "Brewfile", "Caddyfile", "Tiltfile", "BUILD", "WORKSPACE", "CODEOWNERS", "LICENSE"),
        *("PKG-INFO", "CHANGES", "CHANGELOG", "NEWS", "README", "COPYING", "AUTHORS", "MANIFEST", "VERSION", "HISTORY"),
    )
)
_BACKTICKED = kept(r"`([^`\n]{1,120})`")
_SYMBOL = kept(r"^[A-Za-z_$][\w$-]*(?:(?:\.|::|#)[A-Za-z_$][\w$-]*)*(?:-[\w-]+)?[!?]?$")
_CALLED = kept(r"(?<![\w.])([A-Za-z_][\w.]*)\(\)")
# Written as no word of a language is: with an underscore or a capital within it.
_CODE_LIKE = kept(
    r"(?<![\w./-])(?:[A-Za-z_]\w*\.)?(?:[A-Za-z]+_\w+|_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)(?![\w/-]|\.\w)"
)
# Before "in" and a file: a constant, or a name that says in what it stands.
_IN_FILE = kept(
    rf"(?<![\w./-])([A-Z][\w$]*|[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)+)\s+(?:in|of|from)\s+[`'\"]?{_FILE}"
)
# "The timeout in src/app.py": a plain word, which counts where that file defines it.
_THE_IN_FILE = kept(rf"\b[Tt]he\s+([a-z_][\w-]*)\s+(?:in|of|from)\s+[`'\"]?(?={_FILE}[/.]){_FILE}")
# "charge in src/pay.ts takes euros": the same at the head of a sentence, where no verb or adjective stands.
_HEAD_IN_FILE = kept(rf"(?:^|[.;:!?]\s+)([a-z_][\w-]*)\s+(?:in|of|from)\s+[`'\"]?(?={_FILE}[/.]){_FILE}")
# A constant, and what is named in passing: "15 minutes (TTL)". They count where a file that is named defines them.
_CONSTANT = kept(r"(?<![\w./$-])([A-Z][A-Z0-9]{2,})(?![\w/$-]|\.\w)")
_IN_PASSING = kept(r"(?<=\s)\(([A-Za-z_][\w.]*)\)")
_KINDS = "function|method|class|struct|constant|setting|option|variable|field|property|enum|trait|interface|type|macro"
_KIND_BEFORE = kept(rf"\b(?:{_KINDS}|key)s?\s+[`'\"]?([A-Za-z_][\w.-]*)", re.IGNORECASE)
_KIND_BEHIND = kept(rf"\b([A-Za-z_][\w.-]*)[`'\"]?\s+(?:{_KINDS})\b", re.IGNORECASE)
_SET = kept(r"^[\"']?([A-Za-z_][\w.-]*)[\"']?\s*(?:=(?!=)|:(?!:)|\+=)")


class NamedFile(NamedTuple):
    """A file that a statement names, and the lines, counted from 1; zero where it names none."""

    path: str
    first: int = 0
    last: int = 0


class Names(NamedTuple):
    """What a statement names. `sure` are symbols that are written as code, `likely` those that only look so."""

    files: tuple[NamedFile, ...] = ()
    sure: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()


def named(statement: str) -> Names:
    """Return what the statement names, in the order in which it does."""
    text = statement[:MAX_STATEMENT]
    text = re.sub(r"\S+://\S+", " ", text) if "://" in text else text
    found = [*_files(text)]
    # A file that has lines somewhere in the statement is meant there.
    lined = {one.path for one in found if one.first}
    files = tuple(dict.fromkeys(one for one in found if one.first or one.path not in lined))
    sure = [name for code in _BACKTICKED.findall(text) for name in _symbols(code)]
    sure += [name for name in _CALLED.findall(text) if _SYMBOL.match(name)]
    likely: list[str] = (
        _IN_FILE.findall(text)
        + _THE_IN_FILE.findall(text)
        + _HEAD_IN_FILE.findall(text)
        + _IN_PASSING.findall(text)
        + _CODE_LIKE.findall(text)
        + _KIND_BEFORE.findall(text)
        + _KIND_BEHIND.findall(text)
        + _CONSTANT.findall(text)
    )
    sure_once = tuple(dict.fromkeys(sure))[:MAX_NAMES]
    rest = (name.rstrip(".-") for name in likely)
    return Names(files[:MAX_NAMES], sure_once, tuple(dict.fromkeys(n for n in rest if n not in sure_once))[:MAX_NAMES])


def _files(text: str) -> list[NamedFile]:
    found = []
    for name, *numbers in _PATH.findall(text):
        path = name.rstrip(".")
        if _is_file_name(path):
            first, last = int(numbers[0] or numbers[2] or 0), int(numbers[1] or numbers[3] or 0)
            found.append(NamedFile(path, first, max(first, last)))
    said = [(path, first, last) for first, last, path in _LINES_OF.findall(text)]
    for path, first, last in [*said, *([] if said else _FILE_LINES.findall(text))]:
        if _is_file_name(path.rstrip(".")):
            found.append(NamedFile(path.rstrip("."), int(first), max(int(first), int(last or 0))))
    return found


def _is_file_name(path: str) -> bool:
    """Whether a word may be the name of a file: it has a folder or an ending, or is known to be one."""
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2] if "." in name else ""
    return name in _WITHOUT_ENDING or "/" in path or (len(name) > len(ending) > 0 and not ending.isdigit())


def _symbols(code: str) -> list[str]:
    """Return the symbols that a piece of code between backticks names: itself, what it calls, or what it sets."""
    bare = code.strip().rstrip(";")
    called = bare.partition("(")[0].strip() if "(" in bare else bare
    if _SYMBOL.match(called):
        return [called]
    is_set = _SET.match(bare)
    return [is_set.group(1)] if is_set else []
