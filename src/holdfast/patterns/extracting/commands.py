"""Signals of commands and other calls: failures, loops, refusals, tests that become green, detours, fixes."""

from __future__ import annotations

from holdfast.language.error_classes import ErrorClass, class_of, named_by
from holdfast.patterns.acts import ASK, Act, Seen
from holdfast.patterns.extracting.found import Found
from holdfast.patterns.signatures import frame, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The same call so often, with nothing changed in between, is a loop.
LOOP = 3
# So many calls before the first change are a detour, and so many failing attempts before one works.
LONG_WAY = 30
ATTEMPTS = 4
# What looks at files fails in the same way, whatever it is called; and so does a linter that wants another form.
_OF_FILES = ("file not there", "folder, not a file", "file too long to read")
_UNFORMATTED = "not formatted"
# How the names of classes of errors end, which say no more than the wording does.
_CLASSES = ("error'", "exception'")


def failed_commands(seen: Seen) -> Iterator[Found]:
    """Yield every call that failed. A test that fails for no reason which can be told is work, no signal."""
    for act in seen.acts:
        if act.result == "failed" and (told := failure_of(act)):
            yield Found(act, told, f"{act.text}: {act.error}" if act.error else act.text, fingerprint=act.fingerprint)


def failure_of(act: Act) -> str:
    """Return the signature of a failure: what was run, and what went wrong; nothing where that says too little."""
    known = class_of(act.error) if act.error else None
    if known is not None:
        return f"{_head(act, known)}: {known.name}:{_names(act.error, known)}"
    told = signature(act.error, act.name or act.kind) if act.error and (act.is_telling or act.kind != "shell") else ""
    if told and not told.endswith(":"):
        return told
    does = act.kind == "shell" and not act.check and not act.is_look
    return signature(act.text, "without a word") if does else ""


def _head(act: Act, known: ErrorClass) -> str:
    if known.name in _OF_FILES and (act.is_look or act.kind in ("read", "search")):
        return "read"
    if known.anywhere and act.kind == "shell":
        return "shell"
    return act.check if act.check and known.name == _UNFORMATTED else act.name or act.kind


def _names(error: str, known: ErrorClass) -> str:
    """Return the names in an error of a class that is told by them; without quotes, the word beside its wording."""
    if not known.named:
        return ""
    told = [name for name in frame(signature(error))[1] if name.strip("'") not in known.wordings]
    names = [name for name in told if not name.endswith(_CLASSES)]
    beside = "" if names else named_by(error, known)
    return "".join(f" {name}" for name in names) or (f" '{beside}'" if beside else "")


def retry_loops(seen: Seen) -> Iterator[Found]:
    """Yield calls that were made three times in the same way, while nothing was changed, to the same end."""
    counts: dict[tuple[str, str], int] = {}
    for act in seen.acts:
        if (act.kind == "edit" and act.result == "passed") or act.kind == ASK:
            counts.clear()
        elif act.given and act.result in ("passed", "failed"):
            key = (act.given, act.answer if act.result == "passed" else "")
            counts[key] = counts.get(key, 0) + 1
            if counts[key] == LOOP:
                yield Found(act, signature(act.text, act.name or act.kind), f"{LOOP} times: {act.text}")


def refusals(seen: Seen) -> Iterator[Found]:
    """Yield calls that a person, or a rule of the agent, did not let run."""
    for act in seen.acts:
        if act.result == "refused" and act.kind != "plan":
            name = act.name or act.kind
            yield Found(act, f"{act.kind}: {name}" if act.kind == "shell" else f"{name}:", act.text)


def red_to_green(seen: Seen) -> Iterator[Found]:
    """Yield checks that failed, and after a change passed."""
    red: dict[str, bool] = {}
    for act in seen.acts:
        if act.kind == "edit" and act.result == "passed":
            red = dict.fromkeys(red, True)
        elif act.check and act.name:
            if act.result == "failed":
                red.setdefault(act.name, False)
            elif act.result == "passed" and red.pop(act.name, False):
                yield Found(act, f"{act.check}: {act.name}", f"{act.text} failed, and passed after a change")


def detours(seen: Seen) -> Iterator[Found]:
    """Yield long ways: to the first change after an ask, and to the first success of a command that kept failing."""
    yield from _long_ways(seen)
    yield from _attempts(seen)


def _long_ways(seen: Seen) -> Iterator[Found]:
    calls: int | None = None
    for act in seen.acts:
        if act.kind == ASK:
            calls = 0
        elif calls is not None:
            calls += 1
            if act.kind == "edit" and act.result == "passed":
                if calls > LONG_WAY and act.paths:
                    text = f"{calls} calls before the first change, of {act.paths[0]}"
                    yield Found(act, f"first change: '{act.paths[0].casefold()}'", text, bound=True)
                calls = None


def _attempts(seen: Seen) -> Iterator[Found]:
    """Yield commands that worked after they had failed several times in other forms."""
    tries: dict[str, set[str]] = {}
    for act in seen.acts:
        if act.kind == ASK:
            tries.clear()
        if act.kind != "shell" or act.is_look or act.check:
            continue
        if act.result == "failed":
            tries.setdefault(act.name, set()).add(act.text)
        elif act.result == "passed" and len(failed := tries.pop(act.name, set())) >= ATTEMPTS:
            yield Found(act, f"attempts: {act.name}", f"{len(failed)} ways failed before `{act.text}` worked")


def fixes(seen: Seen) -> Iterator[Found]:
    """Yield what was done until a failed command worked."""
    for one in seen.mended:
        act = Act("shell", at=one.at, name=one.command, text=one.command, error=one.error, result="failed")
        steps = "; ".join(one.steps)
        told = f"{signature(one.command)} {signature(one.error)}".replace(": ", " ")
        text = f"{one.command}: {one.error} -> {steps}"
        yield Found(act, f"{told}: {signature(steps)}", text, fingerprint=one.fingerprint)
