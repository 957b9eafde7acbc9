"""Patterns that need not be compiled again in each process: those of one command took 100 ms, while a person waits.

What `re` makes of a pattern follows from its text, its flags and the interpreter, and from nothing else. A file beside
the `.pyc` files has it, as these have code; `save` adds to it what this process had to compile. It is a cache, and done
without where it cannot be read or written. It is for our own constants and tables: what somebody wrote is not kept.

A hook that looks for secrets has its patterns from here without `re`, which is loaded where one has to be compiled.
"""

from __future__ import annotations

import _sre  # type: ignore[import-not-found, unused-ignore]
import marshal
import os
import sys

from holdfast.base import files
from holdfast.base.package import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any

    # Text and flags of a pattern, and the other arguments of `_sre.compile`.
    Known = dict[tuple[str, int], tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]]

PLACE = f"{FOLDER}/__pycache__/regexes.{sys.implementation.cache_tag}"
# Above this number, patterns that an older version of this package kept are dropped.
_MAX_KEPT = 1_000
_INTERPRETER = (sys.version, _sre.MAGIC, _sre.CODESIZE)

_patterns: dict[tuple[str, int], re.Pattern[str]] = {}
_new: Known = {}
_read: list[Known] = []


def kept(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` returns."""
    key = pattern, int(flags)
    if key not in _patterns:
        if not _read:
            _read.append(_saved())
        _patterns[key] = _known(key) or _compiled(key)
    return _patterns[key]


def _known(key: tuple[str, int]) -> re.Pattern[str] | None:
    found = _read[0].get(key)
    if found is None:
        return None
    flags, code, *others = found
    try:
        made: re.Pattern[str] = _sre.compile(key[0], flags, memoryview(code).cast("I").tolist(), *others)
    except (RuntimeError, OverflowError, TypeError, ValueError):
        return None
    return made


def _compiled(key: tuple[str, int]) -> re.Pattern[str]:
    from array import array
    from importlib import import_module

    pattern, flags = key
    parsed: Any = import_module("re._parser").parse(pattern, flags)
    code = import_module("re._compiler")._code(parsed, flags)
    state = parsed.state
    names: dict[int, str] = {number: name for name, number in state.groupdict.items()}
    by_number = tuple([names.get(number) for number in range(state.groups)])
    others = (state.groups - 1, state.groupdict, by_number)
    _new[key] = (int(flags | state.flags), array("I", code).tobytes(), *others)
    made: re.Pattern[str] = _sre.compile(pattern, flags | state.flags, code, *others)
    return made


def _saved() -> Known:
    try:
        with open(PLACE, "rb") as file:
            # It lies among the .pyc files and is the same: what this package was compiled to.
            interpreter, known = marshal.loads(file.read())  # noqa: S302
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return known if interpreter == _INTERPRETER else {}


def save() -> None:
    """Add what this process compiled to the file, for the next one."""
    if not _new or sys.dont_write_bytecode or not os.access(os.path.dirname(PLACE), os.W_OK):
        return
    # Another process may have added some meanwhile.
    before = _saved()
    known = {**before, **_new} if len(before) + len(_new) <= _MAX_KEPT else _new
    try:
        files.replace(PLACE, marshal.dumps((_INTERPRETER, known)), mode=0o644, durable=False)
    except OSError:
        return
    _new.clear()
