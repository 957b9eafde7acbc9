"""Conditions: what a text says, and for which calls of tools it holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.language import given_conditions
from holdfast.language.conditions import Call, Condition, matched, needles, parse, read
from holdfast.language.runs import fits_path, runs

ROOT = "/home/kim/shop"


def holds(when: str, line: str) -> bool:
    """Whether a condition holds for a shell line that is run at the top of the project."""
    return bool(matched(parse(when), Call("Bash", line, folder=ROOT, root=ROOT)))


PUSHES = [
    "git push",
    "git push -f",
    "git push origin main",
    "cd x && git push -f",
    "cd x; git push",
    "git add -A && git commit -m 'x' && git push",
    "git -C ../shop push",
    "git -c user.name=kim push origin HEAD",
    "git --git-dir=.git push",
    "GIT_SSH_COMMAND='ssh -i k' git push",
    "env GIT_TRACE=1 git push",
    "sudo -u kim git push",
    "/usr/bin/git push",
    "bash -c 'git push'",
    'bash -lc "cd shop && git push origin main"',
    "sh -c \"bash -c 'git push'\"",
    "git status; (git push)",
    "{ git push; }",
    "if git diff --quiet; then git push; fi",
    "for r in a b; do git push $r; done",
    "while ! git push; do sleep 1; done",
    "! git push",
    "time git push",
    "timeout 60 git push",
    "timeout -k 5 60 git push",
    "nohup git push &",
    "git push 2>&1 | tee push.log",
    "git push > /dev/null",
    "echo done && git push || echo failed",
    'out=$(git push 2>&1); echo "$out"',
    'echo "`git push`"',
    'echo "$(cd x && git push)"',
    "bash <<'EOF'\nset -e\ngit push\nEOF",
    "eval git push",
    "eval 'git push'",
    "git fetch\ngit push",
    "git \\\n  push",
    "xargs -n 1 git push < remotes",
    "cat > notes <<'EOF'\n" + "a row of prose; and more\n" * 2_000 + "EOF\ngit push",
    "echo a; " * 100 + "git push",
    "echo something long; " * 3_000 + "git push",
    "git push; " + "echo something long; " * 3_000,
    "cat <<EOF > notes\nnothing\nEOF\ngit push",
    "git commit -m \"$(cat <<'EOF'\nA change\nEOF\n)\" && git push",
    "set -e; git push --tags",
    "npx -y cross-env CI=1 true; git push",
    "git 'push'",
    '"git" push',
    "watch -n 5 git push",
    "parallel git push ::: a b",
    "su - kim -c 'git push'",
]
NO_PUSHES = [
    'echo "git push"',
    "echo git push",
    "printf 'git push\\n'",
    "# git push",
    "ls # then git push",
    "cat <<EOF\ngit push\nEOF",
    "cat > run.sh <<'EOF'\n#!/bin/sh\ngit push\nEOF",
    "git commit -m 'git push is broken'",
    'git commit -m "docs: say git push"',
    "git log --grep='git push'",
    "grep -rn 'git push' docs",
    "rg 'git push' | head",
    "git status",
    "git stash push",
    "git pull",
    "git subtree push",
    "git config alias.push x",
    "git help push",
    "docker push image",
    "gh pr create --title 'git push' --body 'git push'",
    "sed -i 's/git push/git pull/' run.sh",
    "python -c \"print('git push')\"",
    "node -e 'console.log(\"git push\")'",
    "man git push",
    "ssh host 'echo git push'",
    "git-push-all",
    "mygit push",
    "git pushy",
    "test -f git && push",
    "awk '/git push/' log",
    "tee run.sh <<< 'git push'",
    "git commit -F - <<'EOF'\ngit push\nEOF",
]


@pytest.mark.parametrize("line", PUSHES)
def test_a_command_is_seen_wherever_it_runs(line: str) -> None:
    """`git push` holds for whatever runs it: behind lists, wrappers, variables, shells and substitutions."""
    assert holds("git push", line)


@pytest.mark.parametrize("line", NO_PUSHES)
def test_a_command_that_is_only_spoken_of_does_not_run(line: str) -> None:
    """What is printed, searched for, written into a file, committed as a message or commented does not count."""
    assert not holds("git push", line)


@pytest.mark.parametrize(
    ("when", "line", "wanted"),
    [
        ("npm *", "npm install", True),
        ("npm *", "npm", True),
        ("npm", "cd web && CI=1 npm ci", True),
        ("npm", "pnpm install", False),
        ("npm", "npx vitest", False),
        ("npm", "npm --prefix web run build", True),
        ("npm install", "npm --prefix web install", True),
        ("npm run *", "npm run build", True),
        ("npm run *", "npm test", False),
        ("npm run build*", "npm run build:web", True),
        ("npx *", "npx prettier --write .", True),
        ("prettier", "npx prettier --write .", True),
        ("prettier", "pnpm exec prettier .", True),
        ("sudo", "sudo apt-get install jq", True),
        ("apt-get install", "sudo apt-get install -y jq", True),
        ("git push --force", "git push origin main --force", True),
        ("git push --force", "git push", False),
        ("git push --force", "git push --force-with-lease", False),
        ("git push --force|-f", "git push -f", True),
        ("git push --force|-f", "git push -uf origin x", True),
        ("git push * --force", "git push origin --force", True),
        ("git commit --no-verify|-n", "git commit -nm x", True),
        ("rm -rf", "rm -rf build", True),
        ("rm -rf", "rm -fr build", True),
        ("rm -rf", "rm -Rf build", True),
        ("data/", "find data -name '*.csv' -delete", True),
        ("data/", "find data -name '*.csv'", False),
        ("python, !python3", "python3 x.py", False),
        ("pytest, !python -m pytest", "python3 -m pytest", False),
        ("pytest, !python -m pytest", "uv run python -m pytest", False),
        ("pytest, !python -m pytest", "uv run pytest", True),
        ("pytest, !pytest --tb=short", "pytest -q --tb=short", False),
        ("rm -rf", "rm -r -f build", True),
        ("rm -rf", "rm -r build", False),
        ("rm -rf", "find . -name x -exec rm -rf {} +", True),
        ("rm", "find . -type f | xargs rm", True),
        ("pytest", "python -m pytest tests", True),
        ("pytest", "uv run pytest -q", True),
        ("pytest", ".venv/bin/pytest -q", True),
        ("pytest, !uv run pytest", "uv run pytest -q", False),
        ("pytest, !uv run pytest", "python -m pytest -q", True),
        ("python, !python3", "python3 x.py", False),
        ("pytest, !python -m pytest", "python3 -m pytest", False),
        ("pytest, !python -m pytest", "uv run python -m pytest", False),
        ("pytest, !python -m pytest", "uv run pytest", True),
        ("python, !python3", "python x.py", True),
        ("python, !python3", "/usr/bin/python3 x.py", False),
        ("pip install", "uv pip install x", False),
        ("pip install", "pip3 install x", True),
        ("pip install", "python3 -m pip install x", True),
        ("docker compose up", "docker compose -f dev.yml up -d", True),
        ("docker compose down -v|--volumes", "docker compose down -v", True),
        ("docker compose down -v|--volumes", "docker compose down", False),
        ("kubectl delete", "kubectl --context prod delete pod x", True),
        ("gh pr create --draft|-d", "gh pr create --draft=false", False),
        ("rm -rf, !rm -rf build/", "rm -rf build/x", False),
        ("rm -rf, !rm -rf build/", "rm -rf src/old", True),
        ("terraform apply|destroy", "terraform destroy -auto-approve", True),
        ("./deploy.sh", "./deploy.sh prod", True),
        ("scripts/deploy.sh", "bash scripts/deploy.sh prod", True),
        ("scripts/deploy.sh", "cat scripts/deploy.sh", False),
        ("manage.py migrate", "python manage.py migrate shop", True),
        ("command: make", "make -j8", True),
        ("make deploy", "make -C infra deploy", True),
        ("gh pr merge", "gh pr merge 5 --squash", True),
        ("gh pr merge", "gh -R a/b pr merge 5", True),
        ("git push", "git push --dry-run origin main", False),
        ("git push --dry-run", "git push --dry-run origin main", True),
        ("npm", "npm --version", False),
        ("grep", "make test | grep FAIL", False),
        ("grep", "grep -rn x src | head", True),
        ("grep", "git ls-files | xargs grep x", True),
        ("alembic upgrade", "poetry run alembic upgrade head", True),
        ("npm", "command -v npm", False),
        ("npm", "command npm ci", True),
        ("npm", "corepack npm ci", True),
        ("npm install", "npm i", True),
        ("npm install", "npm run install", False),
        ("npm install|i|add **", "npm i lodash", True),
        ("npm install|i|add **", "npm i", False),
        ("rm -rf", "rm --recursive --force build", True),
        ("rm -rf", "rm --force build", False),
        ("make deploy", "make VERSION=2 deploy", True),
        ("docker compose up", "docker-compose up -d", True),
        ("docker-compose down", "docker compose down", True),
        ("docker-compose, !docker compose", "docker-compose up", True),
        ("docker-compose, !docker compose", "docker compose up", False),
        ("pytest --tb=short", "pytest -x --tb short a.py", True),
        ("pytest --tb=short", "pytest --tb long short", False),
        ("pytest --tb short", "pytest --tb=short", True),
        ("psql *DROP*", 'psql shop -c "DROP TABLE cart"', True),
        ("psql *DROP*", 'psql shop -c "drop table cart"', True),
        ("psql *DROP*", 'psql shop -c "select 1"', False),
        ("* *db.internal*", "psql -h db.internal -U app", True),
        ("* *db.internal*", "git commit -m 'Rename db.internal'", False),
        ("bash -c", "sudo bash -c 'ls'", True),
        ("bash -c", "bash build.sh", False),
        ("eval", 'eval "$LINE"', True),
    ],
)
def test_patterns_of_commands(when: str, line: str, wanted: bool) -> None:
    """A pattern's words come in order, its options anywhere; wrappers count for one that names them."""
    assert holds(when, line) is wanted


@pytest.mark.parametrize(
    ("program", "option", "value", "sub"),
    [
        ("kubectl", "--context", "prod", "delete"),
        ("aws", "--profile", "live", "s3 rm"),
        ("helm", "--kube-context", "eu-1", "uninstall"),
        ("make", "-C", "infra", "apply"),
        ("npm", "--prefix", "web", "install"),
        ("gradle", "-p", "app", "publish"),
        ("git", "-C", "vendor", "commit"),
        ("docker", "--context", "prod", "rm"),
        ("unheard-of", "--stage", "live", "deploy"),
    ],
)
def test_an_option_with_its_value_stands_anywhere(program: str, option: str, value: str, sub: str) -> None:
    """A pattern holds at its own line, with the option before the sub-command or behind it, and that value alone."""
    joined = f"{option}={value}" if option[:2] == "--" else f"{option}{value}"
    for pattern in (f"{program} {option} {value} {sub}", f"{program} {sub} {option} {value}"):
        for line in (pattern, f"{pattern} api", f"{program} {joined} {sub} api", f"{program} {sub} -v {joined}"):
            assert holds(pattern, line), f"{pattern!r} at {line!r}"
        assert holds(pattern, f"{program} {option} {value} {sub}")
        assert holds(pattern, f"{program} {sub} api {option} {value}")
        assert not holds(pattern, f"{program} {option} other {sub}")
        assert not holds(pattern, f"{program} {sub} {option} other")
        assert not holds(pattern, f"{program} {sub}")


@pytest.mark.parametrize(
    ("when", "line", "wanted"),
    [
        ("kubectl, !kubectl --context staging", "kubectl --context staging get pods", False),
        ("kubectl, !kubectl --context staging", "kubectl get pods --context=staging", False),
        ("kubectl, !kubectl --context staging", "kubectl --context prod get pods", True),
        ("kubectl, !kubectl --context staging", "kubectl get pods", True),
        ("kubectl -n|--namespace prod*", "kubectl --namespace=prod-eu delete pod a", True),
        ("kubectl -n|--namespace prod*", "kubectl -nprod delete pod a", True),
        ("kubectl -n|--namespace prod*", "kubectl -n test delete pod prod", False),
        ("git push --force origin main", "git push origin main --force", True),
        ("git push --force origin main", "git push --force origin next", False),
    ],
)
def test_an_option_is_compared_with_its_value(when: str, line: str, wanted: bool) -> None:
    """One value of an option is not another; an option of which nobody knows whether it takes one is only there."""
    assert holds(when, line) is wanted


def edits(path: str, tool: str = "Edit") -> Call:
    """Return a call that edits a file, as an agent writes it."""
    return Call(tool, json.dumps({"file_path": path, "old_string": "a"}), folder=ROOT, root=ROOT)


@pytest.mark.parametrize(
    ("when", "path", "wanted"),
    [
        ("src/**/*.ts", "src/a.ts", True),
        ("src/**/*.ts", "src/a/b/c.ts", True),
        ("src/**/*.ts", f"{ROOT}/src/a.ts", True),
        ("src/**/*.ts", "src/a.tsx", False),
        ("src/**/*.ts", "packages/web/src/a.ts", True),
        ("src/*.ts", "src/a/b.ts", False),
        ("*.sql", "db/migrations/1.sql", True),
        ("*.sql", "/tmp/other/1.sql", False),
        ("package-lock.json", "web/package-lock.json", True),
        ("package-lock.json", "package.json", False),
        ("db/migrations/", "db/migrations/1.py", True),
        ("db/migrations", "db/migrations/old/1.py", True),
        ("db/migrations/", "db/models.py", False),
        (".env", ".env", True),
        (".env*", ".env.local", True),
        ("path: Makefile", "Makefile", True),
        ("src/**, !src/**/*.test.ts", "src/a.test.ts", False),
        ("src/**, !src/**/*.test.ts", "src/a.ts", True),
        ("/etc/hosts", "/etc/hosts", True),
        ("/etc/hosts", "etc/hosts", False),
        ("src/a.ts", "./src/../src/a.ts", True),
    ],
)
def test_patterns_of_files(when: str, path: str, wanted: bool) -> None:
    """A pattern of files holds for a file that is edited, at any depth of the project and nowhere else."""
    assert bool(matched(parse(when), edits(path))) is wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("rm src/a.ts", True),
        ("sed -i 's/a/b/' src/a.ts", True),
        ("echo x > src/a.ts", True),
        ("echo x >> src/a.ts", True),
        ("tee src/a.ts < x", True),
        ("cp other.ts src/a.ts", True),
        ("git mv src/a.ts src/b.js", True),
        ("cd src && rm a.ts", True),
        ("cat > src/a.ts <<'EOF'\nx\nEOF", True),
        ("git restore src/a.ts", True),
        ("git checkout HEAD -- src/a.ts", True),
        ("git checkout src", False),
        ("cat src/a.ts", False),
        ("cp src/a.ts /tmp/b", False),
        ("git add src/a.ts", False),
        ("npx eslint src/a.ts", False),
        ("grep x src/a.ts > out.txt", False),
        ("sed -n 1,5p src/a.ts", False),
        ("git diff src/a.ts", False),
        ("node src/a.ts", False),
    ],
)
def test_a_file_that_a_shell_line_changes(line: str, wanted: bool) -> None:
    """A shell line counts for a file where it changes it, not where it looks at it, adds or runs it."""
    assert holds("src/**/*.ts", line) is wanted


@pytest.mark.parametrize(
    ("line", "here", "wanted"),
    [
        ("git push", "main", True),
        ("git push", "topic", False),
        ("git push origin main", "topic", True),
        ("git push origin topic", "main", False),
        ("git push origin HEAD:main", "topic", True),
        ("git push -u origin +topic:refs/heads/main", "topic", True),
        ("git push origin HEAD", "main", True),
        ("git push -q origin", "main", True),
        ("git checkout main && git merge topic && git push", "topic", True),
        ("git switch -c topic && git push", "main", False),
        ("git checkout main.c; git push", "main", True),
        ("git push origin topic; git push", "main", True),
    ],
)
def test_the_branch_that_a_line_is_about(line: str, here: str, wanted: bool) -> None:
    """A push is about the branch that it names, and what follows a switch about the branch switched to."""
    assert bool(matched(parse("git push, branch: main"), Call("Bash", line, branch=here))) is wanted


def test_a_patch_and_a_read() -> None:
    """A patch names its files; reading a file counts only where the condition says so."""
    patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch"
    assert matched(parse("src/*.ts"), Call("apply_patch", json.dumps({"input": patch}), folder=ROOT, root=ROOT))
    reading = edits("src/a.ts", "Read")
    assert not matched(parse("src/*.ts"), reading)
    assert matched(parse("src/*.ts, tool: read"), reading)
    # A line of a shell that shows the file reads it, and one that writes it does not.
    for line in ("cat src/a.ts", "cd src && head -n 3 a.ts", "grep x src/a.ts | wc -l"):
        assert holds("src/*.ts, tool: read", line)
    for line in ("echo x > src/a.ts", "ls src/a.ts", "git log | grep src/a.ts", "rm -rf src"):
        assert not holds("src/*.ts, tool: read", line)
    assert holds("tool: read, .env, cat .env", "cat .env") and not holds("tool: read", "cat .env")
    assert not matched(parse("src/*.ts, tool: read"), edits("src/a.ts"))


@pytest.mark.parametrize(
    ("line", "known", "wanted"),
    [
        ("git -C /work/tree commit -m x", "", False),
        ("git -C /work/tree commit -m x", "main", True),
        ("git -C /work/tree commit -m x", "topic", False),
        ("cd ../tree && git commit -m x", "topic", False),
        ("cd ../tree && git switch main && git commit -m x", "topic", True),
        ("cd ../tree && git commit -m x; cd /code/shop && git commit -m y", "topic", True),
        ("git -C sub commit -m x", "", True),
    ],
)
def test_a_branch_is_asked_of_the_folder_where_git_runs(line: str, known: str, wanted: bool) -> None:
    """Another work tree has a branch of its own; where nobody knows it, nothing is told."""
    branch_in = (lambda folder: known if "tree" in folder else "main") if known else None
    call = Call("Bash", line, "", "/code/shop", "/code/shop", "main", branch_in)
    assert bool(matched(parse("git commit, branch: main"), call)) is wanted


def test_tools_failures_and_branches_narrow_down() -> None:
    """Each holds alone for what it names, and beside a command only where both do."""
    search = Call("mcp__github__create_issue", "{}")
    assert matched(parse("tool: mcp__github__*"), search)
    assert not matched(parse("tool: web"), search)
    failed = Call("Bash", "npm install", error="npm ERR! code ERESOLVE\nnpm ERR! unable to resolve")
    assert matched(parse("failure: eresolve"), failed)
    assert matched(parse("npm install, failure: ERESOLVE"), failed)
    assert not matched(parse("npm ci, failure: ERESOLVE"), failed)
    assert not matched(parse("npm install, failure: ERESOLVE"), Call("Bash", "npm install"))
    on_main = Call("Bash", "git commit -m x", branch="main")
    assert matched(parse("git commit, branch: main"), on_main)
    assert not matched(parse("git commit, branch: release/*"), on_main)
    assert matched(parse("branch: main"), on_main)
    assert not matched(parse("branch: main"), Call("Bash", "git status", branch="main"))
    assert not matched(parse("branch: main"), Call("Bash", "git commit", branch=""))


@pytest.mark.parametrize(
    "given",
    [
        '{"command": "git push", "description": "Push"}',
        '{"command": ["bash", "-lc", "git push"]}',
        '["bash", "-lc", "cd x && git push"]',
        '{"cmd": "git push"}',
        "git push",
        '{"command": "git push origin main && echo ' + "x" * 50,
    ],
)
def test_the_input_of_any_agent(given: str) -> None:
    """However an agent writes the line down, as text, object or list, whole or cut, it is the line that counts."""
    assert matched(parse("git push"), Call("Bash", given))
    assert matched(parse("git push"), Call("run_shell_command", given))


@pytest.mark.parametrize(
    "text",
    [
        "git push",
        "git push --force|-f, npm *",
        "src/**/*.ts, package-lock.json",
        "path: Makefile, branch: main",
        "pytest, !uv run pytest",
        "command: config.json, tool: edit, failure: no such file",
        "command: `a, b`",
    ],
)
def test_what_is_written_back_is_read_the_same(text: str) -> None:
    """A condition is written in the form in which it is read."""
    assert parse(str(parse(text))) == parse(text)
    assert str(parse(text)) == text


def test_the_kinds_of_items() -> None:
    """What looks like a path is a file, all else a command; backquotes of a sentence are no part of it."""
    found = parse("`git push`, src/*.ts, branch: main, Tool: Edit, failure: EACCES: denied")
    assert found == Condition(("git push",), ("src/*.ts",), ("Edit",), ("EACCES: denied",), ("main",))
    assert parse("none") == parse("") == Condition()
    assert not parse("none") and str(parse("")) == "none"


@pytest.mark.parametrize("text", ["!git push", "tool:", "path: *", "x" * 2_000, ",".join(f"a{n}" for n in range(30))])
def test_what_names_nothing_is_refused(text: str) -> None:
    """A text that no call could be told by is an error with the way out; out of a file it is no condition."""
    with pytest.raises(BadInput) as wrong:
        parse(text)
    assert wrong.value.hint
    assert read(text) is None


@pytest.mark.parametrize("line", PUSHES)
def test_the_needles_of_a_condition_are_in_every_call_that_it_holds_for(line: str) -> None:
    """A hook that looks for the needles alone misses nothing."""
    assert any(needle in line for needle in needles(parse("git push")))


@given(st.text(alphabet="git push|&;<>'\"\\\n(){}#$-./:=~`", max_size=60))
def test_any_line_is_taken(line: str) -> None:
    """Whatever stands in a line, its commands are found without trouble, and a needle is where a condition holds."""
    list(runs(line))
    if holds("git push", line):
        assert "git" in line.replace("\\\n", "").replace("\\", "").replace("'", "").replace('"', "")


def test_a_bomb_of_shells_has_an_end() -> None:
    """Shells within shells are followed only so deep, and long lines only so far."""
    line = "git push"
    for _ in range(12):
        line = f"eval {line} $({line[:200]})"
    assert 0 < len(list(runs(line[:8_000]))) < 300


def test_a_pattern_of_many_folders_is_no_riddle() -> None:
    """However many `**` a pattern has, a deep path is told apart in one walk; the other way took for ever."""
    assert not fits_path("/".join("a" * 60), "/".join(["**", "a"] * 20) + "/b.ts")
    assert fits_path("/".join("a" * 60) + "/b.ts", "/".join(["**", "a"] * 20) + "/b.ts")


@pytest.mark.parametrize(
    "line", ["git add conf", "git add conf/", "git add conf/a.yaml", "git commit ./conf/a.yaml -m x"]
)
def test_a_folder_that_a_command_is_given_stands_for_what_is_in_it(line: str) -> None:
    """A word with a slash at its end is the folder and all below it; a name that only begins alike is another."""
    condition = parse("git add conf/, git commit conf/")
    assert matched(condition, Call("Bash", line))
    assert any(one in line for one in needles(condition))
    assert not matched(condition, Call("Bash", line.replace("conf", "config")))


def test_an_option_may_be_meant_whatever_the_program_is() -> None:
    """A star for the program is passed over by the option, so that a hook need not take each call apart."""
    condition = parse("* --headed")
    assert needles(condition) == ("--headed",)
    assert matched(condition, Call("Bash", "npx playwright test --headed"))
    assert not matched(condition, Call("Bash", "npx playwright test"))


def test_a_folder_at_the_top_of_the_project_is_meant_there(tmp_path) -> None:
    """Where the project has it there; one that it has only further down is meant wherever it is."""
    (tmp_path / "vendor").mkdir()

    def changes(when: str, path: str) -> bool:
        call = Call("Edit", json.dumps({"file_path": f"{tmp_path}/{path}"}), folder=str(tmp_path), root=str(tmp_path))
        return bool(matched(parse(when), call))

    assert changes("vendor/", "vendor/x.ts") and not changes("vendor/", "src/vendor/x.ts")
    assert changes("**/vendor/", "src/vendor/x.ts") and changes("gen/", "src/gen/x.ts")
    assert changes("go.sum", "api/go.sum")


@pytest.mark.parametrize(
    "when",
    [
        *("wget | bash", "pg_dump * | gzip", "make deploy > log", "cd web && npm ci", 'psql -c "DROP TABLE"'),
        *(
            "ruff check --fix, !ruff check --fix",
            "cargo, curl | sh",
            "db/, !db/",
            "Scene.Load",
            ".blend",
            ".prefab, src/",
        ),
    ],
)
def test_what_could_never_hold_is_refused(when: str) -> None:
    """A condition that is given holds at the call that it names; else it is refused with what to give instead."""
    with pytest.raises(BadInput, match=r"no call|no file"):
        given_conditions.given(when)


@pytest.mark.parametrize(
    "when",
    [
        *("kubectl, !kubectl --context staging", "git push --force|-f", "git commit -?", "* --no-verify", "*.blend"),
        *(
            "npm install|i|add **",
            "docker-compose, !docker compose",
            "tool: edit",
            "failure: x",
            ".env, .gitignore, db/",
        ),
        *(
            "**/.prefab",
            "**/Scene.Load",
            "App.VUE",
            "~/.ssh/",
            "/etc/hosts",
            "rm -rf, !rm -rf build/",
            "psql -c *DROP*",
        ),
        *("uv run pytest", "npx jest", "./scripts/a.sh", "git checkout *.*", "sudo", "none"),
    ],
)
def test_what_holds_at_its_own_call_is_taken(when: str) -> None:
    """What a condition names is found by the text that a hook looks for, too."""
    assert str(given_conditions.given(when)) == when
