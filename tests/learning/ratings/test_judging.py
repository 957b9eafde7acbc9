"""What a message says about the work before it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as texts

from holdfast.learning.ratings.hook import judge
from support.sampling import count

OPTIONS = "Which one do you want?\n1. Keep the table\n2. Drop the table\n3. Ask later"
REPORT = "Done. The tests pass."


def number(text: str, answer: str | None) -> int | None:
    """Return the rating that a message gives after an answer."""
    found = judge(text, lambda: answer)
    return None if found is None else found.rating


def test_a_choice_is_no_rating() -> None:
    """A number that picks one of the agent's options, alone or with words, is no rating."""
    for text in ("2", "2!", "2 - but without the cache", "1, because it is simpler", "3: do it tomorrow"):
        assert number(text, OPTIONS) is None, text


def test_a_rating_after_options() -> None:
    """After a list a number counts when it is out of ten, or when its comment has the same mood."""
    assert number("2/10", OPTIONS) == 2
    assert number("2 - you deleted my migration again", OPTIONS) == 2
    assert number("2 - perfect", OPTIONS) is None, "praise of the second item"


def test_a_bare_number_after_a_report() -> None:
    """After a report that asks nothing, every number from 1 to 10 is a rating."""
    assert [number(str(each), REPORT) for each in range(1, 11)] == list(range(1, 11))


def test_where_nobody_knows_what_was_asked() -> None:
    """Without the agent's words a low number may be a choice, so it is left; a high one and a clear comment count."""
    assert [number(text, None) for text in ("1", "2", "3", "2 - later", "4", "8")] == [None, None, None, None, 4, 8]
    assert number("2 - you deleted my migration again", None) == 2


def test_a_mood_is_an_implicit_rating() -> None:
    """A clear mood gives a rating below certainty; a number always goes before it; most messages give nothing."""
    found = judge("great job!", lambda: REPORT)
    assert found is not None and (found.source, found.rating >= 7, found.confidence < 1) == ("implicit", True, True)
    said = judge("3/10 great job", lambda: REPORT)
    assert said is not None and (said.source, said.rating, said.confidence) == ("explicit", 3, 1.0)
    assert judge("now add the tests", lambda: REPORT) is None


@pytest.mark.parametrize("text", ("8", "8/10", "8 - good", "great job", "add the tests"))
def test_the_answer_is_asked_for_only_when_it_counts(text) -> None:
    """Looking up what the agent said costs time; a message without a number does not need it."""
    asked = []
    judge(text, lambda: asked.append(text) or REPORT)
    assert bool(asked) == text[0].isdigit()


def test_a_count_out_of_ten_is_no_rating() -> None:
    """After a question how many of ten, "8/10" is the answer to it; with a comment it is a rating all the same."""
    asked = "How many of the 10 tests pass on your machine?"
    assert number("8/10", asked) is None
    assert number("8/10 - quick and clean", asked) == 8


@settings(max_examples=count(300, 40))
@given(
    texts.text(alphabet="0123456789²٣ /.,:;-–!?()[]*_'\"`\n\tyoudeltgrajbnicwsph ünß👍\ud800", max_size=60),
    texts.text(max_size=60),
)
def test_nothing_that_is_typed_breaks_it(text, answer) -> None:
    """Whatever a message or an answer holds, there is a rating from 1 to 10, or none."""
    found = judge(text, lambda: answer)
    assert found is None or (1 <= found.rating <= 10 and 0.5 <= found.confidence <= 1)
    asked = judge("2", lambda: text)
    assert asked is None or asked.rating == 2
