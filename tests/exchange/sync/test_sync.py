"""`holdfast sync` over real git: what travels, what merges, and what a remote may do to a home."""

from __future__ import annotations

import base64
import os
import pathlib
import shutil
import subprocess
import time

import pytest

from exchange.sync.machines import Machine, settle
from holdfast.app import erase, forget, sync
from holdfast.app.erase_target import of_texts, scrub_of
from holdfast.continuity import decisions
from holdfast.errors import BadInput, BrokenFile, Conflict, NeedsConsent, NotFound, Refused
from holdfast.exchange.sync import connection, depot
from holdfast.exchange.sync.depot import Unreachable
from holdfast.exchange.sync.memories import statements
from holdfast.journal import notices
from holdfast.memory import proposals
from holdfast.memory.config import change
from holdfast.memory.proposal_files import Proposals
from holdfast.memory.remember import remember
from holdfast.records import Filter
from holdfast.session_records import Session
from holdfast.sessions.archive import Archive
from sessions.making import digested, human


@pytest.fixture
def remote(tmp_path):
    """A folder on a stick."""
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


@pytest.fixture
def laptop(tmp_path, remote):
    """A machine that is connected."""
    return Machine(tmp_path / "laptop", remote).join()


@pytest.fixture
def desktop(tmp_path, remote):
    """Another one."""
    return Machine(tmp_path / "desktop", remote).join()


def git(folder, *words: str) -> str:
    """Run git itself."""
    said = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    return said.stdout.strip()


def bare(remote):
    """Return the repository that sync made in the folder."""
    return remote / "holdfast.git"


def hook(remote, name: str, code: str) -> None:
    """Give the remote a hook."""
    path = bare(remote) / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{code}\n")
    path.chmod(0o755)


@pytest.fixture
def host(monkeypatch, tmp_path):
    """A host that is reached by ssh, whose hooks run there: here a program in the place of ssh runs them."""
    program = tmp_path / "ssh"
    program.write_text('#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(program))
    monkeypatch.setenv("GIT_SSH_VARIANT", "ssh")
    return "git@host.example"


def told(machine: Machine) -> list[str]:
    """Return what the person is to be told."""
    return [one.text for one in notices.unseen(str(machine.home))]


def test_a_memory_reaches_the_other_machine_with_its_history(laptop, desktop):
    """A statement, what it said before and its tags arrive, and recall finds it there."""
    laptop.remember("Deploys go through the bastion.", key="deploys")
    laptop.remember("Deploys need the VPN.", key="deploys")
    settle(laptop, desktop)
    arrived = desktop.memories()["deploys"]
    assert arrived.body == "Deploys need the VPN."
    assert [one.text for one in arrived.history] == ["Deploys go through the bastion."]


def test_what_git_needs_here_is_for_nobody_else(laptop):
    """Files 0600 and folders 0700, whatever the umask is."""
    laptop.remember("Deploys need the VPN.")
    laptop.sync()
    here = [path for path in (laptop.home / "sync").rglob("*") if path.lstat().st_mode & 0o077]
    assert here == []


def test_a_folder_that_is_not_there_is_named_and_not_made(tmp_path):
    """A stick that is not in, or a typing error: the person is told how to make the folder, and no remote is noted."""
    machine = Machine(tmp_path / "laptop", tmp_path / "stikc")
    with pytest.raises(NotFound, match=r"there is no folder .*stikc") as told:
        machine.join()
    assert "mkdir -p" in told.value.hint
    assert not (tmp_path / "stikc").exists()
    with pytest.raises(NotFound, match="no remote"):
        machine.sync()


def test_a_sync_with_nothing_new_says_so_and_changes_nothing(laptop, remote):
    """The second sync sends and receives nothing, and the branch stays where it is."""
    laptop.remember("Deploys need the VPN.")
    laptop.sync()
    before = git(bare(remote), "rev-parse", "holdfast")
    done = laptop.sync()
    assert (done.sent, done.received, done.removed) == ([], [], [])
    assert git(bare(remote), "rev-parse", "holdfast") == before


def test_two_facts_that_begin_alike_become_two_memories(laptop, desktop):
    """What two machines stored under one key that was made of the words is kept under two."""
    laptop.remember("The branch naming rule in the billing service is kebab.")
    desktop.remember("The branch naming rule in the checkout service is snake.")
    settle(laptop, desktop)
    said = {one.body for one in laptop.memories().values()}
    assert said == {
        "The branch naming rule in the billing service is kebab.",
        "The branch naming rule in the checkout service is snake.",
    }


def test_two_decisions_that_begin_alike_are_two_on_every_machine(laptop, desktop):
    """A decision's key is made of its number and its words, so it names two decisions no more than words alone do."""
    laptop.decide("Use Postgres for the nightly job of the shop.")
    desktop.decide("Use Postgres for the nightly job of the warehouse.")
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        known = [(one.key[:3], one.body, one.history) for one in machine.memories().values()]
        assert sorted(known) == [
            ("d1-", "Use Postgres for the nightly job of the shop.", ()),
            ("d1-", "Use Postgres for the nightly job of the warehouse.", ()),
        ]


def test_a_page_that_comes_with_its_decisions_has_one_table_and_what_was_replaced_is_struck(laptop, desktop):
    """On the second machine the page reads as on the first."""
    laptop.decide("We keep the ledger by hand.")
    laptop.act(decisions.add, "We keep the ledger in the shop.", replaces="D1")
    laptop.decide("Deploys wait for Lena.")
    settle(laptop, desktop)
    first, second = (machine.page("decisions.md").read_text() for machine in (laptop, desktop))
    assert first == second
    assert first.count("| Decision |") == 1
    assert "| ~~We keep the ledger by hand.~~ (replaced by D2 " in first


def test_a_row_that_gets_another_decision_has_its_day(laptop, desktop):
    """A number goes to the earlier one of two machines' decisions, and its row tells when that was made."""
    laptop.ahead = 400 * 86_400
    laptop.decide("We keep the ledger by hand.")
    desktop.decide("Deploys wait for Lena.")
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        days = {one.body: one.created[:10] for one in machine.memories().values()}
        rows = [line.split(" | ") for line in machine.page("decisions.md").read_text().splitlines() if " | 20" in line]
        assert {said: day for _, day, said, *_ in rows} == days


def test_two_statements_under_a_given_key_become_a_proposal_with_both_kept(laptop, desktop):
    """The published one stands, the other is its history on every machine, and a person is asked."""
    laptop.remember("We indent with tabs.", key="style")
    settle(laptop, desktop)
    laptop.remember("We indent with tabs of eight.", key="style")
    desktop.remember("We indent with spaces.", key="style")
    laptop.sync()
    done = desktop.sync()
    assert done.conflicts == ["project:shop/style"]
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        stands = machine.memories()["style"]
        assert stands.body == "We indent with tabs of eight."
        assert "We indent with spaces." in [one.text for one in stands.history]
    (waiting,) = Proposals(str(desktop.home)).all()[0]
    assert (waiting.text, waiting.replaces) == ("We indent with spaces.", "style")


def test_the_person_decides_a_disagreement_for_the_other_side(laptop, desktop):
    """Approving puts it in the place of what stands, with that as its history, on every machine."""
    laptop.remember("The database is Postgres 14.", key="db")
    settle(laptop, desktop)
    laptop.remember("The database is Postgres 16.", key="db")
    desktop.remember("The database is MariaDB.", key="db")
    laptop.sync()
    desktop.sync()
    (waiting,) = Proposals(str(desktop.home)).all()[0]
    (decided,) = desktop.act(proposals.approve, (waiting.id,))
    assert (decided.act, decided.key, decided.why) == ("approved", "db", "")
    assert not Proposals(str(desktop.home)).ids()
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        stands = machine.memories()["db"]
        assert stands.body == "The database is MariaDB."
        assert "The database is Postgres 16." in [one.text for one in stands.history]


def test_what_the_person_said_stands_over_what_an_agent_said(laptop, desktop):
    """Also where the agent's was published first; it says whose it is."""
    laptop.act(remember, "The language is Go.", key="language", scope="global", trust="agent")
    laptop.sync()
    desktop.remember("The language is Rust.", key="language", scope="global")
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert (machine.memories()["language"].body, machine.memories()["language"].trust) == (
            *("The language is Rust.", "user"),
        )


def test_a_memory_without_dates_keeps_its_history_apart(laptop, desktop):
    """What gave way is history with a time, and is read back as such."""
    laptop.remember("x", key="other")
    laptop.path("host").write_text("---\nkey: host\n---\n\n# Host\n\nThe host is a.\n")
    settle(laptop, desktop)
    for machine, name in ((laptop, "b"), (desktop, "c")):
        path = machine.path("host")
        path.write_text(path.read_text().replace("host is a", f"host is {name}"))
    settle(laptop, desktop)
    stands = desktop.memories()["host"]
    assert (stands.body, [one.text for one in stands.history]) == ("The host is b.", ["The host is c."])


def test_a_file_in_the_place_of_a_folder_keeps_nothing_else_from_coming(laptop, desktop):
    """It is told, everything else comes, and the remote keeps its file."""
    laptop.remember("We indent with tabs.", key="style")
    (laptop.path("style").parent / "notes").mkdir()
    (laptop.path("style").parent / "notes" / "deep.md").write_text("Deep.\n")
    laptop.sync()
    desktop.remember("x", key="other")
    (desktop.path("other").parent / "notes").write_text("in the way")
    done = desktop.sync()
    assert done.not_put == ["memory/projects/shop/memories/notes/deep.md"]
    assert "style" in desktop.memories()
    laptop.sync()
    assert (laptop.path("style").parent / "notes" / "deep.md").exists()


def test_a_to_do_ticked_elsewhere_stays_ticked_where_a_first_sync_was_killed(laptop, desktop):
    """The open box that a killed sync left here is the box that was ticked there, although its day was added."""
    laptop.add_todo("renew the certificate")
    laptop.sync()
    desktop.sync()
    shutil.rmtree(desktop.home / "sync" / "agreed")
    (desktop.home / "sync" / "agreed.json").unlink()
    laptop.tick("renew the certificate")
    settle(laptop, desktop)
    assert laptop.todos() == desktop.todos() == {"renew the certificate": True}
    assert laptop.page("todo.md").read_text().count("renew") == 1


def test_a_setting_that_is_not_valid_here_stops_nothing(laptop, desktop):
    """It is passed over; memories travel on."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.act(change, "recall.limit", "7")
    laptop.sync()
    work = laptop.folder / "work"
    git(laptop.folder, "clone", "-q", "-b", "holdfast", str(bare(laptop.remote)), str(work))
    (work / "settings.toml").write_text('"inject.prompt_characters" = 1\n"recall.limit" = 9\n')
    git(work, "add", "-A")
    git(work, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "Memory\n\nGeneration: 99")
    git(work, "push", "-q", "origin", "holdfast")
    desktop.sync()
    assert "style" in desktop.memories()
    assert desktop.act(lambda workspace: workspace.settings["recall.limit"]) == 9


def test_a_wrong_clock_does_not_win(laptop, desktop):
    """A change that one machine made counts, though its clock says that it is years old."""
    laptop.remember("We indent with tabs.", key="style")
    settle(laptop, desktop)
    path = desktop.path("style")
    text = path.read_text().replace("with tabs", "with spaces")
    path.write_text("\n".join("updated: 1999-01-01T00:00:00Z" if "updated:" in x else x for x in text.split("\n")))
    settle(desktop, laptop)
    assert laptop.memories()["style"].body == "We indent with spaces."


def test_a_forget_wins_over_an_edit_and_is_told(laptop, desktop):
    """What one machine forgot goes on the other, with the words that it had changed meanwhile."""
    laptop.remember("The launch code name is bluebird.", key="bluebird-launch")
    settle(laptop, desktop)
    desktop.remember("The launch code name is kingfisher.", key="bluebird-launch")
    laptop.forget("bluebird-launch")
    laptop.sync()
    assert desktop.sync().forgotten == ["project:shop/bluebird-launch"]
    settle(laptop, desktop)
    assert desktop.memories() == laptop.memories() == {}
    (notice,) = notices.unseen(str(desktop.home))
    assert notice.names == ("project:shop/bluebird-launch",)
    assert told(laptop) == []
    # Once the person was told, not even its name is left.
    notices.settle(str(desktop.home), [notice])
    for data in (path.read_bytes() for path in desktop.home.rglob("*") if path.is_file()):
        assert b"kingfisher" not in data
        assert b"bluebird" not in data


def tag(machine: Machine) -> None:
    """Say the same again, with a tag."""
    machine.act(remember, "Builds take ten minutes.", key="builds", scope="project", tags=("ci",))


@pytest.mark.parametrize("change", [tag, lambda machine: machine.rename("builds", "build-time")])
def test_a_forget_that_takes_away_a_newer_tag_or_move_is_told_by_name(change, laptop, desktop):
    """Whatever a person did here since the last sync and loses, they are told of."""
    laptop.remember("Builds take ten minutes.", key="builds")
    settle(laptop, desktop)
    change(desktop)
    (key,) = desktop.memories()
    laptop.forget("builds")
    laptop.sync()
    assert desktop.sync().forgotten == [f"project:shop/{key}"]
    assert [one.names for one in notices.unseen(str(desktop.home))] == [(f"project:shop/{key}",)]


def test_a_forget_of_what_nobody_changed_here_is_told_to_nobody(laptop, desktop):
    """It goes, and that is what the person asked for."""
    laptop.remember("Builds take ten minutes.", key="builds")
    settle(laptop, desktop)
    laptop.forget("builds")
    laptop.sync()
    done = desktop.sync()
    assert (done.removed, done.forgotten, told(desktop)) == (["project:shop/builds"], [], [])


def test_who_forgot_a_memory_that_another_machine_had_changed_is_told_without_its_name(laptop, desktop):
    """Its name is kept nowhere; the other person is told by name."""
    laptop.remember("The logo is blue.")
    settle(laptop, desktop)
    path = desktop.path("the-logo-is-blue")
    path.write_text(path.read_text().replace("blue.", "green."))
    desktop.sync()
    laptop.forget("the-logo-is-blue")
    agreed = b"".join(one.read_bytes() for one in (laptop.home / "sync" / "agreed").rglob("*.md"))
    assert b"logo" not in agreed
    done = laptop.sync()
    assert (done.elsewhere, done.forgotten) == (1, [])
    assert [path.rpartition("/")[2] for path in desktop.sync().removed] == ["the-logo-is-blue.md"]
    settle(laptop, desktop)
    assert laptop.memories() == desktop.memories() == {}


def test_of_two_facts_that_were_joined_one_stays_on_every_machine(laptop, desktop, tmp_path, remote):
    """What was said of both since they were joined goes with the one that is forgotten, and takes no other along."""
    tablet = Machine(tmp_path / "tablet", remote).join()
    laptop.remember("The till runs on host h1.", key="database")
    laptop.sync()
    desktop.remember("The nightly job runs on host h3.", key="database")
    desktop.sync()
    laptop.forget("database")
    desktop.remember("The till runs on host h9.", key="database")
    desktop.sync()
    tablet.sync()
    laptop.sync()
    settle(desktop, tablet, laptop)
    every = [[text for memory in one.memories().values() for text in statements(memory)] for one in (laptop, tablet)]
    assert every == [["The nightly job runs on host h3."]] * 2


def test_a_fact_that_comes_under_the_key_of_a_forgotten_one_stays(laptop, desktop, tmp_path, remote):
    """A key may be made twice in the same second: who published the second fact had heard of the forget."""
    tablet = Machine(tmp_path / "tablet", remote).join()
    laptop.remember("The nightly job of the shop runs on host h1.")
    laptop.sync()
    tablet.sync()
    ((key, first),) = laptop.memories().items()
    desktop.remember("The nightly job of the shop runs on host h2.")
    path = desktop.path(key)
    path.write_text(path.read_text().replace(desktop.memories()[key].created, first.created))
    laptop.forget(key)
    laptop.sync()
    settle(desktop, tablet, laptop)
    assert [one.memories()[key].body for one in (laptop, desktop, tablet)] == [desktop.memories()[key].body] * 3


def test_what_was_approved_here_and_forgotten_elsewhere_is_asked_about(laptop, desktop):
    """Nothing that was forgotten comes back by itself; what the person said here since is not lost either."""
    laptop.remember("Deploys run at nine.", key="window")
    desktop.remember("Deploys run at ten.", key="window")
    laptop.sync()
    desktop.sync()
    settle(laptop, desktop)
    laptop.forget("window")
    laptop.sync()
    (waits,) = Proposals(str(desktop.home)).all()[0]
    desktop.act(proposals.approve, (waits.id,))
    done = desktop.sync()
    assert (done.asked, done.forgotten) == (["project:shop/window"], ["project:shop/window"])
    settle(laptop, desktop)
    assert laptop.memories() == desktop.memories() == {}
    (asked,) = Proposals(str(desktop.home)).all()[0]
    assert (asked.kind, asked.text) == ("again", "Deploys run at ten.")
    assert desktop.act(proposals.approve, (asked.id,))[0].key == "window"
    settle(laptop, desktop)
    assert laptop.memories()["window"].body == "Deploys run at ten."
    assert Proposals(str(desktop.home)).all()[0] == []


def test_a_memory_that_two_machines_moved_and_a_third_edited_is_one(laptop, desktop, tmp_path, remote):
    """The place that was published first holds, with the edit, and who moved it elsewhere is told."""
    third = Machine(tmp_path / "third", remote).join()
    laptop.remember("The door is red.", key="door")
    settle(laptop, desktop, third)
    laptop.rename("door", "front-door")
    desktop.rename("door", "main-door")
    third.remember("The door is green.", key="door")
    laptop.sync()
    assert desktop.sync().gave_way == ["the move to project:shop/main-door: it is project:shop/front-door"]
    assert any("gave way" in one for one in told(desktop))
    settle(laptop, desktop, third)
    for machine in (laptop, desktop, third):
        (one,) = machine.memories().values()
        assert (one.key, one.body) == ("front-door", "The door is green.")


def test_a_setting_and_a_field_that_gave_way_are_told(laptop, desktop):
    """Both machines set the same to something else: the published one holds, and the other person hears of it."""
    laptop.remember("Use the staging cluster.", key="cluster")
    settle(laptop, desktop)
    for machine, size, when in ((laptop, "5", "git *"), (desktop, "7", "make *")):
        machine.act(change, "recall.limit", size)
        path = machine.path("cluster")
        path.write_text(path.read_text().replace("\n---\n", f'\nwhen: "{when}"\n---\n', 1))
    laptop.sync()
    assert desktop.sync().gave_way == ["when of project:shop/cluster", "the setting recall.limit"]
    (notice,) = notices.unseen(str(desktop.home))
    assert notice.names == ("when of project:shop/cluster", "the setting recall.limit")


def test_the_time_of_a_change_goes_with_the_words_that_stand(laptop, desktop):
    """An edit by hand says an old time; that of the other machine's words would date it wrongly."""
    laptop.remember("The port is 1000.", key="port")
    settle(laptop, desktop)
    made = laptop.memories()["port"].updated
    path = laptop.path("port")
    path.write_text(path.read_text().replace("1000", "6543"))
    desktop.ahead = 3_600
    desktop.remember("The port is 7777.", key="port")
    laptop.sync()
    desktop.sync()
    stands = desktop.memories()["port"]
    assert (stands.body, stands.updated) == ("The port is 6543.", made)
    assert stands.history[0].text == "The port is 7777."


@pytest.mark.parametrize("is_told_elsewhere", [False, True])
def test_a_statement_that_waits_for_a_decision_and_goes_with_a_forget_is_told(
    laptop, desktop, tmp_path, remote, is_told_elsewhere
):
    """Another machine forgot what stands under a key before it heard what this one made of it."""
    laptop.remember("The lamp is off.", key="light")
    settle(laptop, desktop)
    laptop.remember("The lamp is yellow.", key="light")
    desktop.remember("The harbour closes at nine.", key="light")
    desktop.sync()
    assert laptop.sync().conflicts == ["project:shop/light"]
    third = Machine(tmp_path / "third", remote).join()
    third.sync()
    desktop.forget("light")
    desktop.sync()
    if is_told_elsewhere:
        assert third.sync().forgotten == ["project:shop/light"]
    assert laptop.sync().forgotten == ["project:shop/light"]
    assert any("stays forgotten" in one for one in told(laptop))
    assert told(desktop) == []


@pytest.mark.parametrize("is_edited", [False, True])
def test_what_another_machine_said_by_itself_under_a_key_outlives_a_forget_that_had_not_heard_of_it(
    laptop, desktop, tmp_path, remote, is_edited
):
    """One forgets its own statement; the other's stays, and nothing is left of the first one or of edits of both."""
    laptop.remember("The lamp is yellow.", key="light")
    desktop.remember("The harbour closes at nine.", key="light")
    third = Machine(tmp_path / "third", remote).join()
    desktop.sync()
    laptop.sync()
    third.sync()
    if is_edited:
        third.remember("The lamp is green and the harbour never closes.", key="light")
        third.sync()
    desktop.forget("light")
    assert desktop.sync(dry_run=True).left == ["project:shop/light"]
    assert desktop.sync().left == ["project:shop/light"]
    assert any("by itself stays" in one for one in told(desktop))
    done = third.sync()
    assert (done.left, done.forgotten) == (["project:shop/light"], ["project:shop/light"] if is_edited else [])
    settle(laptop, desktop, third)
    for machine in (laptop, desktop, third):
        (stands,) = machine.memories().values()
        assert (stands.key, stands.body, stands.history) == ("light", "The lamp is yellow.", ())
        assert "joined" not in machine.path("light").read_text()
        for data in (path.read_bytes() for path in machine.home.rglob("*") if path.is_file()):
            assert b"harbour" not in data
    third.forget("light")
    settle(laptop, desktop, third)
    assert laptop.memories() == desktop.memories() == {}


def test_what_stays_of_a_joined_memory_has_the_trust_of_who_said_it(laptop, desktop):
    """An agent's statement does not become the person's because theirs was forgotten."""
    laptop.remember("The lamp is yellow.", key="light")
    desktop.act(remember, "The harbour closes at nine.", key="light", scope="project", trust="agent")
    laptop.sync()
    desktop.sync()
    laptop.forget("light")
    settle(laptop, desktop)
    (stands,) = laptop.memories().values()
    assert (stands.body, stands.trust) == ("The harbour closes at nine.", "agent")


def kill_while_it_buries(machine: Machine, monkeypatch) -> None:
    """Kill a sync when it has the tombstones of another machine, and has forgotten nothing yet."""

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(sync, "forget_memories", killed)
        machine.sync()


@pytest.mark.parametrize("is_new", [False, True])
def test_a_forget_that_another_machine_was_killed_over_is_done_by_its_next_sync(
    laptop, desktop, monkeypatch, tmp_path, remote, is_new
):
    """It had the tombstones already, and says something else there; or it had the memory from a bundle, and joins."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    laptop.hand_out(tmp_path / "bundle")
    other = Machine(tmp_path / "other", remote).join() if is_new else desktop
    if is_new:
        other.take_in(tmp_path / "bundle")
    other.remember("The launch code name is kingfisher.", key="code-name")
    laptop.forget("code-name")
    laptop.sync()
    kill_while_it_buries(other, monkeypatch)
    settle(laptop, desktop, other)
    assert desktop.memories() == laptop.memories() == other.memories() == {}


def test_what_the_person_stored_again_since_a_sync_was_killed_stays(laptop, desktop, monkeypatch):
    """It lifts the tombstone that this machine has."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    laptop.forget("code-name")
    laptop.sync()
    kill_while_it_buries(desktop, monkeypatch)
    desktop.remember("The launch code name is bluebird.", key="launch")
    settle(laptop, desktop)
    assert [one.key for one in laptop.memories().values()] == ["launch"]


def test_a_fact_that_came_under_the_key_of_a_moved_one_outlives_its_forget(laptop, desktop):
    """What one machine forgot goes where the other moved it to; a new fact under the old key stays."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    desktop.rename("code-name", "old-name")
    desktop.remember("The rocket has three stages.", key="code-name")
    laptop.forget("code-name")
    settle(laptop, desktop)
    assert [one.body for one in desktop.memories().values()] == ["The rocket has three stages."]
    assert desktop.memories() == laptop.memories()


def test_what_was_moved_and_forgotten_elsewhere_goes_from_where_it_is_here(laptop, desktop):
    """The other machine put the file back under its new key, and says something else there."""
    laptop.remember("Deploys need the VPN.", key="deploys")
    settle(laptop, desktop)
    desktop.rename("deploys", "shipping")
    desktop.remember("Deploys need a token.", key="shipping")
    text = desktop.path("shipping").read_text()
    desktop.forget("shipping")
    desktop.path("shipping").write_text(text.replace("need a token", "wait for Kim"))
    desktop.sync()
    laptop.sync()
    settle(laptop, desktop)
    assert laptop.memories() == desktop.memories()
    assert "deploys" not in laptop.memories()


def test_a_forget_that_was_killed_is_finished_before_anything_leaves(laptop, desktop):
    """What somebody began to forget neither goes out nor stays in a note of this machine."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    noted = laptop.home / "state" / "erasing.json"
    for step in range(2, 400, 2):
        if laptop.killed_at(step, laptop.forget, "code-name") and noted.exists():
            break
    assert b"bluebird" in noted.read_bytes()
    settle(laptop, desktop)
    assert desktop.memories() == laptop.memories() == {}
    for data in (path.read_bytes() for path in laptop.home.rglob("*") if path.is_file()):
        assert b"bluebird" not in data


def test_a_forget_that_was_killed_leaves_no_row_of_it_on_a_page(laptop, desktop):
    """Its file was gone when it was killed, and the index was not told."""
    laptop.decide("Kim Wilson keeps the ledger until the audit is over.")
    key = next(iter(laptop.memories()))
    for step in range(2, 400):
        if laptop.killed_at(step, laptop.forget, key) and not laptop.path(key).exists():
            break
    laptop.sync()
    assert laptop.rows() == []


def test_what_was_forgotten_is_not_in_the_history_of_the_branch(laptop, desktop, remote):
    """The branch begins anew, so that nobody who clones it has the words."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    laptop.forget("code-name")
    laptop.sync()
    git(bare(remote), "reflog", "expire", "--expire=now", "--all")
    git(bare(remote), "gc", "--prune=now", "--quiet")
    objects = git(bare(remote), "cat-file", "--batch-check", "--batch-all-objects").splitlines()
    blobs = [line.split()[0] for line in objects if " blob " in line]
    assert not [one for one in blobs if "bluebird" in git(bare(remote), "cat-file", "-p", one)]


def every_object(machine: Machine) -> bytes:
    """Return all that git has in a home."""
    return b"".join(depot.Depot(str(machine.home)).every_object())


def killed_after_its_look(machine: Machine) -> None:
    """Sync, and be killed when git has something and before the two agree on it."""
    steps = iter(range(1, 150))
    while not every_object(machine):
        assert machine.killed_at(next(steps), machine.sync)
    assert not (machine.home / "sync" / "agreed.json").exists()


@pytest.mark.parametrize("look", [Machine.join, lambda machine: machine.sync(dry_run=True), killed_after_its_look])
def test_what_was_forgotten_since_a_look_before_the_first_sync_is_in_no_object_of_git(look, laptop, desktop):
    """To look at the remote brings its objects here, also where nothing was agreed on with it yet."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    laptop.sync()
    if look == Machine.join:
        desktop.act(connection.leave)
    look(desktop)
    assert b"bluebird" in every_object(desktop)
    laptop.forget("code-name")
    settle(laptop, desktop)
    assert b"bluebird" not in every_object(desktop)


@pytest.mark.parametrize("kept", ["core.logAllRefUpdates=always", "gc.bigPackThreshold=1"])
def test_no_setting_of_the_persons_git_keeps_what_was_forgotten(kept, laptop, desktop, monkeypatch, tmp_path):
    """Whether git logs where each branch was, and spares large packs, is decided for their own repositories alone."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    for setting in (kept, "fetch.unpackLimit=1"):
        git(tmp_path, "config", "--global", *setting.split("="))
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    laptop.forget("code-name")
    settle(laptop, desktop)
    assert b"bluebird" not in every_object(laptop) + every_object(desktop)


def test_the_remote_of_a_project_is_no_place_for_a_persons_memories(tmp_path):
    """Whoever works on the project reads it."""
    git(tmp_path, "init", "-q", "--bare", "shop.git")
    machine = Machine(tmp_path / "laptop", tmp_path)
    git(machine.folder, "init", "-q")
    git(machine.folder, "remote", "add", "origin", str(tmp_path / "shop.git"))
    with pytest.raises(Refused, match="readers are not you alone"):
        machine.act(connection.init, str(tmp_path / "shop.git"))
    assert not (machine.home / "sync").exists()


@pytest.mark.parametrize(
    "setting",
    [
        *("push.gpgSign=true", "push.pushOption=ci.skip", "commit.gpgSign=true", "core.autocrlf=true"),
        *("init.defaultObjectFormat=sha256", "safe.bareRepository=explicit", "push.default=nothing"),
    ],
)
def test_no_setting_of_the_persons_git_stops_a_sync(setting, tmp_path, remote, monkeypatch):
    """What they want for their own repositories may be more than the remote can do."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    git(tmp_path, "config", "--global", *setting.split("="))
    laptop, desktop = (Machine(tmp_path / name, remote).join() for name in ("laptop", "desktop"))
    laptop.remember("Deploys go through the bastion host.")
    settle(laptop, desktop)
    assert [one.body for one in desktop.memories().values()] == ["Deploys go through the bastion host."]


def test_the_ssh_of_the_persons_git_settings_is_used_and_asks_for_nothing(host, remote, tmp_path, monkeypatch):
    """A key that only `core.sshCommand` names is among the person's own credentials."""
    said = tmp_path / "said"
    program = tmp_path / "own-ssh"
    program.write_text(f'#!/bin/sh\necho "$@" >> {said}\nexec {os.environ["GIT_SSH_COMMAND"]} "$@"\n')
    program.chmod(0o755)
    monkeypatch.delenv("GIT_SSH_COMMAND")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    git(tmp_path, "config", "--global", "core.sshCommand", f"{program} -i key")
    machine = at_host(tmp_path, host, remote)
    machine.remember("Deploys go through the bastion host.")
    assert machine.sync().sent
    assert "-i key -oBatchMode=yes" in said.read_text()


def test_a_text_that_is_erased_goes_from_the_branch_and_comes_back_from_nowhere(laptop, desktop, remote):
    """A line on a page that was erased on one machine is gone on the other, and from the branch's history."""
    page = laptop.page("MEMORY.md")
    page.parent.mkdir(parents=True)
    page.write_text("# Memory of this project\n\nAsk Kim about billing.\nThe code name is bluebird.\n")
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["The code name is bluebird."])))
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        assert "bluebird" not in machine.page("MEMORY.md").read_text()
    assert "bluebird" not in git(bare(remote), "log", "-p", "holdfast")


def test_an_erase_looks_into_what_git_keeps(laptop, desktop, remote):
    """What git keeps in the home is read by a look, is gone after an erase, and the report says what the remote has."""
    laptop.remember("Our motto is zanzibar quokka meets the violet fox.", key="motto")
    settle(laptop, desktop)
    found = []

    def look_and_erase(workspace):
        target = of_texts(workspace, ["zanzibar quokka meets the violet fox"])
        found.extend(one.path for one in scrub_of(workspace, target).look().places)
        return erase.erase(workspace, target)

    report, _ = laptop.act(look_and_erase)
    assert "sync/depot.git/objects" in found
    assert report.is_proven and not report.not_looked_into
    assert any("git gc --prune=now" in note for note in report.notes)


def test_what_was_erased_is_in_no_undo_of_a_page_that_showed_it(laptop, desktop):
    """The table of decisions told it when a row was adopted on the other machine."""
    laptop.decide("Kim Wilson keeps the ledger until the audit is over.")
    settle(laptop, desktop)
    page = desktop.page("decisions.md")
    end = "<!-- holdfast:end decisions -->"
    page.write_text(page.read_text().replace(end, f"| | | Deploys wait for Lena. | |\n{end}"))
    desktop.see()
    laptop.erase("Kim Wilson")
    settle(laptop, desktop)
    for path in (path for path in desktop.home.rglob("*") if path.is_file()):
        assert b"Kim Wilson" not in path.read_bytes(), path


def test_what_was_erased_is_in_no_undo_of_a_machine_that_had_undone_what_came(laptop, desktop):
    """There is no memory of it there any more, and it comes under another name."""
    laptop.remember("Kim Wilson keeps the ledger until the audit is over.")
    settle(laptop, desktop)
    assert desktop.undo(lambda every: every[0])
    laptop.erase("Kim Wilson")
    settle(laptop, desktop)
    for path in (path for path in desktop.home.rglob("*") if path.is_file()):
        assert b"Kim Wilson" not in path.read_bytes(), path


def test_what_was_erased_and_then_forgotten_is_in_no_undo_where_another_statement_has_its_name(laptop, desktop, remote):
    """The machine that never heard of the erase gets the other statement in place of the one it had."""
    text = "The invoices of the shop go to {} in room {}."
    laptop.remember(text.format("Kim Wilson", 2))
    settle(laptop, desktop)
    laptop.erase("Kim Wilson")
    laptop.forget("the-invoices-of-the-shop-go")
    tablet = Machine(laptop.folder.parent / "tablet", remote).join()
    tablet.remember(text.format("Kim Benson", 7))
    laptop.sync()
    tablet.sync()
    settle(desktop, laptop, tablet)
    for path in (path for path in desktop.home.rglob("*") if path.is_file()):
        assert b"Kim Wilson" not in path.read_bytes(), path


def test_what_was_moved_and_erased_is_in_no_undo_where_another_statement_has_its_old_name(laptop, desktop):
    """The other machine gets something else under that name, and keeps no copy of what stood there."""
    laptop.remember("Kim Wilson keeps the ledger of the shop.", key="ledger")
    settle(laptop, desktop)
    laptop.rename("ledger", "who-keeps-it")
    laptop.erase("Kim Wilson")
    laptop.remember("The ledger of the shop is a spreadsheet.", key="ledger")
    settle(laptop, desktop)
    for path in (path for path in desktop.home.rglob("*") if path.is_file()):
        assert b"Kim Wilson" not in path.read_bytes(), path


@pytest.mark.parametrize("gone", ["undone", "removed", "on a page"])
def test_what_another_machine_forgot_leaves_no_trace_where_there_is_no_memory_of_it_any_more(gone, laptop, desktop):
    """The history of changes and the index have it still, and an undo would bring it back."""
    told = "The launch code name is bluebird."
    laptop.remember(told, key="code-name")
    settle(laptop, desktop)
    if gone == "undone":
        assert desktop.undo(lambda every: every[0])
    elif gone == "removed":
        desktop.path("code-name").unlink()
        desktop.memories()
    else:
        page = laptop.page("MEMORY.md")
        for text in (f"# Ours\n\n{told}\nWe ship on Mondays.\n", "# Ours\n\nWe ship on Mondays.\n"):
            page.write_text(text)
            settle(laptop, desktop)
    laptop.forget("code-name")
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        for path in (path for path in machine.home.rglob("*") if path.is_file()):
            assert b"bluebird" not in path.read_bytes(), path


def test_a_name_that_told_an_erased_text_comes_back_from_nowhere(laptop, desktop, remote):
    """A memory whose key was made of an erased text has another one on both machines, also after the next syncs."""
    laptop.remember("Our motto is zanzibar quokka meets the violet fox.", key="motto-zanzibar-quokka-meets-the-violet")
    settle(laptop, desktop)
    text = "zanzibar quokka meets the violet fox"
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, [text])))
    settle(laptop, desktop)
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert len(machine.memories()) == 1
        assert "zanzibar" not in str(machine.memories())


def test_what_an_erase_left_of_a_text_stays_as_it_is(laptop, desktop, remote):
    """The branch has the text still, in any encoding, and a sync takes nothing of it for a change."""
    coded = base64.b64encode(b"see zanzibar quokka meets the violet fox ok").decode()
    laptop.remember(f"The hill {coded} is steep.", key="hill")
    settle(laptop, desktop)
    text = "zanzibar quokka meets the violet fox"
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, [text])))
    left = laptop.memories()
    settle(laptop, desktop)
    assert laptop.memories() == desktop.memories() == left


def test_the_title_of_a_statement_keeps_no_beginning_of_what_was_erased(laptop, desktop, remote):
    """Another machine's statement loses the words, and its title, in which they are cut, does too."""
    settle(laptop, desktop)
    text = "zanzibar quokka meets the violet fox"
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, [text])))
    desktop.remember(f"Never release the shop on a Friday without asking around about {text}.", key="friday")
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert "zanzibar" not in str(machine.memories())


def test_what_one_machine_erased_is_in_no_undo_and_no_index_of_another(laptop, desktop, remote):
    """The words go from what the other machine keeps to undo changes by, and from its index."""
    laptop.remember("Our motto is zanzibar quokka meets the violet fox.", key="motto")
    settle(laptop, desktop)
    laptop.remember("Our first motto is zanzibar quokka meets the violet fox.", key="motto")
    settle(laptop, desktop)
    desktop.remember("The motto is printed twice.", key="other")
    text = "zanzibar quokka meets the violet fox"
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, [text])))
    settle(laptop, desktop)
    held = [path for path in desktop.home.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]
    assert held == []
    assert len(desktop.memories()) == 2


def test_a_key_that_told_an_erased_text_and_names_another_statement_gets_another_key(laptop, desktop, remote):
    """What the other machine says under that key is not lost."""
    laptop.remember("Call Kim Doe about the pipes.", key="kim-doe")
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["Kim Doe"])))
    desktop.remember("The cat is fed at noon.", key="kim-doe")
    settle(desktop, laptop)
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        said = machine.memories()
        assert any("The cat is fed at noon." in str(one) for one in said.values()), said
    assert not any("kim-doe" in str(key) for key in laptop.memories())


def test_a_name_that_told_an_erased_word_leaves_one_memory_on_every_machine(laptop, desktop, remote):
    """A file has the name that the erase gave it everywhere, once, with what the other machine changed meanwhile."""
    laptop.remember("The cat is fed at noon.", key="quokka-house")
    laptop.remember("Ask for quokka at the desk.", key="quokka-desk")
    settle(laptop, desktop)
    path = desktop.path("quokka-house")
    path.write_text(path.read_text().replace("noon", "eight"))
    desktop.sync()
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["quokka"])))
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        assert sorted(machine.memories()) == ["erased-desk", "erased-house"]
        assert machine.memories()["erased-house"].body == "The cat is fed at eight."
        assert not machine.memories()["erased-desk"].holds
    held = [path for path in desktop.home.rglob("*") if path.is_file() and b"quokka" in path.read_bytes().lower()]
    assert held == []


def test_what_one_machine_erased_on_a_page_is_in_no_undo_and_no_object_of_git_of_another(laptop, desktop, remote):
    """Of a page, too, the other machine keeps no earlier text, and git there nothing that has the words."""
    page = laptop.page("MEMORY.md")
    page.parent.mkdir(parents=True)
    page.write_text("# Memory of this project\n\nAsk Kim about the bluebird.\n")
    settle(laptop, desktop)
    page.write_text("# Memory of this project\n\nAsk Kim about the bluebird.\nTwice.\n")
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["bluebird"])))
    settle(laptop, desktop)
    held = [path for path in desktop.home.rglob("*") if path.is_file() and b"bluebird" in path.read_bytes()]
    assert held == []
    assert b"bluebird" not in every_object(desktop)


def test_a_statement_of_another_machine_that_loses_erased_words_is_struck_through(laptop, desktop, remote):
    """No agent is told what is left of it, and it is not lost."""
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["bluebird"])))
    desktop.remember("The code name is bluebird.", key="code-name")
    desktop.remember("The bluebird sings at four.", key="bluebird")
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        known = machine.memories()
        assert len(known) == 2 and not any(one.holds for one in known.values())
        assert "bluebird" not in str(known)


def test_what_another_machine_publishes_again_of_an_erased_text_is_in_no_history(laptop, desktop, remote):
    """The branch begins anew each time that it had an erased text again, and no machine's git keeps that."""
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["bluebird"])))
    laptop.sync()
    desktop.remember("The code name is bluebird.", key="code-name")
    settle(desktop, laptop)
    assert "bluebird" not in git(bare(remote), "log", "-p", "holdfast")
    for machine in (laptop, desktop):
        assert b"bluebird" not in every_object(machine)


@pytest.mark.parametrize("act", ["rename", "forget"])
def test_an_erased_text_is_in_no_undo_of_a_memory_that_was_moved_or_forgotten_since(act, laptop, desktop, remote):
    """Also where the record has another path than the file, and where the file that lost words never came."""
    laptop.remember("Our motto is zanzibar quokka.", key="motto")
    settle(laptop, desktop)
    if act == "rename":
        desktop.rename("motto", "saying")
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["zanzibar quokka"])))
    if act == "forget":
        laptop.forget("motto")
    settle(laptop, desktop)
    held = [path for path in desktop.home.rglob("*") if path.is_file() and b"zanzibar" in path.read_bytes()]
    assert held == []


def test_a_memory_whose_name_was_erased_comes_once_where_a_forget_took_it_from_what_was_agreed_on(laptop, desktop):
    """A forget looks for names, too; what the erase named is followed all the same."""
    laptop.remember("The nightly job of the shop runs on host one.")
    laptop.remember("The nightly job of the shop runs on host quokka7.")
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["host quokka7"])))
    laptop.forget("the-nightly-job-of-the-shop")
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        assert sorted(machine.memories()) == ["the-nightly-job-of-the-shop-runs-on-erased"]


def test_a_memory_that_a_person_called_erased_travels_like_any_other(laptop, desktop, remote):
    """Which names an erase gave is noted, and not told by the word in a name."""
    laptop.remember("Rows are marked and not erased.", key="erased-rows")
    laptop.remember("The door is green, says Kim Doe.", key="door")
    settle(laptop, desktop)
    laptop.act(lambda workspace: erase.erase(workspace, of_texts(workspace, ["Kim Doe"])))
    desktop.page("memories/erased-rows.md").unlink()
    desktop.sync()
    settle(laptop, desktop)
    for machine in (laptop, desktop):
        assert len(machine.memories()) == 1


def test_what_git_keeps_is_read_piece_by_piece(laptop, desktop, remote, monkeypatch):
    """A large depot is never in memory as a whole."""
    for number in range(20):
        laptop.remember(f"Fact {number} of many, told at some length for a file of its own.", key=f"f{number}")
    laptop.sync()
    (whole,) = depot.Depot(str(laptop.home)).every_object()
    monkeypatch.setattr(depot, "_MAX_AT_ONCE", len(whole) // 10)
    pieces = list(depot.Depot(str(laptop.home)).every_object())
    assert len(pieces) > 3 and max(map(len, pieces)) < len(whole) // 2
    assert all(f"Fact {number} of".encode() in b"".join(pieces) for number in range(20))


def test_a_remote_that_keeps_its_history_is_told(laptop, desktop, remote):
    """Where the remote lets nobody replace a branch, the forget travels all the same and the person is told."""
    laptop.remember("The launch code name is bluebird.", key="code-name")
    settle(laptop, desktop)
    git(bare(remote), "config", "receive.denyNonFastForwards", "true")
    laptop.forget("code-name")
    settle(laptop, desktop)
    assert desktop.memories() == {}
    (notice,) = [one for one in notices.unseen(str(laptop.home)) if "keeps its history" in one.text]
    assert "forced push" in notice.hint and "denying" in notice.hint and "\n" not in notice.hint
    git(bare(remote), "config", "receive.denyNonFastForwards", "false")
    laptop.sync()
    assert "bluebird" not in git(bare(remote), "log", "-p", "holdfast")
    assert told(laptop) == []


def test_a_move_is_followed(laptop, desktop):
    """A memory that got another key on one machine and another statement on the other has both."""
    laptop.remember("We indent with tabs.", key="style")
    settle(laptop, desktop)
    laptop.rename("style", "indentation")
    desktop.remember("We indent with spaces.", key="style")
    settle(laptop, desktop)
    assert {key: one.body for key, one in laptop.memories().items()} == {"indentation": "We indent with spaces."}


def test_tags_and_fields_merge_by_field(laptop, desktop):
    """Tags of both sides stand, and one that was taken out is out."""
    laptop.remember("We indent with tabs.", key="style")
    path = laptop.path("style")
    path.write_text(path.read_text().replace("trust: user", "tags: [code, old]\ntrust: user"))
    settle(laptop, desktop)
    for machine, tags in ((laptop, "[code, old, team]"), (desktop, "[code]")):
        path = machine.path("style")
        path.write_text(path.read_text().replace("[code, old]", tags))
    settle(laptop, desktop)
    assert laptop.memories()["style"].tags == desktop.memories()["style"].tags == ("code", "team")


def test_to_dos_merge_by_line(laptop, desktop):
    """What is added and ticked on either machine is so on both."""
    laptop.add_todo("write the tests")
    settle(laptop, desktop)
    laptop.add_todo("cut the release")
    desktop.add_todo("call the bank")
    desktop.tick("write the tests")
    settle(laptop, desktop)
    assert laptop.todos() == desktop.todos()
    assert laptop.todos() == {"write the tests": True, "cut the release": False, "call the bank": False}


def test_a_persons_own_text_on_a_page_travels_and_its_tables_do_not(laptop, desktop):
    """Lines of both sides stand; each home fills the tables from its memories."""
    laptop.remember("Use PostgreSQL.", key="d1-postgresql")
    page = laptop.page("MEMORY.md")
    page.write_text("# Memory of this project\n\nAsk Kim about billing.\n")
    settle(laptop, desktop)
    other = desktop.page("MEMORY.md")
    other.write_text(other.read_text() + "Ask Ada about search.\n")
    page.write_text("# Memory of this project\n\nAsk Kim about billing and tax.\n")
    settle(laptop, desktop)
    assert "Ask Kim about billing and tax." in other.read_text()
    assert "Ask Ada about search." in page.read_text()


def test_settings_that_are_not_of_one_machine_travel(laptop, desktop):
    """How much is recalled is the person's; what a machine can afford, and what guards it, is the machine's."""
    for name, text in (("recall.limit", "7"), ("retention.project_days", "1"), ("security.block", "all")):
        laptop.act(change, name, text)
    settle(laptop, desktop)
    settings = desktop.act(lambda workspace: workspace.settings)
    told = [settings[name] for name in ("recall.limit", "retention.project_days", "security.block")]
    assert told == [7, 90, "off"]


def test_a_machine_that_takes_no_digests_leaves_those_of_others_alone(laptop, desktop, remote):
    """Digests reach who wants them; a machine without the setting neither gets them nor takes them out anywhere."""
    mine, theirs = (machine.home / "archive/digests/codex/s1.json" for machine in (laptop, desktop))
    mine.parent.mkdir(parents=True)
    mine.write_text('{"asked": "Move the sessions."}')
    laptop.act(change, "sync.digests", "true")
    settle(laptop, desktop)
    desktop.remember("Deploys need the VPN.")
    settle(laptop, desktop)
    assert mine.exists() and not theirs.exists()
    assert "archive/digests/codex/s1.json" in git(bare(remote), "ls-tree", "-r", "--name-only", "holdfast")
    for wanted in ("true", "false", "true"):
        desktop.act(change, "sync.digests", wanted)
        settle(laptop, desktop)
        assert theirs.read_text() == mine.read_text() == '{"asked": "Move the sessions."}'


def test_a_session_that_was_forgotten_is_found_on_no_machine_and_a_lost_digest_comes_back(laptop, desktop, remote):
    """A forget of a session takes its digest, rows and the branch's history; a digest that is only missing stays."""
    for machine in (laptop, desktop):
        machine.act(change, "sync.digests", "true")
    for name in ("s1", "s2"):
        digest = digested(human(f"Move the {name} sessions."), session=Session("codex", name))
        laptop.act(lambda workspace, digest=digest: Archive(workspace.home).put_digest(digest))
    settle(laptop, desktop)
    assert len(desktop.act(forget.sessions_of)) == 2
    laptop.act(erase.forget_sessions, ("codex/s1",))
    (laptop.home / "archive/digests/codex/s2.json").unlink()
    settle(laptop, desktop)
    assert [one.id for one in desktop.act(forget.sessions_of)] == ["s2"]
    assert (laptop.home / "archive/digests/codex/s2.json").exists()
    assert git(bare(remote), "rev-list", "--count", "holdfast") == "1"
    assert not [path for path in desktop.home.rglob("*") if path.is_file() and b"Move the s1" in path.read_bytes()]


def test_the_first_sync_of_a_new_home_speaks_of_no_lost_index(laptop, remote, cli, shop):
    """An index that never was is made while the home is empty: nothing had to be rebuilt."""
    laptop.remember("Deploys need the VPN.")
    laptop.sync()
    cli("sync", "init", str(remote))
    assert cli("sync").out.strip() == "2 received"
    assert "rebuilt" not in cli("list", "--project", "shop").err


def test_a_rejection_sticks_on_every_machine(laptop, desktop):
    """What was rejected on one machine is not proposed on another."""
    (laptop.home / "proposals").mkdir(parents=True)
    (laptop.home / "proposals" / "rejected.tsv").write_text("1a2b3c4d\t2026-11-02T09:00:00Z\tno\n")
    settle(laptop, desktop)
    assert "1a2b3c4d" in Proposals(str(desktop.home)).rejected()


def test_nothing_local_or_generated_travels(laptop, remote):
    """The branch has memories, and no index, state, journal, receipt, raw session or working state."""
    laptop.remember("Deploys need the VPN.")
    laptop.sync()
    names = git(bare(remote), "ls-tree", "-r", "--name-only", "holdfast").splitlines()
    assert "memory/projects/shop/memories/deploys-need-the-vpn.md" in names
    assert not [name for name in names if name.endswith(("index.md", ".db", ".jsonl")) or "/buffer" in name]


@pytest.mark.parametrize("key", ["use-pnpm-not-npm", "7c9e6679-7425-40de-944b-e07fc1f90afa", "0012-keep-the-api-key"])
def test_the_key_of_a_memory_is_no_secret(laptop, remote, key):
    """A memory travels whatever its key looks like: `key:` in front matter names the file, and is not an API key."""
    laptop.remember("Deploys need the VPN.", key=key)
    done = laptop.sync()
    assert not done.held_back
    assert f"{key}.md" in git(bare(remote), "ls-tree", "-r", "--name-only", "holdfast")


def test_a_file_with_a_secret_stays_here_and_is_told(laptop, remote):
    """A token that somebody typed into a file does not leave; everything else does."""
    token = "ghp_" + "aZ3kQ9xW7vB2nM5cT8rL1pD6sF4gH0jK3yE7"
    laptop.remember("Deploys need the VPN.", key="deploys")
    laptop.remember("The token of the build is kept elsewhere.", key="token")
    path = laptop.path("token")
    path.write_text(path.read_text().replace("kept elsewhere", token))
    done = laptop.sync()
    assert done.held_back == ["memory/projects/shop/memories/token.md"]
    assert "deploys.md" in git(bare(remote), "ls-tree", "-r", "--name-only", "holdfast")
    assert token not in git(bare(remote), "log", "-p", "holdfast")
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    assert told(laptop) == ["a file with a secret in it is not synced"]
    path.write_text(path.read_text().replace(token, "kept elsewhere"))
    laptop.sync()
    assert told(laptop) == []


def test_a_remote_that_is_away_is_no_trouble(laptop, remote):
    """Without the stick nothing is done, nothing is lost, and the next sync goes on."""
    laptop.remember("Deploys need the VPN.", key="deploys")
    remote.rename(remote.with_name("elsewhere"))
    assert laptop.sync().offline
    remote.with_name("elsewhere").rename(remote)
    assert "memory/projects/shop/memories/deploys.md" in laptop.sync().sent


def test_a_remote_that_is_away_for_long_is_told_until_it_is_back(laptop, remote):
    """A sweep says nothing for some days; then the address or a key may be wrong, and the person hears of it once."""
    laptop.remember("Deploys need the VPN.", key="deploys")
    remote.rename(remote.with_name("elsewhere"))
    laptop.act(sync.after_sweep)
    assert told(laptop) == []
    os.utime(laptop.home / "sync" / "remote", (0, 0))
    laptop.act(sync.after_sweep)
    laptop.act(sync.after_sweep)
    assert told(laptop) == ["the remote was not reached for a week"]
    remote.with_name("elsewhere").rename(remote)
    laptop.act(sync.after_sweep)
    assert told(laptop) == []


def at_host(folder, host: str, remote) -> Machine:
    """Return a machine that reaches the same repository by ssh."""
    git(folder, "init", "-q", "--bare", str(bare(remote)))
    machine = Machine(folder / "laptop", remote)
    machine.act(connection.init, f"{host}:{bare(remote)}")
    return machine


def test_a_remote_that_never_answers_leaves_no_process_behind(host, remote, tmp_path):
    """Git is stopped in time, and with it the program that it talks to the host through."""
    laptop = Machine(tmp_path / "laptop", f"{host}:{bare(remote)}")
    Machine(tmp_path / "other", remote).join()
    laptop.join()
    (tmp_path / "ssh").write_text(f"#!/bin/sh\necho $$ >{tmp_path}/pid\nexec sleep 60\n")
    assert "did not answer within 1 second" in laptop.sync(seconds=1.0).offline
    runs = pathlib.Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/cmdline")
    ends = time.monotonic() + 5
    while (is_there := runs.exists() and b"sleep" in runs.read_bytes()) and time.monotonic() < ends:
        time.sleep(0.05)
    assert not is_there


def test_a_folder_as_remote_runs_no_program_of_its_own(laptop, remote, tmp_path):
    """Hooks and commands in a repository on a stick are never run."""
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        hook(remote, name, f"touch {tmp_path}/ran")
    git(bare(remote), "config", "core.alternateRefsCommand", f"touch {tmp_path}/ran")
    laptop.remember("Deploys need the VPN.", key="deploys")
    laptop.sync()
    assert not (tmp_path / "ran").exists()


def test_a_remote_that_refuses_says_why(host, remote, tmp_path):
    """What a hook of the remote says reaches the person, and the home keeps all that it has."""
    laptop = at_host(tmp_path, host, remote)
    hook(remote, "pre-receive", "echo 'the quota is used up' >&2; exit 1")
    laptop.remember("Deploys need the VPN.", key="deploys")
    with pytest.raises(Refused, match="quota is used up"):
        laptop.sync()
    assert "deploys" in laptop.memories()


@pytest.mark.parametrize("said", ["ERROR: This key may only read.", "remote: ERROR: This key may only read."])
def test_a_host_that_lets_nobody_write_is_told_at_once(said, host, remote, tmp_path):
    """It was reached, so that waiting for a network would be waiting for ever."""
    laptop = at_host(tmp_path, host, remote)
    ssh = (tmp_path / "ssh").read_text()
    (tmp_path / "ssh").write_text(
        ssh.replace("\n", f"\ncase $* in *receive-pack*) echo '{said}' >&2; exit 1;; esac\n", 1)
    )
    laptop.remember("Deploys need the VPN.", key="deploys")
    with pytest.raises(Refused, match="may only read"):
        laptop.sync()
    laptop.act(sync.after_sweep)
    assert any("may only read" in one for one in told(laptop))
    (tmp_path / "ssh").write_text(ssh)
    assert laptop.sync().sent
    assert told(laptop) == []


def test_a_remote_that_moves_on_meanwhile_is_merged_again(host, desktop, remote, tmp_path):
    """Where another machine publishes between our look and our push, its memories come along."""
    laptop = at_host(tmp_path, host, remote)
    desktop.remember("The office is in Berlin.", key="office")
    desktop.sync()
    ahead = git(bare(remote), "rev-parse", "holdfast")
    git(bare(remote), "update-ref", "-d", "refs/heads/holdfast")
    # The first push finds the branch gone on.
    code = f"[ -e moved ] && exit 0; touch moved; git update-ref refs/heads/holdfast {ahead}"
    hook(remote, "pre-receive", f"unset GIT_QUARANTINE_PATH; {code}")
    laptop.remember("Deploys need the VPN.", key="deploys")
    laptop.sync()
    assert set(laptop.memories()) == {"office", "deploys"}


def test_a_remote_that_was_put_back_takes_nothing_out(laptop, desktop, remote):
    """An older state of the branch is merged, and what it lacks is published again."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    old = git(bare(remote), "rev-parse", "holdfast")
    laptop.remember("Deploys need the VPN.", key="deploys")
    laptop.sync()
    git(bare(remote), "update-ref", "refs/heads/holdfast", old)
    settle(laptop, desktop)
    assert set(laptop.memories()) == set(desktop.memories()) == {"style", "deploys"}


def test_a_remote_that_was_put_back_and_went_on_takes_nothing_out(laptop, desktop, remote):
    """Nor does one that has more generations again than the machine knows, made without what it had published."""
    laptop.remember("We indent with tabs.", key="style")
    settle(laptop, desktop)
    before = git(bare(remote), "rev-parse", "holdfast")
    desktop.remember("The office is in Berlin.", key="office")
    desktop.sync()
    git(bare(remote), "update-ref", "refs/heads/holdfast", before)
    for number in range(3):
        laptop.remember(f"The shop has {number} tills.", key="tills")
        laptop.sync()
    settle(desktop, laptop)
    assert set(laptop.memories()) == set(desktop.memories()) == {"style", "office", "tills"}


@pytest.mark.parametrize("forget", [False, True], ids=["plain", "with a forget"])
@pytest.mark.parametrize("at", ["nothing", "an older state"])
def test_a_remote_that_began_again_and_went_on_takes_nothing_out(at, forget, laptop, desktop, remote):
    """Its commits are unknown here and its generations are later ones, as where a forget began the history anew."""
    laptop.remember("We indent with tabs.", key="style")
    settle(laptop, desktop)
    before = git(bare(remote), "rev-parse", "holdfast")
    desktop.remember("The office is in Berlin.", key="office")
    desktop.sync()
    if at == "nothing":
        git(bare(remote), "update-ref", "-d", "refs/heads/holdfast")
    else:
        git(bare(remote), "update-ref", "refs/heads/holdfast", before)
    for number in range(4):
        laptop.remember(f"The shop has {number} tills.", key=f"tills-{number}")
        laptop.sync()
    if forget:
        laptop.forget("tills-0")
        laptop.sync()
    settle(desktop, laptop)
    assert {"style", "office", "tills-3"} <= set(laptop.memories()) == set(desktop.memories())


def test_a_remote_that_lost_what_a_machine_joined_at_gets_it_again(laptop, desktop, remote):
    """The same state has the same commit, of which git at the machine that came later knows no parent."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    desktop.sync()
    git(bare(remote), "update-ref", "-d", "refs/heads/holdfast")
    desktop.sync()
    settle(laptop, desktop)
    assert git(bare(remote), "rev-list", "--count", "holdfast") == "1"


def test_a_machine_that_missed_forgets_takes_over_what_was_moved_and_removed_since(laptop, desktop):
    """The history was replaced twice; what came of the state that it knows is known as such."""
    for key in ("style", "office", "till", "van"):
        laptop.remember(f"The {key} is as it always was.", key=key)
    settle(laptop, desktop)
    for key in ("till", "van"):
        laptop.forget(key)
        laptop.sync()
    laptop.rename("style", "looks")
    laptop.path("office").unlink()
    laptop.sync()
    settle(desktop, laptop)
    assert set(laptop.memories()) == set(desktop.memories()) == {"looks"}


def test_a_commit_by_hand_is_taken_over_like_any_other(laptop, desktop, remote, tmp_path):
    """What somebody changed and took out in a clone of the branch comes without a question, and later syncs go on."""
    for key, text in (("office", "The office is in Berlin."), ("style", "We indent with tabs.")):
        laptop.remember(text, key=key)
    settle(laptop, desktop)
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(bare(remote)), str(clone))
    folder = clone / "memory" / "projects" / "shop" / "memories"
    (folder / "office.md").write_text((folder / "office.md").read_text().replace("Berlin", "Hamburg"))
    (folder / "style.md").unlink()
    git(clone, "-c", "user.name=me", "-c", "user.email=me@host.example", "commit", "-qam", "By hand")
    git(clone, "push", "-q")
    settle(laptop, desktop)
    desktop.remember("Deploys need the VPN.", key="deploys")
    settle(desktop, laptop)
    for machine in (laptop, desktop):
        assert {key: one.body for key, one in machine.memories().items()} == {
            "office": "The office is in Hamburg.",
            "deploys": "Deploys need the VPN.",
        }
        assert not Proposals(str(machine.home)).ids()


def test_many_memories_that_go_at_once_are_asked_about(laptop, desktop):
    """A remote from which most memories vanished without a forget needs the person's yes."""
    for number in range(30):
        laptop.remember(f"Fact number {number} of the shop.", key=f"fact-{number}")
    settle(laptop, desktop)
    for number in range(28):
        laptop.path(f"fact-{number}").unlink()
    laptop.sync(yes=True)
    with pytest.raises(NeedsConsent, match="28 memories"):
        desktop.sync()
    assert len(desktop.memories()) == 30
    desktop.sync(yes=True)
    assert len(desktop.memories()) == 2


def test_a_dry_run_shows_the_plan_and_changes_nothing(laptop, desktop, remote, tree):
    """What would come and go is named; neither home nor remote changes."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    desktop.remember("Deploys need the VPN.", key="deploys")
    before, at = tree(desktop.home), git(bare(remote), "rev-parse", "holdfast")

    def of_git(name: str) -> bool:
        return name.startswith("sync/depot.git")

    done = desktop.sync(dry_run=True)
    assert "memory/projects/shop/memories/style.md" in done.received
    assert "memory/projects/shop/memories/deploys.md" in done.sent
    after = {name: what for name, what in tree(desktop.home).items() if not of_git(name)}
    assert after == {name: what for name, what in before.items() if not of_git(name)}
    assert git(bare(remote), "rev-parse", "holdfast") == at


def test_a_dry_run_adopts_no_row_that_a_person_wrote_into_a_page(laptop, tree):
    """The sync itself does."""
    laptop.remember("We deploy on Mondays.", key="deploys")
    page = laptop.page("decisions.md")
    laptop.act(remember, "We use Postgres.", key="db", scope="project", type="decision")
    page.write_text(page.read_text().replace("We use Postgres.", "We use MariaDB."))
    before = laptop.memories()
    laptop.sync(dry_run=True)
    assert laptop.memories() == before
    laptop.sync()
    assert laptop.memories()["db"].body == "We use MariaDB."


def test_a_dry_run_says_of_nothing_that_it_was_sent(cli, shop, tmp_path):
    """The plan is printed, and only a sync says how many went."""
    (tmp_path / "stick").mkdir()
    cli("remember", "We indent with tabs.", "--key", "style")
    cli("sync", "init", str(tmp_path / "stick"))
    planned = cli("sync", "--dry-run")
    assert "memories/style.md" in planned.out and " sent" not in planned.out + planned.err, planned
    assert " sent" in cli("sync").out


def test_what_a_hostile_branch_brings_is_never_written(laptop, desktop, remote, tmp_path):
    """Links, paths out of the home, hooks, and files that no home has are left alone, and stay in the branch."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "-b", "holdfast", str(bare(remote)), str(work))
    (work / "state").mkdir()
    (work / "state" / "evil").write_text("x")
    (work / "config.toml").write_text("[security]\nblock = 'off'\n")
    (work / "README.md").write_text("My memory.\n")
    (work / "memory" / "projects" / "shop" / "memories" / "link.md").symlink_to("/etc/passwd")
    git(work, "add", "-A")
    git(work, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "Memory\n\nGeneration: 99")
    git(work, "push", "-q", "origin", "holdfast")
    settle(desktop, laptop)
    assert set(desktop.memories()) == {"style"}
    assert not [path for path in desktop.home.rglob("*") if path.is_symlink() or path.name in ("evil", "README.md")]
    desktop.remember("Deploys need the VPN.", key="deploys")
    desktop.sync()
    assert "README.md" in git(bare(remote), "ls-tree", "--name-only", "holdfast").splitlines()


def test_what_a_person_keeps_on_the_branch_stays_as_it_is(laptop, desktop, remote, tmp_path):
    """A large file, a program, a link and any name: also where the branch begins anew after a forget."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.remember("The launch code name is bluebird.", key="code-name")
    laptop.sync()
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "-b", "holdfast", str(bare(remote)), str(work))
    (work / "film.bin").write_bytes(b"x" * 5_000_000)
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o755)
    (work / "link").symlink_to("run.sh")
    (work / 'a "name"\nM 100644 inline memory\\x').write_text("odd\n")
    git(work, "add", "-A")
    git(work, "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "Mine")
    git(work, "push", "-q", "origin", "holdfast")
    before = git(work, "ls-tree", "-z", "holdfast").split("\0")
    desktop.sync()
    desktop.forget("code-name")
    settle(desktop, laptop)
    after = git(bare(remote), "ls-tree", "-z", "holdfast").split("\0")
    assert [row for row in before if "\tmemory" not in row] == [row for row in after if "\tmemory" not in row]


@pytest.mark.parametrize("number", ["9" * 30, "9" * 5_000, "\u00b2"])
def test_no_generation_that_somebody_writes_into_a_commit_ends_a_sync(number, laptop, desktop, remote, tmp_path):
    """What is no number of ours counts as none."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    work = tmp_path / "work"
    git(tmp_path, "clone", "-q", "-b", "holdfast", str(bare(remote)), str(work))
    who = ("-c", "user.name=x", "-c", "user.email=x@y")
    git(work, *who, "commit", "-q", "--allow-empty", "-m", f"Memory\n\nGeneration: {number}")
    git(work, "push", "-q", "origin", "holdfast")
    desktop.remember("Deploys need the VPN.", key="deploys")
    settle(desktop, laptop)
    assert set(laptop.memories()) == set(desktop.memories()) == {"style", "deploys"}


def test_markers_that_git_left_in_a_home_become_two_versions_again(laptop, desktop):
    """A home that was merged by hand has no marker after a sync, and both statements."""
    laptop.remember("We indent with tabs.", key="style")
    path = laptop.path("style")
    text = path.read_text().replace(
        "We indent with tabs.\n",
        "<<<<<<< HEAD\nWe indent with tabs of eight.\n=======\nWe indent with spaces.\n>>>>>>> other\n",
    )
    path.write_text(text)
    settle(laptop, desktop)
    stands = desktop.memories()["style"]
    said = {stands.body, *(one.text for one in stands.history)}
    assert {"We indent with tabs of eight.", "We indent with spaces."} <= said
    assert [one.replaces for one in Proposals(str(laptop.home)).all()[0]] == ["style"]
    assert "<<<<<<<" not in path.read_text()


def test_no_marker_of_git_is_recalled_before_it_was_decided_either(laptop):
    """A file that somebody merges by hand says what this machine said, is named as a problem, and is not rewritten."""
    laptop.remember("We indent with tabs.", key="style")
    path = laptop.path("style")
    text = path.read_text()
    path.write_text(
        text.replace(
            "We indent with tabs.\n",
            "<<<<<<< HEAD\nWe indent with tabs.\n=======\nWe indent with spaces.\n>>>>>>> 5323b84\n",
        )
    )
    assert laptop.memories()["style"].body == "We indent with tabs."
    kinds = laptop.act(lambda workspace: [one.kind for one in workspace.store.problems()])
    assert kinds == ["markers"]
    with pytest.raises(BrokenFile, match="markers"):
        laptop.remember("We indent with two spaces.", key="style")
    assert "We indent with spaces." in path.read_text()


def test_the_remote_of_a_home_that_is_under_git_is_found(tmp_path, remote):
    """Without an address, the one that the person gave git themselves is taken."""
    machine = Machine(tmp_path / "laptop", remote)
    machine.remember("We indent with tabs.", key="style")
    git(tmp_path, "init", "-q", "--bare", str(remote / "mine.git"))
    git(machine.home, "init", "-q")
    git(machine.home, "remote", "add", "origin", str(remote / "mine.git"))
    assert machine.act(connection.init, "") == str(remote / "mine.git")
    machine.sync()
    assert "style.md" in git(remote / "mine.git", "ls-tree", "-r", "--name-only", "holdfast")


@pytest.mark.parametrize(
    "url", ["", "--upload-pack=touch x", "ext::sh -c 'touch x'", "https://me:s3cretPassw0rd@host/x"]
)
def test_an_address_that_is_none_or_has_a_password_is_refused(url, tmp_path, remote):
    """Nothing is made then."""
    machine = Machine(tmp_path / "laptop", remote)
    with pytest.raises((BadInput, Refused)):
        machine.act(connection.init, url)
    assert not (machine.home / "sync").exists()


def test_what_git_needs_may_be_lost(laptop, desktop):
    """Without the repository in the home, as after a kill while it was made anew, all goes on as before."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.remember("The code word is bluebird.", key="word")
    laptop.sync()
    shutil.rmtree(laptop.home / "sync" / "depot.git")
    laptop.forget("word")
    laptop.remember("Deploys need the VPN.", key="deploys")
    settle(laptop, desktop)
    assert set(desktop.memories()) == {"style", "deploys"}


@pytest.mark.parametrize("name", ["shallow.lock", "refs/holdfast/remote.lock", "refs/holdfast/next.lock", "objects"])
def test_what_git_needs_may_be_broken(name, laptop, desktop):
    """Where git was cut off and left a lock, or its objects are cut short, a sync makes them anew and goes on."""
    laptop.remember("We indent with tabs.", key="style")
    laptop.sync()
    desktop.remember("The office is in Berlin.", key="office")
    desktop.sync()
    depot = laptop.home / "sync" / "depot.git"
    if name == "objects":
        for path in (path for path in (depot / name).rglob("*") if path.is_file()):
            path.chmod(0o600)
            path.write_bytes(b"")
    else:
        (depot / name).touch()
    laptop.remember("Deploys need the VPN.", key="deploys")
    settle(laptop, desktop)
    assert set(desktop.memories()) == set(laptop.memories()) == {"style", "office", "deploys"}


def test_a_host_is_asked_once_to_receive_and_once_more_to_send(host, remote, tmp_path, desktop):
    """Each connection costs a handshake, so a sync makes no more of them than it needs."""
    laptop = at_host(tmp_path, host, remote)
    log = tmp_path / "connections"
    program = tmp_path / "ssh"
    program.write_text(program.read_text().replace("exec", f"echo >> {log}\nexec"))

    def connections() -> int:
        log.write_text("")
        laptop.sync()
        return log.read_text().count("\n")

    desktop.remember("We indent with tabs.", key="style")
    desktop.sync()
    assert connections() == 1
    assert connections() == 1
    laptop.remember("Deploys need the VPN.", key="deploys")
    assert connections() == 2


def test_what_ssh_says_is_told_where_a_host_cannot_be_reached(host, tmp_path):
    """Git itself only says that it could not read; the cause is what helps."""
    (tmp_path / "ssh").write_text("#!/bin/sh\necho 'me@host.example: Permission denied (publickey).' >&2\nexit 255\n")
    machine = Machine(tmp_path / "laptop", tmp_path)
    with pytest.raises(Unreachable, match="publickey"):
        machine.act(connection.init, f"{host}:memory.git")
    assert not (machine.home / "sync").exists()


def test_a_home_is_connected_once_and_can_leave(laptop):
    """A second address is refused until the person leaves; leaving keeps every memory."""
    laptop.remember("We indent with tabs.", key="style")
    with pytest.raises(Conflict, match="syncs with"):
        laptop.join()
    laptop.act(connection.leave)
    with pytest.raises(NotFound, match="no remote"):
        laptop.sync()
    assert set(laptop.memories()) == {"style"}


def erase_text(machine: Machine, text: str) -> None:
    """Erase a text from everything that a machine has."""
    machine.act(lambda workspace: erase.erase(workspace, of_texts(workspace, [text])))


def test_the_next_sync_of_another_machine_publishes_nothing_that_was_erased(laptop, desktop, remote):
    """It takes it out of its own edit before that leaves, names the memory, and keeps it as one with its history."""
    laptop.remember("Invoices go to Kim Doe and to accounting.")
    settle(laptop, desktop)
    (key,) = desktop.memories()
    desktop.remember("Invoices go to Kim Doe and to Lee.", key=key)
    desktop.remember("Kim Doe has the key to the cellar.")
    erase_text(laptop, "Kim Doe")
    laptop.sync()
    done = desktop.sync()
    assert "Kim Doe" not in git(bare(remote), "log", "-p", "holdfast")
    assert b"Kim Doe" not in every_object(desktop)
    (invoices,) = [one for one in desktop.memories().values() if one.key.startswith("invoices")]
    assert "Invoices go to [erased] and to Lee." in invoices.body and not invoices.holds
    assert f"project:shop/{invoices.key}" in done.struck and len(done.struck) == 2
    (notice,) = notices.unseen(str(desktop.home))
    assert set(notice.names) == set(done.struck)
    kept = ("sync/", "memory/", "updates/", "index.db")
    held = [path for path in desktop.home.rglob("*") if path.is_file() and b"Kim Doe" in path.read_bytes()]
    assert [path for path in held if str(path.relative_to(desktop.home)).startswith(kept)] == []
    settle(laptop, desktop)
    assert laptop.memories() == desktop.memories() and len(laptop.memories()) == 2


def test_what_is_said_after_the_erase_of_another_machine_was_heard_of_stands_everywhere(
    laptop, desktop, tmp_path, remote
):
    """No clock tells this: the one that says it again knew of the erase. Erased once more, it goes again."""
    third = Machine(tmp_path / "third", remote, ahead=-400_000).join()
    laptop.remember("The lamp is at Elm Road 5.")
    settle(laptop, desktop, third)
    erase_text(laptop, "Elm Road 5")
    settle(laptop, desktop, third)
    third.remember("The office is at Elm Road 5.", key="office")
    settle(third, laptop, desktop)
    for machine in (laptop, desktop, third):
        assert machine.memories()["office"].body == "The office is at Elm Road 5."
    erase_text(desktop, "Elm Road 5")
    settle(desktop, laptop, third)
    for machine in (laptop, desktop, third):
        assert "Elm Road 5" not in str(machine.memories())
    third.remember("The office is at Elm Road 5 again.", key="again")
    settle(third, laptop, desktop)
    assert laptop.memories()["again"].holds


def test_what_was_said_and_published_before_an_erase_was_heard_of_is_named_where_it_was_said(laptop, desktop):
    """The machine that erased has not seen that statement, so both are told that it is struck through."""
    settle(laptop, desktop)
    erase_text(laptop, "Elm Road 5")
    desktop.remember("The office is at Elm Road 5.", key="office")
    desktop.sync()
    assert laptop.sync().struck == ["project:shop/office"]
    assert desktop.sync().struck == ["project:shop/office"]
    assert "The office is at [erased]." in desktop.memories()["office"].body
    assert any("struck through" in one for one in told(desktop))


def test_no_time_and_no_word_of_an_erase_travels(laptop, remote):
    """What other machines are told are digests, with the key of the home that made them."""
    laptop.remember("The lamp is at Elm Road 5.")
    erase_text(laptop, "Elm Road 5")
    laptop.sync()
    rows = git(bare(remote), "show", "holdfast:erased.jsonl")
    assert '"kind": "text"' in rows
    assert "Elm" not in rows and '"at"' not in rows and "T0" not in rows


def test_an_erase_of_a_text_takes_no_other_word_of_the_name_that_held_it(laptop, desktop, remote):
    """A name is known by its digest; its other words are nobody's secret."""
    laptop.remember("Invoices go to Kim Doe and to accounting.")
    settle(laptop, desktop)
    erase_text(laptop, "Kim Doe")
    settle(laptop, desktop)
    desktop.remember("Invoices go to Kim Doehler and to Lee.", key="lee")
    settle(desktop, laptop)
    assert laptop.memories()["lee"].body == "Invoices go to Kim Doehler and to Lee."


def test_what_was_agreed_on_has_no_word_of_an_erased_memorys_title(laptop):
    """At once, and not with the next sync."""
    laptop.remember("Bluebird deploys on Fridays only.")
    laptop.sync()
    laptop.act(lambda workspace: erase.forget_memories(workspace, every_memory(workspace)))
    agreed = laptop.home / "sync" / "agreed"
    assert not [path for path in agreed.rglob("*.md") if "luebird" in path.name + path.read_text()]


def every_memory(workspace):
    """Return every memory of the home."""
    return list(workspace.store.find(Filter(None)))


def by_hand(machine: Machine, remote, tmp_path, text: str, key: str = "port") -> None:
    """Commit a memory in a clone of the branch."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "-b", "holdfast", str(bare(remote)), str(clone))
    path = clone / machine.path(key).relative_to(machine.home)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\nkey: {key}\ntype: project\n---\n\n{text}\n")
    git(clone, "add", "-A")
    git(clone, "-c", "user.name=me", "-c", "user.email=me@example.com", "commit", "-qm", "By hand")
    git(clone, "push", "-q", "origin", "HEAD:holdfast")


def test_markers_of_a_merge_on_the_branch_come_into_no_home(laptop, desktop, remote, tmp_path):
    """The first sync that finds them makes one memory of the two versions, and asks where it was found, once."""
    laptop.remember("Builds take ten minutes.")
    settle(laptop, desktop)
    by_hand(laptop, remote, tmp_path, "<<<<<<< HEAD\nThe port is 1.\n=======\nThe port is 2.\n>>>>>>> other")
    assert laptop.sync().conflicts == ["project:shop/port"]
    assert desktop.sync().conflicts == []
    for machine in (laptop, desktop):
        assert b"<<<<" not in machine.path("port").read_bytes()
    assert "<<<<" not in git(bare(remote), "grep", "-h", "", "holdfast")


def test_a_secret_that_somebody_put_on_the_branch_comes_into_no_home_and_is_named(laptop, desktop, remote, tmp_path):
    """It stays where it is until somebody takes it out there; the rest comes and goes."""
    laptop.remember("Builds take ten minutes.")
    settle(laptop, desktop)
    token = "ghp_" + "aZ3kQ9xW7vB2nM5cT8rL1pD6sF4gH0jK3yE7"
    by_hand(laptop, remote, tmp_path, f"The token is {token}.")
    desktop.remember("Deploys need the VPN.")
    done = desktop.sync()
    assert [path.rpartition("/")[2] for path in done.held_out] == ["port.md"]
    assert not desktop.path("port").exists()
    assert any("not taken over" in one for one in told(desktop))
    laptop.sync()
    assert token in git(bare(remote), "grep", "-h", "", "holdfast")
    assert sorted(laptop.memories()) == ["builds-take-ten-minutes", "deploys-need-the-vpn"]


def test_a_file_in_data_leaves_no_lock_among_the_memories(laptop, desktop):
    """The truth has what a person keeps, and nothing that a program needs."""
    path = laptop.home / "memory" / "projects" / "shop" / "data" / "prices.csv"
    path.parent.mkdir(parents=True)
    path.write_text("a,b\n")
    settle(laptop, desktop)
    assert (desktop.home / path.relative_to(laptop.home)).exists()
    assert not (desktop.home / "memory" / "state").exists()


def test_a_home_that_somebody_keeps_under_git_has_no_second_copy_of_it_to_commit(tmp_path, remote):
    """What a sync keeps for itself is left out of `git add -A`, and what the person excludes stays."""
    machine = Machine(tmp_path / "own", remote)
    machine.remember("Builds take ten minutes.")
    git(tmp_path, "init", "-q", str(machine.home))
    exclude = machine.home / ".git" / "info" / "exclude"
    exclude.write_text("*.bak")
    machine.join().sync()
    assert exclude.read_text().splitlines()[0] == "*.bak"
    assert not [line for line in git(machine.home, "status", "--short").splitlines() if "sync/" in line]


def test_a_row_that_gets_the_reason_of_another_decision_is_written_as_every_row(laptop, desktop):
    """Both first decisions were the first; the page of each machine reads alike, spaces and all."""
    laptop.act(decisions.add, "Ship on Mondays", because="ops")
    desktop.act(decisions.add, "Use Redis")
    settle(desktop, laptop)
    settle(desktop, laptop)
    pages = {machine.page("decisions.md").read_text().replace("\r", "") for machine in (laptop, desktop)}
    assert all("| ops |" in page for page in pages), pages
