"""What was done between a failure and the success of the same."""

from __future__ import annotations

import pytest

from holdfast.language.failures import error_line, fingerprint, names_in
from holdfast.learning.fixes.model import Fix
from holdfast.learning.fixes.retries import MAX_OPEN, Failure, Retries, change_of, fitting

MISSING = "ModuleNotFoundError: No module named 'yaml'"
TYPES = "src/cart.py:3: error: Incompatible return value type  [return-value]"


def failure(line: str, error: str) -> Failure:
    """Return a failure as it is taken."""
    said = error_line(error)
    return Failure(fingerprint(line, said), line, said, names_in(said), "2026-05-04T10:00:00Z")


def steps(retries: Retries, line: str) -> list[tuple[str, ...]]:
    """Let a line succeed, and return the steps of what that fixed."""
    return [one.steps for one in retries.ran(line, "2026-05-04T11:00:00Z")]


def fix(command: str, error: str, step: str, *names: str) -> Fix:
    """Return what fixed a failure."""
    return Fix("f", command, error, (step,), "some-agent", "s1", "shop", "2026-05-04T10:00:00Z", names=names)


def test_the_files_of_an_error_must_fit() -> None:
    """Where both errors speak of files one of them is the same; where one does not, that says nothing."""
    known = [fix("npm test", "no such door", "ran `npm ci`", "cart.py")]
    assert fitting(known, "npm test", "no such door", ["cart.py", "x.py"]) == known
    assert fitting(known, "npm test", "no such door", ()) == known
    assert fitting(known, "npm test", "no such door", ["door.py"]) == []


@pytest.mark.parametrize(
    ("error", "other", "step"),
    [
        ("target `wasm32-web` is not installed", "target `wasm64-web` is not installed", "ran `rustup add wasm32-web`"),
        ("port :::3000 is already in use", "port :::4000 is already in use", "ran `fuser -k 3000/tcp`"),
        ("lock of v1.2.3 is stale now", "lock of v1.2.4 is stale now", "edited a.toml: `v1.2.2` -> `v1.2.3`"),
    ],
)
def test_a_step_that_repeats_its_error_is_for_that_error(error: str, other: str, step: str) -> None:
    """What differs from failure to failure, and stands in the step too, must be in the new error."""
    known = [fix("trunk serve", error, step)]
    assert fitting(known, "trunk serve", error, ()) == fitting(known, "trunk build", error, ()) == known
    assert fitting(known, "trunk serve", other, ()) == []
    general = [fix("trunk serve", error, "ran `make again`")]
    assert fitting(general, "trunk serve", other, ()) == general


def test_another_form_is_for_its_own_sub_command() -> None:
    """A line that worked instead of one sub-command is no advice for another of the same program."""
    error = "the offline registry has no such crate"
    known = [fix("trunk build", error, "ran `trunk build --offline` instead")]
    assert fitting(known, "cd web && trunk build --release", error, ()) == known
    assert fitting(known, "trunk serve", error, ()) == []


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


def test_a_change_is_told_with_its_lines_where_it_teaches_something() -> None:
    """A rule of a linter and the settings of a tool are met again; of lines that are not known nothing is told."""
    retries = Retries()
    retries.failed(failure("mypy src", TYPES))
    retries.edited("src/cart.py", "`-> str` -> `-> int`")
    assert steps(retries, "mypy src") == [("edited src/cart.py: `-> str` -> `-> int`",)]
    retries.failed(failure("npm test", "Error: Cannot use import statement outside a module"))
    retries.edited("package.json", 'added `"type": "module",`')
    assert steps(retries, "npm test") == [('edited package.json: added `"type": "module",`',)]
    retries.failed(failure("mypy src", TYPES))
    retries.edited("src/cart.py")
    assert steps(retries, "mypy src") == []


def test_work_as_usual_is_no_fix() -> None:
    """Code that is changed until its tests pass, a slip of the pen and a name of that code teach nothing."""
    for line, error, path in (
        ("pytest", "tests/test_cart.py:9: AssertionError: the total is 3 and should be 4", "src/cart.py"),
        ("go test ./...", "cart_test.go:47: Total() = 3, want 4", "cart_test.go"),
        ("npm run build", "src/cart.ts(5,8): error TS1128: Declaration or statement expected.", "src/cart.ts"),
        ("npm run build", "src/cart.ts(5,8): error TS2304: Cannot find name 'Cart'.", "src/cart.ts"),
    ):
        retries = Retries()
        retries.failed(failure(line, error))
        retries.edited(path, "`a` -> `b`")
        assert steps(retries, line) == [], error


def test_half_a_fix_is_none() -> None:
    """Where something was taken away first, or a secret given, what was run beside it is not told alone."""
    broken = "Error: the tree of packages is invalid: expected 4.1"
    for first in ("rm -rf node_modules package-lock.json", "npm config set token [redacted:npm-token]"):
        retries = Retries()
        retries.failed(failure("npm run build", broken))
        steps(retries, first)
        steps(retries, "npm install")
        assert steps(retries, "npm run build") == []
    retries = Retries()
    retries.failed(failure("npm run build", broken))
    steps(retries, "npm install")
    assert steps(retries, "npm run build") == [("ran `npm install`",)]


def test_among_several_commands_those_that_the_error_speaks_of() -> None:
    """What sets something up, or names what was missing, helped; of what else was run nobody knows."""
    retries = Retries()
    retries.failed(failure("pytest", MISSING))
    steps(retries, "rm -rf out")
    steps(retries, "pip install pyyaml")
    assert steps(retries, "pytest") == [("ran `pip install pyyaml`",)]
    retries.failed(failure("npm run e2e", "Error: the browser engine broke down at once"))
    steps(retries, "rm -rf out")
    steps(retries, "node tools/reset.js")
    assert steps(retries, "npm run e2e") == []


def test_waiting_and_running_again_is_no_fix() -> None:
    """Nor is the same line with its output cut, or one after which something is printed."""
    waited = "sleep 5 && make deploy", "timeout 60 make deploy"
    for again in (*waited, "make deploy 2>&1 | tail -5", "make deploy; echo $?"):
        retries = Retries()
        retries.failed(failure("make deploy", "Error: the cluster engine is not ready"))
        steps(retries, "sleep 20")
        assert steps(retries, again) == [], again


def test_all_of_a_line_must_work_again() -> None:
    """Where nobody knows which part of a line failed, one part that passes says nothing about the rest."""
    retries = Retries()
    retries.failed(failure("npm run lint && npm test", MISSING))
    steps(retries, "npm install yaml")
    assert steps(retries, "npm run lint") == []
    assert steps(retries, "npm run lint; npm test") == [("ran `npm install yaml`",)]


def test_another_form_is_one_that_the_error_explains() -> None:
    """A part of the tests, another file and another word that the error does not speak of are no answer to it."""
    retries = Retries()
    for failed, error, line in (
        ("npm test", "Error: the cart engine broke down", "npm test -- --grep till"),
        ("eslint --max-warnings=0 src", "src/a.ts:1:1: error: no-explicit-any is a rule", "eslint src"),
        ("cp src/a.txt out", "cp: src/a.txt: No such file or directory", "cp lib/a.txt out"),
        ("deploy shop blue", "Error: the blue-print of the region is unknown", "deploy shop green"),
    ):
        retries.failed(failure(failed, error))
        assert steps(retries, line) == [], line
    retries.failed(failure("git push", "fatal: The current branch main has no upstream branch."))
    assert steps(retries, "git push -u origin main") == [("ran `git push -u origin main` instead",)]
    retries.failed(failure("npm ci", "npm error ERESOLVE could not resolve the tree of peers"))
    assert steps(retries, "npm ci --legacy-peer-deps") == [("ran `npm ci --legacy-peer-deps` instead",)]


def test_two_failures_on_the_way() -> None:
    """Where the same command fails otherwise on the way, each failure has the steps that were done against it."""
    retries = Retries()
    retries.failed(failure("mypy src", MISSING))
    steps(retries, "pip install pyyaml")
    retries.failed(failure("mypy src", TYPES))
    retries.edited("src/cart.py", "`-> str` -> `-> int`")
    assert sorted(steps(retries, "mypy src")) == [
        ("edited src/cart.py: `-> str` -> `-> int`",),
        ("ran `pip install pyyaml`",),
    ]


def test_what_did_not_help() -> None:
    """Steps before the same failure came again are no part of its fix."""
    retries = Retries()
    retries.failed(failure("pytest", MISSING))
    steps(retries, "pip install yaml")
    retries.failed(failure("pytest", MISSING))
    steps(retries, "pip install pyyaml")
    assert steps(retries, "pytest") == [("ran `pip install pyyaml`",)]


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
    steps(retries, "pip install engine")
    assert steps(retries, "toolaa go") == [("ran `pip install engine`",)]
    assert steps(retries, f"tool{letter} go") == []


def test_the_change_of_an_edit() -> None:
    """An edit is told by the lines that it changed, where its arguments say both sides and they are few."""
    both = {"old_string": "a\nport = 80\n", "new_string": "a\nport = 8080\n"}
    assert change_of(both) == "`port = 80` -> `port = 8080`"
    assert change_of({"edits": [{"oldText": "a", "newText": "a\nb"}]}) == "added `b`"
    patch = "*** Begin Patch\n*** Update File: a.toml\n@@\n port = 1\n-go = '1.2'\n+go = '1.3'\n*** End Patch"
    assert change_of(patch) == change_of({"input": patch}) == "`go = '1.2'` -> `go = '1.3'`"
    assert change_of({"old_string": "a\nb\nc", "new_string": "d\ne\nf"}) == ""
    assert change_of({"content": "whole"}) == change_of("patch") == change_of(None) == ""
