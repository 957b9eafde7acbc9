"""A synthesis as a Markdown page: the trend with a small plot, what recurs, examples, and what was done about it."""

from __future__ import annotations

from collections import Counter

from holdfast.base.text import count
from holdfast.learning.synthesis.groups import FRUSTRATION, SUCCESS
from holdfast.learning.synthesis.model import RECURS, Done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.learning.synthesis.model import Bar, Example, Group, Period, Report

NONE = "·"
_SIGNS = "▁▂▃▄▅▆▇█"
_HIGHEST = 10
_MAX_NAMED = 5
_HEADS = {FRUSTRATION: "Frustrations", SUCCESS: "Successes"}


def text_of(report: Report) -> str:
    """Return the page of a report; of a period without ratings it says only that."""
    return "\n".join(["---", f"ratings: {report.ratings}", "---", "", *lines_of(report)]) + "\n"


def ratings_told(text: str) -> int:
    """Return how many ratings a page was made of; -1 where it does not say."""
    told = text[:200].partition("\nratings: ")[2].partition("\n")[0]
    return int(told) if told.isdecimal() else -1


def lines_of(report: Report) -> list[str]:
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


def plot(bars: Sequence[Bar]) -> str:
    """Return one sign a bar: the higher, the better; a dot where nobody rated."""
    return "".join([_sign(bar) for bar in bars])


def _sign(bar: Bar) -> str:
    if not bar.ratings:
        return NONE
    return _SIGNS[min(len(_SIGNS) - 1, int((bar.average - 1) / (_HIGHEST - 1) * len(_SIGNS)))]


def _summary(report: Report) -> str:
    rated = f"{count(report.ratings, 'rating')} in {count(report.sessions, 'session')}"
    told = f"{report.average:.1f} of 10 on average, {rated}"
    how = f"{report.explicit} by a number, {report.ratings - report.explicit} by words"
    rated = count(report.before_ratings, "rating")
    earlier = f" In the same time before: {report.before_average:.1f} on average, {rated}."
    before = earlier if report.before_ratings else ""
    return f"{told} ({how}).{before}"


def _plot(report: Report) -> list[str]:
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


def _groups(groups: Sequence[Group], head: str, *, named: bool) -> Iterator[str]:
    """Yield the groups of one mood: what recurs with its examples, what came up once in a line."""
    recurring = [one for one in groups if one.sessions >= RECURS]
    once = [one for one in groups if one.sessions < RECURS]
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


def _asks_for_a_deed(group: Group) -> bool:
    """Whether it is worth telling what was done; nothing need be done about praise."""
    return group.mood == FRUSTRATION or group.done != Done()


def _example(one: Example, named: bool) -> str:
    where = f", {one.project}" if named and one.project else ""
    quote = f'"{one.quote}" ' if one.quote else ""
    session = f"{one.agent}/{one.session}" if one.session else one.agent or "no session"
    return f"- {quote}(rated {one.rating}, {one.at[:10] or 'no day'}, {session}{where})"


def _done(done: Done) -> str:
    """Return what came of a group as one line."""
    lessons = [f"lesson {one.id} ({one.status})" for one in done.lessons]
    incidents = [f"incident {name}" for name in done.incidents]
    fixes = [f"{done.fixes} fix(es) found in these sessions"] if done.fixes else []
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
