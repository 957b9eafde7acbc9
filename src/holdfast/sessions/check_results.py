"""How the shell calls of a session ended: the line as a whole, and each of its commands by its own result.

Evidence has an order. A count of what passed and failed stands before everything else that is printed, because a test
may be called "error handling" and print the errors that it expects. Then the exit code, where it is the command's own;
then lines that begin as a result does. A linter or a compiler that prints nothing found nothing. A check that never
ran, was cut off by its time limit, or was meant to fail says nothing about the work.

The words are in `words/results.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from holdfast.agents.transcript_calls import exit_of
from holdfast.base.structs import dataclass
from holdfast.base.text import ends_of
from holdfast.language import tools
from holdfast.language.commands import (
    CHECKS,
    Command,
    main_of,
    most_telling,
    never_fails,
    only_answers,
    parse,
    plain_words,
    subject_of,
)
from holdfast.language.failures import is_refused, plain
from holdfast.language.word_lists import lists
from holdfast.records import SessionEvent, replace

_WORDS = __file__.rpartition("/")[0] + "/words/results.txt"
_LONGEST = 6_000
_TAIL = 2_000
_SHORT = 800
# The lines of one count stand together: that far before the last of them they may begin.
_BLOCK = 500
# A line without one of these has no word for what passed or failed.
_STEMS = ("pass", "fail", "error", "issue", "problem", "succe")
_LONGEST_COUNT = 200
# A process that was stopped from outside: by a time limit, from the keyboard, for want of memory.
_STOPPED = (124, 130, 137, 143)
_MAX_WAITING = 64
_COMMIT = re.compile(r"^\[([^\]\n]{1,120}?) ([0-9a-f]{7,40})\] (.*)$", re.MULTILINE)
_PULL_REQUEST = re.compile(
    r"https?://(?:[^\s/@]*@)?([^\s/@]+/[^\s?#]{1,200}?/(?:pull|merge_requests|pull-requests|pullrequest)/\d+)"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_SAYS_FAILED = re.compile(r"(?:FAILED|FAILURE|ERROR): ")
_NOTHING_REPLACED = re.compile(
    r"FAIL(?:ED|URE)\b|(?:error: |warning: )?(?:the |could not find )?"
    r"(?:(?:old|target|search|anchor)[ _-]?\w*|pattern|string|text|block|marker|match)(?: was| were)? not found\b"
    r"|(?:error: )?(?:could not find|no match|nothing to replace)",
    re.IGNORECASE,
)
# What puts a patch in says so in its last line where that does not fit, whatever the rest of the line does.
_PATCHES = (("git", "apply"), ("git", "am"), ("patch",))
_NOT_APPLIED = re.compile(r"error: |fatal: |Patch failed at |\d+ out of \d+ hunks? (?:FAILED|ignored)")
_NUMBER_AT_END = re.compile(r"(\d{1,3})\W*\Z")
# A place in a file with a column behind it is where a compiler or a linter has something to say.
_AT_A_PLACE = re.compile(r"^\s*[^\s:(]+(?::\d+:\d+:|\(\d+,\d+\):)\s(?!.*\b(?:warning|note|info)\b)", re.MULTILINE)
_MEANT_TO_FAIL = re.compile(
    r"\b(?:verify|verifies|confirm|confirms|expect|expects|expected|should|must|ensure|prove|proves)\b"
    r"[^\n\"]{0,60}\bfail(?:s|ed|ure)?\b",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"(?:running with session ID|running in (?:the )?background with (?:ID|bash_id)|backgrounded with ID)\W{1,3}"
    r"([\w-]+)",
    re.IGNORECASE,
)
_HEAD = 400
_MAX_REMEMBERED, _MAX_REMEMBERED_CHARACTERS = 500, 2_000
_PROCESS_KEYS = ("session_id", "bash_id", "shell_id", "task_id", "sessionId", "shellId")


@dataclass(frozen=True, slots=True)
class ShellCall:
    """How one call of a shell ended.

    `result` is that of the line: `passed`, `failed`, `refused` where somebody did not let it run, `answer` where it
    failed and that is no error, as that nothing was found or a failure was looked for, and `unknown` where nobody says.
    `results` are those of its commands in order, each `passed`, `failed` or `unknown`.
    """

    line: str
    commands: Sequence[Command]
    result: str
    results: tuple[str, ...]

    @property
    def main(self) -> Command | None:
        """The command that the line is shown as: of a line that failed, one that may have failed."""
        return most_telling(self.suspects if self.result == "failed" else self.commands)

    @property
    def suspects(self) -> Sequence[Command]:
        """The commands that may have failed, where the line did; one alone is known to have."""
        told = list(zip(self.commands, self.results, strict=True))
        blamed = [one for one, result in told if result == "failed"]
        if len(blamed) == 1 and blamed[0].is_check:
            before = told[: self.results.index("failed")]
            alike = [one for one, result in before if (one.kind, result) == (blamed[0].kind, "unknown")]
            blamed += [one for one in alike if not one.is_hidden]
        may = blamed or [one for one, result in told if result != "passed"] or self.commands
        doers = [one for one in may if not (one.is_look or never_fails(one))]
        return [one for one in doers if not one.is_hidden] or doers or may

    def checks(self) -> list[tuple[Command, str]]:
        """Return the runs of tests, builds and linters in the line, and how each ended."""
        return [(one, result) for one, result in zip(self.commands, self.results, strict=True) if one.is_check]

    @property
    def held(self) -> bool:
        """Whether the command passed that the line stands or falls with: by its exit or, if hidden, by its words."""
        main = main_of(self.line)
        if self.result != "passed" or (main is not None and not main.is_hidden):
            return self.result == "passed"
        return {result for _, result in self.checks()} == {"passed"}


_remembered: dict[tuple[str, str, str, bool, bool], ShellCall] = {}


def ended(event: SessionEvent) -> ShellCall:
    """Return how a call of a shell ended; several parts of a harvest ask that of the same events."""
    told = event.input, event.output, event.text, event.answered, event.failed
    if len(event.input) + len(event.output) + len(event.text) > _MAX_REMEMBERED_CHARACTERS:
        return _ended(event)
    if told not in _remembered:
        if len(_remembered) >= _MAX_REMEMBERED:
            _remembered.clear()
        _remembered[told] = _ended(event)
    return _remembered[told]


def _ended(event: SessionEvent) -> ShellCall:
    line = tools.line_of(event.input)
    found = parse(line)
    code = exit_of(event.output)
    failed = event.failed or bool(code)
    if failed and is_refused(event.output or event.text):
        return ShellCall(line, found, "refused", ("unknown",) * len(found))
    if not event.answered and not failed:
        return ShellCall(line, found, "unknown", ("unknown",) * len(found))
    results = results_of(found, event.output, failed, code)
    at = _belied(found, event.output) if not failed else -1
    if at >= 0:
        return ShellCall(line, found, "failed", (*results[:at], "failed", *["unknown"] * (len(found) - at - 1)))
    if not failed and "failed" not in results:
        return ShellCall(line, found, "passed", results)
    checked = [result for one, result in zip(found, results, strict=True) if one.is_check]
    is_meant = "failed" in checked and _MEANT_TO_FAIL.search(event.input[:_TAIL]) is not None
    if is_meant or (failed and "failed" not in checked and only_answers(found)):
        return ShellCall(line, found, "answer", tuple("unknown" if one == "failed" else one for one in results))
    return ShellCall(line, found, "failed" if failed or "failed" in checked else "passed", results)


def _belied(found: Sequence[Command], output: str) -> int:
    """Return which command failed by its own words although the line tells no failure, -1 for none.

    A hook did not let a commit through and something around it lost the exit, a patch does not fit, or a script ends by
    saying so.
    """
    lowered = output[-_LONGEST:].casefold()
    if any(mark in lowered for mark in lists(_WORDS)["commit-failed"]):
        return next((at for at, one in enumerate(found) if one.kind == "commit"), -1)
    last = output.strip().rpartition("\n")[2]
    if _NOT_APPLIED.match(last) and (patches := [at for at, one in enumerate(found) if _puts_patch_in(one)]):
        return patches[-1]
    is_own = bool(found) and found[-1].kind == "other" and not found[-1].is_hidden
    return len(found) - 1 if is_own and _SAYS_FAILED.match(last) else -1


def _puts_patch_in(command: Command) -> bool:
    # Its name would have to be worked out for each command of a session.
    return command.words[:2] in _PATCHES or command.words[:1] in _PATCHES


def found_nothing(output: str) -> bool:
    """Whether a script that was to replace something in a file says, first of all, that this is not in it."""
    head = output[:_HEAD]
    return _NOTHING_REPLACED.match((head.partition("Output:\n")[2] or head).lstrip()) is not None


def results_of(found: Sequence[Command], output: str, failed: bool, code: int | None = None) -> tuple[str, ...]:
    """Return how each command of a line ended, by the exit of the line and what it printed.

    Only the commands behind the last sign that hides an exit give the line its own. Of those that are joined by `&&`,
    each before one that ran has passed, and none behind one that failed was run.
    """
    if not failed and not any(one.kind in CHECKS for one in found):
        # What puts a patch in is heard where that does not fit, unless its errors were sent elsewhere.
        is_heard = "error: " not in output
        is_told = [not one.is_hidden or (is_heard and _puts_patch_in(one) and "2>" not in one.text) for one in found]
        return tuple(["passed" if told else "unknown" for told in is_told])
    told = _Told(output, code)
    doers = [at for at, one in enumerate(found) if not one.is_look]
    results = [told.of(one, bool(doers) and at < doers[-1]) if one.is_check else "" for at, one in enumerate(found)]
    if any(one.is_check for one in found) and told.says_nothing("passed" in results, failed):
        return tuple("unknown" if one.is_check else "passed" if not failed else "unknown" for one in found)
    asked = _asked_exit(found, output)
    if asked is not None and found[-2].is_hidden:
        results[-2] = "failed" if asked else "passed"
    start = max((at + 1 for at, one in enumerate(found) if one.is_hidden and at < len(found) - 1), default=0)
    if start < len(found) and found[-1].is_hidden:
        start = len(found)
    if failed:
        _charge(found, results, start, plain(ends_of(output, _TAIL)))
    else:
        for at in range(start, len(found)):
            # An agent that tells no exit may still print a failure.
            is_sound = code == 0 or not found[at].is_check
            silent = "unknown" if found[at].kind == "test" and not output.strip() else "passed"
            results[at] = "passed" if is_sound else results[at] or silent
    if not output.strip() and not failed:
        # What was cut short by a pipe would still have shown the first problem.
        for at, one in enumerate(found):
            if one.kind in ("lint", "build") and one.is_hidden and all(next.is_look for next in found[at + 1 :]):
                results[at] = "passed"
    return tuple(one or "unknown" for one in results)


def _charge(found: Sequence[Command], results: list[str], start: int, printed: str) -> None:
    """Charge the failure of a line to the command behind `start` that failed, where that can be told.

    The first that fails ends the line. What only tests print was printed by the tests, whoever else may print an error.
    """
    told = [at for at in range(start, len(found)) if results[at]]
    failing = [at for at in told if results[at] == "failed"]
    if failing:
        is_of_tests = _has_line("test-failed", printed) or any(good for *_, good in _sums(printed, "test"))
        kinds = [found[at].kind for at in failing]
        kind = "test" if is_of_tests and "test" in kinds else kinds[0]
        # Checks of one kind say the same; the last that the output names is the one that ran last.
        alike = [at for at in failing if found[at].kind == kind]
        named = [at for at in alike if found[at].name.rpartition(" ")[2] in printed]
        first, ran = (named or alike)[-1 if named else 0], (named or alike)[-1]
        results[start:] = [*["passed"] * (first - start), *[""] * (len(found) - first)]
        results[ran] = "failed"
        return
    ran = told[-1] if told else start
    results[start:ran] = ["passed"] * (ran - start)
    rest = range(ran + bool(told), len(found))
    doers = [at for at in rest if not found[at].is_look and not never_fails(found[at])]
    blamed = doers or [at for at in rest if not never_fails(found[at])] or list(rest)
    named = [_named_in(printed, found[at]) for at in rest]
    if any(named) and named.count(max(named)) == 1:
        at = rest[named.index(max(named))]
        results[ran : at + 1] = [*["passed"] * (at - ran), "failed"]
    elif len(blamed) == 1:
        results[blamed[0]] = "failed"


def _named_in(printed: str, command: Command) -> int:
    """Return how much of the command an error names, which begins with the program or says what failed; 0 for none."""
    program, does = command.words[0].casefold(), " ".join(plain_words(command.words)[1:3]).casefold()
    forms = [(f"\n{program}: ", len(program)), (f"{does} failed", len(does))]
    return max(length if form in f"\n{printed.casefold()}" else 0 for form, length in forms)


def _asked_exit(found: Sequence[Command], output: str) -> int | None:
    """Return the exit code that a line prints of the command before its last: `npm test; echo "exit: $?"`."""
    if len(found) < 2 or not ("$?" in found[-1].text or "PIPESTATUS" in found[-1].text):
        return None
    number = _NUMBER_AT_END.search(output[-80:])
    return int(number[1]) if number else None


class _Told:
    """What an output says about the checks that printed it."""

    def __init__(self, output: str, code: int | None) -> None:
        self._output = output
        self._code = code
        self._of: dict[str, str] = {}

    def of(self, check: Command, goes_on: bool) -> str:
        """Return how a check of this kind ended by what it printed last, nothing where that does not say.

        Where the line goes on behind it, an error behind its count may be the next command's.
        """
        if check.kind not in self._of:
            self._of[check.kind] = _told(plain(self._output[-_TAIL:]), check.kind, goes_on)
        return self._of[check.kind]

    def says_nothing(self, passed: bool, failed: bool) -> bool:
        """Whether a check never ran to its end: there was nothing to run, or it was stopped."""
        if passed:
            return False
        if failed and self._code in _STOPPED:
            return True
        lowered = self._output.casefold() if len(self._output) <= _SHORT else ""
        has_mark = any(mark in lowered for mark in lists(_WORDS)["never-ran"])
        return has_mark and _counted(_sums(plain(self._output), "lint"), "lint") != "failed"


def _told(tail: str, kind: str, goes_on: bool) -> str:
    sums = _sums(tail, kind)
    counted = _counted(sums, kind)
    if counted:
        is_sound = counted == "failed" or goes_on or not _has_line("failed", tail[sums[-1][0] :])
        return counted if is_sound else "failed"
    if _has_line("failed", tail) or (kind != "test" and _AT_A_PLACE.search(tail)):
        return "failed"
    return "passed" if _has_line("passed", tail) else ""


def _has_line(kind: str, text: str) -> bool:
    """Whether a line says that a check ended so. Looking for the words first spares most texts the search."""
    pattern, needed = _lines_of(kind)
    lowered = text.lower()
    return any(word in lowered for word in needed) and pattern.search(text) is not None


@cache
def _lines_of(kind: str) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return how a line begins that says that a check ended so, and texts of which it must have one to say it."""
    starts, anywhere = lists(_WORDS)[f"{kind}-line"], lists(_WORDS).get(f"{kind}-within", ())
    begins, within = ("|".join(map(re.escape, words)) for words in (starts, anywhere))
    within = f"|(?:{within})" if within else ""
    pattern = re.compile(rf"^[ \t✓✔√✗✖×]*(?:{begins})(?!\w){within}", re.IGNORECASE | re.MULTILINE)
    needed = {line.lower() for line in (*starts, *anywhere)}
    return pattern, tuple(one for one in needed if not any(other in one for other in needed - {one}))


def _counted(sums: list[tuple[int, int, int]], kind: str) -> str:
    """Return how a check ended by its own count of what passed and failed, nothing where it counts nothing."""
    if not sums:
        return ""
    block = [(bad, good) for at, bad, good in sums if sums[-1][0] - at <= _BLOCK]
    if any(bad for bad, _ in block):
        return "failed"
    return "passed" if kind != "test" or any(good for _, good in block) else ""


def _sums(tail: str, kind: str) -> list[tuple[int, int, int]]:
    """Return each line that only counts: where it ends, how many failed, and how many passed.

    A line with any other word in it is about something else, as the name of a test that speaks of errors.
    """
    found, at = [], 0
    pattern, vocabulary = _count_pattern()
    for line in tail.lower().splitlines(keepends=True):
        at += len(line)
        may_count = len(line) <= _LONGEST_COUNT and any(stem in line for stem in _STEMS)
        if may_count and vocabulary.issuperset(_LETTERS.findall(line)) and pattern.search(line):
            found.append((at, *_added_up(line, kind)))
    return [one for one in found if one[1] >= 0]


def _added_up(line: str, kind: str) -> tuple[int, int]:
    """Return how many a line counts as failed and as passed; -1 failed where it counts neither.

    Where errors are counted, what is called a problem or an issue beside them may be a warning.
    """
    sums: dict[str, int] = {}
    for match in _count_pattern()[0].finditer(line):
        word = match["behind"] or match["before"]
        group = _groups()[word]
        sums[group] = sums.get(group, 0) + int(match["number"] or match["counted"])
    if "found" in sums and kind != "test":
        sums.setdefault("failed", sums["found"])
    if "failed" not in sums and "passed" not in sums:
        return -1, 0
    # Of a count that names no successes, all that ran and did not fail passed.
    return sums.get("failed", 0), sums.get("passed", 0) or ("failed" in sums and sums.get("ran", 0))


@cache
def _groups() -> dict[str, str]:
    return {word: kind for kind in ("failed", "passed", "found", "ran") for word in lists(_WORDS)[f"{kind}-count"]}


@cache
def _count_pattern() -> tuple[re.Pattern[str], frozenset[str]]:
    """Return how an output counts, as `3 tests failed`, `Failures: 3`, `# fail 3`, and the words of such lines."""
    counted = "|".join(sorted(_groups(), key=len, reverse=True))
    labels = "|".join(word for word, group in _groups().items() if group != "ran")
    nouns = "|".join(lists(_WORDS)["count-nouns"])
    pattern = re.compile(
        rf"(?<![\d.])(?P<number>\d{{1,7}}) (?:(?:{nouns}) )?(?P<behind>{counted})\b"
        rf"|\b(?P<before>{labels})(?:[:=] *|\W+(?<=# )|(?<=pass) |(?<=fail) )(?P<counted>\d{{1,7}})\b",
        re.IGNORECASE,
    )
    return pattern, frozenset((*lists(_WORDS)["count-words"], *_groups()))


class Background:
    """Joins a command that goes on in the background with what it prints later.

    An agent that lets a command go on tells how it ended in the result of another call, which names the process. Until
    then nobody knows how it ends.
    """

    def __init__(self) -> None:
        self._running: dict[str, SessionEvent] = {}

    def joined(self, event: SessionEvent) -> SessionEvent | None:
        """Return a call as it ended: None while it goes on, and the command itself where this call tells its end."""
        head = event.output[:_HEAD]
        going_on = _RUNNING.search(head) if "unning " in head or "grounded" in head else None
        if going_on and tools.kind_of(event.tool) == "shell" and len(self._running) < _MAX_WAITING:
            self._running[going_on[1]] = event
            return None
        if not self._running:
            return event
        fields = tools.Arguments(event.input).fields or {}
        process = next((str(fields[key]) for key in _PROCESS_KEYS if fields.get(key)), "")
        begun = self._running.pop(process, None)
        if begun is None:
            return event
        about, mark, printed = event.output.partition("Output:\n")
        output = f"{about}{mark}{begun.output.partition(mark)[2][-_LONGEST:] if mark else ''}{printed}"
        joined = replace(begun, output=output, failed=event.failed, place=event.place, line=event.line)
        if going_on or "<status>running" in head:
            self._running[process] = joined
            return event
        return joined

    def rest(self) -> list[SessionEvent]:
        """Return the commands of which nobody told the end."""
        return [replace(event, answered=False, failed=False) for event in self._running.values()]


def as_they_ended(events: Iterable[SessionEvent]) -> Iterator[SessionEvent]:
    """Yield events in order, a command that goes on in the background where it ended, with all that it printed."""
    background = Background()
    for event in events:
        is_call = event.role == "tool" and tools.kind_of(event.tool) != "memory"
        told = background.joined(event) if is_call else event
        if told is not None:
            yield told
    yield from background.rest()


def committed(command: str, output: str, failed: bool) -> list[tuple[str, str]]:
    """Return id and subject of the commits that a line with a commit in it made."""
    output = output if len(output) <= _LONGEST + _TAIL else f"{output[:_LONGEST]}\n{output[-_TAIL:]}"
    found = [(match[2], match[3]) for match in _COMMIT.finditer(output)]
    lowered = output.casefold()
    if (
        found
        or failed
        or any(mark in lowered for kind in ("nothing-committed", "commit-failed") for mark in lists(_WORDS)[kind])
    ):
        return found
    subjects = [subject_of(one) for one in parse(command) if one.kind == "commit"]
    return [("", subjects[0] if subjects else "")]


def pushed(output: str, failed: bool) -> bool:
    """Whether a line with a push in it pushed something."""
    lowered = output[:_LONGEST].casefold()
    return not failed and not any(mark in lowered for mark in lists(_WORDS)["not-pushed"])


def pull_requests(output: str) -> list[str]:
    """Return the addresses of pull requests in an output, without who asked."""
    ends = output if len(output) <= 2 * _TAIL else f"{output[:_TAIL]}\n{output[-_TAIL:]}"
    return list(dict.fromkeys(f"https://{found}" for found in _PULL_REQUEST.findall(ends)))[:5]
