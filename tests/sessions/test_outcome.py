"""How a session ended, by its evidence."""

from __future__ import annotations

import pytest

from holdfast.records import SessionEvent
from holdfast.sessions.facts import OUTCOMES, Digest, OutcomeEvidence
from holdfast.sessions.work import outcome_of

from .making import answer, digested, edited, human, ran

ASK = human("Add a cart")
PASSED = ran("pytest", "5 passed")
FAILED = ran("pytest", "1 failed, 4 passed", failed=True)
COMMIT = ran("git commit -m Cart", "[main 1a2b3c4] Cart")
NOT_PUSHED = ran("git push", "fatal: could not read from remote repository", failed=True)
STOPPED = SessionEvent(0, "injected", "[Request interrupted by user]")
WHERE = human("Where is the total of the cart computed?")


def names(digest: Digest) -> set[str]:
    """Return the names of the evidence."""
    return {one.name for one in digest.outcome.evidence}


@pytest.mark.parametrize(
    ("events", "kind", "evidence"),
    [
        ([ASK, edited("a.py"), PASSED, answer()], "success", {"tests-passed"}),
        ([ASK, edited("a.py"), FAILED, answer()], "failure", {"tests-failed"}),
        ([ASK, FAILED, edited("a.py"), PASSED, answer()], "success", {"tests-passed"}),
        ([ASK, edited("a.py"), FAILED, COMMIT, answer()], "partial", {"tests-failed", "committed"}),
        ([ASK, edited("a.py"), COMMIT, ran("git push", "main -> main")], "success", {"committed", "pushed"}),
        ([ASK, ran("gh pr create", "https://git.example/a/b/pull/7"), answer()], "success", {"pull-request"}),
        ([ASK, edited("a.py"), answer(), human("Perfect, thanks!")], "success", {"praise"}),
        ([ASK, edited("a.py"), answer(), human("No, that's wrong")], "failure", {"correction"}),
        ([ASK, answer(), human("No, that's wrong"), edited("a.py"), PASSED], "success", {"tests-passed"}),
        ([ASK, edited("a.py"), STOPPED], "abandoned", {"interrupted"}),
        ([ASK, edited("a.py"), PASSED, STOPPED], "partial", {"tests-passed", "interrupted"}),
        ([ASK, STOPPED, human("go on"), edited("a.py"), PASSED], "success", {"tests-passed"}),
        ([ASK], "abandoned", {"unanswered"}),
        ([ASK, edited("a.ts"), ran("npm run build", "built in 2s"), answer()], "success", {"build-passed"}),
        ([ASK, FAILED, edited("a.py"), answer()], "partial", {"tests-failed", "delivered"}),
        (
            [ASK, edited("a.py"), FAILED, answer("One test fails, which is unrelated.")],
            "partial",
            {"tests-failed", "delivered"},
        ),
        ([ASK, PASSED, answer("It does not fail here.")], "unknown", {"tests-passed"}),
        ([ASK, *[ran("./ship.sh", "no route", True)] * 3, answer("It is up.")], "unknown", {"error-tail"}),
        ([ASK, *[ran("./ship.sh", "no route", True)] * 3, answer("I could not.")], "failure", {"error-tail"}),
        ([ASK, *[ran("cat gone", "no such file", True)] * 3, answer("It is not there.")], "unknown", set()),
        ([ASK, edited("a.py"), answer(), human("No, not that"), answer("I see.")], "unknown", {"correction"}),
        (
            [ASK, edited("a.py"), answer(), human("Thanks!"), ran("ls", "a"), answer()],
            "success",
            {"praise", "delivered"},
        ),
        ([ASK, edited("a.py"), COMMIT, human("exit")], "success", {"committed"}),
        ([ASK, edited("a.py"), PASSED, human("Add a till"), ran("ls", "a")], "partial", {"tests-passed", "unfinished"}),
        ([ASK, ran("gh pr merge 7", "merged"), answer()], "success", {"merged"}),
        ([ASK, edited("a.py"), COMMIT, NOT_PUSHED], "partial", {"committed", "push-failed"}),
        ([ASK, edited("a.py"), COMMIT, NOT_PUSHED, ran("git push", "a -> a")], "success", {"committed", "pushed"}),
        ([ASK, edited("a.py"), PASSED, ran("git stash"), FAILED, ran("git stash pop")], "success", {"tests-passed"}),
        (
            [ASK, edited("a.py"), SessionEvent(0, "injected", "[turn aborted: interrupted]")],
            "abandoned",
            {"interrupted"},
        ),
        ([ASK, edited("a.py"), SessionEvent(0, "injected", "[turn error: no network]")], "failure", {"error-tail"}),
        ([ASK, *[ran("make deploy-all", "error: no", True)] * 3], "failure", {"error-tail", "build-failed"}),
        ([ASK, answer("API Error: overloaded")], "failure", {"error-tail"}),
        ([ASK, answer("It is in cart.py.")], "unknown", set()),
        ([ASK, edited("a.py"), answer("All tests pass, everything is perfect!")], "success", {"delivered"}),
        ([ASK, edited("a.py"), answer("Done."), human("And on Windows?"), answer("Yes.")], "success", {"delivered"}),
        ([ASK, edited("a.py"), answer("I could not make it work.")], "unknown", set()),
        ([ASK, edited("a.py"), answer("Done."), human("Add a till"), answer("Which one?")], "unknown", set()),
        ([ASK, edited("a.py")], "unknown", set()),
        ([], "unknown", set()),
        (
            [human("Push it to main"), COMMIT, answer("I did not push to main: the instructions forbid it.")],
            "partial",
            {"committed", "declined"},
        ),
        (
            [
                human("Push it to main"),
                answer("I will not push to main, the instructions forbid it: a branch it is."),
                *(COMMIT, ran("git push -u origin fix", "fix -> fix"), answer("It is on a branch.")),
            ],
            "success",
            {"committed", "pushed"},
        ),
        (
            [human("Push it to main"), COMMIT, answer("I did not change the tests, as your instructions say.")],
            "success",
            {"committed"},
        ),
    ],
)
def test_the_outcome_follows_from_named_evidence(events: list[SessionEvent], kind: str, evidence: set[str]) -> None:
    """Checks, what left the session, the last words and how it broke off decide; what the agent says alone does not."""
    digest = digested(*events)
    assert names(digest) == evidence
    assert digest.outcome.kind == kind


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([WHERE, ran("rg total", "cart.py:7"), answer("In `cart.py`, line 7.")], "success"),
        ([human("Is the till tested"), answer("Not yet: only the cart is.")], "success"),
        ([human("Reply with exactly READY. Do not edit files."), answer("READY")], "success"),
        ([human("[[ ## ask ## ]]\n@[Ann]: What is 3+4?"), answer("7")], "success"),
        ([human("Könntest du mir bitte sagen, wo die Kasse liegt?"), answer("In `till.py`.")], "unknown"),
        ([human("Erkläre bitte die Kasse."), answer("Sie zählt die Posten zusammen.")], "success"),
        ([WHERE, answer("I could not find it.")], "unknown"),
        ([WHERE, answer("In which shop do you mean?")], "unknown"),
        ([WHERE, answer("Let me look for it.")], "unknown"),
        ([WHERE, answer("API Error: overloaded")], "failure"),
        ([WHERE, answer("In till.py."), human("No, that's wrong")], "failure"),
        ([WHERE, answer("In till.py."), human("Move it to cart.py"), answer("It belongs there.")], "unknown"),
        ([human("Why does the total differ? Fix it."), answer("It is rounded twice.")], "unknown"),
        ([human("Explore to understand:\n1. How `sum` is used\n2. The till"), answer("By carts.")], "success"),
        ([human("Fix these:\n1. What is the total\n2. The till"), answer("It is rounded twice.")], "unknown"),
        ([human("Explain the total and fix it"), answer("It is rounded twice.")], "unknown"),
        ([human("Can you add a till?"), answer("A till needs a drawer.")], "unknown"),
        ([human("How about a till?"), answer("A till needs a drawer.")], "unknown"),
        ([WHERE, ran("python3 count.py", "7"), answer("In cart.py.")], "unknown"),
        ([SessionEvent(0, "injected", "Where is it?"), answer("In cart.py.")], "unknown"),
    ],
)
def test_a_question_that_was_answered_is_a_success_barely(events: list[SessionEvent], kind: str) -> None:
    """Only where nothing else was asked or done, and the answer neither gives up nor asks back."""
    outcome = digested(*events).outcome
    assert outcome.kind == kind
    assert kind != "success" or ([one.name for one in outcome.evidence], outcome.confidence) == (["answered"], 0.55)


def test_changes_after_a_check_halve_it() -> None:
    """Tests that passed before the last change say less."""
    before = digested(ASK, edited("a.py"), PASSED, answer()).outcome
    after = digested(ASK, PASSED, edited("a.py"), answer()).outcome
    assert {one.name: one.weight for one in after.evidence}["tests-passed"] == before.evidence[0].weight / 2
    assert after.confidence < before.confidence


def test_what_programs_put_in_is_no_evidence() -> None:
    """Praise, corrections and results in injected text, summaries, command echoes and our own memory count nothing."""
    texts = [
        SessionEvent(0, role, "Perfect, thanks! That's wrong. 5 passed")
        for role in ("injected", "summary", "ours", "command")
    ]
    recalled = SessionEvent(
        0, "tool", tool="mcp__holdfast__recall", input='{"query": "x"}', output="1 failed", failed=True
    )
    digest = digested(ASK, answer(), *texts, recalled)
    assert digest.outcome.kind == "unknown"
    assert digest.outcome.evidence == ()
    assert digest.said == ()
    assert digest.troubles == ()
    assert digest.asks == 1


def test_memory_of_ours_cannot_break_a_session_off() -> None:
    """A remembered text that begins like the mark of an interruption is no interruption."""
    remembered = SessionEvent(0, "ours", STOPPED.text)
    assert digested(ASK, edited("a.py"), PASSED, remembered).outcome.kind == "success"


def test_the_first_ask_corrects_and_praises_nothing() -> None:
    """Before anything was done, such words are about something else."""
    for text in ("No, that's wrong in the shop", "Thanks for helping with the cart"):
        digest = digested(human(text), answer())
        assert digest.outcome.evidence == ()
        assert digest.said == ()


def test_evidence_points_back() -> None:
    """Each piece of evidence knows the place and line of its event."""
    [one] = digested(ASK, edited("a.py"), PASSED, answer()).outcome.evidence
    assert (one.place, one.line) == (2, 21)
    assert one.text == "pytest"


def test_more_evidence_is_more_sure_and_never_certain() -> None:
    """The confidence grows with the lead and stays below one."""
    weak = outcome_of([OutcomeEvidence("tests-passed", "success", 2.0)])
    strong = outcome_of(
        [OutcomeEvidence("tests-passed", "success", 2.0), OutcomeEvidence("committed", "success", 2.0)] * 5
    )
    assert weak.kind == strong.kind == "success"
    assert weak.confidence < strong.confidence < 1
    assert {weak.kind, outcome_of([]).kind} <= set(OUTCOMES)


def test_a_session_that_breaks_off_in_a_call_is_no_success() -> None:
    """Earlier tests passed, but the commit that was asked for last never came back: it is done in part."""
    cut = SessionEvent(0, "tool", tool="Bash", input='{"command": "git commit -m x"}')
    found = digested(ASK, edited("a.py"), PASSED, SessionEvent(0, "human", "Now commit the parser and open a PR"), cut)
    assert found.outcome.kind == "partial"


def test_a_mere_promise_finishes_nothing() -> None:
    """What was asked last was only announced; what was tested before is done."""
    last = SessionEvent(0, "human", "Can you also add input validation?")
    told = SessionEvent(0, "assistant", "Sure, I'll add input validation to the parser.")
    assert digested(ASK, edited("a.py"), PASSED, last, told).outcome.kind == "partial"
    done = SessionEvent(0, "assistant", "It is validated already.")
    assert digested(ASK, edited("a.py"), PASSED, last, done).outcome.kind == "success"
    assert digested(ASK, ran("ls", "a"), told).outcome.kind == "abandoned"


def test_what_was_concluded_before_is_done_when_the_last_ask_is_not() -> None:
    """Files were changed and the agent said so; it was pushing them when the session ended."""
    push = SessionEvent(0, "human", "please push")
    cut_off = SessionEvent(0, "tool", tool="Bash", input='{"command": "git push"}')
    found = digested(ASK, edited("a.py"), ran("ls", "a.py"), answer("Removed the old cart."), push, cut_off)
    assert found.outcome.kind == "partial"


def test_a_broken_turn_stays_broken_when_no_answer_was_asked_for() -> None:
    """The program writes that no answer was requested, behind an error that ended the work."""
    broken = SessionEvent(0, "assistant", "API Error: the answer exceeded the maximum of tokens.")
    silent = SessionEvent(0, "assistant", "No response requested.")
    assert digested(ASK, broken, silent).outcome.kind == "failure"


def test_a_session_that_ends_while_it_only_looked_is_abandoned() -> None:
    """Nothing was changed, run or answered."""
    read = SessionEvent(0, "tool", tool="Read", input='{"file_path": "/a/b.py"}', output="x", answered=True)
    assert digested(ASK, read).outcome.kind == "abandoned"
