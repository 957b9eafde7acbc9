"""What a query says about time: a text and the present moment in, a span out, or nothing.

A span narrows where the words are plain ("last week", "in March", "since Monday") and leans where they are not
("recently", "originally"); when in doubt it leans, or there is none: "may" and "march" are verbs first, and "the last
commit" is no time. "Before the migration" names an event, whose time the caller has to find.

All times are UTC. `time_words.py` knows the words.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from holdfast.language.time_words import AROUND, CODE, Word, kinds_at, taken_apart

NARROWS, LEANS, FIRST, BEFORE, AFTER = "narrows", "leans", "first", "before", "after"
# A longer text is no question but an account, and speaks of many times.
MAX_WORDS = 80
RECENT_DAYS = 30
_LONGEST_EVENT = 4
_EARLIEST_YEAR = 1990
_MAX_BACK = 1000
_DAY = timedelta(days=1)
# Kinds of words that a time can begin with; at all others nothing is tried.
_BEGIN = {
    *("month", "short", "weekday", "number", "day", "weekend", "quarter", "year", "unit", "this", "last", "back"),
    *("in", "on", "since", "before", "after", "until", "between", "article", "recent", "old", "first"),
}
_DAYS_OF = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30.44, "quarter": 91.3, "year": 365.25}


class Span(NamedTuple):
    """A time that was spoken of: from `since` until before `until`, each empty where it is open.

    `words` said it, and `rest` is the query without those that only point ("last week"); `bare` says that nothing else
    was asked. The kind is NARROWS, LEANS or FIRST, or BEFORE and AFTER an `event` whose time is to be found.
    """

    since: str
    until: str
    words: str
    rest: str
    kind: str = NARROWS
    bare: bool = False
    event: str = ""

    @property
    def narrows(self) -> bool:
        """Whether the words are plain, so that the time tells what is meant."""
        return self.kind == NARROWS

    def dated(self, at: str, what: str) -> Span:
        """Return it with the time of its event, which was that of `what`."""
        known = self._replace(words=f"{self.words} = {what}", kind=LEANS)
        return known._replace(until=at) if self.kind == BEFORE else known._replace(since=at)

    @property
    def is_first(self) -> bool:
        """Whether the first of all is asked for."""
        return self.kind == FIRST


class _Found(NamedTuple):
    """What was read: a time between two places of the text. `points` tells a relative one from a date."""

    first: int
    last: int
    start: datetime | None
    end: datetime | None
    kind: str = NARROWS
    points: bool = False
    event: str = ""


def spoken(text: str, now: str) -> Span | None:
    """Return the time that the text speaks of, seen from `now` (ISO 8601); None where it speaks of none."""
    pieces, words = taken_apart(text, MAX_WORDS)
    if not words or len(words) > MAX_WORDS:
        return None
    reader = _Reader(words, datetime.fromisoformat(now).astimezone(UTC))
    found = _together(reader.all_found())
    if found is None:
        return None
    said = " ".join(pieces[place] for each in found for place in range(each.first, each.last)).strip(AROUND)
    pointing = {place for each in found if each.points for place in range(each.first, each.last)}
    rest = " ".join(piece for place, piece in enumerate(pieces) if place not in pointing)
    start, end = _iso(found[0].start), _iso(found[0].end)
    return Span(start, end, said, rest, found[0].kind, reader.asks_nothing_else(found), found[0].event)


def _together(found: list[_Found]) -> list[_Found] | None:
    """Return what counts, a joined one first: plain times before events, events before words that lean.

    Two plain times that differ are not cut to one of them: the whole between them leans.
    """
    for kinds in ((NARROWS,), (BEFORE, AFTER), (LEANS, FIRST)):
        of_kind = [each for each in found if each.kind in kinds]
        if len({(each.start, each.end) for each in of_kind}) > 1 and kinds == (NARROWS,):
            starts, ends = [each.start for each in of_kind], [each.end for each in of_kind]
            start = None if None in starts else min(filter(None, starts))
            end = None if None in ends else max(filter(None, ends))
            return [of_kind[0]._replace(start=start, end=end, kind=LEANS), *of_kind[1:]]
        if of_kind:
            return of_kind[:1]
    return None


class _Reader:
    """Reads one text from left to right; every method takes a place and returns what begins there."""

    def __init__(self, words: list[Word], now: datetime) -> None:
        self.words = words
        self.now = now
        self.today = _midnight(now)
        self.kinds = [kinds_at(words, place) for place in range(len(words))]

    def all_found(self) -> list[_Found]:
        """Return every time in the text, none inside another."""
        found = []
        place = 0
        while place < len(self.words):
            one = self._at(place)
            if one is not None:
                found.append(self._cautious(one))
            place = one.last if one is not None else place + 1
        return found

    def asks_nothing_else(self, found: list[_Found]) -> bool:
        """Whether the text has nothing but times and words that name nothing."""
        told = {place for each in found for place in range(each.first, each.last)}
        rest = [place for place in range(len(self.words)) if place not in told]
        inside = found[0].kind == NARROWS or (found[0].kind == LEANS and found[0].start is not None)
        return inside and all("fill" in self.kinds[place] for place in rest)

    def _cautious(self, found: _Found) -> _Found:
        """What is to come only leans ("what should I do today"), and so does now, where nobody asks what was."""
        now = found.points and found.end is not None and found.end > self.now
        unsure = self._has("ahead") or (now and not self._has("past") and not self.asks_nothing_else([found]))
        return found._replace(kind=LEANS) if found.kind == NARROWS and unsure else found

    def _at(self, place: int) -> _Found | None:
        if not (self.words[place].text[0].isdigit() or _BEGIN & self.kinds[place].keys()):
            return None
        for read in (self._between, self._side, self._back, self._within, self._plain, self._leaning, self._event):
            found = read(place)
            if found is not None:
                return found
        return None

    def _between(self, place: int) -> _Found | None:
        """Between March and May; from Monday to Friday."""
        after = self._after(place, "between")
        one = self._period(after) if after else None
        middle = self._after(one.last, "and") if one else 0
        other = self._period(middle) if middle else None
        if one is None or other is None or one.start is None or other.start is None:
            return None
        start = one.start
        while start > other.start:
            start = _moved(start, years=-1)
        return other._replace(first=place, start=start, points=one.points and other.points)

    def _side(self, place: int) -> _Found | None:
        """Since Monday, since two weeks, before March, after 3 May, until last week."""
        for side in ("since", "before", "after", "until"):
            after = self._after(place, side)
            counted = self._counted(after) if after and side == "since" else None
            if counted is not None and counted[0] <= _MAX_BACK:
                return _Found(place, counted[2], self.now - _length(*counted[:2]), None, points=True)
            period = self._period(self._skipped(after)) if after else None
            if period is None:
                continue
            if side == "since":
                return period._replace(first=place, end=None)
            # "Before Friday" is as often to come as it was.
            kind = LEANS if "weekday" in self.kinds[period.last - 1] else NARROWS
            if side == "after":
                return period._replace(first=place, start=period.end, end=None, kind=kind)
            end = period.start if side == "before" else period.end
            return period._replace(first=place, start=None, end=end, kind=kind)
        return None

    def _back(self, place: int) -> _Found | None:
        """Two weeks ago; vor zwei Wochen."""
        before = self._after(place, "back")
        counted = self._counted(before or place)
        if counted is None:
            return None
        number, unit, last = counted
        if not before:
            last = self.kinds[last].get("ago", ("", 0))[1] if last < len(self.words) else 0
        if not last or number > _MAX_BACK:
            return None
        middle = self.now - _length(number, unit)
        # The further back, the less exact it was meant.
        slack = max(_length(1, unit) * (0.25 if unit == "year" else 0.5), _length(number, unit) * 0.2)
        start, end = middle - slack, middle + slack
        if unit != "hour":
            start, end = _midnight(start + _DAY / 2), _midnight(end + _DAY / 2)
        return _Found(place, last, start, end, points=True)

    def _within(self, place: int) -> _Found | None:
        """In March, in 2025, on Monday, during the last two weeks."""
        for preposition in ("in", "on"):
            after = self._after(place, preposition)
            period = self._period(self._skipped(after)) if after else None
            if period is not None:
                return period._replace(first=place)
        return None

    def _plain(self, place: int) -> _Found | None:
        """A time that needs no word before it; a month or quarter alone leans, and a doubtful one is none."""
        period = self._period(place)
        if period is None:
            return None
        word, kinds = self.words[period.last - 1], self.kinds[place]
        if period.last - place > 1 or not {"month", "short", "weekday", "quarter", "year"} & set(kinds):
            return period if self._is_surely(place, period) else None
        if "quarter" in kinds or ("month" in kinds and word.capital and place and "doubtful" not in kinds):
            return period._replace(kind=LEANS)
        return None

    def _is_surely(self, place: int, period: _Found) -> bool:
        """Whether a date without a preposition is one: "step 3 may fail" and "May 3 users" are not."""
        places = range(place, period.last)
        month = next((at for at in places if {"month", "short"} & set(self.kinds[at])), None)
        if month is None or any("year" in self.kinds[at] for at in places):
            return "." not in self.words[place].text
        ordinal = any(not self.words[at].text.isdecimal() and _day_number(self.words[at]) for at in places)
        return self.words[month].capital and (ordinal or month > place or "doubtful" not in self.kinds[month])

    def _leaning(self, place: int) -> _Found | None:
        kinds = self.kinds[place]
        if "recent" in kinds:
            return _Found(place, kinds["recent"][1], self.now - RECENT_DAYS * _DAY, None, LEANS, True)
        if "old" in kinds:
            return _Found(place, kinds["old"][1], None, self.now - RECENT_DAYS * _DAY, LEANS, True)
        if "first" in kinds:
            return _Found(place, kinds["first"][1], None, None, FIRST, True)
        return None

    def _event(self, place: int) -> _Found | None:
        """Before the migration, after the release, since the rewrite: told of the past, so that no rule is meant."""
        for side in ("before", "after", "since"):
            first = self._after(self._after(place, side), "article") if self._after(place, side) else 0
            last = self._end_of_event(first) if first else 0
            if last <= first or self._has("ahead"):
                continue
            alone = last == len(self.words) and (place == 0 or side == "since")
            # "Since the options are there" gives a reason, no time.
            told = self._has("past") if side != "since" else self.words[last - 1].ends
            if told or alone:
                event = " ".join(word.text for word in self.words[first:last])
                return _Found(place, last, None, None, BEFORE if side == "before" else AFTER, event=event)
        return None

    def _end_of_event(self, first: int) -> int:
        """Return the place after the name of an event; `first` where there is none, or one that goes on and on."""
        place = first
        while place < len(self.words) and "join" not in self.kinds[place] and self.words[place].text != CODE:
            place += 1
            if self.words[place - 1].ends:
                break
        return place if place - first <= _LONGEST_EVENT else first

    def _period(self, place: int) -> _Found | None:
        """A day, week, month, quarter or year that begins here, whatever stands before it."""
        if place >= len(self.words):
            return None
        for read in (self._day, self._weekend, self._date, self._month, self._quarter, self._year, self._relative):
            found = read(place)
            if found is not None:
                return found
        return self._weekday(place)

    def _day(self, place: int) -> _Found | None:
        if "day" not in self.kinds[place]:
            return None
        back, last = self.kinds[place]["day"]
        start = self.today - int(back) * _DAY
        return _Found(place, last, start, start + _DAY, points=True)

    def _weekend(self, place: int) -> _Found | None:
        if "weekend" not in self.kinds[place]:
            return None
        start = self.today - ((self.today.weekday() - 5) % 7) * _DAY
        return _Found(place, self.kinds[place]["weekend"][1], start, start + 2 * _DAY, points=True)

    def _date(self, place: int) -> _Found | None:
        """3 May, 3rd of May 2026, May 3, 2026-05-03, 3.5.2026."""
        start = _digits_date(self.words[place].text)
        if start is not None:
            return _Found(place, place + 1, start, start + _DAY) if start <= self.now else None
        number, month_at = _day_number(self.words[place]), place + 1
        if number and self._goes_on(place, dot=True):
            month_at = self._after(place + 1, "in") or place + 1 if self._word(place + 1) == "of" else place + 1
            last = month_at + 1
        else:
            number = _day_number(self.words[place + 1]) if self._goes_on(place) else 0
            month_at, last = place, place + 2
        month = self._month_number(month_at)
        return self._dated(place, last, month, number) if month and number else None

    def _dated(self, place: int, last: int, month: int, day: int) -> _Found | None:
        year = self._year_number(last) if last < len(self.words) else 0
        try:
            start = self.today.replace(year=year or self.now.year, month=month, day=day)
            if start > self.now and not year:
                start = start.replace(year=start.year - 1)
        except ValueError:
            return None
        return _Found(place, last + bool(year), start, start + _DAY) if start <= self.now else None

    def _month(self, place: int) -> _Found | None:
        """March, March 2025, March last year, last March; without a year the most recent one."""
        at = self._after(place, "last") or place
        month = self._month_number(at) if at < len(self.words) else 0
        if not month or self.words[at].owns:
            return None
        year_at = self._skipped(at + 1, "in") if self._goes_on(at) else at + 1
        year = self._year_number(year_at) if self._goes_on(at) else 0
        if not year and "short" in self.kinds[at] and not self.words[at].capital:
            return None
        spoken = self._relative(at + 1) if self._goes_on(at) and not year else None
        if spoken and spoken.start and self.kinds[spoken.last - 1].get("unit", ("",))[0] == "year":
            year, year_at = spoken.start.year, spoken.last - 1
        start = self.today.replace(day=1, month=month, year=year or self.now.year)
        if start > self.now:
            start = _moved(start, years=-1)
        return _Found(place, year_at + 1 if year else at + 1, start, _moved(start, months=1))

    def _quarter(self, place: int) -> _Found | None:
        if "quarter" not in self.kinds[place]:
            return None
        number = int(self.words[place].text[1])
        year = self._year_number(place + 1) if self._goes_on(place) else 0
        start = self.today.replace(day=1, month=number * 3 - 2, year=year or self.now.year)
        if start > self.now:
            start = _moved(start, years=-1)
        return _Found(place, place + 1 + bool(year), start, _moved(start, months=3))

    def _year(self, place: int) -> _Found | None:
        """2025, year 2025; not where it counts something: "in 2025 bytes"."""
        named = self.kinds[place].get("unit", ("", 0))[0] == "year" and self._goes_on(place)
        at = place + named
        year = self._year_number(at)
        counts = self._goes_on(at) and "join" not in self.kinds[at + 1]
        if not year or (counts and not named):
            return None
        start = self.today.replace(day=1, month=1, year=year)
        return _Found(place, at + 1, start, _moved(start, years=1))

    def _relative(self, place: int) -> _Found | None:
        """This week, last month, the last 10 days."""
        this, last = self._after(place, "this"), self._after(place, "last")
        if not (this or last):
            article = self._after(place, "article")
            inner = self._relative(article) if article and self._after(article, "last") else None
            return inner._replace(first=place) if inner else None
        after = this or last
        counted = self._counted(after) if last else None
        if counted is not None and counted[0] <= _MAX_BACK:
            number, unit, end = counted
            return _Found(place, end, self.now - _length(number, unit), None, points=True)
        unit, end = self.kinds[after].get("unit", ("", 0)) if after < len(self.words) else ("", 0)
        # "The last day of the sprint" and "the last week of May" are other times than these.
        if not unit or (self._word(end) == "of" and not self.words[end - 1].ends):
            return None
        # "The past year" is that up to now, "last year" the one of the calendar.
        if last and (unit in ("hour", "day") or self.kinds[place]["last"][0] == "rolling"):
            return _Found(place, end, self.now - _length(1, unit), None, points=True)
        return self._calendar(place, end, unit, back=bool(last))

    def _calendar(self, place: int, last: int, unit: str, *, back: bool) -> _Found | None:
        today, month = self.today, self.today.replace(day=1)
        if unit in ("hour", "day"):
            return None
        start, length = {
            "week": (today - today.weekday() * _DAY, {"days": 7}),
            "month": (month, {"months": 1}),
            "quarter": (month.replace(month=(month.month - 1) // 3 * 3 + 1), {"months": 3}),
            "year": (month.replace(month=1), {"years": 1}),
        }[unit]
        if back:
            start = _moved(start, **{name: -count for name, count in length.items()})
        return _Found(place, last, start, _moved(start, **length), points=True)

    def _weekday(self, place: int) -> _Found | None:
        at = self._after(place, "last") or place
        if at >= len(self.words) or "weekday" not in self.kinds[at]:
            return None
        number, last = self.kinds[at]["weekday"]
        back = (self.today.weekday() - int(number)) % 7 or 7
        start = self.today - back * _DAY
        return _Found(place, last, start, start + _DAY, points=True)

    def _counted(self, place: int) -> tuple[int, str, int] | None:
        """Return number, unit and the place after them: two weeks, 10 days."""
        if place >= len(self.words):
            return None
        word = self.words[place]
        if word.text.isdecimal() and word.text.isascii() and len(word.text) < 5:
            number, at = int(word.text), place + 1
        else:
            value, at = self.kinds[place].get("number", ("0", 0))
            number = int(value)
        if not number or at >= len(self.words) or self.words[at - 1].ends or "unit" not in self.kinds[at]:
            return None
        return number, *self.kinds[at]["unit"]

    def _month_number(self, place: int) -> int:
        kinds = self.kinds[place] if place < len(self.words) else {}
        found = kinds.get("month") or kinds.get("short")
        return int(found[0]) if found else 0

    def _year_number(self, place: int) -> int:
        text = self._word(place)
        year = int(text) if len(text) == 4 and text.isascii() and text.isdecimal() else 0
        return year if _EARLIEST_YEAR <= year <= self.now.year else 0

    def _after(self, place: int, kind: str) -> int:
        """Return the place after a word of that kind, or 0; a stop after it ends what it could belong to."""
        found = self.kinds[place].get(kind) if place < len(self.words) else None
        return found[1] if found and not self.words[found[1] - 1].ends else 0

    def _skipped(self, place: int, kind: str = "article") -> int:
        return self._after(place, kind) or place

    def _goes_on(self, place: int, *, dot: bool = False) -> bool:
        """Whether another word follows within the sentence; with `dot`, also after `3.` as German writes a day."""
        word = self.words[place] if place < len(self.words) else None
        return word is not None and place + 1 < len(self.words) and (not word.ends or (dot and word.dot))

    def _word(self, place: int) -> str:
        return self.words[place].text if place < len(self.words) else ""

    def _has(self, kind: str) -> bool:
        return any(kind in kinds for kinds in self.kinds)


def _day_number(word: Word) -> int:
    digits = word.text
    for ending in ("st", "nd", "rd", "th"):
        digits = digits.removesuffix(ending)
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) <= 2 and int(digits) <= 31 else 0


def _digits_date(text: str) -> datetime | None:
    """Return the day of `2026-05-03` or `3.5.2026`."""
    parts = text.split("-") if "-" in text else text.split(".")[::-1]
    if len(parts) != 3 or len(parts[0]) != 4 or not all(part.isascii() and part.isdecimal() for part in parts):
        return None
    year, month, day = map(int, parts)
    try:
        return datetime(year, month, day, tzinfo=UTC) if year >= _EARLIEST_YEAR else None
    except ValueError:
        return None


def _moved(moment: datetime, *, years: int = 0, months: int = 0, days: int = 0) -> datetime:
    """Return the moment so much later; 29 February becomes the 28th where there is none."""
    count = moment.year * 12 + moment.month - 1 + years * 12 + months
    day = 28 if (moment.month, moment.day) == (2, 29) and (years or months) else moment.day
    return moment.replace(year=count // 12, month=count % 12 + 1, day=day) + timedelta(days=days)


def _length(number: int, unit: str) -> timedelta:
    return timedelta(days=number * _DAYS_OF[unit])


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _iso(moment: datetime | None) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z" if moment else ""
