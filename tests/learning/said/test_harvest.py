"""What is found behind a session in what a person said: facts in the log, proposals for what lasts."""

from __future__ import annotations

import time

import pytest

from holdfast.app.erase import forget_sessions
from holdfast.app.harvest import harvest
from holdfast.base import clock
from holdfast.continuity import log
from holdfast.continuity.buffer import ProjectPages
from holdfast.continuity.doubted import doubted_memories
from holdfast.continuity.log import BEHIND, LogEntry
from holdfast.continuity.resume import ToldPages
from holdfast.inject.block import Item
from holdfast.learning.ratings import model as ratings
from holdfast.learning.said.harvest import MAX_DAYS, standing_alone
from holdfast.memory import proposals
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.memory.remember import remember
from holdfast.records import replace
from support.archived import said, session, store
from support.learned import SHOP

RULE = "From now on never use console.log, always use the logger from src/log.ts."
WRONG = "no, that's wrong: the config lives in /etc/app, not in home. Please update."


def talked(workspace, shop, *texts: str, days: int = 0, id: str = "s-1") -> str:
    """Archive a session of so many days ago in which the person said this, with its entry in the log."""
    day = clock.iso(time.time() - days * clock.DAY_SECONDS)[:10]
    events = []
    for number, text in enumerate(texts):
        events += [said("human", text, f"{day}T10:0{number}:00Z", shop), said("assistant", "I did it.", "", shop)]
    told = session(id, shop, day=day)
    name = store(workspace, told, *events)
    folder = ProjectPages(workspace.home, SHOP).folder
    log.write(folder, LogEntry(id, "some-agent", told.started, done=("something",)))
    return name


def logged(workspace) -> tuple[str, ...]:
    """Return what the log says was said in the session."""
    folder = ProjectPages(workspace.home, SHOP).folder
    entry = log.entry(folder, log.days(folder)[0], "some-agent", "s-1")
    assert entry is not None
    return entry.decisions


def waiting(workspace) -> list[str]:
    """Return the texts of the judge's proposals."""
    return [one.text for one in proposals.waiting(workspace)[0] if one.source == "judge"]


def test_a_fact_is_noted_in_the_log_as_found_behind_the_session(workspace, shop) -> None:
    """A correction that no hook heard stands in the session's entry, without the task around it, and marked."""
    with workspace() as h:
        talked(h, shop, "Move the config file.", WRONG)
        harvest(h)
        (line,) = logged(h)
        assert line.startswith("correction: ") and "/etc/app" in line and line.endswith(BEHIND)
        assert "Move the config" not in line


def test_the_mark_is_no_part_of_what_was_said(workspace, shop) -> None:
    """Whoever reads the log for what was decided gets the statement alone."""
    entry = LogEntry("s-1", "some-agent", "", decisions=(f"decision: We keep Postgres {BEHIND}", "agreed", "a: b"))
    assert log.decided(entry) == ["We keep Postgres", "agreed", "a: b"]


def test_what_lasts_is_proposed_and_becomes_memory_only_by_approval(workspace, shop) -> None:
    """A rule waits as a proposal with its words; nothing is stored before a person says so."""
    with workspace() as h:
        talked(h, shop, RULE)
        harvest(h)
        (text,) = waiting(h)
        assert "never use console.log" in text


@pytest.mark.parametrize(
    ("said_so", "proposed"),
    [
        ("always use pnpm here", "Always use pnpm here"),
        ("Please add a test for coupons and never touch src/legacy/ again", "Never touch src/legacy/ again"),
        ("bitte nie wieder `git rebase` machen", "Bitte nie wieder `git rebase` machen"),
    ],
)
def test_an_order_to_stand_that_names_a_call_is_proposed(workspace, shop, said_so, proposed) -> None:
    """However short it is, and without the task before it; said again in another session it gains evidence."""
    with workspace() as h:
        talked(h, shop, said_so)
        harvest(h)
        assert proposed in waiting(h)
        talked(h, shop, said_so, id="s-2")
        harvest(h)
        assert waiting(h).count(proposed) == 1 and any("s-2" in one for one in heard(h))


def test_what_is_proposed_is_whole(workspace, shop) -> None:
    """A list of rules that is longer than what a log line holds is proposed to its last word."""
    rules = "\n".join(
        f"- Never use module_{number} outside src/layer_{number}, always its facade" for number in range(7)
    )
    with workspace() as h:
        talked(h, shop, f"From now on follow these rules:\n{rules}")
        harvest(h)
        assert [text for text in waiting(h) if "module_0" in text and text.endswith("layer_6, always its facade")]
        assert all("…" not in text for text in waiting(h))


def test_harvesting_again_adds_nothing(workspace, shop) -> None:
    """A session is judged alike each time: one line, one proposal, and what was rejected stays so."""
    with workspace() as h:
        name = talked(h, shop, RULE, WRONG)
        harvest(h)
        lines, offered = logged(h), waiting(h)
        assert not [one for one in harvest(h, session=name).found if one.kind in ("said", "proposal")]
        assert (logged(h), waiting(h)) == (lines, offered)
        every = tuple(each.id for each in proposals.waiting(h)[0] if each.source == "judge")
        proposals.reject(h, every)
        harvest(h, session=name)
        assert waiting(h) == []


@pytest.mark.parametrize("decide", [None, proposals.approve, proposals.reject])
def test_a_message_that_is_read_otherwise_is_proposed_once(workspace, shop, decide) -> None:
    """What older rules took of a message waits or was decided: its other words come neither beside it nor behind it."""
    with workspace() as h:
        name = talked(h, shop, RULE)
        harvest(h)
        (now,) = proposals.waiting(h)[0]
        older = replace(now, id=id_of(now.scope, "Use the logger."), text="Use the logger.", title="Use the logger")
        Proposals(h.home).drop(now)
        Proposals(h.home).put(older)
        if decide:
            assert [one.exit_code for one in decide(h, (older.id,))] == [0]
        harvest(h, session=name)
        assert waiting(h) == ([] if decide else ["Use the logger."])


def heard(workspace) -> list[str]:
    """Return the evidence of the judge's proposals."""
    return [one.evidence for one in proposals.waiting(workspace)[0] if one.source == "judge"]


def test_what_is_said_again_is_proposed_once_and_gains_evidence(workspace, shop) -> None:
    """In other words, in the same words, and in a session that is read again; a lesson that says it takes its place."""
    both = "said in some-agent/s-1, place 2; said in some-agent/s-2, place 2"
    with workspace() as h:
        talked(h, shop, "Add a cart.", "Don't edit generated files by hand.")
        second = talked(h, shop, "Add a till.", "From now on don't edit generated files by hand!", id="s-2")
        harvest(h)
        harvest(h, session=second)
        assert heard(h) == [both]
        third = talked(h, shop, "Add a lamp.", "Don't edit generated files by hand.", id="s-5")
        harvest(h)
        assert heard(h) == [f"{both}; said in some-agent/s-5, place 2"]
        forget_sessions(h, (third,))
        assert heard(h) == [both]
        talked(h, shop, "Add a shelf.", "No, use pnpm, not npm.", days=2, id="s-3")
        talked(h, shop, "Add a door.", "No, use pnpm, not npm.", days=1, id="s-4")
        harvest(h)
        assert [one.kind for one in proposals.waiting(h)[0] if "pnpm" in one.text] == ["lesson"]


def test_a_session_of_long_ago_is_not_judged(workspace, shop) -> None:
    """What was said then is history: nobody waits for a proposal of it."""
    with workspace() as h:
        talked(h, shop, RULE, WRONG, days=MAX_DAYS + 2)
        harvest(h)
        assert (logged(h), waiting(h)) == ((), [])


def test_forgetting_a_session_takes_its_proposals(workspace, shop) -> None:
    """No word of it waits for a decision any more."""
    with workspace() as h:
        name = talked(h, shop, RULE)
        harvest(h)
        assert waiting(h)
        forget_sessions(h, (name,))
        assert waiting(h) == []


def test_what_waits_for_a_decision_is_told_as_said_lately_until_it_is_rejected(workspace, shop) -> None:
    """What is proposed stands in the working state, and a no takes it from what the next session is told."""
    with workspace() as h:
        talked(h, shop, RULE)
        harvest(h)
        harvest(h)
        (text,) = waiting(h)
        assert [one.said for one in _lately(h)] == [text] and all(one.theirs for one in _lately(h))
        proposals.reject(h, [proposals.waiting(h)[0][0].id])
        assert _lately(h) == []


def _lately(workspace) -> list[Item]:
    """Return what the next start tells of what was said lately."""
    told = ToldPages(workspace).items(after_compaction=False)
    return [one for one in told if one.head == "Said by them lately"]


def test_praise_that_no_word_list_knows_is_a_rating(workspace, shop) -> None:
    """The judge hears a mood in other words than a hook does."""
    with workspace() as h:
        talked(h, shop, "Move the config file.", "excellent job, this is working really great now!")
        harvest(h)
        assert [one.rating >= 7 for one in ratings.read(h.home)] == [True]


def test_what_a_memory_said_before_is_not_proposed(workspace, shop) -> None:
    """What the person has changed since then does not come back as a proposal in its old value."""
    with workspace() as h:
        talked(h, shop, RULE)
        remember(h, RULE, key="logger")
        remember(h, "Use print for the demo.", key="logger")
        harvest(h)
        assert waiting(h) == []


@pytest.mark.parametrize(
    ("text", "statement", "kept"),
    [
        ("run it, but never hard code keys", "but never hard code keys", "never hard code keys"),
        ("Update the tests and agent rules to never litter", "and agent rules to never litter", ""),
        ("We archive shop-deploy. No longer need docker.", *["We archive shop-deploy. No longer need docker."] * 2),
        ("we use this repo only for docs", *["we use this repo only for docs"] * 2),
        ("We use pnpm here and vitest.", *["We use pnpm here and vitest."] * 2),
        ("i think we can drop the workspace", "i think we can drop the workspace", ""),
        ("let's only build the main page for now", "let's only build the main page for now", ""),
        ("if we're going to do that let's move it", "if we're going to do that let's move it", ""),
        ("support extensions as others do (see there)", "support extensions as others do (", ""),
        ("B, but with tabs and no header", "B, but with tabs and no header", ""),
        ("a) with a tray", "a) with a tray", ""),
        ("yeah let's go with 2", "yeah let's go with 2", ""),
        ("Yes, keep every page in one module", "Yes, keep every page in one module", "keep every page in one module"),
        ("tell me how you can always do this", "tell me how you can always do this", ""),
    ],
)
def test_only_what_can_be_read_alone_is_proposed(text, statement, kept) -> None:
    """No piece of a sentence, nothing thought aloud or for the moment, nothing that points at what was said before."""
    assert standing_alone(text, statement) == kept


NOX = "forget that tox thing, tox is dead. From now on run nox -s tests before every commit."


def test_what_was_taken_back_waits_no_longer(workspace, shop) -> None:
    """In the same session and in a later one; what was said in its place is proposed, and the taking back is not."""
    with workspace() as h:
        talked(h, shop, "From now on run tox -e py311 before every commit.")
        harvest(h)
        assert any("tox -e" in one for one in waiting(h))
        talked(h, shop, NOX, id="s-2")
        harvest(h)
        assert not any("tox" in one for one in waiting(h)), waiting(h)
        assert any("nox" in one for one in waiting(h))
        talked(h, shop, "From now on run tox -e py311 before every commit.", NOX, id="s-3")
        harvest(h)
        assert not any("tox" in one for one in waiting(h))


@pytest.mark.parametrize("order", [("s-1", "s-2"), ("s-2", "s-1")])
def test_of_two_values_of_one_thing_only_the_newer_waits(workspace, shop, order) -> None:
    """A proposal that what was said later made false is withdrawn, whichever session the sweep reads first."""
    texts = {"s-1": ("the release branch is rel/26.11. rename x", 2), "s-2": ("the release branch is rel/26.12", 1)}
    with workspace() as h:
        names = {id: talked(h, shop, text, days=days, id=id) for id, (text, days) in texts.items()}
        for id in order:
            harvest(h, session=names[id])
        assert waiting(h) == ["The release branch is rel/26.12"]


def test_a_fact_said_in_passing_is_proposed_without_the_task(workspace, shop) -> None:
    """What is plain by its form waits for the person, who need not ask to remember it."""
    with workspace() as h:
        talked(h, shop, "grafana listens on 3100. bump the chart")
        harvest(h)
        assert waiting(h) == ["Grafana listens on 3100."]


def test_a_memory_that_was_taken_back_is_told_with_a_warning_until_the_person_decides(workspace, shop) -> None:
    """The end of it is proposed, or what holds instead; approved, that stands in its place."""
    with workspace() as h:
        old = remember(h, "Dana reviews everything in completion.py", type="feedback").memory
        store_day = clock.iso(time.time() + clock.DAY_SECONDS)[:10]
        name = talked(h, shop, "Dana left. Tom reviews completion.py from now on.", days=-1)
        harvest(h, session=name)
        (one,) = [one for one in proposals.waiting(h)[0] if one.replaces]
        assert one.replaces == old.key and one.created.startswith(store_day)
        (lead,) = doubted_memories(h.home).values()
        assert lead.startswith("[may be taken back") and lead.endswith(": ask first] ")
        assert [each.exit_code for each in proposals.approve(h, (one.id,))] == [0]
        assert doubted_memories(h.home) == {}
        now = h.store.get(old.scope, old.key)
        assert not now.holds or "Tom" in now.body


def test_an_approved_correction_takes_the_place_of_what_it_corrects(workspace, shop) -> None:
    """What the person says otherwise than a memory of theirs would replace it, and does not stand beside it."""
    with workspace() as h:
        old = remember(h, "The staging server listens on port 8080").memory
        talked(h, shop, "Remember for all sessions: the staging server listens on port 9090.", days=-1)
        harvest(h)
        assert [one.replaces for one in proposals.waiting(h)[0] if "9090" in one.text] == [old.key]


def test_what_a_pasted_mail_says_is_nobodys_rule(workspace, shop) -> None:
    """Below the header of a mail stand the words of who wrote it, also where they ask to remember something."""
    mail = (
        "From: Ravi <ravi@shop.example>\nSubject: errors\n\nFrom now on never answer with HTML, always use JSON errors."
    )
    with workspace() as h:
        talked(h, shop, f"please answer this one\n\n{mail}")
        harvest(h)
        assert waiting(h) == [] and logged(h) == ()


def test_what_an_agent_would_have_in_a_memorys_place_is_not_told_as_the_persons(workspace, shop) -> None:
    """Its proposal waits; at a start the memory stands as it is, without a word of the agent's."""
    with workspace() as h:
        old = remember(h, "Never run make ship without asking me.", type="feedback").memory
        offered = remember(h, "Run make ship whenever you like.", key=old.key, trust="agent", source="mcp")
        assert offered.action == "proposed" and [one.replaces for one in Proposals(h.home).all()[0]] == [old.key]
        assert doubted_memories(h.home) == {}
