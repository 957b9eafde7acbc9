"""Calls of tools in the lines of a transcript, whatever agent wrote it: what has a name beside its arguments is one.

An agent that writes a message again whenever it changes writes its calls again: of one id the last counts, once. It is
for hooks, which have no time for a reader of transcripts; the digest of a session knows better afterwards.
"""

from __future__ import annotations

from holdfast.agents.call_results import FAILED, Result, result_of
from holdfast.base import files
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


# The most of a transcript that one hook reads.
MAX_TAIL = 1 << 20

_NAMES = ("name", "tool_name", "toolName", "tool")
_GIVEN = ("input", "arguments", "args", "parameters", "tool_input", "toolInput", "toolArgs")
_IDS = ("call_id", "callId", "toolCallId", "tool_call_id", "id")
_MARKS = (
    b'"name"',
    b'"tool_name"',
    b'"toolName"',
    b'"tool"',
    b'"tool_use_id"',
    *[f'"{name}"'.encode() for name in _IDS[:-1]],
)
_MAX_LINE = 1 << 18
_MAX_GIVEN = 4_000
_MAX_VALUE = 500
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the tool, its arguments as text, and how it ended: `passed`, `failed`, or nothing where nobody says.

    `output` is what a call printed that failed.
    """

    tool: str
    given: str
    ended: str = ""
    output: str = ""


def is_readable(path: str) -> bool:
    """Whether a transcript has one JSON value a line, so that its calls can be read from its end."""
    try:
        with open(path, "rb") as file:
            first = file.readline(_MAX_LINE)
    except (OSError, ValueError):
        return False
    return isinstance(_parsed(first), dict)


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


@dataclass(frozen=True, slots=True)
class Told:
    """What lines of a transcript tell: the calls, in order, and how many of the lines can be taken for settled.

    An agent may write its transcript behind its back; then the last calls have no result yet, and wait for it.
    """

    calls: list[Call]
    settled: int


def told(lines: list[bytes]) -> Told:
    """Return what these lines tell of calls."""
    found: dict[str, tuple[str, str, int]] = {}
    results: dict[str, Result] = {}
    answered = []
    for number, line in enumerate(lines):
        if len(line) <= _MAX_LINE and any(mark in line for mark in _MARKS):
            for value in _objects(_parsed(line), 0):
                result = result_of(value)
                if result is not None:
                    results[result.call] = _joined(results.get(result.call), result)
                    answered.append(number)
                tool, given = _called(value)
                if tool:
                    found[_text(value, _IDS) or f"\0{len(found)}"] = tool, _plain(given), number
    none = Result("", "")
    ended = [results.get(name, none) for name in found]
    calls = [Call(*call[:2], one.ended, one.text) for call, one in zip(found.values(), ended, strict=True)]
    waiting = {number for name, (*_, number) in found.items() if name not in results and name[:1] != "\0"}
    return Told(calls, _settled(len(lines), waiting, [number for *_, number in found.values()], answered))


def _settled(lines: int, waiting: set[int], called: list[int], answered: list[int]) -> int:
    """Return up to which line nothing waits. No agent calls anew before it has the results of its last calls."""
    last = max(called, default=0)
    round_before = max([number for number in answered if number < last], default=-1)
    return min([number for number in waiting if number > round_before], default=lines)


def _joined(before: Result | None, result: Result) -> Result:
    """Return what two tell of the end of a call: one that it failed, with what it printed if either has that."""
    if before is None or before.ended != FAILED:
        return result if before is None or result.ended else before
    return Result(before.call, FAILED, result.text or before.text)


def naming_files(lines: list[bytes]) -> Iterator[tuple[str, object]]:
    """Yield the tool and the whole arguments of each call in these lines that may name a file."""
    for line in lines:
        if len(line) <= _MAX_LINE and (b"ath" in line or b"ile" in line or b"*** " in line):
            for value in _objects(_parsed(line), 0):
                tool, given = _called(value)
                if tool:
                    yield tool, given


def _called(value: dict[str, object]) -> tuple[str, object]:
    """Return what an object calls and with what; nothing where it is no call, as where it only describes a tool."""
    tool = _text(value, _NAMES)
    given = next((value[key] for key in _GIVEN if value.get(key)), None)
    return ("", None) if given is None or (isinstance(given, dict) and "properties" in given) else (tool, given)


def _plain(given: object) -> str:
    """Return arguments as a hook tells them: a text as it is, a lone command without its key."""
    if isinstance(given, dict) and isinstance(given.get("command"), str):
        return str(given["command"])[:_MAX_GIVEN]
    if isinstance(given, dict) and len(given) > 1:
        # What a call writes into a file is long, and may stand before the name of the file.
        given = {key: each[:_MAX_VALUE] if isinstance(each, str) else each for key, each in given.items()}
    try:
        return (given if isinstance(given, str) else dumps(given))[:_MAX_GIVEN]
    except (TypeError, RecursionError):
        return ""


def _objects(value: object, depth: int) -> Iterator[dict[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        if isinstance(each, (dict, list)):
            yield from _objects(each, depth + 1)


def _text(value: dict[str, object], names: tuple[str, ...]) -> str:
    return next((told for name in names if isinstance(told := value.get(name), str) and told), "")


def _parsed(line: bytes) -> object:
    try:
        return loads(line.decode())
    except ValueError:
        return None
