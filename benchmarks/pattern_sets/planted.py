"""The planted patterns: what recurs, in how it is said or done each time a little different.

They follow the list of what patterns are to be found, not the code that finds them. Each knows by which kinds it may be
reported, a word that its report must have somewhere, and whether it holds in one project only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noise import Noise
from script import Script

Play = Callable[[Script, Noise], None]


@dataclass(frozen=True)
class Planted:
    """One planted pattern; `play` plays one occurrence of it."""

    name: str
    kinds: tuple[str, ...]
    mark: str
    play: Play
    one_project: bool = False


def fails(commands: tuple[str, ...], outputs: tuple[str, ...], code: int = 1) -> Play:
    """Return how one of these commands fails with one of these outputs."""

    def play(script: Script, noise: Noise) -> None:
        words = noise.words()
        command, output = script.random.choice(commands), script.random.choice(outputs)
        script.run(command.format(**words), output.format(**words), code)
        noise.some(script, 2)

    return play


def says(*messages: str) -> Play:
    """Return how the person says one of these, after the agent did something."""

    def play(script: Script, noise: Noise) -> None:
        noise.some(script, 3)
        script.say("That is done.")
        script.ask(script.random.choice(messages))
        script.say("I will do it that way.")

    return play


def asks(*messages: str) -> Play:
    """Return how the person asks for the same once more."""
    return lambda script, noise: script.ask(script.random.choice(messages))


def refused(*commands: str) -> Play:
    """Return how a person does not let one of these commands run."""
    return lambda script, noise: script.refuse(script.random.choice(commands).format(**noise.words()))


def runs(*commands: str) -> Play:
    """Return how one of these commands is run."""
    return lambda script, noise: script.run(script.random.choice(commands).format(**noise.words()), "usage: ...")


def loop(command: str, output: str) -> Play:
    """Return how the same command fails again and again."""

    def play(script: Script, noise: Noise) -> None:
        for _ in range(script.random.randrange(3, 6)):
            script.run(command, output.format(**noise.words()), 1)
            if script.random.random() < 0.4:
                script.read(str(noise.words()["path"]))

    return play


def churn(path: str, times: int, check: str) -> Play:
    """Return how a file is changed over and over, with a check after each change, if one is given."""

    def play(script: Script, noise: Noise) -> None:
        for number in range(times + script.random.randrange(3)):
            script.edit(path)
            if check:
                script.run(check, f"{number + 3} passed")

    return play


def reddens(commands: tuple[str, ...], red: str, green: str) -> Play:
    """Return how a check fails, and passes after a change."""

    def play(script: Script, noise: Noise) -> None:
        command, words = script.random.choice(commands), noise.words()
        script.run(command.format(**words), red.format(**words), 1)
        script.edit(str(words["path"]))
        script.run(command.format(**words), green.format(**words))

    return play


def mends(command: str, error: str, step: str) -> Play:
    """Return how a command fails, and works after a step."""

    def play(script: Script, noise: Noise) -> None:
        script.run(command, error.format(**noise.words()), 1)
        script.run(step, "done")
        script.run(command, "ok\n12 passed")

    return play


def detour(path: str) -> Play:
    """Return how the agent looks around for long before it changes this file."""

    def play(script: Script, noise: Noise) -> None:
        noise.ask(script)
        noise.look(script, script.random.randrange(40, 60))
        script.edit(path)

    return play


def attempts(command: str, options: tuple[str, ...], error: str, works: str) -> Play:
    """Return how a command fails with one option after another, until it works in another form."""

    def play(script: Script, noise: Noise) -> None:
        for option in script.random.sample(options, 4):
            script.run(command.format(option=option), error.format(option=option), 1)
        script.run(works, "done")

    return play


def _wrong_text(script: Script, noise: Noise) -> None:
    words = noise.words()
    script.fail_edit(str(words["path"]), f"return {words['name']}({words['n']})")


def overflow(script: Script, noise: Noise) -> None:
    """Let the context run over."""
    script.put_in("summary", f"This session is being continued. So far the {noise.words()['a']} was changed.")


_FAILED = ("failed-command",)
_HEAP = "<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"
_REFUSED_DB = 'psycopg.OperationalError: connection to server at "127.0.0.1", port 5{m} failed: Connection refused'
_NO_SCRIPT = (
    'npm error Missing script: "typecheck"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run'
)
_NO_YAML = (
    "Traceback (most recent call last):\n  File \"{path}\", line {n}\nModuleNotFoundError: No module named 'yaml'"
)
_REJECTED = (
    " ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'github.com:acme/shop.git'",
    "error: failed to push some refs\nhint: Updates were rejected because the remote contains work that you lack",
)
_ROLLOVER = (
    "E   assert 2{n} == 0\nFAILED tests/test_clock.py::test_rollover - assert 2{n} == 0\n1 failed, {n} passed in {n}.2s"
)
_TAX = "src/billing/tax.ts({n},{m}): error TS2307: Cannot find module '@acme/rates' or its type declarations."
_NO_TABLE = 'sqlalchemy.exc.ProgrammingError: relation "customers" does not exist\nLINE {n}: SELECT'

PLANTED = (
    Planted(
        "missing script",
        _FAILED,
        "typecheck",
        fails(("npm run typecheck", "npm run --silent typecheck", "npm run typecheck 2>&1"), (_NO_SCRIPT,)),
    ),
    Planted(
        "missing module",
        _FAILED,
        "yaml",
        fails(("pytest tests/{a} -q", "python -m app.{a}", "uv run python tools/{b}.py"), (_NO_YAML,)),
    ),
    Planted(
        "port in use",
        _FAILED,
        "in use",
        fails(
            ("npm run dev", "node server.js", "npx vite --port 3{m}"),
            ("Error: listen EADDRINUSE: address already in use :::3{m}", "Error: Port 3{m} is already in use"),
        ),
    ),
    Planted("database down", _FAILED, "migrate", fails(("make migrate", "make migrate ENV=dev"), (_REFUSED_DB,), 2)),
    Planted(
        "docker down",
        _FAILED,
        "docker",
        fails(
            ("docker compose up -d", "docker build -t {a} .", "docker ps"),
            ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",),
        ),
    ),
    Planted(
        "push rejected",
        _FAILED,
        "push",
        fails(("git push", "git push origin main", "git push -u origin HEAD"), _REJECTED),
    ),
    Planted(
        "unknown flag",
        _FAILED,
        "reviewers",
        fails(
            ("gh pr create --reviewers {a} --fill", "gh pr create --fill --reviewers {b}"),
            ("unknown flag: --reviewers\n\nUsage:  gh pr create [flags]",),
        ),
    ),
    Planted(
        "one test that fails",
        _FAILED,
        "rollover",
        fails(("pytest -q", "pytest tests/test_clock.py", "python -m pytest tests -x"), (_ROLLOVER,)),
    ),
    Planted("types not found", _FAILED, "rates", fails(("npx tsc --noEmit", "npx tsc -p . --noEmit"), (_TAX,), 2)),
    Planted("heap", _FAILED, "memory", fails(("npm run build", "npm run build -- --mode prod"), (_HEAP,), 134)),
    Planted(
        "expired token",
        _FAILED,
        "vault",
        fails(
            ("./scripts/deploy.sh staging", "bash scripts/deploy.sh staging"),
            ("deploy: vault token expired at 2026-0{n}-11T0{m}:00Z, run vault login first",),
        ),
    ),
    Planted(
        "health loop",
        ("retry-loop",),
        "health",
        loop(
            "curl -sf http://localhost:8080/health", "curl: (7) Failed to connect to localhost port 8080 after {n} ms"
        ),
    ),
    Planted(
        "lock loop",
        ("retry-loop",),
        "terraform",
        loop("terraform apply -auto-approve", "Error: Error acquiring the state lock\nID: {hex}-{m}\nWho: ci@{a}"),
    ),
    Planted("churn with tests", ("edit-churn",), "cart.ts", churn("src/checkout/cart.ts", 5, "npx vitest run"), True),
    Planted("churn at once", ("edit-churn",), "webpack", churn("config/webpack.config.js", 9, ""), True),
    Planted(
        "pnpm",
        ("correction",),
        "pnpm",
        says(
            "No, use pnpm here, not npm.",
            "Please don't use npm. We use pnpm in this repository.",
            "Wrong: pnpm, not npm!",
            "I told you to use pnpm instead of npm.",
            "no npm please, use pnpm",
            "That's wrong, this repo uses pnpm, not npm.",
        ),
    ),
    Planted(
        "generated files",
        ("correction",),
        "generated",
        says(
            "Don't edit the generated files.",
            "No, never edit generated files by hand.",
            "Stop editing generated files!",
            "You should not edit the generated files.",
            "I told you not to edit generated files.",
        ),
    ),
    Planted(
        "ask before deleting",
        ("correction",),
        "table",
        says(
            "You should have asked before deleting the table.",
            "Don't delete the table before you ask me.",
            "No, ask me first before you delete a table.",
            "Why did you delete the table without asking?",
        ),
    ),
    Planted(
        "too slow",
        ("low-rating",),
        "",
        says(
            "3 - took far too long",
            "2/10, this was much too slow",
            "4: so slow, it took forever",
            "3 - way too slow again",
        ),
    ),
    Planted(
        "not as asked",
        ("low-rating",),
        "",
        says(
            "2 - that is not what I asked for",
            "1/10 you did not do what I asked",
            "2: not what I wanted at all",
            "3 - this is the wrong approach, not what I asked for",
        ),
    ),
    Planted(
        "quick",
        ("high-rating",),
        "",
        says("9 - fast and clean", "10/10, that was quick", "9: very fast, thanks", "9 - so quick, great"),
    ),
    Planted(
        "force push refused",
        ("permission-denied",),
        "push",
        refused("git push --force origin {a}", "git push --force-with-lease", "git push -f origin HEAD:{b}"),
    ),
    Planted(
        "cluster refused",
        ("permission-denied",),
        "kubectl",
        refused("kubectl delete pod {a}-{n}", "kubectl delete deployment {b}"),
    ),
    Planted("long way", ("long-detour",), "session.go", detour("internal/auth/session.go"), True),
    Planted(
        "many attempts",
        ("long-detour",),
        "ffmpeg",
        attempts(
            "ffmpeg -i in.mov {option} out.mp4",
            ("-vf scale=640", "-c:v libx265", "-map 0:1", "-af loudnorm", "-an -y"),
            "Error while opening encoder for {option}",
            "ffmpeg -i in.mov -c copy out.mp4",
        ),
    ),
    Planted(
        "migration mends", ("fix-worked",), "alembic", mends("pytest tests/db -q", _NO_TABLE, "alembic upgrade head")
    ),
    Planted(
        "install mends",
        ("fix-worked",),
        "sharp",
        mends("npm run build", "Error: Cannot find module 'sharp'\nRequire stack:\n- {path}", "npm install sharp"),
    ),
    Planted("help", ("lookup-anew",), "worktree", runs("git worktree --help", "git worktree -h", "git help worktree")),
    Planted(
        "where is it set",
        ("lookup-anew",),
        "cache_ttl",
        runs("grep -rn CACHE_TTL_SECONDS .", "rg CACHE_TTL_SECONDS", 'rg -n "CACHE_TTL_SECONDS" src config'),
        True,
    ),
    Planted(
        "what is there",
        ("lookup-anew",),
        "overlays",
        runs("ls deploy/overlays/prod", "ls -la deploy/overlays/prod/", "ls ./deploy/overlays/prod"),
        True,
    ),
    Planted(
        "release asked for",
        ("repeated-ask",),
        "changelog",
        asks(
            "Update the changelog, commit and push.",
            "update the changelog, commit and push",
            "Please update the changelog, commit, and push!",
        ),
    ),
)

# What recurs as well, and nobody can act on: the mechanics of agent programs, and what all sessions have.
UNWANTED = (
    Planted("wrong text to replace", _FAILED, "replace", _wrong_text),
    Planted("overflow", ("context-overflow",), "", overflow),
    Planted(
        "red to green",
        ("red-green",),
        "cargo",
        reddens(
            ("cargo test", "cargo test {a}"),
            "test result: FAILED. {n} passed; 1 failed",
            "test result: ok. {n} passed; 0 failed",
        ),
    ),
    Planted(
        "lint to green",
        ("red-green",),
        "ruff",
        reddens(
            ("ruff check .", "ruff check {folder}"),
            "{path}:{n}:1: F401 imported but unused\nFound {n} errors.",
            "All checks passed!",
        ),
    ),
)
