"""Memories as the engine searches them: vectors that belong to their row and to one model, and what was matched."""

from __future__ import annotations

import os

import pytest

from holdfast.records import Filter, Memory
from holdfast.store.database import MEMORY, Index
from holdfast.store.index import Stamp
from holdfast.store.memory_table import MemoryTable
from holdfast.store.words import COUNTED, is_narrowed
from passage_rows import all_vectors
from store.making import EVERYTHING, GLOBAL, PROJECT, draft


@pytest.fixture
def table(store):
    """The table of an empty store."""
    return MemoryTable(store.tree.index)


def fill(table: MemoryTable) -> None:
    """Give a vector to every memory: the length of its text as one byte."""
    table.put_vectors([(row, bytes([len(text) % 256])) for row, text in table.without_vector(1000)])


def candidate_of(table, row, text, asked, wanted, meaning=0.0):
    """Return one row as a candidate, or None where it is none."""
    return next(iter(table.candidates({row: (text, meaning)}, asked, wanted)), None)


def having(table: MemoryTable, wanted: Filter = EVERYTHING) -> set[str]:
    """Return the keys of the memories that have a vector."""
    keys = dict(table.db.execute("SELECT id, key FROM memory"))
    return {keys[row] for (row, _, _), _ in all_vectors(table, wanted)}


def rows_of_meaning(table: MemoryTable) -> int:
    """Return how many vectors are kept, of memories or of nothing."""
    return int(table.db.execute("SELECT count(*) FROM meaning").fetchone()[0])


def test_a_memory_without_a_vector_is_named_last_first(store, table):
    """What has no vector yet comes with its title, tags and text, the last that came first, no more than asked."""
    for key in ("first", "second", "third"):
        store.put(draft(f"Apples, {key}.", key=key, tags=("fruit",)))
    texts = [text for _, text in table.without_vector(2)]
    assert len(texts) == 2
    assert "third" in texts[0] and "second" in texts[1]
    assert "fruit" in texts[0] and "Apples" in texts[0]


def test_a_vector_goes_when_its_memory_is_updated(store, table):
    """After an update the vector of the earlier statement is gone, and the memory waits for another one."""
    store.put(draft("Apples are red.", key="k"))
    store.put(draft("Pears are green.", key="other"))
    fill(table)
    store.put(draft("Apples are yellow.", key="k"))
    assert having(table) == {"other"}
    assert rows_of_meaning(table) == 1
    assert ["yellow" in text for _, text in table.without_vector(10)] == [True]


def test_a_vector_goes_when_its_memory_is_removed(store, table):
    """Neither removing nor moving leaves a vector behind."""
    store.put(draft("Apples are red.", key="k"))
    store.put(draft("Pears are green.", key="moved"))
    fill(table)
    store.remove(GLOBAL, "k", forget=True)
    assert having(table) == {"moved"}
    store.move(GLOBAL, "moved", PROJECT, "there")
    assert rows_of_meaning(table) == len(having(table)) <= 1


def test_a_vector_goes_when_a_person_edits_the_file(store, table):
    """An edit that a sweep finds takes the vector of what stood there before."""
    memory = store.put(draft("Apples are red.", key="k")).memory
    fill(table)
    with open(os.path.join(store.tree.root, memory.path), "a", encoding="utf-8") as file:
        file.write("And sweet.\n")
    store.refresh()
    assert having(MemoryTable(store.tree.index)) == set()


def test_another_model_throws_vectors_away(store, table):
    """The vectors of one version are never seen by another; they are made anew."""
    store.put(draft("Apples are red.", key="k"))
    table.use_model("one")
    fill(table)
    table.use_model("one")
    assert having(table) == {"k"}
    table.use_model("two")
    assert table.model() == "two"
    assert rows_of_meaning(table) == 0
    assert len(table.without_vector(10)) == 1
    fill(table)
    assert having(table) == {"k"}


def test_vectors_of_a_model_that_was_left_meanwhile_are_not_kept(store, table):
    """What one process made by the old model, while another went over to a new one, is not mixed in."""
    store.put(draft("Apples are red.", key="k"))
    table.use_model("one")
    missing = table.without_vector(10)
    MemoryTable(store.tree.index).use_model("two")
    table.put_vectors([(row, b"\1") for row, _ in missing])
    assert rows_of_meaning(table) == 0
    assert len(table.without_vector(10)) == 1


def test_another_model_throws_vectors_away_in_memory_too(store, table):
    """A copy of the index in memory, for a home that cannot be written, does not mix models either."""
    store.put(draft("Apples are red.", key="k"))
    table.use_model("one")
    fill(table)
    index = Index(MEMORY)
    index.copy_from(f"file:{store.tree.index.path}?mode=ro")
    copied = MemoryTable(index)
    assert having(copied) == {"k"}
    copied.use_model("two")
    assert having(copied) == set()
    assert having(table) == {"k"}
    index.close()


def test_the_vector_of_a_vanished_memory_is_ignored(store, table):
    """A memory that went while its vector was made leaves none."""
    store.put(draft("Apples are red.", key="k"))
    made = [(row, b"\x01") for row, _ in table.without_vector(10)]
    store.remove(GLOBAL, "k", forget=False)
    table.put_vectors([*made, (4711, b"\x02")])
    assert rows_of_meaning(table) == 0


def test_the_vector_of_an_earlier_statement_is_ignored(store, table):
    """A memory that was updated while its vector was made does not get the vector of what it said before."""
    store.put(draft("Apples are red.", key="k"))
    made = [(row, b"\x01") for row, _ in table.without_vector(10)]
    store.put(draft("Apples are yellow.", key="k"))
    table.put_vectors(made)
    assert having(table) == set()
    fill(table)
    assert having(table) == {"k"}


def test_the_number_of_a_vanished_memory_may_be_given_again(store, table):
    """A memory that got the number of one that went does not get its vector."""
    store.put(draft("Apples are red.", key="k"))
    made = [(row, b"\x01") for row, _ in table.without_vector(10)]
    store.remove(GLOBAL, "k", forget=False)
    store.put(draft("Quite another thing.", PROJECT, key="new"))
    table.put_vectors(made)
    assert having(table) == set()


def test_vectors_are_read_by_number_and_by_scope(store, table):
    """Only those asked for come back, and only those of the scopes that may be seen."""
    store.put(draft("Apples are red.", key="mine", scope=PROJECT))
    store.put(draft("Pears are green.", key="everyone"))
    fill(table)
    rows = dict(table.db.execute("SELECT key, id FROM memory"))
    assert table.vectors([rows["mine"], 4711]).keys() == {rows["mine"]}
    assert table.vectors([]) == {}
    assert having(table, Filter((PROJECT,))) == {"mine"}
    assert having(table, Filter(())) == set()


def sketched(table: MemoryTable, wanted: Filter = EVERYTHING) -> list[str]:
    """Return the keys of the memories that have a sketch, in order; one that is gone has the key `gone`."""
    keys = dict(table.db.execute("SELECT id, key FROM memory"))
    chunks = [table.sketches.read(number) for number, _ in table.chunks(wanted.scopes, 1)]
    return sorted(keys.get(row, "gone") for chunk in chunks for row in chunk.ids)


def test_a_sketch_goes_with_its_vector(store, table):
    """After updates, removals and another model there is one sketch for each vector, in the scope of its memory."""
    for number in range(30):
        store.put(draft(f"Apples, {number}.", PROJECT if number % 2 else GLOBAL, key=f"k-{number}"))
    table.use_model("one")
    fill(table)
    assert sketched(table) == sorted(f"k-{number}" for number in range(30))
    assert sketched(table, Filter((PROJECT,))) == sorted(f"k-{number}" for number in range(1, 30, 2))
    store.put(draft("Pears now.", key="k-0"))
    store.remove(GLOBAL, "k-2", forget=True)
    store.put(draft("Plums.", key="new"))
    fill(table)
    assert sketched(table) == sorted(having(table))
    table.use_model("two")
    assert sketched(table) == []
    fill(table)
    assert sketched(table) == sorted(having(table))
    assert len(sketched(table)) == 30


def test_what_is_seen_and_few(store, table):
    """Of the rows asked for only those come that the filter lets through; few is all of them, or nothing."""
    store.put(draft("Apples are red.", key="mine", scope=PROJECT, tags=("fruit",)))
    store.put(draft("Pears are green.", key="everyone"))
    fill(table)
    rows = dict(table.db.execute("SELECT key, id FROM memory"))
    assert [row for (row, _, _), _ in table.seen([*rows.values(), 99], Filter((PROJECT,)))] == [rows["mine"]]
    assert table.few(Filter(None, tags=("fruit",)), 1) == [rows["mine"]]
    assert table.few(EVERYTHING, 1) is None
    assert table.around_many([(0, 0)], EVERYTHING) == []


def test_many_memories_are_searched_narrowly_and_found_by_a_filter(store, table):
    """Above the bound those with a rare word come first, and a filter that leaves nothing of that widens the search."""
    stamp, at = Stamp(1, 1, 1), "2026-01-01T00:00:00Z"
    with store.tree.index.begin():
        for number in range(COUNTED + 100):
            text = f"common {'usual' if number % 2 else 'other'} {'rare' if number % 2000 == 0 else number}"
            scope = PROJECT if number == 17 else GLOBAL
            memory = Memory(f"k-{number}", scope, "t", text, created=at, updated=at, path=f"global/k-{number}.md")
            store.tree.index.put(memory, stamp, b"x")
    asked = table.ask("common usual rare")
    assert is_narrowed(asked.expression)
    rows = table.matches(asked.expression, EVERYTHING, 5)
    found = [candidate_of(table, row, text, asked, EVERYTHING) for row, _, _, text in rows]
    assert {one.memory.key for one in found} >= {"k-0", "k-2000", "k-4000"}
    ((row, _, _, _),) = table.matches(asked.expression, Filter((PROJECT,)), 5)
    assert candidate_of(table, row, 1.0, asked, EVERYTHING).words == ("common", "usual")
    # Who has little time has the newest few weighed.
    weighed = table.matches(table.ask("common usual").expression, EVERYTHING, 50, 10)
    assert len(weighed) == 10 and min(row for row, _, _, _ in weighed) > COUNTED


def test_a_candidate_tells_the_words_that_matched(store, table):
    """The words of the current statement are named as they stand there, with the score, the meaning and the uses."""
    store.put(draft("Deploying apples.", key="k"))
    store.add_uses([(GLOBAL, "k", "2026-01-01T00:00:00Z")])
    asked = table.ask("deploys of apples and qzxv")
    ((row, _, _, text),) = table.matches(asked.expression, EVERYTHING, 10)
    candidate = candidate_of(table, row, text, asked, EVERYTHING, 0.5)
    assert (candidate.memory.key, candidate.text, candidate.meaning, candidate.uses) == ("k", text, 0.5, 1)
    assert candidate.words == ("deploying", "apples")
    assert not candidate.earlier


def test_a_candidate_tells_that_only_an_earlier_statement_matched(store, table):
    """A word that only history has is named as an earlier one; a word that both have is current."""
    store.put(draft("Apples are red.", key="k"))
    store.put(draft("Apples are yellow.", key="k"))
    for query, words, earlier in (("red", ("red",), True), ("apples red", ("apples",), False)):
        asked = table.ask(query)
        ((row, _, _, text),) = table.matches(asked.expression, EVERYTHING, 10)
        candidate = candidate_of(table, row, text, asked, EVERYTHING)
        assert (candidate.words, candidate.earlier) == (words, earlier)


def test_a_candidate_by_meaning_has_no_words(store, table):
    """Without a word in common nothing is named, and nothing is earlier."""
    store.put(draft("Apples are red.", key="k"))
    ((row, _),) = table.without_vector(1)
    for query in ("qzxv", "", "???"):
        candidate = candidate_of(table, row, 0.0, table.ask(query), EVERYTHING, 0.7)
        assert (candidate.words, candidate.earlier, candidate.meaning) == ((), False, 0.7)


def test_a_candidate_tells_what_replaced_it(store, table):
    """A memory that another one supersedes says so."""
    store.put(draft("Apples are red.", key="old"))
    store.put(draft("Apples are yellow.", key="new", supersedes=("old",)))
    asked = table.ask("red")
    ((row, _, _, text),) = table.matches(asked.expression, EVERYTHING, 10)
    assert candidate_of(table, row, text, asked, EVERYTHING).superseded_by == "new"


def test_a_memory_has_no_neighbours_and_no_session(store, table):
    """The questions about sessions are answered with nothing."""
    store.put(draft("Apples are red.", key="k"))
    assert table.session_scores('"apples"', EVERYTHING, 10) == {}
    assert table.around_many([(0, 0)], EVERYTHING) == []
    assert table.count() == 1


def test_a_candidate_that_went_or_changed_its_scope_is_none(store, table):
    """A row that was removed, or became a memory of a scope that the reader may not see, is no candidate any more."""
    store.put(draft("Apples are red.", key="k"))
    asked = table.ask("red")
    ((row, _, _, text),) = table.matches(asked.expression, EVERYTHING, 10)
    assert candidate_of(table, row, text, asked, Filter((PROJECT,))) is None
    store.remove(GLOBAL, "k", forget=False)
    assert candidate_of(table, row, text, asked, EVERYTHING) is None


def test_candidates_come_in_the_order_of_their_marks(store, table):
    """Many candidates are the same as one by one, with their own words, and what the filter hides is left out."""
    for key in ("first", "second", "third"):
        store.put(draft(f"Apples, the {key}.", key=key))
    rows = dict(table.db.execute("SELECT key, id FROM memory"))
    asked = table.ask("apples second")
    marks = {rows["second"]: (1.0, 0.5), rows["third"]: (0.5, 0.0), rows["first"]: (0.4, 0.1)}
    found = table.candidates(marks, asked, EVERYTHING)
    assert [candidate.memory.key for candidate in found] == ["second", "third", "first"]
    assert found == [candidate_of(table, row, text, asked, EVERYTHING, near) for row, (text, near) in marks.items()]
    assert [set(candidate.words) for candidate in found] == [{"apples", "second"}, {"apples"}, {"apples"}]
    assert table.candidates(marks, asked, Filter((PROJECT,), keys=("nothing",))) == []
