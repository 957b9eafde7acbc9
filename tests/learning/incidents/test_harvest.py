"""Incidents: what is in the folder that a rating from 1 to 3 makes."""

from __future__ import annotations

import json
import os

import pytest

from holdfast.app.harvest import harvest
from holdfast.learning.incidents.model import CALLS, CONTEXT, SENTIMENT, TRANSCRIPT, Incidents
from sessions.making import answer, human, ran
from support.archived import said
from support.learned import DELETED, complained, rated, talked


def read(path: str, name: str) -> str:
    """Return what a file of an incident says."""
    with open(os.path.join(path, name), encoding="utf-8") as file:
        return file.read()


def incident(h) -> str:
    """Harvest, and return the folder of the only incident."""
    harvest(h)
    (one,) = Incidents(h.home).all()
    return one.path


def test_the_context_can_be_read_without_anything_else(workspace, shop) -> None:
    """What was said and asked, the likely cause, the last turns and calls, and where to read on."""
    with workspace() as h:
        complained(
            h, shop, calls=(ran("ls"), ran("rm migrations/0007_x.py"), ran("make", "Error: no rule", failed=True))
        )
        path = incident(h)
    assert os.path.basename(path) == "2026-05-04-103000_you-deleted-my-migration-again"
    text = read(path, CONTEXT)
    assert text.startswith(f"# Rated 2: {DELETED}\n") and "in some-agent/s-1 (project example.com--acme--shop)" in text
    assert "## What had been asked\n\n> Clean the project up, please.\n" in text
    assert "## Likely cause\n\n`rm migrations/0007_x.py` (place 2): it removed something, it shares words" in text
    assert "The agent, 2026-05-04T10:30:00Z (place 4):\n\n> I cleaned up.\n" in text
    assert "- place 3, Bash (failed): `make`\n" in text
    assert "`holdfast sessions show some-agent/s-1 --raw`" in text and "- lesson: `holdfast lesson show " in text


def test_the_other_files_are_for_programs(workspace, shop) -> None:
    """The rating, the calls and the events are JSON; the events go up to the complaint."""
    with workspace() as h:
        complained(h, shop)
        path = incident(h)
    rating = json.loads(read(path, SENTIMENT))
    assert (rating["rating"], rating["comment"], rating["session"]) == (2, DELETED, "s-1")
    (call,) = json.loads(read(path, CALLS))
    assert (call["tool"], call["place"], json.loads(call["input"])) == (
        "Bash",
        1,
        {"command": "rm migrations/0007_x.py"},
    )
    events = [json.loads(line) for line in read(path, TRANSCRIPT).splitlines()]
    assert [one["role"] for one in events] == ["human", "tool", "assistant", "human"] and events[0]["place"] == 0


def test_a_rating_is_nothing_that_was_asked_for(workspace, shop) -> None:
    """What had been asked is the last message before the complaint that rates nothing."""
    with workspace() as h:
        spoken = (human("Run the report"), answer(), human("8/10, nice and quick"), answer("Thanks."))
        name = talked(h, shop, "s-1", *spoken)
        rated(h, name, 3, "far too slow", "2026-05-04T12:00:00Z")
        path = incident(h)
    assert "## What had been asked\n\n> Run the report\n" in read(path, CONTEXT)


def test_what_is_long_is_bounded(workspace, shop) -> None:
    """Ten turns of 500 characters, ten calls of 200, and a transcript of a megabyte are the most."""
    with workspace() as h:
        turns = [human("x" * 50_000), answer("y" * 50_000), ran("z" * 50_000, "o" * 50_000)] * 200
        name = talked(h, shop, "s-1", *turns, said("human", f"1 - {DELETED}", "2026-05-04T10:30:00Z"))
        rated(h, name, 1, DELETED, "2026-05-04T10:30:00Z")
        path = incident(h)
    assert len(read(path, CONTEXT)) < 10_000 and read(path, CONTEXT).count("(place ") == 10
    assert os.path.getsize(os.path.join(path, TRANSCRIPT)) <= 1_000_000
    assert os.path.getsize(os.path.join(path, CALLS)) < 200_000


def test_a_cause_that_is_not_clear_is_not_made_up(workspace, shop) -> None:
    """Where no call shares a word with the complaint, that is said."""
    with workspace() as h:
        complained(h, shop, comment="this is far too slow for me", calls=(ran("rm -rf build"),))
        path = incident(h)
    assert "## Likely cause\n\nNot clear: no tool call" in read(path, CONTEXT)


@pytest.mark.parametrize(("rating", "made"), [(1, 1), (3, 1), (4, 0), (5, 0)])
def test_only_the_worst_ratings_make_one(workspace, shop, rating, made) -> None:
    """Ratings from 1 to 3 do; 4 and 5 with a comment make a lesson and no incident."""
    with workspace() as h:
        complained(h, shop, rating=rating)
        done = harvest(h)
        assert len(Incidents(h.home).all()) == made and "lesson" in {one.kind for one in done.found}


def test_the_same_words_told_twice_are_one_incident(workspace, shop) -> None:
    """A hook and a transcript may tell a rating minutes apart; it is one incident."""
    with workspace() as h:
        name = complained(h, shop)
        rated(h, name, 2, DELETED, "2026-05-04T10:40:00Z")
        assert incident(h)


def test_a_number_alone_is_named_after_what_was_asked(workspace, shop) -> None:
    """Without a comment the name has the words of the ask."""
    with workspace() as h:
        at = "2026-05-04T10:30:00Z"
        name = talked(h, shop, "s-1", human("Mend the till of the shop"), answer(), said("human", "1", at))
        rated(h, name, 1, "", at)
        assert os.path.basename(incident(h)) == "2026-05-04-103000_mend-the-till-of-the-shop"


def test_what_would_steer_a_terminal_is_written_out(workspace, shop) -> None:
    """Control characters in what was said do not reach a person's terminal."""
    with workspace() as h:
        complained(h, shop, comment="you deleted \x1b[31mmy migration")
        path = incident(h)
    assert "\x1b" not in read(path, CONTEXT) and "\\u001b[31mmy migration" in read(path, CONTEXT)


def test_prune_plans_and_keeps_the_budget_too(workspace, cli, shop) -> None:
    """A lower budget is kept by `prune`: shown first, then done, and the context stays."""
    with workspace() as h:
        complained(h, shop)
        path = incident(h)
    low = ("--set", "learning.incident_bytes=100")
    (drop, *_) = cli(*low, "prune", "--dry-run", "--json").json["plan"]
    assert drop["act"] == "drop" and drop["target"] == os.path.join(path, TRANSCRIPT) and os.path.exists(drop["target"])
    cli(*low, "prune", "--yes")
    assert sorted(os.listdir(path)) == [CONTEXT, SENTIMENT]
