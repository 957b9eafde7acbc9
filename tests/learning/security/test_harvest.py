"""What the archive has for the audit trail and for research, where no hook told of it."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from holdfast import agents
from holdfast.app.harvest import harvest
from holdfast.learning.research import model as research
from holdfast.learning.security import model as security_trail
from holdfast.parts import HookRun
from holdfast.records import SessionEvent, replace
from support.archived import said, session, store
from support.parts import keep

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9
REPORT = "# The cart\n\n" + "It adds twice. " * 1_000


def ran(line: str, folder, at: str = "2026-05-04T10:00:00Z", tool: str = "Bash") -> SessionEvent:
    """Return a call of a shell."""
    given = json.dumps({"command": line})
    return SessionEvent(0, "tool", at=at, tool=tool, input=given, output="ok", folder=str(folder), answered=True)


def trail(home) -> list[tuple[str, str, str]]:
    """Return session, rule and text of each call in the trail, oldest first."""
    return [(record.session, record.rule, record.text) for record in reversed(security_trail.read(str(home)))]


def test_calls_in_the_archive_are_written_down_once(workspace, home, shop) -> None:
    """Each call of an archived session is in the trail with its time, however often it is harvested."""
    with workspace() as one:
        calls = [ran("rm -rf src", shop), ran("rm -rf src", shop, "2026-05-04T10:05:00Z"), ran("npm test", shop)]
        store(one, session("s1", shop), said("human", "tidy up"), *calls)
        found = harvest(one, everything=True)
        assert [taken.kind for taken in found.found if taken.kind == "security"] == ["security"] * 2
        assert trail(home) == [("s1", "rm-recursive", "rm -rf src")] * 2
        rows = security_trail.read(str(home))
        assert {row.at for row in rows} == {"2026-05-04T10:00:00Z", "2026-05-04T10:05:00Z"}
        assert {(row.agent, row.project, row.decision) for row in rows} == {("some-agent", SHOP, "seen")}
        shutil.rmtree(home / "state")
        assert [one for one in harvest(one, everything=True).found if one.kind == "security"] == []
        assert len(trail(home)) == 2


def test_a_dry_run_writes_nothing(workspace, home, shop) -> None:
    """With a dry run the findings are told and no folder is made."""
    with workspace() as one:
        store(one, session("s1", shop), ran("rm -rf src", shop))
        found = harvest(one, everything=True, dry_run=True).found
        told = [taken.text for taken in found if taken.kind == "security"]
        assert told == ["destructive, rm-recursive: rm -rf src"]
        assert not (home / "security").exists()


def test_what_a_hook_told_comes_once(workspace, home, shop) -> None:
    """A call and a report that a hook wrote down are not written down again from the archive."""
    adapter = agents.get("claude-code")
    base = {"session_id": "s1", "cwd": str(shop)}
    call = {**base, "tool_name": "Bash", "tool_input": {"command": "rm -rf src"}, "agent_id": "abc"}
    end = {**base, "agent_id": "abc", "last_assistant_message": REPORT}
    (home / "state").mkdir(parents=True)
    for native, data in (("PostToolUse", call), ("SubagentStop", end)):
        keep(HookRun(str(home), adapter, adapter.read_hook_input(native, data, {}), dict(os.environ)))
    month = security_trail.read(str(home))[0].at[:7]
    with workspace() as one:
        told = session("s1.agent-abc", shop, "claude-code", is_subagent=True, parent="s1")
        events = [ran("rm -rf src", shop, f"{month}-01T00:00:00Z"), said("assistant", REPORT, f"{month}-01T00:00:00Z")]
        store(one, told, said("task", "look at the cart"), *events)
        harvest(one, everything=True)
    assert trail(home) == [("s1.agent-abc", "rm-recursive", "rm -rf src")]
    assert len(research.all_reports(str(home))) == 1


def test_a_report_is_whole(workspace, home, shop) -> None:
    """The last answer of a sub-agent is kept with its middle, without secrets, under the session it worked for."""
    with workspace() as one:
        told = session("s1.agent-abc", shop, is_subagent=True, parent="s1")
        store(one, told, said("assistant", "first"), said("assistant", f"{REPORT}the end {TOKEN}"))
        harvest(one, everything=True)
    (report,) = research.all_reports(str(home))
    assert report.text.count("It adds twice.") == 1_000 and "the end" in report.text and TOKEN not in report.text
    assert (report.session, report.parent, report.project, report.summary) == ("s1.agent-abc", "s1", SHOP, "The cart")


def test_the_answer_of_a_session_is_no_report(workspace, home, shop) -> None:
    """Only what a sub-agent hands over is research."""
    with workspace() as one:
        store(one, session("s1", shop), said("human", "hello"), said("assistant", REPORT))
        harvest(one, everything=True)
    assert research.all_reports(str(home)) == []


def test_a_fork_adds_no_copy(workspace, home, shop) -> None:
    """A session that was forked has the calls of the first one, which are not written down again."""
    with workspace() as one:
        store(one, session("s1", shop), ran("rm -rf src", shop))
        store(one, session("s2", shop), ran("rm -rf src", shop), ran("rm -rf docs", shop, "2026-05-04T11:00:00Z"))
        harvest(one, everything=True)
    assert sorted(text for _, _, text in trail(home)) == ["rm -rf docs", "rm -rf src"]


@pytest.mark.parametrize("given", ["{", "", "[1]", '{"command": {"a": 1}}', "\x00"])
def test_nothing_that_a_session_says_stops_it(workspace, home, shop, given: str) -> None:
    """Whatever a call was given, the session is harvested to its end."""
    with workspace() as one:
        odd = SessionEvent(0, "tool", tool="Bash", input=given, folder=str(shop))
        store(one, session("s1", shop), odd, ran("rm -rf src", shop))
        assert harvest(one, everything=True).problems == ()
    assert len(trail(home)) == 1


@pytest.mark.parametrize(
    ("asked", "lines", "told"),
    [
        ("tidy up", ["touch /srv/other/docs/a", "touch /srv/other/docs/a"], ["touch /srv/other/docs/a"]),
        ("mend /srv/other/docs/a.md too", ["touch /srv/other/docs/b.md"], []),
        (
            "look at `/srv/other/docs`, please",
            ["touch /srv/other/docs/b.md", "touch /srv/else/x"],
            ["touch /srv/else/x"],
        ),
        ("do it in a work tree", ["git worktree add -b x /srv/trees/x", "touch /srv/trees/x/a"], []),
    ],
)
def test_a_file_outside_is_told_once_and_not_where_the_person_named_it(
    workspace, home, shop, asked, lines, told
) -> None:
    """What was asked for is no news, nor is the work tree that a session made for itself."""
    with workspace() as one:
        store(one, session("s1", shop), said("human", asked), *[ran(line, shop) for line in lines])
        harvest(one, everything=True)
        assert [text for _, rule, text in trail(home) if rule == "write-outside"] == told


def test_a_session_in_a_part_of_a_project_that_is_gone_is_of_all_of_it(workspace, home) -> None:
    """Of a folder that is not here, the part that is called like the project is the project."""
    with workspace() as one:
        part = "/srv/work/shop/packages/web"
        calls = [ran("touch ../api/a.ts", part), ran("touch /srv/work/till/a.ts", part)]
        store(one, replace(session("s1", part), project=SHOP), said("human", "tidy up"), *calls)
        harvest(one, everything=True)
        assert [text for _, _, text in trail(home)] == ["touch /srv/work/till/a.ts"]


def test_what_the_session_made_itself_is_its_to_remove(workspace, home, shop) -> None:
    """A branch and a folder of its own, but neither another of either nor one of both in the same call."""
    lines = (
        *("git switch -c chore/tidy", "mkdir -p out/report", "agentv run --output results/dry-run"),
        *(
            "git branch -f kept origin/kept && git branch -D chore/tidy",
            "rm -rf out/report results/dry-run",
            "git switch main",
        ),
        *("git branch -D main", "rm -rf results/dry-run src"),
    )
    events = [ran(line, shop, f"2026-05-04T10:00:{at:02d}Z") for at, line in enumerate(lines)]
    with workspace() as h:
        store(h, session("s-1", shop), *events)
        harvest(h)
    assert [text for _, _, text in trail(home)] == ["git branch -D main", "rm -rf results/dry-run src"]
