"""The engine: words, what stands beside them, whole sessions and meaning, over passages and over memories."""

from __future__ import annotations

import random
import shutil
import sqlite3
import weakref

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import passage_rows
from holdfast.memory.remember import remember
from holdfast.recall import embed
from holdfast.recall.embed import Model, to_bytes
from holdfast.recall.engine import Engine, Scored
from holdfast.recall.recall import recall
from holdfast.records import Filter, Scope
from holdfast.store.passages import Passage, Passages, PassageSource
from holdfast.store.words import ask
from support.sampling import count

EVERYTHING = Filter(None)
GLOBAL, SHOP, BLOG = Scope("global"), Scope("project", "shop"), Scope("project", "blog")
FILLER = [
    "The release notes are written in the changelog.",
    "Database migrations run before the deploy.",
    "My dog likes long walks in the forest.",
    "Use four spaces in Python files.",
    "The payment service retries three times.",
]
PARAPHRASE = ("what language should I reply in", "Answer in British English.")


@pytest.fixture(scope="module")
def model() -> Model:
    """Return the model that ships."""
    return Model.open()


class Talks:
    """Sessions in a table of their own, and what is found in them."""

    def __init__(self, model: Model | None) -> None:
        # It is closed when it is collected, in whatever thread that happens.
        self.db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self.db.close)
        self.table = Passages(self.db)
        self.model = model
        self.engine = Engine(self.table, model)

    def put(self, name: str, *texts: str, scope: Scope = GLOBAL, days: tuple[str, ...] = ()) -> None:
        """Store a session of these turns."""
        at = days or ("",) * len(texts)
        turns = [Passage(n, text, f"{name}:{n}", at=at[n]) for n, text in enumerate(texts)]
        vectors = [to_bytes(self.model.encode(text)) if self.model else None for text in texts]
        passage_rows.put(self.table, PassageSource(name, scope, at=at[0]), turns, vectors)

    def scored(self, query: str, wanted: Filter = EVERYTHING, limit: int = 20) -> dict[str, Scored]:
        """Return what is found by name, best first."""
        asked = ask(self.db, "passage_vocabulary", self.table.count(), query)
        return {self.table.read(one.id)[0].name: one for one in self.engine.find(asked, wanted, limit)}

    def found(self, query: str, wanted: Filter = EVERYTHING, limit: int = 20) -> list[str]:
        """Return the names of what is found, best first."""
        return list(self.scored(query, wanted, limit))


@pytest.fixture
def talks():
    """Make tables of sessions, and close them in the end."""
    made: list[Talks] = []

    def make(model: Model | None = None) -> Talks:
        made.append(Talks(model))
        return made[-1]

    yield make
    for one in made:
        one.db.close()


def test_words_are_found(talks):
    """The passage with the words comes first, and its marks say why."""
    one = talks()
    one.put("s", *FILLER)
    found = one.scored("which database migrations run")
    assert next(iter(found)) == "s:1"
    assert found["s:1"].marks.words == 1.0
    assert found["s:1"].marks.meaning == 0.0
    assert one.found("xylophone") == []


def test_the_limit(talks):
    """At most so many come back, and they are the best."""
    one = talks()
    for number in range(30):
        one.put(str(number), f"apples {number}", "pears")
    assert one.found("apples", limit=4) == one.found("apples", limit=50)[:4]


def test_a_passage_beside_a_match_is_lifted(talks):
    """An answer without a word of the question is found beside it; one further away is not."""
    one = talks()
    one.put("s", "Nothing yet.", "Which colour has the xylophone?", "Green, of course.", "Lunch now.")
    found = one.scored("xylophone colour")
    assert next(iter(found)) == "s:1"
    assert found.keys() == {"s:0", "s:1", "s:2"}
    assert found["s:2"].marks.around == 0.5
    assert found["s:2"].marks.words == 0.0


def test_a_match_between_matches_is_above_one_alone(talks):
    """Of two passages that say the same, the one with matches beside it comes first."""
    one = talks()
    one.put("alone", "lunch", "the xylophone", "lunch")
    one.put("among", "a xylophone here", "the xylophone", "my xylophone there")
    marks = {name: scored.marks for name, scored in one.scored("xylophone").items()}
    assert marks["among:1"].around > marks["alone:1"].around == 0.0
    assert one.found("xylophone").index("among:1") < one.found("xylophone").index("alone:1")


def test_the_words_of_the_whole_session_lift(talks):
    """Of two passages that say the same, the one whose session has the other words comes first."""
    one = talks()
    one.put("a", "we bought apples", "lunch", "lunch", "lunch")
    one.put("b", "we bought apples", "lunch", "lunch", "for the xylophone")
    one.put("c", *FILLER)
    found = one.scored("apples xylophone")
    assert found["b:0"].marks.words == found["a:0"].marks.words
    assert found["b:0"].marks.session > found["a:0"].marks.session
    assert list(found).index("b:0") < list(found).index("a:0")


def test_a_paraphrase_is_found_by_meaning(talks, model):
    """A statement without a common word is found, first, and only with a model."""
    query, answer = PARAPHRASE
    one = talks(model)
    for number, text in enumerate([answer, *FILLER]):
        one.put(str(number), text)
    found = one.scored(query)
    assert next(iter(found)) == "0:0"
    assert found["0:0"].marks.meaning == max(one.marks.meaning for one in found.values()) > 0.5
    assert found["0:0"].marks.words == 0.0
    assert one.found("what language should I answer in")[0] == "0:0"
    one.engine = Engine(one.table, None)
    assert one.found(query) == []


def test_nonsense_finds_nothing(talks, model):
    """A query that means nothing is near to nothing."""
    one = talks(model)
    for number, text in enumerate([PARAPHRASE[1], *FILLER]):
        one.put(str(number), text)
    assert one.found("qzxv wgrpl") == []


def test_a_passage_without_a_vector_is_found_by_words(talks, model):
    """Where vectors are missing, words still find."""
    one = talks(model)
    passage_rows.put(one.table, PassageSource("s", GLOBAL), [Passage(0, "Migrations run first.", "bare")], [None])
    one.put("t", *FILLER)
    assert "bare" in one.found("migrations")


def test_what_has_no_vector_yet_does_not_sink(talks, model):
    """While vectors are made, a passage that holds every word of the query stays before those that are only near."""
    one = talks(model)
    one.put("made", "The deploy of the shop runs at night.", "A deploy waits for the shop's tests.", *FILLER)
    passage_rows.put(
        one.table, PassageSource("new", GLOBAL), [Passage(0, "Who may deploy the shop: only Ilse.", "new:0")], [None]
    )
    assert one.found("who may deploy the shop")[0] == "new:0"


@pytest.mark.parametrize("with_model", [False, True])
def test_an_empty_query_finds_nothing(talks, model, with_model):
    """Nothing asked, nothing found, and no error; in an empty table too."""
    one = talks(model if with_model else None)
    for _ in range(2):
        for query in ("", "   ", "?!", "\0"):
            assert one.found(query) == []
        one.put("s", *FILLER)


OLD, NEW = "From now on end all method names with _a.", "One more thing: please end all method names with _b."


def rules(talks, model=None):
    """Return three sessions: a rule, small talk, and the rule changed."""
    one = talks(model)
    one.put("first", OLD, "Understood.", days=("2026-01-05", "2026-01-05"))
    one.put("second", *FILLER, days=("2026-02-01",) * len(FILLER))
    one.put("third", "The weather is fine, and the trip was long.", NEW, days=("2026-03-01", "2026-03-01"))
    return one


@pytest.mark.parametrize("with_model", [False, True])
def test_the_newest_statement_of_a_rule_comes_first(talks, model, with_model):
    """Who asks for a rule gets its newest statement, and the hit says which one it stands before."""
    one = rules(talks, model if with_model else None)
    found = one.scored("What is the rule: end method names with?")
    assert next(iter(found)) == "third:1"
    assert found["third:1"].instead_of in (found["first:0"].id, 0)
    assert list(found).index("third:1") < list(found).index("first:0")


def test_who_asks_for_the_past_gets_no_newer_one_first(talks):
    """A question about what was is answered by words alone."""
    one = rules(talks)
    one.put("fourth", "Please end names.", days=("2026-04-01",))
    found = one.scored("What was the rule before: end method names with?")
    assert all(scored.instead_of == 0 for scored in found.values())


def test_a_newer_passage_that_says_less_does_not_take_the_place(talks):
    """A later passage without one of the telling words answers another question."""
    one = rules(talks)
    one.put("fourth", "Always end class names with _z.", days=("2026-04-01",))
    assert one.found("What is the rule: end method names with?")[0] == "third:1"


def test_the_share_of_the_words(talks):
    """A passage with all words has the whole share, one with some of them less, and a rare word counts more."""
    one = talks()
    one.put("s", "apples and pears", "apples", "pears", "apples again", "apples once more")
    marks = {name: scored.marks for name, scored in one.scored("apples pears").items()}
    assert marks["s:0"].share == 1.0
    assert 0.0 < marks["s:1"].share < marks["s:2"].share < 1.0


def test_a_speaker_who_is_named_is_marked(talks):
    """Only what the named person said has the mark."""
    one = talks()
    turns = [Passage(0, "I moved to Bergen.", "a", "Ines Berg"), Passage(1, "I moved as well.", "b", "Tobias")]
    passage_rows.put(one.table, PassageSource("s", GLOBAL), turns, [None, None])
    marks = {name: scored.marks for name, scored in one.scored("where has ines moved").items()}
    assert (marks["a"].speaker, marks["b"].speaker) == (1.0, 0.0)


def test_the_length_beside_the_others(talks):
    """A longer candidate has a higher mark than a shorter one, within bounds."""
    one = talks()
    one.put("s", "apples", "apples " + "and many other words that are there too " * 20)
    marks = {name: scored.marks for name, scored in one.scored("apples").items()}
    assert -1.0 <= marks["s:0"].length < 0.0 < marks["s:1"].length <= 1.0


SCOPES = [GLOBAL, SHOP, BLOG, Scope("session", "shop"), Scope("agent", "shop")]


@pytest.mark.parametrize("with_model", [False, True])
def test_scopes_and_times_are_isolated(talks, model, with_model):
    """Whatever is asked, by words, beside them or by meaning, only what may and should be seen comes back."""
    one, chance = talks(model if with_model else None), random.Random(5)
    for number in range(40):
        days = tuple(sorted(f"2026-01-{chance.randrange(1, 29):02d}" for _ in range(3)))
        one.put(str(number), *chance.sample([PARAPHRASE[1], *FILLER], 3), scope=chance.choice(SCOPES), days=days)
    seen = 0
    for _ in range(60):
        scopes = tuple(chance.sample(SCOPES, chance.randrange(4)))
        since, until = (chance.choice(["", f"2026-01-{day}"]) for day in (10, 20))
        query = chance.choice([PARAPHRASE[0], "database migrations", "python dog", "payment retries"])
        for found in one.scored(query, Filter(scopes, since=since, until=until), 200).values():
            passage, source = one.table.read(found.id)
            assert source.scope in scopes
            assert passage.at >= since and (not until or passage.at < until)
            seen += 1
    assert seen > 100


def test_a_neighbour_from_another_time_is_not_taken_in(talks):
    """What stands beside a match, but before `since`, stays out."""
    one = talks()
    one.put("s", "Before.", "The xylophone.", "After.", days=("2026-01-01", "2026-01-02", "2026-01-03"))
    assert one.found("xylophone", Filter(None, since="2026-01-02")) == ["s:1", "s:2"]
    assert set(one.found("xylophone", Filter(None, until="2026-01-03"))) == {"s:0", "s:1"}


@pytest.fixture(scope="module")
def library(model):
    """A few sessions in several scripts, which are only read."""
    one = Talks(model)
    one.put("s", *FILLER, PARAPHRASE[1])
    one.put("t", "部署需要虚拟专用网络", "🚀 é ё", "a_b c++ AND OR NOT NEAR")
    yield one
    one.db.close()


@settings(max_examples=count(150, 20))
@given(query=st.text() | st.text("\"*^:(){}+-' ANDORTNEabc_é部署🚀\0\ud800", max_size=40))
def test_no_query_is_an_error(library, query):
    """Whatever is asked, what is found is in order, each once, with marks between 0 and 1."""
    found = list(library.scored(query, EVERYTHING, 50).values())
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        for mark in (one.marks.words, one.marks.around, one.marks.session, one.marks.meaning):
            assert 0.0 <= mark <= 1.0


# Through the workspace


def keys(hits) -> list[str]:
    """Return the keys in the order of the hits."""
    return [hit.memory.key for hit in hits]


@pytest.fixture
def filled(workspace):
    """A workspace that knows a few things, one of them only by its meaning."""
    with workspace() as h:
        remember(h, PARAPHRASE[1], key="spelling")
        for number, text in enumerate(FILLER):
            remember(h, text, key=f"filler-{number}")
    workspace.said.clear()
    return workspace


def test_recall_finds_by_meaning(filled):
    """A paraphrase without a common word is found first, and its part of the score says that it is the meaning."""
    with filled() as h:
        hit = recall(h, PARAPHRASE[0])[0]
    assert hit.memory.key == "spelling"
    points = {part.name: part.points for part in hit.parts}
    assert points["meaning"] > 0
    assert points["words"] == 0
    assert filled.said == []


def test_recall_without_meaning_does_not(filled):
    """With the setting off, only words find."""
    with filled(flags={"recall.meaning": "false"}) as h:
        assert "spelling" not in keys(recall(h, PARAPHRASE[0]))
        assert keys(recall(h, "british")) == ["spelling"]
    assert filled.said == []


def test_recall_of_nonsense_finds_nothing(filled):
    """A query that means nothing returns nothing."""
    with filled() as h:
        assert recall(h, "qzxv wgrpl") == []


def test_recall_finds_the_new_statement(filled):
    """After an update the meaning of the earlier statement no longer finds by meaning."""
    with filled() as h:
        assert keys(recall(h, PARAPHRASE[0]))[0] == "spelling"
        remember(h, "Bananas cost one euro.", key="spelling")
        for hit in recall(h, PARAPHRASE[0]):
            assert hit.memory.key != "spelling" or hit.earlier
        assert keys(recall(h, "price of fruit"))[0] == "spelling"


def test_the_index_may_be_deleted(filled, home):
    """Delete index.db, and every recall gives the same keys, order and scores."""
    queries = [PARAPHRASE[0], "database", "how are pauses between tries handled", "animal", "indentation style"]

    def answers() -> list[object]:
        with filled(flags={"recall.count_use": "false"}) as h:
            found = [[(hit.memory.key, hit.score) for hit in recall(h, query)] for query in queries]
        return [[(key, round(score, 4)) for key, score in hits] for hits in found]

    before = answers()
    assert any(before)
    for path in home.glob("index.db*"):
        path.unlink()
    assert answers() == before


@pytest.mark.parametrize("trouble", ["missing", "empty", "short", "foreign"])
def test_a_model_that_cannot_be_read(filled, tmp_path, monkeypatch, trouble):
    """Where the model is missing or damaged, recall goes by words and says so in one line."""
    folder = tmp_path / "model"
    if trouble != "missing":
        shutil.copytree(embed.HOME, folder)
        data = (folder / "table.bin").read_bytes()
        cut = {"empty": b"", "short": data[: len(data) // 2], "foreign": b"x" * len(data)}
        (folder / "table.bin").write_bytes(cut[trouble])
    monkeypatch.setattr(embed, "HOME", str(folder))
    with filled() as h:
        assert keys(recall(h, "british")) == ["spelling"]
    assert len(filled.said) == 1
    assert "by words" in filled.said[0]
    assert "\n" not in filled.said[0]
