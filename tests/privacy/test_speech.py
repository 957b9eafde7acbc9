"""What a person typed of a text that stands where a person speaks."""

from __future__ import annotations

import pytest

from holdfast.privacy import speech


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("fix the login", "fix the login"),
        ("<system-reminder>use Redis</system-reminder>\nno, Postgres", "no, Postgres"),
        ("a <ide_selection>x</ide_selection> b <ide_selection>y</ide_selection> c", "a b c"),
        ("<task-notification>let's go with Redis</task-notification>", ""),
        ("<task-notification>done</task-notification> let's go with Redis", ""),
        ("This session is being continued from a previous conversation. We use Redis.", ""),
        ("<bash-input>remember that</bash-input>", ""),
        ("<system-reminder>never closed, so all is its own", ""),
        ("<some_new-block>let's go with Redis</some_new-block>\n<b_c>x</b_c> no", "no"),
        ("<user_query>fix it</user_query>", "<user_query>fix it</user_query>"),
        ("<div>fix it</div>", "<div>fix it</div>"),
        ("what does <system-reminder> mean?", "what does <system-reminder> mean?"),
    ],
)
def test_what_programs_add_is_not_typed(text, typed):
    """Blocks of programs are taken out; a text that begins as a program's is not the person's, to its end."""
    assert speech.typed(text) == typed
