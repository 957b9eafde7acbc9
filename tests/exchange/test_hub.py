"""Homes that share through a hub: a real PostgreSQL, real server processes, and clients that are cut off."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from holdfast.app.erase import forget_memory
from holdfast.errors import BadInput, NotFound, Refused, StoreUnavailable
from holdfast.exchange.hub import client
from holdfast.exchange.hub import join as joined
from holdfast.inject.receipts import event_of
from holdfast.memory.remember import remember
from holdfast.recall.recall import recall
from holdfast.records import Filter, Given, Receipt, Scope
from holdfast.workspace import Workspace
from support.postgres import hub, server

PROJECT = Scope("project", "shop")


class Served:
    """One process of the hub."""

    def __init__(self, made, port=0):
        words = ["serve", "--store", made.url(), "--port", str(port)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "holdfast", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.port = int(re.search(r"port (\d+)", self.process.stdout.readline())[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def get(self, path):
        """Return status and text of a page without a token."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=60) as answered:
                return answered.status, answered.read().decode()
        except urllib.error.HTTPError as problem:
            return problem.code, problem.read().decode()

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.stdout.close()
        return self.process.wait(60)


@pytest.fixture(scope="module")
def served():
    """Return a hub and a process that serves it."""
    made = hub()
    serving = Served(made)
    yield made, serving
    assert serving.end() == 0


@pytest.fixture
def world(served, request):
    """Return the hub, the tokens of a writer, a reader and a reviewer, and the process.

    Their organisation is this test's own: what other tests shared is never fetched, whichever ran before.
    """
    made, serving = served
    organisation = request.node.name[:60]
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

    def open_home(person, name=""):
        workspace = Workspace(
            str(tmp_path / (name or person)), folder=str(tmp_path), project="shop", say=lambda text: None
        )
        opened.append(workspace)
        client, teams = joined(workspace, serving.url, tokens[person])
        assert "shop" in teams
        return client

    yield open_home
    for workspace in opened:
        workspace.close()


def keys(client):
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
    assert [one["person"] for one in sam.trace("vpn", "shop")] == ["lee"]


def receipt_event(workspace, at, given):
    """Write the receipt of an injection into the journal, as a hook does."""
    one = Given(Scope(given["scope"], given["owner"]), given["key"], given["digest"], given["why"], given["tokens"])
    workspace.journal.append(event_of(Receipt(at, "codex", "s-1", "start", (one,))))


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


def test_what_is_personal_is_refused_by_client_and_hub(join):
    """What is of a session or about the person does not leave; sent all the same, the hub refuses it."""
    kim = join("kim")
    remember(kim.workspace, "I like tabs.", key="tabs", type="user", scope="global")
    with pytest.raises(Refused, match="personal"):
        kim.share("tabs", "shop", "why not", "global")
    sent = {"team": "shop", "reason": "r", "title": "T", "text": "I like tabs.", "key": "tabs"}
    for kind, owner, type in (("global", "", "user"), ("session", "s-1", "project"), ("agent", "reviewer", "project")):
        with pytest.raises(Refused):
            kim.call("POST", "share", {**sent, "kind": kind, "owner": owner, "type": type})
    with pytest.raises(BadInput):
        kim.call("POST", "share", {**sent, "kind": "planet", "owner": "", "type": "project"})
    secret = "AKIA" + "IOSFODNN7QRSTUVW"
    kim.call(
        "POST",
        "share",
        {**sent, "kind": "global", "owner": "", "type": "project", "text": f"Key {secret} is ours, rotate it."},
    )
    lee = join("lee", "lee-2")
    lee.sync()
    assert secret not in lee.workspace.store.text(lee.workspace.store.get(Scope("global"), "tabs"))
    kim.call("POST", "withdraw", {"team": "shop", "reason": "r", "kind": "global", "owner": "", "key": "tabs"})


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
    syncs_until(kim, serving, "sent.jsonl", 3)
    syncs_until(kim, serving, "sent.jsonl", 6, serving.process)
    serving = Served(made)
    through(kim, serving).sync()
    assert client(kim.workspace).waiting() == []
    syncs_until(lee, serving, "cached.jsonl", 4)
    syncs_until(lee, serving, "cached.jsonl", 8)
    through(lee, serving).sync()
    assert wanted <= set(keys(lee)) and client(lee.workspace).sync()["stored"] == 0
    assert serving.end() == 0


def through(one, serving):
    """Have a home go through another process of the hub, and return its client."""
    with open(os.path.join(one.workspace.home, "hub", "joined.json"), "w") as file:
        json.dump({**vars(one.joined), "url": serving.url}, file)
    return client(one.workspace)


def syncs_until(one, serving, name, rows, victim=None):
    """Run a sync that is killed, or whose server is, as soon as a file of the home has so many rows."""
    through(one, serving)
    path = os.path.join(one.workspace.home, "hub", name)
    words = [sys.executable, "-m", "holdfast", "--home", one.workspace.home, "hub", "sync"]
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None and lines_of(path) < rows:
        time.sleep(0.001)
    if victim is not None:
        victim.kill()
        victim.wait()
        serving.process.stdout.close()
        # It ends by itself, and what it could not send waits.
        child.wait(120)
    child.kill()
    child.wait()


def lines_of(path):
    """Return how many lines a file has; none where there is none yet."""
    try:
        with open(path, "rb") as file:
            return file.read().count(b"\n")
    except FileNotFoundError:
        return 0


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


def test_the_commands_of_an_operator_and_of_a_client(cli):
    """From an empty database to a memory on another machine, by commands alone."""
    from support.postgres import Hub

    made = Hub(server(), server().database())
    url = made.operator.conninfo
    assert "0001 people" in cli("hub", "migrate", url).out and cli("hub", "migrate", url).out == ""
    assert cli("hub", "member", url, "acme", "web", "kim", "--role", "writer").out == "writer  kim  acme/web\n"
    token = cli("hub", "token", url, "acme", "kim", "--may", "write").out.strip()
    assert cli("hub", "doctor", made.url()).out == "the database is as it should be\n"
    serving = Served(made)
    assert "joined  acme  as kim" in cli("hub", "join", serving.url, "--token", token).out
    cli("remember", "Releases happen on Tuesdays.", "--scope", "global", "--key", "releases")
    assert (
        cli("hub", "share", "releases", "--team", "web", "--scope", "global", "--reason", "all ask").out[:5] == "waits"
    )
    assert "sent 1" in cli("hub", "sync").out and cli("hub", "sync").out == "nothing new\n"
    assert "0 changes to send" in cli("hub", "doctor").out
    assert cli("hub", "trace", "releases", "--team", "web").code == 0
    assert cli("hub", "leave").out == "left\n" and cli("hub", "sync").code == 3
    assert cli("hub", "token", url, "acme", "kim", "--revoke").out == "revoked  1\n"
    assert cli("hub", "member", url, "acme", "web", "kim", "--remove").out.startswith("removed")
    assert serving.end() == 0
