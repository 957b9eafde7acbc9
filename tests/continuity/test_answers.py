"""What an agent's answer says about the work."""

from __future__ import annotations

import pytest

from holdfast.continuity import answers


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ("All tests pass now. The login works.", "All tests pass now."),
        ("\n## **Done**\n\nMore.", "Done"),
        ("You're absolutely right! It clears the cache in the last step.", "It clears the cache in the last step."),
        ("Perfect! I'll now go on.\n\n## Summary\n\nThe cache uses Redis.", "The cache uses Redis."),
        ("Alles klar. Lass mich nachsehen.\n\nDer Test war falsch.", "Der Test war falsch."),
        ("Understood. I’ll keep messages short.", "I’ll keep messages short."),
        ("Done. All of it works.", "Done. All of it works."),
        ("```\ncode\n```", "code"),
        ("", ""),
    ],
)
def test_the_first_sentence_sums_up(answer, summary):
    """The first sentence that says something stands for the answer, without the signs of Markdown."""
    assert answers.summary(answer) == summary


def test_an_endless_answer_is_cut():
    """A sentence without an end is cut between two words."""
    assert len(answers.summary("word " * 10_000)) <= answers.MAX_SUMMARY


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("Done.\n\n**Next steps:**\n- Write docs\n- [ ] Ship\n- [x] Test\n\nBye.", ("Write docs", "Ship")),
        ("## Nächste Schritte\n\n1. Doku\n2. Test", ("Doku", "Test")),
        ("Images are in S3 now. **Remaining:**\n\n1. Upgrade Django", ("Upgrade Django",)),
        ("## What's next?\n\n- [ ] Test it", ("Test it",)),
        ("It works. It is not remaining:\n- an error", ()),
        ("Next steps are hard to tell.\n- no list of them", ()),
        ("- a list\n- of other things", ()),
    ],
)
def test_next_steps_are_a_list_under_their_heading(answer, steps):
    """Only a list that is announced as what comes next is taken for it."""
    assert answers.next_steps(answer) == steps


def test_what_was_ticked():
    """Items with a tick in their box are done, others are not."""
    assert answers.ticked("- [x] Write the docs\n* [X] Ship it\n- [ ] Not this\n[x] no item") == (
        "Write the docs",
        "Ship it",
    )
