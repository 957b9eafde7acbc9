"""Turns of sessions in the index: put whole, gone whole, seen only by those who may."""

from __future__ import annotations

import random
import sqlite3

import pytest

import passage_rows
from holdfast.errors import NotFound
from holdfast.records import Filter, Scope
from holdfast.store.passages import Passage, Passages, PassageSource, spoken_date
from holdfast.store.words import ask, is_narrowed
from passage_rows import all_vectors

GLOBAL = Scope("global")
SHOP = Scope("project", "shop")
EVERYTHING = Filter(None)
TABLES = ("session", "passage", "passage_words", "session_words", "passage_vocabulary")
SHADOWS = ("passage_words_content", "passage_words_docsize", "session_words_content", "session_words_docsize")


@pytest.fixture
def table():
    """An empty table of passages."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    yield Passages(db)
    db.close()


def put(table: Passages, name: str, *texts: str, scope: Scope = GLOBAL, at: str = "", **given: str) -> None:
    """Store a session of these turns; the vector of a turn is its place as one byte."""
    passages = [Passage(place, text, f"{name}:{place}", at=at) for place, text in enumerate(texts)]
    passage_rows.put(
        table, PassageSource(name, scope, at=at, **given), passages, [bytes([place]) for place in range(len(texts))]
    )


def found(table: Passages, query: str, wanted: Filter = EVERYTHING) -> list[str]:
    """Return the names of the passages that match, best first."""
    asked = ask(table.db, "passage_vocabulary", table.count(), query)
    if not asked.expression:
        return []
    return [table.read(row)[0].name for row, _, _, _ in table.matches(asked.expression, wanted, 100)]


def ids(table: Passages) -> dict[str, int]:
    """Return the number of each passage by its name."""
    return dict(table.db.execute("SELECT name, id FROM passage"))


def test_a_passage_comes_back_as_it_was_put(table):
    """Everything that was said of a passage and of its session is read again."""
    source = PassageSource("s", SHOP, "codex", "log", "A title", "2026-11-01")
    passage_rows.put(table, source, [Passage(3, "Deploys need the VPN.", "turn-3", "user", "2026-11-02")], [None])
    passage, of = table.read(ids(table)["turn-3"])
    assert passage == Passage(3, "Deploys need the VPN.", "turn-3", "user", "2026-11-02", "s")
    assert of == source


def test_putting_replaces_the_session_whole(table):
    """What a session held before is gone, in every table, when it is put again; others stay."""
    put(table, "s", "apples", "pears", "plums")
    put(table, "other", "apples too")
    put(table, "s", "cherries")
    assert found(table, "cherries") == ["s:0"]
    assert found(table, "pears") == []
    assert found(table, "apples") == ["other:0"]
    assert table.count() == 2
    assert table.session_scores('"plums"', EVERYTHING, 10) == {}


def test_putting_twice_is_the_same_as_once(table):
    """A session that is put again as it was gives the same answers."""
    for _ in range(2):
        put(table, "s", "apples", "pears")
        assert found(table, "pears apples") == ["s:0", "s:1"]
        assert table.count() == 2


def test_dropping_leaves_nothing(table):
    """After a drop no table has a row of the session, the full-text ones and their contents among them."""
    put(table, "s", "apples 部署 🚀", "pears", title="fruit", at="2023-05-07")
    table.drop("s")
    table.drop("never there")
    counts = {name: table.db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in (*TABLES, *SHADOWS)}
    assert counts == dict.fromkeys((*TABLES, *SHADOWS), 0)
    table.db.execute("INSERT INTO passage_words(passage_words) VALUES ('integrity-check')")
    table.db.execute("INSERT INTO session_words(session_words) VALUES ('integrity-check')")


def test_a_number_is_not_given_again(table):
    """A passage that was found and has gone is not there; another one never answers for it."""
    put(table, "s", "apples")
    gone = ids(table)["s:0"]
    table.drop("s")
    put(table, "t", "pears", scope=SHOP)
    assert ids(table)["t:0"] != gone
    with pytest.raises(NotFound):
        table.read(gone)


@pytest.mark.parametrize("query", ["7 May 2023", "may 2023", "what happened on May 7"])
def test_a_date_in_words_finds_a_passage(table, query):
    """A passage is found by its day as people write it."""
    put(table, "a", "We went hiking.", at="2023-05-07T10:00:00Z")
    put(table, "b", "We went swimming.", at="2024-09-21")
    assert found(table, query)[0] == "a:0"


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2023-05-07", "7 May 2023"),
        ("2023-12-31T23:59:59Z", "31 December 2023"),
        ("2023-01-01", "1 January 2023"),
        ("", ""),
        ("yesterday", ""),
        ("2023-00-10", ""),
        ("2023-13-10", ""),
        ("2023-05", ""),
    ],
)
def test_a_date_as_people_write_it(at, words):
    """A date is told in words; what is no date is told in none."""
    assert spoken_date(at) == words


def test_the_speaker_is_found(table):
    """A passage is found by who said it, after those whose text says it."""
    passage_rows.put(table, PassageSource("s", GLOBAL), [Passage(0, "Hello there.", "said", "Caroline")], [None])
    passage_rows.put(table, PassageSource("t", GLOBAL), [Passage(0, "Caroline called.", "named", "Melanie")], [None])
    assert found(table, "caroline") == ["named", "said"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("部署之前要先连接虚拟专用网络。", "专用网络"),
        ("デプロイの前にVPNへ接続。", "接続"),
        ("We ship 🚀 today.", "🚀"),
    ],
)
def test_any_script_is_found(table, text, query):
    """A part of a passage without spaces and an emoji are found, in the passage and in the whole session."""
    put(table, "s", text)
    put(table, "t", "Something in plain English.")
    assert found(table, query) == ["s:0"]
    asked = ask(table.db, "passage_vocabulary", table.count(), query)
    assert len(table.session_scores(asked.expression, EVERYTHING, 10)) == 1


def test_whole_sessions_are_scored(table):
    """A session that has all of the words, in different turns, scores above one with one of them; the title counts."""
    put(table, "both", "we like apples", "and pears")
    put(table, "one", "apples only", "and nothing else")
    put(table, "title", "no fruit here", title="pears")
    put(table, "none", "nothing")
    sessions = dict(table.db.execute("SELECT id, name FROM session"))
    scores = {
        sessions[row]: score for row, score in table.session_scores('"apples" OR "pears"', EVERYTHING, 10).items()
    }
    assert scores.keys() == {"both", "one", "title"}
    assert scores["both"] > max(scores["one"], scores["title"])
    assert len(table.session_scores('"apples" OR "pears"', EVERYTHING, 1)) == 1


def test_vectors(table):
    """Vectors come back by number, without those that have none, whatever their count."""
    texts = [Passage(place, "word", str(place)) for place in range(1200)]
    passage_rows.put(
        table,
        PassageSource("s", GLOBAL),
        texts,
        [None if place % 3 == 0 else bytes([place % 250]) for place in range(1200)],
    )
    numbers = ids(table)
    vectors = table.vectors([*numbers.values(), 99_999])
    assert len(vectors) == 800
    assert vectors[numbers["601"]] == bytes([601 % 250])
    assert table.vectors([]) == {}
    assert {row: vector for (row, _, _), vector in all_vectors(table, EVERYTHING)} == vectors


def test_what_stands_beside_many(table):
    """All neighbours at once are those that asking for each gives, each once, and only what is wanted."""
    put(table, "s", "a", "b", "c", "d", at="2026-01-01")
    put(table, "t", "e", "f", scope=SHOP)
    sessions = dict(table.db.execute("SELECT name, id FROM session"))
    places = [(sessions["s"], 0), (sessions["s"], 1), (sessions["t"], 1), (4711, 0)]
    for wanted in (EVERYTHING, Filter((SHOP,)), Filter(None, since="2025-01-01"), Filter(())):
        one_by_one = {row for place in places for row in table.around_many([place], wanted)}
        assert table.around_many(places, wanted) == sorted(one_by_one)
    assert len(table.around_many(places, EVERYTHING)) == 5
    assert [place for _, _, place in table.around_many([(sessions["s"], 2)], EVERYTHING)] == [1, 2, 3]
    assert table.around_many(places, Filter((SHOP,))) == table.around_many([(sessions["t"], 1)], EVERYTHING)
    assert table.around_many([], EVERYTHING) == []
    assert len(table.around_many([(sessions["s"], place) for place in range(2000)], EVERYTHING)) == 4


# Vectors and models


def vectors_of(table: Passages) -> dict[str, bytes]:
    """Return the vectors that are seen, by the name of their passage, in each of the ways to see them."""
    names = {row: name for name, row in ids(table).items()}
    found = {names[row]: vector for (row, _, _), vector in all_vectors(table, EVERYTHING)}
    rows = sorted(names)
    assert {names[row]: vector for row, vector in table.vectors(rows).items()} == found
    assert {names[row]: vector for (row, _, _), vector in table.seen(rows, EVERYTHING)} == found
    sketched = [table.sketches.read(number) for number, _ in table.chunks(None, 1)]
    assert sorted(row for chunk in sketched for row in chunk.ids) == sorted(ids(table)[name] for name in found)
    return found


def make(table: Passages, limit: int, mark: int) -> list[str]:
    """Make the vectors that are missing, at most so many, and return the texts of these passages."""
    waiting = table.without_vector(limit)
    table.put_vectors([(row, bytes([mark])) for row, _ in waiting])
    return [text for _, text in waiting]


def test_the_first_model_is_noted(table):
    """A new table takes the model that is used, without losing anything."""
    assert table.model() == ""
    table.use_model("one")
    put(table, "s", "apples", "pears")
    table.use_model("one")
    assert table.model() == Passages(table.db).model() == "one"
    assert vectors_of(table) == {"s:0": b"\x00", "s:1": b"\x01"}
    assert table.without_vector(10) == []


def test_the_vectors_of_another_model_are_not_seen(table):
    """After a change of the model no vector is seen, words still find, and vectors are made anew, the newest first."""
    table.use_model("one")
    put(table, "s", "apples", "pears", "plums")
    put(table, "t", "cherries", scope=SHOP)
    table.use_model("two")
    assert vectors_of(table) == {}
    assert found(table, "pears") == ["s:1"]
    assert make(table, 3, 7) == ["cherries", "plums", "pears"]
    assert vectors_of(table) == {"t:0": b"\x07", "s:2": b"\x07", "s:1": b"\x07"}
    assert make(Passages(table.db), 3, 8) == ["apples"]
    assert vectors_of(table)["s:0"] == b"\x08"
    assert make(table, 3, 9) == []


def test_one_that_still_uses_the_old_model_sees_only_its_own(table):
    """While one process uses the new model, another one with the old does not compare with its vectors."""
    table.use_model("one")
    put(table, "s", "apples", "pears")
    other = Passages(table.db)
    other.use_model("two")
    make(other, 1, 7)
    assert vectors_of(other) == {"s:1": b"\x07"}
    assert table.vectors([*ids(table).values()]) == {ids(table)["s:0"]: b"\x00"}


def test_passages_without_a_vector_wait_for_one(table):
    """What came without a vector waits, the newest first; what went meanwhile is passed over."""
    table.use_model("one")
    passage_rows.put(
        table,
        PassageSource("s", GLOBAL),
        [Passage(n, f"word {n}", f"s:{n}") for n in range(4)],
        [None, b"\x01", None, None],
    )
    assert [text for _, text in table.without_vector(2)] == ["word 3", "word 2"]
    waiting = table.without_vector(10)
    table.drop("s")
    table.put_vectors([(row, b"\x05") for row, _ in waiting])
    assert vectors_of(table) == {}
    assert table.without_vector(10) == []


def test_a_part_of_the_vectors_may_be_put(table):
    """What was read and not made waits still."""
    table.use_model("one")
    put(table, "s", "a", "b", "c", "d")
    table.use_model("two")
    rows = table.without_vector(4)
    table.put_vectors([(rows[0][0], b"\x01"), (rows[2][0], b"\x02")])
    assert {"c", "a"} <= set(make(table, 10, 3))
    assert len(vectors_of(table)) == 4


def test_dropping_takes_vectors_and_sketches(table):
    """After a drop neither a vector nor a sketch nor a wish for one is left."""
    put(table, "s", "apples", "pears")
    passage_rows.put(table, PassageSource("t", GLOBAL), [Passage(0, "plums")], [None])
    for name in "st":
        table.drop(name)
    for name in ("passage_meaning", "passage_sketch", "passage_unmade"):
        assert table.db.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,)
    assert table.count() == 0


def test_a_filter_that_lets_few_through(table):
    """All that a filter lets through is told, unless it is more than asked for."""
    put(table, "s", "a", "b", "c", at="2026-01-01")
    put(table, "t", "d", scope=SHOP, at="2026-02-01")
    assert sorted(table.few(EVERYTHING, 4)) == sorted(ids(table).values())
    assert table.few(EVERYTHING, 3) is None
    assert table.few(Filter((SHOP,)), 1) == table.few(Filter(None, since="2026-01-15"), 1) == [ids(table)["t:0"]]
    assert table.few(Filter(()), 0) == []


def test_an_agent_may_be_wanted(table):
    """Only passages, neighbours and sessions of the wanted agents are seen, however their names are written."""
    put(table, "s", "the vpn", agent="codex")
    put(table, "t", "the vpn", agent="Gemini")
    wanted = Filter(None, agents=("gemini",))
    assert found(table, "vpn", wanted) == ["t:0"]
    assert list(table.session_scores('"vpn"', wanted, 5)) == [2]
    assert [row for (row, _, _), _ in all_vectors(table, wanted)] == [ids(table)["t:0"]]


# A collection so large that words are estimated and the search is narrowed


@pytest.fixture(scope="module")
def many():
    """Six thousand passages: every second says `common`, every third `usual`, a few `rare`, one of them in a shop."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table = Passages(db)
    for number in range(300):
        texts = []
        for place in range(20):
            row = number * 20 + place
            words = [word for word, each in (("common", 2), ("usual", 3), ("rare", 1500)) if row % each == 0]
            texts.append(" ".join([*words, f"n{row}"]))
        put(table, f"s{number}", *texts, scope=SHOP if number == 7 else GLOBAL)
    yield table
    db.close()


def test_counts_of_a_large_collection_are_about_right(many):
    """A common word is estimated within a tenth, a rare one is counted, and an unknown one is unknown."""
    asked = many.ask("common usual rare qzxv n17")
    counts = dict(zip(asked.words, asked.counts, strict=True))
    assert counts["rare"] == 4 and counts["n17"] == 1
    assert counts["usual"] == pytest.approx(2000, rel=0.1)
    assert asked.known == 0.8
    assert asked.damp.keys() == {"common", "usual"}


def test_a_narrowed_search_finds_the_rare_and_those_with_two_words(many):
    """Those with the rare word are all there; of the others only those with two words are."""
    asked = many.ask("common usual rare")
    assert is_narrowed(asked.expression)
    texts = [many.read(row)[0].text for row, _, _, _ in many.matches(asked.expression, EVERYTHING, 1000)]
    assert sum("rare" in text for text in texts) == 4
    assert all("rare" in text or ("common" in text and "usual" in text) for text in texts)
    assert "rare" in texts[0]


def test_a_filter_widens_a_narrowed_search(many):
    """Where the filter leaves too little of a narrowed search, documents with one common word are found as well."""
    asked = many.ask("common usual rare")
    texts = [many.read(row)[0].text for row, _, _, _ in many.matches(asked.expression, Filter((SHOP,)), 100)]
    assert len(texts) == sum(row % 2 == 0 or row % 3 == 0 for row in range(140, 160))


def test_one_common_word_finds_the_newest_at_least(many):
    """A search for one word that stands everywhere is answered."""
    asked = many.ask("common")
    assert len(many.matches(asked.expression, EVERYTHING, 100)) == 100
    assert many.session_scores(asked.expression, EVERYTHING, 10)


SCOPES = [GLOBAL, *(Scope(kind, owner) for kind in ("project", "session", "agent") for owner in ("a", "b", "A"))]
DAYS = [f"2026-01-{day:02d}" for day in range(1, 29)]


@pytest.fixture(scope="module")
def crowd():
    """A table in which every scope says much the same, on different days, and only reading goes on."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    table, chance = Passages(db), random.Random(7)
    for number in range(60):
        days = sorted(chance.choices(DAYS, k=5))
        turns = [Passage(place, f"Deploys need the VPN {number}", str(number), at=at) for place, at in enumerate(days)]
        passage_rows.put(
            table, PassageSource(f"s{number}", chance.choice(SCOPES), at=days[0]), turns, [bytes([number])] * 5
        )
    yield table
    db.close()


@pytest.mark.parametrize("seed", range(40))
def test_nothing_of_another_scope_or_time_is_seen(crowd, seed):
    """For any scopes and times, each question is answered with exactly what they let through."""
    chance = random.Random(seed)
    scopes = None if seed % 8 == 0 else tuple(chance.sample(SCOPES, chance.randrange(4)))
    wanted = Filter(scopes, since=chance.choice(["", *DAYS]), until=chance.choice(["", *DAYS]))
    rows = crowd.db.execute("SELECT id FROM passage ORDER BY id").fetchall()
    everything = [(row, *crowd.read(row)) for (row,) in rows]

    def right(at: str, source: PassageSource) -> bool:
        in_time = at >= wanted.since and (not wanted.until or at < wanted.until)
        return in_time and (scopes is None or source.scope in scopes)

    expected = {row for row, passage, source in everything if right(passage.at, source)}
    assert {row for row, _, _, _ in crowd.matches('"vpn"', wanted, 1000)} == expected
    assert {row for (row, _, _), _ in all_vectors(crowd, wanted)} == expected
    sessions = dict(crowd.db.execute("SELECT id, name FROM session"))
    sources = {source.name: source for _, _, source in everything}
    seen = {sessions[row] for row in crowd.session_scores('"vpn"', wanted, 1000)}
    assert seen == {name for name, source in sources.items() if right(source.at, source)}
    beside = [(session, place) for session in sessions for place in range(10)]
    around = {row for row, _, _ in crowd.around_many(beside, wanted)}
    assert around == expected


def test_who_said_it_how_long_it_is_and_its_vector_come_at_once(table):
    """What is not known of a passage is empty, and a passage that is not there is left out."""
    turns = [Passage(0, "Deploys need the VPN.", "a", "maria"), Passage(1, "Yes.", "b")]
    passage_rows.put(table, PassageSource("s", GLOBAL), turns, [b"\x07", None])
    numbers = ids(table)
    assert table.known([numbers["a"], numbers["b"], 999]) == {
        numbers["a"]: ("maria", 4, b"\x07"),
        numbers["b"]: ("", 1, b""),
    }


def test_the_best_holders_have_most_of_the_words_and_are_seen(table):
    """Two words go before one, a short passage before a long one, and what the filter hides is looked past."""
    put(table, "s", "apples and pears", "apples", "apples " + "and some more of this and that " * 5)
    put(table, "hidden", *["apples and pears"] * 200, scope=SHOP)
    asked = ask(table.db, "passage_vocabulary", 6000, "apples pears")
    holders, worth = {str(row): mask for row, mask in table.held(asked, list(range(1, 204))).items()}, [1.0, 1.0]
    best = table.best_holders(holders, asked, worth, Filter((GLOBAL,)), 3)
    assert [table.read(row)[0].name for row, *_ in best] == ["s:0", "s:1", "s:2"]
    assert len(table.best_holders(holders, asked, worth, EVERYTHING, 3)) == 3


def test_a_passage_has_a_scope_of_its_own(table):
    """A passage with a scope of its own is seen there and not where its session is, and is counted once."""
    bakery = Scope("project", "bakery")
    told = [Passage(0, "apples here", "a"), Passage(1, "apples there", "b")]
    passage_rows.put(table, PassageSource("s", SHOP), told, [None, b"\x01"], scopes={1: bakery})
    assert found(table, "apples", Filter((SHOP,))) == ["a"]
    assert found(table, "apples", Filter((bakery,))) == ["b"]
    assert table.read(ids(table)["b"])[1].scope == bakery
    assert table.count() == 2 and table.waiting() == 1
    table.drop("s")
    assert table.count() == 0 and table.waiting() == 0
    assert table.db.execute("SELECT sum(passages) FROM realm").fetchone() == (0,)


def test_the_newest_come_first(table):
    """The newest passages within a filter are told by their time, whatever the order in which they came."""
    put(table, "b", "second", at="2026-05-02")
    put(table, "a", "first", at="2026-05-01")
    put(table, "c", "elsewhere", at="2026-05-03", scope=SHOP)
    names = [table.read(row)[0].name for row in table.newest(Filter((GLOBAL,)), 5)]
    assert names == ["b:0", "a:0"]


def test_words_of_sessions_wait_until_they_are_asked_for(table):
    """Putting a session does not tell its words as a whole; the first question about sessions does, once."""
    put(table, "s", "apples", "pears")
    assert table.db.execute("SELECT count(*) FROM session_words").fetchone() == (0,)
    assert len(table.session_scores('"pears"', EVERYTHING, 5)) == 1
    assert table.db.execute("SELECT count(*) FROM session_words").fetchone() == (1,)
    assert table.db.execute("SELECT count(*) FROM session_unworded").fetchone() == (0,)


def test_a_search_goes_on_while_another_process_writes(tmp_path):
    """Where the words of sessions cannot be told because somebody writes, the search goes on without them."""
    path = str(tmp_path / "index.db")
    db = sqlite3.connect(path, timeout=0.05, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    table = Passages(db)
    put(table, "s", "apples")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert table.session_scores('"apples"', EVERYTHING, 5) == {}
    assert found(table, "apples") == ["s:0"]
    other.execute("ROLLBACK")
    assert len(table.session_scores('"apples"', EVERYTHING, 5)) == 1
    other.close()
    db.close()
