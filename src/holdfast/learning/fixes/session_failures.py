"""The failures of one session while it is open, `state/failures/<session>`: a row for each, and for what came after.

What is noted of a session leads to fixes, and to what it is told with a failure, or at its next prompt where the agent
hears nothing at a call. Where a hook was told of a failure, the transcript tells it again, with all that was done
around it: a failure that comes again starts over, so what is known afterwards is what the transcript says.
"""

from __future__ import annotations

import os

from holdfast.base import files, rows
from holdfast.base.minijson import dumps
from holdfast.base.text import one_line
from holdfast.errors import HoldfastError
from holdfast.language import shell
from holdfast.language.commands import TABLE, is_a, main_of
from holdfast.language.failures import fingerprints, is_refused
from holdfast.language.tools import kind_of, line_of
from holdfast.language.word_lists import listed
from holdfast.learning.fixes import model
from holdfast.learning.fixes.retries import (
    Failure,
    Fixed,
    Retries,
    clean,
    edits_of,
    failure_of,
    fitting,
    fix_of,
    is_step,
)
from holdfast.parts import FAILURES
from holdfast.privacy.redact import without_marks
from holdfast.records import STRENGTHS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.learning.fixes.model import Fix
    from holdfast.parts import HookRun

    Row = tuple[str, ...]
    Told = tuple[str, str, tuple[str, ...]]

OFFERED = "offered"
MAX_OFFERS = 3
MAX_LINE = 400
_MAX_BYTES = 48 * 1024
_KEPT_SECONDS = 2 * 86_400
# After so much else nobody can tell what helped against a failure.
_MAX_BEFORE = 60
# What makes a step no advice, as the table of commands names it; of an install for the system the last one does not.
_UNASKED = ("skips a check", "overrides a refusal", "takes folders away", "gets more rights")
_MAX_COMMAND = 80
_MAX_ERROR = 120


def take(run: HookRun, path: str, calls: Iterable[tuple[str, str, str, str]]) -> None:
    """Take calls into the file of a session, and keep the fixes that they show.

    A call is its tool, its arguments, how it ended (`passed`, `failed` or nothing), and what it printed.
    """
    look = _Look(run, rows_of(path))
    for call in calls:
        look.take(*call)
    look.finish(path)


class _Look:
    """Goes through calls in order, after the rows that the session has."""

    def __init__(self, run: HookRun, before: list[Row]) -> None:
        self._run = run
        self._rows: list[Row] = []
        self._retries = _replayed(before[-_MAX_BEFORE:])
        self._fixed_before = {row[1] for row in before if row[0] == "fixed"}
        self._broken: dict[str, Failure] = {}
        self._fixed: dict[str, Fixed] = {}

    def take(self, tool: str, given: str, ended: str, output: str) -> None:
        """Take one call. Before the first failure nothing is noted."""
        if kind_of(tool) != "shell":
            project = self._run.project()
            if self._retries and ended != "failed":
                for path, change in edits_of(tool, given, project.root if project else ""):
                    self._retries.edited(path, change)
                    self._rows.append(("edited", path, change))
        elif ended == "failed" or (ended == "passed" and self._retries):
            line = clean(line_of(given))
            main = main_of(line)
            if main is not None and ended == "failed":
                self._failed(line, output)
            elif main is not None and not main.is_hidden:
                # In the background, or hidden behind another command, it did not succeed for all that is known.
                fixed = self._retries.ran(line, self._run.at)
                self._fixed.update({one.failure.fingerprint: one for one in fixed})
                self._rows += [("ran", line, self._run.at), *[("fixed", one.failure.fingerprint) for one in fixed]]

    def _failed(self, line: str, output: str) -> None:
        if is_refused(output):
            return
        failure = failure_of(line, clean(output), self._run.at)
        self._fixed.pop(failure.fingerprint, None)
        if failure.fingerprint in self._fixed_before:
            self._broken[failure.fingerprint] = failure
        self._retries.failed(failure)
        self._rows.append(row_of(failure))

    def finish(self, path: str) -> None:
        """Write down what was seen: of each failure only the fix that holds now, each is made durable."""
        run, project = self._run, self._run.project()
        whose = run.call.agent, run.session_label, project.id if project else ""
        for failure in self._broken.values():
            model.withdraw(run.home, fix_of(Fixed(failure, (), run.at), *whose))
        for fixed in self._fixed.values():
            model.add(run.home, fix_of(fixed, *whose))
        _note(path, self._rows)


def _replayed(noted: Iterable[Row]) -> Retries:
    """Return the failures of a session as they stand after these rows."""
    retries = Retries()
    for kind, *told in noted:
        if kind == "failed" and len(told) > 3:
            retries.failed(Failure(told[0], told[1], told[2], tuple(told[4:]), told[3]))
        elif kind == "edited":
            retries.edited(told[0], told[1] if len(told) > 1 else "")
        elif kind == "ran" and len(told) > 1:
            retries.ran(told[0], told[1])
    return retries


def rows_of(path: str) -> list[Row]:
    """Return what was noted in a session, oldest first."""
    try:
        found = [rows.texts_in(line) for line in rows.read(path, _MAX_BYTES * 2)]
    except HoldfastError:
        return []
    return [row for row in found if row is not None and len(row) > 1]


def _note(path: str, noted: list[Row]) -> None:
    """Add rows to the file of a session, which is made where it is missing; a long one takes no more."""
    if not noted:
        return
    if not os.path.lexists(path):
        files.make_folder(os.path.dirname(path))
        rows.remove_older(os.path.dirname(path), _KEPT_SECONDS)
    rows.append(path, [dumps([*row]) for row in noted], durable=False, most=_MAX_BYTES)


def drop_all(home: str) -> None:
    """Remove what was noted of every session; it quotes them, and a live one loses only what would be offered next."""
    rows.remove_older(os.path.join(home, *FAILURES), 0)


def offers(run: HookRun) -> list[str]:
    """Return a line for each failure since this session's last prompt that has a known fix, each once a session."""
    path = run.failures()
    noted = rows_of(path) if path and os.path.exists(path) else []
    unfixed = _unfixed(noted)
    if not unfixed:
        return []
    found = _known(run, unfixed, [row[1] for row in noted if row[0] == "ran"], line_for)
    offered = [fingerprint for fingerprint in unfixed if fingerprint in found][:MAX_OFFERS]
    _note(path, [("prompt", run.at), *[(OFFERED, fingerprint) for fingerprint in offered]])
    return [found[fingerprint] for fingerprint in offered]


def offer_at_once(run: HookRun, path: str, failed: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return the line for the last of these failures that has a known fix, and its fingerprint; nothing otherwise.

    A failure is a command line and what it printed. Of one that this session was told of nothing is said again.
    """
    noted = rows_of(path)
    told = {row[1] for row in noted if row[0] == OFFERED}
    lines = [row[1] for row in noted if row[0] == "ran"]
    rows: dict[str, Row] = {}
    for line, output in failed:
        failure = failure_of(clean(line), clean(output), run.at)
        if failure.fingerprint not in ("", *told) and not is_refused(output):
            rows[failure.fingerprint] = row_of(failure)
    found = _known(run, rows, lines, line_at_failure) if rows else {}
    return next(((found[one], one) for one in reversed(rows) if one in found), ("", ""))


def row_of(failure: Failure) -> Row:
    """Return a failure as it is noted."""
    return "failed", failure.fingerprint, failure.line, failure.error, failure.at, *failure.names


def note_offered(path: str, fingerprint: str) -> None:
    """Note that the session was told what worked for a failure."""
    _note(path, [(OFFERED, fingerprint)])


def _unfixed(noted: Iterable[Row]) -> dict[str, Row]:
    """Return the failures since the last prompt that were neither fixed nor offered, latest first, as their rows."""
    found: dict[str, Row] = {}
    offered: set[str] = set()
    for row in noted:
        kind, fingerprint = row[:2]
        if kind == "prompt":
            found.clear()
        elif kind == OFFERED:
            offered.add(fingerprint)
        elif kind == "fixed":
            found.pop(fingerprint, None)
        elif kind == "failed" and fingerprint and len(row) > 4:
            found.pop(fingerprint, None)
            found[fingerprint] = row
    return {one: row for one, row in reversed(found.items()) if one not in offered}


def _known(run: HookRun, failures: dict[str, Row], ran: Iterable[str], tell: Callable[[Fix], str]) -> dict[str, str]:
    """Return what is known about failures, by their fingerprints; they come as rows, with what was run since."""
    project = run.project()
    projects = project.ids if project else ()
    done = (*[row[2] for row in failures.values()], *ran)
    said = {one: (row[2], row[3], row[5:]) for one, row in failures.items()}
    found = _looked_up(run, projects, said, done, tell)
    if len(found) >= min(MAX_OFFERS, len(failures)):
        return found
    # Earlier versions learned of failures under the name of another command of the same line.
    others = {
        other: fingerprint
        for fingerprint, (_, _, line, error, *_) in failures.items()
        for other in fingerprints(line, error)
        if other not in failures
    }
    formerly = _looked_up(run, projects, {one: said[other] for one, other in others.items()}, done, tell)
    return {**{others[other]: line for other, line in formerly.items()}, **found}


def _looked_up(
    run: HookRun,
    projects: Iterable[str],
    failures: dict[str, Told],
    done: Iterable[str],
    tell: Callable[[Fix], str],
) -> dict[str, str]:
    """Return what is known about fingerprints, each with its line, its error and the names in that.

    What a person approved for a failure comes before what worked once.
    """
    from holdfast.learning.fixes import warnings

    found = warnings.lookup(run.home, projects, failures)
    for fingerprint, failure in failures.items():
        known = model.lookup(run.home, projects, fingerprint) if fingerprint not in found else []
        best = best_of([fix for fix in fitting(known, *failure) if not _is_forbidden(run, fix)], done)
        if best is not None:
            found[fingerprint] = tell(best)
    return found


def best_of(known: Iterable[Fix], done: Iterable[str]) -> Fix | None:
    """Return the first of these fixes that may be said: nothing dangerous, and nothing that was done already."""
    return next((fix for fix in known if not is_step(fix, done) and not why_untold(fix)), None)


def why_untold(fix: Fix) -> str:
    """Return why nobody is told a fix that no person approved, by the step and what it does; mostly nothing."""
    if any(without_marks(step) != step for step in fix.steps):
        return "a secret was taken out of a step, so nobody could do the same"
    return next((f"`{line}` {why}" for line in lines_of(fix) if (why := _why_not(line))), "")


def _why_not(line: str) -> str:
    """Return what a step does that is no advice: it destroys, skips a check, or runs what the network sends."""
    # Only a failure that has a fix comes here.
    from holdfast.language.runs import runs
    from holdfast.learning.security.judge import judge

    parts = [one for one in shell.split(line) if one.words]
    # `|| true`: whatever failed, nobody is told.
    if any(one.sign == "||" and is_a(parts[at].words[0], "never-fails") for at, one in enumerate(parts[:-1], 1)):
        return "hides whether it failed"
    for sight in judge("shell", line, ""):
        return f"is {sight.kind} ({sight.rule})"
    installs = [one.split() for one in listed(TABLE, "installs-for-system")]
    for one in runs(line):
        whats = _UNASKED[:-1] if one.is_any(installs) else _UNASKED
        for what in whats:
            if one.is_any([form.split() for form in listed(TABLE, f"unasked {what}")]):
                return what
    return ""


def _is_forbidden(run: HookRun, fix: Fix) -> bool:
    """Whether one of the person's rules forbids a step here."""
    from holdfast.rules.hook import holding_for

    return any(one.row.does != STRENGTHS[0] for line in lines_of(fix) for one in holding_for(run, line))


def lines_of(fix: Fix) -> list[str]:
    """Return the command lines among the steps of a fix."""
    return [line for step in fix.steps if (line := step.partition("`")[2].rpartition("`")[0])]


def line_for(fix: Fix) -> str:
    """Return a fix as one line: what failed, what worked, who found it and when."""
    failed = f"`{one_line(fix.command, _MAX_COMMAND)}` failed before with: {one_line(fix.error, _MAX_ERROR)}"
    return one_line(f"{failed} - What worked then ({_found_by(fix)}): {'; '.join(fix.steps)}", MAX_LINE)


def line_at_failure(fix: Fix) -> str:
    """Return a fix as it is said where its failure has just been read."""
    return one_line(
        f"This failed in the same way before; what worked then ({_found_by(fix)}): {'; '.join(fix.steps)}", MAX_LINE
    )


def _found_by(fix: Fix) -> str:
    return f"{fix.agent}, {fix.at[:10]}" + (f", in {fix.times} sessions" if fix.times > 1 else "")
