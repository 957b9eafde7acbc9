"""What becomes of a lesson: it stands, it is marked, it turns into a warning, it ends."""

from __future__ import annotations

import os

import pytest

from holdfast.app import proposals, updates
from holdfast.app.harvest import harvest
from holdfast.errors import Refused
from holdfast.learning.lessons import lesson
from holdfast.learning.lessons import standing as lesson_standing
from holdfast.learning.lessons.model import UNSURE, Evidence
from holdfast.memory import proposals as offered
from holdfast.memory.proposal_files import Proposals
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.records import Filter, Scope
from support.learned import DELETED, REMOVED, SHOP, complained, learned_in

PROJECT = Scope("project", SHOP)
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def standing(workspace, shop):
    """A lesson that came up in two sessions; returns it."""
    with workspace() as h:
        complained(h, shop)
        complained(h, shop, "s-2", REMOVED, agent="other-agent", day="2026-05-06")
        harvest(h)
    return learned_in(h)[0]


NOTE = "the migration must run before the seed script"


@pytest.mark.parametrize(
    ("kind", "stands"),
    [
        *(("insight", False), ("passed-on", False), ("import", False)),
        *(("rating", True), ("correction", True), ("fixed", True)),
    ],
)
def test_only_what_a_person_said_or_what_happened_stands_by_recurring(workspace, shop, kind, stands) -> None:
    """What an agent says, passes on unheard, or another program wrote, waits for approval however often it comes."""
    with workspace() as h:
        for day in range(1, 6):
            evidence = Evidence(f"2026-05-0{day}T10:00:00Z", "some-agent", f"s-{day}", kind, NOTE)
            lesson_standing.occurred(h, NOTE, SHOP, evidence)
        [one] = learned_in(h)
        assert one.status == ("standing" if stands else "proposed")
        assert (lesson_standing.memory_of(h, one) is not None) == stands
        assert (one.id in Proposals(h.home).ids()) != stands


def test_what_may_be_a_correction_counts_beside_one_that_is(workspace, shop) -> None:
    """Alone it is nowhere told; beside a sure one it makes two sessions; two of them are proposed."""
    with workspace() as h:
        for day, kind in ((1, UNSURE), (2, "correction")):
            evidence = Evidence(f"2026-05-0{day}T10:00:00Z", "some-agent", f"s-{day}", kind, NOTE)
            lesson_standing.occurred(h, NOTE, SHOP, evidence)
            [one] = learned_in(h)
            assert (one.status, Proposals(h.home).ids()) == ("standing" if day == 2 else "proposed", [])
        for day in (1, 2):
            other = Evidence(
                f"2026-05-0{day}T11:00:00Z", "some-agent", f"s-{day}", UNSURE, "never push the docs branch"
            )
            lesson_standing.occurred(h, other.quote, SHOP, other)
            assert len(Proposals(h.home).ids()) == day - 1


def test_a_cure_that_a_rule_forbids_is_not_told(workspace, shop) -> None:
    """Neither proposed nor standing, however often it worked."""
    with workspace() as h:
        remember(h, "Never run `pip install`.", scope="global")
        for day in (1, 2):
            evidence = Evidence(
                f"2026-05-0{day}T10:00:00Z", "some-agent", f"s-{day}", "fixed", "app.py: No module yaml"
            )
            text = 'When `python app.py` fails with "No module named yaml", run `pip install pyyaml`.'
            lesson_standing.occurred(h, text, SHOP, evidence)
        [one] = learned_in(h)
        assert (one.status, Proposals(h.home).ids()) == ("proposed", [])


def test_a_lesson_without_a_project_stands_only_by_approval(workspace) -> None:
    """What a transcript says was stated outside of every project would hold everywhere, so a person is asked."""
    with workspace() as h:
        for day in range(1, 3):
            evidence = Evidence(f"2026-05-0{day}T10:00:00Z", "some-agent", f"s-{day}", "stated", NOTE)
            lesson_standing.occurred(h, NOTE, "", evidence)
        [one] = learned_in(h)
        assert (one.status, (lesson_standing.memory_of(h, one) is not None)) == ("proposed", False)
        assert one.id in Proposals(h.home).ids()
        lesson_standing.occurred(h, NOTE, SHOP, evidence)
        assert [one.status for one in learned_in(h) if one.project] == ["standing"]


def test_an_agent_does_not_bring_back_what_a_person_said_no_to(workspace, shop) -> None:
    """A rejection sticks for an agent that writes the lesson down; the person may say it again."""
    with workspace() as h:
        first = Evidence("2026-05-01T10:00:00Z", "some-agent", "s-1", "correction", NOTE)
        lesson_standing.occurred(h, NOTE, SHOP, first)
        lesson_standing.reject(h, learned_in(h)[0])
        with pytest.raises(Refused):
            lesson.propose(h, NOTE)
        assert [one.status for one in learned_in(h)] == ["rejected"]
        lesson.learn(h, NOTE)
        assert [one.status for one in learned_in(h)] == ["standing"]


def test_a_note_does_not_make_another_complaint_recur(workspace, shop) -> None:
    """A complaint of one session and what an agent passed on in others is one occurrence."""
    with workspace() as h:
        for day, kind in enumerate(("correction", "passed-on", "passed-on", "import"), 1):
            evidence = Evidence(f"2026-05-0{day}T10:00:00Z", "some-agent", f"s-{day}", kind, NOTE)
            lesson_standing.occurred(h, NOTE, SHOP, evidence)
        assert [one.status for one in learned_in(h)] == ["proposed"]


def test_a_standing_lesson_is_recalled_like_any_memory(workspace, standing) -> None:
    """Words of what went wrong find it."""
    with workspace() as h:
        assert recall(h, "may I delete the migration?")[0].memory.key == standing.key


def test_where_harm_outweighs_it_becomes_a_warning_and_back(workspace, standing) -> None:
    """One harmful mark outweighs two sessions: the memory warns; helpful marks bring the lesson back."""
    with workspace() as h:
        lesson.mark(h, standing.key, "harmful")
        assert learned_in(h)[0].status == "warning"
        warned = h.store.get(PROJECT, standing.key)
        assert warned.body == f"Warning: do not follow this lesson; it did harm. It said: {standing.statement}"
        assert warned.history[0].text == standing.statement
        for _ in range(3):
            lesson.mark(h, standing.key, "helpful")
        assert learned_in(h)[0].status == "standing"
        assert h.store.get(PROJECT, standing.key).body == standing.statement
        told = [event.data["rating"] for event in h.journal.events(lesson.MARK)]
        assert told == ["harmful", "helpful", "helpful", "helpful"]
    assert (len(learned_in(h)[0].helpful), len(learned_in(h)[0].harmful)) == (3, 1)


def test_undoing_a_lesson_ends_it_and_undoing_that_lets_it_stand(workspace, standing) -> None:
    """The file of the lesson says what became of its memory, and a harvest does not bring back what was undone."""
    with workspace() as h:
        first = updates.updates(h, command="lesson")[0].update.id
        undone = updates.apply_undo(h, updates.plan_undo(h, [first]))
        os.unlink(os.path.join(h.home, "state", "harvested"))
        harvest(h, everything=True)
        assert learned_in(h)[0].status == "rejected" and lesson_standing.memory_of(h, standing) is None
        updates.apply_undo(h, updates.plan_undo(h, [undone.id]))
        assert learned_in(h)[0].status == "standing" and lesson_standing.memory_of(h, standing)


def test_undoing_a_warning_lets_the_lesson_stand(workspace, standing) -> None:
    """Where the words of a warning are taken back, the lesson is no warning any more."""
    with workspace() as h:
        lesson.mark(h, standing.key, "harmful")
        assert learned_in(h)[0].status == "warning"
        updates.apply_undo(h, updates.plan_undo(h, [updates.updates(h, command="lesson")[0].update.id]))
        assert learned_in(h)[0].status == "standing"


def test_what_a_person_edited_is_what_the_warning_names(workspace, standing) -> None:
    """A memory that says something else by now keeps those words, within the warning."""
    with workspace() as h:
        remember(h, "Never delete a migration that is on main.", key=standing.key)
        lesson.mark(h, standing.key, "harmful")
        body = h.store.get(PROJECT, standing.key).body
    assert body.endswith("It said: Never delete a migration that is on main.")


def test_a_mark_of_another_memory_changes_no_lesson(workspace, standing) -> None:
    """Only the memory of a lesson counts for it."""
    with workspace() as h:
        remember(h, "Deploys need the VPN.", key="vpn")
        lesson.mark(h, "vpn", "harmful")
    assert learned_in(h) == [standing]


def test_an_approved_proposal_stands_with_the_trust_of_a_person(workspace, shop) -> None:
    """Approving keeps the statement as a memory of the type lesson, said by a person."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (waiting,) = offered.waiting(h)[0]
        (decision,) = proposals.approve(h, (waiting.id,))
        memory = h.store.get(PROJECT, decision.key)
    assert (memory.type, memory.trust, memory.source, memory.body) == ("lesson", "user", "learning", waiting.text)
    assert learned_in(h)[0].status == "standing" and Proposals(h.home).ids() == []


def test_an_edited_proposal_stands_as_it_was_edited(workspace, shop, editor) -> None:
    """What the person makes of it is what the lesson says; the quote stays as evidence."""
    editor("sed -i 's/^Do not do this again.*/Ask before rm./' \"$1\"")
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (waiting,) = offered.waiting(h)[0]
        offered.edit(h, waiting.id)
        (decision,) = proposals.approve(h, (waiting.id,))
        assert h.store.get(PROJECT, decision.key).body == "Ask before rm."
    (found,) = learned_in(h)
    assert (found.statement, found.evidence[0].quote) == ("Ask before rm.", DELETED)


def test_what_is_remembered_already_is_no_second_memory(workspace, shop) -> None:
    """Where a memory says the same, the lesson is that memory."""
    with workspace() as h:
        remember(h, "Never delete a migration.", key="migrations")
        lesson_standing.stated(
            h, SHOP, Evidence("2026-05-04T10:00:00Z", "person", "", "stated", "never delete a migration")
        )
        assert learned_in(h)[0].key == "migrations" and h.store.get(PROJECT, "migrations").trust == "user"


def test_no_secret_is_written(workspace, shop, home) -> None:
    """A token in a complaint reaches neither lesson, proposal, incident nor memory."""
    said = f"you pushed the token {TOKEN} to the public repo"
    with workspace() as h:
        complained(h, shop, comment=said)
        complained(h, shop, "s-2", said, day="2026-05-06")
        harvest(h)
        assert learned_in(h)[0].status == "standing"
    for part in ("learning/system", "learning/algorithm", "learning/failures", "memory", "proposals", "updates"):
        for path in (home / part).rglob("*"):
            assert TOKEN not in path.name and (path.is_dir() or TOKEN not in path.read_text()), path


def test_many_single_corrections_do_not_flood_the_proposals(workspace, shop, monkeypatch) -> None:
    """While enough lessons wait, a correction is only listed; a low rating is still proposed."""
    monkeypatch.setattr(lesson_standing, "MAX_WAITING", 2)
    with workspace() as h:
        for number in range(4):
            told = Evidence(
                f"2026-05-0{number + 1}T10:00:00Z",
                "some-agent",
                f"s-{number}",
                "correction",
                f"no, use part{number} of it",
            )
            lesson_standing.occurred(h, f"Part {number}.", SHOP, told)
        assert (len(Proposals(h.home).ids()), len(learned_in(h))) == (2, 4)
        complained(h, shop, "s-9")
        harvest(h, session="s-9")
        assert len(Proposals(h.home).ids()) == 3


def test_a_merged_project_is_one_project(workspace, shop) -> None:
    """An occurrence under an older id of the project counts for the project."""
    with workspace() as h:
        h.registry.append(("alias", "old-shop", SHOP))
        for number, project in enumerate(("old-shop", SHOP)):
            told = Evidence(f"2026-05-0{number + 1}T10:00:00Z", "some-agent", f"s-{number}", "correction", DELETED)
            lesson_standing.occurred(h, "It says.", project, told)
    assert [(one.project, one.status) for one in learned_in(h)] == [(SHOP, "standing")]


def test_a_lesson_that_was_written_down_is_a_memory_until_it_is_withdrawn(workspace, shop) -> None:
    """What is written down is a memory at once; withdrawn, it holds no longer; written again, it holds again."""
    with workspace() as h:
        key = lesson.learn(h, "Migrate first", because="the deploy broke").note.key
        assert h.store.get(PROJECT, key).body == "Migrate first\n\nWhy: the deploy broke"
        lesson.withdraw(h, "L1")
        assert recall(h, "migrate first")[0].superseded_by == key and lesson.lessons(h) == ()
        lesson.learn(h, "Migrate first")
        assert recall(h, "migrate first")[0].superseded_by == ""
        lesson.learn(h, "Migrate last, on Sundays", replaces="L2")
        assert [one.text for one in lesson.lessons(h)] == ["Migrate last, on Sundays"]


def test_a_withdrawn_lesson_does_not_come_back_by_recurring(cli, workspace, standing, shop) -> None:
    """Complaints go on to be evidence, and the memory stays struck through."""
    assert cli("lesson", "withdraw", standing.key).code == 0
    with workspace() as h:
        complained(h, shop, "s-3", day="2026-05-08")
        harvest(h)
        assert [(one.status, one.sessions) for one in learned_in(h)] == [("rejected", 3)]
        assert h.store.get(PROJECT, standing.key).body.startswith("~~") and Proposals(h.home).ids() == []


def test_a_forgotten_lesson_stands_no_longer_and_does_not_come_back(cli, workspace, standing, shop) -> None:
    """`holdfast forget` takes the memory, which is the lesson; a third complaint does not bring it back."""
    assert cli("forget", standing.key, "--yes").code == 0
    assert f"{standing.id}  rejected" in cli("lesson", "--all").out and standing.id not in cli("lesson").out
    with workspace() as h:
        complained(h, shop, "s-3", day="2026-05-08")
        harvest(h)
        assert [one.status for one in learned_in(h)] == ["rejected"] and lesson_standing.memory_of(h, standing) is None
        assert Proposals(h.home).ids() == []


def test_a_lesson_that_was_given_to_a_profile_is_still_that_lesson(cli, workspace, standing, shop) -> None:
    """Moved to the scope of a profile it stands there alone, and the same complaint makes no second one."""
    assert cli("move", standing.key, "--to", "agent", "--profile", "reviewer").code == 0
    with workspace() as h:
        complained(h, shop, "s-3", day="2026-05-08")
        harvest(h)
        (one,) = learned_in(h)
        assert one.status == "standing" and one.sessions == 3
        assert [str(found.scope) for found in h.store.find(Filter(None, ("lesson",)))] == ["agent:reviewer"]


def test_what_was_remembered_as_a_lesson_is_known_when_it_comes_up(cli, workspace, shop) -> None:
    """A complaint about what a lesson says already is evidence for that lesson, and no proposal beside it."""
    cli("remember", "You deleted my migration again: never do that.", "--type", "lesson", "--key", "migrations")
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (one,) = learned_in(h)
        assert (one.status, one.key) == ("standing", "migrations") and Proposals(h.home).ids() == []


def test_a_remembered_lesson_is_weighed_by_its_marks(cli, workspace, shop) -> None:
    """Harm turns it into a warning, though no session taught it."""
    cli("remember", "Never delete a migration.", "--type", "lesson", "--key", "migrations")
    with workspace() as h:
        lesson.mark(h, "migrations", "harmful")
        assert h.store.get(PROJECT, "migrations").body.startswith("Warning: do not follow this lesson")
        assert [one.status for one in learned_in(h)] == ["warning"]


def test_an_approval_that_is_undone_waits_again(cli, workspace, shop) -> None:
    """Undoing takes the memory away and puts the proposal back, and it can be approved once more."""
    with workspace() as h:
        complained(h, shop)
        harvest(h)
        (waiting,) = offered.waiting(h)[0]
    assert cli("proposals", "approve", waiting.id).code == 0
    assert cli("updates", "undo", cli("updates", "--json").json["updates"][0]["id"], "--yes").code == 0
    with workspace() as h:
        assert [one.status for one in learned_in(h)] == ["proposed"] and Proposals(h.home).ids() == [waiting.id]
    assert cli("proposals", "approve", waiting.id).code == 0
    with workspace() as h:
        assert [one.status for one in learned_in(h)] == ["standing"]


def test_an_agents_mark_never_changes_what_a_lesson_of_the_person_says(cli, workspace, shop) -> None:
    """Its blame weighs nothing; only the person's own mark makes a warning of theirs, and no agent brings it back."""
    cli("remember", "Never delete a migration.", "--type", "lesson", "--key", "migrations")
    with workspace() as h:
        for _ in range(5):
            lesson.mark(h, "migrations", "harmful", agent="claude-code")
        assert h.store.get(PROJECT, "migrations").body == "Never delete a migration."
        assert learned_in(h)[0].harmful == (), "the journal alone has the marks"
        lesson.mark(h, "migrations", "helpful")
        assert h.store.get(PROJECT, "migrations").body == "Never delete a migration.", "praise is no warning"
        lesson.mark(h, "migrations", "harmful")
        warned = h.store.get(PROJECT, "migrations")
        assert warned.body.startswith("Warning: do not follow this lesson") and warned.trust == "user"
        for _ in range(40):
            lesson.mark(h, "migrations", "helpful", agent="claude-code")
        assert h.store.get(PROJECT, "migrations").body == warned.body


def test_a_warning_of_an_agent_is_told_as_the_agents(workspace, standing) -> None:
    """Where an agent's mark turns a lesson that Holdfast found, the warning is that agent's word."""
    with workspace() as h:
        lesson.mark(h, standing.key, "harmful", agent="claude-code")
        warned = h.store.get(PROJECT, standing.key)
        assert (warned.trust, warned.agent) == ("agent", "claude-code")
