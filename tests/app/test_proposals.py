"""Proposals: only an approved one becomes a memory, and a rejected one never comes back."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.app import proposals
from holdfast.app.status import status, up
from holdfast.errors import BrokenFile, NotFound, SwitchedOff
from holdfast.exchange.import_memories import import_memories
from holdfast.memory import proposals as offered
from holdfast.memory.proposal_files import Proposals
from holdfast.memory.remember import remember
from holdfast.records import Filter, Scope

SHOP = Scope("project", "example.com--acme--shop")
VPN = "Deploys need the VPN."
MONDAY = "The staging database is reset on Mondays."


@pytest.fixture
def two(workspace, shop):
    """Two proposals of one file; returns their ids by what they say."""
    (shop / "AGENTS.md").write_text(f"- {VPN}\n- {MONDAY}\n")
    with workspace() as h:
        found = import_memories(h).proposals
    return {one.text: one.id for one in found}


def memories(h) -> dict[str, str]:
    """Return what the memories of the project say, by key."""
    h.refresh((SHOP,))
    return {memory.key: memory.body for memory in h.store.find(Filter((SHOP,)))}


def test_an_approved_one_becomes_a_memory(workspace, two, home) -> None:
    """The memory has the words and the source, is the person's who approved it, and the proposal is gone."""
    with workspace() as h:
        (decision,) = proposals.approve(h, (two[VPN][:5],))
        memory = h.locate(decision.key)
    assert (memory.body, memory.trust, memory.source) == (VPN, "user", "codex:AGENTS.md#L1")
    assert (memory.agent, memory.type, memory.scope) == ("codex", "project", SHOP)
    assert Proposals(str(home)).ids() == [two[MONDAY]]


def test_approving_never_changes_another_memory(workspace, two) -> None:
    """A memory that has the usual key and says something else stays; the approved one gets a key of its own."""
    with workspace() as h:
        remember(h, "Deploys need the VPN, and Kim's word.", key="deploys-need-the-vpn")
        (decision,) = proposals.approve(h, (two[VPN],))
        assert decision.key.startswith("deploys-need-the-vpn-")
        assert memories(h) == {
            "deploys-need-the-vpn": "Deploys need the VPN, and Kim's word.",
            decision.key: VPN,
        }


def test_approving_what_is_remembered_meanwhile_is_no_second_memory(workspace, two) -> None:
    """Where somebody stored the statement in the meantime, the proposal goes and the memory stays theirs."""
    with workspace() as h:
        remember(h, "deploys need the VPN")
        (decision,) = proposals.approve(h, (two[VPN],))
        assert (decision.act, decision.key) == ("approved", "deploys-need-the-vpn")
        assert memories(h) == {"deploys-need-the-vpn": "deploys need the VPN"}
        assert h.locate("deploys-need-the-vpn").trust == "user"


def test_what_was_forgotten_is_refused_and_the_rest_goes_on(workspace, two, home) -> None:
    """A statement that was forgotten after it was proposed is refused, stays, and stops no other."""
    with workspace() as h:
        remember(h, VPN, key="vpn")
        h.store.remove(h.scope("project"), "vpn", forget=True)
        decided = proposals.approve(h, tuple(two.values()))
        assert {one.proposal.text: (one.act, one.exit_code) for one in decided} == {
            VPN: ("refused", 6),
            MONDAY: ("approved", 0),
        }
        assert list(memories(h).values()) == [MONDAY]
    assert Proposals(str(home)).ids() == [two[VPN]]


def test_an_approval_that_was_interrupted_is_completed(workspace, two, home) -> None:
    """Where the memory was written and the proposal is still there, approving again only removes the proposal."""
    kept = (home / "proposals" / f"{two[VPN]}.md").read_bytes()
    with workspace() as h:
        proposals.approve(h, (two[VPN],))
        before = memories(h)
        (home / "proposals" / f"{two[VPN]}.md").write_bytes(kept)
        proposals.approve(h, (two[VPN],))
        assert memories(h) == before
    assert Proposals(str(home)).ids() == [two[MONDAY]]


def test_one_wrong_id_stops_all(workspace, two, home) -> None:
    """Where one of several ids is wrong, nothing is decided for any of them."""
    with workspace() as h:
        for act in (proposals.approve, proposals.reject):
            with pytest.raises(NotFound):
                act(h, (two[VPN], "nothing"))
        assert memories(h) == {}
    assert len(Proposals(str(home)).ids()) == 2 and not Proposals(str(home)).rejected()


def test_a_rejection_is_noted_before_the_file_goes(workspace, two, home) -> None:
    """A rejected proposal is gone and noted with its reason, from which secrets are taken out."""
    with workspace() as h:
        proposals.reject(h, (two[VPN],), reason="password = hunter2hunter2")
    (line,) = (home / "proposals" / "rejected.tsv").read_text().splitlines()
    assert line.startswith(f"{two[VPN]}\t20") and "hunter2" not in line
    assert Proposals(str(home)).ids() == [two[MONDAY]]


def test_a_broken_file_can_be_rejected(workspace, two, home) -> None:
    """A proposal that a person broke is named when listed, stops no other, and can be got rid of by its id."""
    (home / "proposals" / f"{two[VPN]}.md").write_text("---\nscope: [\n---\n")
    with workspace() as h:
        found, problems = offered.waiting(h)
        assert [one.id for one in found] == [two[MONDAY]] and [one.severity for one in problems] == ["error"]
        decided = proposals.approve(h, tuple(two.values()))
        assert sorted((one.act, one.exit_code) for one in decided) == [("approved", 0), ("refused", 4)]
        proposals.reject(h, (two[VPN],))
        assert offered.waiting(h) == ([], [])


def test_all_includes_what_cannot_be_read(two, cli, home) -> None:
    """Approving all carries out the good ones, names the file that cannot be read, and ends with its code."""
    (home / "proposals" / f"{two[VPN]}.md").write_bytes(b"")
    done = cli("proposals", "approve", "--all")
    assert done.code == 4 and f"refused   {two[VPN]}" in done.out and f"approved  {two[MONDAY]}" in done.out
    told = cli("proposals", "approve", "--all", "--json")
    assert told.code == 4
    assert [(one["id"], one["act"]) for one in told.json["decisions"]] == [(two[VPN], "refused")]
    assert "says nothing" in told.json["decisions"][0]["why"]
    assert cli("proposals", "reject", two[VPN]).code == 0 and cli("proposals", "approve", "--all").code == 0


def test_a_file_that_is_none_stops_no_other(workspace, two, home) -> None:
    """Where a proposal is a link or a folder, approving and rejecting refuse it with the reason and go on."""
    path = home / "proposals" / f"{two[VPN]}.md"
    path.unlink()
    path.mkdir()
    with workspace() as h:
        (refused, good) = proposals.reject(h, (two[VPN], two[MONDAY]))
        assert (refused.act, good.act) == ("refused", "rejected") and refused.exit_code and refused.why
        (again,) = proposals.approve(h, offered.every_id(h))
        assert (again.proposal.id, again.act, again.exit_code) == (two[VPN], "refused", refused.exit_code)


def test_an_edited_one_becomes_what_the_person_made_of_it(workspace, two, editor, shop) -> None:
    """What the editor left is approved, and neither the first words nor the new ones are proposed again."""
    editor("sed -i 's/VPN/bastion host/; s/^scope: project/scope: global/; /^owner:/d' \"$1\"")
    with workspace() as h:
        edited, changed = offered.edit(h, two[VPN])
        assert changed and (edited.text, edited.scope) == ("Deploys need the bastion host.", Scope("global"))
        (decision,) = proposals.approve(h, (edited.id,))
        assert h.locate(decision.key).scope == Scope("global")
        (shop / "AGENTS.md").write_text(f"- {VPN}\n- Deploys need the bastion host.\n")
        (one,) = import_memories(h).files
    assert (one.new, one.known, one.rejected) == (0, 1, 1)


def test_an_edited_one_waits_under_both_wordings(workspace, two, editor, shop) -> None:
    """While an edited proposal waits, neither its old nor its new words are proposed beside it."""
    editor("sed -i 's/VPN/bastion host/' \"$1\"")
    with workspace() as h:
        offered.edit(h, two[VPN])
        (shop / "AGENTS.md").write_text(f"- {VPN}\n- Deploys need the bastion host.\n")
        (one,) = import_memories(h).files
    assert (one.new, one.waiting) == (0, 2)


def test_an_edit_that_breaks_the_file_is_not_kept(workspace, two, editor, home) -> None:
    """An edit after which the file is no proposal changes nothing, and says where the words are."""
    before = (home / "proposals" / f"{two[VPN]}.md").read_bytes()
    editor("sed -i 's/^type: .*/type: rumour/' \"$1\"")
    with workspace() as h, pytest.raises(BrokenFile, match="rumour") as told:
        offered.edit(h, two[VPN])
    assert (home / "proposals" / f"{two[VPN]}.md").read_bytes() == before
    kept = told.value.hint.removeprefix("What you wrote is in ").removesuffix(".")
    assert "type: rumour" in Path(kept).read_text(encoding="utf-8")
    os.unlink(kept)


def test_secrets_of_an_edit_are_taken_out(workspace, two, editor, home) -> None:
    """A secret that a person writes into a proposal is redacted before it is kept."""
    editor("sed -i 's/VPN/VPN, password=hunter2hunter2/' \"$1\"")
    with workspace() as h:
        offered.edit(h, two[VPN])
    assert "hunter2" not in (home / "proposals" / f"{two[VPN]}.md").read_text()
    assert any("redacted" in line for line in workspace.said)


def test_an_edit_that_changes_nothing(workspace, two, editor) -> None:
    """Leaving the editor without a change leaves the proposal as it is."""
    editor("true")
    with workspace() as h:
        assert offered.edit(h, two[VPN])[1] is False


def test_a_review_asks_one_by_one(workspace, two, editor, home) -> None:
    """A review carries out each answer at once, asks again after an edit, and stops where it is told to."""
    editor("sed -i 's/VPN/bastion/' \"$1\"")
    answers = iter(["e", "a", "q"])
    asked = []

    def ask(proposal, place, total):
        asked.append((proposal.text, place, total))
        return next(answers)

    with workspace() as h:
        decided = list(proposals.review(h, ask))
    assert [one.act for one in decided] == ["approved"]
    assert asked == [(VPN, 1, 2), (VPN.replace("VPN", "bastion"), 1, 2), (MONDAY, 2, 2)]
    assert Proposals(str(home)).ids() == [two[MONDAY]]


def test_a_review_goes_on_without_an_editor(workspace, two, home) -> None:
    """Where no editor is set, that is said, and the same proposal is asked for again."""
    answers = iter(["e", "r", "s"])
    with workspace() as h:
        decided = list(proposals.review(h, lambda *_: next(answers)))
    assert [one.act for one in decided] == ["rejected", "skipped"] and len(Proposals(str(home)).ids()) == 1
    assert any("no editor is set" in line for line in workspace.said)


def test_status_and_up_say_how_many_wait(workspace, two, cli) -> None:
    """The number of proposals is in the status, and a line says so only where there are some."""
    with workspace() as h:
        assert status(h)["proposals"] == 2
        assert any("2 proposals wait" in line for line in up(h)["next"])
        assert "proposals 2 wait" in cli("status").out
        proposals.reject(h, tuple(two.values()))
        assert status(h)["proposals"] == 0 and not any("proposal" in line for line in up(h)["next"])
        assert "proposals" not in cli("status").out


def test_what_says_nearly_the_same_is_named(workspace, two) -> None:
    """Beside a proposal stand the memories of its project and the global ones that say nearly the same, no others."""
    with workspace() as h:
        remember(h, "Deploys never need the VPN.", key="never")
        remember(h, "Deploys need the VPN and Kim.", key="kim", scope="global")
        remember(h, "Apples are red.", key="apples")
        found = offered.alike(h, offered.show(h, two[VPN]))
        assert sorted(memory.key for memory in found) == ["kim", "never"]
        assert offered.alike(h, offered.show(h, two[MONDAY])) == []


def test_nothing_waits_while_memory_is_switched_off(workspace, two) -> None:
    """While memory is switched off nothing is listed, counted or decided."""
    with workspace(flags={"enabled": "false"}) as h:
        assert offered.waiting(h) == ([], []) and status(h)["proposals"] == 0
        with pytest.raises(SwitchedOff):
            proposals.approve(h, (two[VPN],))


def test_the_commands(two, cli) -> None:
    """List, show, approve and reject answer by words and by JSON; the exit code is that of a refusal."""
    listed = cli("proposals")
    assert two[VPN] in listed.out and "codex:AGENTS.md#L1" in listed.out
    assert {one["id"] for one in cli("proposals", "--json").json["proposals"]} == set(two.values())
    shown = cli("proposals", "show", two[VPN][:4])
    assert VPN in shown.out and "AGENTS.md, line 1" in shown.out
    assert cli("proposals", "approve").code == 2 and cli("proposals", "approve", "--all", two[VPN]).code == 2
    done = cli("proposals", "reject", two[MONDAY], "--reason", "no", "--json")
    (told,) = done.json["decisions"]
    update = told.pop("update")
    assert told == {"id": two[MONDAY], "act": "rejected", "key": "", "why": "no"}
    assert cli("updates", "show", update, "--json").json["can_be_undone"]
    done = cli("proposals", "approve", "--all")
    assert done.code == 0 and "as deploys-need-the-vpn" in done.out
    assert cli("proposals").err == "no proposal waits\n"
    assert cli("proposals", "review").code == 2


@pytest.mark.parametrize("act", ["approve", "reject", "snooze"])
def test_each_decision_can_be_undone_and_made_again(two, cli, act, workspace, shop) -> None:
    """Undone, the proposal waits as before, is not found a second time, and can be decided on once more."""
    for _ in range(2):
        (told,) = cli("proposals", act, two[VPN], "--json").json["decisions"]
        assert [one["id"] for one in cli("proposals", "--json").json["proposals"]] == [two[MONDAY]]
        assert cli("updates", "undo", told["update"], "--yes").code == 0
        assert {one["id"] for one in cli("proposals", "--json").json["proposals"]} == set(two.values())
    with workspace() as h:
        assert import_memories(h).proposals == ()
    assert cli("proposals", "approve", two[VPN]).code == 0


def test_rejections_are_undone_in_any_order(two, cli) -> None:
    """The first of two rejections is taken back although another one followed."""
    first, _ = [cli("proposals", "reject", one, "--json").json["decisions"][0]["update"] for one in two.values()]
    assert cli("updates", "undo", first, "--yes").code == 0
    assert [one["text"] for one in cli("proposals", "--json").json["proposals"]] == [next(iter(two))]


def test_a_snoozed_one_is_away_for_its_days(two, cli, home, workspace) -> None:
    """It is neither listed, counted nor approved with all; its ID still names it, and in the end it waits again."""
    assert "until " in cli("proposals", "snooze", two[VPN], "--days", "3").out
    with workspace() as h:
        assert (status(h)["proposals"], offered.every_id(h)) == (1, (two[MONDAY],))
    assert cli("proposals", "show", two[VPN]).code == 0
    (home / "proposals" / "snoozed.tsv").write_text(f"{two[VPN]}\t2026-01-01T00:00:00Z\n")
    assert len(cli("proposals", "--json").json["proposals"]) == 2
    assert cli("proposals", "snooze", two[VPN], "--days", "0").code == 2


def test_what_waits_goes_with_what_was_forgotten(two, cli, home) -> None:
    """A proposal that says what a person forgets is gone, and the other one waits."""
    cli("remember", VPN, "--key", "vpn")
    cli("forget", "vpn", "--yes")
    assert Proposals(str(home)).ids() == [two[MONDAY]]


def test_a_refusal_is_the_exit_code(two, cli, workspace) -> None:
    """Approving what was forgotten since ends with the code of a refusal and says why."""
    cli("remember", VPN, "--key", "vpn")
    with workspace() as h:
        h.store.remove(h.scope("project"), "vpn", forget=True)
    done = cli("proposals", "approve", "--all")
    assert done.code == 6 and "forgotten" in done.out


def test_import_by_command(shop, cli) -> None:
    """Import says per file what it found, proposes nothing in a dry run, and --yes makes memories."""
    (shop / "AGENTS.md").write_text(f"@docs/more.md\n\n- {VPN}\n")
    dry = cli("import", "--dry-run")
    assert "AGENTS.md  (codex, project)  1 new; mentions docs/more.md" in dry.out and "would propose" in dry.out
    assert "1 new proposal:" in cli("import").err
    assert "AGENTS.md  (codex, project)  1 waiting" in cli("import").out
    done = cli("import", "--yes", "--json").json
    assert [one["act"] for one in done["decisions"]] == ["approved"] and done["applied"] is True
    assert "VPN" in cli("recall", "VPN").out
    assert cli("import", "nobody").code == 3


def test_a_review_on_a_terminal(two, home, shop) -> None:
    """On a real terminal a letter decides each proposal, and its text is shown before."""
    here, there = pty.openpty()
    command = [sys.executable, "-m", "holdfast", "proposals", "review"]
    with subprocess.Popen(command, stdin=there, stdout=there, stderr=there, cwd=shop, close_fds=True) as program:
        os.close(there)
        seen = b""
        for answer in (b"a\n", b"r\n"):
            end = time.monotonic() + 300
            while seen.count(b"(q)uit") < (1 if answer == b"a\n" else 2) and time.monotonic() < end:
                seen += os.read(here, 4096)
            os.write(here, answer)
        assert program.wait(300) == 0
    os.close(here)
    assert VPN.encode() in seen and MONDAY.encode() in seen
    assert Proposals(str(home)).ids() == [] and len(Proposals(str(home)).rejected()) == 1


def test_approving_what_an_agent_said_meanwhile_makes_it_the_persons(workspace, two) -> None:
    """The memory keeps its words; whose it is follows the approval."""
    with workspace() as h:
        remember(h, VPN, trust="agent", agent="codex")
        (decision,) = proposals.approve(h, (two[VPN],))
        memory = h.locate(decision.key)
        assert (memory.body, memory.trust) == (VPN, "user")
