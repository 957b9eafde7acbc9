"""The errors of a session, each kind once, with how it ended.

An error is known by what it was about and its line without numbers, paths and hashes. It is `fixed` when the same
command passes after something was changed, gone by `rerun` when it passes and nothing was changed in between, ended
`otherwise` when only another form of the command passed, or only the way to run it was changed, its folder or its
sandbox, `repeated` when it came again and never did, else `left`.
A command is the same with fewer arguments, for then it does all of that and more, and with those that the error names.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import product

from holdfast.base.text import ends_of, one_line
from holdfast.language import failures
from holdfast.language.commands import Command, includes, never_fails, removes
from holdfast.records import SessionEvent, replace
from holdfast.sessions.facts import Trouble

MAX_TROUBLES = 200
_LOOK_FOR_ERROR, _LOOK_FOR_VERDICT = 2_000, 6_000
_SHOWN_OF_ERROR = 400
# What a runner of tasks puts before each line of one of them.
_TASK = r"(?:\[[\w:.@/-]{1,40}\] )?"
# What only passes on that something below it failed: it says nothing where the output has more to say.
_PASSED_ON = re.compile(
    rf"^[ \t]*{_TASK}(?:ERROR task failed|exit status \d+|FAILED: git commit|make(?:\[\d+\])?: \*\*\* "
    r"|(?:error: )?(?:command|process|script|task|recipe)\b.{0,200}\b(?:exited|failed)\b.{0,40}\b(?:code|status) \d+"
    r"|ELIFECYCLE\b|(?:error: )?(?:husky|git|pre-\w+|commit-msg)\b.{0,60}\bhook (?:failed|exited|declined)\b).*$",
    re.MULTILINE | re.IGNORECASE,
)
# A test by its name, a code of a compiler, or a place in a file with what is wrong there.
_VERDICT = re.compile(
    rf"^[ \t]*{_TASK}(?:--- FAIL|\(fail\) |FAILED \S+::"
    r"|FAIL +\S+\.\w+|(?:FAIL|ERROR): \w+ \(|● .* › |test \S+ \.\.\. FAILED"
    r"|rspec \./\S+|(?:Exit code|.{0,80} signal):? +SIG[A-Z]+|.{0,300}\berror (?:TS\d+|\[E\d+\])"
    r"|[^\s:(]+\.\w+(?::\d+:\d+:|\(\d+,\d+\):) (?!.*\b(?:warning|note|info)\b)).*$",
    re.MULTILINE,
)
_CUT_OFF = "Output too large"
_LABEL = re.compile(f"^{_TASK}")
# The first of the failures that are listed by number below their count, with the lines that name it.
_NUMBERED = re.compile(
    r"^[ \t]*(?:There w\w+ )?\d+ fail(?:ing|ures?|ed)\b.*\s+(1\) .+(?:\n[ \t]+\S.*){0,2})", re.MULTILINE
)
# How many failed, where nothing else is told.
_FAILED_COUNT = re.compile(r"^[ \t]*[1-9]\d* (?:tests? )?fail(?:ed|ing|ures?)?\b.*$", re.MULTILINE)
_SAYS_AN_ERROR = re.compile(
    r"error|exception|fail|assert|panic|cannot|could not|unable|denied|not found|invalid|expect", re.I
)
# A line that some linters draw behind the place of what they found, and the sign before what that is.
_DRAWN = re.compile(r"^[ \t]*(\S.*?)[ \t]+[━─]{4,}$", re.MULTILINE)
_SIGNS = ("×", "✖", "✗", "!")
# What is only looked for and not found is no trouble of the work.
_MINOR = ("read:", "search:", "web:")
# Arguments that change how much is told, and not what is run.
_ONLY_TELLS = ("-v", "-vv", "-q", "-s", "--verbose", "--quiet", "--silent", "--no-color", "--run", "--", "--ci")
_TELLS = ("--tb", "--color", "--reporter", "-count=", "--coverage", "--max-warnings", "--log")
_WHOLE = (".", "./...", "./", "all", "--all")
_ALWAYS_THE_SAME = ("commit", "pr")
# Options that choose a part of what is run; what they choose stands behind them.
_CHOOSES = ("-run", "-k", "-t", "-g", "-m", "--grep", "--filter", "--test", "--only", "-Dtest")
# What a linter is told that shall mend what it finds.
_MENDING = ("fix", "--write", "--apply", "-w ")
_MIN_SAME_WORDS = 3


@dataclass(slots=True)
class _Open:
    """An error, the number of the call in which it came last, the commands that may have failed, and its kind."""

    trouble: Trouble
    at: int
    commands: list[Command]
    # The kind of a check that never ran, nothing for any other.
    void: str = ""
    # Where and with what rights it was run, and whether another way of that showed another error, with nothing changed.
    way: tuple[str, ...] = ()
    is_of_way: bool = False


class Troubles:
    """The errors seen so far, at most MAX_TROUBLES kinds of them; what comes beyond is counted in `left_out`."""

    def __init__(self) -> None:
        self.left_out = 0
        self._all: dict[tuple[str, str], _Open] = {}
        self._open: dict[tuple[str, str], _Open] = {}

    def __bool__(self) -> bool:
        """Whether there is one that a success may still end."""
        return bool(self._open)

    def failed(
        self,
        event: SessionEvent,
        at: int,
        about: str,
        shown: str,
        commands: Sequence[Command] = (),
        void: str = "",
        way: tuple[str, ...] = (),
    ) -> None:
        """Take the error of call number `at` about a thing, how that is shown, what may have failed, and its `way`."""
        line = error_line(event.output or event.text)
        key = (about, failures.normalised(line))
        before = self._all.get(key)
        if before is None and len(self._all) >= MAX_TROUBLES:
            self.left_out += 1
            return
        known = before.trouble if before else None
        times = known.times + 1 if known else 1
        trouble = Trouble(
            known.text if known else one_line(line, _SHOWN_OF_ERROR) or "no message",
            shown,
            times,
            "repeated" if times > 1 else "left",
            *((known.place, known.line) if known else (event.place, event.line)),
            *(event.place, event.line),
        )
        self._all[key] = self._open[key] = _Open(trouble, at, [*commands], void, way)

    def passed_about(self, about: str, changed_at: int) -> None:
        """Take that what an error was about succeeded; `changed_at` is the last call in which anything was changed."""
        for key in [key for key in self._open if key[0] == about]:
            self._end(key, changed_at)

    def ran(self, commands: Sequence[Command], changed_at: int, way: tuple[str, ...]) -> None:
        """Take that commands failed in this way: with nothing changed, an error that they had in another is of that."""
        for one in self._open.values():
            if one.way != way and one.at >= changed_at and not one.is_of_way:
                pairs = product(commands, one.commands)
                one.is_of_way = any(mends(new, old, one.trouble.text) == "same" for new, old in pairs)

    def passed(self, command: Command, changed_at: int, way: tuple[str, ...] = ()) -> None:
        """Take that a command passed, run in some way: that ends the errors that it had, or a part of it."""
        for key, one in [*self._open.items()]:
            told = {number: mends(command, failed, one.trouble.text) for number, failed in enumerate(one.commands)}
            if not any(told.values()):
                continue
            rest = [failed for number, failed in enumerate(one.commands) if told[number] != "same"]
            if not rest:
                self._end(key, changed_at, way)
            elif len(rest) < len(one.commands):
                one.commands = rest
            elif len(rest) == 1:
                one.trouble = replace(one.trouble, ended="otherwise")

    def _end(self, key: tuple[str, str], changed_at: int, way: tuple[str, ...] = ()) -> None:
        """End an error, and the same one where another command told it before."""
        same = [key]
        if len(key[1].split()) >= _MIN_SAME_WORDS:
            same += [other for other in self._open if other[1] == key[1] and other != key]
        for one in [self._open.pop(each) for each in same]:
            is_changed = changed_at > one.at
            by_way = one.is_of_way or (not is_changed and way != one.way)
            one.trouble = replace(one.trouble, ended="otherwise" if by_way else "fixed" if is_changed else "rerun")

    def all(self, changed: Container[str] = (), checked: Container[str] = ()) -> list[Trouble]:
        """Return those of the work: what was left first, then what was fixed, each by its place.

        An edit that a tool did not take is how agents work, where the file was `changed` in the end. That a check could
        not be run says nothing where one of its kind was, `checked`. What two commands told alike is told once.
        """
        told: dict[tuple[str, ...], Trouble] = {}
        for (about, line), one in self._all.items():
            trouble = one.trouble
            if (
                about.startswith(_MINOR)
                or (about.startswith("edit:") and trouble.about in changed)
                or (one.void and one.void in checked)
            ):
                continue
            key = (line, trouble.ended) if len(line.split()) >= _MIN_SAME_WORDS else (line, trouble.ended, about)
            same = told.get(key)
            told[key] = replace(same, times=same.times + trouble.times) if same else trouble
        return sorted(told.values(), key=lambda one: (one.ended not in ("repeated", "left"), one.place))


def mends(passed: Command, failed: Command, error: str) -> str:
    """Return whether a command that passed did what another failed at: `same`, `otherwise`, or nothing.

    It is the same where it does all of that, or that part which the error names, with the options that it had.
    """
    if includes(passed, failed):
        # A task of the project has its own settings, and not those that a command was given.
        return "otherwise" if any(map(_is_setting, failed.words[1:])) else "same"
    if passed.name != failed.name and not (passed.about == failed.about and _is_form(passed)):
        return ""
    if passed.kind in _ALWAYS_THE_SAME:
        return "same"
    names = {*passed.name.split(), *failed.name.split()}
    more, less = _apart(passed, failed, names), _apart(failed, passed, names)
    targets = [word for word in more if word[0] != "-" and not _is_part(word, failed)]
    options = any(map(_is_setting, (*more, *less)))
    if not options and all(word.strip("./*'\"^$") in error for word in targets):
        return "same"
    return "otherwise" if options or not failed.is_check else ""


def _apart(one: Command, other: Command, names: set[str]) -> list[str]:
    """Return the words of a command beyond those of the other, without what only changes how much is told."""
    return [word for word in one.words[1:] if word not in other.words and word not in names and not _only_tells(word)]


def _is_setting(word: str) -> bool:
    """Whether a word of a command is an option that changes what it does."""
    return word[:1] == "-" and not word.startswith(_CHOOSES) and not _only_tells(word)


def _is_form(passed: Command) -> bool:
    """Whether a form of a check does what its other forms do: all of it, or it mends what it finds."""
    form = passed.name.partition(":")[2]
    return not form or any(word in form for word in _MENDING)


def may_change(command: Command) -> bool:
    """Whether a command may make another one pass: it changes something, and does not only look or check."""
    if command.kind in ("look", "test", "lint"):
        return not command.is_look and any(word in command.text for word in _MENDING)
    return not never_fails(command) or removes(command.text)


def _only_tells(word: str) -> bool:
    return not word or word in _ONLY_TELLS or word in _WHOLE or word.startswith(_TELLS)


def _is_part(word: str, failed: Command) -> bool:
    """Whether an argument names a folder in which that of the other command lies."""
    folder = word.removesuffix("...").rstrip("/")
    return bool(folder) and any(each.startswith(f"{folder}/") for each in failed.words[1:])


def error_line(output: str) -> str:
    """Return the line of an output that says the error, of a long one from either end; or the first that says any.

    It is the whole line, with the label that a program puts before its errors. What a test, a compiler or a linter says
    of its own stands before all else: the code that it runs may log errors, and it shows lines of the source.
    """
    long = failures.plain(ends_of(output, _LOOK_FOR_VERDICT))
    numbered = _NUMBERED.search(long) if "1) " in long else None
    verdict = _VERDICT.search(long)
    if numbered or verdict:
        said = numbered[1] if numbered else verdict[0] if verdict else ""
        return one_line(_LABEL.sub("", said.strip()), _SHOWN_OF_ERROR)
    text = failures.plain(ends_of(failures.without_tags(output), _LOOK_FOR_ERROR))
    rest = _PASSED_ON.sub("", text)
    # Of an output that was cut off, what it logged on the way is no finding.
    text = rest if _CUT_OFF not in text and _SAYS_AN_ERROR.search(rest) else text
    said = failures.error_line(text) or failures.first_message(text)
    line = next((line.strip() for line in text.split("\n") if said and said in line), said)
    if line.startswith(_SIGNS):
        places = [one for one in _DRAWN.finditer(text) if one.start() < text.find(line)]
        line = f"{places[-1][1]}: {line}" if places else line
    # Of an output that was cut, how many failed says more than what the code logged.
    counted = None if _SAYS_AN_ERROR.search(line) else _FAILED_COUNT.search(output[-_LOOK_FOR_ERROR:])
    return (counted[0].strip() if counted else line)[:_SHOWN_OF_ERROR]
