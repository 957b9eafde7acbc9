"""Failures and fixes as the transcript tells them at a pause, for agents whose hooks are told of few calls or of none.

Where a hook was told of a failure already, the transcript tells it again, with all that was done around it: a failure
that comes again begins anew, so what is known afterwards is what the transcript says.
"""

from __future__ import annotations

from holdfast.actions.fix_hooks import (
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
from holdfast.continuity.touched import Tools
from holdfast.learning.command_lines import is_shell, line_of, main_of
from holdfast.learning.fingerprints import is_refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.actions.fix_hooks import Row
    from holdfast.actions.hook import Visit
    from holdfast.learning.retries import Failure, Fixed
    from holdfast.learning.work_calls import Call

# After so much else nobody can tell what helped against a failure.
_MOST_BEFORE = 60


def take(visit: Visit, path: str) -> None:
    """Take the calls that the transcript told at this moment into the session's file of failures."""
    look = _Look(visit, rows_of(path))
    for call in visit.told_calls:
        look.take(call)
    look.finish(path)


class _Look:
    """Goes through the calls of a transcript in order, after the rows that the session has."""

    def __init__(self, visit: Visit, before: list[Row]) -> None:
        self._visit = visit
        self._rows: list[Row] = []
        self._retries = replayed(before[-_MOST_BEFORE:])
        self._fixed_before = {row[1] for row in before if row[0] == "fixed"}
        self._broken: dict[str, Failure] = {}
        self._fixed: dict[str, Fixed] = {}
        self._tools = Tools()

    def take(self, call: Call) -> None:
        """Take one call."""
        if is_shell(call.tool):
            self._ran(call)
        elif self._retries and call.ended != "failed":
            for row in edits_of(self._visit, self._tools, call.tool, call.given):
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
        failure = failure_of(line, clean(output), self._visit.at)
        self._fixed.pop(failure.fingerprint, None)
        if failure.fingerprint in self._fixed_before:
            self._broken[failure.fingerprint] = failure
        self._retries.failed(failure)
        self._rows.append(row_of(failure))

    def _passed(self, line: str) -> None:
        fixed = self._retries.ran(line, self._visit.at)
        self._fixed.update({one.failure.fingerprint: one for one in fixed})
        self._rows += [("ran", line, self._visit.at), *[("fixed", one.failure.fingerprint) for one in fixed]]

    def finish(self, path: str) -> None:
        """Write down what was seen: of each failure only the fix that holds now, each is made durable."""
        for failure in self._broken.values():
            withdraw(self._visit, failure)
        keep(self._visit, [*self._fixed.values()])
        if self._rows:
            note(path, self._rows)
