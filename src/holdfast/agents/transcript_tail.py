"""Which files a session changed, and which commands failed, as far as hooks are told and a transcript's tail says.

No agent's format is known here: whatever has the name of an editing tool beside its arguments counts as a change. What
is told of a session in full comes later, from its digest.
"""

from __future__ import annotations

from holdfast.base import files
from holdfast.base.minijson import loads
from holdfast.language.tools import changed_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The most of a transcript that one hook reads.
MAX_TAIL = 1 << 20
_MAX_LINE = 1 << 18
_DEEPEST = 8
# Where a line of a transcript says which tool was called, and with what.
_NAMES = ("name", "tool_name", "toolName", "tool")
_GIVEN = ("input", "arguments", "args", "parameters", "tool_input", "toolInput", "toolArgs")


def changed(lines: list[bytes]) -> list[str]:
    """Return the files that the calls in these lines of a transcript change, each once, in order."""
    found: dict[str, None] = {}
    for line in lines:
        if len(line) <= _MAX_LINE and (b"ath" in line or b"ile" in line or b"*** " in line):
            for tool, given in _calls(_parsed(line), 0):
                found.update(dict.fromkeys(changed_files(tool, given)))
    return [*found]


def _calls(value: object, depth: int) -> Iterator[tuple[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            yield from _calls(each, depth + 1)
    if isinstance(value, dict):
        name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), "")
        given = next((value[key] for key in _GIVEN if value.get(key)), None)
        if name and given is not None:
            yield name, given
        for each in value.values():
            yield from _calls(each, depth + 1)


def tail(path: str, since: int, most: int = MAX_TAIL) -> tuple[list[bytes], int]:
    """Return the whole lines of a transcript behind `since`, at most so many bytes of them, and where they end."""
    try:
        data, start = files.read_tail(path, most, since, follow=True)
    except OSError:
        return [], since
    end = data.rfind(b"\n") + 1
    lines = data[:end].split(b"\n")
    # Where the beginning was left out, the first line may be the end of a longer one; it does not parse.
    return lines, start + end


def _parsed(line: bytes) -> object:
    try:
        return loads(line.decode())
    except ValueError:
        return None
