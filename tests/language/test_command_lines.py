"""Which command a line was run for, and when two lines are runs of the same."""

from __future__ import annotations

import json
import random

import pytest

from holdfast.language.command_lines import is_shell, line_of, main_of
from holdfast.language.same_commands import is_other_form, is_same_run, shown

NAMES = {
    "pytest tests/test_a.py -q": "pytest",
    "cd app && FOO=1 npx vitest run 2>&1 | tail -20": "vitest",
    "npm run build": "npm run build",
    "docker compose up -d": "docker compose up",
    "/usr/bin/python3.11 -m pytest -x": "pytest",
    "python3 scripts/load.py --all": "python load.py",
    "python manage.py migrate shop": "python manage.py migrate",
    'bash -lc "cd x && cargo test --lib"': "cargo test",
    "timeout 60 uv run ruff check src": "ruff check",
    "git -C sub push origin main": "git push",
    "make test > out.txt 2>&1; echo done": "make test",
    "npm ci && npm test": "npm test",
    "(cd x; ./gradlew build)": "gradlew build",
    "cp a b && ls": "cp",
    "gh pr edit 5 --body $'it\\'s; done\\n- make all'": "gh pr edit",
}


@pytest.mark.parametrize(("line", "name"), NAMES.items())
def test_the_name_of_a_command(line: str, name: str) -> None:
    """A command is known by its program and sub-command, without folder, version, variables and what wraps it."""
    main = main_of(line)
    assert main is not None and main.name == name


@pytest.mark.parametrize(
    "line",
    ["", "ls -la | grep x", "cat a; echo b", "git status", "gh pr view 5", "sed -n 1,5p a.py", "npm --version", "# no"],
)
def test_what_only_looks_is_no_command(line: str) -> None:
    """A line that only looks around was run for nothing that can be fixed."""
    assert main_of(line) is None


def test_any_line_is_taken() -> None:
    """Lines that no shell would take end in a command or none, and always in the same one."""
    chance = random.Random(7)
    for _ in range(2_000):
        line = "".join(chance.choice("ab |&;<>'\"\\\n(){}#$-./:=~\0\u2028ü") for _ in range(chance.randrange(60)))
        assert main_of(line) == main_of(line)
        assert isinstance(shown(line), str)


def test_a_hidden_exit() -> None:
    """Behind a pipe, a semicolon or in the background the exit of a line is not that of its command."""
    hidden = {line: main_of(line).is_hidden for line in ("make | tail", "make; true", "make &", "make 2>&1", "make;")}
    assert hidden == {"make | tail": True, "make; true": True, "make &": True, "make 2>&1": False, "make;": False}


def test_a_line_out_of_what_a_tool_was_given() -> None:
    """The line is found as it is, in JSON, in a list with a shell before it, and in JSON that was cut."""
    assert line_of("npm test") == "npm test"
    assert line_of(json.dumps({"cmd": ["bash", "-lc", "npm test"]})) == "npm test"
    assert line_of(json.dumps({"timeout": 3, "command": "npm test"})) == "npm test"
    assert line_of('{"command": "echo \\"a\\"\\nnpm test --wat') == 'echo "a"\nnpm test --wat'
    assert line_of("{ npm test; }") == "{ npm test; }"


def test_tools_that_run_lines() -> None:
    """A shell is known by its name, however it is written, and by the last part of a longer one."""
    assert all(map(is_shell, ("Bash", "run_shell_command", "functions.exec_command", "mcp__box__bash")))
    assert not any(map(is_shell, ("Edit", "Read", "")))


def same(failed: str, succeeded: str) -> bool:
    """Whether the success of one line says that the other works now."""
    one, other = main_of(failed), main_of(succeeded)
    assert one is not None and other is not None
    return is_same_run(one, failed, other, succeeded)


def test_runs_of_the_same() -> None:
    """The same run, or a check of more than what failed, shows that it works; another test or a part does not."""
    assert same("pytest tests/test_a.py -x", "cd . && pytest tests/test_a.py 2>&1 | tail -3")
    assert same("pytest tests/test_a.py", "pytest")
    assert same("pytest tests/test_a.py", "pytest tests/")
    assert same("go test ./pkg/a", "go test ./...")
    assert not same("pytest tests/test_a.py", "pytest tests/test_b.py")
    assert not same("pytest", "pytest tests/test_a.py")
    assert not same("pytest tests/test_a.py tests/test_b.py", "pytest tests/test_a.py")
    assert not same("npm install left", "npm install right")
    assert not same("npm test", "npm run build")
    assert not same("python - <<'EOF'\nimport a\nEOF", "python - <<'EOF'\nimport b\nEOF")
    assert same("node -e 'a()'", "node -e 'a()'")
    assert same("npm test", "cd /srv/shop && npm test") and same("cd ui && npm test", "cd ui/; npm test")
    assert not same("npm test", "cd ui && npm test"), "these are the tests of another folder"


def other_form(failed: str, succeeded: str, *, loose: bool = False) -> bool:
    """Whether one line is the other said otherwise."""
    one, other = main_of(failed), main_of(succeeded)
    assert one is not None and other is not None
    return is_other_form(one, failed, other, succeeded, loose=loose)


def test_another_form() -> None:
    """An option more, a variable, another folder are other forms; the same line, cut otherwise, is not."""
    assert other_form("git push", "git push -u origin main")
    assert other_form("pip install x", "pip install --user x")
    assert other_form("npm test", "cd app && npm test", loose=True)
    assert not other_form("npm test", "cd app && npm test")
    assert other_form("git rebase --continue", "GIT_EDITOR=true git rebase --continue")
    assert other_form("npm test", "pnpm test", loose=True)
    assert not other_form("npm test", "pnpm test")
    assert not other_form("npm test", "npm test 2>&1 | tail -20")
    assert not other_form("pytest tests/test_a.py", "pytest tests/test_b.py")


def test_a_line_as_it_is_shown() -> None:
    """What only cuts the output is not shown; a bar within quotes is no pipe."""
    assert shown("npm test 2>&1 | tail -20") == "npm test"
    assert shown("npm test | grep -v a | head") == "npm test"
    assert shown("rg 'a | tail'") == "rg 'a | tail'"
    assert shown("a | sort\n| uniq") == "a | sort | uniq"
