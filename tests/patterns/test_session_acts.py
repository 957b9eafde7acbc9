"""Sessions as extractors see them: what an event becomes, and what is left out."""

from __future__ import annotations

import json

import pytest

from holdfast.patterns.session_acts import seen, seen_in_digest
from holdfast.patterns.signal_files import ASK, OVERFLOW, SessionAct
from holdfast.records import SessionEvent, replace
from sessions.making import SESSION, answer, digested, edited, human, numbered, ran


def acts(*events: SessionEvent, **session) -> tuple[SessionAct, ...]:
    """Return the acts of a session with these events."""
    told = replace(SESSION, **session)
    return seen(digested(*events, session=told), numbered(*events)).acts


def called(tool: str, output: str = "ok", failed: bool = False, **given) -> SessionEvent:
    """Return a call of a tool."""
    return SessionEvent(0, "tool", tool=tool, input=json.dumps(given), output=output, failed=failed, answered=True)


def test_a_failed_command_has_its_name_and_error() -> None:
    """A failed command is known by what was run, and by the line that says the error."""
    (act,) = acts(ran("cd api && npm run lint:all 2>&1", 'npm error Missing script: "lint:all"', failed=True))
    assert (act.kind, act.name, act.result) == ("shell", "npm run lint:all", "failed")
    assert "Missing script" in act.error and act.fingerprint


def test_an_ask_that_only_wants_to_see_something_is_none() -> None:
    """Who asks for a list or an explanation again and again asks for nothing to automate."""
    told = [act.name for act in acts(human("List the files."), human("Update the changelog of the shop"))]
    assert told[0] == "" and told[1]


def test_a_command_in_the_background_is_one_act_where_it_ended() -> None:
    """What it printed later is its own: the call that asked for it is no act, and neither is its beginning."""
    begun = ran("npm run lint:all", "Process running with session ID 7\nOutput:\n> lint\n")
    output = 'Process exited with code 1\nOutput:\nnpm error Missing script: "lint:all"\n'
    polled = called("write_stdin", output, failed=True, session_id=7)
    (act,) = acts(begun, polled)
    assert (act.name, act.result) == ("npm run lint:all", "failed") and "Missing script" in act.error


def test_a_search_that_finds_nothing_did_not_fail() -> None:
    """That nothing was found is an answer."""
    (act,) = acts(ran("grep -rn nothing src", "", failed=True))
    assert act.result == "passed"


def test_a_check_that_never_ran_is_no_red_test() -> None:
    """A test command that is not there failed as any other command does."""
    (act,) = acts(ran("jest", "zsh: command not found: jest", failed=True))
    assert (act.check, act.result) == ("", "failed")


def test_a_check_behind_another_command_has_its_own_name() -> None:
    """Of a linter and tests in one line, the tests are what it was run for."""
    (act,) = acts(ran("npm run lint && npm test", "1 failed, 2 passed", failed=True))
    assert (act.check, act.name, act.result) == ("test", "npm test", "failed")


def test_the_failing_test_is_named() -> None:
    """What a test run says of which test failed is its error."""
    output = "E   assert 3 == 4\nFAILED tests/test_cart.py::test_sum - assert 3 == 4\n1 failed in 0.2s"
    (act,) = acts(ran("pytest -q", output, failed=True))
    assert (act.check, act.error) == ("test", "failed tests/test_cart.py::test_sum")


@pytest.mark.parametrize(
    ("output", "result"),
    [
        ("The user doesn't want to proceed with this tool use.", "refused"),
        ("[Operation Cancelled] Reason: User denied execution.", "refused"),
        ("[Request interrupted by user]", "unknown"),
    ],
)
def test_what_a_person_did_not_let_run(output: str, result: str) -> None:
    """A refusal is no failure, and an interruption is neither."""
    (act,) = acts(ran("git push --force", output, failed=True))
    assert act.result == result


def test_an_edit_that_fails_says_why_in_one_line() -> None:
    """A tool that repeats what it was given is quoted by the line that says what went wrong."""
    output = "<tool_use_error>String to replace not found in file.\nString: raise Error('x')</tool_use_error>"
    (act,) = acts(edited("/home/ann/shop/a.py", output, failed=True))
    assert (act.error, act.paths) == ("String to replace not found in file.", ("a.py",))


def test_what_is_nobodys_work_is_left_out() -> None:
    """Text of programs, our own, calls of a memory, a nameless tool and a look at a running process are no acts."""
    roles = ("injected", "ours", "command", "task")
    texts = [SessionEvent(0, role, "No, use pnpm.") for role in roles]
    calls = [
        called("remember", text="x"),
        called("mcp__holdfast__memory_list"),
        called("", x="y"),
        called("BashOutput"),
    ]
    assert acts(*texts, *calls, ran("holdfast recall x", "error", failed=True)) == ()
    assert [act.kind for act in acts(human("Go."), SessionEvent(0, "summary", "So far"))] == [ASK, OVERFLOW]


def test_a_person_does_not_speak_in_a_sub_agent() -> None:
    """What stands where a person speaks in a sub-agent's session was said by an agent."""
    events = (human("Look."), answer(), human("No, don't use npm, use pnpm."))
    whole = seen(digested(*events), numbered(*events))
    part = replace(SESSION, is_subagent=True, parent="top")
    inside = seen(digested(*events, session=part), numbered(*events))
    assert len(whole.corrections) == 1 and whole.corrections[0].line == 21
    assert (inside.corrections, inside.acts, inside.whole) == ((), (), "top")


def test_before_anything_was_done_nothing_is_corrected() -> None:
    """A first message with the words of a correction is a wish."""
    events = (human("No, don't use npm, use pnpm."), answer())
    assert seen(digested(*events), numbered(*events)).corrections == ()


def test_what_is_looked_up() -> None:
    """A search counts by what it looks for; behind a pipe it only picks from another output."""
    (shell,) = acts(ran("cd src && rg -n CACHE_TTL . | head", "a.py:1"))
    assert shell.sought == (("search: 'cache_ttl'", "rg -n CACHE_TTL ."),)
    (piped,) = acts(ran("npm ls | grep CACHE_TTL", "x"))
    assert piped.sought == ()
    (tool,) = acts(called("Grep", pattern="CACHE_TTL", path="src"))
    assert [one for one, _ in tool.sought] == ["search: 'cache_ttl'"]
    (glob,) = acts(called("Glob", pattern="**/invoice.ts"))
    assert [one for one, _ in glob.sought] == ["find: 'invoice.ts'"]


def test_a_digest_tells_failures_checks_and_changes() -> None:
    """Without events, errors, tests that became green, files changed often, corrections and overflows are known."""
    failure = ran("make migrate", "psycopg.OperationalError: connection refused by 5432", failed=True)
    tests = (ran("pytest", "1 failed", failed=True), edited("a.py"), ran("pytest", "1 passed"))
    said = (answer(), human("No, don't use npm, use pnpm."))
    digest = digested(human("Go."), failure, *tests, *[edited("b.py")] * 9, *said, SessionEvent(0, "summary", "x"))
    told = seen_in_digest(digest)
    kinds = [(act.kind, act.result, act.name) for act in told.acts]
    assert ("shell", "failed", "make migrate") in kinds
    assert [kind[:2] for kind in kinds if kind[2] == "pytest"][-2:] == [("shell", "failed"), ("shell", "passed")]
    assert sum(act.paths == ("b.py",) for act in told.acts) == 9
    assert len(told.corrections) == 1 and told.acts[-1].kind == OVERFLOW
