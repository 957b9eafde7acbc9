"""A digest as Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.records import Cost, replace
from holdfast.sessions.transcript import code, plain
from holdfast.sessions.transcript import digest_page as markdown

from .making import SESSION, answer, digested, edited, human, ran


def test_a_page_has_a_section_for_what_there_is() -> None:
    """Facts, asks, files, checks, commits, quotes, errors and evidence have their lines, and nothing empty is shown."""
    page = markdown(
        digested(
            human("Add a cart"),
            edited("a.py"),
            ran("pytest", "E  NameError: x\n1 failed", True),
            human("That's wrong. Let's use integers."),
            ran("pytest", "5 passed"),
            ran("git commit -m Cart", "[main 1a2b3c4] Cart"),
            answer(),
            session=replace(SESSION, cost=Cost(input=1_200, dollars=0.5)),
        )
    )
    for line in (
        *("# Add a cart", "- Outcome: success (80% sure)", "- Cost: $0.50; tokens: 1,200 input", "- `a.py` (line 11)"),
        *("- test, passed: `pytest`, 2 times, 1 failed (line 41)", "- `1a2b3c4` Cart (line 51)"),
        *("- decision: Let's use integers. (line 31)", "- `pytest`: E NameError: x, passed when run again (line 21)"),
        "- tests-passed speaks for success (2): pytest (line 41)",
    ):
        assert line in page.splitlines()
    assert "## Evidence" in page and "## Pull requests" not in page


def test_an_empty_session_is_a_page_too() -> None:
    """There is a title and an outcome, and no section."""
    page = markdown(digested())
    assert page.startswith("# A session without a title\n\n- Outcome: unknown\n")
    assert "##" not in page


def test_text_of_a_session_opens_no_markup() -> None:
    """Headings, links, images, tags and backticks of a person or a command are shown as they are."""
    page = markdown(digested(human("# Hi ![x](http://e.vil) <img src=x> `a`"), ran("echo `x` `` y", "error", True)))
    assert "](http" not in page.replace("\\](", "")
    assert "\\<img" in page
    assert page.count("\n# ") == 0


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("the created_at of issue #7", "the created_at of issue #7"),
        ("_this_ and __init__", "\\_this\\_ and \\_\\_init\\_\\_"),
        ("# Head", "\\# Head"),
        ("a head #", "a head \\#"),
        ("- point", "\\- point"),
        ("> quote", "\\> quote"),
        ("1. step", "1\\. step"),
        ("1.5 litres", "1.5 litres"),
    ],
)
def test_only_what_would_be_markup_is_escaped(text: str, shown: str) -> None:
    """Names with underscores and numbers stay readable; what opens a list, a heading or emphasis does not."""
    assert plain(text) == shown


@given(st.text(alphabet="ab` \n", max_size=20))
def test_code_closes_only_at_its_end(text: str) -> None:
    """The fence of a span of code is longer than any run of backticks within it."""
    span = code(text)
    fence = span[: len(span) - len(span.lstrip("`"))]
    assert fence not in span[len(fence) : -len(fence)].replace("`" * (len(fence) + 1), "")


def test_plain_text_is_one_line() -> None:
    """Line ends become spaces, so that a list stays a list."""
    assert plain("a\n\n- b") == "a - b"


def test_a_file_elsewhere_is_shown_with_its_folder() -> None:
    """A path that begins in another folder than the session's is told as a whole."""
    page = markdown(digested(human("x"), replace(edited("b.py"), folder="/home/ann/other")))
    assert "- `/home/ann/other/b.py` (line 11)" in page.splitlines()
