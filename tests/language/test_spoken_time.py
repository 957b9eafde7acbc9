"""What a query says about time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast
from holdfast.language.spoken_time import AFTER, BEFORE, FIRST, LEANS, MAX_WORDS, NARROWS, spoken
from holdfast.language.time_words import LANGUAGES

# A Sunday.
NOW = "2026-11-15T09:30:00Z"


def days(text: str) -> tuple[str, str] | None:
    """Return the first day and the day after the last of the time that the text speaks of."""
    span = spoken(text, NOW)
    return None if span is None else (span.since[:10], span.until[:10])


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did we decide in March", "2026-03-01", "2026-04-01"),
        ("in november", "2026-11-01", "2026-12-01"),
        ("the outage in December", "2025-12-01", "2026-01-01"),
        ("in Dec", "2025-12-01", "2026-01-01"),
        ("March 2024", "2024-03-01", "2024-04-01"),
        ("in March last year", "2025-03-01", "2025-04-01"),
        ("last March", "2026-03-01", "2026-04-01"),
        ("what changed last week", "2026-11-02", "2026-11-09"),
        ("what did we change about deploys this week", "2026-11-09", "2026-11-16"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("last quarter", "2026-07-01", "2026-10-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("the past year", "2025-11-15", ""),
        ("yesterday", "2026-11-14", "2026-11-15"),
        ("the day before yesterday", "2026-11-13", "2026-11-14"),
        ("today", "2026-11-15", "2026-11-16"),
        ("on 3 May", "2026-05-03", "2026-05-04"),
        ("on December 24", "2025-12-24", "2025-12-25"),
        ("May 3rd, 2025", "2025-05-03", "2025-05-04"),
        ("the 3rd of May", "2026-05-03", "2026-05-04"),
        ("notes of 2026-03-05", "2026-03-05", "2026-03-06"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("what broke in 2025, and why", "2025-01-01", "2026-01-01"),
        ("in 2025 we moved", "2025-01-01", "2026-01-01"),
        ("between March and May", "2026-03-01", "2026-06-01"),
        ("between November and February", "2025-11-01", "2026-03-01"),
        ("between March and May 2023", "2023-03-01", "2023-06-01"),
        ("from March to May 2025", "2025-03-01", "2025-06-01"),
        ("since Monday", "2026-11-09", ""),
        ("since last week", "2026-11-02", ""),
        ("since March", "2026-03-01", ""),
        ("before March", "", "2026-03-01"),
        ("after 3 May", "2026-05-04", ""),
        ("until last week", "", "2026-11-09"),
        ("on Friday", "2026-11-13", "2026-11-14"),
        ("on Sunday", "2026-11-08", "2026-11-09"),
        ("last Monday's meeting", "2026-11-09", "2026-11-10"),
        ("two weeks ago", "2026-10-29", "2026-11-05"),
        ("what broke two weeks ago?", "2026-10-29", "2026-11-05"),
        ("3 days ago", "2026-11-12", "2026-11-13"),
        ("a year ago", "2025-08-16", "2026-02-14"),
        ("the last 10 days", "2026-11-05", ""),
        ("in the past two weeks", "2026-11-01", ""),
        ("in Q3", "2026-07-01", "2026-10-01"),
        ("Q3 2025", "2025-07-01", "2025-10-01"),
        ("over the weekend", "2026-11-14", "2026-11-16"),
        ("letzte Woche", "2026-11-02", "2026-11-09"),
        ("im März", "2026-03-01", "2026-04-01"),
        ("gestern", "2026-11-14", "2026-11-15"),
        ("vorgestern", "2026-11-13", "2026-11-14"),
        ("vor zwei Wochen", "2026-10-29", "2026-11-05"),
        ("seit Montag", "2026-11-09", ""),
        ("seit zwei Wochen", "2026-11-01", ""),
        ("am 3. Mai", "2026-05-03", "2026-05-04"),
        ("am 3.5.2025", "2025-05-03", "2025-05-04"),
        ("in den letzten 10 Tagen", "2026-11-05", ""),
        ("zwischen März und Mai", "2026-03-01", "2026-06-01"),
        ("im Oktober letzten Jahres", "2025-10-01", "2025-11-01"),
        ("im Jahr 2025", "2025-01-01", "2026-01-01"),
        ("diesen Monat", "2026-11-01", "2026-12-01"),
    ],
)
def test_plain_times_narrow(text, since, until) -> None:
    """A time that is said plainly is found with its ends, and narrows."""
    assert days(text) == (since, until)
    assert spoken(text, NOW).kind == NARROWS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "how do we deploy",
        "this may fail",
        "we march on",
        "step 3 may fail",
        "May 3 users log in at once",
        "the second option",
        "the last second",
        "the last commit",
        "the last 3 commits",
        "the previous release",
        "the last day of the sprint",
        "a Sunday driver",
        "every Monday we deploy",
        "no deploys on Fridays",
        "version 2.3.2025",
        "python 3.11",
        "in 2025 bytes",
        "in 4096 bytes",
        "port 2025",
        "retry in 2 weeks",
        "30 days of logs",
        "once a week",
        "next week",
        "ask April about it",
        "in Jan's code",
        "in 2031",
        "on 2031-01-01",
        "2025-13-40",
        "`git log --since yesterday`",
        "run the tests before the commit",
        "what must be done before the release",
        "remove the view since the options are there already",
        "it shows up on the previous day",
        "nach Hause",
        "vor allem",
        "der Tag der Woche",
    ],
)
def test_what_is_no_time(text) -> None:
    """Verbs, names, versions, counts and what is to come are no times."""
    assert spoken(text, NOW) is None


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did we recently change about deploys", "2026-10-16", ""),
        ("neulich", "2026-10-16", ""),
        ("how was it back then", "", "2026-10-16"),
        ("a while ago", "", "2026-10-16"),
        ("damals", "", "2026-10-16"),
        ("Q3 results", "2026-07-01", "2026-10-01"),
        ("the January outage", "2026-01-01", "2026-02-01"),
        ("before Friday", "", "2026-11-13"),
        ("add the login today", "2026-11-15", "2026-11-16"),
        ("what should I do today", "2026-11-15", "2026-11-16"),
        ("compare March 2025 with June 2025", "2025-03-01", "2025-07-01"),
    ],
)
def test_what_is_unsure_leans(text, since, until) -> None:
    """Vague words, a quarter or month without a preposition, deadlines and two times at once lean."""
    assert days(text) == (since, until)
    assert spoken(text, NOW).kind == LEANS


@pytest.mark.parametrize("text", ["why did we originally choose redis", "the first time we deployed", "anfangs"])
def test_the_beginning(text) -> None:
    """Who asks for the beginning gets a span without ends that leans to the oldest."""
    assert (days(text), spoken(text, NOW).kind) == (("", ""), FIRST)


@pytest.mark.parametrize(
    ("text", "kind", "event"),
    [
        ("how did we deploy before the migration", BEFORE, "migration"),
        ("before the migration", BEFORE, "migration"),
        ("what broke after the redis upgrade, and why", AFTER, "redis upgrade"),
        ("problems since the rewrite", AFTER, "rewrite"),
        ("what failed after the test (with redis)", AFTER, "test"),
        ("wie war es vor der Migration", BEFORE, "migration"),
        ("seit dem Umbau", AFTER, "umbau"),
    ],
)
def test_an_event_is_named(text, kind, event) -> None:
    """Before, after and since an event: the side and the words of the event, for the caller to find."""
    span = spoken(text, NOW)
    assert (span.kind, span.event, span.since, span.until) == (kind, event, "", "")


@pytest.mark.parametrize(
    ("text", "words", "rest"),
    [
        ("what broke last week, and `why now`?", "last week", "what broke and `why now`?"),
        ("deploys in March 2025", "in March 2025", "deploys in March 2025"),
        ("deploys (two weeks ago)", "two weeks ago", "deploys"),
        ("how did we deploy before the migration", "before the migration", "how did we deploy before the migration"),
    ],
)
def test_the_words_that_said_it(text, words, rest) -> None:
    """What said the time is told; words that only point are left out of what is searched, dates are not."""
    span = spoken(text, NOW)
    assert (span.words, span.rest) == (words, rest)


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("what happened yesterday?", True),
        ("yesterday", True),
        ("what changed recently", True),
        ("was haben wir letzte Woche gemacht", True),
        ("what happened to redis yesterday?", False),
        ("originally", False),
    ],
)
def test_whether_nothing_else_was_asked(text, bare) -> None:
    """A question that names nothing but a time asks for all of that time."""
    assert spoken(text, NOW).bare is bare


def test_a_long_text_speaks_of_no_one_time() -> None:
    """An account of many words is no question."""
    assert spoken("yesterday " + "word " * (MAX_WORDS - 1), NOW) is not None
    assert spoken("yesterday " + "word " * MAX_WORDS, NOW) is None


def test_a_leap_day() -> None:
    """29 February is found in the year that had it, and moving a year back never fails."""
    assert spoken("on 29 February 2024", NOW).since[:10] == "2024-02-29"
    assert spoken("last year", "2024-02-29T12:00:00Z").since[:10] == "2023-01-01"
    assert spoken("between 29 February and 3 January", "2024-03-01T12:00:00Z").since[:10] == "2023-02-28"


WORDS = (
    "in on since before after until between and the last this past two 3 10 2025 2024 may March 3rd of Monday week"
    " weeks ago vor zwei Wochen letzten Tagen am 3. Mai Q3 yesterday recently 99 0 31 , . ` year day 2026-02-30"
)


@given(
    st.lists(st.sampled_from(WORDS.split(" ")), max_size=12),
    st.sampled_from([NOW, "2024-02-29T23:59:59Z", "2026-01-01T00:00:00Z"]),
)
def test_any_mixture_is_read(words, now) -> None:
    """Whatever stands beside whatever, reading ends with a span whose ends are in order, or with none."""
    span = spoken(" ".join(words), now)
    if span is not None and span.since and span.until and span.kind == NARROWS:
        assert span.since < span.until


@given(st.text(max_size=200))
def test_any_text_is_read(text) -> None:
    """Any text at all is read without an error."""
    spoken(text, NOW)


def test_the_languages_have_their_files() -> None:
    """Each language is one file, and each file a language; every line has a kind and words, none twice."""
    folder = Path(holdfast.__file__).parent / "language" / "times"
    assert sorted(path.stem for path in folder.iterdir()) == sorted(LANGUAGES)
    for path in folder.iterdir():
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
        for kind, _, words in (line.partition(":") for line in lines):
            phrases = [word.strip() for word in words.split(",")]
            assert kind and all(phrases) and len(set(phrases)) == len(phrases), f"{path.name}: {kind}"
