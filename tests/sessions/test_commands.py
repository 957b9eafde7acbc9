"""What a shell command is, and how a check ended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.sessions import commands
from holdfast.sessions.commands import Part, committed, exit_of, main_of, parts, pull_requests, pushed, result_of


def kinds(command: str) -> list[str]:
    """Return the kinds of the commands of a line."""
    return [part.kind for part in parts(command)]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("pytest -q tests", "test"),
        (".venv/bin/pytest -x", "test"),
        ("/opt/venv/bin/python3.11 -m pytest -q", "test"),
        ("CI=1 npm test -- --watch=false", "test"),
        ("npm run test:unit", "test"),
        ("npm --prefix web test", "test"),
        ("uv run pytest", "test"),
        ("timeout 60 go test ./...", "test"),
        ("timeout -s KILL 60 go test ./...", "test"),
        ("cargo +nightly test --all", "test"),
        ("bash -lc 'cargo test'", "test"),
        ("./gradlew test", "test"),
        ("make check", "test"),
        ("node node_modules/.bin/mocha.js --ui tdd", "test"),
        ("node scripts/seed.js", "other"),
        ("pytest --version", "look"),
        ("make", "build"),
        ("make -j4", "build"),
        ("npm run build", "build"),
        ("tsc --noEmit", "lint"),
        ("tsc -p .", "build"),
        ("ruff check .", "lint"),
        ("ruff format .", "format"),
        ("pip3 install flask", "install"),
        ("git commit -m x", "commit"),
        ("git -C sub/dir commit -am 'y'", "commit"),
        ("git push -u origin main", "push"),
        ("git push --dry-run origin main", "look"),
        ("gh pr create --fill", "pr"),
        ("git status", "look"),
        ("sed -n 1,20p a.py", "look"),
        ("sed -i s/a/b/ a.py", "other"),
        ("terraform apply", "deploy"),
        ("frobnicate --all", "other"),
    ],
)
def test_a_command_is_known_by_its_words(command: str, kind: str) -> None:
    """Folders, versions, wrappers, variables and options before and between the words change nothing."""
    assert kinds(command) == [kind]


def test_a_line_is_taken_apart_outside_of_quotes() -> None:
    """Signs that join commands split a line; within quotes and here-documents they are text."""
    assert kinds("cd web && npm run build; npm test || git commit -m 'a; pytest && b'") == [
        *("look", "build", "test", "commit")
    ]
    message = "git commit -m \"$(cat <<'EOF'\nFix: run\npytest\nEOF\n)\"\ngit push"
    assert kinds(message) == ["commit", "push"]
    assert kinds("cat > notes.txt <<EOF\npytest\ngit push\nEOF\nls") == ["look", "look"]


def test_the_text_of_a_command_is_as_it_was_written() -> None:
    """Words that quotes kept apart are not joined, so that no secret comes to be."""
    assert parts('echo AK\'\'IA && deploy "AB""CD"')[1].text == 'deploy "AB""CD"'
    assert "AKIAIOSF" not in parts("bash -c 'run AKIA''IOSF'")[0].text


def test_the_main_command_is_what_the_line_was_run_for() -> None:
    """A test run weighs more than a commit, and that more than the preparing of it."""
    main = main_of(parts("cd web && git add . && git commit -m x"))
    assert main is not None
    assert main.kind == "commit"
    assert main_of([]) is None


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
    found = parts(command)
    check = next(part for part in found if part.kind in commands.CHECKS)
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


def test_a_search_that_finds_nothing_is_an_answer() -> None:
    """The failure of grep is no error, that of a build is one."""
    assert commands.only_answers(parts("cd src && grep -r nothing ."))
    assert not commands.only_answers(parts("grep -q x a && make"))


@given(st.text(alphabet="ab '\"\\$(){}<>|&;\n#-=/*`EOF", max_size=300))
def test_no_line_is_too_odd(command: str) -> None:
    """Whatever the line is, it is taken apart into known kinds and bounded texts."""
    for part in parts(command):
        assert isinstance(part, Part)
        assert part.kind in (*commands.KINDS, "other")
        assert len(part.text) <= 240
