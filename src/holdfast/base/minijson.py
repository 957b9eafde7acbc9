"""JSON without the import of `json`, which costs as much as a bare start of Python: for what a hook reads and writes.

It reads with the scanner in C that `json` itself uses, and writes what `json.dumps(value, ensure_ascii=False)` would.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from json.encoder import py_encode_basestring as encode_basestring
    from typing import Any

    make_scanner: Any
else:
    try:
        from _json import encode_basestring, make_scanner
    except ImportError:
        # A Python without the C parts has nothing lighter to offer.
        from json.encoder import py_encode_basestring as encode_basestring
        from json.scanner import py_make_scanner as make_scanner

_SPACE = " \t\n\r"
_CONSTANTS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class _Rules:
    """What the scanner asks for: plain types only, and control characters within strings are allowed."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = _CONSTANTS.__getitem__
    memo: dict[str, str] = {}  # noqa: RUF012


_scan = make_scanner(_Rules)


def loads(text: str) -> object:
    """Return the value of the text; ValueError for anything that is not one JSON value."""
    start = _skip(text, 0)
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):
        # Without `json` loaded the scanner of Python 3.11 finds no class for its error and raises a SystemError.
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    if _skip(text, end) != len(text):
        raise ValueError("not one JSON value")
    return value


def dumps(value: object) -> str:
    """Return the value as JSON on one line; TypeError for what JSON cannot say."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join([f"{dumps(str(name))}: {dumps(inner)}" for name, inner in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join([dumps(inner) for inner in value]) + "]"
    raise TypeError(f"{type(value).__name__} is not JSON")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
