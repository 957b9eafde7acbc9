"""Numbers that are ratings, and numbers that are not."""

from __future__ import annotations

import pytest

from holdfast.language.ratings import HIGHEST, LOWEST, answers, explicit, id_of, parsed

GIVEN = {
    "8": (8, ""),
    "10": (10, ""),
    "8!": (8, ""),
    "8/10": (8, ""),
    "**8/10**": (8, ""),
    "8 / 10": (8, ""),
    "10/10!!": (10, ""),
    "8 - clean and quick": (8, "clean and quick"),
    "8 – sauber": (8, "sauber"),
    "8: clean": (8, "clean"),
    "4, too slow": (4, "too slow"),
    "2 - you deleted my migration again": (2, "you deleted my migration again"),
    "8 great work": (8, "great work"),
    "9 thanks!": (9, "thanks!"),
    "3 you ignored the plan": (3, "you ignored the plan"),
    "7 von 10": (7, ""),
    "8 out of 10": (8, ""),
    "9/10 would use again": (9, "would use again"),
    "8/10, can you also add tests?": (8, "can you also add tests?"),
    "rating: 8": (8, ""),
    "I'd give this a 3/10": (3, ""),
    "I would give it a 7 because it was slow": (7, "because it was slow"),
    "that's a 9/10 from me": (9, "from me"),
    "Ich gebe dem eine 7": (7, ""),
    "Bewertung: 4 - zu langsam": (4, "zu langsam"),
    "8 👍": (8, "👍"),
    "2/10 for that.": (2, "for that."),
    "3/10 for these tests, they prove nothing": (3, "for these tests, they prove nothing"),
    "great. 9/10. now commit": (9, "now commit"),
    "not great, 4/10": (4, ""),
    "that was a 3": (3, ""),
    "a 2 for that": (2, "for that"),
    "das war eine 3.": (3, ""),
    "eight out of ten": (8, ""),
    "drei von zehn": (3, ""),
    "2 stars, you ignored half of it": (4, "you ignored half of it"),
    "2/5 stars": (4, ""),
    "★★☆☆☆": (4, ""),
    "⭐⭐⭐⭐⭐ thanks": (10, "thanks"),
}
COUNTED = (
    *("8/10 for 2 weeks", "2/10 for now, 8 left", "5/10 for the first batch?", "that was a 3 line fix", "is that a 3"),
    *(
        "5 stars on github are needed",
        "tests are good, 3/10 files done",
        "3 starters",
        "4/5",
        "one of ten",
        "six stars",
    ),
    *("3 files changed", "10/10 tests pass", "7th", "5x", "3.5", "2 steps left", "1. do this", "8 cores", "404"),
    *("5 minutes", "8:30", "12:30", "2026-01-01", "1.2.3", "v3", "8-10 files", "3, 4 and 5", "1) foo", "11", "0"),
    *("8?", "is this 8/10?", "step 3/10", "8/10/2026", "10/10/10", "7/10 done", "8/10 tests", "3 good reasons to go"),
    *("2, please", "2 please", "1: yes, 2: no", "1 - Add tests\n2 - Write docs", "I'd give it 3 days", "8%", "5 stars"),
    *("rate limit: 8", "3 - 4 = -1", "8-core machine", "10 times now", "we have 8", "5 this week", "3 of them"),
    *("page 3/10 is empty", "3 more", "9 am", "8 is the port", "10x faster", "9 out of 12", "6/10 files done", "8, 9"),
    *("1 or 2", "2 it is", "", "   ", "٣", "8" * 400, "8 - x" + " y" * 1_500),
)


@pytest.mark.parametrize(("text", "expected"), GIVEN.items())
def test_a_rating_in_so_many_words(text, expected) -> None:
    """A number that can be nothing but a rating is one, with what was said beside it as the comment."""
    assert explicit(text) == expected


@pytest.mark.parametrize("text", COUNTED)
def test_a_number_that_is_none(text) -> None:
    """Counts, lists, times, dates, versions, parts of something and choices are no ratings."""
    assert explicit(text) is None


@pytest.mark.parametrize("number", range(-1, 13))
def test_only_one_to_ten(number) -> None:
    """What lies outside of one to ten is no rating."""
    given = explicit(str(number))
    assert (given is not None) == (LOWEST <= number <= HIGHEST)


def test_what_leaves_no_doubt() -> None:
    """Out of ten, or led to by words, a number is certain; alone or with a comment it may answer a question."""
    assert all(parsed(text).certain for text in ("8/10", "rating: 8", "7 von 10 - gut"))
    assert not any(parsed(text).certain for text in ("8", "8 - good", "8 great"))


@pytest.mark.parametrize(
    "answer",
    (
        "Which one?\n1. Keep it\n2. Drop it\n",
        "I can\n  1) keep it\n  2) drop it",
        "Either (1) keep it or (2) drop it.",
        "**1.** Keep it\n**2.** Drop it",
        "Option 1: keep it. Option 2: drop it.",
        "1 - keep it\n2 - drop it",
        "How many workers should I use?",
        "Shall I go on?\n\n(It takes a while.)",
    ),
)
def test_a_number_after_a_question_answers_it(answer) -> None:
    """After numbered options or a question, a low number is a choice."""
    assert all(answers(number, answer) for number in (1, 2))


def test_a_number_after_a_report_answers_nothing() -> None:
    """After a plain report, or when the agent asks for a rating, a number is a rating; a list has no tenth item."""
    assert not answers(2, "Done. All tests pass.")
    assert not answers(2, "")
    assert not answers(8, "How would you rate this session from 1 to 10?")
    assert not answers(10, "I did this:\n1. the parser\n2. the tests\n")


def test_the_id_is_of_the_message() -> None:
    """The same message has the same id whatever its white space; another time or session has another."""
    one = id_of("codex", "s1", "2026-05-04T10:00:00Z", "8 -  good\n")
    assert one == id_of("codex", "s1", "2026-05-04T10:00:00Z", "8 - good")
    assert one != id_of("codex", "s2", "2026-05-04T10:00:00Z", "8 - good")
    assert one != id_of("codex", "s1", "2026-05-04T10:00:01Z", "8 - good")
