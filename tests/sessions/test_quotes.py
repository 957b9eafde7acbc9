"""What the person said: decisions, corrections, praise."""

from __future__ import annotations

import pytest

from holdfast.sessions.quotes import begins_with, sayings

from .making import human


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Let's use Postgres for the orders.", ["decision"]),
        ("Wir nehmen Postgres.", ["decision"]),
        ("From now on always run the linter.", ["decision"]),
        ("Should we use Postgres or let's use SQLite?", []),
        ("No, that's wrong.", ["correction"]),
        ("Nein, das ist falsch.", ["correction"]),
        ("It still doesn't work", ["correction"]),
        ("Das funktioniert immer noch nicht", ["correction"]),
        ("Why did you delete the tests?", ["correction"]),
        ("Thanks, it works!", ["praise"]),
        ("Perfekt, danke dir", ["praise"]),
        ("That is not great", []),
        ("It would be great to have a cart", []),
        ("Thank you. Let's keep the old name.", ["praise", "decision"]),
        ("please add a cart", []),
        ("The label should say `that's wrong` in red", []),
        ("> that's wrong\nwhat does this mean", []),
        ("Look:\n```\nthat's wrong, thanks\n```\nwhat is it", []),
        ("I know nothing about it", []),
    ],
)
def test_a_sentence_is_known_by_its_phrases(text: str, kinds: list[str]) -> None:
    """Whole words count, in English and German; questions decide nothing, and code and quotes are not said."""
    assert [said.kind for said in sayings(human(text))] == kinds


def test_a_quote_is_one_sentence_with_its_place() -> None:
    """The rest of a message is not quoted, and long sentences are nobody's words."""
    event = human("Hello there. We decided to drop v1.2 of it. Bye." + " that's wrong" * 100)
    [said] = sayings(event)
    assert said.text == "We decided to drop v1.2 of it."
    assert said.at == event.at


def test_marks_of_programs_count_only_at_the_beginning() -> None:
    """A text that mentions an interruption is none."""
    assert begins_with("  [Request interrupted by user]", "interrupted")
    assert not begins_with("why is there [Request interrupted by user]", "interrupted")
