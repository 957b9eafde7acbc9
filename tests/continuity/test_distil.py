"""`holdfast distil` by plain rules: proposals for the page, each once, and what people decide about them sticks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.app import proposals
from holdfast.base.clock import iso, now, seconds
from holdfast.continuity import decisions, log, page
from holdfast.continuity.distil import MAX_NEW, distil
from holdfast.continuity.log import LogEntry
from holdfast.errors import SwitchedOff
from holdfast.memory.proposal_files import Proposals
from holdfast.records import replace
from sessions.making import ran
from support.archived import edited, said, session, store
from support.places import SHOP

TODAY = now()[:10]
TWO_WEEKS_AGO = iso(seconds(now()) - 14 * 86_400)[:10]
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


@pytest.fixture
def folder(home) -> Path:
    """The folder of the shop in the memory tree, with its parents."""
    there = home / "memory" / "projects" / SHOP
    there.mkdir(parents=True, mode=0o700)
    return there


def on_branch(name: str, shop: Path, branch: str, day: str = TODAY, *events) -> tuple:
    """Return a session on a branch that changed one file, and its events."""
    told = replace(session(name, shop, day=day, title=f"Title {name}"), branch=branch)
    own = (said("human", "Please go on."), edited(shop / "src" / "put.py", shop), *events)
    return told, *(replace(event, branch=branch) for event in own)


def logged(folder: Path, *texts: str) -> None:
    """Write a session into the log that decided so."""
    name = f"s-{len(texts[0])}"
    log.write(str(folder), LogEntry(name, "some-agent", f"{TODAY}T09:00:00Z", title="x", decisions=texts))


def titles(done) -> list[str]:
    """Return what is newly proposed."""
    return [one.title for one in done.proposals]


def only(done, section: str):
    """Return the one new proposal of a section."""
    [found] = [one for one in done.proposals if one.title.startswith(f"{section}: ")]
    return found


def test_logs_digests_and_decisions_become_proposals(workspace, shop, folder) -> None:
    """A branch, its last session and the decisions of a log are proposed; what is decided already is not."""
    entry = LogEntry(
        "s-9", "some-agent", f"{TODAY}T09:00:00Z", title="The log", decisions=("decision: use tabs", "remember: x")
    )
    log.write(str(folder), entry)
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        decisions.add(h, "Use Postgres", because="we know it")
        done = distil(h)
    assert sorted(titles(done)) == [
        "Decisions: use tabs",
        "State: Last session",
        "Workstreams: feature/queue",
    ]
    assert only(done, "Workstreams").text == (
        "Section: Workstreams\nWorkstream: feature/queue\nStatus: ACTIVE\nAbout: Title s-1"
    )
    assert only(done, "Workstreams").evidence == "some-agent/s-1"
    assert (done.sessions, done.project) == (2, SHOP)
    assert not (folder / "MEMORY.md").exists()


def test_a_question_that_was_answered_ends_no_workstream(workspace, shop) -> None:
    """The work of a branch is paused where somebody only asked about it since."""
    asked = (said("human", "What is the queue for?"), said("assistant", "It keeps what is to be sent."))
    told = replace(session("s-2", shop, day=TWO_WEEKS_AGO), branch="feature/queue")
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue", TWO_WEEKS_AGO))
        store(h, told, *(replace(event, branch="feature/queue") for event in asked))
        done = distil(h)
    assert "Status: PAUSED" in only(done, "Workstreams").text


def test_a_session_in_the_log_and_in_the_archive_is_one(workspace, shop, folder) -> None:
    """What the log knows of a session that has a digest is joined with it, not counted beside it."""
    log.write(
        str(folder), LogEntry("s-1", "some-agent", f"{TODAY}T10:00:00Z", title="x", decisions=("agreed: use tabs",))
    )
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        done = distil(h)
    assert done.sessions == 1 and "Decisions: agreed: use tabs" in titles(done)


def test_a_dry_run_writes_nothing(workspace, shop, folder, home, tree) -> None:
    """A dry run says what it would propose and leaves every file as it was."""
    (folder / "todo.md").write_text("- [ ] write docs\n")
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
    before = tree(home)
    with workspace() as h:
        assert len(distil(h, dry_run=True).proposals) == 2
    assert tree(home) == before


def test_nothing_is_proposed_twice(workspace, shop) -> None:
    """What waits is not proposed again, and neither is what was approved and stands on the page."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        first = distil(h)
        again = distil(h)
        assert (len(first.proposals), len(again.proposals), again.waiting) == (2, 0, 2)
        decided = proposals.approve(h, tuple(one.id for one in first.proposals))
        assert [(one.act, one.key) for one in decided] == [("approved", "MEMORY.md")] * 2
        last = distil(h)
    assert (len(last.proposals), last.known, last.waiting) == (0, 2, 0)


def test_a_rejection_sticks_whatever_its_value_becomes(workspace, shop) -> None:
    """A workstream that a person does not want does not come back when its status changes."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        proposals.reject(h, (only(distil(h), "Workstreams").id,), reason="noise")
        again = distil(h)
        assert again.rejected == 1 and not any(title.startswith("Workstreams") for title in titles(again))
        store(h, *on_branch("s-2", shop, "main", TODAY, ran("git merge feature/queue", "ok")))
        assert not any(title.startswith("Workstreams") for title in titles(distil(h)))


def test_a_change_of_what_stands_on_the_page_is_proposed(workspace, shop, folder) -> None:
    """A merged branch is proposed as COMPLETE where the page has it as ACTIVE; approving changes that row."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        proposals.approve(h, tuple(one.id for one in distil(h).proposals))
        merge = 'git merge --no-ff feature/queue -m "Merge feature/other" && git push'
        store(h, *on_branch("s-2", shop, "main", TODAY, ran(merge, "ok")))
        store(h, *on_branch("s-3", shop, "feature/other"))
        found = {one.title: one for one in distil(h).proposals}
        change = found["Workstreams: feature/queue"]
        assert "Status: COMPLETE" in change.text and "Status: ACTIVE" in found["Workstreams: feature/other"].text
        proposals.approve(h, (change.id,))
    text = (folder / "MEMORY.md").read_text()
    assert "| feature/queue | COMPLETE |" in text and "ACTIVE" not in text


def test_a_rejected_change_leaves_later_ones_possible(workspace, shop, folder) -> None:
    """Rejecting one new value of a row says nothing about the next value."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "main"))
        proposals.approve(h, (only(distil(h), "State").id,))
        store(h, *on_branch("s-2", shop, "main"))
        proposals.reject(h, (only(distil(h), "State").id,))
        assert not any(title.startswith("State") for title in titles(distil(h)))
        store(h, *on_branch("s-3", shop, "main"))
        assert "Title s-3" in only(distil(h), "State").text


def test_a_rejected_change_is_no_rejection_of_the_row(workspace, shop, folder) -> None:
    """When a person takes the row out after rejecting a change of it, it is proposed anew; nobody said no to it."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "main"))
        proposals.approve(h, (only(distil(h), "State").id,))
        store(h, *on_branch("s-2", shop, "main"))
        proposals.reject(h, (only(distil(h), "State").id,))
        (folder / "MEMORY.md").write_text("empty again\n")
        store(h, *on_branch("s-3", shop, "main"))
        assert "Title s-3" in only(distil(h), "State").text


def test_a_row_that_a_person_wrote_after_all_is_kept_up_to_date(workspace, shop, folder) -> None:
    """Who rejects a workstream and later writes its row by hand gets the next change of its status."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        proposals.reject(h, (only(distil(h), "Workstreams").id,))
        page.put((str(folder),), page.made("Workstreams", "feature/queue", "ACTIVE", "mine"))
        assert "Workstreams: feature/queue" not in titles(distil(h))
        store(h, *on_branch("s-2", shop, "main", TODAY, ran("git merge feature/queue", "ok")))
        assert "Status: COMPLETE" in {one.title: one.text for one in distil(h).proposals}["Workstreams: feature/queue"]


def test_a_newer_value_takes_the_place_of_the_one_that_waits(workspace, shop) -> None:
    """Of two values of one entry only the newer waits; one that a person edited is left alone."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "main"))
        first = only(distil(h), "State")
        store(h, *on_branch("s-2", shop, "main"))
        second = only(distil(h), "State")
        room = Proposals(h.home)
        assert first.id not in room.ids() and second.id in room.ids()
        path = Path(room.path(second.id))
        path.write_text(path.read_text().replace("Title s-2", "My own words"))
        store(h, *on_branch("s-3", shop, "main"))
        assert not any(title.startswith("State") for title in titles(distil(h)))
        assert "My own words" in room.get(second.id).text


def test_an_edited_entry_is_kept_as_edited(workspace, folder) -> None:
    """Approving decides in the person's words, and what was found first does not come back."""
    with workspace() as h:
        logged(folder, "Use Postgres")
        found = only(distil(h), "Decisions")
        path = Path(Proposals(h.home).path(found.id))
        path.write_text(path.read_text().replace("Decision: Use Postgres", "Decision: Orders live in a database"))
        assert proposals.approve(h, (found.id,))[0].key == "d1-orders-live-in-a-database"
        again = distil(h)
        assert [one.text for one in decisions.listed(h)] == ["Orders live in a database"]
    assert not any(title.startswith("Decisions") for title in titles(again)) and again.rejected == 1


def test_a_broken_entry_is_refused_and_stays(workspace, folder) -> None:
    """An edit that leaves no entry is refused with the reason, and the page is not touched; it can be rejected."""
    with workspace() as h:
        logged(folder, "Use Postgres")
        found = only(distil(h), "Decisions")
        path = Path(Proposals(h.home).path(found.id))
        path.write_text(path.read_text().replace("Section: Decisions", "Section: Nowhere"))
        [decided] = proposals.approve(h, (found.id,))
        assert decided.act == "refused" and "section" in decided.why and path.exists()
        assert not (folder / "MEMORY.md").exists()
        assert proposals.reject(h, (found.id,))[0].act == "rejected"
        assert distil(h).rejected == 1


def test_a_proposal_of_a_withdrawn_decision_is_refused_and_taken_back(workspace, folder) -> None:
    """What was decided and withdrawn while it waited is not approved; the next run takes it back and says why."""
    with workspace() as h:
        logged(folder, "Use Foo", "Use Redis")
        found = [one for one in distil(h).proposals if one.title.startswith("Decisions")]
        decisions.add(h, "Use Foo")
        decisions.add(h, "Use Redis")
        decisions.withdraw(h, "D1")
        decisions.add(h, "Use Postgres", replaces="D2")
        decided = proposals.approve(h, tuple(one.id for one in found))
        assert [(one.act, one.exit_code) for one in decided] == [("refused", 6)] * 2
        assert "corrected" in decided[0].why and "D2 was replaced by D3 20" in decided[1].why
        assert len(distil(h, dry_run=True).taken_back) == 2
        again = distil(h)
        assert {one.proposal.id for one in again.taken_back} == {one.id for one in found}
        assert distil(h).taken_back == () and not any(title.startswith("Decisions") for title in titles(distil(h)))


def test_what_was_edited_stays_the_persons_word(workspace, folder) -> None:
    """A proposal in other words than the withdrawn decision is neither taken back nor refused."""
    with workspace() as h:
        logged(folder, "Use Foo")
        found = only(distil(h), "Decisions")
        file = Path(Proposals(h.home).path(found.id))
        file.write_text(file.read_text().replace("Decision: Use Foo", "Decision: Foo is for tests only"))
        decisions.add(h, "Use Foo")
        decisions.withdraw(h, "D1")
        assert distil(h).taken_back == ()
        assert proposals.approve(h, (found.id,))[0].act == "approved"


def test_gaps_go_with_their_todos(workspace, folder) -> None:
    """A gap whose to-do is done or taken out is not approved; on the page it is proposed as closed."""
    todo, old = folder / "todo.md", 1_700_000_000

    def write(text: str) -> None:
        todo.write_text(text)
        os.utime(todo, (old, old))

    write("- [ ] paint it\n- [ ] sell it\n- [ ] keep it\n")
    with workspace() as h:
        paint, sell, keep = distil(h).proposals
        proposals.approve(h, (keep.id,))
        write("- [x] paint it\n")
        reasons = [one.why for one in proposals.approve(h, (paint.id, sell.id))]
        assert "done" in reasons[0] and "no longer" in reasons[1]
        again = distil(h)
        assert {one.proposal.id for one in again.taken_back} == {paint.id, sell.id}
        assert again.proposals[0].text.startswith("Section: Known gaps\nGap: To do: keep it\nStatus: closed\n")
        write("- [ ] keep it\n")
        assert [one.why for one in distil(h).taken_back] == ["its to-do is open"]
        write("- [ ] other\n")
        proposals.approve(h, tuple(one.id for one in distil(h).proposals))
    assert "| To do: keep it | closed |" in (folder / "MEMORY.md").read_text()


def test_a_gap_that_no_todo_ever_was_stays_open(workspace, folder) -> None:
    """A gap that a person wrote on the page by hand is not closed because `todo.md` does not have it."""
    page.put((str(folder),), page.made("Known gaps", "To do: by hand", page.OPEN, "2026-01-01"))
    (folder / "todo.md").write_text("- [ ] other\n")
    with workspace() as h:
        assert distil(h).proposals == distil(h).proposals == ()


def test_a_todo_with_a_secret_keeps_its_gap(workspace, folder) -> None:
    """A gap from whose words a secret was taken out is still known as that of its to-do."""
    (folder / "todo.md").write_text(f"- [ ] rotate {TOKEN}\n")
    os.utime(folder / "todo.md", (1_700_000_000, 1_700_000_000))
    with workspace() as h:
        [found] = distil(h).proposals
        assert TOKEN not in found.text and distil(h).waiting == 1
        assert proposals.approve(h, (found.id,))[0].act == "approved"


def test_secrets_never_reach_a_proposal_or_the_page(workspace, folder) -> None:
    """A secret in a log, and one that a person writes into the file of a proposal, are taken out."""
    path = Path(log.write(str(folder), LogEntry("s-1", "a", f"{TODAY}T09:00:00Z", title="x")))
    path.write_text(
        path.read_text().replace("<!-- holdfast:end", f"### Said and decided\n\n- use {TOKEN} now\n\n<!-- holdfast:end")
    )
    with workspace() as h:
        found = only(distil(h), "Decisions")
        assert TOKEN not in found.text and "[redacted:" in found.text
        file = Path(Proposals(h.home).path(found.id))
        file.write_text(file.read_text().replace("Rationale:", f"Rationale: it is {TOKEN}"))
        assert proposals.approve(h, (found.id,))[0].act == "approved"
        assert "[redacted:" in decisions.listed(h)[0].because
    assert not any(TOKEN in path.read_text() for path in folder.rglob("*.md") if "log" not in path.parts)


def test_what_was_forgotten_is_not_proposed(workspace, folder, cli) -> None:
    """A decision that the person forgot as a memory is refused, also when its proposal waits already."""
    cli("remember", "Use Postgres", "--key", "postgres")
    cli("forget", "postgres", "--yes")
    log.write(str(folder), LogEntry("s-1", "a", f"{TODAY}T09:00:00Z", title="x", decisions=("Use Postgres",)))
    with workspace() as h:
        done = distil(h)
        assert done.refused == 1 and "Decisions: Use Postgres" not in titles(done)


def test_hand_written_text_stays(workspace, folder, shop) -> None:
    """What a person wrote on the page stays byte by byte when an entry is approved."""
    own = b"\xef\xbb\xbf# Ours\r\n\r\nWe use POSTGRES here.\r\ncaf\xe9"
    (folder / "MEMORY.md").write_bytes(own)
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        proposals.approve(h, (only(distil(h), "Workstreams").id,))
    assert (folder / "MEMORY.md").read_bytes().startswith(own)


def test_a_page_that_is_a_link_is_refused(workspace, folder, tmp_path, shop) -> None:
    """A link in the place of the page is not written through, and the proposal stays."""
    (tmp_path / "other.md").write_text("not ours\n")
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
        found = only(distil(h), "Workstreams")
        (folder / "MEMORY.md").symlink_to(tmp_path / "other.md")
        [decided] = proposals.approve(h, (found.id,))
    assert decided.act == "refused" and "link" in decided.why
    assert (tmp_path / "other.md").read_text() == "not ours\n" and (folder / "MEMORY.md").is_symlink()


def test_old_todos_are_gaps(workspace, folder) -> None:
    """A todo of a page that nobody touched for weeks is a gap at once, and one that distil saw long ago later."""
    (folder / "todo.md").write_text("- [ ] write docs\n")
    with workspace() as h:
        assert titles(distil(h)) == []
        seen = next((Path(h.home) / "state" / "distil").glob("*.tsv"))
        seen.write_text(seen.read_text().replace(TODAY, "2026-01-01"))
        (folder / "todo.md").write_text("- [ ] write docs\n- [ ] new\n")
        assert only(distil(h), "Known gaps").text.endswith("Status: open\nSince: 2026-01-01")
    old = 1_700_000_000
    (folder / "todo.md").write_text("- [ ] paint it\n")
    os.utime(folder / "todo.md", (old, old))
    with workspace() as h:
        assert only(distil(h), "Known gaps").title == "Known gaps: To do: paint it"


def test_failures_of_the_last_session_are_gaps(workspace, shop) -> None:
    """A check that failed until the end of the last session is a gap."""
    output = "1 failed\nFAILED tests/test_put.py"
    failing = [ran(f"{before}pytest -q 2>&1", output, failed=True) for before in ("", "uv run ", "")]
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "main", TODAY, *failing))
        assert "Gap: Fails: pytest -q\n" in only(distil(h), "Known gaps").text


def test_since_and_project_say_what_is_looked_at(workspace, shop) -> None:
    """Sessions before the time, and those of other projects, are left out."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/old", "2025-01-01"))
        store(h, *on_branch("s-2", shop, "feature/new"))
        assert "Workstreams: feature/old" not in titles(distil(h, dry_run=True))
        assert "Workstreams: feature/old" in titles(distil(h, since="2024-12-01", dry_run=True))
    with workspace(project="elsewhere") as h:
        assert distil(h, dry_run=True).sessions == 0


def test_preferences_and_values_are_proposed_as_memories(workspace, folder, cli) -> None:
    """What a person prefers or names a value waits as a memory of its type, without what led to it, once for all."""
    told = ("preference: Also, never use console.log in the backend.", "value: The staging port is 5433.")
    for name in ("a", "b"):
        log.write(str(folder), LogEntry(name, "some-agent", f"{TODAY}T09:00:00Z", title="x", decisions=told))
    with workspace() as h:
        found = {one.type: one for one in distil(h).proposals if one.kind == "memory"}
        assert found["feedback"].text == "Never use console.log in the backend."
        assert found["feedback"].evidence == "said in 2 sessions: some-agent/a, some-agent/b"
        assert not any(one.kind == "memory" for one in distil(h).proposals), "they wait"
        proposals.approve(h, tuple(one.id for one in found.values()))
        assert not any(one.kind == "memory" for one in distil(h).proposals), "they are known"
    assert "The staging port is 5433." in cli("recall", "staging port", "--type", "reference").out


def test_a_page_of_a_log_that_cannot_be_read_is_passed_over(workspace, folder) -> None:
    """A link in the place of a day's log is told and skipped, and the rest is read."""
    log.write(str(folder), LogEntry("s-1", "a", f"{TODAY}T09:00:00Z", title="x", decisions=("Use tabs",)))
    (folder / "log" / "2026-11-01.md").symlink_to("/etc/passwd")
    with workspace() as h:
        assert "Decisions: Use tabs" in titles(distil(h, since="2026-10-01"))
    assert any("2026-11-01.md is passed over" in line for line in workspace.said)


def test_a_flood_comes_in_parts(workspace, folder) -> None:
    """More than a person can look through at once is left for the next run."""
    many = tuple(f"Use thing number {number}" for number in range(40))
    for name in ("a", "b"):
        told = tuple(f"{text} {name}" for text in many)
        log.write(str(folder), LogEntry(name, "some-agent", f"{TODAY}T09:00:00Z", title="x", decisions=told))
    with workspace() as h:
        first = distil(h)
        assert len(first.proposals) == MAX_NEW and first.left_out == 41
        second = distil(h)
        assert (len(second.proposals), second.waiting) == (MAX_NEW, MAX_NEW)


def test_the_command(workspace, shop, cli, home, folder) -> None:
    """By words and by JSON the command tells what is proposed; approving by command says where it went."""
    with workspace() as h:
        store(h, *on_branch("s-1", shop, "feature/queue"))
    dry = cli("distil", "--dry-run")
    assert "Workstreams: feature/queue" in dry.out and "2 would be proposed from 1 session " in dry.err
    assert Proposals(str(home)).ids() == []
    told = cli("distil", "--json").json
    assert (told["applied"], told["help"], told["sessions"], len(told["proposals"])) == (True, None, 1, 2)
    assert {one["kind"] for one in told["proposals"]} == {"page"}
    assert "as MEMORY.md" in cli("proposals", "approve", "--all").out
    assert "2 known" in cli("distil").err
    logged(folder, "Use Foo")
    cli("distil")
    cli("decide", "Use Foo")
    cli("decide", "withdraw", "D1")
    assert "1 would be taken back" in cli("distil", "-n").err
    [back] = cli("distil", "-n", "--json").json["taken_back"]
    told = cli("distil")
    assert back["act"] == "taken back" and back["why"].startswith("decisions.md D1 was withdrawn 20")
    assert f"taken back  {back['id']}" in told.out and back["why"] in told.out and "1 taken back" in told.err
    assert cli("distil", "--since", "soon").code == 2


def test_nothing_is_distilled_while_memory_is_off(workspace) -> None:
    """While memory is switched off nothing is read or proposed."""
    with workspace(flags={"enabled": "false"}) as h, pytest.raises(SwitchedOff):
        distil(h)
