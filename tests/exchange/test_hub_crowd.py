"""A hub that is used by many while its processes and its database die, clients that come back after a long time."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress

import pytest

from holdfast.errors import NotFound
from holdfast.exchange.hub import join
from holdfast.memory.remember import remember
from holdfast.records import Draft, Filter, Scope
from holdfast.workspace import Workspace
from support.postgres import Hub, Served, hub, server
from support.sampling import count, seed

PROJECT = Scope("project", "shop")
WRITERS, PROCESSES, EACH, KILLS = count(64, 8), count(10, 2), count(12, 3), count(12, 2)


def organisation(made, name):
    made.operator.add_organisation(name)
    made.operator.add_team(name, "shop")
    for person in ("kim", "lee"):
        made.operator.set_member(name, "shop", person, "writer")
    return {person: made.operator.new_token(name, person, "t", ("read", "write"), 9) for person in ("kim", "lee")}


def store_of(made, name, person="kim"):
    from holdfast.store.postgres import PostgresStore

    return PostgresStore(made.url(organisation=name, team="shop", person=person))


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_while_everything_dies():
    """Writers go through hub processes that are killed and a database that crashes: all acknowledged is there."""
    made, chance = hub(), random.Random(seed())
    token = organisation(made, "crowd")["kim"]
    processes = [Served(made) for _ in range(PROCESSES)]
    acknowledged, lock, over = set(), threading.Lock(), threading.Event()

    def write(number):
        own = random.Random(number)
        for turn in range(EACH):
            key, done = f"w-{number}-{turn}", False
            while not done and not over.is_set():
                done = shared(own.choice(processes).url, token, key)
            if done:
                with lock:
                    acknowledged.add(key)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for turn in range(KILLS):
        time.sleep(chance.random() * 0.5)
        place = chance.randrange(PROCESSES)
        processes[place].end(signal.SIGKILL)
        processes[place] = Served(made)
        if turn == KILLS // 2:
            server().stop(signal.SIGQUIT)
            server().start()
    for thread in threads:
        thread.join(600)
    over.set()
    found = {one.key: one.body for one in store_of(made, "crowd").find(Filter(None))}
    assert len(acknowledged) == WRITERS * EACH
    assert {key: found.get(key) for key in acknowledged} == {key: f"Said as {key}." for key in acknowledged}
    for one in processes:
        one.end()


def shared(url, token, key):
    """Share a memory through a hub process; return whether it was acknowledged."""
    told = {"team": "shop", "kind": "project", "owner": "shop", "key": key, "reason": "r", "title": key, "is_own": True}
    request = urllib.request.Request(f"{url}/hub/v1/share", json.dumps({**told, "text": f"Said as {key}."}).encode())
    request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=600) as answered:
            return answered.status == 200
    except (OSError, urllib.error.HTTPError):
        time.sleep(0.05)
        return False


def test_a_client_that_was_away_is_as_the_team_after_one_sync(tmp_path):
    """After long without the hub, one sync brings all that changed, takes what went, and sends what waited."""
    made, chance = hub(), random.Random(seed())
    tokens = organisation(made, "away")
    serving, kim = Served(made), store_of(made, "away")
    with Workspace(str(tmp_path / "lee"), folder=str(tmp_path), project="shop", say=lambda text: None) as workspace:
        lee, _ = join(workspace, serving.url, tokens["lee"])
        lee.allow("shop", [], trust=True)
        steps = count(3000, 60)
        for number in range(steps):
            if number == steps // 3:
                lee.sync()
                remember(workspace, "Noted while away.", key="mine")
                lee.share("mine", "shop", "r")
            key = f"k-{chance.randrange(steps // 3)}"
            # What is removed may not be there.
            with suppress(NotFound):
                if chance.random() < 0.25:
                    kim.remove(PROJECT, key, forget=False)
                else:
                    kim.put(Draft(f"Said in step {number}.", PROJECT, key=key))
        assert lee.sync()["sent"] == 1
        here = {one.key: one.body for one in workspace.store.find(Filter((PROJECT,)))}
        assert here == {one.key: one.body for one in kim.find(Filter(None))} and "mine" in here
        assert sum(lee.sync().values()) <= 1
    assert serving.end() == 0


# What processes of version 4 say to the database, word for word.
FIELDS = (
    "kind, owner, key, title, body, type, tags, low_tags, trust, created, updated, source, agent, session, supersedes,"
    " pinned, anchors, branch, condition, enforce, is_rule, said, earlier, length, text"
)
WORDS = " || ".join(f"holdfast.words_of('{{deploys}}', '{weight}')" for weight in "ABCD")
OLD = (
    "SELECT set_config('holdfast.organisation', 'acme', true), set_config('holdfast.person', 'kim', true)",
    "SELECT organisation, id FROM holdfast.team WHERE name = 'shop'",
    "SELECT 1 FROM holdfast.feed WHERE organisation = 1 AND team = 1 FOR UPDATE",
    f"INSERT INTO holdfast.memory (organisation, team, {FIELDS}, words) VALUES (1, 1, 'global', '', '{{0}}', 't', 'b',"
    " 'project',"
    " '{{}}', '{{}}', 'user', 'c', 'u', '', '', '', '{{}}', false, '{{}}', '', '', '', false, 's', '{{}}', 1,"
    f" 'text', {WORDS.replace('{', '{{').replace('}', '}}')})",
    "SELECT m.id FROM holdfast.memory m WHERE m.organisation = 1 AND m.team = 1 AND m.words @@ '''deploy'''::tsquery",
    "INSERT INTO holdfast.meaning SELECT 1, 1, m.id, 'm', '', '[1,2]'::halfvec FROM holdfast.memory m"
    " WHERE m.key = '{0}' ON CONFLICT DO NOTHING",
    "INSERT INTO holdfast.receipt VALUES (1, 1, 'kim', 'global', '', '{0}', 1, 'now') ON CONFLICT DO NOTHING",
    "INSERT INTO holdfast.use VALUES (1, 1, 'global', '', '{0}', 1, '2026-01-01T00:00:00Z')",
)


def test_a_process_of_an_earlier_version_goes_on_while_the_database_is_brought_up():
    """While each step is done, what the older process says holds; what it was told is stored is found by the newest."""
    import psycopg

    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_connection import migrate

    hub()
    made = Hub(server(), server().database())
    assert len(migrate(made.operator.conninfo, 4)) == 4
    with psycopg.connect(made.operator.conninfo) as db:
        for sql in (
            "INSERT INTO holdfast.organisation (name) VALUES ('acme')",
            "SELECT holdfast.add_partitions()",
            "INSERT INTO holdfast.team (organisation, name) VALUES (1, 'shop')",
            "INSERT INTO holdfast.feed VALUES (1, 1)",
            "INSERT INTO holdfast.person (organisation, name) VALUES (1, 'kim')",
            "INSERT INTO holdfast.member VALUES (1, 1, 1, 'writer')",
        ):
            db.execute(sql)
    told, over = [], threading.Event()

    def older():
        with psycopg.connect(made.url(), prepare_threshold=None) as db:
            number = 0
            while not over.is_set() or number < 3:
                number += 1
                try:
                    for sql in OLD:
                        db.execute(sql.format(f"k-{number}") if "{0}" in sql else sql)
                    db.commit()
                    told.append(f"k-{number}")
                except psycopg.errors.DeadlockDetected:
                    db.rollback()

    thread = threading.Thread(target=older)
    thread.start()
    try:
        while not told:
            time.sleep(0.01)
        migrate(made.operator.conninfo)
        had = len(told)
        while len(told) < had + 3 and thread.is_alive():
            time.sleep(0.01)
    finally:
        over.set()
        thread.join(600)
    store = PostgresStore(made.url(organisation="acme", team="shop", person="kim"))
    found = store.search("deploys", Filter(None), 10_000)
    assert sorted(one.memory.key for one in found) == sorted(told) and len(told) >= had + 3

    def near(tables):
        tables.memories.use_model("m")
        return tables.memories.nearest([[1, 2]], Filter((Scope("global"),)), 9)[0]

    assert len(store.ask(near)) == min(9, len(told))
