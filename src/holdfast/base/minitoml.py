"""The plainest part of TOML, without the import of `tomllib`, which costs more than two bare starts of Python.

A settings file is lines of `name = value` under `[table]` headings. Whatever else stands in it, a real parser reads.
"""

from __future__ import annotations

_BARE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"


class _NotPlain(Exception):
    pass


def read(text: str) -> dict[str, object] | None:
    """Return what the file says, or None where it takes a real parser to tell, or to refuse it."""
    tree: dict[str, object] = {}
    table = tree
    if any(ord(letter) < 32 and letter not in "\n\t" for letter in text):
        return None
    try:
        for row in text.split("\n"):
            line = row.strip(" \t")
            if line.startswith("["):
                table = _table(tree, line)
            elif line and not line.startswith("#"):
                _set(table, line)
    except _NotPlain:
        return None
    return tree


def _table(tree: dict[str, object], line: str) -> dict[str, object]:
    name = _before_comment(line)[1:-1]
    if not (line[1:2] != "[" and _before_comment(line).endswith("]") and _is_bare(name) and name not in tree):
        raise _NotPlain
    made: dict[str, object] = {}
    tree[name] = made
    return made


def _set(table: dict[str, object], line: str) -> None:
    name, sign, rest = line.partition("=")
    name = _key(name.rstrip(" \t"))
    if not sign or name in table:
        raise _NotPlain
    table[name] = _value(rest.strip(" \t"))


def _key(name: str) -> str:
    """Return a name without its quotes, if it has any."""
    inner = name[1:-1] if len(name) > 2 and name[0] == name[-1] == '"' else ""
    if _is_bare(name) or (inner and '"' not in inner and "\\" not in inner):
        return inner or name
    raise _NotPlain


def _value(text: str) -> object:
    if text[:1] == '"':
        inner, end, rest = text[1:].partition('"')
        if not end or "\\" in inner or _before_comment(rest) or (not inner and rest[:1] == '"'):
            raise _NotPlain
        return inner
    text = _before_comment(text)
    if text in ("true", "false"):
        return text == "true"
    whole, point, rest = text.partition(".")
    is_whole = whole.isascii() and whole.isdigit() and (whole == "0" or whole[0] != "0")
    if is_whole and (not point or (rest.isascii() and rest.isdigit())):
        return float(text) if point else int(text)
    raise _NotPlain


def _before_comment(text: str) -> str:
    return text.partition("#")[0].rstrip(" \t")


def _is_bare(name: str) -> bool:
    return bool(name) and not name.strip(_BARE)
