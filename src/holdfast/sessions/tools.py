"""What a tool call does, whatever its agent calls the tool: its kind, its command line, and the files it changes."""

from __future__ import annotations

import json
import re
import shlex
from functools import lru_cache

import msgspec

from holdfast.records import SessionEvent
from holdfast.sessions.vocabulary import words

KINDS = ("shell", "edit", "read", "search", "web", "agent", "plan", "memory", "pr", "other")
_SIGNS = str.maketrans("", "", "_- ")
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.MULTILINE)
_STRING = r'"\s*:\s*"((?:[^"\\]|\\.){1,4096})"'
_LONGEST_COMMAND = 8_000
_MAX_FILES_OF_A_CALL = 50
_by_name: dict[str, str] = {}
_decode = msgspec.json.Decoder().decode


@lru_cache(512)
def kind_of(tool: str) -> str:
    """Return the kind of a tool, one of KINDS, by its name or the last part of its name."""
    if not _by_name:
        _by_name.update({_plain(name): kind for kind in KINDS for name in words("tools").get(kind, ())})
    for name in (tool, tool.rpartition("__")[2], tool.rpartition(".")[2], tool.rpartition("/")[2]):
        if _plain(name) in _by_name:
            return _by_name[_plain(name)]
    return "other"


def command_of(event: SessionEvent) -> str:
    """Return the command line that a call of a shell ran; nothing where it does not say."""
    return _first_told(event.input, "command-key")[:_LONGEST_COMMAND]


def files_of(event: SessionEvent) -> list[str]:
    """Return the files that a call of an editing tool changes, each once."""
    return files_in(event.input)


def files_in(given: str) -> list[str]:
    """Return the files that are changed by what a tool was given, a patch or an object that names one."""
    found: list[str] = []
    if "*** " in given:
        found = _PATCHED.findall(given.replace("\\n", "\n") if given[:1] in "{[" else given)
    if not found:
        path = _first_told(given, "path-key", plain=False)
        found = [path] if path else []
    return list(dict.fromkeys(path.strip() for path in found if path.strip()))[:_MAX_FILES_OF_A_CALL]


def _plain(name: str) -> str:
    return name.casefold().translate(_SIGNS)


def _first_told(given: str, keys: str, plain: bool = True) -> str:
    """Return the first of these fields of what a tool was given; a text that is no JSON is the field itself."""
    if given[:1] not in "{[":
        return given if plain else ""
    try:
        found = _understood(given)
    except (ValueError, RecursionError):
        return _searched(given, keys)
    if isinstance(found, dict):
        for key in words("tools")[keys]:
            if text := _as_line(found.get(key)):
                return text
        return ""
    return _as_line(found) if plain else ""


def _understood(given: str) -> object:
    try:
        return _decode(given)
    except (ValueError, RecursionError):
        # What is nearly JSON, with a line end in a text for example, only the slow way understands.
        return json.loads(given, strict=False)


def _searched(given: str, keys: str) -> str:
    """Return the field out of JSON that was cut and cannot be read any more."""
    for key in words("tools")[keys]:
        if found := re.search(f'"{re.escape(key)}{_STRING}', given):
            try:
                return str(json.loads(f'"{found[1]}"', strict=False))
            except ValueError:
                return ""
    return ""


def _as_line(value: object) -> str:
    """Return a command as text: as it is, or out of a list of its words, without the shell that only carries it."""
    if isinstance(value, str):
        return value
    if not (isinstance(value, list) and value and all(isinstance(word, str) for word in value)):
        return ""
    if len(value) == 3 and value[1] in ("-c", "-lc", "-ic", "/c"):
        return str(value[2])
    return shlex.join(value)
