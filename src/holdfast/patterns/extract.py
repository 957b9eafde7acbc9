"""The extractors: one function for each kind of signal, from a session as it is seen to what it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain

from holdfast.base.structs import dataclass
from holdfast.base.text import count
from holdfast.language.error_classes import ErrorClass, class_of, named_by
from holdfast.patterns.clusters import frame, signature
from holdfast.patterns.signal_files import ASK, KINDS, OVERFLOW, SeenSession, SessionAct, Signal

MAX_OF_A_KIND = 60
MAX_TEXT = 300
# The same call so often, with nothing changed in between, is a loop.
LOOP = 3
# So many calls before the first change are a detour, and so many failing attempts before one works.
LONG_WAY = 30
ATTEMPTS = 4
# So many changes of a file in a session are churn, or fewer where somebody came back to it again and again.
CHANGES = 8
RETURNS = 4
# Ratings that are bad, and those that are good.
LOW, HIGH = range(1, 5), range(8, 11)
# What looks at files fails in the same way, whatever it is called; and so does a linter that wants another form.
_OF_FILES = ("file not there", "folder, not a file", "file too long to read")
_UNFORMATTED = "not formatted"
# How the names of classes of errors end, which say no more than the wording does.
_CLASSES = ("error'", "exception'")


@dataclass(frozen=True, slots=True)
class Extracted:
    """One finding: the act, and what it is about. `bound`: the signature means something within one project only."""

    act: SessionAct
    signature: str
    text: str
    bound: bool = False
    fingerprint: str = ""


def signals_of(seen: SeenSession) -> list[Signal]:
    """Return the signals of a session, kind by kind, of each kind the first MAX_OF_A_KIND different ones.

    The same thing twice in a session is one signal with `times` 2: what counts is in how many sessions it is.
    """
    return [signal for kind, extract in EXTRACTORS.items() for signal in _of_kind(kind, seen, extract(seen))]


def _of_kind(kind: str, seen: SeenSession, several: Iterator[Extracted]) -> list[Signal]:
    first: dict[str, Extracted] = {}
    times: Counter[str] = Counter()
    for found in several:
        if found.signature and (found.signature in first or len(first) < MAX_OF_A_KIND):
            first.setdefault(found.signature, found)
            times[found.signature] += 1
    return [
        Signal(
            kind=kind,
            signature=found.signature,
            text=" ".join(found.text.split())[:MAX_TEXT],
            agent=seen.agent,
            session=seen.session,
            project=seen.project,
            at=found.act.at or seen.at,
            place=found.act.place,
            line=found.act.line,
            severity=KINDS[kind].severity,
            good=KINDS[kind].good,
            times=times[found.signature],
            bound=found.bound,
            fingerprint=found.fingerprint,
            whole=seen.whole,
        )
        for found in first.values()
    ]


def failed_commands(seen: SeenSession) -> Iterator[Extracted]:
    """Yield every call that failed. A test that fails for no reason which can be told is work, no signal."""
    for act in seen.acts:
        if act.result == "failed" and (told := failure_of(act)):
            yield Extracted(
                act, told, f"{act.text}: {act.error}" if act.error else act.text, fingerprint=act.fingerprint
            )


def failure_of(act: SessionAct) -> str:
    """Return the signature of a failure: what was run, and what went wrong; nothing where that says too little."""
    known = class_of(act.error) if act.error else None
    if known is not None:
        head = _head(act, known)
        if head != "read":
            return f"{head}: {known.name}:{_names(act.error, known)}"
        # That some file is not there says nothing; that the same one is not, again and again, does.
        looked_for = [name for text in (act.text, act.error) for name in frame(signature(text))[1] if "." in name]
        return f"{head}: {known.name}:{''.join(f' {name}' for name in looked_for[-1:])}"
    told = signature(act.error, act.name or act.kind) if act.error and (act.is_telling or act.kind != "shell") else ""
    if told and not told.endswith(":"):
        return told
    does = act.kind == "shell" and not act.check and not act.is_look
    return signature(act.text, "without a word") if does else ""


def _head(act: SessionAct, known: ErrorClass) -> str:
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


def retry_loops(seen: SeenSession) -> Iterator[Extracted]:
    """Yield calls that were made three times in the same way, while nothing was changed, to the same end."""
    counts: Counter[tuple[str, str]] = Counter()
    for act in seen.acts:
        if (act.kind == "edit" and act.result == "passed") or act.kind == ASK:
            counts.clear()
        elif act.given and act.result in ("passed", "failed"):
            key = (act.given, act.answer if act.result == "passed" else "")
            counts[key] += 1
            if counts[key] == LOOP:
                yield Extracted(act, signature(act.text, act.name or act.kind), f"{LOOP} times: {act.text}")


def churn(seen: SeenSession) -> Iterator[Extracted]:
    """Yield files that were changed many times, or returned to after other work, once each."""
    changes: Counter[str] = Counter()
    returns: Counter[str] = Counter()
    last: dict[str, SessionAct] = {}
    touched: set[str] = set()
    for act in seen.acts:
        if act.kind == "edit" and act.result == "passed":
            for path in act.paths:
                changes[path] += 1
                returns[path] += path not in touched
                last[path] = act
                touched.add(path)
        elif act.kind not in ("edit", "read", "search", "plan") and not act.is_look:
            touched.clear()
    for path, times in changes.items():
        if times >= CHANGES or returns[path] >= RETURNS:
            text = f"{path} was changed {times} times, in {returns[path]} goes"
            yield Extracted(last[path], f"'{path.casefold()}'", text, bound=True)


def corrections(seen: SeenSession) -> Iterator[Extracted]:
    """Yield what the person corrected."""
    for act in seen.corrections:
        yield Extracted(act, act.name, act.text)


def asks(seen: SeenSession) -> Iterator[Extracted]:
    """Yield what the person asks for in few words, unless it puts something right."""
    corrected = {act.place for act in seen.corrections}
    for act in seen.acts:
        if act.kind == ASK and act.name and act.place not in corrected:
            # Each word is a name: only what is asked for in the same words is the same.
            yield Extracted(act, "ask: " + " ".join(f"'{word}'" for word in act.name.split()), act.text)


def ratings(seen: SeenSession, wanted: range) -> Iterator[Extracted]:
    """Yield what the person rated so, and why; a number without a reason says nothing about what recurs."""
    for one in seen.ratings:
        for about in one.about if one.rating in wanted else ():
            yield Extracted(SessionAct(ASK, at=one.at, text=one.text), about, one.text)


def refusals(seen: SeenSession) -> Iterator[Extracted]:
    """Yield commands, and calls of servers, that a person or a rule of the agent did not let run."""
    for act in seen.acts:
        if act.result == "refused" and (act.kind == "shell" or "__" in act.name):
            yield Extracted(act, f"{act.kind}: {act.name}" if act.kind == "shell" else f"{act.name}:", act.text)


def overflows(seen: SeenSession) -> Iterator[Extracted]:
    """Yield the places where the context ran over."""
    calls = 0
    for act in seen.acts:
        if act.kind == OVERFLOW:
            yield Extracted(act, "context summed up", act.text or f"the context ran over after {count(calls, 'call')}")
            calls = 0
        else:
            calls += 1


def red_to_green(seen: SeenSession) -> Iterator[Extracted]:
    """Yield checks that failed, and after a change passed."""
    red: dict[str, bool] = {}
    for act in seen.acts:
        if act.kind == "edit" and act.result == "passed":
            red = dict.fromkeys(red, True)
        elif act.check and act.name:
            if act.result == "failed":
                red.setdefault(act.name, False)
            elif act.result == "passed" and red.pop(act.name, False):
                yield Extracted(act, f"{act.check}: {act.name}", f"{act.text} failed, and passed after a change")


def long_ways(seen: SeenSession) -> Iterator[Extracted]:
    """Yield long ways to the first change after an ask."""
    calls: int | None = None
    for act in seen.acts:
        if act.kind == ASK:
            calls = 0
        elif calls is not None:
            calls += 1
            if act.kind == "edit" and act.result == "passed":
                if calls > LONG_WAY and act.paths:
                    text = f"{calls} calls before the first change, of {act.paths[0]}"
                    yield Extracted(act, f"first change: '{act.paths[0].casefold()}'", text, bound=True)
                calls = None


def attempts(seen: SeenSession) -> Iterator[Extracted]:
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
            yield Extracted(act, f"attempts: {act.name}", f"{len(failed)} ways failed before `{act.text}` worked")


def fixes(seen: SeenSession) -> Iterator[Extracted]:
    """Yield what was done until a failed command worked."""
    for one in seen.fixes:
        steps = "; ".join(one.steps)
        told = f"{signature(one.command)} {signature(one.error)}".replace(": ", " ")
        text = f"{one.command}: {one.error} -> {steps}"
        yield Extracted(
            SessionAct("shell", at=one.at), f"{told}: {signature(steps)}", text, fingerprint=one.fingerprint
        )


def lookups(seen: SeenSession) -> Iterator[Extracted]:
    """Yield what was looked up: the help of a command, a word in the files, the names in a folder; once each."""
    told: set[str] = set()
    for act in seen.acts:
        for sought, text in act.sought:
            if sought not in told:
                told.add(sought)
                yield Extracted(act, sought, text, bound=not sought.startswith("help: "))


EXTRACTORS: dict[str, Callable[[SeenSession], Iterator[Extracted]]] = {
    "failed-command": failed_commands,
    "retry-loop": retry_loops,
    "edit-churn": churn,
    "correction": corrections,
    "repeated-ask": asks,
    "low-rating": lambda seen: ratings(seen, LOW),
    "high-rating": lambda seen: ratings(seen, HIGH),
    "permission-denied": refusals,
    "context-overflow": overflows,
    "red-green": red_to_green,
    "long-detour": lambda seen: chain(long_ways(seen), attempts(seen)),
    "fix-worked": fixes,
    "lookup-anew": lookups,
}
