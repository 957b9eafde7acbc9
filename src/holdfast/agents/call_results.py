"""How calls of tools ended, as an object of a transcript tells it, whatever agent wrote it. Hooks ask, so it is light.

Some say it in a field, some by the exit code that stands before or behind an output. What nobody says is not guessed.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.minijson import loads

PASSED, FAILED = "passed", "failed"
# As much as counts of an error.
MAX_TEXT = 4_000
_ANSWERS = ("tool_use_id", "toolUseId")
_CALLS = ("call_id", "callId", "toolCallId", "tool_call_id")
_TEXTS = ("output", "content", "result", "response", "value", "error")
_WITHIN = ("error", "output", "content", "text", "stderr", "stdout", "message")
_CODES = ("exit_code", "exitCode")
_WELL = {"is_error": False, "isError": False, "success": True}
_STATES = {"success": PASSED, "error": FAILED, "failed": FAILED}
# What stands before the number of an exit, in small letters, and how much of an output may be about it.
_EXITS = ("exited with code ", "exit code: ", "exit code ")
_BEFORE = ("", "process ", "command ", "error: command failed (", "<exited with ")
_BEHIND = ("Exit Code:", "<exited with exit code")
_HEAD, _HEAD_LINES, _END = 400, 6, 300
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Result:
    """How a call ended, `passed`, `failed` or nothing where nobody says, and of a failure what it printed."""

    call: str
    ended: str
    text: str = ""


def result_of(value: dict[str, object]) -> Result | None:
    """Return the result that an object tells; None where it is something else."""
    call = _text(value, _ANSWERS)
    # An agent that says how a call of this kind went says it only where it went badly.
    usual = PASSED if call else ""
    # A call that has its result within, or an answer that names itself so; messages have an id as well.
    own = ("id",) if "response" in value or "result" in value else ()
    call = call or _text(value, _CALLS) or _text(value, own)
    told = [value[name] for name in _TEXTS if value.get(name) is not None]
    state = _state(value)
    if not call or not (told or state):
        return None
    printed = next((text for one in told if (text := _printed(one, 0))), "")
    exits = [*[_exit_in(one) for one in told], _exit_of(printed), state]
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
    if depth > _DEEPEST:
        return ""
    if isinstance(told, list):
        return "\n".join([text for one in told[:_HEAD] if (text := _printed(one, depth + 1))])
    if isinstance(told, dict):
        # An answer within an answer has its name beside it.
        inner = told.get("functionResponse")
        known = inner.get("response") if isinstance(inner, dict) else None
        parts = [known] if known else [told[name] for name in _WITHIN if told.get(name)]
        return next((text for one in parts if (text := _printed(one, depth + 1))), "")
    return ""


def _exit_of(text: str) -> str:
    """Return what the lines say that an agent writes before and behind what a command printed."""
    lines = []
    for line in text[:_HEAD].split("\n")[:_HEAD_LINES]:
        if line.startswith("Output:"):
            break
        lines.append(line)
    behind = text[-_END:].split("\n")[1:]
    for line in [*lines, *[line for line in behind if line.startswith(_BEHIND)]]:
        for mark in _EXITS:
            before, found, rest = line.casefold().partition(mark)
            number = rest.rstrip(" )>\r").lstrip("-")
            # A line that is about more than an exit tells none.
            if found and number.isdigit() and before in _BEFORE:
                return FAILED if number.strip("0") else PASSED
    return ""


def _text(value: dict[str, object], names: tuple[str, ...]) -> str:
    return next((told for name in names if isinstance(told := value.get(name), str) and told), "")
