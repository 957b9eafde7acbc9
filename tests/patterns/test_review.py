"""Deciding about patterns: what is approved is in the catalogue with its evidence, what is rejected stays away."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import threading
import time

import pytest

from holdfast.errors import BadInput, Conflict, HoldfastError, NotFound, Refused, SwitchedOff
from holdfast.patterns import catalogue_edit, report
from holdfast.patterns import review as pattern_review
from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import Target
from holdfast.patterns.verdicts import Decided
from support.signalled import MAKE, NPM, PYTEST, signalled, three

AT = "2026-11-01T10:00:00Z"


@pytest.fixture
def found(workspace, home):
    """Three patterns of two agents; returns their ids by their signatures."""
    three(home, NPM, PYTEST, MAKE)
    with workspace() as h:
        waiting = pattern_review.waiting(h)
    return {one.signature: one.id for one in waiting}


def signatures(h) -> list[str]:
    """Return the signatures of what waits."""
    return sorted(one.signature for one in pattern_review.waiting(h))


def test_an_approved_one_is_in_the_catalogue_with_its_evidence(workspace, found, monkeypatch) -> None:
    """The entry has words, owner and quotes with session and line, and the pattern waits no more."""
    monkeypatch.setenv("USER", "kim")
    with workspace() as h:
        entry = pattern_review.approve(h, found[NPM][:6])
        assert signatures(h) == [MAKE, PYTEST]
        assert Catalogue(h.home).get(entry.id) == entry
    assert (entry.status, entry.version, entry.owner, entry.kind) == ("approved", 1, "kim", "failed-command")
    assert "missing script tst" in entry.statement
    assert {(one.agent, one.session, one.line) for one in entry.evidence} == {
        ("codex", "s0", 7),
        ("grok", "s1", 7),
        ("codex", "s2", 7),
    }


def test_words_can_be_given(workspace, found) -> None:
    """Statement, title and owner are those of the person."""
    with workspace() as h:
        entry = pattern_review.approve(h, found[NPM], statement="Use `npm test`.", title="No tst", owner="ada")
    assert (entry.statement, entry.title, entry.owner) == ("Use `npm test`.", "No tst", "ada")


def test_approving_twice_is_told(workspace, found) -> None:
    """The second of two who approve the same pattern is told, and changes nothing."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM], statement="First.")
        with pytest.raises(Conflict, match="already"):
            pattern_review.approve(h, found[NPM], statement="Second.")
        assert Catalogue(h.home).get(found[NPM]).statement == "First."


def test_a_rejected_one_stays_away_when_its_words_drift(workspace, found, home) -> None:
    """More sessions and a slightly other signature, which has another id, do not bring it back."""
    with workspace() as h:
        assert pattern_review.reject(h, found[NPM], reason="it is so").act == "rejected"
        assert NPM not in signatures(h)
        for each in ("codex", "grok"):
            signalled(home, each, "old", NPM.replace("script", "scripts"), at="2026-01-01T00:00:00Z")
        three(home, NPM, NPM.replace("tst", "tst now"), name="again")
        assert signatures(h) == [MAKE, PYTEST]
        first = next(one for one in report.find(h) if "tst" in one.signature)
        assert first.id != found[NPM]
        with pytest.raises(Refused, match="rejected"):
            pattern_review.approve(h, first.id)


def test_what_is_nearly_in_the_catalogue_does_not_wait(workspace, found, home) -> None:
    """When the signature of an approved pattern drifts to another id it is still the approved one."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM])
        signalled(home, "codex", "old", NPM.replace("script", "scripts"), at="2026-01-01T00:00:00Z")
        drifted = next(one for one in report.find(h) if "tst" in one.signature)
        assert (drifted.id != found[NPM], signatures(h)) == (True, [MAKE, PYTEST])
        with pytest.raises(Conflict, match=found[NPM]):
            pattern_review.approve(h, drifted.id)


def test_a_snoozed_one_is_away_for_its_days(workspace, found) -> None:
    """It waits no more, its end is said, and it can still be approved; days must be a sensible number."""
    with workspace() as h:
        decision = pattern_review.snooze(h, found[NPM], days=14)
        assert signatures(h) == [MAKE, PYTEST]
        assert decision.leads > pattern_review.now()
        with pytest.raises(BadInput):
            pattern_review.snooze(h, found[MAKE], days=0)
        assert pattern_review.approve(h, found[NPM]).status == "approved"


@pytest.mark.parametrize("act", ["approve", "reject", "snooze"])
def test_each_decision_can_be_undone_and_made_again(workspace, found, cli, act) -> None:
    """Undone, the pattern waits as before, and can be decided on once more."""
    for _ in range(2):
        assert cli("patterns", act, found[NPM]).code == 0
        with workspace() as h:
            assert signatures(h) == [MAKE, PYTEST]
        (last, *_) = cli("updates", "--json").json["updates"]
        assert last["command"] == f"patterns {act}" and cli("updates", "undo", last["id"], "--yes").code == 0
        with workspace() as h:
            assert signatures(h) == sorted((MAKE, NPM, PYTEST))


def test_two_that_wait_are_merged(workspace, found) -> None:
    """One is left with the evidence of both; approved, it follows the signals of both."""
    with workspace() as h:
        pattern_review.merge(h, found[PYTEST], found[NPM])
        assert signatures(h) == [MAKE, NPM]
        one = next(each for each in pattern_review.waiting(h) if each.id == found[NPM])
        assert {quote.text for quote in one.evidence} == {f"it said {NPM}", f"it said {PYTEST}"}
        entry = pattern_review.approve(h, found[NPM])
        assert ("failed-command", PYTEST) in entry.signals
        assert {quote.text for quote in entry.evidence} == {f"it said {NPM}", f"it said {PYTEST}"}
        assert signatures(h) == [MAKE]


def test_one_is_merged_into_the_catalogue(workspace, found) -> None:
    """The entry becomes a new version with the signals and the evidence of the other one."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM], statement="Use `npm test`.")
        pattern_review.merge(h, found[PYTEST], found[NPM])
        entry = Catalogue(h.home).get(found[NPM])
        assert signatures(h) == [MAKE]
    assert (entry.version, entry.statement) == (2, "Use `npm test`.")
    assert entry.also == (f"failed-command: {PYTEST}",)
    assert len(entry.evidence) == 6


def test_nothing_is_merged_into_what_is_retired(workspace, found) -> None:
    """It would be gone with what nobody wants, so that is refused and it waits on."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM])
        pattern_review.reject(h, found[NPM])
        with pytest.raises(Refused, match="retired"):
            pattern_review.merge(h, found[PYTEST], found[NPM])
        assert signatures(h) == [MAKE, PYTEST]


def test_a_fix_is_merged_into_its_failure(workspace, found, home) -> None:
    """It waits no more and its quotes are evidence, but that the fix works again is no recurrence of the failure."""
    three(home, "npm: ran npm test instead", kind="fix-worked", good=True)
    with workspace() as h:
        fix = next(one.id for one in pattern_review.waiting(h) if one.kind == "fix-worked")
        pattern_review.approve(h, found[NPM])
        pattern_review.merge(h, fix, found[NPM])
        entry = Catalogue(h.home).get(found[NPM])
        assert signatures(h) == [MAKE, PYTEST]
    assert entry.also == ("fix-worked: npm: ran npm test instead",)
    assert entry.signals == (("failed-command", NPM),)
    assert len(entry.evidence) == 6


def test_two_entries_are_merged(workspace, found) -> None:
    """The one that is merged is retired; while agents still read it that is refused."""
    with workspace() as h:
        room = Catalogue(h.home)
        pattern_review.approve(h, found[NPM])
        other = pattern_review.approve(h, found[PYTEST])
        other = room.change(other, "distributed", AT, targets=(Target("memory", "k", at=AT),))
        with pytest.raises(Refused, match="distributed"):
            pattern_review.merge(h, found[PYTEST], found[NPM])
        room.change(other, "withdrawn", AT, targets=(Target("memory", "k", at=AT, withdrawn=AT),))
        pattern_review.merge(h, found[PYTEST], found[NPM])
        assert (room.get(found[PYTEST]).status, room.get(found[NPM]).version) == ("retired", 2)


def test_a_pattern_is_not_merged_in_a_circle(workspace, found) -> None:
    """Into itself, or into what was merged into it, is refused, and nothing vanishes."""
    with workspace() as h:
        with pytest.raises(BadInput):
            pattern_review.merge(h, found[NPM], found[NPM])
        pattern_review.merge(h, found[PYTEST], found[NPM])
        with pytest.raises(HoldfastError):
            pattern_review.merge(h, found[NPM], found[PYTEST])
        assert signatures(h) == [MAKE, NPM]


def test_rejecting_an_entry_retires_it(workspace, found) -> None:
    """It leaves its file and its history, and does not wait again."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM])
        pattern_review.reject(h, found[NPM])
        assert Catalogue(h.home).get(found[NPM]).status == "retired"
        assert signatures(h) == [MAKE, PYTEST]


def test_a_seldom_one_can_be_approved_by_its_id(workspace, found, home) -> None:
    """What occurs less often than the report shows is found by its id; an unknown id is not."""
    signalled(home, "codex", "alone", "cargo: linker cc not found")
    with workspace() as h:
        name = next(one.id for one in report.find(h, min_frequency=1, everything=True) if "cargo" in one.signature)
        assert pattern_review.approve(h, name).signature == "cargo: linker cc not found"
        with pytest.raises(NotFound):
            pattern_review.approve(h, "zzzz")


def test_an_entry_whose_sessions_are_gone_can_still_be_decided_about(workspace, found, home) -> None:
    """The entry itself says enough to show, reject and retire it."""
    with workspace() as h:
        pattern_review.approve(h, found[NPM])
        for path in (home / "archive" / "signals").rglob("*.json"):
            path.unlink()
        assert catalogue_edit.show(h, found[NPM]).pattern.agents == ("codex", "grok")
        assert pattern_review.reject(h, found[NPM]).act == "rejected"


def test_nothing_is_decided_while_memory_is_off(workspace, found, monkeypatch) -> None:
    """Nothing waits, and nothing is written."""
    monkeypatch.setenv("HOLDFAST_ENABLED", "false")
    with workspace() as h:
        assert pattern_review.waiting(h) == []
        with pytest.raises(SwitchedOff):
            pattern_review.approve(h, found[NPM])


def test_a_review_walks_through_all(workspace, found, monkeypatch, tmp_path) -> None:
    """Edit, approve, merge and reject in one walk; a wrong answer is said and asked again."""
    editor = tmp_path / "editor.py"
    editor.write_text("import sys; open(sys.argv[1], 'w').write('# No tst\\n\\nUse npm test.\\n')")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {editor}")
    answers = {NPM: ["x", "e", "a"], PYTEST: ["m zzzz", f"m {found[NPM]}"], MAKE: ["r"]}
    with workspace() as h:
        waiting = sorted(pattern_review.waiting(h), key=lambda one: [NPM, PYTEST, MAKE].index(one.signature))
        made = list(pattern_review.review(h, waiting, lambda given: answers[given.pattern.signature].pop(0)))
        entry = Catalogue(h.home).get(found[NPM])
        assert signatures(h) == []
    assert [one.act for one in made] == ["approved", "merged", "rejected"]
    assert (entry.title, entry.statement, entry.version) == ("No tst", "Use npm test.", 2)
    assert [text for text in workspace.said if "not an answer" in text or "no pattern zzzz" in text]


def test_two_reviewers_do_not_decide_twice(workspace, found) -> None:
    """What another one decided while this one was thinking is told, and their decision holds."""
    with workspace() as one, workspace() as other:
        waiting = pattern_review.waiting(one)

        asked = []

        def ask(given) -> str:
            asked.append(given.pattern.id)
            for each in waiting:
                pattern_review.reject(other, each.id, reason="the other was quicker")
            return "a"

        acts = [made.act for made in pattern_review.review(one, waiting, ask)]
        assert (acts, len(asked)) == (["decided"] * 3, 1)
        assert Catalogue(one.home).ids() == []


def test_reviewers_at_the_same_moment_make_one_decision(workspace, found) -> None:
    """Where four approve and four reject one pattern at once, it does not end approved and rejected."""
    start = threading.Barrier(8)
    made: list[str] = []

    def decide(number: int) -> None:
        with workspace() as h:
            pattern = pattern_review.get(h, found[NPM])
            start.wait()
            try:
                if number % 2:
                    pattern_review.approve(h, pattern.id)
                    made.append("approved")
                else:
                    made.append(pattern_review.reject(h, pattern.id).act)
            except HoldfastError:
                made.append("told")

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with workspace() as h:
        assert (made.count("rejected"), made.count("approved") <= 1) == (4, True)
        assert len([row for row in Decided(h.home).rows() if row.act == "rejected"]) == 1
        assert [one.status for one in Catalogue(h.home).all()[0]] in ([], ["retired"])


def test_a_review_on_a_terminal(workspace, found, home, machine) -> None:
    """The command shows evidence with session and line, takes one key each, and says how many were decided."""
    environment = {**os.environ, "HOLDFAST_HOME": str(home), "HOME": str(machine), "NO_COLOR": "1"}
    main, side = pty.openpty()
    line = [sys.executable, "-m", "holdfast", "patterns", "review"]
    with subprocess.Popen(line, stdin=side, stdout=side, stderr=side, env=environment, close_fds=True) as process:
        os.close(side)
        said = _typed(main, process, ["a\n", "s\n", "7\n", "q\n"])
    assert process.returncode == 0
    assert "codex/s0:7  it said" in said
    assert "2 decided" in said
    with workspace() as h:
        assert len(pattern_review.waiting(h)) == 1
        assert len(Catalogue(h.home).ids()) == 1


def _typed(main: int, process: subprocess.Popen, keys: list[str]) -> str:
    """Answer each question on the terminal, and return everything that was said."""
    said = b""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        try:
            piece = os.read(main, 65_536)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if keys and said.rstrip().endswith((b"[n]:", b"[30]:")):
            os.write(main, keys.pop(0).encode())
    os.close(main)
    process.wait(300)
    return said.decode()


def test_a_pattern_says_what_to_do(workspace, home, cli) -> None:
    """The list and its JSON have the sentence, of a fix as its lesson says it."""
    told = "rtk bun run test: error: unrecognized subcommand 'bun' -> ran `bun run test` instead"
    three(home, "rtk bun run test unrecognized subcommand: ran bun", kind="fix-worked", good=True, text=told)
    [one] = cli("patterns", "--json").json["patterns"]
    wanted = "Run `bun run test`, not `rtk bun run test`: that fails with \"error: unrecognized subcommand 'bun'\""
    assert one["statement"].startswith(wanted)
    assert one["title"] == "When `rtk bun run test` fails, run `bun run test` instead"
    assert wanted in cli("patterns").out
