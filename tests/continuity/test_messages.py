"""What a message says about the work: a person's, and an agent's answer."""

from __future__ import annotations

import time

import pytest

from holdfast.continuity import messages


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
    assert messages.summary(answer) == summary


def test_an_endless_answer_is_cut():
    """A sentence without an end is cut between two words."""
    assert len(messages.summary("word " * 10_000)) <= messages.MAX_SUMMARY


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
    assert messages.next_steps(answer) == steps


def test_what_was_ticked():
    """Items with a tick in their box are done, others are not."""
    assert messages.ticked("- [x] Write the docs\n* [X] Ship it\n- [ ] Not this\n[x] no item") == (
        "Write the docs",
        "Ship it",
    )


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
    assert messages.tells_done(TODO, messages.said_done(text))


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
    assert not messages.tells_done(TODO, messages.said_done(text))


def test_a_todo_without_words_is_never_done():
    """A to-do of signs alone is in no sentence."""
    assert not messages.tells_done("--- ???", messages.said_done("it is done"))
    assert not messages.tells_done("", messages.said_done("it is done"))


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "where were we?",
            "Where were we again?",
            "So, where were we yesterday?",
            "what were we doing",
            "What's next?",
        ),
        *("continue", "Continue.", "please continue", "OK, let's continue!", "pick up where we left off"),
        *(
            "wo waren wir?",
            "Wo waren wir denn stehen geblieben?",
            "mach weiter",
            "Mach bitte weiter",
            "weiter",
            "Weiter!",
        ),
        *("ok, weiter bitte", "Lass uns weitermachen", "Wie geht’s weiter?", "  \n continue \n"),
    ],
)
def test_who_asks_where_they_were_wants_it(prompt):
    """A person who asks where they were, or says to continue, in English or German, wants the recovery."""
    assert messages.wants_to_go_on(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        *("", "   ", "?!", "please", "ok", "yes", "ja", "go on", "we", "now then"),
        *("continue with the login tests", "weiter mit dem Login", "where were we when the test failed?"),
        *("why does the loop continue?", "do not continue", "nicht weiter", "continue " * 40, "x" * 1_000_000),
    ],
)
def test_who_says_more_or_only_agrees_does_not(prompt):
    """A prompt of substance, and a short reply in the middle of the work, bring no recovery."""
    assert not messages.wants_to_go_on(prompt)


@pytest.mark.parametrize(
    ("prompt", "is_lost"),
    [
        ("<summary>We built the cart.</summary> go on", True),
        ("  <Summary>\nWe built", True),
        ("This session is being continued from a previous conversation that ran out of context.", True),
        ("[truncated] and then", True),
        ("explain the <summary> tag", False),
        ("<details><summary>x</summary></details>", False),
        ("", False),
    ],
)
def test_a_summary_at_the_beginning_tells_of_a_lost_conversation(prompt, is_lost):
    """A prompt stands for a lost conversation when it begins as a summary of one does, and only then."""
    assert messages.stands_for_a_lost_conversation(prompt) is is_lost


def test_a_huge_prompt_costs_nothing():
    """The answer about a prompt of ten million letters takes no pattern to its end."""
    prompt = "continue " * 1_200_000
    began = time.process_time()
    assert not messages.wants_to_go_on(prompt) and not messages.stands_for_a_lost_conversation(prompt)
    assert time.process_time() - began < 2


TASK = "Split the order module into three files. Constraints: no public name changes, no new dependency."


@pytest.mark.parametrize(
    ("since", "told"),
    [
        (["ok"], [TASK]),
        (["Remember: never use headless Chrome for PDFs.", "yes, go on"], [TASK]),
        (["why did you use a set there?"], [TASK, "why did you use a set there?"]),
        (["why did you use a set there?", "the limit should be 15 lines, not 10."], None),
        (["thanks! looks good, go on with step 2"], [TASK, "thanks! looks good, go on with step 2"]),
        (["no, keep the old tests as they are in the repository"], None),
        (
            ["Write the release notes for 2.4.0 in two paragraphs."],
            ["Write the release notes for 2.4.0 in two paragraphs."],
        ),
    ],
)
def test_what_is_worked_on_is_the_last_order_with_what_was_said_to_it(since, told):
    """Replies, questions before the last words and what is only to be remembered do not hide the task."""
    changing = [TASK, *[text for text in since if not text.endswith("?")]]
    assert messages.worked_on([*reversed(since), TASK, "Draw the map of the whole garden in green ink."]) == (
        told or changing
    )


def test_who_only_asked_something_asked_that():
    """Where nothing was ordered, the last question is what was asked; of mere replies nothing is told."""
    assert messages.worked_on(["why is it slow?", "what is this repository about?"]) == ["why is it slow?"]
    assert messages.worked_on(["ok", "yes"]) == []


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        *[(said, "") for said in ("UTC.", "Noted.", "No.", "OK", "Done.", "Postgres.", "From S3.", "Understood.")],
        (
            "We finished stock reservations; the load test is open.",
            "We finished stock reservations; the load test is open.",
        ),
        (
            "I added the reservations endpoint with SELECT ... FOR UPDATE and an expiry job. 12 tests pass.",
            "I added the reservations endpoint with SELECT ... FOR UPDATE and an expiry job.",
        ),
        (
            "The CI job used SQLite. I switched it to the Postgres service container; CI is green.",
            "I switched it to the Postgres service container; CI is green.",
        ),
        ("The invoice now has the logo top left.", "The invoice now has the logo top left."),
        ("Renamed in 9 files; src/invoice/pdf.py re-exports the old name.", None),
        ("Perfect! I've fixed the crash when the list is empty.", "I've fixed the crash when the list is empty."),
        ("Ich habe den Test für die Rechnung ergänzt.", "Ich habe den Test für die Rechnung ergänzt."),
        ("The login form was repaired in src/login.py.", "The login form was repaired in src/login.py."),
        ("You can now run the tests with make check.", ""),
        ("It is not fixed yet in the cart.", ""),
        ("Both mutations are fully integrated across all files now:", ""),
        ("Even though the keys are gone, they were exposed.", ""),
        ("Should I have added a test for the cart?", ""),
        ("```\nAdded the whole thing here.\n```\nThe cache keeps sessions.", ""),
        ("I added " + "one more word and " * 40 + "the end.", ""),
    ],
)
def test_only_what_was_changed_is_told_as_done(answer, done):
    """A statement of something changed is told, whole; answers, acknowledgements and promises are not."""
    assert messages.done_by(answer, is_proven=False) == (answer if done is None else done)


def test_changed_files_prove_what_is_said_in_another_language():
    """Where files were changed, the first whole sentence says what was done, whatever its language."""
    assert (
        messages.done_by("J'ai corrigé la page de connexion.", is_proven=True) == "J'ai corrigé la page de connexion."
    )
    assert messages.done_by("J'ai corrigé la page de connexion.", is_proven=False) == ""
    assert messages.done_by("OK", is_proven=True) == ""
