"""What was done in a session, gathered from its tool calls: files, commands, checks, commits, pull requests, errors.

How a session ended is told by named evidence and no model; docs/digests.md has the weights. Nothing that speaks gives
`unknown`, never a guess: an answer alone is no success where more was asked for. Text that was put in by a program, by
Holdfast, or that sums up an earlier part is no evidence.
"""

from __future__ import annotations

import os
import re
from collections import deque

from holdfast.base.text import one_line
from holdfast.language import failures, shell, tools
from holdfast.language.commands import CHECKS, Command, removes
from holdfast.language.failures import is_refused
from holdfast.records import SessionEvent, replace
from holdfast.sessions import check_results
from holdfast.sessions.check_results import ShellCall
from holdfast.sessions.facts import CommandRun, Delivered, FileChange, Outcome, OutcomeEvidence
from holdfast.sessions.names import path_of
from holdfast.sessions.quotes import begins_with
from holdfast.sessions.troubles import Troubles, may_change

_MAX_FILES = 1_000
_MAX_COMMANDS = 400
_MAX_MADE = 40
_TEXT = 400
_SHOWN = 240
_GOOD = {"test": 2.0, "build": 1.5, "lint": 0.5}
_BAD = {"test": 2.0, "build": 2.0, "lint": 0.5}
_CHECK_NAMES = {"test": "tests", "build": "build", "lint": "lint"}
_MADE = {"committed": 2.0, "pushed": 1.0, "pull-request": 2.0, "merged": 2.0, "deployed": 1.0}
_CHANGES = {"deploy": 5.0, "merge": 4.0, "push": 4.0, "pr": 4.0, "commit": 3.0}
# Of a line longer than is shown, the commands of these kinds are told.
_DECIDING = ("commit", "push", "pr", "merge", "deploy")
_LONG_LINE = 160
_MAY_WRITE = re.compile(r"\bsed -\S*i|\bopen\(|\.write_text\(|\b(?:cat|echo|printf)\b.*>")
_SCRIPT_WRITES = re.compile(
    r"""\bopen\(\s*['"]([^'"\n]{1,400})['"]\s*,\s*['"][wa]|Path\(\s*['"]([^'"\n]{1,400})['"]\s*\)\.write_text\("""
)
# Where no file of the work lies.
_NO_WORK = ("/tmp/", "/dev/", "/private/tmp/", "/var/", "&")  # noqa: S108
# Where agents keep the plans that they lay before the person.
_OWN_PLAN = re.compile(r"/\.[^/]+/(?:.*/)?plans/[^/]+\.md$")
_ONLY_LOOKS = ("read", "search", "web", "plan")
# Under which names agents tell their shell where to run, and to leave its sandbox.
_FOLDER_KEYS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
_RIGHTS_KEYS = ("sandbox_permissions", "with_escalated_permissions", "dangerouslyDisableSandbox")
# From which weight on one side alone decides, and from which on the other side still counts.
_DECIDES = 1.5
_COUNTS = 1.0
_MAX_EVIDENCE = 12


def outcome_of(evidence: list[OutcomeEvidence]) -> Outcome:
    """Return the outcome that the evidence speaks for, with a confidence that grows with its lead."""
    kept = tuple(sorted(evidence, key=lambda one: -one.weight)[:_MAX_EVIDENCE])
    sides = ("success", "failure", "abandoned")
    good, bad, away = (sum(one.weight for one in evidence if one.speaks_for == side) for side in sides)
    if away >= _DECIDES and good < _COUNTS:
        return Outcome("abandoned", _confidence(away - good), kept)
    if good >= _COUNTS and (bad >= _COUNTS or away >= _COUNTS):
        return Outcome("partial", _confidence(min(good, max(bad, away))), kept)
    if good >= _DECIDES:
        return Outcome("success", _confidence(good - bad), kept)
    if bad >= _DECIDES:
        return Outcome("failure", _confidence(bad - good), kept)
    return Outcome("unknown", 0.0 if not kept else 0.2, kept)


def halved(evidence: OutcomeEvidence) -> OutcomeEvidence:
    """Return evidence that something later took half of its weight."""
    return replace(evidence, weight=evidence.weight / 2)


def _confidence(lead: float) -> float:
    """Return 0.55 for the least lead that decides, a tenth more for each point, and never 1."""
    return round(min(0.95, 0.4 + 0.1 * max(lead, 0.0)), 2)


class ToolWork:
    """Takes the tool calls of a session one by one; its memory is bounded, `left_out` counts what is beyond."""

    def __init__(self) -> None:
        self.calls = 0
        self.failed_calls = 0
        self.refused_calls = 0
        self.commits_made = 0
        self.pushes = 0
        self.failed_in_a_row = 0
        self.kinds: dict[str, int] = {}
        self.left_out: dict[str, int] = {}
        self.files: dict[str, FileChange] = {}
        self.runs: dict[tuple[str, str], CommandRun] = {}
        self.commits: deque[Delivered] = deque(maxlen=_MAX_MADE)
        self.pull_requests: dict[str, Delivered] = {}
        self.troubles = Troubles()
        # The number of the call that changed a file last, -1 for none.
        self.changed_at = -1
        # The number of the call that may have changed anything last, and the call that failed last.
        self._did_at = -1
        self.last_failed: SessionEvent | None = None
        self._last_checks: dict[str, tuple[int, CommandRun]] = {}
        self._last_made: dict[str, tuple[int, OutcomeEvidence]] = {}
        # What was to leave the session and did not.
        self._missed: dict[str, OutcomeEvidence] = {}
        self._background = check_results.Background()
        # Something was changed or made, and not only looked at and checked.
        self._did_something = False
        self.plan: list[tools.Planned] = []
        # The work was put aside, to see how things are without it.
        self._is_aside = False

    def take(self, event: SessionEvent) -> None:
        """Take one tool call with its result. What a memory answers is no evidence of anything."""
        kind = tools.kind_of(event.tool)
        self.calls += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        told = self._background.joined(event) if kind != "memory" else None
        if told is None:
            return
        if told.failed and is_refused(told.output):
            self.refused_calls += 1
        elif told.failed and begins_with(failures.without_tags(told.output).lstrip(), "never-run"):
            # The agent called it in a way that there is not, and does so again.
            self.failed_calls += 1
        elif kind == "shell" or told is not event:
            self._shell(told)
        else:
            self._tool(event, kind)

    def finish(self) -> None:
        """Take what never ended: nobody knows how it did."""
        for event in self._background.rest():
            self._shell(event)

    def evidence(self, *, in_doubt: bool = False) -> list[OutcomeEvidence]:
        """Return what the work says about the outcome: the last check of each kind and what left the session.

        A check says half as much where something was changed after it, where it passed and nothing was done at all, or
        where it failed and that is `in_doubt`; a quarter, where something was made of the work in spite of that.
        """
        found = []
        for kind, (at, run) in self._last_checks.items():
            if run.result != "unknown":
                good = run.result == "passed"
                weight = (_GOOD if good else _BAD)[kind]
                name = f"{_CHECK_NAMES[kind]}-{run.result}"
                one = OutcomeEvidence(name, "success" if good else "failure", weight, run.text, run.place, run.line)
                idle = good and not self._did_something
                doubtful = in_doubt and not good
                one = halved(one) if at < self.changed_at or idle or doubtful else one
                found.append(
                    halved(one) if doubtful and any(made > at for made, _ in self._last_made.values()) else one
                )
        found += [halved(one) if at < self.changed_at else one for at, one in self._last_made.values()]
        return [*found, *self._missed.values()]

    def changed_from(self, folder: str) -> list[FileChange]:
        """Return the files that were changed, in order, with their paths from this folder where they are below it."""
        folder = path_of(folder)
        inside = folder.rstrip("/") + "/"
        found = []
        for whole, one in self.files.items():
            path, place = (one.path, one.folder) if one.folder != folder else (one.path, "")
            if folder and (place or not one.folder) and whole.startswith(inside):
                path, place = os.path.normpath(whole[len(inside) :]), ""
            found.append(FileChange(path, one.changes, one.place, one.line, place))
        return found

    def last_success(self) -> int:
        """Return the number of the call in which something was made or a check passed last, -1 for none."""
        passed = [at for at, run in self._last_checks.values() if run.result == "passed"]
        return max([*passed, *(at for at, _ in self._last_made.values())], default=-1)

    def delivered_after(self, place: int) -> bool:
        """Whether something left the session later than at a place: a commit, a push, a pull request."""
        return any(one.place > place for _, one in self._last_made.values())

    def _tool(self, event: SessionEvent, kind: str) -> None:
        is_edit, paths = False, list[str]()
        # Most calls only read, and what they were given need not be understood.
        if kind == "edit" or event.failed or (kind == "read" and self.troubles):
            arguments = tools.Arguments(event.input)
            is_edit = kind == "edit" and not arguments.only_looks()
            if is_edit or event.failed or kind == "read":
                paths = [_shown_path(path, event.folder) for path in arguments.paths()]
        if self._counts(event, event.failed, is_look=kind in _ONLY_LOOKS):
            about = paths[0] if paths else one_line(event.tool, _TEXT)
            if event.failed:
                self.troubles.failed(event, self.calls, f"{kind}:{about}", about or kind)
            else:
                self.troubles.passed_about(f"{kind}:{about}", self.calls)
        if event.failed:
            return
        if kind not in _ONLY_LOOKS:
            self._did_at = self.calls
        for path in paths if is_edit else ():
            self._changed(path, event)
        if kind == "pr":
            self._pull_requests(event)
        elif kind == "plan" and tools.writes_plan(event.tool):
            self._planned(event)

    def _planned(self, event: SessionEvent) -> None:
        """Take what a plan says now: the whole of it, one more entry, or that one is done."""
        entries = tools.plan_of(event.tool, event.input)
        one = tools.plan_entry(event.input)
        if one is not None:
            at, ticked = one
            if 0 < at <= len(self.plan) and ticked:
                self.plan[at - 1] = tools.Planned(self.plan[at - 1].text, True)
            elif not at:
                self.plan = [*self.plan[:_MAX_MADE], *entries]
        else:
            self.plan = list(entries)

    def left(self) -> list[str]:
        """Return what the agent's own plan still had to do, where it kept the plan up to date."""
        is_kept = any(entry.ticked for entry in self.plan)
        return [entry.text for entry in self.plan if not entry.ticked] if is_kept else []

    def _counts(self, event: SessionEvent, failed: bool, *, is_look: bool = False) -> bool:
        """Count a call; return whether it counts what it was about: it failed, or it may fix what did."""
        self.failed_calls += failed
        self.last_failed = event if failed else self.last_failed
        if not is_look:
            self.failed_in_a_row = self.failed_in_a_row + 1 if failed else 0
        return failed or bool(self.troubles)

    def _changed(self, path: str, event: SessionEvent) -> None:
        if _OWN_PLAN.search(path):
            # That is how an agent works, and told as its plan.
            return
        self.changed_at = self.calls
        self._did_something = True
        if "*" in path:
            # The shell knows which files these were.
            return
        folder = "" if path[:1] == "/" or path[1:2] == ":" else path_of(event.folder)
        whole = os.path.join(folder, path)
        before = self.files.pop(whole, None)
        if before is None and len(self.files) >= _MAX_FILES:
            self._count_out("files")
            return
        self.files[whole] = FileChange(path, before.changes + 1 if before else 1, event.place, event.line, folder)

    def _shell(self, event: SessionEvent) -> None:
        call = check_results.ended(event)
        if call.result == "passed" and self._missed_edit(call, event):
            return
        failed, main = call.result == "failed", call.main
        if main is None or call.result == "answer":
            broken = event.failed and main is None
            if self._counts(event, broken) and broken:
                self.troubles.failed(event, self.calls, "shell:", "shell")
            return
        self._checks(call, event)
        if self._counts(event, failed, is_look=main.is_look):
            self._troubled(call, main, event)
        if self.troubles and any(map(may_change, call.commands)):
            self._did_at = self.calls
        if not failed:
            for path in [
                *(tools.Arguments(call.line).patched() if tools.PATCH in call.line else ()),
                *_written(call.line),
            ]:
                self._changed(_shown_path(path, event.folder), event)
        if event.answered:
            self._made(call, event)
        # Some commands look, but for an option with which they take something away.
        is_removal = main.is_look and main.words[0] in ("git", "find") and removes(call.line)
        if is_removal or main.kind not in ("look", *CHECKS):
            self._did_something = self._did_something or main.kind != "install"
            self._run(_shown_line(call), "other" if main.is_look else main.kind, call.result, event)

    def _missed_edit(self, call: ShellCall, event: SessionEvent) -> bool:
        """Take a script that did not find what it was to replace, as an edit that any other tool did not take."""
        says_so = check_results.found_nothing(event.output) and not call.checks()
        written = _written(call.line) if says_so else []
        if written:
            path = _shown_path(written[0], event.folder)
            self._counts(event, True)
            self.troubles.failed(event, self.calls, f"edit:{path}", path)
        return bool(written)

    def _troubled(self, call: ShellCall, main: Command, event: SessionEvent) -> None:
        """Take the error of a line, or what passed in it, each command by itself, for the end of those that it had."""
        results = list(zip(call.commands, call.results, strict=True))
        own = next((result for one, result in results if one == main), "")
        did_at, way = self._did_at, _way_of(call, event)
        for one, result in results:
            # What stands behind a pipe passes whatever the check found.
            is_main = one == main and call.result == "passed" and not (main.is_check and own == "unknown")
            if (result == "passed" or is_main) and not one.is_look:
                # A linter that mends what it finds is content because of that.
                self.troubles.passed(one, self.calls if one.kind == "lint" and may_change(one) else did_at, way)
            did_at = self.calls if may_change(one) else did_at
        if call.result == "failed":
            # Of what only looks, each command is a thing of its own: another file that is there fixes nothing.
            # Where more than one may have failed, the line is named as a whole.
            suspects = list(call.suspects)
            shown = one_line(call.line if len(suspects) > 1 else main.text, _SHOWN)
            names = " && ".join(one.about for one in suspects)
            about = f"read:{shown}" if main.is_look else f"shell:{names}"
            void = main.kind if main.is_check and own == "unknown" and len(suspects) == 1 else ""
            self.troubles.ran(suspects, self._did_at, way)
            self.troubles.failed(event, self.calls, about, shown, suspects, void, way)

    def _checks(self, call: ShellCall, event: SessionEvent) -> None:
        """Take the checks of a line. Where the work is put aside, they say nothing about it."""
        for one, result in zip(call.commands, call.results, strict=True):
            if one.is_check:
                result = "unknown" if self._is_aside else result
                run = self._run(one_line(one.text, _SHOWN), one.kind, result, event)
                if result != "unknown" or one.kind not in self._last_checks:
                    self._last_checks[one.kind] = (self.calls, run)
            elif one.words[:2] == ("git", "stash") or one.kind == "commit":
                self._is_aside = one.name in ("git stash", "git stash push", "git stash save")

    def _run(self, text: str, kind: str, result: str, event: SessionEvent) -> CommandRun:
        before = self.runs.pop((kind, text), None)
        runs, failed = (before.runs, before.failed) if before else (0, 0)
        run = CommandRun(text, kind, runs + 1, failed + (result == "failed"), result, event.place, event.line)
        if before is None and len(self.runs) >= _MAX_COMMANDS:
            self._count_out("commands")
        else:
            self.runs[kind, text] = run
        return run

    def _made(self, call: ShellCall, event: SessionEvent) -> None:
        results = {one.kind: result for one, result in zip(call.commands, call.results, strict=True)}
        failed = call.result == "failed"
        if "commit" in results:
            made = check_results.committed(call.line, event.output, failed and results["commit"] != "passed")
            for name, subject in made:
                self.commits_made += 1
                self.commits.append(Delivered(name, one_line(subject, _TEXT), event.place, event.line))
                self._note("committed", one_line(subject, _TEXT), event)
        if "push" in results:
            if check_results.pushed(event.output, failed and results["push"] != "passed"):
                self.pushes += 1
                self._note("pushed", "", event)
            elif failed:
                self._missed["pushed"] = OutcomeEvidence(
                    "push-failed", "failure", 1.0, one_line(call.line, _SHOWN), event.place, event.line
                )
        if "pr" in results and not failed:
            self._pull_requests(event)
        if results.get("deploy") == "passed":
            self._note("deployed", one_line(call.line, _SHOWN), event)
        if results.get("merge") == "passed" and any(one.name == "gh pr merge" for one in call.commands):
            self._note("merged", "", event)

    def _pull_requests(self, event: SessionEvent) -> None:
        addresses = check_results.pull_requests(event.output)
        for address in addresses or [""]:
            if len(self.pull_requests) < _MAX_MADE:
                self.pull_requests[address] = Delivered("", one_line(address, _TEXT), event.place, event.line)
        self._note("pull-request", addresses[0] if addresses else "", event)

    def _note(self, name: str, text: str, event: SessionEvent) -> None:
        self._missed.pop(name, None)
        self._last_made[name] = (
            self.calls,
            OutcomeEvidence(name, "success", _MADE[name], text, event.place, event.line),
        )

    def _count_out(self, what: str) -> None:
        self.left_out[what] = self.left_out.get(what, 0) + 1


def changes_by(run: CommandRun) -> float:
    """Return how much a command changed, by what leaves the session or takes something away, failures among them."""
    return max(_CHANGES.get(run.kind, 1.0), 5.0 * removes(run.text)) + (run.failed > 0) + min(run.runs, 9) / 100


def weight_of(run: CommandRun) -> float:
    """Return how much a run tells: what it was, whether it failed, how often it came."""
    return (run.kind != "other") + (run.failed > 0) + min(run.runs, 9) / 10


def _shown_line(call: ShellCall) -> str:
    """Return a line; of a long one the commands that made something or took it away."""
    line = one_line(call.line, _TEXT)
    if len(line) <= _LONG_LINE or not any(one.kind in _DECIDING for one in call.commands):
        return line
    deciding = [one.text for one in call.commands if one.kind in _DECIDING or removes(one.text)]
    return " && ".join(one_line(text, _LONG_LINE // len(deciding)) for text in deciding)


def _way_of(call: ShellCall, event: SessionEvent) -> tuple[str, ...]:
    """Return the folder in which a line was run, and what it was allowed beyond its sandbox."""
    is_told = any(key in event.input for key in (*_FOLDER_KEYS, *_RIGHTS_KEYS))
    fields = (tools.Arguments(event.input).fields or {}) if is_told else {}
    given = next((str(fields[key]) for key in _FOLDER_KEYS if fields.get(key)), "")
    folder = os.path.join(path_of(event.folder), path_of(given))
    for one in call.commands:
        if one.words[0] == "cd" and len(one.words) > 1:
            folder = os.path.join(folder, path_of(one.words[1]))
    return os.path.normpath(folder), *[str(fields[key]) for key in _RIGHTS_KEYS if fields.get(key)]


def _written(line: str) -> list[str]:
    """Return the files that a line writes as an editor would: by a short script, by `sed -i` or out of its own text."""
    if not _MAY_WRITE.search(line):
        return []
    found = []
    for one in shell.split(line):
        found += [first or second for first, second in _SCRIPT_WRITES.findall(one.fed or one.text)]
        if one.words[:1] == ("sed",) and any(word.startswith("-i") for word in one.words):
            found.append(one.words[-1])
        elif one.words and one.words[0] in ("cat", "echo", "printf"):
            found += one.writes
    return [path for path in dict.fromkeys(found) if not path.startswith(_NO_WORK) and "$" not in path]


def _shown_path(path: str, folder: str) -> str:
    """Return a path below the folder of its event from there, any other as it is."""
    path, folder = path_of(one_line(path, _TEXT), folder), path_of(folder)
    inside = folder.rstrip("/") + "/"
    return os.path.normpath(path.removeprefix(inside) if folder else path) if path else path
