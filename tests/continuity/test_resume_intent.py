"""Which prompts ask to go on where the work stood."""

from __future__ import annotations

import time

import pytest

from holdfast.continuity import resume_intent


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
    assert resume_intent.wants(prompt)


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
    assert not resume_intent.wants(prompt)


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
    assert resume_intent.stands_for_a_lost_conversation(prompt) is is_lost


def test_a_huge_prompt_costs_nothing():
    """The answer about a prompt of ten million letters takes no pattern to its end."""
    prompt = "continue " * 1_200_000
    began = time.process_time()
    assert not resume_intent.wants(prompt) and not resume_intent.stands_for_a_lost_conversation(prompt)
    assert time.process_time() - began < 2
