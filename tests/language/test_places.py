"""Rules about all files but some, and about every file that is deleted."""

from __future__ import annotations

import json

import pytest

from holdfast.language.conditions import Call, matched
from holdfast.language.derived import derive


def _edit(path: str) -> Call:
    return Call("Edit", json.dumps({"file_path": path}), folder="/p", root="/p")


def _line(line: str) -> Call:
    return Call("Bash", json.dumps({"command": line}), folder="/p", root="/p")


@pytest.mark.parametrize(
    "text",
    [
        "Only edit files under src/.",
        "only touch `src/`",
        "Never edit anything outside `src/`.",
        "Don't make changes outside of the src/ folder unless I say so",
        "Nothing outside src/ may be changed.",
        "Everything except `src/` is off limits.",
        "Leave everything but `src/` alone.",
        "stay within src/",
        "Limit your changes to src/",
        "Work exclusively in the src folder.",
        "Bearbeite nur Dateien in src/",
        "Ändere nichts außerhalb von src/",
    ],
)
def test_what_lies_outside_of_a_place_is_held(text: str) -> None:
    """The place itself is free, which is the opposite of a ban that names it."""
    told = derive(text)
    assert told is not None and told.forbids and told.literal
    assert matched(told.condition, _edit("lib/a.py")) and matched(told.condition, _line("rm lib/a.py"))
    assert not matched(told.condition, _edit("src/a.py")) and not matched(told.condition, _line("ls lib"))


def test_several_places_are_free_together() -> None:
    """Each of a list is an exception."""
    told = derive("Only touch files in src/ and tests/.")
    assert told is not None and str(told.condition) == "**/*, !src/, !tests/"


@pytest.mark.parametrize("text", ["Never delete files without asking.", "Ask before deleting any file."])
def test_to_delete_any_file_is_held(text: str) -> None:
    """A file that is taken away, whichever it is; not one that is changed."""
    told = derive(text)
    assert told is not None and told.forbids
    assert matched(told.condition, _line("rm a.txt")) and matched(told.condition, _line("git rm -r lib"))
    assert not matched(told.condition, _edit("a.txt")) and not matched(told.condition, _line("echo a > b.txt"))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("Fasse nie ci/ an, außer ci/README.md", "ci/, !ci/README.md"),
        ("Never commit anything outside `lib/`", "git commit"),
    ],
)
def test_other_words_about_places(text: str, condition: str) -> None:
    """A letter that folds into two is read, and a commit does not show where its files lie."""
    told = derive(text)
    assert told is not None and str(told.condition) == condition
    assert told.literal is ("ci/" in condition)
