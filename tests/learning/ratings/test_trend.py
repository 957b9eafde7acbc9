"""The trend of ratings as one line: of one project, of the last days, numbers only."""

from __future__ import annotations

import calendar
import time

import pytest

from holdfast.language.ratings import Rating, id_of
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings import trend

SHOP = "example.com--acme--shop"
NOW = calendar.timegm((2026, 11, 15, 12, 0, 0))


@pytest.fixture
def rate(home):
    """Write down a rating that was given so many days ago."""

    def make(
        rating: int, days: float, *, session: str = "s", project: str = SHOP, text: str = "", source="explicit"
    ) -> None:
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(NOW - days * 86_400))
        text = text or f"{rating} - after {days} days"
        row = Rating(at, rating, source, "a", session, project, "", 1.0, text, id_of("a", session, at, text))
        assert signals.add(str(home), row)

    return make


def test_no_rating_is_no_trend(home):
    """Where nobody rated there is nothing to tell, and nothing is made."""
    assert trend.line(str(home), (SHOP,), NOW) == ""
    assert not home.exists()


def test_what_was_passed_on_is_not_the_persons(home, rate):
    """A rating that an agent passed on and nobody heard is none of the person's."""
    rate(1, 1, source="passed-on")
    assert trend.line(str(home), (SHOP,), NOW) == ""
    rate(8, 1)
    assert trend.line(str(home), (SHOP,), NOW).startswith("8.0 of 10 on average, 1 rating ")


def test_few_ratings_have_no_direction(home, rate):
    """Two ratings are told as they are; nobody calls that a direction."""
    rate(8, 1)
    rate(2, 40)
    told = trend.line(str(home), (SHOP,), NOW)
    assert told == "8.0 of 10 on average, 1 rating in 1 session of the last 30 days; the last: 8"


@pytest.mark.parametrize(("late", "word"), [(8, "rising"), (3, "about the same"), (1, "falling")])
def test_direction(home, rate, late, word):
    """Three ratings on each side and a whole point between them make a direction."""
    for day in range(3):
        rate(3, 40 + day)
        rate(late, 1 + day, session=f"s-{day}")
    assert f"; 3.0 in the 30 days before, {word}; the last: {late}, {late}, {late}" in trend.line(
        str(home), (SHOP,), NOW
    )


def test_only_this_project_and_no_words(home, rate):
    """Ratings of another project and what a person wrote are not in the line."""
    rate(2, 1, text="2 - this is a secret wish")
    rate(9, 1, project="other")
    told = trend.line(str(home), (SHOP, "an-older-id"), NOW)
    assert "2.0 of 10" in told
    assert "secret" not in told
    assert trend.line(str(home), ("third",), NOW) == ""


def test_only_the_end_of_a_long_file_is_read(home, rate):
    """A file of many years is not read whole: what stands far before its end does not count."""
    rate(1, 3)
    for number in range(400):
        rate(9, 2, session=f"s-{number}", text=f"9 - {'x' * 300} {number}")
    told = trend.line(str(home), (SHOP,), NOW)
    assert "9.0 of 10 on average, 200 ratings in 200 sessions" in told


def test_a_broken_line_is_passed_over(home, rate):
    """What is no rating in the file does not take the others away."""
    rate(8, 1)
    with open(signals.path_of(str(home)), "ab") as file:
        file.write(b'{"project": "' + SHOP.encode() + b'", "rating":\n')
    assert trend.line(str(home), (SHOP,), NOW).startswith("8.0 of 10")
