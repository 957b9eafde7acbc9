"""What was done between a failure and the success of the same."""

from __future__ import annotations

from holdfast.language.failures import error_line, fingerprint, names_in
from holdfast.learning.fixes.retries import MAX_OPEN, Failure, Retries, change_of

MISSING = "ModuleNotFoundError: No module named 'yaml'"
TYPES = "src/cart.py:3: error: Incompatible return value type"


def failure(line: str, error: str) -> Failure:
    """Return a failure as it is taken."""
    said = error_line(error)
    return Failure(fingerprint(line, said), line, said, names_in(said), "2026-05-04T10:00:00Z")


def steps(retries: Retries, line: str) -> list[tuple[str, ...]]:
    """Let a line succeed, and return the steps of what that fixed."""
    return [one.steps for one in retries.ran(line, "2026-05-04T11:00:00Z")]


def test_a_command_between() -> None:
    """What was run between a failure and the success of the same command is the fix."""
    retries = Retries()
    retries.failed(failure("pytest", MISSING))
    assert steps(retries, "pip install pyyaml") == []
    assert steps(retries, "pytest -q 2>&1 | tail -3") == [("ran `pip install pyyaml`",)]
    assert steps(retries, "pytest") == [], "it is fixed"


def test_a_file_that_was_made() -> None:
    """An empty file that was missing is a fix, though the folder for it alone is none."""
    retries = Retries()
    retries.failed(failure("pytest", "ModuleNotFoundError: No module named 'shop'"))
    steps(retries, "mkdir -p notes")
    steps(retries, "mkdir shop && touch shop/__init__.py")
    assert steps(retries, "pytest") == [("ran `mkdir shop && touch shop/__init__.py`",)]


def test_another_form_of_the_line() -> None:
    """A line that works when it is said otherwise is the fix itself."""
    retries = Retries()
    retries.failed(failure("python load.py", "bash: python: command not found in here"))
    assert steps(retries, "python3 load.py") == [("ran `python3 load.py` instead",)]


def test_what_goes_by_itself_teaches_nothing() -> None:
    """The same line that works when it is run again, or after a commit, shows no fix; nor does another test."""
    retries = Retries()
    retries.failed(failure("pytest tests/test_a.py", MISSING))
    steps(retries, "git add -A && git commit -m x")
    assert steps(retries, "pytest tests/test_b.py") == []
    assert steps(retries, "pytest tests/test_a.py") == []
    retries.failed(failure("npm ci", "npm error network request failed: ENOTFOUND registry"))
    retries.edited("README.md")
    assert steps(retries, "npm ci") == [], "no edit brings a network back"


def test_the_most_telling_comes_first() -> None:
    """A file of which the error speaks comes before others, then what sets something up; at most three are told."""
    retries = Retries()
    retries.failed(failure("mypy src", TYPES))
    retries.edited("src/cart.py", "`-> str` -> `-> int`")
    for path in ("docs/a.md", "docs/b.md", "docs/c.md"):
        retries.edited(path)
    steps(retries, "pip install types-x")
    assert steps(retries, "mypy src") == [
        ("edited src/cart.py (`-> str` -> `-> int`)", "ran `pip install types-x`", "edited docs/c.md")
    ]


def test_two_failures_on_the_way() -> None:
    """Where the same command fails otherwise on the way, each failure has the steps that were done against it."""
    retries = Retries()
    retries.failed(failure("mypy src", MISSING))
    retries.edited("setup.py")
    retries.failed(failure("mypy src", TYPES))
    retries.edited("src/cart.py")
    assert sorted(steps(retries, "mypy src")) == [("edited setup.py",), ("edited src/cart.py",)]


def test_what_did_not_help() -> None:
    """Steps before the same failure came again are no part of its fix."""
    retries = Retries()
    retries.failed(failure("pytest", MISSING))
    retries.edited("guess.py")
    retries.failed(failure("pytest", MISSING))
    retries.edited("right.py")
    assert steps(retries, "pytest") == [("edited right.py",)]


def test_too_much_was_done() -> None:
    """Among many steps nobody can say which one helped."""
    retries = Retries()
    retries.failed(failure("pytest", MISSING))
    for number in range(11):
        retries.edited(f"src/{number}.py")
    assert steps(retries, "pytest") == []


def test_it_is_bounded() -> None:
    """Of more failures than are held no one is added, and the first ones stay."""
    retries = Retries()
    for letter in (f"{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(MAX_OPEN * 2)):
        retries.failed(failure(f"tool{letter} go", f"Error: the {letter * 3} engine broke down"))
    retries.edited("a.py")
    assert steps(retries, "toolaa go") == [("edited a.py",)]
    assert steps(retries, f"tool{letter} go") == []


def test_the_change_of_an_edit() -> None:
    """An edit is told by its first changed line, where its arguments say both sides."""
    both = {"old_string": "a\nport = 80\n", "new_string": "a\nport = 8080\n"}
    assert change_of(both) == "`port = 80` -> `port = 8080`"
    assert change_of({"edits": [{"oldText": "a", "newText": "a\nb"}]}) == "added `b`"
    assert change_of({"content": "whole"}) == change_of("patch") == change_of(None) == ""
