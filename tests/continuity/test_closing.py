"""The end of a session: the same pages, however often and from wherever it is tried."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest

from holdfast.base.light_records import replace
from holdfast.base.minijson import dumps
from holdfast.continuity import buffer, closing, log, open_sessions
from holdfast.continuity.buffer import ProjectPages
from support.killing import run_script
from support.sampling import count

DAY = "2026-11-15"
# Closes a session in a child that is killed at the step given, where it comes to that.
CLOSER = f"""
import sys
from holdfast.continuity import closing
from holdfast.continuity import buffer, open_sessions
from support.killing import killed_at

def close():
    pages, one = buffer.ProjectPages(sys.argv[1], "shop"), open_sessions.read(sys.argv[2])
    closing.close(pages, one, "{DAY}T12:00:00Z", cut_off=True)

print("killed" if killed_at(int(sys.argv[3]), close) else "ended", end="")
"""
ROWS = [
    ("ask", "Fix the login page"),
    ("focus", "Fix the login page"),
    ("said", dumps(["decision", "let's go with Postgres"])),
    ("file", "src/a.py"),
    ("failed", "npm test: exit 1"),
    ("answer", "I fixed it."),
    ("next", dumps(["Write docs"])),
]


@pytest.fixture
def session(tmp_path):
    """Return the pages of a project and a session that was left open in it."""

    def make(name: str) -> tuple[ProjectPages, open_sessions.Opened]:
        home = str(tmp_path / name)
        open_sessions.note(home, "codex", "s1", "shop", f"{DAY}T10:00:00Z", ROWS)
        return ProjectPages(home, "shop"), open_sessions.read(open_sessions.path_of(home, "codex", "s1", "shop"))

    return make


def content(pages: ProjectPages) -> dict[str, str]:
    """Return the pages of the project."""
    log_page = log.path_of(pages.folder, DAY)
    return {path: Path(path).read_text() for path in (pages.buffer, log_page)}


def close(pages: ProjectPages, one: open_sessions.Opened) -> None:
    """Close the session as the next start does."""
    closing.close(pages, one, f"{DAY}T12:00:00Z", cut_off=True)


def test_a_crash_in_the_middle_is_made_good(session):
    """When the process is killed at any moment of an end, the next try leaves the pages that one whole try leaves."""
    whole, one = session("whole")
    close(whole, one)
    kills = 0
    for number in itertools.count(1, count(1, 3)):
        broken, one = session(f"broken-{number}")
        if run_script(CLOSER, broken.home, one.path, str(number)) == "ended":
            break
        kills += 1
        close(broken, open_sessions.read(one.path))
        expected = {path.replace("/whole/", f"/broken-{number}/"): text for path, text in content(whole).items()}
        assert content(broken) == expected and open_sessions.read(one.path).closed
    assert kills > 3


def test_an_end_from_a_state_that_is_behind_loses_nothing(session, tmp_path):
    """A buffer that was lost meanwhile does not keep the log from saying what happened."""
    pages, one = session("lost")
    closing.merge(pages, one, f"{DAY}T11:00:00Z")
    shutil.rmtree(pages.folder)
    close(pages, one)
    entry = log.entry(pages.folder, DAY, "codex", "s1")
    assert entry.done == ("I fixed it.",) and entry.files == ("src/a.py",) and entry.failed == ("npm test: exit 1",)
    assert entry.decisions == ("decision: let's go with Postgres",)


def test_a_session_in_which_nothing_happened_leaves_no_trace(tmp_path):
    """A session that only started and ended makes no page."""
    home = str(tmp_path / "empty")
    open_sessions.note(home, "codex", "s1", "shop", f"{DAY}T10:00:00Z", [("known", ""), ("read", "0")])
    pages = ProjectPages(home, "shop")
    close(pages, open_sessions.read(open_sessions.path_of(home, "codex", "s1", "shop")))
    assert not (tmp_path / "empty" / "memory").exists()


def test_a_session_that_goes_on_after_it_was_cut_off_has_ended_once(session):
    """The buffer has one line of a session that was closed twice, with how it ended at last."""
    pages, one = session("twice")
    close(pages, one)
    closing.close(pages, open_sessions.read(one.path), f"{DAY}T13:00:00Z", cut_off=False)
    told = [line for line in buffer.read(pages.buffer).happened if "Fix the login page" in line]
    assert told == [f"{DAY} codex: Fix the login page (ended; log/{DAY}.md)"]


def test_next_steps_of_another_session_are_not_in_the_log_of_this_one(session):
    """A session that says nothing of what comes next does not repeat what was there before it."""
    pages, one = session("steps")
    close(pages, one)
    rows = [("ask", "Fix the cart"), ("answer", "I fixed it.")]
    open_sessions.note(pages.home, "codex", "s2", "shop", f"{DAY}T14:00:00Z", rows)
    close(pages, open_sessions.read(open_sessions.path_of(pages.home, "codex", "s2", "shop")))
    entries = [log.entry(pages.folder, DAY, "codex", name) for name in ("s1", "s2")]
    assert [entry.next_steps for entry in entries] == [("Write docs",), ()]
    assert buffer.read(pages.buffer).next_steps == ("Write docs",)


def later(pages: ProjectPages, name: str, *rows: tuple[str, str], day: str = DAY) -> tuple[str, ...]:
    """Close another session in which this happened, and return the next steps that stand then."""
    open_sessions.note(pages.home, "codex", name, "shop", f"{day}T14:00:00Z", [("ask", "Fix the cart"), *rows])
    one = open_sessions.read(open_sessions.path_of(pages.home, "codex", name, "shop"))
    closing.close(pages, one, f"{day}T15:00:00Z", cut_off=False)
    return buffer.read(pages.buffer).next_steps


def test_a_plan_ends_after_two_later_sessions_that_did_something_else(session):
    """Two sessions that worked and told no next steps end those of an earlier one; the log keeps them."""
    pages, one = session("plan")
    close(pages, one)
    assert later(pages, "s2", ("answer", "I mended the cart.")) == ("Write docs",)
    assert later(pages, "s2", ("answer", "I mended its button.")) == ("Write docs",)
    assert later(pages, "talk") == ("Write docs",)
    assert later(pages, "s3", ("file", "src/cart.py")) == ()
    assert log.entry(pages.folder, DAY, "codex", "s1").next_steps == ("Write docs",)
    assert "Next steps: Write docs" in log.read(pages.folder, DAY)


def test_corrections_do_not_push_a_decision_out(session):
    """However many corrections sessions end with, what was decided before stays in the buffer; the log has them all."""
    pages, one = session("corrected")
    close(pages, one)
    later(pages, "s2", ("said", dumps(["decision", "Use Stripe for refunds, not Adyen."])), ("answer", "I did that."))
    wrong = [("said", dumps(["correction", f"no, number {each} is wrong"])) for each in range(closing.STAY + 1)]
    later(pages, "s3", *wrong, ("answer", "I mended it."))
    said = [each.text for each in buffer.read(pages.buffer).said]
    assert "Use Stripe for refunds, not Adyen." in said and not any("wrong" in text for text in said)
    assert log.read(pages.folder, DAY).count("is wrong") == closing.STAY + 1


def test_a_step_that_is_asked_for_comes_next_no_more(session):
    """Who asks for a step of the plan has it done now, though nobody says yet that it is."""
    pages, one = session("asked")
    close(pages, one)
    assert later(pages, "s2", ("focus", "let's write the docs of the cart now")) == ()


def test_a_plan_that_is_worked_on_or_told_again_stands(session):
    """It counts anew from the session that told it again, or did one of its steps, or where a person changed it."""
    pages, one = session("again")
    close(pages, one)
    work = ("answer", "I mended the cart.")
    two = ("next", dumps(["Write docs", "Publish the package"]))
    later(pages, "s2", work)
    assert later(pages, "s3", work, two) == ("Write docs", "Publish the package")
    assert later(pages, "s4", work) == ("Write docs", "Publish the package")
    assert later(pages, "s5", ("answer", "I published the package.")) == ("Write docs",)
    assert later(pages, "s6", work) == ("Write docs",)
    buffer.change(pages.buffer, lambda state: replace(state, next_steps=("Call Kim",)))
    assert later(pages, "s7", work) == later(pages, "s8", work) == ("Call Kim",)
    assert later(pages, "s9", work) == ()


def test_a_plan_that_nobody_worked_on_ends_after_two_weeks(session):
    """Sessions that only talk do not keep a plan for ever."""
    pages, one = session("old")
    close(pages, one)
    assert later(pages, "s2", day="2026-11-28") == ("Write docs",)
    assert later(pages, "s3", day="2026-11-30") == ()


def test_what_is_left_to_do_ends_after_five_other_sessions_or_two_weeks(session):
    """A thread that no answer speaks of any more does not stand for ever; the log keeps it. One of a person's does."""
    pages, one = session("thread")
    close(pages, one)
    own, left = "Ask Kim about taxes", "Still to do: I still need to write the runbook."
    buffer.change(pages.buffer, lambda state: replace(state, open_threads=(own, left)))
    for number in range(6):
        assert buffer.read(pages.buffer).open_threads == (own, left)
        later(pages, f"s{number + 2}", ("answer", "I mended the cart."))
    assert buffer.read(pages.buffer).open_threads == (own,)
    assert "write the runbook" in log.read(pages.folder, DAY)
    buffer.change(pages.buffer, lambda state: replace(state, open_threads=(left,)))
    later(pages, "talk")
    later(pages, "later", day="2026-11-30")
    assert buffer.read(pages.buffer).open_threads == ()


def test_what_makes_room_is_not_logged_twice(session):
    """A decision that leaves the buffer and stands in the entry of its own session is not written down again."""
    pages, one = session("room")
    close(pages, one)
    rows = [("said", dumps(["decision", f"let's take way {number}"])) for number in range(closing.STAY + 1)]
    open_sessions.note(pages.home, "codex", "s2", "shop", f"{DAY}T14:00:00Z", [("ask", "Fix the cart"), *rows])
    close(pages, open_sessions.read(open_sessions.path_of(pages.home, "codex", "s2", "shop")))
    page = log.read(pages.folder, DAY)
    assert page.count("let's go with Postgres") == 1 and page.count("let's take way 0") == 1


def said(pages: ProjectPages, at: str, *texts: str, is_written: bool = True) -> None:
    """Note a message of a session as a prompt's hook does, and write it into the buffer unless that fails."""
    rows = [("said", dumps(["decision", text])) for text in texts]
    open_sessions.note(pages.home, "codex", "s1", "shop", at, [*rows, ("process", "")])
    new = [buffer.SaidSentence("decision", text, at, "codex", "s1") for text in texts]
    if is_written:
        buffer.change(pages.buffer, lambda state: replace(state, said=buffer.with_said(state.said, new), updated=at))
        open_sessions.note(pages.home, "codex", "s1", "shop", at, [("written", "")])


def stop(pages: ProjectPages) -> list[str]:
    """Merge the session as its next pause does, and return what the buffer has of the person."""
    one = open_sessions.read(open_sessions.path_of(pages.home, "codex", "s1", "shop"))
    after = closing.merge(pages, one, f"{DAY}T11:00:00Z")
    open_sessions.note(pages.home, "codex", "s1", "shop", f"{DAY}T11:00:00Z", [one.merged()])
    return [each.text for each in after.said]


def edit(pages: ProjectPages, old: str, new: str) -> None:
    """Change the buffer as a person does in an editor."""
    page = Path(pages.buffer)
    assert old in page.read_text()
    page.write_text(page.read_text().replace(old, new))


def test_what_a_person_takes_out_before_the_agent_pauses_stays_out(tmp_path):
    """A sentence that was written and is missing was deleted, before the first merge and after it."""
    pages = ProjectPages(str(tmp_path), "shop")
    said(pages, f"{DAY}T10:00:00Z", "use Kafka", "use Redis")
    edit(pages, f"- decision: use Kafka ({DAY}T10:00:00Z, codex, s1)\n", "")
    said(pages, f"{DAY}T10:00:30Z", "use tabs")
    edit(pages, f"- decision: use tabs ({DAY}T10:00:30Z, codex, s1)\n", "")
    assert stop(pages) == ["use Redis"]
    edit(pages, f"- decision: use Redis ({DAY}T10:00:00Z, codex, s1)\n", "")
    said(pages, f"{DAY}T10:01:00Z", "use Postgres")
    assert stop(pages) == ["use Postgres"]


def test_what_a_person_corrects_stands_alone(tmp_path):
    """A sentence that was corrected in the page does not come back as it was said."""
    pages = ProjectPages(str(tmp_path), "shop")
    said(pages, f"{DAY}T10:00:00Z", "use Kafka")
    edit(pages, "use Kafka", "use Kafka 4")
    assert stop(pages) == ["use Kafka 4"]
    edit(pages, "use Kafka 4", "use Kafka 5")
    said(pages, f"{DAY}T10:01:00Z", "use Postgres")
    assert stop(pages) == ["use Kafka 5", "use Postgres"]


def test_what_a_prompt_could_not_write_comes_in_its_place(tmp_path):
    """A message that is only noted gets into the page at the next merge, before what was said after it."""
    pages = ProjectPages(str(tmp_path), "shop")
    said(pages, f"{DAY}T10:00:00Z", "use Kafka", "use Redis", is_written=False)
    said(pages, f"{DAY}T10:01:00Z", "use Postgres")
    said(pages, f"{DAY}T10:01:00Z", "use tabs", is_written=False)
    assert stop(pages) == ["use Kafka", "use Redis", "use Postgres", "use tabs"]


def test_what_was_said_again_keeps_nothing_out(tmp_path):
    """A message that could not be written is not taken for written because it repeats an earlier one."""
    pages = ProjectPages(str(tmp_path), "shop")
    said(pages, f"{DAY}T10:00:00Z", "use Kafka")
    said(pages, f"{DAY}T10:01:00Z", "use Kafka", "use Redis", is_written=False)
    assert stop(pages) == ["use Kafka", "use Redis"]


def test_what_made_room_does_not_come_back(tmp_path):
    """The oldest sentences make room for the newest, also where the person made room by hand meanwhile."""
    pages = ProjectPages(str(tmp_path), "shop")
    pairs = [(f"use way {number}", f"not way {number}") for number in range(buffer.MAX_ITEMS // 2 + 3)]
    for number, pair in enumerate(pairs):
        said(pages, f"{DAY}T10:00:{number:02}Z", *pair)
    edit(pages, f"- decision: use way 9 ({DAY}T10:00:09Z, codex, s1)\n", "")
    assert stop(pages) == [text for pair in pairs[3:] for text in pair if text != "use way 9"]


def test_an_old_message_that_could_not_be_written_goes_to_the_log(tmp_path):
    """Where newer sentences fill the page, one that comes late takes no place of theirs and is in the log."""
    pages = ProjectPages(str(tmp_path), "shop")
    said(pages, f"{DAY}T09:00:00Z", "use Kafka", is_written=False)
    for number in range(buffer.MAX_ITEMS):
        said(pages, f"{DAY}T10:00:{number:02}Z", f"use way {number}")
    assert stop(pages) == [f"use way {number}" for number in range(buffer.MAX_ITEMS)]
    assert f"use Kafka ({DAY}T09:00:00Z, codex, s1)" in log.read(pages.folder, DAY)


def test_the_last_steps_that_a_session_told_are_in_its_entry(session):
    """Of the next steps that a session told in answers and through its tools, its entry has the last."""
    pages, one = session("last")
    rows = [("steps", dumps(["Ship it"])), ("agreed", "Use tabs"), ("agreed", "Use tabs")]
    open_sessions.note(pages.home, "codex", "s1", "shop", f"{DAY}T10:30:00Z", rows)
    close(pages, open_sessions.read(one.path))
    entry = log.entry(pages.folder, DAY, "codex", "s1")
    assert entry.next_steps == ("Ship it",) and entry.decisions == (
        "decision: let's go with Postgres",
        "Use tabs (said by the agent codex)",
    )
