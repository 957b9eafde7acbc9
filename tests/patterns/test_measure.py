"""`holdfast measure`: sessions without something and with it, compared out of real receipts, digests and signals."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from holdfast import agents
from holdfast.app.hook import hook
from holdfast.base.clock import now
from holdfast.errors import NotFound
from holdfast.inject.hand_over import mark_shown
from holdfast.inject.receipts import withholds
from holdfast.learning.lessons.model import Evidence
from holdfast.learning.lessons.standing import stated
from holdfast.memory.remember import remember
from holdfast.patterns import signal_files
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import CatalogueEntry, Target
from holdfast.patterns.measure import measure
from holdfast.patterns.signal_files import Signal, Signals
from holdfast.recall.recall import recall
from holdfast.records import Cost, Session
from holdfast.sessions.archive import Archive
from holdfast.sessions.facts import Digest, Outcome
from support.archived import said, session, store

SHOP = "example.com--acme--shop"
SIGNATURE = "npm test: 'jest' not found"
OLD, NEW = "2026-05-04T10:00:00Z", "2026-06-20T10:00:00Z"
DISTRIBUTED = "2026-06-01T00:00:00Z"


@pytest.fixture
def lived(home):
    """Put a session into the archive with its signals: how often the npm signal came in it, and what else happened."""

    def make(id: str, at: str, times: int = 0, *, agent: str = "claude-code", signals: bool = True, **more) -> None:
        facts = {name: more.pop(name) for name in ("failed_calls", "compactions") if name in more}
        session = Session(agent, id, started=at, **{"project": SHOP, "ended": at, **more})
        digest = Digest(session, id, None, None, Outcome("unknown", 0.0), asks=1, calls=3, **facts)
        Archive(str(home)).put_digest(digest)
        found = Signal("failed-command", SIGNATURE, "npm test", agent, id, SHOP, at, times=times, whole=session.parent)
        kept = Signals(agent, id, signals=(found,) if times else ())
        if signals:
            signal_files.put(str(home), kept)

    return make


@pytest.fixture
def follow(workspace):
    """Put a pattern about the npm signal into the catalogue, as distributed to these places."""

    def make(*targets: Target, **more) -> None:
        entry = CatalogueEntry(
            "npmjest", "failed-command", SIGNATURE, "npm needs jest", "Run npm install first.", **more
        )
        with workspace() as opened:
            Catalogue(opened.home).put(CatalogueEntry(**{**_plain(entry), "targets": targets}), "approved", DISTRIBUTED)

    return make


def _plain(entry: CatalogueEntry) -> dict[str, object]:
    return {name: getattr(entry, name) for name in entry.__slots__}


@pytest.fixture
def start(home, shop, monkeypatch):
    """Start a session by a real hook with a share of sessions that are given nothing; return what it prints."""

    def make(session: str, share: str = "0.5") -> str:
        monkeypatch.setenv("HOLDFAST_MEASURE_HOLDOUT", share)
        adapter = agents.get("claude-code")
        told = {"session_id": session, "cwd": str(shop), "source": "startup"}
        return hook(str(home), adapter, adapter.read_hook_input("SessionStart", told, {}), os.environ)

    return make


RULES = Target("rules", "/shop/AGENTS.md", scope=f"project/{SHOP}", at=DISTRIBUTED)
MEMORY = Target("memory", "pattern-npmjest", scope=f"project:{SHOP}", at=DISTRIBUTED)


def some(lived, at: str, having: int, of: int, **more) -> None:
    """Put so many sessions into the archive, of which some have the signal."""
    for number in range(of):
        lived(f"{at[5:7]}-{number}-{more.get('agent', '')}", at, int(number < having), **more)


def test_a_fall_after_a_rule_is_told_with_its_doubt(lived, follow, workspace):
    """Before and after give a verdict with bounds, the cost of the rule, and the warning that it may be chance."""
    some(lived, OLD, 20, 40)
    some(lived, NEW, 3, 40)
    follow(RULES)
    with workspace() as opened:
        (found,) = measure(opened).patterns
    assert (found.verdict, found.given, found.tokens, found.since) == ("helps", 40, 40 * 6, DISTRIBUTED)
    shares = found.estimates[0]
    assert (shares.before, shares.after, shares.compares) == (0.5, 0.075, "before-after")
    assert shares.low < shares.change < shares.high < 0
    assert "chance" in found.why


def test_few_sessions_are_told_as_too_little(lived, follow, workspace):
    """With few sessions on one side there is no verdict, however clear they look, and nothing is to be retired."""
    some(lived, OLD, 9, 9)
    some(lived, NEW, 0, 40)
    follow(RULES)
    with workspace() as opened:
        report = measure(opened)
    assert report.patterns[0].verdict == "too little data" and report.retire == ()
    assert "9 sessions before and 40 since" in report.patterns[0].why


def test_what_changes_nothing_is_worth_retiring(lived, follow, workspace):
    """A pattern without effect over many sessions is called so, with the command that withdraws it."""
    some(lived, OLD, 40, 80)
    some(lived, NEW, 40, 80)
    follow(RULES)
    with workspace() as opened:
        report = measure(opened)
    assert report.patterns[0].verdict == "no effect seen"
    assert [advice.command for advice in report.retire] == ["holdfast patterns withdraw npmjest"]


def test_what_was_withdrawn_is_compared_for_its_time_only(lived, follow, workspace):
    """Sessions after the end of a pattern count on neither side, and it is not to be retired once more."""
    some(lived, OLD, 40, 80)
    some(lived, NEW, 40, 80)
    some(lived, "2026-08-01T10:00:00Z", 0, 20)
    follow(Target("rules", "/shop/AGENTS.md", scope="global", at=DISTRIBUTED, withdrawn="2026-07-01T00:00:00Z"))
    with workspace() as opened:
        report = measure(opened)
    assert report.patterns[0].estimates[0].sessions_after == 80 and report.retire == ()


def test_only_the_agents_that_read_it_count(lived, follow, workspace):
    """A rule for one agent is measured by the sessions of that agent, and by those of the project."""
    some(lived, OLD, 5, 12)
    some(lived, NEW, 5, 12, agent="codex")
    lived("elsewhere", NEW, 0, project="other")
    lived("here", NEW, 1)
    follow(Target("rules", "/shop/CLAUDE.md", ("claude-code",), f"project/{SHOP}", at=DISTRIBUTED))
    with workspace() as opened:
        (found,) = measure(opened).patterns
    assert (found.estimates[0].sessions_before, found.estimates[0].sessions_after) == (12, 1)


def test_of_a_success_more_is_better(lived, follow, workspace):
    """A good pattern helps when its signal comes more often."""
    some(lived, OLD, 4, 40)
    some(lived, NEW, 24, 40)
    follow(RULES, good=True)
    with workspace() as opened:
        assert measure(opened).patterns[0].verdict == "helps"


def test_withheld_sessions_decide(lived, follow, start, workspace):
    """Where the memory was withheld from some sessions these decide, and it cost only what was really given."""
    with workspace() as opened:
        remember(opened, "Run npm install first.", key="pattern-npmjest", scope="project")
    follow(MEMORY)
    for number in range(80):
        given = start(f"s-{number}")
        assert ("npm install" in given) != withholds(f"s-{number}", 0.5)
        lived(f"s-{number}", now(), 0 if given else number % 3)
    with workspace() as opened:
        report = measure(opened)
    (found,) = report.patterns
    assert (found.verdict, found.estimates[0].compares) == ("helps", "withheld-given")
    assert (found.given, found.withheld) == (report.given, report.withheld) and found.given + found.withheld == 80
    assert found.tokens == found.given * report.memories[0].tokens // report.memories[0].given
    assert report.mixed == 0 and min(found.given, found.withheld) > 25


def test_a_lesson_is_followed_by_its_memory(lived, follow, start, workspace):
    """A pattern that became a lesson is found in receipts by the key of the lesson's memory."""
    with workspace() as opened:
        lesson = stated(opened, SHOP, Evidence(now(), "patterns", "npmjest", "stated", "Run npm install first."))
    follow(Target("lesson", lesson.id, scope=f"project/{SHOP}", at=DISTRIBUTED))
    assert "npm install" in start("s-1", "0.000001")
    lived("s-1", now())
    with workspace() as opened:
        assert measure(opened).patterns[0].given == 1


def test_a_warning_is_measured_by_how_often_it_comes(lived, follow, workspace):
    """What warns only after a failure cannot prevent the first one, so repetitions decide."""
    for number in range(40):
        lived(f"old-{number}", OLD, 4)
        lived(f"new-{number}", NEW, 1)
    follow(Target("warning", "fingerprint", scope="global", at=DISTRIBUTED))
    with workspace() as opened:
        (found,) = measure(opened).patterns
    assert (found.verdict, found.estimates[0].measure) == ("helps", "times in a session")
    assert (found.estimates[0].before, found.estimates[0].after) == (4.0, 1.0)


def test_a_memory_is_followed_by_five_measures(lived, start, workspace):
    """Errors, retries, corrections, tokens and time of sessions where it was due; fewer errors are help."""
    with workspace() as opened:
        remember(opened, "The tests need a database.", key="database", scope="project")
    for number in range(60):
        given = start(f"s-{number}")
        lived(f"s-{number}", now(), failed_calls=1 if given else 6 + number % 3, cost=Cost(input=1_000 + number))
    with workspace() as opened:
        report = measure(opened, memory="database")
    (found,) = report.memories
    assert (found.verdict, found.name) == ("helps", f"project:{SHOP}/database")
    assert [one.measure for one in found.estimates] == ["errors", "retries", "corrections", "tokens", "seconds"]
    assert found.estimates[3].verdict == "no effect seen" and found.estimates[4].verdict == "too little data"
    assert report.patterns == () and report.everything is None


def test_without_a_share_memories_are_only_counted(lived, start, workspace):
    """Where nothing was ever withheld there is no comparison, but what it cost is known, and the way out is named."""
    with workspace() as opened:
        remember(opened, "The tests need a database.", key="database", scope="project")
    for number in range(12):
        assert start(f"s-{number}", "0")
        lived(f"s-{number}", now())
    with workspace() as opened:
        report = measure(opened)
    (found,) = report.memories
    assert (found.verdict, found.given, found.estimates) == ("too little data", 12, ()) and found.tokens > 0
    assert "measure.holdout" in found.why and report.everything.tokens >= found.tokens


def test_what_was_asked_for_is_no_injection(lived, start, workspace):
    """A session that asks for a memory itself stays in its group, and the memory was not given to it."""
    with workspace() as opened:
        remember(opened, "The tests need a database.", key="database", scope="project")
    assert start("s-1", "1") == ""
    lived("s-1", now())
    with workspace() as opened:
        mark_shown(opened, "s-1", recall(opened, "database"), agent="claude-code")
        report = measure(opened, memory="database")
    assert (report.withheld, report.mixed) == (1, 0)
    assert (report.memories[0].given, report.memories[0].withheld, report.memories[0].tokens) == (0, 1, 0)


def test_a_session_that_had_both_counts_nowhere(lived, start, workspace):
    """When the share is changed while a session runs, the session is in neither group."""
    with workspace() as opened:
        remember(opened, "The tests need a database.", key="database", scope="project")
    start("s-1", "1")
    start("s-1", "0.000001")
    lived("s-1", now())
    with workspace() as opened:
        report = measure(opened)
    assert (report.sessions, report.given, report.withheld, report.mixed) == (1, 0, 0, 1)


def test_what_was_long_before_does_not_count(lived, follow, workspace):
    """Sessions of more than 90 days before the last one without the pattern say nothing about it."""
    lived("long-before", "2026-01-04T10:00:00Z", 1)
    lived("before", OLD, 1)
    lived("across", "2026-05-31T23:00:00Z", 1, ended="2026-06-01T01:00:00Z")
    follow(RULES)
    with workspace() as opened:
        (found,) = measure(opened).patterns
    assert (found.estimates[0].sessions_before, found.estimates[0].sessions_after) == (1, 0)


def test_a_sub_agent_counts_as_its_session(lived, follow, workspace):
    """What happens in a sub-agent happens in the session that it works for, once."""
    lived("main", NEW, 1, failed_calls=1)
    lived("child", NEW, 2, parent="main", is_subagent=True, failed_calls=2)
    follow(RULES)
    with workspace() as opened:
        report = measure(opened)
    assert report.sessions == 1
    times = report.patterns[0].estimates[1]
    assert (times.after, times.sessions_after) == (3.0, 1)


def test_a_session_nobody_looked_at_is_left_out(lived, follow, workspace):
    """Without its file of signals nobody knows what did not happen: it waits for a harvest, if one can still be."""
    lived("seen", NEW, 1)
    lived("unseen", NEW, signals=False)
    with workspace() as opened:
        store(
            opened, session("waits", opened.folder, "claude-code"), said("human", "Please mend the tests."), index=False
        )
    follow(RULES)
    with workspace() as opened:
        report = measure(opened)
    assert (report.sessions, report.waiting, report.left_out) == (1, 1, 1)


def test_since_leaves_earlier_sessions_out(lived, follow, workspace):
    """With --since only sessions that began from then on are compared."""
    some(lived, OLD, 3, 5)
    some(lived, NEW, 3, 5)
    follow(RULES)
    with workspace() as opened:
        (found,) = measure(opened, since="2026-06-01").patterns
    assert (found.estimates[0].sessions_before, found.estimates[0].sessions_after) == (0, 5)


def test_people_read_lines(lived, follow, cli):
    """A pattern is shown with its verdict, both sides in per cent, and what is worth retiring."""
    some(lived, OLD, 40, 80)
    some(lived, NEW, 40, 80)
    follow(RULES)
    ended = cli("measure", "--pattern", "npm")
    assert ended.code == 0
    assert "npmjest  no effect seen  npm needs jest" in ended.out
    assert "sessions with it: 50.0 % before (80), 50.0 % since (80): +0.0 % (-1" in ended.out
    assert "worth retiring: npmjest" in ended.out and "160 sessions looked at" in ended.err


def test_a_side_without_sessions_is_no_line(lived, follow, cli):
    """Where there is nothing on one side, people get the reason instead of figures."""
    lived("only", NEW, 1)
    follow(RULES)
    out = cli("measure", "--pattern", "npm").out
    assert "0 sessions before and 1 since; it takes at least 10 of each" in out and "%" not in out


def test_json_is_one_document_without_infinities(lived, follow, cli):
    """As JSON a bound that is not known is null, also where one side is empty."""
    lived("only", NEW, 1)
    follow(RULES)
    found = cli("measure", "--json")
    assert "Infinity" not in found.out
    estimates = found.json["patterns"][0]["estimates"]
    assert [one["measure"] for one in estimates] == ["sessions with it", "times in a session"]
    assert estimates[1]["low"] is None and found.json["retire"] == []


def test_json_tells_no_change_where_there_is_nothing_to_compare(lived, follow, cli):
    """Without a session since, the side and its change are null, and why is told; the other side keeps its figure."""
    lived("only", OLD, 1)
    follow(RULES)
    for one in cli("measure", "--json").json["patterns"][0]["estimates"]:
        assert (one["before"], one["after"], one["sessions_after"]) == (1.0, None, 0)
        assert (one["change"], one["low"], one["high"]) == (None, None, None)
        assert one["why"] == "1 session before and 0 since; it takes at least 10 of each"
    lived("since", NEW, 1)
    for one in cli("measure", "--json").json["patterns"][0]["estimates"]:
        assert (one["change"], one["why"]) == (0.0, "")


def test_names_that_are_not_there_are_errors(workspace, cli):
    """An unknown pattern or memory is told, and ends with 3."""
    with workspace() as opened, pytest.raises(NotFound):
        measure(opened, memory="nothing")
    assert cli("measure", "--pattern", "nothing").code == 3
    assert cli("measure", "--memory", "nothing").code == 3


def test_an_empty_home_says_so(cli):
    """Where no session is known yet, the command says what to do and ends with 0."""
    ended = cli("measure")
    assert ended.code == 0 and "no sessions to compare yet" in ended.err


def test_switched_off_it_is_empty(lived, follow, cli):
    """With memory switched off nothing is measured."""
    lived("only", NEW, 1)
    assert cli("--set", "enabled=false", "measure", "--json").json["sessions"] == 0


def test_the_whole_way_from_a_signal_to_its_recurrence(lived, start, cli):
    """What recurs is approved and distributed by commands, reaches a session by its hook, and is counted there."""
    yesterday = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    for number in range(3):
        lived(f"old-{number}", yesterday, 1, agent=("claude-code", "codex")[number % 2])
    (pattern,) = cli("patterns", "--json").json["patterns"]
    assert cli("patterns", "approve", pattern["id"], "--statement", "Run npm install first.").code == 0
    assert cli("patterns", "distribute", pattern["id"], "--to", "memory", "--yes").code == 0
    assert "npm install" in start("third", "0.000001")
    lived("third", now(), 2)
    (found,) = cli("measure", "--pattern", pattern["id"], "--json").json["patterns"]
    assert (found["given"], found["verdict"]) == (1, "too little data") and found["tokens"] > 0
    times = next(one for one in found["estimates"] if one["measure"] == "times in a session")
    assert (times["sessions_before"], times["after"], times["sessions_after"]) == (3, 2.0, 1)
