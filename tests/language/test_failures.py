"""What error texts say: what differs from time to time is left out, and what tells two failures apart stays."""

from __future__ import annotations

import pytest

from holdfast.language import failures
from holdfast.language.failures import MAX_ERROR, error_line, is_refused, names_in, normalised

MISSING = "ModuleNotFoundError: No module named 'yaml'"

SAME = [
    ("open /home/ann/shop/a.toml: permission denied", "open /srv/box7/shop/a.toml: permission denied"),
    ("bind 127.0.0.1:8080: address already in use", "bind 127.0.0.1:9931: address already in use"),
    ("bad object 9f2c1ab77e in pack", "bad object 00aa91cd3e in pack"),
    ("2026-11-15T18:00:01Z lock is held by 4711", "2025-01-02T03:04:05Z lock is held by 12"),
    ("node v18.2.1 is too old for vite", "node v20.11.0 is too old for vite"),
    ("cannot remove tmp8f3kx2 twice", "cannot remove tmpq91mz7a twice"),
    ("\x1b[31mcannot\x1b[0m open the \x1b[1mdoor\x1b[0m", "cannot open the door"),
    ("job 550e8400-e29b-41d4-a716-446655440000 was lost", "job 123e4567-e89b-12d3-a456-426614174000 was lost"),
    ("Cannot find module 'C:\\shop\\x.js' here", "cannot find module '/shop/x.js' here"),
]


def fingerprint(line: str, output: str) -> str:
    """Return the fingerprint of a line that failed with this output."""
    return failures.fingerprint(line, error_line(output))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_varies_is_left_out(one: str, other: str) -> None:
    """Paths, numbers, hashes, times, versions, ports, ids, temporary names and colours make no difference."""
    assert normalised(one) == normalised(other)
    assert fingerprint("npm test", one) == fingerprint("npm test", other) != ""


def test_what_tells_stays() -> None:
    """Another message, program or sub-command is another failure; options, folders and pipes are not."""
    known = fingerprint("pytest -x", MISSING)
    assert known and len(known) == 16
    assert fingerprint("cd /tmp && python3 -m pytest tests/ 2>&1 | tail", f"Exit code 1\n{MISSING}\n") == known
    assert fingerprint("pytest", f"Error: {MISSING}") == known
    assert fingerprint("pytest", "ModuleNotFoundError: No module named 'attrs'") != known
    assert fingerprint("mypy", MISSING) != known
    assert fingerprint("npm ci", MISSING) != fingerprint("npm test", MISSING)


@pytest.mark.parametrize(
    "error", ["", "exit code 1", "Error: Command failed with exit code 1", "FAILED", "AssertionError: assert 3 == 4"]
)
def test_a_vague_error_has_none(error: str) -> None:
    """An error that says no more than that something failed would be taken for every other, so it has none."""
    assert fingerprint("npm test", error) == ""


def test_a_line_that_only_looks_has_none() -> None:
    """That something was not found by looking is no failure."""
    assert fingerprint("grep -r x . && ls y", "ls: y: No such file or directory") == ""


def test_the_line_of_the_error() -> None:
    """Of an output the line counts that says the error, whatever agents, logs, passes and warnings put around it."""
    noise = "Exit code 1\n(pass) all is well [3ms]\n✓ error is shown\nnpm warn old lockfile\nWarning: missing cache\n"
    assert error_line(f"{noise}  85 | throw new Error('x')\nTypeError: door is not iterable\n") == (
        "TypeError: door is not iterable"
    )
    assert error_line("[10:28:56] task failed: retried\nsrc/a.ts(3,1): error TS1: ';' expected before it\n").startswith(
        "src/a.ts"
    )
    assert error_line(
        "Command: npm t\nDirectory: /x\nStdout: (empty)\nStderr: sh: vitest: not found\nExit Code: 127"
    ) == ("sh: vitest: not found")
    assert error_line("No agent runs there") == "No agent runs there"
    assert error_line("a\nb\nc\nd\ne\nf\ng") == "", "nobody speaks of an error"


def test_a_hook_and_a_harvest_agree() -> None:
    """Of a long output only what a hook is told counts, so that both find the same."""
    long = f"{MISSING}\n" + "x\n" * MAX_ERROR + "Error: another thing broke down\n"
    assert fingerprint("pytest", long) == fingerprint("pytest", long[:MAX_ERROR]) != ""


def test_names() -> None:
    """The files that an error speaks of are known by name, without folder, line and what varies."""
    assert names_in("src/shop/cart.py:12: error in /tmp/x81723/setup.cfg and 'a.b.c'") == (
        "cart.py",
        "setup.cfg",
        "a.b.c",
    )
    assert names_in("nothing is named here, at 3.5 seconds") == ()


def test_what_was_not_let_run() -> None:
    """A call that a person refused is told from one that failed."""
    assert is_refused("The user doesn't want to proceed with this tool use.")
    assert not is_refused("Permission denied: /etc/shadow")


def test_any_text_is_taken() -> None:
    """Odd bytes, lone surrogates and very long words end in a fingerprint or none, never in an error."""
    for text in ("\x1b", "\x1b[", "\x1b]0;t\x07x", "\ud800 cannot go on there", "/" * 5_000, "a" * 50_000, "'\"`((("):
        assert isinstance(fingerprint(f"make {text}", text), str)


def test_every_command_that_may_have_failed() -> None:
    """A fix that was learned under another command of the same line is found by the fingerprints of the line."""
    line = "git checkout main && npm ci"
    found = failures.fingerprints(line, MISSING)
    assert failures.fingerprint("git checkout main", MISSING) in found
    assert failures.fingerprint("npm ci", MISSING) in found
    assert failures.fingerprint(line, MISSING) == failures.fingerprint("npm ci", MISSING)


def test_tags_around_an_error() -> None:
    """The tags that an agent puts around an error are no part of it."""
    assert failures.without_tags("<tool_use_error>File does not exist.</tool_use_error>") == "File does not exist."


def test_the_first_message() -> None:
    """Where no line tells which error it was, one that begins as an error does stands for it, or else the first."""
    assert failures.first_message("Exit code: 1\nOutput:\n\nhello\nthere") == "hello"
    assert failures.first_message("?  shop/cart [no test files]\nFAIL") == "FAIL"


def test_a_package_without_tests_is_not_the_failure() -> None:
    """Go tells which packages have no tests before it tells what failed; such a line never names the failure."""
    told = "?   \tx/y\t[no test files]\nok  \tx/y/a\t1s\n--- FAIL: TestA (0.00s)\n    a_test.go:4: boom\nFAIL"
    assert error_line(told) == "a_test.go:4: boom"


def test_a_line_with_which_a_program_goes_on_is_no_error() -> None:
    """It found another way, so the error is what comes later."""
    shown = (
        "Error retrieving versions, using already-installed version Error: getaddrinfo ENOTFOUND update.example\n"
        "Running the extension tests of the shop\n"
        "Error: the test run was terminated by the signal SIGABRT\n"
    )
    assert "SIGABRT" in error_line(shown)


def test_the_cause_tells_a_failure_and_not_the_line_that_announces_it() -> None:
    """Two modules that a conftest or a test lacks are two failures, and the same one is the same everywhere."""

    def told(kind: str, path: str, module: str) -> str:
        where = f"ImportError while {kind} '{path}'.\n{path}:1: in <module>\n    import {module}\n"
        return error_line(f"{where}E   ModuleNotFoundError: No module named '{module}'")

    assert told("loading conftest", "/x/conftest.py", "requests") == "ModuleNotFoundError: No module named 'requests'"
    one = told("importing test module", "/x/test_a.py", "yaml")
    assert fingerprint("pytest", one) == fingerprint("pytest", told("loading conftest", "/y/conftest.py", "yaml"))
    assert fingerprint("pytest", one) != fingerprint("pytest", told("importing test module", "/x/test_a.py", "toml"))
