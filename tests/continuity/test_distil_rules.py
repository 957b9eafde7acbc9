"""Distilling by plain rules: workstreams, decisions, key files and gaps, out of what sessions did."""

from __future__ import annotations

import pytest

from holdfast.continuity import distil_rules, page
from holdfast.continuity.distil_rules import FoundDecision, KnownTodo, Material, SessionWork, streams, suggest

TODAY = "2026-05-30"


def work(name: str, day: str, **more) -> SessionWork:
    """Return a session that ended at noon of a day."""
    return SessionWork(f"some-agent/{name}", "some-agent", f"{day}T12:00:00Z", **{"title": f"Title {name}", **more})


def rows(section: str, material: Material) -> list[tuple[str, ...]]:
    """Return the cells of what is suggested for a section."""
    return [one.entry.cells for one in suggest(material) if one.entry.section == section]


def test_nothing_comes_of_nothing() -> None:
    """Without sessions, decisions and todos nothing is suggested."""
    assert suggest(Material(TODAY)) == []


def test_sessions_of_a_branch_are_one_workstream() -> None:
    """A branch names its sessions, whatever they change; the main branch names none."""
    found = streams(
        [
            work("a", "2026-05-01", branches=("feature/queue", "main"), files=("a.py",)),
            work("b", "2026-05-02", branches=("feature/queue",), files=("b.py",)),
            work("c", "2026-05-03", branches=("main",), files=("c.py",)),
        ]
    )
    assert [(one.name, [each.source[-1] for each in one.works]) for one in found] == [("feature/queue", ["a", "b"])]


def test_sessions_that_change_the_same_files_are_one_workstream() -> None:
    """Without a branch, sessions are joined by common files, one through another, and named by their folder."""
    found = streams(
        [
            work("a", "2026-05-01", files=("src/queue/put.py", "src/queue/get.py", "README.md")),
            work("b", "2026-05-02", files=("src/queue/get.py", "src/queue/put.py")),
            work("c", "2026-05-03", files=("src/queue/get.py", "docs/queue.md")),
            work("d", "2026-05-04", files=("web/page.html",)),
        ]
    )
    assert [(one.name, [each.source[-1] for each in one.works]) for one in found] == [("src/queue", ["a", "b", "c"])]


@pytest.mark.parametrize(
    ("works", "tasks", "status"),
    [
        ([work("a", "2026-05-25", branches=("q",))], [], page.ACTIVE),
        ([work("a", "2026-05-23", branches=("q",), outcome="success")], [], page.ACTIVE),
        ([work("a", "2026-05-22", branches=("q",), outcome="success")], [], page.COMPLETE),
        ([work("a", "2026-05-22", branches=("q",), outcome="failure")], [], page.PAUSED),
        ([work("a", "2026-05-22", branches=("q",), outcome="success")], [KnownTodo("finish q")], page.PAUSED),
        ([work("a", "2026-05-22", branches=("q",), outcome="success")], [KnownTodo("finish q", True)], page.COMPLETE),
        (
            [work("a", "2026-05-22", branches=("q",), outcome="success", files=("src/put.py",))],
            [KnownTodo("test put.py")],
            page.PAUSED,
        ),
        ([work("a", "2026-05-25", branches=("q",)), work("b", "2026-05-26", merged=("q",))], [], page.COMPLETE),
        # What goes on after its merge is not over.
        (
            [work("a", "2026-05-25", branches=("q",), merged=("q",)), work("b", "2026-05-28", branches=("q",))],
            [],
            page.ACTIVE,
        ),
    ],
)
def test_status_of_a_workstream(works, tasks, status) -> None:
    """Merged is COMPLETE, a week's work ACTIVE, an older success without open todos COMPLETE, all else PAUSED."""
    [row] = rows("Workstreams", Material(TODAY, tuple(works), tasks=tuple(tasks)))
    assert row[:2] == ("q", status)


def test_decisions_come_once_and_with_their_reason() -> None:
    """What the log has and a session said is one row; a reason in the sentence is the rationale."""
    kept = ("Use Postgres, not Redis", "skip the cache because it is slow")
    said = work("a", "2026-05-20", decided=(*kept, "erased", "decision: yes zod"))
    told = FoundDecision("2026-05-19", "use postgres, not redis.", "we know it", "log/2026-05-19.md")
    assert rows("Decisions", Material(TODAY, (said,), loose=(told,))) == [
        ("2026-05-19", "use postgres, not redis.", "we know it"),
        ("2026-05-20", "skip the cache", "it is slow"),
    ]


def test_what_was_withdrawn_is_not_suggested_from_a_session() -> None:
    """A session that said it up to the day of its end does not bring a decision back; one of a later day does."""
    ended = FoundDecision("2026-05-19", "Use Redis.", source="decisions.md D1", ended="withdrawn 2026-05-21")
    early = work("a", "2026-05-21", decided=("use redis",))
    late = work("b", "2026-05-22", decided=("use redis because it is fast",))
    assert rows("Decisions", Material(TODAY, (early,), ended=(ended,))) == []
    assert rows("Decisions", Material(TODAY, (early, late), ended=(ended,))) == [
        ("2026-05-22", "use redis", "it is fast")
    ]


def test_a_sentence_that_was_cut_twice_is_one_decision() -> None:
    """A long sentence that the log and the digest cut at different places is suggested once."""
    long = "use the queue of the database for every order " * 10
    said = work("a", "2026-05-20", decided=(long[:240], long[:300]))
    assert len(rows("Decisions", Material(TODAY, (said,)))) == 1


def test_key_files_are_those_of_several_sessions() -> None:
    """A file that three sessions changed is a key file, one of two is not, and neither is a lock file."""
    both = ("src/core.py", "uv.lock", "src/once.py")
    works = [work("a", "2026-05-01", files=both), work("b", "2026-05-02", files=both)]
    works += [work("c", "2026-05-03", files=("src/core.py", "uv.lock"))]
    assert rows("Key files", Material(TODAY, tuple(works))) == [
        ("src/core.py", "changed in 3 sessions, last 2026-05-03")
    ]


def test_gaps_are_last_failures_and_old_todos() -> None:
    """What failed in the last session is a gap, in an earlier one it is not; so is a todo after two weeks."""
    works = (
        work("a", "2026-05-01", outcome="failure", failed=("make lint",)),
        work("b", "2026-05-29", outcome="partial", failed=("pytest -q",)),
    )
    tasks = (
        KnownTodo("write docs", since="2026-05-15"),
        KnownTodo("new", since="2026-05-16"),
        KnownTodo("old", True, "2026-01-01"),
    )
    assert rows("Known gaps", Material(TODAY, works, tasks=tasks)) == [
        ("Fails: pytest -q", "open", "2026-05-29"),
        ("To do: write docs", "open", "2026-05-15"),
    ]


def test_a_gap_whose_todo_is_done_is_closed() -> None:
    """A gap that stands on the page is suggested as closed when its todo is ticked."""
    text = page.with_entry("", page.made("Known gaps", "To do: write docs", "open", "2026-05-01"))
    material = Material(TODAY, tasks=(KnownTodo("write docs", True, "2026-05-01"),), page=text)
    assert rows("Known gaps", material) == [("To do: write docs", "closed", "2026-05-01")]
    closed = page.with_entry(text, page.made("Known gaps", "To do: write docs", "closed", "2026-05-01"))
    assert rows("Known gaps", Material(TODAY, tasks=material.tasks, page=closed)) == []


def test_state_is_the_last_session() -> None:
    """The state names the day, the title, the agent and how it ended."""
    works = (work("b", "2026-05-29", outcome="partial"), work("a", "2026-05-01", outcome="success"))
    assert rows("State", Material(TODAY, works)) == [("Last session", "2026-05-29: Title b (some-agent, partial)")]


def test_a_time_that_cannot_be_read_is_long_ago() -> None:
    """Whatever stands where a day should, nothing fails."""
    assert distil_rules.days_between("never", TODAY) > 1_000
    assert distil_rules.days_between("2026-05-29T10:00:00Z", TODAY) == 1
