"""What evidence does to criteria: tests that passed after a change, commits, the person's words, a plan's own ticks.

A tick of the agent's own plan says that the agent thinks so: it makes a criterion PARTIAL. It is SATISFIED when
something outside of the agent says so too. What nothing speaks for stays as it is.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import DOTS, one_line
from holdfast.learning.work import criteria
from holdfast.learning.work import text as work_text
from holdfast.learning.work.criteria import FAILED, PARTIAL, PENDING, SATISFIED, Criteria, Criterion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.learning.work.plan_items import Planned

# How much of a criterion's words a commit must name to be about it.
_FITTING = 0.5


@dataclass(frozen=True, slots=True)
class Evidence:
    """What happened for a work item.

    `passed` and `failed` are the run of tests behind the last change that ended so. `commits` are subjects of commits
    behind the first change, `files` what was changed. `said` is the person's verdict, `words` are theirs.
    """

    at: str
    passed: str = ""
    failed: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    said: str = ""
    words: str = ""


def planned(isc: Criteria, entries: Iterable[Planned], at: str) -> Criteria:
    """Return the criteria with the entries of a plan among them; what it ticks is PARTIAL, and never more."""
    for entry in entries:
        known = _known(isc, entry.text)
        if known is None and len(isc.criteria) + len(isc.anti_criteria) < criteria.MAX_GIVEN:
            isc = criteria.added(isc, entry.text, f"plan {at}", status=PARTIAL if entry.ticked else PENDING)
        elif known is not None and entry.ticked and known.status == PENDING:
            isc = criteria.marked(isc, known.id, PARTIAL, f"ticked in the plan {at}")
    return isc


def _known(isc: Criteria, text: str) -> Criterion | None:
    wanted = " ".join(text.split()).casefold()
    same = [one for one in isc.criteria if one.text.casefold() == wanted]
    return same[0] if same else None


def applied(isc: Criteria, seen: Evidence) -> Criteria:
    """Return the criteria as the evidence leaves them."""
    if seen.said == "bad":
        for one in [one for one in isc.criteria if one.status in (SATISFIED, PARTIAL)]:
            isc = criteria.marked(isc, one.id, PENDING, _said(seen))
        return isc
    for one in isc.criteria:
        status, why = _judged(one, seen, only_one=len(isc.criteria) == 1)
        if status and status != one.status:
            isc = criteria.marked(isc, one.id, status, why)
    for one in isc.anti_criteria:
        named = [name.strip("`'\"").removeprefix("./").casefold() for name in work_text.files_named(one.text)]
        ends = tuple([f"/{name}" for name in named])
        touched = next((path for path in seen.files if f"/{path.casefold()}".endswith(ends)), "")
        if touched and one.status != FAILED:
            isc = criteria.marked(isc, one.id, FAILED, f"{touched} was changed {seen.at}")
    return isc


def _judged(one: Criterion, seen: Evidence, *, only_one: bool) -> tuple[str, str]:
    """Return the status that the evidence gives to a criterion, and why; nothing where it says nothing about it."""
    if seen.said in ("done", "good"):
        # Their word is about all criteria, unless it names the things that work.
        things = work_text.things_that_work(seen.words) if seen.said == "good" and not only_one else ""
        is_meant = not things or work_text.topic([things]).stems & work_text.topic([one.text]).stems
        return (SATISFIED, _said(seen)) if is_meant else ("", "")
    spoken = frozenset(work_text.plain(one.text))
    about_tests = spoken & work_text.every("tests") and spoken & work_text.every("passing")
    if about_tests and (seen.passed or seen.failed):
        run = seen.failed or seen.passed
        return (FAILED if seen.failed else SATISFIED), f"`{one_line(run, 60, DOTS)}` {_ended(seen)} {seen.at}"
    if one.status == SATISFIED or seen.failed:
        return "", ""
    about = _commit_about(one, seen.commits)
    counts = one.status == PARTIAL or (only_one and seen.passed) or spoken & work_text.every("commits")
    if about or (seen.commits and counts):
        return SATISFIED, f"commit: {one_line(about or seen.commits[-1], 90, DOTS)}"
    if seen.passed and one.status == PARTIAL:
        return SATISFIED, f"`{one_line(seen.passed, 60, DOTS)}` {_ended(seen)} {seen.at}"
    if only_one and one.status == PENDING and (seen.passed or seen.commits):
        return PARTIAL, f"`{one_line(seen.passed or seen.commits[-1], 60, DOTS)}` {seen.at}"
    return "", ""


def _said(seen: Evidence) -> str:
    return f'the person said: "{one_line(seen.words, 80, DOTS)}"'


def _ended(seen: Evidence) -> str:
    return "failed" if seen.failed else "passed"


def _commit_about(one: Criterion, commits: tuple[str, ...]) -> str:
    """Return the subject of the last commit that is about a criterion, by its words."""
    wanted = work_text.topic([one.text])
    for subject in reversed(commits):
        shared = len(work_text.topic([subject]).stems & wanted.stems)
        if shared and shared / max(1, min(len(wanted.stems), 4)) >= _FITTING:
            return subject
    return ""
