"""Standing rules: which questions ask for one, and which passages state one."""

from __future__ import annotations

import pytest

from holdfast.recall import engine


@pytest.mark.parametrize(
    "text",
    [
        "What is the rule for function names?",
        "How should I name a branch?",
        "which conventions do we follow?",
        "Welche Regel gilt für Zweige?",
        "Muss ein Commit signiert sein?",
    ],
)
def test_a_question_about_a_rule(text):
    """A question that names a rule, or what one must do, asks for what holds now."""
    assert engine.asks(text)
    assert not engine.asks_past(text)


@pytest.mark.parametrize(
    "text",
    [
        "What was the rule for function names?",
        "When did we decide that tests must run first?",
        "Welche Regel hatten wir früher?",
        "Where is the deploy script?",
        "",
    ],
)
def test_a_question_about_the_past_or_about_a_fact(text):
    """Who asks for what was, or for something else, does not ask for the rule that holds."""
    assert not engine.asks(text)


@pytest.mark.parametrize(
    "text",
    [
        "From now on, end every method name with _x.",
        "Please use tabs.",
        "I\u2019d like the tests first.",
        "Understood, I will follow it.",
        "Ab sofort schreiben wir Deutsch.",
    ],
)
def test_a_passage_that_states_a_rule(text):
    """A passage lays a rule down, or takes one up."""
    assert engine.states(text)


@pytest.mark.parametrize("text", ["The cat sat on the mat.", "ruler rules_engine", "", "Es regnet."])
def test_a_passage_that_states_none(text):
    """Whole words and phrases count, not parts of them."""
    assert not engine.states(text)
