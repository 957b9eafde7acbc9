"""Failures of one session and what was done until the same worked: the same rules for a hook and for a harvest.

A command fails, something is done, and the same command succeeds: what was done between is the fix. Where it fails
otherwise on the way, what was done until then fixed the first failure, and the rest the second. A failure that goes
away by itself teaches nothing, nor does one after which too much was done to say what it was.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import one_line
from holdfast.language import failures, tools
from holdfast.language.commands import TABLE, Command, is_a, main_of, shown, without_cutting
from holdfast.language.word_lists import listed
from holdfast.learning.fixes.model import MAX_STEPS, Fix, id_of
from holdfast.privacy import fence
from holdfast.privacy.fence import without_secrets

MAX_OPEN = 40
MAX_COMMAND = 160
# Among more steps than these nobody can tell the one that helped.
_MAX_BETWEEN = 10
_MAX_STEP = 160
_MAX_CHANGE = 50
_MAX_EDITS = 5
_MAX_LINE = 600
_MAX_ERROR = 200
# So many steps after a failure another form of the command is still an answer to it.
_SOON = 2
# So many words two forms of a line have in common, of what follows another program so many; and this part of them.
_MANY, _SOME, _MOSTLY = 2, 1, 0.7
# A line that is longer than so many of the other is another one.
_LONGER = 3


@dataclass(frozen=True, slots=True)
class Failure:
    """A command line that failed: its fingerprint, empty where it is vague, its line, its error, the names in that."""

    fingerprint: str
    line: str
    error: str
    names: tuple[str, ...]
    at: str


@dataclass(frozen=True, slots=True)
class FixStep:
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
        self._steps: list[FixStep] = []

    def __bool__(self) -> bool:
        return bool(self._open)

    def failed(self, failure: Failure) -> None:
        """Take a failure. What was done since an earlier one of the same kind did not help."""
        main = main_of(failure.line)
        if main is None:
            return
        for key, one in self._open.items():
            is_other = one.until is None and key != failure.fingerprint
            if not is_other or not is_same_run(one.main, one.failure.line, main, failure.line):
                continue
            # The same command fails otherwise now: what was done until here helped against the first failure.
            if len(self._steps) > one.since:
                one.until = len(self._steps)
            elif is_other_form(one.main, one.failure.line, main, failure.line, loose=False):
                one.until, one.instead = len(self._steps), failure.line
        if failure.fingerprint and len(self._open) < MAX_OPEN:
            self._open.pop(failure.fingerprint, None)
            self._open[failure.fingerprint] = _Open(failure, main, len(self._steps))

    def edited(self, path: str, change: str = "") -> None:
        """Take a change of a file."""
        text = f"edited {path}" + (f" ({change})" if change else "")
        self._add(FixStep("edit", path, text))

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
        self._add(FixStep("run", line, f"ran `{one_line(shown(line), MAX_COMMAND)}`"))
        return found

    def _add(self, step: FixStep) -> None:
        if self._open:
            self._steps.append(step)

    def _is_answer(self, one: _Open, main: Command, line: str) -> bool:
        """Whether a command is another form of the one that failed, soon after it."""
        between = self._steps[one.since :]
        if len(between) > _SOON or any(step.kind == "edit" for step in between):
            return False
        loose = failures.says(one.failure.error, "missing")
        return is_other_form(one.main, one.failure.line, main, line, loose=loose)

    def _steps_of(self, one: _Open, main: Command, line: str) -> tuple[str, ...]:
        between = [step for step in self._steps[one.since : one.until] if not _is_idle(step, one.main)]
        if len({step.what for step in between}) > _MAX_BETWEEN:
            return ()
        if failures.says(one.failure.error, "passing"):
            # No change of a file brings a network back.
            between = [step for step in between if step.kind == "run"]
        told = _told(between, one.failure)
        if one.instead or between or one.until is not None:
            return (_instead(one.instead), *told)[:MAX_STEPS] if one.instead else told
        changed = is_other_form(one.main, one.failure.line, main, line, loose=True)
        return (_instead(line),) if changed else ()


def _instead(line: str) -> str:
    return f"ran `{one_line(shown(line), MAX_COMMAND)}` instead"


def _is_idle(step: FixStep, failed: Command) -> bool:
    """Whether a step repairs nothing: it keeps work, is a check that makes nothing, or runs what failed once more."""
    main = main_of(step.what) if step.kind == "run" else None
    if main is None:
        return False
    only_checks = main.is_check and not any(map(main.name.count, listed(TABLE, "makes")))
    return only_checks or is_a(main.name, "idle") or (main.name, main.words) == (failed.name, failed.words)


def _told(steps: list[FixStep], failure: Failure) -> tuple[str, ...]:
    """Return the most telling steps as texts: what the error speaks of, then what sets something up, then the last."""
    words = frozenset(failures.normalised(failure.error).split()).union(failure.names)
    last = {step.what: (number, step) for number, step in enumerate(steps)}
    ranked = sorted(last.values(), key=lambda one: (-_worth(one[1], words), -one[0]))
    # Of several changes of a file no single one is the fix.
    whats = [step.what for step in steps]
    texts = [
        f"edited {step.what}" if step.kind == "edit" and whats.count(step.what) > 1 else step.text
        for _, step in ranked[:MAX_STEPS]
    ]
    return tuple(one_line(text, _MAX_STEP) for text in texts)


def _worth(step: FixStep, words: frozenset[str]) -> int:
    if step.kind == "edit":
        return 3 if not words.isdisjoint(failures.names_in(step.what)) else 1
    main = main_of(step.what)
    if main is None:
        return 0
    shared = any(word in words for word in (part.casefold() for part in main.words[1:]) if len(word) > 2)
    return 2 * shared + 2 * any(is_a(word, "sets-up") for word in main.name.split()[1:])


def change_of(given: object) -> str:
    """Return the first line that an edit changed, as it was and as it is, where its arguments say both."""
    arguments = tools.Arguments(given)
    edits = (arguments.fields or {}).get("edits")
    if isinstance(edits, list) and len(edits) == 1:
        arguments = tools.Arguments(edits[0])
    before, after = (arguments.first(listed(tools.TABLE, key)) for key in ("before-key", "after-key"))
    if not before or not after:
        return ""
    old, new = before.splitlines(), after.splitlines()
    removed = [line for line in old if line.strip() and line not in new]
    added = [line for line in new if line.strip() and line not in old]
    if not added:
        return ""
    told = f"`{one_line(added[0], _MAX_CHANGE)}`"
    return f"`{one_line(removed[0], _MAX_CHANGE)}` -> {told}" if removed else f"added {told}"


def edits_of(tool: str, given: str, root: str) -> list[tuple[str, str]]:
    """Return the files that a call changed, from a folder where they lie below it, each with the change if it is one.

    Both are clean.
    """
    paths = tools.changed_files(tool, given)[:_MAX_EDITS]
    change = clean(change_of(given)) if len(paths) == 1 else ""
    below = root.rstrip("/") + "/" if root else ""
    return [(clean(path.removeprefix(below)), change) for path in paths]


def failure_of(line: str, error: str, at: str) -> Failure:
    """Return a failure of a command line, of texts that are clean."""
    said = failures.error_line(error)
    found = failures.fingerprint(line, said)
    return Failure(found, line[:_MAX_LINE], one_line(said, _MAX_ERROR), failures.names_in(said), at)


def fix_of(fixed: Fixed, agent: str, session: str, project: str) -> Fix:
    """Return what was fixed as it is kept."""
    failure = fixed.failure
    return Fix(
        *(failure.fingerprint, one_line(failure.line, MAX_COMMAND), failure.error, fixed.steps),
        *(agent, session, project, fixed.at),
        names=failure.names,
        id=id_of(agent, session, failure.fingerprint),
    )


def clean(text: str) -> str:
    """Return a text without our own injections and without secrets, of a long one what a hook is given."""
    return without_secrets(fence.stripped(fence.without_hidden(text[: failures.MAX_ERROR])))


def is_same_run(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str) -> bool:
    """Whether a success of one command says that what failed works now: the same run, or one that contains it."""
    if failed.name != succeeded.name or not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.is_inline or succeeded.is_inline:
        return failed_line.strip() == succeeded_line.strip()
    before, after = _targets(failed), _targets(succeeded)
    if before == after:
        return True
    if not before or not after:
        # One test that passes does not say that all do; all do say that one does.
        return bool(before) and succeeded.is_check
    folders = tuple([folder and f"{folder}/" for folder in [one.removesuffix("...").rstrip("/") for one in after]])
    contained = sum(one in after or one.startswith(folders) for one in before)
    # Of a check all must be run again; of anything else one part may be another.
    return contained == len(before) or (not failed.is_check and contained * 2 > len(before))


def _is_same_folder(one: str, other: str) -> bool:
    """Whether two lines are run in the same folder; whoever names a whole path mostly names where they are already."""
    if one and other:
        return one.rstrip("/") == other.rstrip("/")
    return (one or other or "/")[0] in "/~$" or (one or other).rstrip("/") == "."


def _targets(command: Command) -> list[str]:
    """Return what a command is about: its words that are neither its name, nor options, nor messages."""
    names = command.name.split()[1:]
    found = set()
    for word in command.words[1:]:
        if names and word.rpartition("/")[2] == names[0]:
            names.pop(0)
        elif word[0] not in "-+" and " " not in word and "\n" not in word:
            found.add(word.removeprefix("./"))
    return sorted(found)


def is_other_form(failed: Command, failed_line: str, succeeded: Command, succeeded_line: str, *, loose: bool) -> bool:
    """Whether one line is the other said otherwise; by another program or elsewhere only if `loose`."""
    if failed.is_inline or succeeded.is_inline or without_cutting(failed_line) == without_cutting(succeeded_line):
        return False
    if not loose and not _is_same_folder(failed.folder, succeeded.folder):
        return False
    if failed.words == succeeded.words:
        return True
    if failed.words[0] == succeeded.words[0]:
        return _are_alike(failed.words, succeeded.words, _MANY)
    return loose and _are_alike(failed.words[1:], succeeded.words[1:], _SOME)


def _are_alike(words: tuple[str, ...], others: tuple[str, ...], many: int) -> bool:
    one, other = set(words), set(others)
    common, shorter, longer = len(one & other), *sorted((len(one), len(other)))
    return common >= many and common >= shorter * _MOSTLY and common * _LONGER >= longer
