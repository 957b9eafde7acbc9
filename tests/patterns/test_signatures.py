"""Signatures: what stays of a text, and which two mean the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.patterns.clusters import distance, near, signature


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Error: listen EADDRINUSE :::3000", "Error: listen EADDRINUSE :::8080"),
        (
            "src/a.ts(12,5): error TS2304: Cannot find name 'Foo'.",
            "lib/a.ts(9,1): error TS2304: Cannot find name 'Foo'.",
        ),
        ("request 3f2a9c01-b7de failed after 120ms", "request 99ab01cd-0000 failed after 7s"),
        ("cannot open /tmp/tmpab12cd/x.sock", "cannot open /tmp/tmpff99aa/x.sock"),
        ("\x1b[31mfatal: bad object\x1b[0m", "fatal: bad object"),
    ],
)
def test_what_differs_from_time_to_time_is_left_out(one: str, other: str) -> None:
    """Numbers, hashes, times, folders, temporary names and colours make no difference."""
    assert signature(one) == signature(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No module named 'yaml'", "No module named 'toml'"),
        ("error TS2304: wrong type", "error TS2322: wrong type"),
        ("cannot find config.yaml", "cannot find config.json"),
        ("unknown flag: --reviewers", "unknown flag: --assignees"),
        ("connection refused by the server", "certificate expired on the server"),
    ],
)
def test_names_and_codes_tell_failures_apart(one: str, other: str) -> None:
    """Another module, code, file or option is another failure, however alike the rest is."""
    assert not near(signature(one), signature(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("could not conect to the database server", "could not connect to the database server at port 5432"),
        ("the lock file is out of date", "lock file out of date"),
        ("unable to authenticate user against directory", "unable to authenticate the user against a directory"),
    ],
)
def test_slightly_other_wordings_are_near(one: str, other: str) -> None:
    """A slip of the pen, small words and numbers do not make another signature."""
    assert near(signature(one), signature(other))


def test_a_head_must_be_the_same() -> None:
    """The same error of another command is another failure."""
    text = "connection refused by host"
    assert near(signature(text, "git push"), signature(text, "git push"))
    assert not near(signature(text, "git push"), signature(text, "npm publish"))


def test_opposites_are_not_near() -> None:
    """Tabs and not spaces is not spaces and not tabs; that only one of them negates a word makes no opposite."""
    assert not near("not-spac tab use", "not-tab spac use")
    assert near("delet not-tabl", "delet tabl")


def test_a_long_text_is_cut() -> None:
    """A signature is short, whatever it is made of."""
    assert len(signature("word" + " other".join(chr(97 + n % 26) * 9 for n in range(900)))) <= 200


def test_distance_counts_letters() -> None:
    """One letter more, less or other is one."""
    assert [distance("module", word) for word in ("module", "modul", "modules", "modale")] == [0, 1, 1, 1]
    assert distance("module", "mobile") == 2 < distance("module", "plan")


_TEXT = st.text(alphabet="abcde '\"`/.:-_0123456789\n", max_size=60)


@given(_TEXT, _TEXT)
def test_near_goes_both_ways(one: str, other: str) -> None:
    """Whichever of two comes first, the answer is the same, and a signature is near itself."""
    first, second = signature(one), signature(other)
    assert near(first, second) == near(second, first)
    assert near(first, first)
