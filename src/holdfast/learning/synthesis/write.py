"""Synthesis: write down what the ratings of a week, a month or all time say together.

`learning/synthesis/YYYY-MM/<kind>-<last day>.md`, with `_<project>` behind it for one project. The same period is the
same file, made again from what is there; it holds nothing that is not in other files. A harvest writes the page of the
week that is over.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.clock import now
from holdfast.base.text import count
from holdfast.learning.fixes import model as fixes
from holdfast.learning.incidents import model as incidents
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.ratings import model as signals
from holdfast.learning.synthesis import model
from holdfast.learning.synthesis.model import FRUSTRATION, SUCCESS, Done, Period, SynthesisGroup, SynthesisReport
from holdfast.privacy.fence import without_secrets
from holdfast.workspace import Workspace

FOLDER = "learning/synthesis"
_MAX_PAGE = 4_194_304
NONE = "·"
_SIGNS = "▁▂▃▄▅▆▇█"
_HIGHEST = 10
_MAX_NAMED = 5
_HEADS = {FRUSTRATION: "Frustrations", SUCCESS: "Successes"}


@dataclass(frozen=True, slots=True)
class Written:
    """A synthesis: the report, its page, where that lies, and `added`, `changed` or `unchanged`; empty: not written."""

    report: SynthesisReport
    text: str
    path: str
    action: str = ""


def synthesis(workspace: Workspace, kind: str = "week", *, dry_run: bool = False, today: str = "") -> Written:
    """Write the page of the days up to today, of one project where the workspace was asked for one, else of all.

    A period without ratings has no page; what is said about it is in the answer.
    """
    workspace.need_enabled()
    project = workspace.project() if workspace.asked_project else None
    names = frozenset(project.ids) if project else None
    period = model.period(kind, today or now()[:10])
    return _written(workspace, period, project.id if project else "", names, dry_run=dry_run)


def due(workspace: Workspace) -> str:
    """Write the page of the last week that is over, unless it is there already, and return its path, or nothing.

    It is made again only where ratings of that week came to be known later.
    """
    period = model.last_week(now()[:10])
    path = _path(workspace, period, "")
    written, rated = _changed(path), _changed(signals.path_of(workspace.home))
    # Of the same tick of the clock nobody knows which was first.
    if not rated or written > rated:
        return ""
    known = sum(period.has(row.at) for row in signals.of_person(workspace.home))
    if ratings_told(_page(path)) == known:
        return ""
    page = _written(workspace, period, "", None, dry_run=False)
    return page.path if page.action in ("added", "changed") else ""


def _written(
    workspace: Workspace, period: Period, project: str, names: frozenset[str] | None, *, dry_run: bool
) -> Written:
    home = workspace.home
    found = model.SynthesisFinding(
        signals.of_person(home), lesson_standing.every(workspace), incidents.Incidents(home).all(), fixes.read(home)
    )
    if names is not None:
        found = model.matching(found, lambda name: name in names)
    report = model.report(period, found, project, clean=without_secrets)
    text = without_secrets(text_of(report))
    path = _path(workspace, period, project)
    if dry_run or not report.ratings:
        return Written(report, text, path)
    before = _page(path)
    if before == text:
        return Written(report, text, path, "unchanged")
    files.refuse_links(workspace.home, os.path.relpath(os.path.dirname(path), workspace.home))
    files.put(path, text.encode("utf-8", "replace"))
    return Written(report, text, path, "changed" if before else "added")


def _path(workspace: Workspace, period: Period, project: str) -> str:
    name = f"{period.name}_{project}.md" if project else f"{period.name}.md"
    return os.path.join(workspace.home, FOLDER, period.last[:7], name)


def _page(path: str) -> str:
    return files.read_if_there(path)[:_MAX_PAGE].decode("utf-8", "replace")


def _changed(path: str) -> int:
    """Return when a file was written last; 0 where there is none."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def text_of(report: SynthesisReport) -> str:
    """Return the page of a report; of a period without ratings it says only that."""
    return "\n".join(["---", f"ratings: {report.ratings}", "---", "", *lines_of(report)]) + "\n"


def ratings_told(text: str) -> int:
    """Return how many ratings a page was made of; -1 where it does not say."""
    told = text[:200].partition("\nratings: ")[2].partition("\n")[0]
    return int(told) if told.isdecimal() else -1


def lines_of(report: SynthesisReport) -> list[str]:
    """Return the lines of a report as a person reads it."""
    lines = [f"# {title_of(report.period)}{f' of {report.project}' if report.project else ''}", ""]
    if not report.ratings:
        return [*lines, "Nobody rated anything in this time."]
    lines += [_summary(report), "", *_plot(report)]
    for mood, head in _HEADS.items():
        lines += _groups([one for one in report.groups if one.mood == mood], head, named=not report.project)
    if report.ungrouped:
        lines += [f"In no group: {count(report.ungrouped, 'session')}.", ""]
    return [*lines, "## What came of this time", "", *_all_done(report.done)]


def title_of(period: Period) -> str:
    """Return what a period is called on its page."""
    return f"Ratings from {period.first} to {period.last}" if period.first else f"All ratings up to {period.last}"


def plot(bars: Sequence[model.SynthesisBar]) -> str:
    """Return one sign a bar: the higher, the better; a dot where nobody rated."""
    steps = len(_SIGNS)
    return "".join(
        _SIGNS[min(steps - 1, int((bar.average - 1) / (_HIGHEST - 1) * steps))] if bar.ratings else NONE for bar in bars
    )


def _summary(report: SynthesisReport) -> str:
    rated = f"{count(report.ratings, 'rating')} in {count(report.sessions, 'session')}"
    told = f"{report.average:.1f} of 10 on average, {rated}"
    how = f"{report.explicit} by a number, {report.ratings - report.explicit} by words"
    rated = count(report.before_ratings, "rating")
    earlier = f" In the same time before: {report.before_average:.1f} on average, {rated}."
    before = earlier if report.before_ratings else ""
    return f"{told} ({how}).{before}"


def _plot(report: SynthesisReport) -> list[str]:
    if not report.bars:
        return []
    each = "a day" if report.days_a_bar == 1 else f"for {report.days_a_bar} days"
    first, last = report.bars[0].day, report.period.last
    return [
        "```",
        f"{first} {plot(report.bars)} {last}",
        "```",
        "",
        f"One sign {each}, from {_SIGNS[0]} (1) to {_SIGNS[-1]} (10); {NONE} is no rating.",
        "",
    ]


def _groups(groups: Sequence[SynthesisGroup], head: str, *, named: bool) -> Iterator[str]:
    """Yield the groups of one mood: what recurs with its examples, what came up once in a line."""
    recurring = [one for one in groups if one.sessions >= model.RECURS]
    once = [one for one in groups if one.sessions < model.RECURS]
    if groups:
        yield from (f"## {head}", "")
    for one in recurring:
        yield from (f"### {one.name}: {count(one.sessions, 'session')}", "")
        yield from (_example(each, named) for each in one.examples)
        yield from ("", f"What was done: {_done(one.done)}.", "") if _asks_for_a_deed(one) else ("",)
    if once:
        yield from ("In one session only:", "")
        for one in once:
            done = f"; {_done(one.done)}" if _asks_for_a_deed(one) else ""
            yield f"- {one.name}: {_example(one.examples[0], named)[2:]}{done}"
        yield ""


def _asks_for_a_deed(group: SynthesisGroup) -> bool:
    """Whether it is worth telling what was done; nothing need be done about praise."""
    return group.mood == FRUSTRATION or group.done != Done()


def _example(one: model.Example, named: bool) -> str:
    where = f", {one.project}" if named and one.project else ""
    quote = f'"{one.quote}" ' if one.quote else ""
    session = f"{one.agent}/{one.session}" if one.session else one.agent or "no session"
    return f"- {quote}(rated {one.rating}, {one.at[:10] or 'no day'}, {session}{where})"


def _done(done: Done) -> str:
    """Return what came of a group as one line."""
    lessons = [f"lesson {one.id} ({one.status})" for one in done.lessons]
    incidents = [f"incident {name}" for name in done.incidents]
    fixes = [f"{count(done.fixes, 'fix')} found in these sessions"] if done.fixes else []
    told = [*_some(lessons, "lessons"), *_some(incidents, "incidents"), *fixes]
    return ", ".join(told) or "nothing yet"


def _some(names: list[str], what: str) -> list[str]:
    more = len(names) - _MAX_NAMED
    return [*names[:_MAX_NAMED], f"{more} more {what}"] if more > 0 else names


def _all_done(done: Done) -> list[str]:
    counts = Counter(one.status for one in done.lessons)
    lessons = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
    lines = [f"- lessons: {lessons}"] if lessons else []
    lines += [f"- incidents: {len(done.incidents)}"] if done.incidents else []
    lines += [f"- fixes: {done.fixes}"] if done.fixes else []
    return lines or ["Nothing yet: no lesson, no incident, no fix."]
