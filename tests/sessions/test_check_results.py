"""How checks, commits and pushes ended."""

from __future__ import annotations

import pytest

from holdfast.agents.transcript_calls import exit_of
from holdfast.language.commands import parse
from holdfast.records import SessionEvent, replace
from holdfast.sessions.check_results import Background, committed, ended, pull_requests, pushed, results_of

from .making import ran


@pytest.mark.parametrize(
    ("command", "output", "failed", "result"),
    [
        ("pytest", "5 passed in 0.1s", False, "passed"),
        ("pytest", "1 failed, 4 passed in 0.1s", True, "failed"),
        ("pytest | tail -3", "1 failed, 4 passed in 0.1s", False, "failed"),
        ("pytest | tail -3", "4 passed, 2 warnings", False, "passed"),
        ("pytest | tail -3", "Exit code: 0\nOutput:\n", False, "unknown"),
        ("pytest || true", "", False, "unknown"),
        ("pytest", "", False, "unknown"),
        ("ruff check", "", False, "passed"),
        ("go test ./...", "--- FAIL: TestA\nFAIL", False, "failed"),
        ("go test ./...", "ok  \tshop/cart\t0.2s", False, "passed"),
        ("cargo test 2>&1", "Exit code: 101\ntest result: FAILED. 3 passed; 1 failed", False, "failed"),
        ("bun test", " 12 pass\n 0 fail\n", False, "passed"),
        ("bun test", "error: Item 3 failed\nerror: no database\n\n 12 pass\n 0 fail\nRan 12 tests", False, "passed"),
        ("bun test", " 11 pass\n 1 fail\nerror: script failed", False, "failed"),
        ("npx jest | tail", "  error: expected by a test\nTests: 6 passed, 6 total", False, "passed"),
        ("cargo test | tail", "test result: ok. 5 passed; 0 failed\nerror: test failed, to rerun", False, "failed"),
        ("npm test", "npm error Missing script: test", True, "unknown"),
        ("bun run test", "bash: bun: command not found", True, "unknown"),
        ("pytest", "sh: psql: command not found\n1 failed, 2 passed", True, "failed"),
        ("mvn test | tail", "Tests run: 5, Failures: 0, Errors: 2", False, "failed"),
        ("node --test | tail", "# pass 3\n# fail 0", False, "passed"),
        ("npm test && git commit -m x", "5 passed\nnothing to commit", True, "passed"),
        ("npm test && git commit -m x", "what is this", True, "unknown"),
    ],
)
def test_a_check_ends_as_its_exit_and_output_say(command: str, output: str, failed: bool, result: str) -> None:
    """A pipe hides the exit, and then the output speaks; what neither says is unknown."""
    found = parse(command)
    results = results_of(found, output, failed, exit_of(output))
    assert next(one for check, one in zip(found, results, strict=True) if check.is_check) == result


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("Exit code: 2\nWall time: 1", 2),
        ('{"output":"x","metadata":{"exit_code":1}}', 1),
        ("Process exited with code 0\nOutput:", 0),
        ("some text\nExit Code: 7", 7),
        ("the docs say that exit code 3 is bad", None),
        ("", None),
    ],
)
def test_an_exit_code_is_read_where_a_line_states_it(output: str, code: int | None) -> None:
    """A sentence that only mentions one is not one."""
    assert exit_of(output) == code


@pytest.mark.parametrize(
    ("command", "output", "result"),
    [
        ("npx jest", "✓ error handling (3 ms)\n ✓ returns 2 errors\nTests: 46 passed, 46 total", "passed"),
        ("npx vitest run", " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 20 passed (21)", "failed"),
        ("npx vitest run", " Test Files  3 passed (3)\n      Tests  20 passed (20)\n   Duration  1.2s", "passed"),
        ("npx playwright test", "  1 failed\n    [chromium] › shows error\n  12 passed (3.4s)", "failed"),
        ("npm test", "  5 passing (20ms)\n  2 failing\n\n  1) x", "failed"),
        ("dotnet test", "Passed!  - Failed:     0, Passed:    12, Skipped:     0, Total:    12", "passed"),
        ("phpunit", "Tests: 12, Assertions: 30, Failures: 1.", "failed"),
        ("swift test", "Executed 12 tests, with 0 failures (0 unexpected) in 0.3 (0.4) seconds", "passed"),
        ("mypy .", "Found 3 errors in 2 files (checked 10 source files)", "failed"),
        ("npx eslint .", "✖ 3 problems (0 errors, 3 warnings)", "passed"),
        ("npx eslint .", "✖ 3 problems (2 errors, 1 warning)", "failed"),
        ("mise run lint", "[lint] $ golangci-lint run ./...\n0 issues.", "passed"),
        ("mise run lint", "1 issues:\n* goconst: 1\nFinished in 3.67s\n[lint:go] ERROR task failed", "failed"),
        ("npx tsc --noEmit", "", "passed"),
        ("npx tsc --noEmit", "src/a.ts(3,5): error TS2304: Cannot find name", "failed"),
        ("pytest -q", "collected 0 items\n\nno tests ran in 0.01s", "unknown"),
    ],
)
def test_a_count_stands_before_the_words_around_it(command: str, output: str, result: str) -> None:
    """Only a line that counts and says nothing else is a count; a linter that prints nothing found nothing."""
    assert results_of(parse(f"{command} 2>&1 | tail -20"), output, failed=False)[0] == result


@pytest.mark.parametrize(
    ("line", "output", "failed", "results"),
    [
        ("npm run lint && npm test", "> test\n 2 failed, 3 passed", True, "passed failed"),
        ("npm run build && npm test && git push", "5 passed\nerror: failed to push", True, "passed passed failed"),
        ("npm ci && npm test", "what is this", True, "unknown unknown"),
        ("cd web && npm test", "cd: web: No such file or directory", True, "unknown unknown"),
        ("npm test; git status", "no count", False, "unknown passed"),
        ('npm test; echo "exit: $?"', "no count\nexit: 1", False, "failed passed"),
        ("npm test; echo $?", "no count\n0", False, "passed passed"),
        ("timeout 9 npm test", "Exit code 124\nrunning", True, "unknown"),
    ],
)
def test_each_command_of_a_line_has_its_own_result(line: str, output: str, failed: bool, results: str) -> None:
    """What ran before a command that ran has passed; what cannot be told is unknown, and nobody else is blamed."""
    assert " ".join(results_of(parse(line), output, failed, exit_of(output))) == results


def test_a_failure_that_was_looked_for_is_an_answer() -> None:
    """Neither a search that finds nothing nor a check that is meant to fail is an error."""
    assert ended(ran("grep -r x .", "", failed=True)).result == "answer"
    assert ended(ran("npm test # should fail before the change", "1 failed", failed=True)).result == "answer"
    assert ended(ran("npm test", "1 failed", failed=True)).result == "failed"
    assert ended(ran("npm test", "The user doesn't want to proceed with this", failed=True)).result == "refused"


def test_a_command_in_the_background_ends_with_its_later_output() -> None:
    """Until another call tells its end nobody knows it, and then it is the command's own."""
    background = Background()
    begun = ran("npm test", "Wall time: 1\nProcess running with session ID 71\nOutput:\n> test\n")
    assert background.joined(begun) is None
    other = ran("ls", "a")
    assert background.joined(other) is other
    polled = SessionEvent(0, "tool", tool="write_stdin", input='{"session_id": 71}', answered=True)
    waiting = replace(polled, output="Process running with session ID 71\nOutput:\n1 failed\n")
    assert background.joined(waiting) is waiting
    last = background.joined(replace(polled, output="Process exited with code 1\nOutput:\n", failed=True))
    assert last is not None
    assert ended(last).line == "npm test"
    assert ended(last).results == ("failed",)
    assert background.rest() == []


def test_a_commit_is_what_git_says_it_made() -> None:
    """Its id and subject come from the output, else the subject from the message; nothing to commit is none."""
    assert committed("git commit -m x", "[main 1a2b3c4] Add cart\n 1 file changed", False) == [("1a2b3c4", "Add cart")]
    assert committed("git commit -qm 'Add cart'", "", False) == [("", "Add cart")]
    quoted = 'git commit -m "$(cat <<\'EOF\'\nSay "hello" twice\n\nMore\nEOF\n)"'
    assert committed(quoted, "", False) == [("", 'Say "hello" twice')]
    assert committed("git commit -m x && npm test", "[main 1a2b3c4] Add\n1 failed", True) == [("1a2b3c4", "Add")]
    assert committed("git commit -m x", "nothing to commit, working tree clean", False) == []
    assert committed("git commit -m x", "hook failed", True) == []
    long = "a line of a test\n" * 1_000
    assert committed("git commit -m x | cat", f"{long}husky - pre-commit script failed (code 1)", False) == []


def test_a_push_that_did_nothing_is_none() -> None:
    """Up to date or rejected is not pushed."""
    assert pushed("main -> main", False)
    assert not pushed("Everything up-to-date", False)
    assert not pushed(" ! [rejected] main -> main", False)


def test_the_address_of_a_pull_request_names_nobody() -> None:
    """Credentials in an address are left out, and the page for a new one is none."""
    assert pull_requests("made https://ann:hunter2@git.example/a/b/pull/7 now") == ["https://git.example/a/b/pull/7"]
    assert pull_requests("visit https://git.example/a/b/pull/new/topic") == []
