"""Events as Markdown that stays in its fences."""

from __future__ import annotations

import pytest

from holdfast.base.terminal import harmless
from holdfast.records import SessionEvent
from holdfast.sessions.transcript import fenced, heading, markdown_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("a\rb", "a\\rb"),
        ("a\r\nb\tc", "a\nb\tc"),
        ("\x9b2J", "\\u009b2J"),
        ("\u202eabc", "\\u202eabc"),
        ("plain ü 部署 🚀", "plain ü 部署 🚀"),
        ("\ud800", "\\ud800"),
    ],
)
def test_control_characters_are_written_out(text, shown) -> None:
    """What a terminal would obey is shown instead; letters of all scripts, tabs and line ends stay."""
    assert harmless(text) == shown


@pytest.mark.parametrize("text", ["```\nout", "`````", "~~~", "no ticks"])
def test_no_text_ends_its_fence(text) -> None:
    """The fence is longer than any run of backticks inside."""
    lines = fenced(text).split("\n")
    assert lines[0] == lines[-1] and set(lines[0]) == {"`"}
    assert not any(line.startswith(lines[0]) for line in lines[1:-1])


def test_an_event_says_who_what_and_when() -> None:
    """The heading has place, role, tool, failure, time and duration; input and output stand below it."""
    event = SessionEvent(
        4, "tool", tool="Bash", input="ls", output="no", failed=True, milliseconds=1500, at="T", line=9
    )
    assert heading(event) == "4 · tool · Bash · failed · T · 1.5 s · line 9"
    (text,) = markdown_of([event])
    assert text == "## 4 · tool · Bash · failed · T · 1.5 s · line 9\n\n```\nls\n```\n\n```\nno\n```\n\n"
