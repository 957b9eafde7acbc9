"""Whether a person says that a to-do is done."""

from __future__ import annotations

import pytest

from holdfast.continuity import finished

TODO = "Write the refund test"


@pytest.mark.parametrize(
    "text",
    [
        "Write the refund test is done.",
        "write the refund test: done",
        "write the refund test: that is done",
        "Write the refund test, das ist erledigt",
        "I think we are good. Write the refund test is now finished, thanks",
        "Done: write the refund test",
        "I'm done with write the refund test.",
        "finished 'write the refund test'",
        "Write the refund test ist erledigt.",
        "Fertig mit write the refund test!",
        "please mark Write the refund test as done",
        "Write the refund test is done. Now please add the login page.",
    ],
)
def test_it_is_done_where_that_is_said_of_it(text):
    """The word that says done stands beside the words of the to-do, on either side."""
    assert finished.told_of(TODO, finished.said(text))


@pytest.mark.parametrize(
    "text",
    [
        "Write the refund test isn't done yet.",
        "Write the refund test isn’t done.",
        "Is write the refund test done?",
        "is write the refund test done",
        "As soon as write the refund test is done, deploy.",
        "When write the refund test is done, tell me.",
        "I don't think write the refund test is done.",
        "Please write the refund test, and tell me when you are done.",
        "Don't write the refund test until the migration is finished.",
        "I have fixed the css. Write the refund test next.",
        "I have fixed the css, write the refund test next.",
        "Done, write the refund test now.",
        "Write the refund test; the fixed rate is enough",
        "Never mind write the refund test; the fixed rate is enough",
        "After you are done with the parser, write the refund test",
        "Write the refund test muss heute fertig werden, ist noch unerledigt",
        "Add the login page is done. Now please write the refund test.",
        "> write the refund test is done",
        "the refund page is done",
    ],
)
def test_it_is_not_done_where_that_is_not_said_of_it(text):
    """A question, a denial, a condition, a wish, a quote, or another thing that is done, tick nothing."""
    assert not finished.told_of(TODO, finished.said(text))


def test_a_todo_without_words_is_never_done():
    """A to-do of signs alone is in no sentence."""
    assert not finished.told_of("--- ???", finished.said("it is done"))
    assert not finished.told_of("", finished.said("it is done"))
