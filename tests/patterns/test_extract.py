"""Extractors: what each kind of signal is, and what is none."""

from __future__ import annotations

import pytest

from holdfast.learning.fixes.model import Fix
from holdfast.patterns.clusters import near
from holdfast.patterns.extract import EXTRACTORS, MAX_OF_A_KIND, signals_of
from holdfast.patterns.signal_files import ASK, KINDS, OVERFLOW, ReasonedRating, SeenSession, SessionAct, Signal


def of_kind(kind: str, *acts: SessionAct, **more) -> list[Signal]:
    """Return the signals of one kind in a session with these acts."""
    placed = tuple(
        SessionAct(**{**{name: getattr(act, name) for name in act.__struct_fields__}, "place": n, "line": n + 1})
        for n, act in enumerate(acts)
    )
    seen = SeenSession("some-agent", "s-1", "shop", "2026-05-04T10:00:00Z", acts=placed, **more)
    return [one for one in signals_of(seen) if one.kind == kind]


def ran(text: str, error: str = "", **more) -> SessionAct:
    """Return the run of a command, which failed where it has an error."""
    result = "failed" if error else "passed"
    told = {"name": " ".join(text.split()[:2]), "result": result, "given": text, "is_telling": bool(error)}
    return SessionAct("shell", text=text, error=error, **{**told, **more})


def edited(path: str = "src/app.ts") -> SessionAct:
    """Return a change of a file."""
    return SessionAct("edit", name="edit", result="passed", paths=(path,))


def test_every_kind_has_an_extractor() -> None:
    """Kinds and extractors are the same."""
    assert list(KINDS) == list(EXTRACTORS)


def test_a_failed_command() -> None:
    """A failure is known by command and error; the same twice is one signal that came twice."""
    first, second = ran("npm ci", "lock file is out of sync"), ran("npm ci --audit", "lock file is out of sync")
    (found,) = of_kind("failed-command", first, ran("npm ci"), second)
    assert (found.signature, found.times, found.line) == ("npm ci: lock file out sync", 2, 1)
    assert found.text == "npm ci: lock file is out of sync"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ran("npm run dev", "listen EADDRINUSE: address already in use :::3000"),
            ran("vite", "Port 51 is already in use"),
        ),
        (ran("pytest", "No module named 'yaml'"), ran("python app.py", "ModuleNotFoundError: No module named 'yaml'")),
        (
            SessionAct("read", name="read", text="Read src/a.txt", result="failed", error="File does not exist."),
            ran("cat a.txt", "cat: a.txt: No such file or directory", is_look=True),
        ),
        (ran("x y", 'Command "mocha" not found'), ran("z", "zsh: command not found: mocha")),
    ],
)
def test_the_same_error_in_other_words(one: SessionAct, other: SessionAct) -> None:
    """Programs word the same error differently; it has one signature where the command does not matter."""
    names = {found.signature for act in (one, other) for found in of_kind("failed-command", act)}
    assert len(names) == 1


def test_a_command_that_is_there_is_not_called_missing() -> None:
    """A program that does not know its sub-command is another failure than a program that is not there."""
    unknown, missing = ran("rtk bun", "unrecognized subcommand 'bun'"), ran("bun test", "bash: bun: command not found")
    (one,), (other,) = (of_kind("failed-command", act) for act in (unknown, missing))
    assert not near(one.signature, other.signature)


def test_classes_are_exact() -> None:
    """Two classes of errors with nearly the same name stay two."""
    edits = [
        SessionAct("edit", name="edit", result="failed", error=text)
        for text in ("String to replace not found", "x is not unique")
    ]
    one, other = of_kind("failed-command", *edits)
    assert not near(one.signature, other.signature)


def test_a_failed_test_that_says_nothing_is_work() -> None:
    """Tests fail while one works; only a failure that can be told from others is a signal."""
    silent = ran("npm test", "1 failed", check="test", is_telling=False)
    assert of_kind("failed-command", silent) == []
    (found,) = of_kind("failed-command", ran("npm test", "failed cart › adds up", check="test"))
    assert "adds up" in found.signature


def test_a_retry_loop() -> None:
    """Three times the same while nothing changed is a loop; with a change in between, or other answers, it is none."""
    again = ran("curl localhost/health", "connection refused")
    assert len(of_kind("retry-loop", again, again, again)) == 1
    assert of_kind("retry-loop", again, again, edited(), again) == []
    assert of_kind("retry-loop", again, again, SessionAct(ASK), again) == []
    waits = [ran("gh run view", answer=str(n)) for n in range(5)]
    assert of_kind("retry-loop", *waits) == []
    assert len(of_kind("retry-loop", *[ran("tail log", answer="same")] * 3)) == 1


def test_edit_churn() -> None:
    """A file changed many times, or returned to after other work, is churn; a few changes are not."""
    assert of_kind("edit-churn", *[edited()] * 7) == []
    (often,) = of_kind("edit-churn", *[edited()] * 8)
    (returned,) = of_kind("edit-churn", *[edited(), ran("npm test")] * 4)
    assert often.signature == returned.signature == "'src/app.ts'"
    assert often.bound


def test_red_to_green() -> None:
    """A check that failed and passed after a change is a success; one that passed by itself is not."""
    red, green = ran("cargo test", "1 failed", check="test"), ran("cargo test", check="test")
    (found,) = of_kind("red-green", red, edited(), green)
    assert found.good and found.signature == "test: cargo test"
    assert of_kind("red-green", red, green) == []


def test_long_detours() -> None:
    """Many calls between an ask and the first change are a detour, and so are many ways that fail before one works."""
    look = SessionAct("read", name="read", result="passed", is_look=True)
    (found,) = of_kind("long-detour", SessionAct(ASK), *[look] * 31, edited("a/b.go"))
    assert found.signature == "first change: 'a/b.go'" and found.text.startswith("32 calls")
    assert of_kind("long-detour", SessionAct(ASK), *[look] * 20, edited("a/b.go")) == []
    tries = [ran(f"ffmpeg -i {n}", "no such option", name="ffmpeg") for n in range(4)]
    assert [one.signature for one in of_kind("long-detour", *tries, ran("ffmpeg -y", name="ffmpeg"))] == [
        "attempts: ffmpeg"
    ]
    assert of_kind("long-detour", *tries) == []


def test_refusals_and_overflows() -> None:
    """What was not let run is known by its command, and every overflow is the same."""
    refused = ran("git push --force", result="refused")
    (found,) = of_kind("permission-denied", refused, SessionAct("plan", name="plan", result="refused"))
    assert found.signature == "shell: git push"
    (over,) = of_kind("context-overflow", ran("a"), SessionAct(OVERFLOW), ran("b"), SessionAct(OVERFLOW))
    assert over.times == 2


def test_lookups() -> None:
    """Each thing that is looked up counts once in a session; help holds everywhere, the rest in its project."""
    act = ran("x", sought=(("help: git worktree", "git worktree --help"), ("search: 'ttl'", "rg ttl")))
    found = of_kind("lookup-anew", act, act)
    assert [(one.signature, one.bound, one.times) for one in found] == [
        ("help: git worktree", False, 1),
        ("search: 'ttl'", True, 1),
    ]


def test_what_people_say() -> None:
    """A correction, and a rating with each of its reasons, is a signal; one without a reason is none."""
    said = (SessionAct(ASK, line=7, name="pnpm use", text="No, use pnpm."),)
    rated = (
        ReasonedRating(2, "2 - slow", ("time",)),
        ReasonedRating(6, "6 ok", ("time",)),
        ReasonedRating(9, "9 - fast", ("quick",)),
        ReasonedRating(1, "1", ()),
    )
    (correction,) = of_kind("correction", corrections=said)
    assert (correction.signature, correction.line, correction.severity) == ("pnpm use", 7, 3)
    (low,), (high,) = of_kind("low-rating", ratings=rated), of_kind("high-rating", ratings=rated)
    assert (low.signature, high.signature, high.good) == ("time", "quick", True)


def test_a_fix_names_failure_and_step() -> None:
    """The same step after the same failure is the same fix, whatever the numbers in it."""
    worked = ("ran `docker compose down`",)
    fixes = [Fix("f1", "npm test", f"port {n} is taken", worked, "some-agent", "s-1", "shop", "") for n in (1, 2)]
    (found,) = of_kind("fix-worked", fixes=tuple(fixes))
    assert (found.times, found.fingerprint) == (2, "f1") and "docker compose down" in found.signature


def test_a_session_is_bounded() -> None:
    """However much fails in a session, it gives a bounded number of signals."""
    many = [ran(f"tool{chr(97 + n % 26)} {chr(97 + n // 26)}", f"cannot {'x' * (n + 2)} it") for n in range(200)]
    assert len(of_kind("failed-command", *many)) == MAX_OF_A_KIND
