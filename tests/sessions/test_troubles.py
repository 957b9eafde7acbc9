"""Errors and how they ended."""

from __future__ import annotations

import json

import pytest

from holdfast.records import SessionEvent, replace
from holdfast.sessions.troubles import MAX_TROUBLES, error_line

from .making import answer, digested, edited, human, ran

ASK = human("Add a cart")


def test_a_later_success_of_the_same_fixes_an_error() -> None:
    """The same command with fewer arguments does all of that; another does not."""
    digest = digested(
        ASK,
        ran("pytest tests/a.py", "E   NameError: x\n1 failed", True),
        edited("a.py"),
        ran("pytest", "3 passed"),
        answer(),
    )
    assert [(one.about, one.text, one.ended) for one in digest.troubles] == [
        ("pytest tests/a.py", "E NameError: x", "fixed")
    ]
    left = digested(ASK, ran("pytest", "1 failed", True), ran("npm run build", "done"))
    assert [one.ended for one in left.troubles] == ["left"]


@pytest.mark.parametrize(
    ("failed", "error", "passed", "ended"),
    [
        ("pytest tests/a.py", "1 failed", "pytest tests/b.py", "left"),
        ("pytest tests/a.py", "1 failed", "pytest tests -v", "fixed"),
        ("pytest", "FAILED tests/a.py::test_x - assert", "pytest tests/a.py", "fixed"),
        ("pytest", "FAILED tests/a.py::test_x - assert", "pytest tests/b.py", "left"),
        ("go test ./cart/...", "--- FAIL: TestTotal (0.0s)", "go test ./cart/... -run TestTotal", "fixed"),
        ("go test ./cart/...", "--- FAIL: TestTotal (0.0s)", "go test ./cart/... -run TestOther", "left"),
        ("go test -race ./cart", "--- FAIL: TestTotal (0.0s)", "go test ./cart", "otherwise"),
        ("golangci-lint run --no-config ./cart", "a.go:1:1: no comment", "mise run lint", "otherwise"),
        ("mise run lint:vulnerabilities", "Found 2 in net", "mise run lint:format", "left"),
        ("mise run lint:format", "a.go:1:1: tabs", "mise run lint", "fixed"),
        ("git commit -m one", "hook failed", "git commit -m two", "fixed"),
        ("./deploy.sh staging", "Error: no such host", "./deploy.sh test", "otherwise"),
        ("git switch main && git pull", "fatal: Not possible to fast-forward", "git switch -c cart", "left"),
        ("git switch main && git pull", "fatal: Not possible to fast-forward", "git switch main && git pull", "fixed"),
    ],
)
def test_only_the_same_run_fixes_an_error(failed: str, error: str, passed: str, ended: str) -> None:
    """Other arguments are another run, but for those that the error names and a folder around the ones there were."""
    digest = digested(ASK, ran(failed, error, True), edited("a.py"), ran(passed, "3 passed\nok a 1s"))
    assert [one.ended for one in digest.troubles] == [ended]


def test_what_passes_with_nothing_changed_was_not_fixed() -> None:
    """It passed when it was run again; a linter that mends, a build and a removal change something."""
    failing = ran("npm run lint", "a.ts:3:1: unused", True)
    for between, ended in (
        (ran("cat a.ts", "x"), "rerun"),
        (ran("npm run lint:fix", "Fixed 1 file."), "fixed"),
        (ran("npm run build", "Build complete"), "fixed"),
        (ran("rm -rf clones"), "fixed"),
    ):
        assert [one.ended for one in digested(ASK, failing, between, ran("npm run lint", "")).troubles] == [ended]


def test_a_part_of_a_line_that_passed_does_not_end_the_error_of_the_line() -> None:
    """Both are forms of one task, and the second failed in the same line."""
    failing = ran(
        "mise run lint:format && mise run lint:vulnerabilities", "[lint:vulnerabilities] ERROR task failed", True
    )
    assert [one.ended for one in digested(ASK, failing).troubles] == ["left"]


def test_one_error_told_by_two_commands_ends_with_either_and_is_told_once() -> None:
    """The tests could not be compiled, the compiler says the same, and it is content later."""
    error = "src/a.ts(3,7): error TS2739: Type is missing x"
    digest = digested(
        ASK,
        ran("npm test -- --grep cart", error, True),
        ran("npm run check-types", error, True),
        edited("a.ts"),
        ran("npm run check-types", ""),
    )
    assert [(one.about, one.times, one.ended) for one in digest.troubles] == [("npm test -- --grep cart", 2, "fixed")]


def test_a_check_that_ran_at_last_had_no_error_when_it_could_not() -> None:
    """It was begun in the wrong folder."""
    digest = digested(ASK, ran("npm run lint", 'npm error Missing script: "lint"', True), ran("npm run lint", ""))
    assert digest.troubles == ()


def test_an_error_that_differs_only_in_numbers_and_paths_is_repeated() -> None:
    """Line numbers, hashes and folders do not make another error, and first and last place are kept."""
    failing = [ran("npm run build", f"error: /tmp/{at}/a.ts line {at} is bad", True) for at in (12, 345)]
    [trouble] = digested(ASK, *failing).troubles
    assert (trouble.times, trouble.ended) == (2, "repeated")
    assert (trouble.place, trouble.last_place, trouble.last_line) == (1, 2, 21)


def test_what_was_left_comes_before_what_was_fixed() -> None:
    """What failed and was never run again with success stands first."""
    digest = digested(ASK, ran("npm test", "1 failed", True), ran("npm test", "3 passed"), ran("make", "Error 2", True))
    assert [(one.about, one.ended) for one in digest.troubles] == [("make", "left"), ("npm test", "rerun")]


def test_how_an_agent_works_is_no_error() -> None:
    """An edit that was taken at the second try, a file that is not there, a call that the program did not take."""
    never_run = ran("make", "<tool_use_error>InputValidationError: Bash failed</tool_use_error>", True)
    missing = SessionEvent(0, "tool", tool="Read", input='{"file_path": "b.py"}', output="No such file.", failed=True)
    digest = digested(ASK, edited("a.py", "String not found", True), edited("a.py"), missing, never_run)
    assert (digest.troubles, digest.failed_calls) == ((), 3)
    assert [one.about for one in digested(ASK, edited("a.py", "Permission denied", True)).troubles] == ["a.py"]


def test_a_check_that_could_not_be_run_says_nothing_beside_one_that_was() -> None:
    """Only where there is no other check of its kind it is told."""
    void = ran("rtk bun run test", "error: unrecognized subcommand 'bun'", True)
    digest = digested(ASK, void, ran("bun run test", "3 pass\n0 fail"))
    assert [one.text for one in digest.checks] == ["bun run test"]
    assert (digest.troubles, digest.left_out) == ((), ())
    assert [one.result for one in digested(ASK, void).checks] == ["unknown"]


def test_a_pipe_fixes_no_check() -> None:
    """What `grep` lets through says nothing about how the tests ended."""
    failed = ran("bun test src/ | tail -3", " 3 pass\n 1 fail\n")
    [trouble] = digested(ASK, failed, ran("bun test src/ | grep ^src", "src/a.test.ts:")).troubles
    assert trouble.ended == "left"


def test_a_refusal_and_an_empty_search_are_no_errors() -> None:
    """The person said no, or nothing was found: neither is listed, only counted where it was refused."""
    digest = digested(
        ASK, ran("rm -r x", "The user doesn't want to proceed with this tool use.", True), ran("grep -r x .", "", True)
    )
    assert digest.troubles == ()
    assert (digest.refused_calls, digest.failed_calls) == (1, 0)


def test_a_failing_check_behind_a_pipe_is_an_error() -> None:
    """The exit is that of `tail`, but the output says what happened."""
    [trouble] = digested(ASK, ran("pytest | tail -5", "FAILED a.py::test_x - assert 1 == 2\n1 failed")).troubles
    assert trouble.text == "FAILED a.py::test_x - assert 1 == 2"


def test_the_line_that_says_the_error_is_found() -> None:
    """Frames of an agent around an output are passed over; a line that begins with an error wins."""
    assert (
        error_line("Exit code: 1\nWall time: 2 s\nOutput:\nstarting\nfatal: no such ref\nmore") == "fatal: no such ref"
    )
    assert error_line("<tool_use_error>File does not exist.</tool_use_error>") == "File does not exist."
    assert error_line("Loading, could not say why\nTypeError: x is not a function") == "TypeError: x is not a function"
    assert error_line("") == ""


def test_very_many_errors_stay_bounded() -> None:
    """Beyond the bound they are only counted."""
    events = [ran(f"tool{'x' * number} go", f"error: {'y' * number}", True) for number in range(MAX_TROUBLES + 50)]
    digest = digested(ASK, *events)
    assert digest.failed_calls == MAX_TROUBLES + 50
    assert len(digest.troubles) + dict(digest.left_out)["troubles"] == MAX_TROUBLES + 50


def test_each_command_of_a_line_that_passed_fixes_its_own_errors() -> None:
    """A line shows one of its commands, but all of them ran."""
    digest = digested(
        ASK, ran("mise run lint", "a.go:3:1: unused (deadcode)", True), ran("mise run test && mise run lint", "ok a 1s")
    )
    assert [one.ended for one in digest.troubles] == ["rerun"]


def test_a_check_of_everything_fixes_what_a_part_of_it_found() -> None:
    """A task of the project without arguments runs all checks of its kind; one of a single file does not."""
    failing = ran("go test ./cart/", "--- FAIL: TestTotal (0.00s)\nFAIL", True)
    assert [one.ended for one in digested(ASK, failing, ran("mise run test", "ok  cart 1s")).troubles] == ["rerun"]
    narrow = digested(ASK, failing, ran("npm test -- src/page.test.ts", "3 passed"))
    assert [one.ended for one in narrow.troubles] == ["left"]
    other = digested(ASK, failing, ran("mise run lint", "0 issues."))
    assert [one.ended for one in other.troubles] == ["left"]


def test_where_nobody_can_tell_which_command_failed_the_line_is_named() -> None:
    """Of a chain only its exit is known; a message that begins with the name of a program is that program's."""
    output = "ssh: connect to host example.com port 22: timed out\nfatal: Could not read from remote repository."
    [whole] = digested(ASK, ran("git pull --rebase && bd dolt push && git push", output, True)).troubles
    assert whole.about == "git pull --rebase && bd dolt push && git push"
    [named] = digested(ASK, ran("mv a b && deploy-it now && git push", "mv: cannot stat 'a'", True)).troubles
    assert named.about == "mv a b"
    [spoken] = digested(ASK, ran("git pull && bd dolt push && git push", "Error: dolt push failed", True)).troubles
    assert spoken.about == "bd dolt push"


def test_what_was_taken_away_before_is_not_blamed() -> None:
    """Removing by force and making folders does not fail, unless it says so itself."""
    [trouble] = digested(ASK, ran("rm -rf out && mkdir -p out && ./run-it out", "Error: no such run", True)).troubles
    assert trouble.about == "./run-it out"


def test_a_verdict_stands_before_what_the_code_under_test_logs() -> None:
    """A test by its name, a code of a compiler, a place in a file: each before a log line or a line of the source."""
    log = "error: Database connection failed"
    assert error_line(f"{log}\nsrc/a.ts(3,7): error TS2739: Type is missing x") == (
        "src/a.ts(3,7): error TS2739: Type is missing x"
    )
    assert error_line("Error: Job queue is at capacity\n(fail) queue > keeps order [2ms]") == (
        "(fail) queue > keeps order [2ms]"
    )
    assert error_line('a_test.go:3:1: 3-9 lines are duplicate (dupl)\n\tt.Fatal("Expected a payload")') == (
        "a_test.go:3:1: 3-9 lines are duplicate (dupl)"
    )


def test_the_first_of_numbered_failures_and_the_place_of_a_finding_are_told() -> None:
    """Some runners list failures by number below their count, and some linters draw a line behind the place."""
    listed = (
        "ERROR: cannot load certificate\n  45 passing (5s)\n  2 failing\n  1) Cart\n       sums up:\n\n      Error: 3"
    )
    assert error_line(listed) == "1) Cart sums up:"
    assert (
        error_line("Exit code:   SIGABRT\nError: no versions, using already-installed version 1.1")
        == "Exit code: SIGABRT"
    )
    spun = "Error: push failed: - Uploading..." + 3 * "\b\b\b\\ Uploading..." + "\b\b: exit status 1"
    assert error_line(spun) == "Error: push failed: - Uploading..."
    drawn = "./src/cart.ts format ━━━━━━━━━━\n\n  × Formatter would have printed the following content:\n"
    assert error_line(drawn) == "./src/cart.ts format: × Formatter would have printed the following content:"


def test_a_command_that_says_that_it_failed_did() -> None:
    """A hook refused a commit and the exit was lost; a script ends by saying so."""
    refused = digested(ASK, ran("wrap git commit -m x", "5 fail\nhusky - pre-commit script failed (code 1)"))
    assert refused.commits == ()
    commit = digested(ASK, ran("rtk git commit -m x", "5 fail\nhusky - pre-commit script failed (code 1)"))
    assert [(one.kind, one.result) for one in commit.commands] == [("commit", "failed")] and commit.troubles
    script = digested(ASK, ran("python3 replace.py", "FAILED: old string not found"))
    assert [one.about for one in script.troubles] == ["python3 replace.py"]
    assert [one.result for one in digested(ASK, ran("./list.sh", "FAILED: 1\nall shown")).commands] == ["passed"]


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ('git diff a b > "$f"\ngit apply --cached "$f"\nrm -rf "$f"', "+ x\nerror: a.py: does not exist in index"),
        ("git apply fix.patch; ls", "error: corrupt patch at line 4"),
        ("patch -p1 < fix.patch; true", "1 out of 1 hunk FAILED -- saving rejects"),
    ],
)
def test_a_patch_that_does_not_fit_failed_whatever_the_exit(line: str, output: str) -> None:
    """What puts it in says so in its last line; where it says nothing, it passed, and ends the error."""
    made = digested(ASK, ran(line, output))
    assert made.failed_calls == 1 and [one.ended for one in made.troubles] == ["left"]
    assert [one.ended for one in digested(ASK, ran(line, output), ran(line)).troubles] == ["rerun"]


def test_a_line_that_only_passes_a_failure_on_is_no_error_where_there_is_one() -> None:
    """The finding itself is named: the place that a linter gives, the error of a compiler, what a hook printed."""
    task = "[lint:go] cart.go:12:3: string `a` has 3 occurrences (goconst)\n[lint:go] ERROR task failed"
    assert error_line(task) == "cart.go:12:3: string `a` has 3 occurrences (goconst)"
    made = "exit status 1\ncart.c: In function total:\ncannot find cart.h\nmake: *** [cart.o] Error 1"
    assert error_line(made) == "cannot find cart.h"
    hooked = "FAILED: git commit\nSome files are not formatted\nInvalid subject: say what was done"
    assert error_line(hooked) == "Invalid subject: say what was done"
    assert error_line("[lint:go] ERROR task failed") == "[lint:go] ERROR task failed"
    cut_off = "Output too large (54KB).\nFAILED: git commit\nerror: item 3 failed as it should"
    assert error_line(cut_off) == "FAILED: git commit"


_FREE_RUNS = (("(fail) the total is rounded", True), ("5 passed", False))


def test_an_error_of_the_way_of_running_is_not_fixed() -> None:
    """It went with the sandbox or the folder, whatever was changed for the error that came instead of it."""
    boxed = ran("npm test", "Exit code: SIGABRT", failed=True)
    free = json.dumps({"command": "npm test", "sandbox_permissions": "require_escalated"})
    wrong, right = (replace(ran("npm test", told, failed), input=free) for told, failed in _FREE_RUNS)
    made = digested(ASK, boxed, wrong, edited("a.ts"), right)
    assert [one.ended for one in made.troubles] == ["otherwise", "fixed"]
    elsewhere = ran("cd shop && npm test", "5 passed")
    assert [one.ended for one in digested(ASK, boxed, elsewhere).troubles] == ["otherwise"]
    assert [one.ended for one in digested(ASK, boxed, edited("a.ts"), elsewhere).troubles] == ["fixed"]
    assert [one.ended for one in digested(ASK, boxed, ran("npm test", "5 passed")).troubles] == ["rerun"]
