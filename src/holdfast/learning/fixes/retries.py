"""Failures of one session and what was done until the same worked: the same rules for a hook and for a harvest.

A command fails, something is done, and the same command succeeds: what was done between is the fix. Where it fails
otherwise on the way, what was done until then fixed the first failure, and the rest the second. A failure that goes
away by itself teaches nothing, nor does one after which too much was done to say what it was.
"""

from __future__ import annotations

from holdfast.base.digests import short
from holdfast.base.light_records import dataclass
from holdfast.base.text import one_line
from holdfast.language.commands import TABLE, Command, is_a, main_of, shown
from holdfast.language.failures import names_in, normalised, says
from holdfast.language.same_commands import is_other_form, is_same_run
from holdfast.language.word_lists import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_STEPS = 3
MAX_OPEN = 40
MAX_COMMAND = 160
# Among more steps than these nobody can tell the one that helped.
_MAX_BETWEEN = 10
_MAX_STEP = 160
# So many steps after a failure another form of the command is still an answer to it.
_SOON = 2


@dataclass(frozen=True, slots=True)
class Failure:
    """A command line that failed: its fingerprint, empty where it is vague, its line, its error, the names in that."""

    fingerprint: str
    line: str
    error: str
    names: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class Step:
    """Something that was done: `edit` with a file, or `run` with a command line; `text` tells it."""

    kind: str
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A failure, when it worked again, and what was done between, the most telling first."""

    failure: Failure
    steps: tuple[str, ...]
    at: str


class _Open:
    """A failure that was not seen to work yet. Its steps are those from `since` until `until`, if that is known.

    `instead` is the other form of the line with which this failure was gone, though another came.
    """

    def __init__(self, failure: Failure, main: Command, since: int) -> None:
        self.failure = failure
        self.main = main
        self.since = since
        self.until: int | None = None
        self.instead = ""


class Retries:
    """Takes what happened in a session, in order. It holds a bounded number of failures."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._steps: list[Step] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    def failed(self, failure: Failure) -> None:
        """Take a failure. What was done since an earlier one of the same kind did not help."""
        main = main_of(failure.line)
        if main is None:
            return
        for key, one in self._open.items():
            if one.until is None and key != failure.fingerprint:
                self._went_on(one, main, failure.line)
        if failure.fingerprint and len(self._open) < MAX_OPEN:
            self._open.pop(failure.fingerprint, None)
            self._open[failure.fingerprint] = _Open(failure, main, len(self._steps))

    def _went_on(self, one: _Open, main: Command, line: str) -> None:
        """Take that the same command fails otherwise now: what was done until here helped against the first failure."""
        if not is_same_run(one.main, one.failure.line, main, line):
            return
        if len(self._steps) > one.since:
            one.until = len(self._steps)
        elif is_other_form(one.main, one.failure.line, main, line, loose=False):
            one.until, one.instead = len(self._steps), line

    def edited(self, path: str, change: str = "") -> None:
        """Take a change of a file."""
        text = f"edited {path}" + (f" ({change})" if change else "")
        self._add(Step("edit", path, text))

    def ran(self, line: str, at: str) -> list[Fixed]:
        """Take a command line that succeeded, and return the failures that it shows to be fixed."""
        main = main_of(line)
        if main is None:
            return []
        found = []
        for key, one in [*self._open.items()]:
            same = is_same_run(one.main, one.failure.line, main, line)
            if not same and not self._is_answer(one, main, line):
                continue
            del self._open[key]
            steps = self._steps_of(one, main, line)
            if steps:
                found.append(Fixed(one.failure, steps, at))
        self._add(Step("run", line, f"ran `{one_line(shown(line), MAX_COMMAND)}`"))
        return found

    def _add(self, step: Step) -> None:
        if self._open:
            self._steps.append(step)

    def _is_answer(self, one: _Open, main: Command, line: str) -> bool:
        """Whether a command is another form of the one that failed, soon after it."""
        between = self._steps[one.since :]
        if len(between) > _SOON or any(step.kind == "edit" for step in between):
            return False
        loose = says(one.failure.error, "missing")
        return is_other_form(one.main, one.failure.line, main, line, loose=loose)

    def _steps_of(self, one: _Open, main: Command, line: str) -> tuple[str, ...]:
        between = [step for step in self._steps[one.since : one.until] if not _is_idle(step)]
        between = [step for step in between if step.kind == "edit" or not _runs(step, one)]
        if len({step.what for step in between}) > _MAX_BETWEEN:
            return ()
        if says(one.failure.error, "passing"):
            # No change of a file brings a network back.
            between = [step for step in between if step.kind == "run"]
        told = _told(between, one.failure)
        if one.instead or between or one.until is not None:
            return (_instead(one.instead), *told)[:MAX_STEPS] if one.instead else told
        changed = is_other_form(one.main, one.failure.line, main, line, loose=True)
        return (_instead(line),) if changed else ()


def _instead(line: str) -> str:
    return f"ran `{one_line(shown(line), MAX_COMMAND)}` instead"


def _is_idle(step: Step) -> bool:
    main = main_of(step.what) if step.kind == "run" else None
    if main is None:
        return False
    # A check that passes repairs nothing, unless it builds or rewrites something.
    return is_a(main.name, "idle") or (main.is_check and not any(map(main.name.count, listed(TABLE, "makes"))))


def _runs(step: Step, one: _Open) -> bool:
    """Whether a step is another run of what failed."""
    main = main_of(step.what)
    return main is not None and main.name == one.main.name and main.words == one.main.words


def _told(steps: list[Step], failure: Failure) -> tuple[str, ...]:
    """Return the most telling steps as texts: what the error speaks of, then what sets something up, then the last."""
    words = frozenset(normalised(failure.error).split()).union(failure.names)
    last = {step.what: (number, step) for number, step in enumerate(steps)}
    ranked = sorted(last.values(), key=lambda one: (-_worth(one[1], words), -one[0]))
    return tuple(one_line(_text(step, steps), _MAX_STEP) for _, step in ranked[:MAX_STEPS])


def _text(step: Step, steps: list[Step]) -> str:
    """Return what tells a step; of several changes of a file no single one is the fix."""
    several = [each.what for each in steps].count(step.what) > 1
    return f"edited {step.what}" if step.kind == "edit" and several else step.text


def _worth(step: Step, words: frozenset[str]) -> int:
    if step.kind == "edit":
        return 3 if not words.isdisjoint(names_in(step.what)) else 1
    main = main_of(step.what)
    if main is None:
        return 0
    shared = any(word in words for word in (part.casefold() for part in main.words[1:]) if len(word) > 2)
    return 2 * shared + 2 * any(is_a(word, "sets-up") for word in main.name.split()[1:])


def change_of(given: object) -> str:
    """Return the first line that an edit changed, as it was and as it is, where its arguments say both."""
    if not isinstance(given, dict):
        return ""
    edits = given.get("edits")
    if isinstance(edits, list) and len(edits) == 1 and isinstance(edits[0], dict):
        given = edits[0]
    before, after = _first(given, _BEFORE), _first(given, _AFTER)
    if not before or not after:
        return ""
    old, new = before.splitlines(), after.splitlines()
    removed = [line for line in old if line.strip() and line not in new]
    added = [line for line in new if line.strip() and line not in old]
    if not added:
        return ""
    told = f"`{one_line(added[0], _MAX_CHANGE)}`"
    return f"`{one_line(removed[0], _MAX_CHANGE)}` -> {told}" if removed else f"added {told}"


_MAX_CHANGE = 50
_BEFORE = ("old_string", "oldString", "old_str", "oldText", "old_text", "search")
_AFTER = ("new_string", "newString", "new_str", "newText", "new_text", "replace")


def _first(given: dict[str, object], names: Iterable[str]) -> str:
    return next((value for name in names if isinstance(value := given.get(name), str)), "")


def id_of(agent: str, session: str, fingerprint: str) -> str:
    """Return the id of what fixed a failure in a session: of one failure the last fix stands."""
    return short(agent, session, fingerprint, length=16)
