"""Fixes out of archived sessions."""

from __future__ import annotations

import shutil

from holdfast import agents
from holdfast.learning.fixes import harvest as harvest_fixes
from holdfast.learning.fixes import model as fixes
from holdfast.parts import HookRun
from holdfast.records import SessionEvent, replace
from holdfast.sessions.archive import Archive
from sessions.making import edited, human, ran
from support.learned import SHOP, talked
from support.parts import keep

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'yaml'"


def harvested(h, name: str) -> list[bool]:
    """Keep what the finder finds in a session, and return for each finding whether it was new."""
    archive = Archive(h.home)
    return [one.keep() for one in harvest_fixes.harvest(h, archive.digest(name), list(archive.events(name)))]


def told(home) -> list[tuple[str, ...]]:
    """Return the steps of every fix."""
    return [one.steps for one in fixes.read(str(home))]


def test_a_fix_of_a_session(workspace, shop, home) -> None:
    """A failure that was fixed in a session becomes a row with all that one schema asks for, and once for ever."""
    with workspace() as h:
        name = talked(
            h, shop, "s-1", ran("pytest", MISSING, failed=True), ran("pip install pyyaml"), ran("pytest", "1 passed")
        )
        assert harvested(h, name) == [True]
        assert harvested(h, name) == [False]
        shutil.rmtree(home / "state")
        assert harvested(h, name) == [False]
    (fix,) = fixes.read(str(home))
    assert (fix.agent, fix.session, fix.project, fix.steps) == (
        "some-agent",
        "s-1",
        SHOP,
        ("ran `pip install pyyaml`",),
    )
    assert fix.at and fix.command == "pytest" and fix.error == "ModuleNotFoundError: No module named 'yaml'"


def test_going_back_to_the_folder_of_the_session_is_no_fix(workspace, shop, home) -> None:
    """An agent that had gone elsewhere only comes back; what must be run in another folder is still told."""
    missing = 'npm error Missing script: "lint"'
    for id, line, kept in (("s-1", f"cd {shop} && npm run lint", 0), ("s-2", "cd web && npm run lint", 1)):
        with workspace() as h:
            name = talked(h, shop, id, ran("npm run lint", missing, failed=True), ran(line, "ok"))
            assert len(harvested(h, name)) == kept, line


def test_a_command_that_goes_on_in_the_background_fails_where_it_ended(workspace, shop, home) -> None:
    """The call that tells the end tells it of the command that was begun, so what made it work is its fix."""
    begun = ran("pytest", "Process running with session ID 7\nOutput:\ncollecting\n")
    polled = SessionEvent(0, "tool", tool="write_stdin", input='{"session_id": 7}', failed=True, answered=True)
    ended = replace(polled, output="Process exited with code 1\nOutput:\nModuleNotFoundError: No module named 'yaml'\n")
    with workspace() as h:
        name = talked(h, shop, "s-1", begun, ended, ran("pip install pyyaml"), ran("pytest", "1 passed"))
        assert harvested(h, name) == [True]
    assert told(home) == [("ran `pip install pyyaml`",)]


def test_what_a_check_prints_counts(workspace, shop, home) -> None:
    """Behind a pipe the exit says nothing, so what a check printed decides; finding alone writes nothing."""
    piped = "pytest 2>&1 | tail -5"
    with workspace() as h:
        failing = ran(piped, "E   ModuleNotFoundError: No module named 'yaml'\n1 failed in 0.1s")
        name = talked(h, shop, "s-1", failing, ran("pip install pyyaml"), ran(piped, "3 passed in 0.1s"))
        archive = Archive(h.home)
        (found,) = harvest_fixes.harvest(h, archive.digest(name), list(archive.events(name)))
        assert found.kind == "fix" and "ran `pip install pyyaml`" in found.text and told(home) == []
        assert found.keep() and told(home) == [("ran `pip install pyyaml`",)]
        unknown = talked(h, shop, "s-2", failing, ran("pip install pyyaml"), ran(piped, "..."))
        assert harvested(h, unknown) == []


def test_what_failed_again_is_no_fix(workspace, shop, home) -> None:
    """A fix after which the same failure came again in the session is not kept; the last one that held is."""
    failing = ran("pytest", MISSING, failed=True)
    wrong = (failing, ran("pip install wrong"), ran("pytest"))
    right = (failing, ran("pip install pyyaml"), ran("pytest"))
    with workspace() as h:
        assert harvested(h, talked(h, shop, "s-1", *wrong, failing)) == []
        assert harvested(h, talked(h, shop, "s-2", *wrong, *right)) == [True]
    assert told(home) == [("ran `pip install pyyaml`",)]


def test_quiet_sessions_leave_nothing(workspace, shop, home) -> None:
    """Sessions in which nothing failed, or failed by refusal or looking only, leave no row and no file."""
    refused = ran("rm -rf x", "The user doesn't want to proceed with this tool use.", failed=True)
    quiet = (human("hello"), ran("ls nope", "No such file", failed=True), refused, ran("pytest", "3 passed"))
    with workspace() as h:
        assert harvested(h, talked(h, shop, "s-1", *quiet)) == []
        let_later = (refused, edited("/home/ann/shop/a.py"), ran("rm -rf x"))
        assert harvested(h, talked(h, shop, "s-2", *let_later)) == []
    assert not (home / "learning" / "signals" / "fixes.jsonl").exists()


def test_a_hook_and_a_harvest_find_the_same(workspace, shop, home) -> None:
    """What a hook kept already a harvest of the same session does not add again."""
    adapter = agents.get("claude-code")
    calls = [
        ("PostToolUseFailure", "pytest", MISSING),
        ("PostToolUse", "pip install pyyaml", ""),
        ("PostToolUse", "pytest", ""),
    ]
    with workspace() as h:
        for native, line, error in calls:
            data = {"session_id": "s-1", "cwd": str(shop), "tool_name": "Bash", "tool_input": {"command": line}}
            call = adapter.read_hook_input(native, {**data, "error": error}, {})
            (home / "state").mkdir(parents=True, exist_ok=True)
            keep(HookRun(str(home), adapter, call, {}))
        assert len(told(home)) == 1
        events = [ran(line, error, failed=bool(error)) for _, line, error in calls]
        assert harvested(h, talked(h, shop, "s-1", *events, agent="claude-code")) == [False]
        assert harvested(h, talked(h, shop, "s-1", *events, agent="other-agent")) == [True]
    assert len(told(home)) == 2
