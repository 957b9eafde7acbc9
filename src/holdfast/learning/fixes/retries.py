"""Failures of one session and what was done until the same worked: the same rules for a hook and for a harvest.

A command fails, something is done, and the same command succeeds: what was done between is the fix. Where it fails
otherwise on the way, what was done until then fixed the first failure, and the rest the second. A failure that goes
away by itself teaches nothing, nor does one after which too much was done to say what it was.

A fix is told only where somebody who meets the failure again can do the same: a command that was run, another form of
the line, or a change of a file with its lines, of the settings of a tool or of what a rule of a linter or compiler
speaks of. Mending the code that is being written, until its tests pass, is work as usual.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import one_line
from holdfast.language import failures, tools
from holdfast.language.commands import TABLE, Command, is_a, main_of, plain_words, removes, shown
from holdfast.language.word_lists import listed
from holdfast.learning.fixes.model import MAX_STEPS, Fix, id_of
from holdfast.learning.fixes.same_runs import WAITS, covers, is_explained, is_other_form, is_same_run
from holdfast.privacy import fence
from holdfast.privacy.fence import without_secrets
from holdfast.privacy.redact import without_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_OPEN = 40
MAX_COMMAND = 160
# Among more steps than these nobody can tell the one that helped.
_MAX_BETWEEN = 10
_MAX_STEP = 300
_MAX_CHANGE = 100
# A change of more lines than these is not told by some of them.
_MAX_CHANGED_LINES = 2
_MAX_EDITS = 5
_MAX_LINE = 600
_MAX_ERROR = 200
# So many steps after a failure another form of the command is still an answer to it.
_SOON = 2
# A word that is no longer may stand in a step by chance.
_MIN_WORD = 3
_INSTEAD = " instead"
# Programs that change the text of files.
_EDITORS = ("sed", "perl", "patch", "awk", "git apply")
# How files end, or what they are called, that hold settings.
_SETTINGS = (
    *(".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".mod", ".gradle", ".kts", ".xml", ".properties", ".tf", "rc"),
    *("package.json", "config.json", ".config.js", ".config.ts", ".config.mjs"),
    *(".config.cjs", ".jsonc", ".csproj", ".env"),
    *("dockerfile", "makefile", "gemfile", "procfile", "justfile", "requirements.txt", "setup.py", "conftest.py"),
)
# Errors that a slip of the pen makes, and those about names of the code that is being written.
_SLIPS = (
    *("syntax", "unexpected token", "expected.", "declaration or statement", "unterminated", "parse error", "parsing"),
    *("missing import path", "invalid json", "invalid package.json", "unused", "never used", "never read"),
    "not formatted",
    *("cannot find name", "does not exist on type", "undefined:", "undeclared", "is not defined", "no exported member"),
    *("expected declaration", "unresolved reference", "cannot find symbol", "has no attribute", "trailing comma"),
)


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
    """Something that was done: `edit` with a file, or `run` with a command line; `text` tells it.

    `is_shown`: the lines that an edit changed are in the text.
    """

    kind: str
    what: str
    text: str
    is_shown: bool = False


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
        self._add(FixStep("edit", path, f"edited {path}: {change}", is_shown=bool(change)))

    def ran(self, line: str, at: str) -> list[Fixed]:
        """Take a command line that succeeded, and return the failures that it shows to be fixed."""
        main = main_of(line)
        if main is None:
            return []
        found = []
        for key, one in [*self._open.items()]:
            if not covers(line, one.failure.line) and not self._is_answer(one, main, line):
                continue
            del self._open[key]
            steps = self._steps_of(one, main, line)
            if steps:
                found.append(Fixed(one.failure, steps, at))
        self._add(FixStep("run", line, f"ran `{_in_its_folder(line)}`"))
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
        is_other = is_other_form(one.main, one.failure.line, main, line, loose=loose)
        return is_other and is_explained(one.failure.error, one.main, main)

    def _steps_of(self, one: _Open, main: Command, line: str) -> tuple[str, ...]:
        between = [step for step in self._steps[one.since : one.until] if not _is_idle(step, one.main)]
        if len({step.what for step in between}) > _MAX_BETWEEN:
            return ()
        told = _told(between, one)
        if one.instead or between or one.until is not None:
            return (_instead(one.instead), *told)[:MAX_STEPS] if one.instead else told
        changed = is_other_form(one.main, one.failure.line, main, line, loose=True)
        return (_instead(line),) if changed and is_explained(one.failure.error, one.main, main) else ()


def _instead(line: str) -> str:
    return f"ran `{one_line(shown(line), MAX_COMMAND)}`{_INSTEAD}"


def _in_its_folder(line: str) -> str:
    """Return a line without going to a folder by its whole path, which is another one on every machine."""
    text = shown(line)
    head, sign, rest = text.partition(" && ")
    return one_line(rest if sign and head.startswith(("cd /", "cd ~", 'cd "/')) else text, MAX_COMMAND)


def _is_idle(step: FixStep, failed: Command) -> bool:
    """Whether a step repairs nothing: it keeps work, waits, only checks, or runs what failed again."""
    main = main_of(step.what) if step.kind == "run" else None
    if main is None:
        return False
    makes = any(map(main.name.count, listed(TABLE, "makes"))) or any("fix" in word for word in main.words)
    is_again = (main.name, main.words) == (failed.name, failed.words)
    tells = any(is_a(word, "tells") for word in main.words[1:3])
    return tells or (main.is_check and not makes) or is_a(main.name, "idle") or main.words[0] in WAITS or is_again


def _told(steps: list[FixStep], one: _Open) -> tuple[str, ...]:
    """Return the steps that are known to have helped, the most telling first: the only one, or what the error names."""
    words = frozenset(failures.normalised(one.failure.error).split()).union(one.failure.names)
    last = {step.what: (number, step) for number, step in enumerate(steps)}
    whats = [step.what for step in steps]
    ranked = sorted(last.values(), key=lambda each: (-_worth(each[1], words), -each[0]))
    # No change of a file brings a network back, and what passes by itself was not mended by whatever else was run.
    passing = failures.says(one.failure.error, "passing")
    is_small = len(last) <= _SOON and not passing
    # Where files were changed as well, only what sets up the very thing that the error names is known to have helped.
    needed = 4 if any(step.kind == "edit" for step in steps) else 2
    told = [
        step
        for _, step in ranked
        if (
            is_small and whats.count(step.what) == 1 and _teaches(step, one)
            if step.kind == "edit"
            else _worth(step, words) >= needed or (len(last) == 1 and not passing and not _edits(step))
        )
    ][:MAX_STEPS]
    return () if _is_half(told, steps, words) else tuple([one_line(step.text, _MAX_STEP) for step in told])


def _is_half(told: list[FixStep], steps: list[FixStep], words: frozenset[str]) -> bool:
    """Whether a step that is not told may be the one that helped: it took something away, or had a secret in it.

    `npm install` alone does not do what it did once `node_modules` was gone. What has a word of the error in it, such
    as `pip install pyyaml`, helped whatever else was done.
    """
    names_it = all(any(word in step.text.casefold() for word in words if len(word) > _MIN_WORD) for step in told)
    left = [step for step in steps if step not in told]
    has_gap = any(without_marks(step.text) != step.text for step in left)
    return not names_it and (has_gap or any(step.kind == "run" and removes(step.what) for step in left))


def _edits(step: FixStep) -> bool:
    """Whether a command changes the text of files, or brings its program along, so that no two are the same."""
    main = main_of(step.what)
    return main is None or main.is_inline or main.words[0] in _EDITORS or main.name in _EDITORS


def _teaches(step: FixStep, one: _Open) -> bool:
    """Whether an edit is one to make again: its lines are known, and it is of settings, or of what a rule speaks of."""
    error, name = one.failure.error.casefold(), step.what.rpartition("/")[2].casefold()
    if not step.is_shown or any(slip in error for slip in _SLIPS):
        return False
    if name.endswith(_SETTINGS):
        return True
    is_named = name in one.failure.names or failures.without_varying(name) in one.failure.names
    return is_named and one.main.kind in ("lint", "build") and _names_a_rule(one.failure.error)


def _names_a_rule(error: str) -> bool:
    """Whether an error ends or begins with the rule that it is about: `TS2345`, `(wrapcheck)`, `[arg-type]`."""
    for word in error.split():
        bare = word.strip("()[]:,.")
        letters = bare.rstrip("0123456789")
        if letters.isalpha() and letters.isupper() and len(letters) < 5 and 3 <= len(bare) - len(letters) <= 5:
            return True
    last = error.rstrip(".").rpartition(" ")[2]
    rule = last.strip("()[]")
    is_word = rule.replace("-", "").replace("/", "").replace("@", "").isalpha() and rule.islower()
    return is_word and (last != rule or "-" in rule)


def _worth(step: FixStep, words: frozenset[str]) -> int:
    if step.kind == "edit":
        return 3 if not words.isdisjoint(failures.names_in(step.what)) else 1
    main = main_of(step.what)
    if main is None or _edits(step):
        return 0
    shared = any(word in words for word in (part.casefold() for part in main.words[1:]) if len(word) > 2)
    return 2 * shared + 2 * any(is_a(word, "sets-up") for word in main.name.split()[1:])


def change_of(given: object) -> str:
    """Return the lines that an edit changed, as they were and as they are, where its arguments say both and are few."""
    arguments = tools.Arguments(given)
    edits = (arguments.fields or {}).get("edits")
    if isinstance(edits, list) and len(edits) == 1:
        arguments = tools.Arguments(edits[0])
    before, after = (arguments.first(listed(tools.TABLE, key)) for key in ("before-key", "after-key"))
    if before and after:
        old, new = before.splitlines(), after.splitlines()
    else:
        old, new = _patched(arguments)
    removed = [line for line in old if line.strip() and line not in new]
    added = [line for line in new if line.strip() and line not in old]
    if not added or max(len(removed), len(added)) > _MAX_CHANGED_LINES:
        return ""
    was, told = (" ".join([f"`{one_line(line, _MAX_CHANGE)}`" for line in lines]) for lines in (removed, added))
    return f"{was} -> {told}" if removed else f"added {told}"


def _patched(arguments: tools.Arguments) -> tuple[list[str], list[str]]:
    """Return the lines that a patch takes away and adds."""
    texts = [arguments.given, *[text for text in (arguments.fields or {}).values() if isinstance(text, str)]]
    patch = next((text for text in reversed(texts) if tools.PATCH in text), "")
    lines = patch.partition(tools.PATCH)[2].splitlines()
    return [line[1:] for line in lines if line[:1] == "-"], [line[1:] for line in lines if line[:1] == "+"]


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
    main = main_of(failure.line)
    return Fix(
        *(failure.fingerprint, _in_its_folder(main.text if main else failure.line), failure.error, fixed.steps),
        *(agent, session, project, fixed.at),
        names=failure.names,
        id=id_of(agent, session, failure.fingerprint),
    )


def fitting(found: Iterable[Fix], line: str, error: str, names: Iterable[str]) -> list[Fix]:
    """Return which of the fixes of one fingerprint are for a failure, in their order.

    Where the error speaks of files, and that of a fix too, one of them must be the same. What a step repeats of its
    error, such as a target or a port, this error must say too; and the form of another sub-command is none of this one.
    """
    spoken, varying, sub_command = frozenset(names), failures.varying_in(error), _sub_command(line)
    return [
        one
        for one in found
        if (not spoken or not one.names or not spoken.isdisjoint(one.names))
        and varying.issuperset(repeated_by(one))
        and (not one.steps[0].endswith(_INSTEAD) or sub_command in ("", _sub_command(one.command) or sub_command))
    ]


def repeated_by(fix: Fix) -> list[str]:
    """Return what the steps of a fix repeat of the words in which its error differs from others of its fingerprint."""
    steps = "\n".join(fix.steps).casefold()
    return [word for word in sorted(failures.varying_in(fix.error)) if len(word) > 1 and _has_word(steps, word)]


def _has_word(text: str, word: str) -> bool:
    head, *pieces = text.split(word)
    for piece in pieces:
        if not head[-1:].isalnum() and not piece[:1].isalnum():
            return True
        head = piece
    return False


def _sub_command(line: str) -> str:
    """Return what looks like the sub-command of a line's main command; nothing where its first argument does not."""
    main = main_of(line)
    first = plain_words(main.words)[1:2] if main is not None and not main.is_check else []
    return "".join(word for word in first if word.replace("-", "").isalpha())


def least_calls(fix: Fix) -> int:
    """Return how many calls a fix takes: another form of the line is the one that works, other steps come before it."""
    return len(fix.steps) + (not fix.steps[0].endswith(_INSTEAD))


def is_step(fix: Fix, lines: Iterable[str]) -> bool:
    """Whether one of these command lines is a step of the fix: who has just run it knows that it does not help."""
    ran = {f"ran `{form}`" for line in lines for form in (_in_its_folder(line), one_line(shown(line), MAX_COMMAND))}
    return any(step.removesuffix(_INSTEAD) in ran for step in fix.steps)


def clean(text: str) -> str:
    """Return a text without our own injections and without secrets, of a long one what a hook is given."""
    return without_secrets(fence.stripped(fence.without_hidden(text[: failures.MAX_ERROR])))
