"""Replay: what today's rules would have said in archived sessions, each moment knowing only what was known then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.app.replay import Replayed, replay
from holdfast.memory.remember import remember
from holdfast.records import SessionEvent, replace
from sessions.making import answer, edited, human, ran
from support.command_line import play
from support.learned import SHOP, talked

MISSING = "Exit code 1\nModuleNotFoundError: No module named 'yaml'"
BROKEN = ran("pytest -x", MISSING, failed=True)
FIXED = (BROKEN, ran("pip install pyyaml"), ran("pytest -x", "1 passed"))


def at(day: str, *events: SessionEvent) -> list[SessionEvent]:
    """Return these events a minute apart, on that day."""
    return [replace(event, at=f"{day}T10:{number:02}:00.000Z") for number, event in enumerate(events)]


@pytest.fixture
def archived(workspace, shop):
    """Put sessions into the archive, each with its day."""

    def make(id: str, day: str, *events: SessionEvent, folder=shop, **more) -> str:
        with workspace() as h:
            return talked(h, folder, id, *at(day, *events), day=day, **more)

    return make


@pytest.fixture
def replayed(workspace):
    """Replay the archive."""

    def make(**asked: str) -> Replayed:
        with workspace() as h:
            return replay(h, **asked)

    return make


def test_a_failure_whose_fix_was_known(archived, replayed) -> None:
    """The second session would have been told what the first had found; it names both, and what became of it."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-05", BROKEN, ran("ls"), ran("cat setup.cfg"), *FIXED[1:])
    found = replayed().failures
    assert (found.total, found.different, found.repeated, found.in_hand, found.again, found.said) == (2, 1, 1, 1, 1, 1)
    (kind,) = found.kinds
    (one,) = kind.times
    assert (kind.first, kind.project, one.session, one.line) == ("some-agent/s-1:1", SHOP, "some-agent/s-2", 1)
    assert one.said.endswith("what worked then (some-agent, 2026-05-04): ran `pip install pyyaml`")
    assert (one.source, one.became, one.calls) == ("some-agent/s-1", "same", 4)
    assert (found.same, found.spared, found.in_vain, found.tokens) == (1, 2, 0, one.tokens)
    assert one.tokens > len(one.said) // 4, "the fence costs, too"


def test_what_is_found_later_is_not_known_before(archived, replayed) -> None:
    """A fix that only a later session found was not in hand, in whatever order the sessions were archived."""
    archived("s-3", "2026-05-06", *FIXED)
    archived("s-2", "2026-05-05", BROKEN, answer("I give up."))
    archived("s-1", "2026-05-04", BROKEN, answer("I give up."))
    found = replayed().failures
    assert (found.repeated, found.in_hand, found.again, found.said) == (1, 0, 2, 0)
    archived("s-4", "2026-05-07", BROKEN)
    found = replayed().failures
    assert (found.repeated, found.in_hand, found.again, found.said) == (1, 0, 3, 1), "known, but not the second time"


def test_sessions_that_overlap_are_walked_together(archived, replayed) -> None:
    """What one session found while another was open is known to that other from then on."""
    archived("s-1", "2026-05-04", *[ran(f"ls {number}") for number in range(5)], BROKEN)
    archived("s-2", "2026-05-04", *FIXED)
    found = replayed().failures
    assert [one.session for one in found.kinds[0].times if one.said] == ["some-agent/s-1"]


def test_who_has_run_the_step_is_told_nothing(archived, replayed) -> None:
    """As with a hook: a session that installed the package, and fails all the same, knows that this does not help."""
    archived("s-1", "2026-05-04", *FIXED)
    other = ran("make", "Error: the brown engine broke down here", failed=True)
    archived("s-2", "2026-05-05", other, ran("pip install pyyaml"), BROKEN)
    found = replayed().failures
    assert (found.again, found.said) == (1, 0)
    assert found.kinds[0].untold == "the session had taken its step before"


def test_a_fix_that_is_never_told_says_why(archived, replayed) -> None:
    """What worked once by more rights was known, is told to nobody, and is not called unknown."""
    archived("s-1", "2026-05-04", BROKEN, ran("sudo pip install pyyaml"), ran("pytest -x", "1 passed"))
    archived("s-2", "2026-05-05", BROKEN)
    found = replayed().failures
    assert (found.said, found.kinds[0].untold) == (0, "`sudo pip install pyyaml` gets more rights")
    shown = play("replay").out
    assert "a fix was known, which is not told: `sudo pip install pyyaml` gets more rights" in shown


def test_another_way_is_in_vain(archived, replayed) -> None:
    """Where the session got past the failure by something else, the line would have been said in vain."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-05", BROKEN, ran("uv sync --extra yaml"), ran("pytest -x", "1 passed"))
    found = replayed().failures
    assert (found.said, found.same, found.in_vain) == (1, 0, 1)


def test_the_same_session_and_another_project_repeat_nothing(archived, replayed, repository) -> None:
    """A session that fails twice has just seen it, and a fix never leaves its project."""
    archived("s-1", "2026-05-04", BROKEN, BROKEN, *FIXED[1:], BROKEN)
    archived("s-2", "2026-05-05", BROKEN, folder=repository("other"))
    assert replayed().failures.repeated == 0


def test_a_copy_of_a_session_counts_once(archived, replayed) -> None:
    """A session that goes on in another file tells its beginning there again."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-04", *FIXED, answer("And on."))
    found = replayed().failures
    assert (found.total, found.repeated) == (1, 0)


def test_since_counts_from_then_on_and_knows_what_was_before(archived, replayed) -> None:
    """Earlier sessions are where it is known from, and are not counted themselves."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-05", BROKEN)
    archived("s-3", "2026-05-06", BROKEN)
    done = replayed(since="2026-05-06")
    assert (done.sessions, done.failures.total, done.failures.again, done.failures.said) == (1, 1, 1, 1)
    assert (done.first[:10], done.last[:10]) == ("2026-05-06", "2026-05-06")


def test_one_project(archived, replayed, repository) -> None:
    """Of another project nothing is read."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-05", BROKEN, folder=repository("other"))
    assert replayed(project=SHOP).sessions == 1


def test_corrections_that_were_said_before(archived, replayed, workspace) -> None:
    """A correction repeats one of an earlier session, or a memory that was there by then; not what came later."""
    said = "No, don't use npm here, use pnpm for the packages."
    spoken = (human("Install the packages."), edited("package.json"), answer(), human(said))
    archived("s-1", "2026-05-04", *spoken)
    archived("s-2", "2026-05-05", *spoken)
    found = replayed().corrections
    assert (found.total, found.stood, found.repeated) == (2, 0, 1)
    assert (found.examples[0].session, found.examples[0].line) == ("some-agent/s-2", 31)
    assert found.examples[0].source == "some-agent/s-1:31"
    with workspace() as h:
        remember(h, said, key="pnpm")
    assert replayed().corrections.stood == 0, "it was stored today, long after those sessions"
    archived("s-9", "2099-05-05", *spoken)
    found = replayed(since="2099-01-01").corrections
    assert (found.total, found.stood, found.given) == (1, 1, 1), "the prompt before it had brought it"
    assert found.examples[0].source == "pnpm"
    archived("s-10", "2099-05-06", human("Which of npm and pnpm do we use for the packages here?"), *spoken[1:])
    assert replayed(since="2099-05-06").corrections.given == 1


@pytest.fixture
def laid_down(workspace, home):
    """Store memories as the person, and date them."""

    def make(at: str, *texts: str, **more) -> None:
        with workspace() as h:
            for text in texts:
                stored = remember(h, text, **more).memory
                path = home / "memory" / stored.path
                lines = path.read_text().splitlines()
                dated = [
                    f"{line.split(': ')[0]}: {at}" if line[:9] in ("created: ", "updated: ") else line for line in lines
                ]
                path.write_text("\n".join(dated) + "\n")

    return make


PUSH = "Never run `git push` without asking me first."


def test_a_rule_holds_once_a_session_and_not_before_it_was_known(archived, replayed, laid_down) -> None:
    """The first push of each session behind the day of the rule is held; not those before, not what only prints it."""
    archived("s-1", "2026-05-04", human("Go on."), ran("git push"))
    laid_down("2026-05-05T00:00:00Z", PUSH, key="no-push")
    archived(
        "s-2", "2026-05-06", human("Go on."), ran("cd web && git push -f"), ran("git push"), ran('echo "git push"')
    )
    done = replayed()
    (rule,) = done.rules
    assert (done.with_condition, rule.key, rule.condition, rule.does) == (1, "no-push", "git push", "ask")
    assert (rule.held, rule.said, rule.in_vain) == (1, 0, 0)
    assert [(one.session, one.line, one.text) for one in rule.examples] == [("some-agent/s-2", 11, "git push -f")]
    assert rule.tokens > len(PUSH) // 4, "the way out stands behind it"


def test_a_rule_about_several_things_holds_each_of_them_once(archived, replayed, laid_down) -> None:
    """A commit and a push of one session are both held by "never commit or push", as hooks hold them."""
    laid_down("2026-05-05T00:00:00Z", "Never commit or push.")
    archived("s-2", "2026-05-06", human("Go on."), ran("git commit -m x"), ran("git commit -m y"), ran("git push"))
    (rule,) = replayed().rules
    assert [one.text for one in rule.examples] == ["git commit -m x", "git push"]


def test_a_hold_of_what_the_person_asked_for_is_in_vain(archived, replayed, laid_down) -> None:
    """Who has just said "push it" is asked for nothing new."""
    laid_down("2026-05-05T00:00:00Z", PUSH)
    archived("s-2", "2026-05-06", human("Looks good, push it please."), ran("git push"))
    (rule,) = replayed().rules
    assert (rule.held, rule.in_vain, rule.examples[0].became) == (1, 1, "in vain")


def test_a_line_is_needed_where_the_call_failed_or_was_corrected(archived, replayed, laid_down) -> None:
    """What is said with a call that goes well, and that nobody corrects, is in vain."""
    laid_down("2026-05-05T00:00:00Z", "`make lint` needs `make deps` first.")
    archived("s-2", "2026-05-06", ran("make lint", "ok"))
    archived("s-3", "2026-05-07", ran("make lint", "Error: ruff is missing", failed=True))
    told = human("No, don't run make lint without make deps first, it needs make deps.")
    archived("s-4", "2026-05-08", ran("make lint", "ok"), answer(), told)
    (rule,) = replayed().rules
    assert [one.became for one in rule.examples] == ["in vain", "", ""]
    assert (rule.said, rule.in_vain) == (3, 1)


def test_after_a_compaction_a_rule_is_said_again(archived, replayed, laid_down) -> None:
    """The context that had it is gone."""
    laid_down("2026-05-05T00:00:00Z", "`make lint` needs `make deps` first.")
    summary = SessionEvent(0, "summary", "What was done so far.")
    archived("s-2", "2026-05-06", ran("make lint"), ran("make lint"), summary, ran("make lint"))
    assert replayed().rules[0].said == 2


def test_a_rule_of_another_project_and_an_earlier_wording(archived, replayed, laid_down, repository, workspace) -> None:
    """A rule speaks in its own project, and by what it said at that time."""
    laid_down("2026-05-05T00:00:00Z", PUSH, key="mine")
    archived("s-2", "2026-05-06", ran("git push"), folder=repository("other"))
    assert replayed().rules == []
    with workspace() as h:
        remember(h, "Never run `npm publish` without asking me first.", key="mine")
    archived("s-3", "2026-05-07", ran("git push"), ran("npm publish"))
    (rule,) = replayed().rules
    assert [one.text for one in rule.examples] == ["git push"], "what it says today it says since today"


def test_the_command(cli, archived) -> None:
    """It says in words what the document says in figures, names the places, and writes nothing."""
    archived("s-1", "2026-05-04", *FIXED)
    archived("s-2", "2026-05-05", *FIXED)
    told = cli("replay").out
    assert "2 sessions with 6 calls, 2026-05-04 to 2026-05-05" in told
    assert "again in some-agent/s-2:1 (2026-05-05), found the same itself in 2 calls" in told
    document = json.loads(cli("replay", "--json", "--since", "2026-05-05").out)
    assert (document["sessions"], document["failures"]["said"]) == (1, 1)
    assert cli("replay", "--since", "whenever").code == 2


def test_the_page_shows_what_it_prints(cli, archived, laid_down) -> None:
    """The example of docs/replay.md is what these two sessions print."""
    archived("s-1", "2026-05-04", *FIXED)
    laid_down("2026-05-04T12:00:00Z", PUSH, key="no-push")
    archived("s-2", "2026-05-05", BROKEN, ran("ls"), ran("cat setup.cfg"), *FIXED[1:], ran("git push"))
    page = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- replayed -->\n```text\n")[2].partition("```")[0]
    assert cli("replay").out == shown


def test_an_empty_archive(cli) -> None:
    """There is nothing to replay, and it says how to get something, or that nothing fits what was asked for."""
    assert "holdfast sweep" in cli("replay").err
    assert "no session fits" in cli("replay", "--since", "7d").err
