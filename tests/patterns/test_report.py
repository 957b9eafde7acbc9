"""`holdfast patterns`: what recurs over the sessions in an archive, and what does not count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.app.harvest import harvest
from holdfast.language.ratings import Rating
from holdfast.learning.ratings import model as signals
from holdfast.patterns import report as patterns
from holdfast.patterns.clusters import Quote
from holdfast.patterns.review import candidate
from holdfast.records import SessionEvent, replace
from holdfast.sessions.archive import Archive
from holdfast.surfaces.cli.commands.patterns import where_of
from holdfast.workspace import Workspace
from sessions.making import answer, human, ran
from support.archived import said, session, store
from support.learned import rated

NO_YAML = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'yaml'"
SHOP = "example.com--acme--shop"
# A token of a made-up form that is redacted, put together so that no scanner takes this file for a leak.
SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


@pytest.fixture
def workspace(home, shop):
    """A workspace whose archive keeps sessions of any age."""
    with Workspace(str(home), flags={"archive.raw_max_age_days": "0"}) as opened:
        yield opened


def failing(workspace: Workspace, shop: Path, id: str, agent: str = "some-agent", output: str = NO_YAML, **more) -> str:
    """Archive a session in which the tests could not start."""
    events = (human(f"Look at part {id}{id}{id}."), ran("pytest -q", output, failed=True), answer())
    return store(workspace, session(id, shop, agent=agent, **more), *events, index=False)


def corrected(workspace: Workspace, shop: Path, id: str, text: str, role: str = "human", **more) -> str:
    """Archive a session in which somebody says this after the agent did something."""
    events = (human("Install it."), ran("npm install", "added 3 packages"), answer(), said(role, text))
    return store(workspace, session(id, shop, **more), *events, index=False)


def found(workspace: Workspace, kind: str, **more) -> list[patterns.Pattern]:
    """Harvest, and return the patterns of a kind."""
    harvest(workspace, everything=True)
    return [one for one in patterns.find(workspace, **more) if one.kind == kind]


def test_a_failure_of_two_agents_is_one_cross_agent_pattern(workspace, shop) -> None:
    """The same failing command in three sessions of two agents is found, with session and line of each."""
    names = [failing(workspace, shop, "a"), failing(workspace, shop, "b", agent="other"), failing(workspace, shop, "c")]
    (one,) = found(workspace, "failed-command")
    assert set(one.sessions) == set(names)
    assert one.cross_agent and one.agents == ("other", "some-agent")
    assert {(quote.agent, quote.session, quote.line) for quote in one.evidence} == {
        ("some-agent", "a", 11),
        ("other", "b", 11),
        ("some-agent", "c", 11),
    }
    assert "yaml" in one.title and one.fingerprints


def test_two_sessions_are_too_few_unless_asked_for(workspace, shop) -> None:
    """Below the least frequency nothing is reported."""
    failing(workspace, shop, "a"), failing(workspace, shop, "b")
    assert found(workspace, "failed-command") == []
    assert len(found(workspace, "failed-command", min_frequency=2)) == 1


def test_signals_outlive_the_events(workspace, shop) -> None:
    """When the raw files are gone the same patterns are found, with the same ids."""
    for id in "abc":
        corrected(workspace, shop, id, "No, use pnpm here, not npm.")
    before = found(workspace, "correction")
    archive = Archive(workspace.home)
    for id in "abc":
        archive.drop_raw(f"some-agent/{id}")
    assert len(before) == 1
    assert [one for one in patterns.find(workspace) if one.kind == "correction"] == before


def test_digests_alone_tell_what_they_can(workspace, shop) -> None:
    """Sessions that were never harvested and have no events left still show a failure that recurs."""
    for id in "abc":
        failing(workspace, shop, id)
        Archive(workspace.home).drop_raw(f"some-agent/{id}")
    (one,) = [one for one in patterns.find(workspace) if one.kind == "failed-command"]
    assert len(one.sessions) == 3 and "yaml" in one.signature
    assert patterns.gather(workspace).waiting == 0


@pytest.mark.parametrize("role", ["injected", "ours", "summary", "command", "task", "assistant"])
def test_only_the_person_corrects(workspace, shop, role) -> None:
    """The words of a correction from a program, an agent or ourselves are no signal, however often they come."""
    for id in "abcd":
        corrected(workspace, shop, id, "No, use pnpm here, not npm.", role=role)
    assert found(workspace, "correction", min_frequency=1) == []


def test_blocks_in_a_persons_message_do_not_count(workspace, shop) -> None:
    """What a program adds to a message of the person is not what they said."""
    block = "<system-reminder>\nNo, use pnpm here, not npm.\n</system-reminder>"
    for id in "abcd":
        corrected(workspace, shop, id, f"{block}\nThanks, go on with the next file.")
    assert found(workspace, "correction", min_frequency=1) == []


def test_sub_agents_count_as_their_session(workspace, shop) -> None:
    """Three sub-agents of one session that fail alike are one session, and what they are told is no correction."""
    for id in "abc":
        failing(workspace, shop, id, parent="top", is_subagent=True)
        corrected(workspace, shop, f"{id}2", "No, use pnpm here, not npm.", parent="top", is_subagent=True)
    assert found(workspace, "failed-command", min_frequency=2) == []
    assert found(workspace, "correction", min_frequency=1) == []


def test_our_own_program_gives_no_signal(workspace, shop) -> None:
    """A call of Holdfast, by a shell or by MCP, that fails again and again is no evidence of the agent's work."""
    call = SessionEvent(0, "tool", tool="mcp__holdfast__recall", input="{}", output="error: no home", failed=True)
    for id in "abc":
        events = (
            human("Go."),
            ran("holdfast recall x", "error: no home is here", failed=True),
            replace(call, answered=True),
        )
        store(workspace, session(id, shop), *events, index=False)
    assert patterns.gather(workspace).signals == []
    harvest(workspace, everything=True)
    assert patterns.gather(workspace).signals == []


def test_since_and_project_narrow_the_count(workspace, shop, repository) -> None:
    """Only what is asked for is counted, and the id stays the same."""
    for id, day in (("a", "2026-01-04"), ("b", "2026-05-04"), ("c", "2026-05-05")):
        failing(workspace, shop, id, day=day)
    failing(workspace, repository("site"), "d", day="2026-05-06")
    (all_of_it,) = found(workspace, "failed-command")
    (recent,) = found(workspace, "failed-command", since="2026-05-01")
    (here,) = found(workspace, "failed-command", project=SHOP)
    assert [len(one.sessions) for one in (all_of_it, recent, here)] == [4, 3, 3]
    assert all_of_it.id == recent.id == here.id
    assert here.projects == (SHOP,)


def test_ratings_count_when_they_come_later(workspace, shop) -> None:
    """A rating with a reason that is given after the harvest is a signal; a bare number is none."""
    for id in "abc":
        failing(workspace, shop, id)
    harvest(workspace, everything=True)
    for number, id in enumerate("abc"):
        rated(workspace, f"some-agent/{id}", 2, "took far too long", f"2026-05-04T1{number}:00:00Z")
        rated(workspace, f"some-agent/{id}", 1, "", f"2026-05-04T1{number}:30:00Z")
    (one,) = [one for one in patterns.find(workspace) if one.kind == "low-rating"]
    assert len(one.sessions) == 3 and one.signature == "time"


def test_what_shows_in_words_is_quoted_without_a_number(workspace, shop) -> None:
    """Who was angry gave no number, so none is shown as theirs."""
    for number, id in enumerate("abc"):
        failing(workspace, shop, id)
        said = "this took far too long again, how slow are you?"
        at = f"2026-05-04T1{number}:00:00Z"
        signals.add(workspace.home, Rating(at, 3, "implicit", "some-agent", id, SHOP, "", 0.9, said))
    harvest(workspace, everything=True)
    one = next(one for one in patterns.find(workspace) if one.kind == "low-rating")
    assert one.evidence[0].text.startswith("this took")


def test_a_fix_has_the_line_of_its_failure(workspace, shop) -> None:
    """What made a command work is a success, shown with the line where the command had failed."""
    for id in "abc":
        run = (ran("pytest -q", NO_YAML, failed=True), ran("pip install pyyaml", "ok"), ran("pytest -q", "3 passed"))
        store(workspace, session(id, shop), human("Test it."), *run, answer(), index=False)
    (one,) = found(workspace, "fix-worked")
    assert one.good and {quote.line for quote in one.evidence} == {11}
    assert "pip install pyyaml" in one.evidence[0].text


def test_forgetting_a_session_takes_its_signals(cli, workspace, shop) -> None:
    """A forgotten session counts no longer, and no file of its signals is left."""
    for id in "abc":
        failing(workspace, shop, id)
    assert len(found(workspace, "failed-command")) == 1
    assert cli("sessions", "forget", "some-agent/a", "--yes").code == 0
    assert found(workspace, "failed-command") == []
    assert not list(Path(workspace.home).glob("archive/signals/*/a.json"))


def test_no_secret_is_kept(workspace, shop) -> None:
    """A token in a command or an error is in no file of signals and in no report."""
    for id in "abc":
        failing(workspace, shop, id, output=f"error: cannot log in to registry with token {SECRET} at registry")
    found(workspace, "failed-command")
    assert all(
        SECRET.encode() not in path.read_bytes() for path in Path(workspace.home).rglob("archive/signals/**/*.json")
    )


def test_the_command(cli, workspace, shop) -> None:
    """The report names a pattern with its agents and quotes, and `--json` has all of it; successes are apart."""
    for id, agent in (("a", "some-agent"), ("b", "other"), ("c", "other")):
        failing(workspace, shop, id, agent=agent)
    harvest(workspace, everything=True)
    lines = cli("patterns").out
    assert "CROSS-AGENT" in lines and "3 sessions of other, some-agent" in lines and "other/c:11" in lines
    assert "signature: " in cli("patterns", "--explain").out
    told = json.loads(cli("patterns", "--json", "--min-frequency", "3").out)
    (one,) = told["patterns"]
    assert {"kind", "signature", "sessions", "agents", "cross_agent", "evidence"} <= set(one)
    assert (one["cross_agent"], told["total"], told["sessions"]) == (True, 1, 3)
    assert json.loads(cli("patterns", "--json", "--successes").out)["patterns"] == []


def test_what_finds_nothing_says_why(cli, workspace, shop) -> None:
    """A domain that no project is in is named, and where no session was looked at, what looks at them."""
    assert "no project is in the domain nowhere" in cli("patterns", "--domain", "nowhere").err
    assert "no session has been looked at yet: holdfast sweep" in cli("patterns", "--min-frequency", "40").err


def test_an_unknown_project_is_an_error_with_a_way_out(cli, workspace, shop, home, write) -> None:
    """A project that nothing here ever saw is NotFound, and the nearest is named; one without patterns is none."""
    for id in "abc":
        failing(workspace, shop, id)
    harvest(workspace, everything=True)
    for words in (("patterns",), ("patterns", "review")):
        ended = cli(*words, "--project", "nope")
        assert ended.code == 3 and "no project nope is known here" in ended.err and "holdfast project" in ended.err
    assert f"Did you mean {SHOP}?" in cli("patterns", "--project", SHOP[:-1]).err
    assert cli("patterns", "--project", SHOP, "--successes").code == 0
    write("projects/quiet/memories/a-note.md", "Nothing happened here.\n")
    assert "nothing that fits recurs" in cli("patterns", "--project", "quiet").err
    (home / "config.toml").write_text("enabled = false\n")
    assert "no project" not in cli("patterns", "--project", "nope").err


def test_a_project_with_a_quiet_session_is_known(cli, workspace, repository) -> None:
    """A session from which nothing was learned still makes its project known."""
    store(workspace, session("a", repository("site"), project="example.com--acme--site"), human("Hello"), index=False)
    assert "nothing that fits recurs" in cli("patterns", "--project", "example.com--acme--site").err


def test_a_line_that_is_not_known_is_not_shown() -> None:
    """A quote that only the digest told has a session and no line."""
    assert where_of(Quote("s", "codex", 0, "x")) == "codex/s"
    assert where_of(Quote("s", "codex", 7, "x")) == "codex/s:7"


def test_domains_group_repositories(cli, workspace, shop, repository, home) -> None:
    """The table in config.toml gives projects a domain, and the report can be narrowed to it."""
    for id in "abc":
        failing(workspace, shop, id)
    failing(workspace, repository("site"), "d")
    harvest(workspace, everything=True)
    (home / "config.toml").write_text('[domains]\n"example.com--acme--*" = "acme"\n"example.com--acme--site" = "web"\n')
    (one,) = json.loads(cli("patterns", "--domain", "acme", "--json").out)["patterns"]
    assert (len(one["sessions"]), one["domain"]) == (3, "acme")
    assert json.loads(cli("patterns", "--domain", "web", "--json").out)["patterns"] == []


def test_nothing_is_read_while_memory_is_off(cli, workspace, shop, home) -> None:
    """Switched off, the report is empty and says why."""
    for id in "abc":
        failing(workspace, shop, id)
    harvest(workspace, everything=True)
    (home / "config.toml").write_text("enabled = false\n")
    assert json.loads(cli("patterns", "--json").out)["patterns"] == []


NOT_READ = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"


def test_what_nobody_can_act_on_is_left_out(workspace, shop) -> None:
    """The mechanics of agent programs, tests that go green after a change, and files that are not there make none."""
    for id in "abc":
        unread = SessionEvent(0, "tool", tool="Edit", input='{"file_path": "a.py"}', output=NOT_READ, failed=True)
        missing = f'{{"file_path": "src/{id * 3}.py"}}'
        absent = SessionEvent(0, "tool", tool="Read", input=missing, output="File does not exist.", failed=True)
        change = SessionEvent(0, "tool", tool="Edit", input='{"file_path": "a.py"}', output="ok", answered=True)
        red, green = ran("cargo test", "test result: FAILED. 3 passed; 1 failed", failed=True), ran("cargo test", "ok")
        events = (human(f"Look at part {id * 3}."), unread, absent, red, change, green, answer())
        store(workspace, session(id, shop), *events, index=False)
    harvest(workspace, everything=True)
    assert patterns.find(workspace) == []
    assert {one.kind for one in patterns.find(workspace, everything=True)} >= {"failed-command", "red-green"}


def test_the_same_file_that_is_not_there_is_one(workspace, shop) -> None:
    """That one file is looked for again and again in vain, says what is to be done."""
    for id in "abc":
        failed = ran("cat config/local.yaml", "cat: config/local.yaml: No such file or directory", failed=True)
        store(workspace, session(id, shop), human(f"Look at part {id * 3}."), failed, answer(), index=False)
    (one,) = found(workspace, "failed-command")
    assert candidate(one).statement.startswith("There is no local.yaml where it is looked for: make it, or say where")


def test_a_request_that_is_made_again_and_again_is_proposed_for_automation(workspace, shop) -> None:
    """The same words in any order count; answers, questions and what differs in a word do not."""
    asks = ("Update the changelog, commit and push.", "please commit, push and update the changelog", "Yes, go on!")
    for id, said_so in zip("abc", (asks[0], asks[1], asks[0]), strict=True):
        events = (human(said_so), answer(), human(f"Mend part {id * 3} now."), human(asks[2]), human("Is it done?"))
        day = f"2026-05-0{ord(id) - 96}T10:00:00Z"
        store(workspace, session(id, shop), *[replace(one, at=day) for one in events], index=False)
    (one,) = found(workspace, "repeated-ask")
    assert candidate(one).statement == (
        'This was asked for in 3 sessions: "Update the changelog, commit and push." '
        "Make it a command, a hook or a standing rule."
    )


def test_a_failure_whose_fix_is_known_is_told_with_the_fix_alone(workspace, shop) -> None:
    """What fixed it says all that the failure says, and what to do."""
    for id in "abc":
        mended = (ran("pytest -q", NO_YAML, failed=True), ran("pip install pyyaml"), ran("pytest -q", "3 passed"))
        store(workspace, session(id, shop), human(f"Look at part {id * 3}."), *mended, answer(), index=False)
    harvest(workspace, everything=True)
    (one,) = patterns.find(workspace)
    assert one.kind == "fix-worked"
    error = "ModuleNotFoundError: No module named 'yaml'"
    said_so = f'When `pytest -q` fails with "{error}": run `pip install pyyaml` (3 sessions).'
    assert candidate(one).statement == said_so
