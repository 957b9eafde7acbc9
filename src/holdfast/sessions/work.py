"""What was done in a session, gathered from its tool calls: files, commands, checks, commits, pull requests, errors."""

from __future__ import annotations

import os
from collections import deque

from holdfast.base.text import one_line
from holdfast.language import tools
from holdfast.language.commands import CHECKS, Command, most_telling, only_answers, parse
from holdfast.language.failures import is_refused
from holdfast.records import SessionEvent
from holdfast.sessions import check_results
from holdfast.sessions.facts import CommandRun, Delivered, Evidence, FileChange
from holdfast.sessions.outcome import halved
from holdfast.sessions.troubles import Troubles

_MAX_FILES = 1_000
_MAX_COMMANDS = 400
_MAX_MADE = 40
_TEXT = 400
_SHOWN = 240
_GOOD = {"test": 2.0, "build": 1.0, "lint": 0.5}
_BAD = {"test": 2.0, "build": 2.0, "lint": 0.5}
_CHECK_NAMES = {"test": "tests", "build": "build", "lint": "lint"}
_MADE = {"committed": 2.0, "pushed": 1.0, "pull-request": 2.0}


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
        self._changed_at = -1
        self._last_checks: dict[str, tuple[int, CommandRun]] = {}
        self._last_made: dict[str, tuple[int, Evidence]] = {}

    def take(self, event: SessionEvent) -> None:
        """Take one tool call with its result. What a memory answers is no evidence of anything."""
        kind = tools.kind_of(event.tool)
        self.calls += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == "memory":
            return
        if event.failed and is_refused(event.output):
            self.refused_calls += 1
        elif kind == "shell":
            self._shell(event)
        else:
            self._tool(event, kind)

    def evidence(self) -> list[Evidence]:
        """Return what the work says about the outcome: the last check of each kind and what left the session."""
        found = []
        for kind, (at, run) in self._last_checks.items():
            if run.result != "unknown":
                good = run.result == "passed"
                weight = (_GOOD if good else _BAD)[kind]
                name = f"{_CHECK_NAMES[kind]}-{run.result}"
                one = Evidence(name, "success" if good else "failure", weight, run.text, run.place, run.line)
                found.append(halved(one) if good and at < self._changed_at else one)
        found += [halved(one) if at < self._changed_at else one for at, one in self._last_made.values()]
        return found

    def changed_from(self, folder: str) -> list[FileChange]:
        """Return the files that were changed, in order, with their paths from this folder where they are below it."""
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

    def _tool(self, event: SessionEvent, kind: str) -> None:
        is_edit, paths = False, list[str]()
        # Most calls only read, and what they were given need not be understood.
        if kind == "edit" or event.failed or (kind == "read" and self.troubles):
            arguments = tools.Arguments(event.input)
            is_edit = kind == "edit" and not arguments.only_looks()
            if is_edit or event.failed or kind == "read":
                paths = [_shown_path(path, event.folder) for path in arguments.paths()]
        about = paths[0] if paths else one_line(event.tool, _TEXT)
        self._judge(event, event.failed, f"{kind}:{about}", about or kind)
        if event.failed:
            return
        for path in paths if is_edit else ():
            self._changed(path, event)
        if kind == "pr":
            self._pull_requests(event)

    def _judge(self, event: SessionEvent, failed: bool, about: str, shown: str) -> None:
        if failed:
            self.failed_calls += 1
            self.failed_in_a_row += 1
            self.troubles.failed(event, about, shown)
        else:
            self.failed_in_a_row = 0
            self.troubles.succeeded(about)

    def _changed(self, path: str, event: SessionEvent) -> None:
        self._changed_at = self.calls
        folder = "" if os.path.isabs(path) else event.folder
        whole = os.path.join(folder, path)
        before = self.files.pop(whole, None)
        if before is None and len(self.files) >= _MAX_FILES:
            self._count_out("files")
            return
        self.files[whole] = FileChange(path, before.changes + 1 if before else 1, event.place, event.line, folder)

    def _shell(self, event: SessionEvent) -> None:
        command = tools.line_of(event.input)
        found = parse(command)
        failed = event.failed or bool(check_results.exit_of(event.output))
        main = most_telling(found)
        if main is None or (failed and only_answers(found)):
            self._judge(event, event.failed and main is None, "shell:", "shell")
            return
        for each in found:
            if each.is_check:
                self._check(each, event, failed, each is found[-1])
        checked = [run for at, run in self._last_checks.values() if at == self.calls]
        broken = failed or any(run.result == "failed" for run in checked)
        # Of what only looks, each command is a thing of its own: another file that is there fixes nothing.
        shown = one_line(main.text, _SHOWN)
        self._judge(event, broken, f"read:{shown}" if main.is_look else f"shell:{main.about}", shown)
        if tools.PATCH in command and not failed:
            for path in tools.Arguments(command).patched():
                self._changed(_shown_path(path, event.folder), event)
        if event.answered:
            self._made(found, command, event, failed)
        if main.kind not in ("look", *CHECKS):
            result = "failed" if failed else "passed" if event.answered else "unknown"
            self._run(one_line(command, _TEXT), main.kind, result, event)

    def _check(self, check: Command, event: SessionEvent, failed: bool, is_last: bool) -> None:
        result = check_results.result_of(check, event.output, failed, is_last) if event.answered else "unknown"
        run = self._run(one_line(check.text, _SHOWN), check.kind, result, event)
        if result != "unknown" or check.kind not in self._last_checks:
            self._last_checks[check.kind] = (self.calls, run)

    def _run(self, text: str, kind: str, result: str, event: SessionEvent) -> CommandRun:
        before = self.runs.pop((kind, text), None)
        runs, failed = (before.runs, before.failed) if before else (0, 0)
        run = CommandRun(text, kind, runs + 1, failed + (result == "failed"), result, event.place, event.line)
        if before is None and len(self.runs) >= _MAX_COMMANDS:
            self._count_out("commands")
        else:
            self.runs[kind, text] = run
        return run

    def _made(self, found: list[Command], command: str, event: SessionEvent, failed: bool) -> None:
        kinds = {each.kind for each in found}
        if "commit" in kinds:
            for name, subject in check_results.committed(command, event.output, failed):
                self.commits_made += 1
                self.commits.append(Delivered(name, one_line(subject, _TEXT), event.place, event.line))
                self._note("committed", one_line(subject, _TEXT), event)
        if "push" in kinds and check_results.pushed(event.output, failed):
            self.pushes += 1
            self._note("pushed", "", event)
        if "pr" in kinds and not failed:
            self._pull_requests(event)

    def _pull_requests(self, event: SessionEvent) -> None:
        addresses = check_results.pull_requests(event.output)
        for address in addresses or [""]:
            if len(self.pull_requests) < _MAX_MADE:
                self.pull_requests[address] = Delivered("", one_line(address, _TEXT), event.place, event.line)
        self._note("pull-request", addresses[0] if addresses else "", event)

    def _note(self, name: str, text: str, event: SessionEvent) -> None:
        self._last_made[name] = (self.calls, Evidence(name, "success", _MADE[name], text, event.place, event.line))

    def _count_out(self, what: str) -> None:
        self.left_out[what] = self.left_out.get(what, 0) + 1


def _shown_path(path: str, folder: str) -> str:
    """Return a path below the folder of its event from there, any other as it is."""
    path = one_line(path, _TEXT)
    inside = folder.rstrip("/") + "/"
    return os.path.normpath(path.removeprefix(inside) if folder else path) if path else path
