"""Rating a session, listing ratings, and taking over those of another program."""

from __future__ import annotations

import json

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import BadInput, NotFound, SwitchedOff
from holdfast.learning.ratings import harvest as harvest_ratings
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings import rate
from holdfast.records import Event
from holdfast.sessions.archive import Archive
from support.archived import said, session, store

SHOP = "example.com--acme--shop"
TOKEN = "ghp_" + "a1B2" * 9


def heard(workspace, id: str, text: str, at: str, agent: str = "codex", project: str = SHOP) -> None:
    """Let a hook have heard a prompt."""
    told = {"agent": agent, "session": id, "project": project, "prompt": text}
    workspace.journal.append(Event(at, "prompt", told))


def test_the_last_session_is_rated(cli, workspace, home) -> None:
    """A rating goes to the session of this project that was heard last; another project's is not meant."""
    with workspace() as opened:
        heard(opened, "s1", "go", "2026-05-04T10:00:00Z")
        heard(opened, "s2", "go", "2026-05-04T11:00:00Z")
        heard(opened, "s3", "go", "2026-05-04T12:00:00Z", project="example.com--acme--bakery")
    assert cli("rate", "8", "clean", "and", "quick").out.startswith("added   8/10  20")
    (row,) = signals.read(str(home))
    assert (row.agent, row.session, row.project, row.rating) == ("codex", "s2", SHOP, 8)
    assert (row.comment, row.source, row.text) == ("clean and quick", "explicit", "8 - clean and quick")


def test_a_session_without_hooks_is_rated(cli, workspace, shop, home) -> None:
    """Where the archive has a later session than the hooks heard, that one is meant; --session names any other."""
    with workspace() as opened:
        heard(opened, "s1", "go", "2026-05-04T10:00:00Z")
        store(opened, session("later", shop, day="2026-05-05"), said("human", "go"))
    assert cli("rate", "9/10", "--json").json["rating"]["session"] == "later"
    assert cli("rate", "7", "--session", "s1", "--json").json["rating"]["session"] == "s1"
    assert cli("rate", "add", "6", "--session", "some-agent/later", "--json").json["rating"]["agent"] == "some-agent"
    assert cli("rate", "6", "--session", "nothing").code == 3


def test_a_named_session_is_rated_in_its_own_project(cli, workspace, shop, home) -> None:
    """A rating counts for the project of the session that --session names, wherever the command is run."""
    with workspace() as opened:
        heard(opened, "s3", "go", "2026-05-04T12:00:00Z", project="example.com--acme--bakery")
        store(opened, replace(session("far", shop), project="example.com--acme--mill"), said("human", "go"))
    cli("rate", "7", "--session", "s3")
    cli("rate", "6", "--session", "some-agent/far")
    assert {(row.session, row.project) for row in signals.read(str(home))} == {
        ("s3", "example.com--acme--bakery"),
        ("far", "example.com--acme--mill"),
    }


@pytest.mark.parametrize("id", ["../../../x", "/etc/x", ".hidden", "a\nb", TOKEN])
def test_an_id_of_another_program_is_no_path_and_no_secret(cli, home, tmp_path, id) -> None:
    """An id that could name another folder, or that is a secret, is replaced when ratings are taken over."""
    file = tmp_path / "theirs.jsonl"
    file.write_text(json.dumps({"id": id, "at": "2026-05-04T10:00:00Z", "rating": 2, "comment": "bad", "session": "s"}))
    assert cli("rate", "import", str(file)).code == 0
    (row,) = signals.read(str(home))
    assert row.id != id and row.id.isalnum()
    assert json.loads((home / "learning" / "signals" / "ratings.jsonl").read_text())["id"] == row.id


def test_what_is_no_rating_is_refused(cli, workspace, home) -> None:
    """A number outside of 1 to 10, a long comment, and a project without a session are refused; nothing is written."""
    with workspace() as opened:
        with pytest.raises(NotFound):
            rate.rate(opened, 8)
        heard(opened, "s1", "go", "2026-05-04T10:00:00Z")
        for wrong in ("0", "11", "8/12", "eight", "٣", "3.5", "-1"):
            with pytest.raises(BadInput):
                rate.rate(opened, wrong)
        with pytest.raises(BadInput):
            rate.rate(opened, 8, "x" * 301)
    with workspace(flags={"enabled": "false"}) as opened, pytest.raises(SwitchedOff):
        rate.rate(opened, 8)
    assert signals.read(str(home)) == []


def test_the_same_again_is_unchanged(cli, workspace) -> None:
    """The same rating a moment later is not added again."""
    with workspace() as opened:
        heard(opened, "s1", "go", "2026-05-04T10:00:00Z")
    assert cli("rate", "8", "--json").json["action"] == "added"
    assert cli("rate", "8", "--json").json["action"] == "unchanged"
    assert len(cli("rate", "list", "--json").json["ratings"]) == 1


def test_a_secret_in_a_comment(cli, workspace, home) -> None:
    """A secret is taken out before the row is written, and its kind is told."""
    with workspace() as opened:
        heard(opened, "s1", "go", "2026-05-04T10:00:00Z")
    assert cli("rate", "8", f"it printed {TOKEN}", "--json").json["redacted"] == ["github-token"]
    assert TOKEN not in (home / "learning" / "signals" / "ratings.jsonl").read_text()


def test_ratings_are_listed_by_project(cli, workspace, home, machine, monkeypatch) -> None:
    """A project sees its own ratings, newest first; --everywhere shows all."""
    rows = [
        {"id": "a", "at": "2026-05-01T10:00:00Z", "rating": 3, "project": SHOP, "comment": "slow"},
        {"id": "b", "at": "2026-05-02T10:00:00Z", "rating": 9, "project": "bakery"},
        {"id": "c", "at": "2026-05-03T10:00:00Z", "rating": 8, "project": SHOP, "source": "implicit", "text": "nice"},
    ]
    path = home / "learning" / "signals" / "ratings.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    workspace()
    assert [row["id"] for row in cli("rate", "--json").json["ratings"]] == ["c", "a"]
    assert [row["id"] for row in cli("rate", "--list", "--limit", "1", "--json").json["ratings"]] == ["c"]
    assert [row["id"] for row in cli("rate", "list", "--everywhere", "--json").json["ratings"]] == ["c", "b", "a"]
    shown = cli("rate").out
    assert " 8/10  2026-05-03T10:00" in shown and "implicit 1.00  nice" in shown and "slow" in shown
    assert "no session was rated yet" in cli("rate", "--project", "empty").err
    path.write_text(json.dumps(rows[1]) + "\n")
    none = cli("rate").err
    assert "no session of this project was rated yet" in none and "rate --everywhere" in none


def test_ratings_of_another_program_are_taken_over_once(cli, shop, home, tmp_path) -> None:
    """Rows in other shapes become ours, cleaned and with times in UTC; twice is like once; no signal is no rating."""
    path = tmp_path / "ratings.jsonl"
    rows = [
        {"timestamp": "2026-01-02T05:00:00+02:00", "score": 7, "session_id": "a", "comment": f"good {TOKEN}"},
        {"timestamp": "2026-01-03T00:00:00.500Z", "rating": 2, "source": "implicit", "confidence": 0.8},
        {"timestamp": "2026-01-03T00:00:00Z", "rating": 5, "source": "implicit", "confidence": 0.9},
        {"timestamp": "2026-01-03T00:00:00Z", "rating": 9, "source": "implicit", "confidence": 0.3},
        {"timestamp": "2026-01-04T00:00:00Z", "mood": "fine"},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n{broken\n")
    planned = cli("rate", "import", str(path), "--dry-run", "--json").json
    assert planned == {"new": 2, "known": 0, "passed_over": 4, "added": 0, "applied": False}
    assert not home.exists()
    assert cli("rate", "import", str(path)).out == "2 added, 0 known, 4 passed over\n"
    again = cli("rate", "import", str(path), "--json").json
    assert (again["added"], again["known"]) == (0, 2)
    found = signals.read(str(home))
    assert [(row.at, row.rating) for row in found] == [("2026-01-02T03:00:00Z", 7), ("2026-01-03T00:00:00Z", 2)]
    assert TOKEN not in (home / "learning" / "signals" / "ratings.jsonl").read_text()
    assert cli("rate", "import", str(tmp_path / "nothing")).code == 3


def test_an_agent_passes_on_what_the_person_said(workspace, home) -> None:
    """An agent's call is a rating only with words that the person said in that session, and only once."""
    with workspace() as opened:
        heard(opened, "s1", "That was a solid eight, thanks!", "2026-05-04T10:00:00Z")
        with pytest.raises(BadInput):
            rate.pass_on(opened, 10, "flawless work", agent="codex", session="s1")
        with pytest.raises(BadInput):
            rate.pass_on(opened, 8, "  ", agent="codex", session="s1")
        first = rate.pass_on(opened, 8, "a solid eight", agent="codex", session="s1")
        again = rate.pass_on(opened, 8, "solid eight, thanks", agent="codex", session="")
        assert (first.action, again.action, again.rating.session) == ("added", "unchanged", "s1")
        assert rate.pass_on(opened, 3, "meh", agent="other", session="").action == "added", "no hook heard this agent"
    assert [(row.rating, row.source) for row in signals.read(str(home))] == [(8, "explicit"), (3, "passed-on")]


def harvested(workspace, name: str) -> list[bool]:
    """Keep what is found in a session of the archive, and return what of it was new."""
    archive = Archive(workspace.home)
    found = harvest_ratings.harvest(workspace, archive.digest(name), list(archive.events(name)))
    return [one.keep() for one in found]


def test_ratings_in_the_archive(workspace, shop, home) -> None:
    """What a person said in a session without hooks is found once, for ever; a choice and the agent's words are not."""
    with workspace() as opened:
        name = store(
            opened,
            session("one", shop),
            said("human", "Add a cache", "2026-05-04T10:00:00Z"),
            said("assistant", "Which?\n1. Memory\n2. Disk", "2026-05-04T10:01:00Z"),
            said("human", "2", "2026-05-04T10:02:00Z"),
            said("assistant", "Done. 10/10, great job!", "2026-05-04T10:03:00Z"),
            said("human", "3", "2026-05-04T10:04:00.250Z"),
            said("human", "you deleted my cache again", "2026-05-04T10:05:00Z"),
        )
        assert harvested(opened, name) == [True, True]
        assert harvested(opened, name) == [False, False]
    found = signals.read(str(home))
    assert [(row.rating, row.source, row.at) for row in found] == [
        (3, "explicit", "2026-05-04T10:04:00Z"),
        (3, "implicit", "2026-05-04T10:05:00Z"),
    ]
    assert {(row.agent, row.session, row.project) for row in found} == {("some-agent", "one", SHOP)}


def test_what_a_hook_heard_is_not_harvested_again(workspace, shop, home) -> None:
    """A row of a hook and the same message in the transcript are one rating, also where the transcript has no times."""
    with workspace() as opened:
        row = rate.Rating("2026-05-04T10:00:20Z", 8, "explicit", "some-agent", "one", SHOP, "", 1.0, "8/10", "by-hook")
        assert signals.add(opened.home, row)
        name = store(opened, session("one", shop), said("human", "8/10", "2026-05-04T10:00:00Z"))
        assert harvested(opened, name) == [False]
        name = store(opened, session("one", shop), said("human", "8/10", ""))
        assert harvested(opened, name) == [False]
        name = store(opened, session("fork", shop), said("human", "8/10", "2026-05-04T10:00:19Z"))
        assert harvested(opened, name) == [False]
        sub = store(opened, session("sub", shop, is_subagent=True), said("human", "2/10"))
        assert harvested(opened, sub) == []
    assert len(signals.read(str(home))) == 1


def test_a_rating_that_a_hook_judged_is_known_by_its_event(workspace, shop, home) -> None:
    """Its message is not judged again, whatever the transcript says of it; another message of the session is."""
    with workspace() as opened:
        row = rate.Rating(
            "2026-05-04T10:00:20Z", 8, "explicit", "some-agent", "one", SHOP, text="8/10, [redacted]", id="h"
        )
        assert signals.add(opened.home, replace(row, event=row.at))
        first = said("human", "8/10, the key is now in the vault", "2026-05-04T10:00:19Z")
        name = store(opened, session("one", shop), first, said("human", "3/10", "2026-05-04T10:09:00Z"))
        assert harvested(opened, name) == [True]
    assert [one.rating for one in signals.read(str(home))] == [8, 3]
