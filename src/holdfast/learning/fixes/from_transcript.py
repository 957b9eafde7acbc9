"""Failures and fixes as the transcript tells them at a pause, for agents whose hooks are told of few calls or of none.

Where a hook was told of a failure already, the transcript tells it again, with all that was done around it: a failure
that comes again begins anew, so what is known afterwards is what the transcript says.
"""

from __future__ import annotations

from holdfast.language.commands import main_of
from holdfast.language.failures import is_refused
from holdfast.language.tools import kind_of, line_of
from holdfast.learning.fixes.hook import (
    clean,
    edits_of,
    failure_of,
    keep,
    note,
    replayed,
    row_of,
    rows_of,
    withdraw,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.agents.transcript_calls import Call
    from holdfast.learning.fixes.hook import Row
    from holdfast.learning.fixes.retries import Failure, Fixed
    from holdfast.parts import HookRun

# After so much else nobody can tell what helped against a failure.
_MAX_BEFORE = 60


def take(run: HookRun, path: str) -> None:
    """Take the calls that the transcript told at this moment into the session's file of failures."""
    look = _Look(run, rows_of(path))
    for call in run.calls():
        look.take(call)
    look.finish(path)


class _Look:
    """Goes through the calls of a transcript in order, after the rows that the session has."""

    def __init__(self, run: HookRun, before: list[Row]) -> None:
        self._run = run
        self._rows: list[Row] = []
        self._retries = replayed(before[-_MAX_BEFORE:])
        self._fixed_before = {row[1] for row in before if row[0] == "fixed"}
        self._broken: dict[str, Failure] = {}
        self._fixed: dict[str, Fixed] = {}

    def take(self, call: Call) -> None:
        """Take one call."""
        if kind_of(call.tool) == "shell":
            self._ran(call)
        elif self._retries and call.ended != "failed":
            for row in edits_of(self._run, call.tool, call.given):
                self._retries.edited(*row[1:])
                self._rows.append(row)

    def _ran(self, call: Call) -> None:
        if call.ended == "failed" or (call.ended == "passed" and self._retries):
            line = clean(line_of(call.given))
            main = main_of(line)
            if main is not None and call.ended == "failed":
                self._failed(line, call.output)
            elif main is not None and not main.is_hidden:
                self._passed(line)

    def _failed(self, line: str, output: str) -> None:
        if is_refused(output):
            return
        failure = failure_of(line, clean(output), self._run.at)
        self._fixed.pop(failure.fingerprint, None)
        if failure.fingerprint in self._fixed_before:
            self._broken[failure.fingerprint] = failure
        self._retries.failed(failure)
        self._rows.append(row_of(failure))

    def _passed(self, line: str) -> None:
        fixed = self._retries.ran(line, self._run.at)
        self._fixed.update({one.failure.fingerprint: one for one in fixed})
        self._rows += [("ran", line, self._run.at), *[("fixed", one.failure.fingerprint) for one in fixed]]

    def finish(self, path: str) -> None:
        """Write down what was seen: of each failure only the fix that holds now, each is made durable."""
        for failure in self._broken.values():
            withdraw(self._run, failure)
        keep(self._run, [*self._fixed.values()])
        if self._rows:
            note(path, self._rows)
