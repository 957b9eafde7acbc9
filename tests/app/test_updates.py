"""The change history: what commands changed is listed, shown as a diff, and undone."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from holdfast.app import project, proposals, prune, updates
from holdfast.app.erase import forget_memory
from holdfast.base.clock import now
from holdfast.continuity.distil import distil
from holdfast.errors import BadInput, Conflict, Forgotten, NotFound, Refused
from holdfast.journal.updates import Updates
from holdfast.memory import audit, forget, heal, move, tidy
from holdfast.memory.proposal_files import Proposals, id_of
from holdfast.memory.remember import remember
from holdfast.memory.show import show
from holdfast.records import Proposal, Scope, replace
from support.archived import edited, said, session, store

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
OLD = (datetime.now(UTC) - timedelta(days=200)).strftime("%Y-%m-%dT%H:%M:%SZ")
MEMORIES = "projects/example.com--acme--shop/memories"


@pytest.fixture
def aged(write):
    """Write a memory of the shop that has had its time, and return its path."""

    def make(key: str, text: str = "Apples are red.") -> os.PathLike:
        full = write(f"{MEMORIES}/{key}.md", f"---\nupdated: {OLD}\n---\n{text}\n")
        os.utime(full, (0, 0))
        return full

    return make


@pytest.fixture
def pruned(workspace, aged):
    """Prune memories of these keys and return the ids of the updates, newest first."""

    def make(*keys: str) -> list[str]:
        for key in keys:
            aged(key, f"What {key} says.")
        with workspace() as h:
            prune.apply(h, prune.plan(h)[0])
            return [one.update.id for one in updates.updates(h)]

    return make


def undo(h, *ids: str):
    """Undo these updates and return the update that this is."""
    return updates.apply_undo(h, updates.plan_undo(h, ids))


def last(h):
    """Return the newest update."""
    return updates.updates(h)[0].update


def records(home) -> str:
    """Return everything that the history has on the disk."""
    return "\n".join(path.read_text() for path in sorted((home / "updates").rglob("*")) if path.is_file())


def test_a_pruned_memory_comes_back_byte_for_byte(workspace, aged, home) -> None:
    """Undoing a prune puts the file back as it was, found again at once; undoing that takes it away again."""
    path = aged("apples")
    before = path.read_bytes()
    with workspace() as h:
        prune.apply(h, prune.plan(h)[0])
        assert not path.exists()
        first = last(h)
        assert (first.command, first.targets) == ("prune", (f"project:{MEMORIES.split('/')[1]}/apples",))
        second = undo(h, first.id)
        assert path.read_bytes() == before and show(h, "apples").body == "Apples are red."
        third = undo(h, second.id)
        assert not path.exists()
        assert [one.undone_by for one in updates.updates(h)] == ["", third.id, ""]
        undo(h, third.id)
    assert path.read_bytes() == before
    with workspace() as h:
        assert show(h, "apples").body == "Apples are red."


def test_each_update_has_a_line_and_a_private_record(pruned, home) -> None:
    """The page of the month tells the act with its id, the record beside it is readable by its owner alone."""
    [id] = pruned("apples")
    [record] = (home / "updates").glob("*/*.json")
    assert record.name == f"{id}.json" and record.stat().st_mode & 0o077 == 0
    assert record.parent.stat().st_mode & 0o077 == 0
    [line] = (home / "updates" / f"{record.parent.name}.md").read_text().splitlines()
    assert " prune `project:" in line and line.endswith(f"idle for 200 ({id})")


def test_the_list_knows_times_and_commands(pruned, workspace) -> None:
    """`--since` and `--command` choose; the newest comes first, and what is undone says by what."""
    first = pruned("apples")[0]
    with workspace() as h:
        remember(h, "Pears are green.", key="pears", scope="global")
        move.apply(h, move.plan(h, "pears", new_key="green")[0])
        assert [one.update.command for one in updates.updates(h)] == ["move", "prune"]
        assert [one.update.command for one in updates.updates(h, command="prune")] == ["prune"]
        assert updates.updates(h, command="pru") == [] and len(updates.updates(h, limit=1)) == 1
        assert updates.updates(h, since="2099-01-01") == [] and len(updates.updates(h, since="1d")) == 2
        by = undo(h, first).id
        gone = next(one for one in updates.updates(h) if one.update.id == first)
        assert (gone.undone_by, gone.can_be_undone) == (by, False)
        with pytest.raises(Conflict, match=f"already undone, by {by}"):
            updates.plan_undo(h, [first])


def test_a_file_that_changed_since_is_refused_and_nothing_changes(pruned, workspace, home, tree) -> None:
    """Where one of several files was written again, the undo is a conflict and no file changes."""
    ids = pruned("apples", "pears")
    with workspace() as h:
        remember(h, "Pears are back.", key="pears", scope="project")
    before = tree(home)
    with workspace() as h, pytest.raises(Conflict, match=r"pears\.md changed since"):
        updates.plan_undo(h, ids)
    assert tree(home) == before


def test_a_change_behind_the_plan_takes_all_back(pruned, workspace, home) -> None:
    """A file that is written between plan and apply stops the undo, and the files before it are gone again."""
    ids = pruned("apples", "pears")
    with workspace() as h:
        planned = updates.plan_undo(h, ids)
        late = home / planned.changes[-1].path
        late.write_text("I was quicker.\n")
        count = len(updates.updates(h))
        with pytest.raises(Conflict):
            updates.apply_undo(h, planned)
        assert len(updates.updates(h)) == count
    assert late.read_text() == "I was quicker.\n" and not (home / planned.changes[0].path).exists()


def test_several_are_undone_together(pruned, workspace) -> None:
    """One undo takes back several updates, and one undo of that does them again."""
    ids = pruned("apples", "pears", "plums")
    with workspace() as h:
        by = undo(h, *ids)
        assert sorted(by.undoes) == sorted(ids) and len(by.files) == 3
        assert show(h, "plums").body == "What plums says."
        undo(h, by.id)
        with pytest.raises(NotFound):
            show(h, "plums")


def test_a_tidied_scope_is_as_it_was(workspace, write, home, tree) -> None:
    """Undoing a tidy moves every file back, with the links that it corrected."""
    for number in range(12):
        write(f"global/memories/deploy-{number}.md", f"Deploy step {number}. See [s](style-{number}.md).\n")
        write(f"global/memories/style-{number}.md", f"Style rule {number}.\n")
    memories = home / "memory" / "global" / "memories"
    before = {path.name: path.read_bytes() for path in memories.glob("*-*.md")}
    with workspace() as h:
        assert tidy.apply(h, tidy.plan(h)[0]) == 24
        assert not list(memories.glob("*-*.md"))
        undo(h, last(h).id)
        assert show(h, "deploy-3").path == "global/memories/deploy-3.md"
    assert {path.name: path.read_bytes() for path in memories.glob("*-*.md")} == before


def test_a_merge_of_equal_memories_is_undone(workspace, home) -> None:
    """Undoing a merge of heal brings the second file back, and what named it names it again."""
    with workspace() as h:
        remember(h, "The shop opens at nine.", key="opens", scope="global", tags=("hours",))
        remember(h, "The shop  opens at NINE.", key="start", scope="global", tags=("time",))
        remember(h, "See [[start]].", key="see", scope="global")
    memories = home / "memory" / "global" / "memories"
    before = {path.name: path.read_bytes() for path in memories.glob("*.md")}
    with workspace() as h:
        assert [step.act for step in heal.apply(h, heal.plan(h))] == ["merge"]
        assert show(h, "see").body == "See [[opens]]."
        undo(h, last(h).id)
    assert {path.name: path.read_bytes() for path in memories.glob("*.md")} == before


def test_a_merge_of_projects_is_undone(workspace, write, home) -> None:
    """Undoing it puts each memory back into the old project, and the old id is one of its own again."""
    write("projects/old/memories/only.md", "Only here.\n")
    write("projects/old/memories/both.md", "Apples were green.\n")
    write(f"{MEMORIES}/both.md", "Apples are red.\n")
    with workspace() as h:
        target, acts, _ = project.plan_merge(h, "old")
        project.apply_merge(h, "old", target, acts)
        assert h.registry.known().canonical("old") == target.owner
        undo(h, last(h).id)
        assert h.registry.known().canonical("old") == "old"
        assert show(h, "both").body == "Apples are red."
    assert (home / "memory/projects/old/memories/only.md").read_text() == "Only here.\n"
    assert (home / "memory" / MEMORIES / "both.md").read_text() == "Apples are red.\n"
    with workspace(project="old") as h:
        assert show(h, "only").scope.owner == "old"


def test_an_alias_is_undone_only_while_it_holds(workspace, write) -> None:
    """An alias is taken back; one that somebody took back already is a conflict."""
    write("projects/old/memories/only.md", "Only here.\n")
    with workspace() as h:
        project.apply_alias(h, "old", project.plan_alias(h, "old")[0])
        id = last(h).id
        undo(h, id)
        assert h.registry.known().canonical("old") == "old"
        again = undo(h, last(h).id)
        assert h.registry.known().canonical("old") != "old"
        h.registry.append(("unalias", "old"))
        with pytest.raises(Conflict, match="means another project"):
            updates.plan_undo(h, [again.id])


def test_proposals_of_distil_are_taken_back(workspace, shop, home) -> None:
    """Undoing a distil removes the proposals that it made."""
    with workspace() as h:
        told = replace(session("s-1", shop, day=now()[:10], title="Uploads"), branch="feature/queue")
        work = (said("human", "Please go on."), edited(shop / "src" / "put.py", shop))
        store(h, told, *(replace(event, branch="feature/queue") for event in work))
        assert distil(h, dry_run=True).proposals and updates.updates(h) == []
        made = distil(h).proposals
        assert made and len(last(h).targets) == len(made)
        undo(h, last(h).id)
    assert not list((home / "proposals").glob("*.md"))


@pytest.mark.parametrize("renamed", [False, True])
def test_forgetting_leaves_no_byte_in_the_history(pruned, workspace, home, renamed) -> None:
    """What was pruned, came back, was renamed and is then forgotten is nowhere in updates/ and cannot be undone."""
    [id] = pruned("apples")
    with workspace() as h:
        undo(h, id)
        if renamed:
            remember(h, "Sweet fruit.", key="sweet", scope="project")
            move.apply(h, move.plan(h, "apples", new_key="fruit")[0])
        assert "What apples says." in records(home)
        forget_memory(h, "fruit" if renamed else "apples")
        assert "What apples says." not in records(home)
        assert last(h).command == "forget"
        for one in updates.updates(h):
            with pytest.raises((Refused, Conflict)):
                updates.plan_undo(h, [one.update.id])


def test_forgetting_finds_a_moved_memory_whose_words_changed(workspace, home) -> None:
    """Bytes under an earlier key go too, though a corrected link made the statement another one."""
    with workspace() as h:
        remember(h, "Plums.", key="plums", scope="global")
        remember(h, "Unheard of: see [[plums]].", key="first", scope="global")
        move.apply(h, move.plan(h, "first", new_key="second")[0])
        move.apply(h, move.plan(h, "plums", new_key="prunes")[0])
        assert show(h, "second").body == "Unheard of: see [[prunes]]."
        assert sum("Unheard of" in path.read_text() for path in (home / "updates").glob("*/*.json")) == 2
        forget_memory(h, "second")
    assert "Unheard of" not in records(home)


def test_forgetting_leaves_what_others_said(pruned, workspace) -> None:
    """Of an act that touched several files, only the bytes of the forgotten one go."""
    ids = pruned("apples", "pears")
    with workspace() as h:
        undo(h, *ids)
        forget_memory(h, "apples")
        texts = [one.text for update in Updates(h.home).all()[0] for one in update.files if one.text]
        assert texts and all("What pears says." in text for text in texts)


def test_what_was_forgotten_otherwise_does_not_come_back(pruned, workspace, home) -> None:
    """A tombstone stops an undo even where the bytes are still kept."""
    [id] = pruned("apples")
    with workspace() as h:
        remember(h, "What apples says.", key="copy", scope="project")
        h.store.remove(show(h, "copy").scope, "copy", forget=True)
        with pytest.raises(Forgotten, match="was forgotten since"):
            updates.plan_undo(h, [id])


def test_clearing_and_forgetting_are_noted_without_words(workspace, home) -> None:
    """A forgotten memory is told in the history by its scope alone: its key is made of its first words."""
    with workspace() as h:
        remember(h, "The vault code is seven.", key="k", scope="global", title="Vault")
        forget.apply(h, forget.plan_scope(h, "global")[0], command="clear")
        assert (last(h).command, last(h).targets) == ("clear", ("a memory of global",))
        with pytest.raises(Refused, match="no earlier contents") as problem:
            updates.plan_undo(h, [last(h).id])
        assert "final" in problem.value.hint
    assert "vault" not in records(home).lower()


def test_no_secret_gets_into_the_history(workspace, aged, home, write) -> None:
    """A file with a secret is pruned or healed without its bytes, and healing takes older copies out."""
    aged("token", f"The token is {TOKEN}.")
    with workspace() as h:
        prune.apply(h, prune.plan(h)[0])
        assert TOKEN not in records(home) and not updates.updates(h)[0].can_be_undone
        with pytest.raises(Refused, match="not kept"):
            updates.plan_undo(h, [last(h).id])
        # An older version, which did not know the secret, may have kept it.
        text = f"The token is {TOKEN}.\n".encode()
        update = replace(last(h), files=(replace(last(h).files[0], text=text.decode()),))
        Updates(h.home).add(update)
        write("global/memories/token.md", f"The token is {TOKEN}.\n")
        heal.apply(h, heal.plan(h))
    assert TOKEN not in records(home)


def test_the_files_of_an_agent_are_named_and_not_copied(cli, machine, home) -> None:
    """An install and an uninstall are listed with their files; undoing one says which command does it."""
    settings = machine / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"env": {"SOME_WORD": "plain-but-private"}}\n')
    assert cli("install", "claude-code", "--yes").code == 0
    [listed] = cli("updates", "--json").json["updates"]
    assert listed["command"] == "install" and str(settings) in listed["targets"]
    assert "plain-but-private" not in records(home)
    ended = cli("updates", "undo", listed["id"], "--yes")
    assert ended.code == 6 and "holdfast uninstall" in ended.err
    assert cli("uninstall", "claude-code", "--yes").code == 0
    assert cli("updates", "--command", "uninstall", "--json").json["updates"][0]["files"] == []


def test_old_bytes_go_first_and_lines_stay(pruned, workspace, home) -> None:
    """Over the budget the oldest texts go; their lines and records stay, and they cannot be undone any more."""
    ids = pruned(*(f"fruit-{number:02}" for number in range(20)))
    with workspace(flags={"updates.keep_bytes": "500"}) as h:
        audit.trim(h)
        listed = updates.updates(h)
        kept = [one.update.id for one in listed if one.can_be_undone]
        assert kept and kept == ids[: len(kept)] and len(listed) == 20
        assert sum(len(one.text) for each in listed for one in each.update.files if one.text) <= 500
    [page] = (home / "updates").glob("*.md")
    assert len(page.read_text().splitlines()) == 20


def test_nothing_is_kept_without_a_budget(workspace, aged, home) -> None:
    """With a budget of nought the act is noted, and its bytes are not."""
    aged("apples")
    with workspace(flags={"updates.keep_bytes": "0"}) as h:
        prune.apply(h, prune.plan(h)[0])
        assert not updates.updates(h)[0].can_be_undone
    assert "Apples" not in records(home)


def test_a_note_without_bytes_is_only_listed(workspace, write) -> None:
    """An act that was noted without what files were before it cannot be undone, and says what can be done instead."""
    write("global/memories/k.md", "New words.\n")
    with workspace() as h:
        audit.note(h, "lesson", "global/k", "it stands")
        with pytest.raises(Refused) as problem:
            updates.plan_undo(h, [last(h).id])
    assert "holdfast forget KEY" in problem.value.hint


@pytest.mark.parametrize("path", ["config.toml", "memory/../config.toml", "state/x", "/etc/hosts"])
def test_a_record_cannot_lead_elsewhere(pruned, workspace, home, path) -> None:
    """A record that somebody changed by hand puts back nothing outside of what is ours."""
    [id] = pruned("apples")
    [record] = (home / "updates").glob("*/*.json")
    plain = json.loads(record.read_text())
    plain["files"][0].update(path=path, after="")
    record.write_text(json.dumps(plain))
    with workspace() as h, pytest.raises(Refused):
        updates.plan_undo(h, [id])


def test_a_changed_record_is_noticed(pruned, workspace, home) -> None:
    """Bytes that are not those that were kept are not put back, and a broken record hides no other."""
    first, second = pruned("apples", "pears")
    [record] = (home / "updates").glob(f"*/{first}.json")
    record.write_text(record.read_text().replace("What pears says.", "Other words."))
    (record.parent / "broken.json").write_text("{")
    with workspace() as h:
        with pytest.raises(Conflict, match="record of"):
            updates.plan_undo(h, [first])
        assert {one.update.id for one in updates.updates(h)} == {first, second}
    assert any("cannot be read as an update" in text for text in workspace.said)


def test_ids_may_be_cut_short(pruned, workspace) -> None:
    """The beginning of an id is enough where it is the only one; none or several are refused."""
    first, second = pruned("apples", "pears")
    with workspace() as h:
        short = first[:7] if first[:7] != second[:7] else first
        assert updates.show(h, short)[0].update.id == first
        for wrong in ("", "zz"):
            with pytest.raises(NotFound):
                updates.show(h, wrong)
        twin = replace(last(h), id=first[:7] + ("0" if first[7] != "0" else "1"))
        Updates(h.home).add(twin)
        with pytest.raises(BadInput, match="several"):
            updates.show(h, first[:7])


def test_the_diff_and_the_dry_run(pruned, cli, home, tree) -> None:
    """`show` is a diff of what went, `undo --dry-run` one of what would come, and neither changes anything."""
    [id] = pruned("apples")
    before = tree(home)
    shown = cli("updates", "show", id)
    assert "-What apples says." in shown.out and "+++ /dev/null" in shown.out
    planned = cli("updates", "undo", id, "--dry-run")
    assert "+What apples says." in planned.out and "--- /dev/null" in planned.out and planned.code == 0
    assert cli("updates", "undo", id).code == 6
    assert tree(home) == before
    done = cli("updates", "undo", id, "--yes", "--json").json
    assert done["applied"] and done["undoes"] == [id] and done["changes"][0]["act"] == "create"
    assert "undone by" in cli("updates").out
    shown = cli("updates", "show", id)
    assert "changed since" in shown.out


def test_an_act_that_stops_half_way_can_be_undone(workspace, home) -> None:
    """What an act did before it failed is recorded as such, and the error goes on."""
    with workspace() as h:
        memory = remember(h, "Apples are red.", key="apples", scope="global").memory
        with pytest.raises(RuntimeError), audit.Act(h, "tidy"):
            h.store.remove(memory.scope, memory.key, forget=False)
            raise RuntimeError("no more")
        assert last(h).reason == "it stopped half-way"
        undo(h, last(h).id)
        assert show(h, "apples").body == "Apples are red."
        with audit.Act(h, "tidy"):
            pass
        assert last(h).command == "updates undo"


def test_an_approval_is_taken_back(workspace) -> None:
    """Undoing it removes the memory and lets the proposal wait again."""
    scope = Scope("global")
    id = id_of(scope, "Kim likes tea.")
    with workspace() as h:
        Proposals(h.home).put(Proposal(id, "Kim likes tea.", scope, title="Tea"))
        [decision] = proposals.approve(h, (id,))
        assert show(h, decision.key).body == "Kim likes tea."
        undo(h, last(h).id)
        assert Proposals(h.home).ids() == [id]
        with pytest.raises(NotFound):
            show(h, decision.key)
