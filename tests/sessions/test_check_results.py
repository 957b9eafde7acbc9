"""How checks, commits and pushes ended."""

from __future__ import annotations

import pytest

from holdfast.language.commands import parse
from holdfast.sessions.check_results import committed, exit_of, pull_requests, pushed, result_of


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
    check = next(one for one in found if one.is_check)
    assert result_of(check, output, failed, check is found[-1]) == result


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
