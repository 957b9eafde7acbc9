"""Rules that want one thing done before another: a line that did it first is free, and no other is."""

from __future__ import annotations

import pytest

from holdfast.errors import BadInput
from holdfast.language.conditions import Call, matched, parse, runs_any
from holdfast.language.derived import derive


def _told(text: str, line: str) -> bool:
    told = derive(text)
    return told is not None and bool(matched(told.condition, Call("Bash", line, folder="/p", root="/p")))


@pytest.mark.parametrize(
    ("text", "at", "free"),
    [
        ("Before terraform plan, run terraform fmt.", "terraform plan", "terraform fmt && terraform plan"),
        ("Never commit without running `make check` first.", "git commit -m x", "make check && git commit -m x"),
        ("Don't push unless `make check` passes.", "git push", "cd api; make check && git push"),
        ("Never skip make test before pushing.", "git push", "bash -c 'make test && git push'"),
        ("Only push after running `npm test`.", "git push", "npm test; git push"),
        ("Commit only after `ruff check` is clean.", "git commit -m x", "ruff check . && git commit -m x"),
        ("Run `uv sync` before `pytest`.", "pytest -q", "uv sync && pytest -q"),
        ("After changing `schema.prisma` run `buf generate`.", "sed -i s/a/b/ schema.prisma", "buf generate"),
        ("Run `npm run lint` before every commit.", "git commit -m x", "npm run lint || exit 1\ngit commit -m x"),
    ],
)
def test_the_line_that_did_first_what_is_wanted_first_is_free(text, at, free) -> None:
    """Who obeyed is not told, and the call alone is."""
    assert _told(text, at) and not _told(text, free)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Before `git push` run `make check`.", "git push && make check"),
        ("Before `git push` run `make check`.", "make check || git push"),
        ("Before `git push` run `make check`.", "make check & git push"),
        ("Before `git push` run `make check`.", "echo make check && git push"),
        ("Ask me before git push.", "make check && git push"),
        ("Never git push after `make deploy`.", "make deploy && git push"),
    ],
)
def test_what_stands_behind_or_failed_was_not_done_first(text, line) -> None:
    """The order counts, and that it did not have to fail; who waits for the person is not content with a command."""
    assert _told(text, line)


def test_a_condition_can_be_given_what_frees_a_call_and_nothing_else() -> None:
    """`unless` is written back as it was read, and alone it is about no call."""
    assert str(parse("git push, unless: make check")) == "git push, unless: make check"
    assert runs_any("make check", ("make check",)) and not runs_any("make test", ("make check",))
    with pytest.raises(BadInput, match="before which call"):
        parse("unless: make check")
