"""What a harvest makes ready for the next session: the table of lessons, their meaning, the page of last week."""

from __future__ import annotations

from holdfast.app.harvest import harvest, make_ready
from holdfast.learning.lessons import lesson_table
from support.learned import DELETED, REMOVED, SHOP, complained, learned_in


def test_a_new_lesson_is_known_to_the_next_hook(workspace, home, shop):
    """Behind a harvest the table has the lesson that stands, and the index its meaning, before any session asks."""
    with workspace() as one:
        complained(one, shop, "s-1", DELETED)
        complained(one, shop, "s-2", REMOVED)
        harvest(one, everything=True)
        (found,) = learned_in(one)
        assert one.store.ask(lambda tables: tables.memories.without_vector(10)) == []
        assert one.store.ask(lambda tables: tables.memories.model()) != ""
    told = (home / "state/lessons.tsv").read_text().splitlines()
    assert [line.split("\t")[:4] for line in told[1:]] == [[SHOP, found.key, "standing", "2"]]


def test_without_meaning_no_vector_is_made(workspace, shop, monkeypatch):
    """Where recall by meaning is off, none is made."""
    monkeypatch.setenv("HOLDFAST_RECALL_MEANING", "no")
    with workspace() as one:
        complained(one, shop, "s-1", DELETED)
        complained(one, shop, "s-2", REMOVED)
        harvest(one, everything=True)
        assert one.store.ask(lambda tables: tables.memories.model()) == ""


def test_trouble_is_told_and_takes_nothing_away(workspace, home, shop, tmp_path, monkeypatch):
    """A folder of pages that is a link is refused; lessons are learned all the same, and their table is made."""
    monkeypatch.setattr("holdfast.learning.synthesis.write.now", lambda: "2026-05-13T12:00:00Z")
    with workspace() as one:
        complained(one, shop, "s-1", DELETED, day="2026-05-10")
        (home / "learning/synthesis").symlink_to(tmp_path)
        assert [problem.kind for problem in harvest(one, everything=True).problems] == ["synthesis"]
        assert len(learned_in(one)) == 1
        assert lesson_table.standing(one.home, (SHOP,), 0) == []
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_make_ready(workspace, home):
    """In a home without anything learned nothing is made."""
    with workspace() as one:
        assert make_ready(one, lambda name: False, learned=False) == []
    assert not home.exists()
