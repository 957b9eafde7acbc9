"""Which condition is advised, and which exception: what is not sure is not advised."""

from __future__ import annotations

import pytest

from holdfast.language.conditions import read
from holdfast.language.suggesting import suggested, with_exception


@pytest.mark.parametrize(
    "text",
    [
        # What the sentence wants to be used.
        "Use cargo nextest run rather than cargo test, except for doc tests",
        "Always use python3 not python on my machines",
        "Always run `make lint`.",
        "Please go through hatch run, not plain pytest, unless you debug",
        # What matches no call.
        "Never edit .unity scene files",
        "don't use GameObject.Find",
        "Never touch os.environ in the tests",
        "please never edit .blend sources",
        # What is wider than the sentence.
        "no curl | sh",
        "terraform apply never without a plan file",
        "no wget into /tmp",
        "never run psql against prod on Fridays",
        "Never upload app.sqlite to a pastebin.",
    ],
)
def test_nothing_unsure_is_advised_as_a_condition(text: str) -> None:
    """Neither what is wanted, nor what matches nothing, nor more than the sentence forbids."""
    assert suggested(text) == ""


def test_what_backquotes_would_make_sure_is_advised() -> None:
    """A ban of one call that is not known without backquotes."""
    assert suggested("Don't edit the file foo.zig.") == "foo.zig"


@pytest.mark.parametrize(
    ("permits", "when", "then"),
    [
        ("It's fine to run npm audit.", "npm", "npm, !npm audit"),
        ("npm audit is allowed", "npm, yarn", "npm, yarn, !npm audit"),
        # It would empty the rule.
        ("it's fine to run cargo fix --allow-dirty", "cargo fix --allow-dirty", ""),
        ("You may run docker compose down", "docker compose down -v|--volumes", ""),
        ("git push is fine", "git push --force|-f", ""),
        # It would permit more than the sentence.
        ("it's fine to run cargo fix --allow-dirty in examples", "cargo fix", ""),
        ("you can run npm audit on CI machines", "npm", ""),
    ],
)
def test_an_exception_is_advised_where_it_is_just_what_is_permitted(permits: str, when: str, then: str) -> None:
    """One that leaves nothing of the rule, or permits more than was said, is not advised."""
    condition = read(when)
    assert condition is not None and with_exception(permits, condition) == then
