"""Sessions on their way into the index, and what brings index and archive into line."""

from __future__ import annotations

import pytest

from holdfast.sessions import index as session_index
from holdfast.sessions.archive import Archive
from holdfast.sessions.browse import list_sessions
from holdfast.sessions.index import Indexing, make_passage_vectors, rebuild, settle, waiting_passages
from holdfast.sessions.search import search
from holdfast.store.session_table import Wanted
from support.archived import edited, said, session, store


def names(workspace) -> list[str]:
    """Return the sessions that the index has."""
    return [row.name for row in workspace.store.ask(lambda tables: tables.sessions.find(Wanted()))]


def found(workspace, word: str, **asked) -> list[str]:
    """Return what a search finds that has the word, as session and speaker; neighbours are left out."""
    hits = [hit for hit in search(workspace, word, **asked).hits if word in hit.text]
    return sorted(f"{hit.session} {hit.speaker}" for hit in hits)


def test_a_session_is_put_whole_and_replaced(workspace, shop) -> None:
    """A session that is put again has what it says now and nothing of what it said before."""
    with workspace() as h:
        store(h, session("one", shop), said("human", "The upload fails with zanzibar."))
        store(h, session("one", shop), said("human", "The download fails with kilimanjaro."))
        assert names(h) == ["some-agent/one"]
        assert found(h, "kilimanjaro") == ["some-agent/one human"]
        assert found(h, "zanzibar") == []


def test_what_programs_and_holdfast_put_in_is_no_passage(workspace, shop) -> None:
    """Injected context, command echoes, tool results and our own text are not searched."""
    with workspace() as h:
        events = [said(role, f"the word quokka of {role}") for role in ("injected", "command", "ours", "tool")]
        store(h, session("one", shop), said("human", "Hello."), *events)
        assert found(h, "quokka") == []


def test_sessions_are_written_together(workspace, shop) -> None:
    """Within a transaction sessions are written when it ends, and without one each at once."""
    with workspace() as h:
        made = [store(h, session(id, shop), said("human", id), index=False) for id in ("one", "two", "three")]
        archive, indexing = Archive(h.home), Indexing(h, lambda folder: "x")
        with indexing.transaction():
            for name in made[:2]:
                indexing.done(archive.digest(name))
            assert names(h) == []
        assert sorted(names(h)) == sorted(made[:2])
        indexing.done(archive.digest(made[2]))
        assert len(names(h)) == 3


def test_an_error_within_a_transaction_writes_nothing(workspace, shop) -> None:
    """What was done before the error in the same block is not written either."""
    with workspace() as h:
        name = store(h, session("one", shop), said("human", "one"), index=False)
        indexing = Indexing(h, lambda folder: "x")
        with pytest.raises(ZeroDivisionError), indexing.transaction():
            indexing.done(Archive(h.home).digest(name))
            raise ZeroDivisionError
        assert names(h) == []
        with indexing.transaction():
            indexing.done(Archive(h.home).digest(name))
        assert names(h) == [name]


def test_settle_brings_in_what_a_crash_left_out(workspace, shop) -> None:
    """A session of the archive that the index does not have comes in, one that the archive lost goes out."""
    with workspace() as h:
        kept = store(h, session("kept", shop), said("human", "The kept one."))
        gone = store(h, session("gone", shop), said("human", "The gone one."))
        missing = store(h, session("missing", shop), said("human", "The missing one."), index=False)
        archive = Archive(h.home)
        archive.forget(gone)
        assert settle(h, archive) == 1
        assert sorted(names(h)) == sorted([kept, missing])
        assert settle(h, archive) == 0


def test_when_the_raw_events_go_only_the_digest_is_found(workspace, shop) -> None:
    """After the budget took the raw events, what was said is gone from the index, and the digest still finds it."""
    with workspace() as h:
        answer = said("assistant", "It was the pangolin setting.")
        asked = said("human", "Please fix the wombat upload.")
        name = store(h, session("one", shop), asked, answer, said("assistant", "It works."))
        assert found(h, "pangolin") == [f"{name} assistant"]
        archive = Archive(h.home)
        archive.drop_raw(name)
        settle(h, archive)
        assert found(h, "pangolin") == []
        assert found(h, "wombat") == [f"{name} digest"]
        assert not list_sessions(h).sessions[0].talk


def test_an_index_that_was_deleted_is_filled_by_looking(workspace, shop, home) -> None:
    """Who lists sessions after index.db was deleted gets them all, and is told."""
    with workspace() as h:
        name = store(h, session("one", shop), said("human", "The upload fails."))
    (home / "index.db").unlink()
    with workspace() as h:
        assert [row.name for row in list_sessions(h).sessions] == [name]
    assert any("1 session of the archive" in text for text in workspace.said)


def test_a_broken_digest_does_not_stop_the_others(workspace, shop, home) -> None:
    """A digest that cannot be read is said and left out; the rest of the archive comes in."""
    with workspace() as h:
        store(h, session("bad", shop), said("human", "bad"))
        good = store(h, session("good", shop), said("human", "good"))
        (home / "archive" / "digests" / "some-agent" / "bad.json").write_bytes(b"{")
        rebuild(h, Archive(h.home))
        assert good in names(h)
    assert any("some-agent/bad is not in the index" in text for text in workspace.said)


def test_a_session_in_two_projects_is_seen_in_both_by_its_parts(workspace, shop, repository) -> None:
    """What was said in a folder belongs to the project of that folder, and is not seen from the other."""
    bakery = repository("bakery")
    with workspace() as h:
        events = (said("human", "Fix the narwhal.", folder=shop), said("human", "Fix the axolotl.", folder=bakery))
        store(h, session("both", shop), *events, edited(bakery / "oven.py", bakery))
        assert "some-agent/both human" in found(h, "narwhal") and found(h, "axolotl") == found(h, "oven") == []
    with workspace(folder=str(bakery)) as h:
        assert found(h, "axolotl") == ["some-agent/both human"] and found(h, "narwhal") == []
        assert found(h, "oven") == ["some-agent/both digest"]
        assert found(h, "axolotl", everywhere=True) and found(h, "narwhal", everywhere=True)


def test_a_folder_of_no_project_is_seen_only_everywhere(workspace, shop) -> None:
    """What was said where no project is known is in no project's search."""
    with workspace() as h:
        store(h, session("one", ""), said("human", "The capybara sleeps."))
        assert found(h, "capybara") == []
        assert found(h, "capybara", everywhere=True)


def test_vectors_are_made_afterwards(workspace, shop) -> None:
    """A sweep leaves vectors unmade; they are made within the time that is given, and then nothing waits."""
    with workspace() as h:
        store(h, session("one", shop), said("human", "The upload fails."), said("assistant", "It was the proxy."))
        assert waiting_passages(h) == 3
        assert make_passage_vectors(h, 0.0) == 0
        assert make_passage_vectors(h, 30.0) == 3
        assert waiting_passages(h) == 0


def test_without_a_model_no_vectors_are_made(workspace, shop) -> None:
    """Where meaning is switched off, passages are found by their words."""
    with workspace(flags={"recall.meaning": "false"}) as h:
        store(h, session("one", shop), said("human", "The upload fails."))
        assert make_passage_vectors(h, 5.0) == 0
        assert found(h, "upload")


def test_forgotten_words_leave_the_pages_of_the_index(workspace, shop, home) -> None:
    """After a session was dropped and its traces erased, no byte of index.db has its words."""
    with workspace() as h:
        name = store(h, session("one", shop), said("human", "The secretword is in here."))
        session_index.drop_all(h, [name])
        h.store.erase_traces(passages=True)
    data = b"".join(path.read_bytes() for path in home.glob("index.db*"))
    assert b"secretword" not in data


def test_one_session_does_not_fill_an_answer(workspace, shop) -> None:
    """Of a session that has the words again and again a few passages come first, then those of others."""
    with workspace() as h:
        store(h, session("one", shop), *(said("human", f"The quokka number {at} eats.") for at in range(6)))
        store(h, session("two", shop), said("human", "Nobody here ever saw a quokka, they say, in all the years."))
        hits = search(h, "quokka", limit=4).hits
        assert [hit.session for hit in hits].index("some-agent/two") == 2
        assert len(hits) == 4
