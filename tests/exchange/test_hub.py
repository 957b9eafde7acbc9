"""Homes that share through a hub: a real PostgreSQL, real server processes, and clients that are cut off."""

from __future__ import annotations

import itertools
import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.app.erase import forget_memory
from holdfast.base.clock import now
from holdfast.errors import BadInput, Conflict, NotFound, Refused, StoreUnavailable
from holdfast.exchange.hub import client
from holdfast.exchange.hub import join as joined
from holdfast.exchange.hub_calls import HubAway, ToldChanges
from holdfast.inject.receipts import event_of
from holdfast.journal import notices
from holdfast.memory.remember import remember
from holdfast.patterns import signal_files
from holdfast.patterns.signal_files import Signal
from holdfast.recall.recall import recall
from holdfast.records import Draft, Filter, Given, Receipt, Scope
from holdfast.store.session_table import SessionRow
from holdfast.workspace import Workspace
from support.postgres import Hub, Served, hub, server

PROJECT = Scope("project", "shop")


@pytest.fixture(scope="module")
def served():
    """Return a hub and a process that serves it."""
    made = hub()
    serving = Served(made)
    yield made, serving
    assert serving.end() == 0


@pytest.fixture
def world(served, request, monkeypatch):
    """Return the hub, the tokens of a writer, a reader and a reviewer, and the process.

    Their organisation is this test's own: what other tests shared is never fetched, whichever ran before.
    """
    made, serving = served
    # On a busy machine an answer may take as long as it likes.
    monkeypatch.setattr("holdfast.exchange.hub_calls.SECONDS", 600.0)
    organisation = re.sub(r"[^a-z0-9._-]", ".", request.node.name)[:60]
    made.operator.add_organisation(organisation)
    made.operator.add_team(organisation, "shop")
    tokens = {}
    for person, role in (("kim", "writer"), ("lee", "reader"), ("sam", "reviewer")):
        made.operator.set_member(organisation, "shop", person, role)
        tokens[person] = made.operator.new_token(organisation, person, "laptop", ("read", "write"), 30)
    return made, tokens, serving


@pytest.fixture
def join(world, tmp_path):
    """Return what opens the home of a person who joined the hub."""
    _, tokens, serving = world
    opened = []

    def open_home(person, name="", *, trusts=True):
        workspace = Workspace(
            str(tmp_path / (name or person)), folder=str(tmp_path), project="shop", say=lambda text: None
        )
        opened.append(workspace)
        client, teams = joined(workspace, serving.url, tokens[person])
        assert "shop" in teams
        if trusts:
            client.allow("shop", [], trust=True)
        return client

    yield open_home
    for workspace in opened:
        workspace.close()


def keys(client):
    # Who was killed between the file and the index left that to whoever looks next, as every command does.
    client.workspace.store.refresh()
    return sorted(memory.key for memory in client.workspace.store.find(Filter(None)))


def test_what_one_shares_the_others_are_told_until_it_is_withdrawn(join, world):
    """A shared memory is recalled elsewhere without a network; a withdrawal takes it away at the next sync."""
    kim, lee, sam = join("kim"), join("lee"), join("sam")
    remember(kim.workspace, "Deploys of the shop need the VPN.", key="vpn")
    kim.share("vpn", "shop", "asked twice")
    assert kim.sync()["sent"] == 1 and lee.sync()["stored"] == 1
    hit = recall(lee.workspace, "what do deploys need")[0].memory
    source = f"hub:{lee.joined.organisation}/shop"
    assert (hit.key, hit.trust, hit.source, hit.scope) == ("vpn", "import", source, PROJECT)
    at = "2026-11-01T10:00:00Z"
    given = {"scope": "project", "owner": "shop", "key": "vpn", "digest": "x", "why": "", "tokens": 1}
    receipt_event(lee.workspace, at, given)
    assert lee.sync()["receipts"] == 1 and lee.sync()["receipts"] == 0
    assert [(one["person"], one["key"], one["at"]) for one in sam.trace("vpn", "shop")] == [("lee", "vpn", at)]
    assert [one["person"] for one in lee.trace("vpn", "shop")] == ["lee"] and kim.trace("vpn", "shop") == []
    kim.withdraw("vpn", "shop", "it is wrong", PROJECT)
    assert kim.sync()["sent"] == 1 and lee.sync()["removed"] == 1
    assert recall(lee.workspace, "what do deploys need") == [] and keys(kim) == ["vpn"]
    assert [(one["person"], one["is_gone"]) for one in sam.trace("vpn", "shop")] == [("lee", True)]
    kim.share("vpn", "shop", "it is right after all")
    kim.sync()
    assert [(one["is_gone"], one["is_changed"]) for one in sam.trace("vpn", "shop")] == [(False, True)]


def test_a_receipt_tells_the_version_that_was_given(join):
    """What a session was given before its laptop heard of a withdrawal or a change is traced as what it was then."""
    kim, lee, sam = join("kim"), join("lee"), join("sam")
    for key in ("gone", "changed"):
        remember(kim.workspace, f"The first words of {key}.", key=key)
        kim.share(key, "shop", "r")
    kim.sync()
    lee.sync()
    for key in ("gone", "changed"):
        given = {"scope": "project", "owner": "shop", "key": key, "digest": "x", "why": "", "tokens": 1}
        receipt_event(lee.workspace, now(), given)
    kim.withdraw("gone", "shop", "poisoned", PROJECT)
    remember(kim.workspace, "The second words of changed.", key="changed")
    kim.share("changed", "shop", "r")
    kim.sync()
    assert lee.sync()["receipts"] == 2
    traced = [sam.trace(key, "shop")[0] for key in ("gone", "changed")]
    assert [(one["is_gone"], one["is_changed"]) for one in traced] == [(True, False), (False, True)]


def receipt_event(workspace, at, given):
    """Write the receipt of an injection into the journal, as a hook does."""
    one = Given(Scope(given["scope"], given["owner"]), given["key"], given["digest"], given["why"], given["tokens"])
    workspace.journal.append(event_of(Receipt(at, "codex", "s-1", "start", (one,))))


def test_who_is_out_of_a_team_keeps_nothing_that_it_shared(join, world):
    """The next sync takes out what came from the team, as no withdrawal would; what the person changed here stays."""
    made, _, _ = world
    kim, lee = join("kim"), join("lee")
    for key in ("one", "changed"):
        remember(kim.workspace, f"Said of {key}.", key=key)
        kim.share(key, "shop", "asked")
    kim.sync()
    assert lee.sync()["stored"] == 2
    remember(lee.workspace, "Lee's own.", key="mine")
    remember(lee.workspace, "Lee says otherwise.", key="changed")
    given = {"scope": "project", "owner": "shop", "key": "one", "digest": "x", "why": "", "tokens": 1}
    receipt_event(lee.workspace, now(), given)
    made.operator.set_member(lee.joined.organisation, "shop", "lee", "")
    assert lee.sync()["removed"] == 1
    assert keys(lee) == ["changed", "mine"] and not sum(lee.sync().values())
    # Whoever comes back is told everything again.
    made.operator.set_member(lee.joined.organisation, "shop", "lee", "reader")
    assert lee.sync()["stored"] == 1 and keys(lee) == ["changed", "mine", "one"]


def test_a_hub_out_of_a_backup_is_followed_from_its_own_numbers(join, world, tmp_path):
    """What changed after the backup goes or comes as the restored hub has it, and nothing new is missed."""
    made, *_ = world
    kim, lee = join("kim"), join("lee")

    def share(key, text):
        remember(kim.workspace, text, key=key)
        kim.share(key, "shop", "asked")
        kim.sync()

    share("kept", "Kept.")
    dump, other = str(tmp_path / "hub.dump"), Hub(server(), server().database("template0"))
    subprocess.run([server().bin / "pg_dump", "-Fc", "-f", dump, server().url(made.database)], check=True)
    for number in range(4):
        share(f"lost-{number}", f"After the backup {number}.")
    assert lee.sync()["stored"] == 5
    subprocess.run([server().bin / "pg_restore", "-d", server().url(other.database), dump], check=True)
    serving = Served(other)
    for one in (kim, lee):
        joined(one.workspace, serving.url, one.joined.token)
    kim, lee = client(kim.workspace), client(lee.workspace)
    share("new", "After the restore.")
    assert lee.sync()["removed"] == 4 and keys(lee) == ["kept", "new"]
    assert not sum(lee.sync().values()) and len(keys(kim)) == 6
    assert serving.end() == 0


def test_a_sync_with_nothing_new_is_one_request(join, world):
    """Whoever has everything asks the hub once."""
    lee = join("lee")
    lee.sync()
    before = requests(world[2])
    assert sum(lee.sync().values()) == 0
    assert requests(world[2]) - before == 1


def requests(serving):
    """Return how many requests the process counted."""
    return sum(
        int(one) for one in re.findall(r"^holdfast_requests_total\{.*\} (\d+)$", serving.get("/metrics")[1], re.M)
    )


def test_a_team_that_was_not_allowed_tells_agents_nothing(join, cli):
    """What a team shares waits until it is allowed as it is shown; a change waits again, a withdrawal does not."""
    kim, lee = join("kim"), join("lee", trusts=False)
    for key in ("one", "two"):
        remember(kim.workspace, f"The team says {key}.", key=key)
        kim.share(key, "shop", "r")
    kim.sync()
    assert lee.sync()["waits"] == 2 and keys(lee) == [] and recall(lee.workspace, "the team says") == []
    assert [one.text for one in notices.unseen(lee.workspace.home) if one.kind == "hub"] != []
    assert "team says" not in everything_in(lee.workspace.home)
    plan = lee.plan("shop")
    assert sorted((one.step.act, one.step.target, one.step.reason) for one in plan) == [
        ("write", "shop/one", "The team says one."),
        ("write", "shop/two", "The team says two."),
    ]
    assert lee.allow("shop", plan, trust=False)["stored"] == 2 and keys(lee) == ["one", "two"]
    assert notices.unseen(lee.workspace.home) == []
    remember(kim.workspace, "The team says three.", key="one")
    kim.share("one", "shop", "r")
    kim.withdraw("two", "shop", "wrong", PROJECT)
    kim.sync()
    done = lee.sync()
    assert (done["waits"], done["removed"]) == (1, 1) and keys(lee) == ["one"]
    assert [one.names for one in notices.unseen(lee.workspace.home)] == [("shop",)]
    assert lee.workspace.store.get(PROJECT, "one").body == "The team says one."
    assert [one.step.reason for one in lee.plan("shop")] == ["The team says [-one.-] {+three.+}"]
    lee.allow("shop", lee.plan("shop"), trust=True)
    assert lee.workspace.store.get(PROJECT, "one").body == "The team says three." and lee.plan("shop") == []
    remember(kim.workspace, "The team says four.", key="four")
    kim.share("four", "shop", "r")
    kim.sync()
    assert lee.sync()["stored"] == 1
    remember(lee.workspace, "I say four.", key="four")
    assert lee.deny("shop") == ["one"] and keys(lee) == ["four"]
    assert lee.sync()["stored"] == 0 and lee.plan("shop")[0].place[3] == "one"
    with pytest.raises(NotFound):
        lee.plan("nowhere")


def everything_in(home):
    """Return all that the files of a home hold."""
    paths = [path for path in Path(home).rglob("*") if path.is_file()]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in paths)


def test_figures_of_sessions_go_only_where_the_person_says_so(join, world, cli):
    """Nothing is told until a team is named, then of sessions that end from then on: figures, no word."""
    lee = join("lee")
    ended(lee.workspace, "before", "2026-01-01T10:00:00Z")
    assert lee.sync()["digests"] == 0 and lee.mine() == []
    home, environment = lee.workspace.home, {"HOLDFAST_HUB_DIGESTS": "shop"}
    lee.workspace.close()
    lee = client(Workspace(home, folder=home, project="shop", environment=environment, say=lambda text: None))
    assert lee.sync()["digests"] == 0
    ended(lee.workspace, "after", "2999-01-03T10:00:00Z")
    signals = (
        ("failed-command", "npm: command not found: 'plan-of-kim.py'"),
        ("correction", "no, use the VPN as I said"),
    )
    made = tuple(Signal(kind, about, about, "codex", "after") for kind, about in signals)
    signal_files.put(lee.workspace.home, signal_files.Signals("codex", "after", signals=made))
    assert lee.sync()["digests"] == 1 and lee.sync()["digests"] == 1
    found = lee.mine()
    assert [(one["team"], one["week"], one["asks"], one["signals"]) for one in found] == [
        ("shop", "2998-12-31", 3, [["correction", ""], ["failed-command", "npm: command not found"]])
    ]
    assert "title of" not in json.dumps(found) and "VPN" not in json.dumps(found) and ".py" not in json.dumps(found)
    cli("hub", "join", world[2].url, "--token", world[1]["lee"])
    assert promised("hub mine") <= {*cli("hub", "mine", "--json").json["digests"][0], "digests", "withdrawn"}
    assert "codex" in cli("hub", "mine").out
    assert cli("hub", "figures", "shop", "--json").json == {"groups": []} and cli("hub", "figures", "shop").out == ""
    assert cli("hub", "figures", "shop", "--by", "signal").err.startswith("no group")
    assert cli("hub", "mine", "--withdraw").out == "taken back: figures of 1 session\n" and lee.mine() == []
    lee.workspace.close()


def ended(workspace, id, at):
    """Put a session that ended then into the index of a home."""
    row = SessionRow(f"codex/{id}", "codex", id, f"title of {id}", "shop", started=at, ended=at, asks=3)

    def put(tables):
        with tables.begin():
            tables.sessions.put(row, [], [])

    workspace.store.ask(put)


def test_what_is_personal_is_refused_by_client_and_hub(join):
    """What is of a session or about the person does not leave; sent all the same, the hub refuses it."""
    kim = join("kim")
    remember(kim.workspace, "I like tabs.", key="tabs", type="user", scope="global")
    with pytest.raises(Refused, match="personal"):
        kim.share("tabs", "shop", "why not", "global")
    sent = {"team": "shop", "reason": "r", "title": "T", "text": "I like tabs.", "key": "tabs"}
    for kind, owner, type in (("global", "", "user"), ("session", "s-1", "project"), ("agent", "reviewer", "project")):
        with pytest.raises(Refused):
            kim.call("POST", "share", dict, {**sent, "kind": kind, "owner": owner, "type": type})
    with pytest.raises(BadInput):
        kim.call("POST", "share", dict, {**sent, "kind": "planet", "owner": "", "type": "project"})
    secret = "AKIA" + "IOSFODNN7QRSTUVW"
    kim.call(
        "POST",
        "share",
        dict,
        {**sent, "kind": "global", "owner": "", "type": "project", "text": f"Key {secret} is ours, rotate it."},
    )
    lee = join("lee", "lee-2")
    lee.sync()
    assert secret not in lee.workspace.store.text(lee.workspace.store.get(Scope("global"), "tabs"))
    kim.call("POST", "withdraw", dict, {"team": "shop", "reason": "r", "kind": "global", "owner": "", "key": "tabs"})


def test_a_reason_has_no_secret_and_no_request_breaks_the_hub(join, world):
    """Why something was shared is kept without secrets, here and on the hub; figures that cannot be are refused."""
    import psycopg

    kim, secret = join("kim"), "AKIA" + "IOSFODNN7QRSTUVW"
    remember(kim.workspace, "Deploys need the VPN.", key="vpn")
    kim.share("vpn", "shop", f"The key {secret} was in it.")
    assert secret not in everything_in(kim.workspace.home)
    kim.sync()
    place = {"team": "shop", "kind": "project", "owner": "shop", "key": "vpn"}
    kim.call("POST", "withdraw", dict, {**place, "reason": f"No {secret} any more."})
    with psycopg.connect(world[0].operator.conninfo) as db:
        reasons = [reason for (reason,) in db.execute("SELECT reason FROM holdfast.audit WHERE key = 'vpn'")]
    assert any("redacted" in one for one in reasons) and not any(secret in one for one in reasons)
    for version, at in (
        (1 << 70, "2026-01-01T00:00:00Z"),
        (-1, "2026-01-01T00:00:00Z"),
        (1, "when I was young"),
        (1, "2026-99-99T99:99:99Z"),
    ):
        with pytest.raises(BadInput):
            kim.call("POST", "receipts", dict, {"team": "shop", "receipts": [["project", "shop", "vpn", version, at]]})
    with pytest.raises(BadInput, match="after"):
        kim.call("POST", "changes", dict, {"after": {"shop": 1 << 63}})
    with pytest.raises(BadInput, match="no owner"):
        kim.call("POST", "share", dict, {**place, "kind": "global", "reason": "r", "title": "t", "text": "Nobody's."})
    kim.call(
        "POST", "receipts", dict, {"team": "shop", "receipts": [["project", "shop", "soon", 1, "2999-01-01T00:00:00Z"]]}
    )
    assert [one["at"] < "2999" for one in kim.trace("soon", "shop")] == [True]
    for asked in ("trace?key=%00", "figures?team=%00"):
        with pytest.raises(BadInput, match="NUL"):
            kim.call("GET", asked, dict)


def test_what_the_person_has_here_stays(join):
    """What the person said, changed or forgot here is neither overwritten nor brought back by the team."""
    kim, lee = join("kim"), join("lee")
    for key in ("own", "edited", "gone"):
        remember(kim.workspace, f"The team says {key}.", key=key)
        kim.share(key, "shop", "r")
    remember(lee.workspace, "I say otherwise.", key="own")
    kim.sync()
    lee.sync()
    remember(lee.workspace, "I changed it.", key="edited")
    forget_memory(lee.workspace, "gone")
    for key in ("own", "edited", "gone"):
        remember(kim.workspace, f"The team says {key} anew.", key=key)
        kim.share(key, "shop", "r")
    kim.sync()
    lee.sync()
    assert {one.key: one.body for one in lee.workspace.store.find(Filter((PROJECT,)))} == {
        "own": "I say otherwise.",
        "edited": "I changed it.",
    }
    for key in ("own", "edited", "gone"):
        kim.withdraw(key, "shop", "r", PROJECT)
    kim.sync()
    lee.sync()
    assert "own" in keys(lee) and "edited" in keys(lee)


def test_a_place_that_cannot_be_here_stops_no_sync(join, world):
    """A memory that raw SQL put where no laptop could keep one is left out, and what comes after it comes."""
    kim, lee = join("kim"), join("lee")
    for key in ("odd", "even"):
        remember(kim.workspace, f"The team says {key}.", key=key)
        kim.share(key, "shop", "r")
    kim.sync()
    server().execute("UPDATE holdfast.memory SET key = '../odd' WHERE key = 'odd'", world[0].database)
    assert lee.sync()["stored"] == 1 and keys(lee) == ["even"]


def test_who_may_not_write_is_told_and_nothing_is_sent_again(join):
    """A reader's share is refused once; the token of nobody lets no outbox be lost."""
    lee = join("lee")
    remember(lee.workspace, "Readers share nothing.", key="reader")
    lee.share("reader", "shop", "r")
    assert lee.sync()["refused"] == 1 and lee.waiting() == []
    with pytest.raises(BadInput, match="reason"):
        lee.share("reader", "shop", " ")


def test_a_token_that_ended_loses_nothing(join, world):
    """While the token does not hold, what is to be sent waits; with another one it goes out."""
    made, tokens, serving = world
    kim = join("kim")
    remember(kim.workspace, "Waits for a token.", key="waits")
    kim.share("waits", "shop", "r")
    server().execute("UPDATE holdfast.token SET expires = now() WHERE person_name = 'kim'", made.database)
    with pytest.raises(StoreUnavailable, match="token"):
        kim.sync()
    assert len(kim.waiting()) == 1
    tokens["kim"] = made.operator.new_token(kim.joined.organisation, "kim", "laptop", ("read", "write"), 30)
    joined(kim.workspace, serving.url, tokens["kim"])
    assert client(kim.workspace).sync()["sent"] == 1
    with pytest.raises(BadInput):
        joined(kim.workspace, "http://hub.example.com", "x")
    with pytest.raises(NotFound):
        client(Workspace(str(kim.workspace.home) + "-other"))


def test_clients_and_servers_that_are_killed_lose_nothing(join, world):
    """Syncs and hub processes killed half-way: in the end everything that was shared is on the hub and with others."""
    made, serving = world[0], Served(world[0])
    kim, lee = join("kim"), join("lee", "lee-3")
    wanted = {f"killed-{number:02}" for number in range(24)}
    for key in sorted(wanted):
        remember(kim.workspace, f"Statement of {key} for everybody.", key=key)
        kim.share(key, "shop", "r")
    assert killed_sync(kim, serving, "sent.jsonl", 3) == -signal.SIGKILL
    # It ends by itself, and what it could not send waits.
    assert killed_sync(kim, serving, "sent.jsonl", 3, serving.process.pid) == StoreUnavailable.exit_code
    assert serving.end(signal.SIGKILL) == -signal.SIGKILL and len(client(kim.workspace).waiting()) == 18
    serving = Served(made)
    through(kim, serving).sync()
    assert client(kim.workspace).waiting() == []
    for _ in range(2):
        assert killed_sync(lee, serving, "cached.jsonl", 4) == -signal.SIGKILL
    through(lee, serving).sync()
    assert wanted <= set(keys(lee)) and client(lee.workspace).sync()["stored"] == 0
    assert serving.end() == 0


def through(one, serving):
    """Have a home go through another process of the hub, and return its client."""
    with open(os.path.join(one.workspace.home, "hub", "joined.json"), "w") as file:
        json.dump({**vars(one.joined), "url": serving.url}, file)
    return client(one.workspace)


# Kills a process as soon as so many rows were written to a file: at a step of the work, however busy the machine is.
KILLING = """
import os, runpy, signal, sys
from holdfast.base import rows
from holdfast.exchange import hub
append, (name, left, victim, *words) = rows.append, sys.argv[1:]
left = int(left)

def counted(path, *more, **options):
    global left
    append(path, *more, **options)
    left -= path.endswith(name)
    if not left:
        os.kill(int(victim) or os.getpid(), signal.SIGKILL)

rows.append, hub._SECONDS = counted, 600.0
sys.argv[1:] = words
runpy.run_module("holdfast", run_name="__main__", alter_sys=True)
"""


def killed_sync(one, serving, name, rows, victim=0):
    """Run a sync that is killed, or whose server is, when it has added so many rows to a file; return its code."""
    through(one, serving)
    words = [name, str(rows), str(victim), "--home", one.workspace.home, "hub", "sync"]
    return subprocess.run([sys.executable, "-c", KILLING, *words], capture_output=True, check=False).returncode


def test_a_client_that_was_away_for_long_catches_up_over_a_bad_line(join, world, monkeypatch):
    """What many changed, withdrew and shared meanwhile comes in portions, through cuts, to what a new client has."""
    from holdfast.store.postgres import PostgresStore

    monkeypatch.setattr("holdfast.exchange.hub.MAX_AT_ONCE", 20)
    lee, away = join("lee"), join("kim", "kim-away")
    store = PostgresStore(world[0].url(organisation=lee.joined.organisation, team="shop", person="kim"))
    for number in range(12):
        store.put(Draft(f"Known before, {number}.", PROJECT, key=f"old-{number}"))
    away.sync()
    for number in range(90):
        store.put(Draft(f"Said while away, {number}.", PROJECT, key=f"new-{number}"))
    for number in range(6):
        store.put(Draft(f"Said otherwise, {number}.", PROJECT, key=f"old-{number}"))
        store.remove(PROJECT, f"old-{number + 6}", forget=True)
        store.remove(PROJECT, f"new-{number}", forget=True)
    for number in range(3):
        remember(away.workspace, f"Noted on the train, {number}.", key=f"train-{number}")
        away.share(f"train-{number}", "shop", "worth it")
    calls, call = itertools.count(1), away.call

    def cut(*given):
        answered = call(*given)
        if next(calls) % 2:
            raise HubAway("cut off behind the answer", "")
        return answered

    monkeypatch.setattr(away, "call", cut)
    for _ in range(40):
        try:
            away.sync()
            break
        except HubAway:
            continue
    monkeypatch.undo()
    lee.sync()
    assert away.waiting() == [] and keys(away) == keys(lee) and len(keys(lee)) == 6 + 84 + 3
    for one in ("old-3", "new-50"):
        assert away.workspace.store.get(PROJECT, one).body == lee.workspace.store.get(PROJECT, one).body
    assert away.sync().total() == 0


def test_a_withdrawal_finds_the_scope_in_which_the_team_has_the_memory(join, world, cli):
    """A global memory is withdrawn without a word of its scope; one that is unknown, or twice there, is asked for."""
    _, tokens, serving = world
    lee = join("lee")
    cli("hub", "join", serving.url, "--token", tokens["kim"])
    cli("remember", "The VPN is down on Sundays.", "--scope", "global", "--key", "vpn")
    assert cli("hub", "share", "vp", "--team", "shop", "--reason", "asked twice").out == "waits  vpn  for shop\n"
    cli("hub", "sync")
    assert lee.sync()["stored"] == 1
    unknown = cli("hub", "withdraw", "nothing", "--team", "shop", "--reason", "wrong")
    assert unknown.code == 3 and "is known here" in unknown.err
    waits = cli("hub", "withdraw", "vpn", "--team", "shop", "--reason", "wrong").out
    assert "global" in waits and "sent 1" in cli("hub", "sync").out
    assert lee.sync()["removed"] == 1 and "vpn" not in keys(lee)
    for scope in ("global", "project"):
        cli("remember", f"A {scope} word.", "--scope", scope, "--key", "both", "--project", "shop")
        cli("hub", "share", "both", "--team", "shop", "--reason", "r", "--scope", scope, "--project", "shop")
    twice = cli("hub", "withdraw", "both", "--team", "shop", "--reason", "wrong")
    assert twice.code == 2 and "global, project:shop" in twice.err


def test_a_sync_says_whose_memories_wait_and_a_hub_without_its_database_says_so(join, world, cli):
    """Who syncs is told the team and the next step, and a client learns nothing of the hub's database."""
    made, tokens, _ = world
    kim = join("kim")
    remember(kim.workspace, "Deploys of the shop need the VPN.", key="vpn")
    kim.share("vpn", "shop", "asked twice")
    kim.sync()
    serving = Served(made)
    cli("hub", "join", serving.url, "--token", tokens["lee"])
    told = cli("hub", "sync")
    assert "waits 1" in told.out and "`holdfast hub allow shop --dry-run`" in told.err
    nowhere = cli("hub", "join", f"{serving.url}/elsewhere", "--token", tokens["lee"])
    assert nowhere.code == 3 and "Is that the address of a hub?" in nowhere.err
    closed = cli("hub", "join", "http://127.0.0.1:1", "--token", tokens["lee"])
    assert closed.code == 5 and "Is the address right" in closed.err and "waits" not in closed.err
    assert serving.end() == 0 and "Did you mean doctor?" in cli("hub", "status").err


def test_a_reviewed_team_is_told_what_somebody_else_approved(join, world, cli):
    """What is shared waits, is listed with its diff, and reaches others after a reviewer's word."""
    made, _, serving = world
    kim, lee = join("kim"), join("lee")
    organisation = kim.joined.organisation
    made.operator.set_rule(organisation, "shop", "reviewed")
    made.operator.set_member(organisation, "everyone", "sam", "admin")
    for key in ("good", "bad"):
        remember(kim.workspace, f"The {key} statement.", key=key)
        kim.share(key, "shop", f"because {key}")
    assert kim.sync()["proposed"] == 2 and lee.sync()["stored"] == 0
    with pytest.raises(Refused, match="lacks the right 'review'"):
        kim.decide(1, approve=True, reason="mine")
    token = made.operator.new_token(organisation, "sam", "review", ("read", "write", "review", "admin"), 30)
    cli("hub", "join", serving.url, "--token", token)
    listed = cli("hub", "review", "--json").json["proposals"]
    assert promised("hub review") <= {*listed[0], "proposals"}
    ids = {one["key"]: str(one["id"]) for one in listed}
    shown = cli("hub", "review", ids["good"]).out
    assert "+The good statement." in shown and "because good" in shown and "good" in cli("hub", "review").out
    assert cli("hub", "review", ids["good"], "--approve").code == 2
    assert cli("hub", "review", ids["good"], "--approve", "--reason", "so it is").out.startswith("approved")
    assert cli("hub", "review", ids["bad"], "--reject", "--reason", "not so", "--json").json["state"] == "rejected"
    assert cli("hub", "review", ids["bad"], "--approve", "--reason", "late").code == 4
    assert kim.proposals("rejected")[0]["answer"] == "not so"
    assert lee.sync()["stored"] == 1 and keys(lee) == ["good"]
    assert cli("hub", "trace", "good", "--json").json == {"given": []}
    assert cli("hub", "admin", "shop", "--rule", "open").out == "open  shop\n"
    assert cli("hub", "admin", "shop", "--person", "new", "--role", "writer").out == "writer  new  shop\n"
    assert cli("hub", "admin", "--person", "new", "--token", "write").out.startswith("hfh_")
    assert cli("hub", "admin", "--person", "new", "--revoke").out == "revoked  1\n"
    assert cli("hub", "admin", "shop", "--person", "new", "--remove").out == "removed  new  shop\n"
    told = cli("hub", "admin", "shop", "--json").json
    assert promised("hub admin") <= {*told, *told["people"][0]} and told["rule"] == "open" and not told["own"]
    assert {"person": "sam", "role": "reviewer"} in told["people"] and "lee\treader" in cli("hub", "admin", "shop").out
    assert cli("hub", "admin", "--person", "kim").code == 2 and cli("hub", "admin", "search").code == 6
    kim.withdraw("good", "shop", "wrong after all", PROJECT)
    kim.sync()
    assert lee.sync()["removed"] == 1


def promised(heading):
    """Return the names that docs/json.md promises under a heading."""
    text = (Path(__file__).parents[2] / "docs" / "json.md").read_text()
    section = text.split(f"### {heading}\n")[1].split("\n### ")[0].split("\n\nWith")[0]
    return set(re.findall(r"`(\w+)`", section))


def test_health_readiness_and_metrics(served):
    """A process says that it lives, whether its database answers, and counts without a name or a text."""
    serving = served[1]
    assert serving.get("/healthz") == (200, "alive\n") and serving.get("/readyz") == (200, "ready\n")
    assert serving.get("/hub/v1/me")[0] == 401
    status, text = serving.get("/metrics")
    assert status == 200 and 'holdfast_requests_total{path="/hub/v1/me",status="401"}' in text
    assert "kim" not in text and "shop" not in text
    server().stop(signal.SIGQUIT)
    assert serving.get("/readyz")[0] == 503 and serving.get("/healthz")[0] == 200
    server().start()
    assert serving.get("/readyz") == (200, "ready\n")


def test_trusting_ahead_is_said_and_a_part_of_a_key_traces_nobody_silently(join, world, cli):
    """Where nothing waits, `allow` says what it did all the same; `trace` names the keys that a part may stand for."""
    kim = join("kim")
    remember(kim.workspace, "Deploys need the VPN.", key="deploys")
    kim.share("deploys", "shop", "r")
    kim.sync()
    cli("hub", "join", world[2].url, "--token", world[1]["lee"])
    assert "without asking" not in cli("hub", "allow", "shop", "--dry-run").err
    told = cli("hub", "allow", "shop", "--trust")
    assert "shop is allowed, and what it changes comes in without asking" in told.out + told.err
    assert cli("hub", "sync").out == "stored 1\n"
    assert "known here: deploys" in cli("hub", "trace", "dep").err
    assert "known here" not in cli("hub", "trace", "deploys").err


def test_a_line_of_the_log_is_there_when_the_answer_is(served, monkeypatch):
    """Who follows a process sees each request at once, and one that is killed has told all it did."""
    monkeypatch.setenv("HOLDFAST_HUB_KEY", "k" * 64)
    serving = Served(served[0], log=subprocess.PIPE)
    serving.get("/hub/v1/me")
    assert select.select([serving.process.stderr], [], [], 60)[0]
    assert '"path": "/hub/v1/me", "status": 401' in serving.process.stderr.readline()
    serving.end(signal.SIGKILL)
    serving.process.stderr.close()


def test_what_moved_is_told_whole_and_a_long_answer_goes_on(join, world, monkeypatch):
    """A move is two places under one number, which no portion tears apart; what is long comes in several answers."""
    from holdfast.store.postgres import PostgresStore

    kim = join("kim")
    store = PostgresStore(world[0].url(organisation=kim.joined.organisation, team="shop", person="kim"))
    store.put(Draft("Moved.", PROJECT, key="moved"))
    kim.sync()
    store.move(PROJECT, "moved", Scope("global"), "moved")
    asked = {"after": {"shop": 1}, "limit": 1}
    told = kim.call("POST", "changes", ToldChanges, asked)["teams"]["shop"]
    assert [(one["kind"], one["text"] is None) for one in told["changes"]] in (
        [("global", False), ("project", True)],
        [("project", True), ("global", False)],
    )
    assert not told["more"]
    monkeypatch.setattr("holdfast.exchange.hub.MAX_AT_ONCE", 1)
    kim.sync()
    assert [str(one.scope) for one in kim.workspace.store.find(Filter(None))] == ["global"]


def test_a_served_hub_has_its_page_by_a_key_of_the_environment(served, monkeypatch):
    """The process that operators start signs cookies with their key; without one it answers programs alone."""
    for key, status in (("", 401), ("k" * 64, 200)):
        monkeypatch.setenv("HOLDFAST_HUB_KEY", key)
        serving = Served(served[0])
        assert serving.get("/sign-in")[0] == status
        serving.end()


def test_the_commands_of_an_operator_and_of_a_client(cli):
    """From an empty database to a memory on another machine, by commands alone."""
    from support.postgres import Hub

    # The roles are the server's, and this makes them.
    hub()
    made = Hub(server(), server().database())
    url = made.operator.conninfo
    assert "0001 people" in cli("hub", "migrate", url).out and cli("hub", "migrate", url).out == ""
    assert cli("hub", "member", url, "acme", "web", "kim", "--role", "writer").out == "writer  kim  acme/web\n"
    told = cli("hub", "token", url, "acme", "kim", "--may", "write", "--may", "read")
    assert told.err.startswith("for kim of acme, with the rights read, write; it ends in 90 days ")
    token = told.out.strip()
    assert cli("hub", "doctor", made.url()).out == "the database is as it should be\n"
    serving = Served(made)
    assert "joined  acme  as kim" in cli("hub", "join", serving.url, "--token", token).out
    cli("remember", "Releases happen on Tuesdays.", "--scope", "global", "--key", "releases")
    share = ("hub", "share", "releases", "--team", "web", "--scope", "global", "--reason", "all ask")
    assert cli(*share).out[:5] == "waits" and promised("hub share") == {*cli(*share, "--json").json}
    assert "sent 2" in cli("hub", "sync").out and cli("hub", "sync").out == "nothing new\n"
    assert cli("hub", "withdraw", "none", *share[3:], "--json").json["scope"] == "global"
    refused = cli("hub", "sync", "--json")
    assert refused.code == 6 and refused.json["refused"] == 1 and promised("hub sync") == {*refused.json}
    assert "0 changes to send" in cli("hub", "doctor").out
    assert cli("hub", "trace", "releases", "--team", "web").code == 0
    assert cli("hub", "allow", "web", "--json").json == {"plan": [], "applied": False}
    assert cli("hub", "deny", "web").out == "denied; 0 memories of it went\n"
    assert cli("hub", "leave").out == "left\n" and cli("hub", "sync").code == 3
    assert cli("hub", "token", url, "acme", "kim", "--revoke").out == "revoked  1\n"
    assert cli("hub", "member", url, "acme", "web", "kim", "--remove").out.startswith("removed")
    assert serving.end() == 0


def test_a_sweep_syncs_with_the_hub_and_never_complains_offline(join, world):
    """Behind a sweep what waits goes out; offline nothing is said, and a token that ended is told where it is seen."""
    from holdfast.app.sync import after_sweep
    from holdfast.journal import notices

    made, _, serving = world
    kim = join("kim")
    said = []
    kim.workspace.say = said.append
    remember(kim.workspace, "Swept to the team.", key="swept")
    kim.share("swept", "shop", "r")
    through(kim, Nowhere())
    after_sweep(kim.workspace)
    assert len(client(kim.workspace).waiting()) == 1 and said == [] and notices.unseen(kim.workspace.home) == []
    through(kim, serving)
    after_sweep(kim.workspace)
    assert client(kim.workspace).waiting() == [] and said == []
    assert client(kim.workspace).sync(seconds=-1)["sent"] == 0, "no time is left for a request"
    server().execute(f"DELETE FROM holdfast.token WHERE organisation_name = '{kim.joined.organisation}'", made.database)
    after_sweep(kim.workspace)
    assert said == [] and "token" in notices.unseen(kim.workspace.home)[0].text


class Nowhere:
    """Where no hub answers."""

    url = "http://127.0.0.1:9"


def test_an_address_that_is_none_is_refused_before_a_token_is_asked_for(cli):
    """Whoever mistypes the address is told at once, and types no token for it."""
    for address in ("hub.example.com", "http://hub.example.com", "https://", "ftp://127.0.0.1"):
        ended = cli("hub", "join", address)
        assert ended.code == 2 and "not the address of a hub" in ended.err and "token" not in ended.err.lower(), ended


def test_what_a_killed_sync_stored_and_did_not_note_is_still_the_hubs(join, world):
    """Killed between the memory and the note of it: the next sync notes it, and a withdrawal takes it away."""
    kim, lee = join("kim"), join("lee", "lee-killed")
    remember(kim.workspace, "Stored and not noted.", key="not-noted")
    kim.share("not-noted", "shop", "r")
    kim.sync()
    lee.sync()
    assert "not-noted" in keys(lee)
    for name in ("cached.jsonl", "position.json"):
        os.unlink(os.path.join(lee.workspace.home, "hub", name))
    kim.withdraw("not-noted", "shop", "wrong", PROJECT)
    kim.sync()
    client(lee.workspace).sync()
    assert "not-noted" not in keys(lee)


def shared(one, text, key="vpn"):
    """Say something here, and have it shared."""
    remember(one.workspace, text, key=key)
    one.share(key, "shop", "r")
    return one.sync()


@pytest.mark.parametrize("key", ["vpn", "synced-first"])
def test_nobody_overwrites_a_version_that_they_never_saw(join, key):
    """A share over another's newer version is refused, the other's is shown, then it goes through: nothing is lost."""
    kim, sam = join("kim"), join("sam")
    assert shared(kim, "Deploys need the VPN.", key)["sent"] == 1 and sam.sync()["stored"] == 1
    assert shared(kim, "Deploys need the VPN of Berlin.", key)["sent"] == 1
    told = []
    sam.workspace.say = told.append
    remember(sam.workspace, "Deploys need the VPN of Rome.", key=key)
    if key == "synced-first":
        sam.sync()
    sam.share(key, "shop", "r")
    assert sam.sync()["refused"] == 1 and "hub allow shop" in told[-1] and "meanwhile" in told[-1]
    assert sam.gate.open_teams() == ["shop"]
    sam.share(key, "shop", "not seen yet")
    assert sam.sync()["refused"] == 1
    [step] = [one.step for one in sam.plan("shop")]
    assert step.act == "differs" and "Berlin" in step.reason and "Rome" in step.reason
    sam.allow("shop", sam.plan("shop"), trust=True)
    assert sam.gate.open_teams() == []
    assert sam.workspace.store.get(PROJECT, key).body == "Deploys need the VPN of Rome."
    sam.share(key, "shop", "r")
    assert sam.sync()["sent"] == 1
    kim.sync()
    assert kim.workspace.store.get(PROJECT, key).body == "Deploys need the VPN of Berlin."
    assert shared(kim, "Deploys need the VPN of Oslo.", key)["refused"] == 1


def test_sharing_again_what_is_ones_own_is_no_conflict(join):
    """Edits one after the other, several in one sync, the same words, and what was withdrawn and seen so go through."""
    kim, sam = join("kim"), join("sam")
    for text in ("One.", "Two.", "Three."):
        assert shared(kim, text)["refused"] == 0
    remember(sam.workspace, "Three.", key="vpn")
    sam.share("vpn", "shop", "r")
    sam.share("vpn", "shop", "again")
    assert sam.sync()["sent"] == 2
    kim.withdraw("vpn", "shop", "wrong")
    kim.sync()
    assert shared(sam, "Four.")["refused"] == 1 and shared(sam, "Four.")["sent"] == 1


def test_a_client_of_an_earlier_version_does_not_share_over_anothers_words(join):
    """It says no version: over what somebody else said last it is refused for good, over its own it goes on."""
    kim, sam = join("kim"), join("sam")
    place = {"team": "shop", "kind": "project", "owner": "shop", "key": "vpn", "reason": "r", "is_own": True}
    told = {**place, "title": "VPN"}
    for text in ("One.", "Two."):
        kim.call("POST", "share", dict, {**told, "text": text})
    with pytest.raises(Conflict):
        sam.call("POST", "share", dict, {**told, "text": "Three."})
    sam.call("POST", "share", dict, {**told, "text": "Two."})
