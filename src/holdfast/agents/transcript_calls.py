"""Calls of tools in the lines of a transcript, whatever agent wrote it: what has a name beside its arguments is one.

An agent that writes a message again whenever it changes writes its calls again: of one id the last counts, once. It is
for hooks, which have no time for a reader of transcripts; the digest of a session knows better afterwards.

How a call ended some say in a field, some by the exit code that stands before or behind an output. What nobody says is
not guessed.
"""

from __future__ import annotations

from holdfast.base import files
from holdfast.base.light_records import dataclass
from holdfast.base.minijson import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


# How much of a transcript one hook reads at most.
MAX_TAIL = 1 << 20

_NAMES = ("name", "tool_name", "toolName", "tool")
_GIVEN = ("input", "arguments", "args", "parameters", "tool_input", "toolInput", "toolArgs")
_CALLS = ("call_id", "callId", "toolCallId", "tool_call_id")
_IDS = (*_CALLS, "id")
_MARKS = (
    b'"name"',
    b'"tool_name"',
    b'"toolName"',
    b'"tool"',
    b'"tool_use_id"',
    *[f'"{name}"'.encode() for name in _CALLS],
)
_MAX_LINE = 1 << 18
_MAX_GIVEN = 4_000
_MAX_VALUE = 500
_DEEPEST = 8
PASSED, FAILED = "passed", "failed"
# How much of an error counts.
MAX_TEXT = 4_000
_ANSWERS = ("tool_use_id", "toolUseId")
_TEXTS = ("output", "content", "result", "response", "value", "error")
_WITHIN = ("error", "output", "content", "text", "stderr", "stdout", "message")
_CODES = ("exit_code", "exitCode")
_WELL = {"is_error": False, "isError": False, "success": True}
_STATES = {"success": PASSED, "error": FAILED, "failed": FAILED}
# The words before an exit code, in lower case, and how much of an output is searched for them.
_EXITS = ("exited with code ", "exit code: ", "exit code ", "<exit_code>")
_BEFORE = ("", "process ", "command ", "error: command failed (", "<exited with ")
_BEHIND = ("Exit Code:", "<exited with exit code")
_HEAD, _HEAD_LINES, _END = 400, 6, 300
_DEEPEST_RESULT = 3
_MAX_CODE = 12


@dataclass(frozen=True, slots=True)
class Result:
    """How a call ended, `passed`, `failed` or nothing where nobody says, and of a failure what it printed."""

    call: str
    ended: str
    text: str = ""


def result_of(value: dict[str, object]) -> Result | None:
    """Return the result that an object tells; None where it is something else."""
    call = _text(value, _ANSWERS)
    # Agents that report how a call of this kind ended do so only when it failed.
    usual = PASSED if call else ""
    # A call with its result inside it, or an answer that is marked as one; messages have an id as well.
    own = ("id",) if "response" in value or "result" in value else ()
    call = call or _text(value, _CALLS) or _text(value, own)
    told = [value[name] for name in _TEXTS if value.get(name) is not None]
    state = _state(value)
    if not call or not (told or state):
        return None
    printed = next((text for one in told if (text := _printed(one, 0))), "")
    code = exit_of(printed)
    exits = [*[_exit_in(one) for one in told], "" if code is None else FAILED if code else PASSED, state]
    ended = FAILED if FAILED in exits else PASSED if PASSED in exits else usual
    return Result(call, ended, printed[:MAX_TEXT] if ended == FAILED else "")


def _state(value: dict[str, object]) -> str:
    """Return what the fields of an object say."""
    told = [value[name] is well for name, well in _WELL.items() if isinstance(value.get(name), bool)]
    told += [code == 0 for name in _CODES if isinstance(code := value.get(name), int)]
    if told:
        return PASSED if all(told) else FAILED
    status = value.get("status")
    return _STATES.get(status, "") if isinstance(status, str) else ""


def _exit_in(told: object) -> str:
    """Return what an answer says by fields of its own, or by those of what describes it."""
    told = _opened(told)
    if not isinstance(told, dict):
        return ""
    if told.get("error"):
        return FAILED
    about = told.get("metadata")
    return _state(told) or (_state(about) if isinstance(about, dict) else "")


def _opened(told: object) -> object:
    """Return a text that is a JSON object with an output as that object; anything else as it is."""
    if not isinstance(told, str) or told[:1] != "{" or '"output"' not in told:
        return told
    try:
        return loads(told)
    except ValueError:
        return told


def _printed(told: object, depth: int) -> str:
    told = _opened(told)
    if isinstance(told, str):
        return told
    if depth > _DEEPEST_RESULT:
        return ""
    if isinstance(told, list):
        return "\n".join([text for one in told[:_HEAD] if (text := _printed(one, depth + 1))])
    if isinstance(told, dict):
        # A nested answer has its name beside it.
        inner = told.get("functionResponse")
        known = inner.get("response") if isinstance(inner, dict) else None
        parts = [known] if known else [told[name] for name in _WITHIN if told.get(name)]
        return next((text for one in parts if (text := _printed(one, depth + 1))), "")
    return ""


def exit_of(text: str) -> int | None:
    """Return the exit code in the lines that an agent writes before and behind what a command printed.

    A line that is about more than an exit tells none, and what a command itself printed is not asked.
    """
    head, end = text[:_HEAD], text[-_END:]
    lines = head.partition("\nOutput:")[0].split("\n", _HEAD_LINES)[:_HEAD_LINES] if "xit" in head else []
    if _BEHIND[0] in end or _BEHIND[1] in end:
        lines += [line for line in end.split("\n") if line.startswith(_BEHIND)]
    for line in lines:
        for mark in _EXITS if "xit" in line else ():
            before, found, rest = line.casefold().partition(mark)
            number = rest.removesuffix("</exit_code>").rstrip(" )>\r")
            if found and number.lstrip("-").isdigit() and len(number) < _MAX_CODE and before in _BEFORE:
                return int(number)
    # JSON output has the exit code beside it, at the end.
    code = end.rpartition('"exit_code":')[2].lstrip()[:_MAX_CODE] if text[:1] == "{" else ""
    number = code.split(",")[0].split("}")[0].strip()
    return int(number) if number.lstrip("-").isdigit() else None


@dataclass(frozen=True, slots=True)
class ToolCall:
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

    calls: list[ToolCall]
    settled: int


def told(lines: list[bytes]) -> Told:
    """Return what these lines tell of calls."""
    found: dict[str, tuple[str, str, int]] = {}
    results: dict[str, Result] = {}
    answered = []
    # Models use an id again: a call of one that has its result, with other arguments, is another call.
    latest: dict[str, str] = {}
    for number, line in enumerate(lines):
        if len(line) <= _MAX_LINE and any(mark in line for mark in _MARKS):
            for value in _objects(_parsed(line), 0):
                result = result_of(value)
                if result is not None:
                    call = latest.get(result.call, result.call)
                    results[call] = _joined(results.get(call), result)
                    answered.append(number)
                tool, given = _called(value)
                if tool:
                    id, told = _text(value, _IDS), _plain(given)
                    name = latest.get(id, id) or f"\0{len(found)}"
                    if name in results and name in found and found[name][:2] != (tool, told):
                        name = latest[id] = f"{id}\0{number}"
                    found[name] = tool, told, number
    none = Result("", "")
    ended = [results.get(name, none) for name in found]
    calls = [ToolCall(*call[:2], one.ended, one.text) for call, one in zip(found.values(), ended, strict=True)]
    waiting = {number for name, (*_, number) in found.items() if name not in results and name[:1] != "\0"}
    return Told(calls, _settled(len(lines), waiting, [number for *_, number in found.values()], answered))


def _settled(lines: int, waiting: set[int], called: list[int], answered: list[int]) -> int:
    """Return up to which line nothing waits. No agent calls again before it has the results of its last calls."""
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
        if len(line) <= _MAX_LINE and (b"ath" in line or b"ile" in line or b"*** " in line or b".md" in line):
            for value in _objects(_parsed(line), 0):
                tool, given = _called(value)
                if tool:
                    yield tool, given


def said_in(lines: list[bytes]) -> list[str]:
    """Return what the agent said in these lines, beside its calls, in order; not what a sub-agent said."""
    found: list[str] = []
    for line in lines:
        record = _parsed(line) if len(line) <= _MAX_LINE and b"assistant" in line else None
        if not isinstance(record, dict) or record.get("isSidechain"):
            continue
        # Only in the places where the agent itself writes it: inside a result there may be anything.
        for message in (record, record.get("message"), record.get("payload")):
            content = message.get("content") if isinstance(message, dict) and message.get("role") == "assistant" else ""
            blocks = content if isinstance(content, list) else [{"text": content}]
            said = [_text(block, ("text",)) for block in blocks if isinstance(block, dict)]
            found += ["\n".join(said)] if any(one.strip() for one in said) else []
    return found


def choices(lines: list[bytes], tools: tuple[str, ...]) -> list[str]:
    """Return what the person chose in dialogs of these tools, with what was asked, as these lines tell it."""
    marks = [f'"{tool}"'.encode() for tool in tools]
    asked: dict[str, object] = {}
    found: list[str] = []
    for line in lines:
        if len(line) > _MAX_LINE or not (asked or any(mark in line for mark in marks)):
            continue
        record = _parsed(line)
        for call, given, answers in _dialogs(record, tools) if isinstance(record, dict) else ():
            if given is not None:
                asked[call] = given
            elif call in asked:
                # Most sessions have no dialog.
                from holdfast.language.choices import answered

                found += [text for role, text in answered(asked.pop(call), answers) if role == "choice"]
    return found


def _dialogs(record: dict[str, object], tools: tuple[str, ...]) -> Iterator[tuple[str, object, object]]:
    """Yield id and questions of each call of a dialog in a record, and id and answers of each result.

    Only in the places where an agent itself writes them: within a result a server may write what it likes. Where an
    agent writes them elsewhere, its answers come when the session is read.
    """
    message, item, own = record.get("message"), record.get("payload"), record.get("toolUseResult")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else ""
        if kind == "tool_use" and record.get("type") == "assistant" and block.get("name") in tools:
            yield _text(block, ("id",)), block.get("input"), None
        elif kind == "tool_result" and isinstance(own, dict) and block.get("is_error") is not True:
            yield _text(block, ("tool_use_id",)), None, own.get("answers")
    if not isinstance(item, dict) or record.get("type") != "response_item":
        return
    call, output = _text(item, ("call_id",)), item.get("arguments", item.get("output"))
    told = _parsed(output.encode()) if isinstance(output, str) else None
    if isinstance(told, dict) and item.get("type") == "function_call_output":
        yield call, None, told.get("answers")
    elif told and item.get("type") == "function_call" and item.get("name") in tools and not item.get("namespace"):
        yield call, told, None


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
