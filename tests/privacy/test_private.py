"""What a person marked private."""

from __future__ import annotations

import pytest

from holdfast.privacy import private


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a < PRIVATE >b\n\nc</ private> d", "a [private] d"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a <private>b", "a [private]"),
        ("a </private> b", "a </private> b"),
        ("a private thing < b", "a private thing < b"),
        ("<private>a</private><private>b</private>", "[private][private]"),
    ],
)
def test_what_is_marked_goes(text, kept):
    """All between the marks goes, with them; a mark that nothing closes reaches to the end."""
    assert private.without(text) == kept


def test_a_long_text_is_no_trouble():
    """However far the marks are apart, what is between them goes."""
    assert private.without("x <private>" + "line\n" * 2_000_000 + "</private> y") == "x [private] y"
