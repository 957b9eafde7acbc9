"""Synthesis: what the ratings of some days say together, what comes up again and again, and what was done about it.

It counts distinct sessions, so that one bad hour is not a pattern, and it recommends nothing: it shows quotes, and the
lessons, incidents and fixes that came of them. The same files give the same report, whenever it is made.

Complaints, ratings up to 4, and praise, ratings from 7, are in groups that are found by the words in `words/`. The
comment counts and so does the message. One rating may be in several groups, and many are in none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

from holdfast.base.clock import is_date
from holdfast.base.text import CUT, cut, small_words
from holdfast.language.ratings import Rating
from holdfast.language.word_lists import LANGUAGES, sections
from holdfast.learning.fixes.model import Fix
from holdfast.learning.incidents.model import Incident
from holdfast.learning.lessons.model import Evidence, Lesson

KINDS = {"week": 7, "month": 30, "all": 0}
EXAMPLES = 3
MAX_QUOTE = 160
# In so many sessions something recurs.
RECURS = 2
_MAX_BARS = 60
_TELLING = 12
FRUSTRATION, SUCCESS = "frustration", "success"
WORST_OF_SUCCESS, BEST_OF_FRUSTRATION = 7, 4
_FOLDER = __file__.rpartition("/")[0] + "/words"
# What stands behind one of these was not so.
_NOT = frozenset(
    (
        *("not", "no", "never", "isnt", "wasnt", "werent", "arent", "hardly"),
        *("nicht", "kein", "keine", "keinen", "nie", "weder", "kaum"),
    )
)


@dataclass(frozen=True, slots=True)
class Period:
    """Some days, the first and the last among them; `first` is empty where all that came before counts."""

    kind: str
    first: str
    last: str

    @property
    def name(self) -> str:
        """What a file of this period is called: the same kind up to the same day is the same period."""
        return f"{self.kind}-{self.last}"

    def has(self, at: str) -> bool:
        """Whether a time is within it; what has no time is only within all time."""
        return self.first <= at[:10] <= self.last if at else not self.first


@dataclass(frozen=True, slots=True)
class SynthesisBar:
    """One sign of the plot: the day on which it begins, how many ratings, and their average."""

    day: str
    ratings: int
    average: float


@dataclass(frozen=True, slots=True)
class Example:
    """What a person said, how they rated it, and where."""

    at: str
    rating: int
    agent: str
    session: str
    project: str
    quote: str


@dataclass(frozen=True, slots=True)
class SynthesisLesson:
    """A lesson that came of ratings, and what became of it."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of ratings: lessons, the names of incidents, and how many fixes were found."""

    lessons: tuple[SynthesisLesson, ...] = ()
    incidents: tuple[str, ...] = ()
    fixes: int = 0


@dataclass(frozen=True, slots=True)
class SynthesisGroup:
    """One group of complaints or of praise: in how many sessions, some examples, and what was done about it."""

    name: str
    mood: str
    sessions: int
    ratings: int
    examples: tuple[Example, ...]
    done: Done


@dataclass(frozen=True, slots=True)
class SynthesisReport:
    """What the ratings of a period say; `before_` is the same of as many days before.

    `ungrouped` counts the sessions with a complaint or praise that is in no group, `days_a_bar` the days of one sign.
    """

    period: Period
    project: str
    ratings: int = 0
    explicit: int = 0
    sessions: int = 0
    average: float = 0.0
    before_ratings: int = 0
    before_average: float = 0.0
    bars: tuple[SynthesisBar, ...] = ()
    days_a_bar: int = 1
    groups: tuple[SynthesisGroup, ...] = ()
    ungrouped: int = 0
    done: Done = Done()


@dataclass(frozen=True, slots=True)
class SynthesisFinding:
    """What a home has: ratings, and what came of them."""

    ratings: Sequence[Rating]
    lessons: Sequence[Lesson] = ()
    incidents: Sequence[Incident] = ()
    fixes: Sequence[Fix] = ()


def period(kind: str, last: str) -> Period:
    """Return the week (7 days), the month (30 days) or all time that ends with a day."""
    days = KINDS[kind]
    return Period(kind, _day(last, 1 - days) if days else "", last)


def last_week(today: str) -> Period:
    """Return the last week that is over, from Monday to Sunday."""
    return period("week", _day(today, -1 - date.fromisoformat(today).weekday()))


def report(
    period: Period, found: SynthesisFinding, project: str = "", *, clean: Callable[[str], str] = str
) -> SynthesisReport:
    """Return what the ratings of a period say; one without ratings says nothing. `clean` takes secrets out."""
    rows = [row for row in found.ratings if period.has(row.at)]
    if not rows:
        return SynthesisReport(period, project)
    earlier = _before(period, found.ratings)
    bars, days = _bars(period, rows)
    by_group: dict[str, list[Rating]] = {}
    alone: list[Rating] = []
    for row in rows:
        names = names_of(row)
        alone += [row] if not names and mood_of(row) else []
        for name in names:
            by_group.setdefault(name, []).append(row)
    return SynthesisReport(
        *(period, project, len(rows), sum(row.source != "implicit" for row in rows), _sessions(rows), _average(rows)),
        before_ratings=len(earlier),
        before_average=_average(earlier),
        bars=bars,
        days_a_bar=days,
        groups=_groups(by_group, found, clean),
        ungrouped=_sessions(alone),
        done=_done(
            [one for one in found.lessons if any(period.has(each.at) for each in one.evidence)],
            [one for one in found.incidents if period.has(one.name[:10])],
            [one for one in found.fixes if period.has(one.at)],
        ),
    )


def _before(period: Period, ratings: Sequence[Rating]) -> list[Rating]:
    if not period.first:
        return []
    first = _day(period.first, -KINDS[period.kind])
    return [row for row in ratings if first <= row.at[:10] < period.first]


def _bars(period: Period, rows: Sequence[Rating]) -> tuple[tuple[SynthesisBar, ...], int]:
    """Return a sign a day, or a sign for some days where there would be too many; and for how many."""
    dated = [row for row in rows if is_date(row.at[:10])]
    if not dated:
        return (), 1
    first = date.fromisoformat(period.first or min(row.at[:10] for row in dated))
    length = (date.fromisoformat(period.last) - first).days + 1
    days = -(-length // _MAX_BARS)
    places: dict[int, list[Rating]] = {}
    for row in dated:
        places.setdefault((date.fromisoformat(row.at[:10]) - first).days // days, []).append(row)
    return tuple(
        SynthesisBar(str(first + timedelta(place * days)), len(some := places.get(place, [])), _average(some))
        for place in range(-(-length // days))
    ), days


def _groups(
    by_group: dict[str, list[Rating]], found: SynthesisFinding, clean: Callable[[str], str]
) -> tuple[SynthesisGroup, ...]:
    """Return the groups, complaints first, each mood by sessions, the most first."""
    made = [
        SynthesisGroup(
            *(cues.name, cues.mood, _sessions(rows), len(rows)),
            examples=tuple(_example(row, clean) for row in _telling(rows)),
            done=_done_about(rows, found),
        )
        for cues in groups()
        if (rows := by_group.get(cues.name, []))
    ]
    order = (FRUSTRATION, SUCCESS)
    return tuple(sorted(made, key=lambda one: (order.index(one.mood), -one.sessions, -one.ratings, one.name)))


def _telling(rows: Iterable[Rating]) -> list[Rating]:
    """Return some ratings that stand for all: of each session the one with most words, the newest session first."""
    best: dict[tuple[str, ...], Rating] = {}
    for row in rows:
        place = _session(row)
        if place not in best or len(said_in(row)) > len(said_in(best[place])):
            best[place] = row
    return sorted(best.values(), key=lambda row: (row.at, row.id), reverse=True)[:EXAMPLES]


def _example(row: Rating, clean: Callable[[str], str]) -> Example:
    quote = " ".join(clean(row.comment or row.text).split())
    quote = cut(quote, MAX_QUOTE, CUT)
    return Example(row.at, row.rating, row.agent, row.session, row.project, quote)


def _done_about(rows: Sequence[Rating], found: SynthesisFinding) -> Done:
    """Return what came of these ratings: lessons that quote them, their incidents, fixes found in their sessions."""
    ids = {row.id for row in rows}
    sessions = {(row.agent, row.session) for row in rows if row.session}
    said: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        said.setdefault((row.agent, row.session), []).append(" ".join(small_words(said_in(row))))

    def quotes(one: Evidence) -> bool:
        # A quote may be cut at its end, so only its first words are looked for.
        first = " ".join(small_words(one.quote)[:_TELLING])
        return any(first in text for text in said.get((one.agent, one.session), ()))

    return _done(
        [lesson for lesson in found.lessons if any(map(quotes, lesson.evidence))],
        [one for one in found.incidents if one.rating in ids],
        [one for one in found.fixes if (one.agent, one.session) in sessions],
    )


def _done(lessons: Iterable[Lesson], incidents: Iterable[Incident], fixes: Sequence[Fix]) -> Done:
    return Done(
        tuple(SynthesisLesson(one.id, one.status) for one in lessons),
        tuple(one.name for one in incidents),
        len({(one.fingerprint, one.steps) for one in fixes}),
    )


def _average(rows: Sequence[Rating]) -> float:
    """Return the mean of some ratings; of none it is 0, which no rating is."""
    return sum(row.rating for row in rows) / len(rows) if rows else 0.0


def _sessions(rows: Iterable[Rating]) -> int:
    return len({_session(row) for row in rows})


def _session(row: Rating) -> tuple[str, ...]:
    # What names no session stands for itself.
    return (row.agent, row.session) if row.session else ("", "", row.id)


def _day(day: str, by: int) -> str:
    return str(date.fromisoformat(day) + timedelta(by))


def matching(found: SynthesisFinding, is_meant: Callable[[str], bool]) -> SynthesisFinding:
    """Return what there is of some projects; an incident belongs to the project of its rating."""
    ratings = [row for row in found.ratings if is_meant(row.project)]
    ids = {row.id for row in ratings}
    return SynthesisFinding(
        ratings,
        [one for one in found.lessons if is_meant(one.project)],
        [one for one in found.incidents if one.rating in ids],
        [one for one in found.fixes if is_meant(one.project)],
    )


@dataclass(frozen=True, slots=True)
class Cues:
    """One group: its name, whether it is praise, and what shows it, as pieces of a text with a space around it."""

    name: str
    mood: str
    pieces: tuple[str, ...]


def mood_of(rating: Rating) -> str:
    """Return whether a rating is a complaint, praise, or, in between, nothing."""
    if rating.rating <= BEST_OF_FRUSTRATION:
        return FRUSTRATION
    return SUCCESS if rating.rating >= WORST_OF_SUCCESS else ""


def said_in(rating: Rating) -> str:
    """Return everything that was said with a rating."""
    return rating.text if rating.comment in rating.text else f"{rating.comment} {rating.text}"


def names_of(rating: Rating) -> list[str]:
    """Return the groups that a rating is in."""
    mood = mood_of(rating)
    said = small_words(said_in(rating)) if mood else []
    if mood == SUCCESS:
        said = [word for place, word in enumerate(said) if not place or said[place - 1] not in _NOT]
    text = f" {' '.join(said)} "
    return [cues.name for cues in groups() if cues.mood == mood and any(piece in text for piece in cues.pieces)]


@cache
def groups() -> Sequence[Cues]:
    """Return all groups, as they stand in the files of words."""
    found: dict[tuple[str, str], list[str]] = {}
    for language in LANGUAGES:
        for heading, body in sections(f"{_FOLDER}/{language}.txt").items():
            name, _, mood = heading.partition(": ")
            # With a star at the end of a line its last word may go on.
            pieces = [f" {line[:-1]}" if line.endswith("*") else f" {line} " for line in body.splitlines() if line]
            found.setdefault((name, mood), []).extend(pieces)
    return [Cues(name, mood, tuple(pieces)) for (name, mood), pieces in found.items()]
