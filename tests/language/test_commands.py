"""What the commands of a line are: their names and kinds, and which one the line was run for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.language import commands
from holdfast.language.commands import KINDS, main_of, most_telling, only_answers, only_looks, parse, removes, shown

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


def test_a_line_as_it_is_shown() -> None:
    """What only cuts the output is not shown; a bar within quotes is no pipe."""
    assert shown("npm test 2>&1 | tail -20") == "npm test"
    assert shown("npm test | grep -v a | head") == "npm test"
    assert shown("rg 'a | tail'") == "rg 'a | tail'"
    assert shown("a | sort\n| uniq") == "a | sort | uniq"


def kinds(command: str) -> list[str]:
    """Return the kinds of the commands of a line."""
    return [one.kind for one in parse(command)]


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
    assert parse('echo AK\'\'IA && deploy "AB""CD"')[1].text == 'deploy "AB""CD"'
    assert "AKIAIOSF" not in parse("bash -c 'run AKIA''IOSF'")[0].text


def test_the_main_command_is_what_the_line_was_run_for() -> None:
    """A test run weighs more than a commit, and that more than the preparing of it."""
    main = most_telling(parse("cd web && git add . && git commit -m x"))
    assert main is not None
    assert main.kind == "commit"
    assert most_telling([]) is None


@pytest.mark.parametrize(
    "line", ["ls -la | head", "cd x && git status", "sudo cat /etc/hosts", "git diff; git log -3", "ls 2>/dev/null"]
)
def test_commands_that_only_look(line: str) -> None:
    """A line of commands that look is no act."""
    assert only_looks(line)


@pytest.mark.parametrize("line", ["ls > x", "rm -rf build", "git status && git commit -m x", "./deploy.sh", "make"])
def test_commands_that_act(line: str) -> None:
    """A line with any other command, or that writes a file, is one."""
    assert not only_looks(line)


@pytest.mark.parametrize("line", ["pytest -q", "cd a && FOO=1 python -m pytest", ".venv/bin/pytest x", "npm test"])
def test_commands_that_test(line: str) -> None:
    """Runs of tests are known behind folders, variables and paths."""
    assert [one.kind for one in parse(line) if not one.is_look] == ["test"]


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ('git commit -m "Add the cache" -q', "Add the cache"),
        ("git commit -am 'Add it' -m 'And more'", "Add it"),
        ("git commit --message='Say so'", "Say so"),
        ("git commit -m\"$(cat <<'EOF'\nFirst line\n\nMore\nEOF\n)\"", "First line"),
        ("git commit --amend", ""),
    ],
)
def test_the_subject_of_a_commit(line: str, subject: str) -> None:
    """The first line of the message of a commit is read from its words."""
    assert [commands.subject_of(one) for one in parse(line)] == [subject]


def test_a_search_that_finds_nothing_is_an_answer() -> None:
    """The failure of grep is no error, that of a build is one."""
    assert only_answers(parse("cd src && grep -r nothing ."))
    assert not only_answers(parse("grep -q x a && make"))


@given(st.text(alphabet="ab '\"\\$(){}<>|&;\n#-=/*`EOF", max_size=300))
def test_no_line_is_too_odd(command: str) -> None:
    """Whatever the line is, it is taken apart into commands of known kinds, as they stand in it."""
    for one in parse(command):
        assert one.kind in (*KINDS, "other")
        assert one.text in command
    assert isinstance(removes(command), bool)
