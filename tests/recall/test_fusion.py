"""How candidates become one order, and why."""

from __future__ import annotations

import pytest

from holdfast.language.spoken_time import spoken
from holdfast.recall.fusion import TIME_LEANS, TIME_NARROWS, WEIGHTS, fuse
from holdfast.records import Candidate, Hit, Memory, Part, Scope

NOW = "2026-11-15T09:30:00Z"


def candidate(key: str, text: float = 1.0, **more) -> Candidate:
    """Return a candidate of the shop, said by the user today unless told otherwise."""
    fields = {name: more.pop(name) for name in ("uses", "superseded_by", "earlier", "words") if name in more}
    told = {"scope": Scope("project", "shop"), "title": key, "body": f"{key} says so", "updated": NOW, **more}
    memory = Memory(key=key, path=f"projects/shop/memories/{key}.md", **told)
    usual = {"words": ("word",), "earlier": False, "uses": 0, "superseded_by": ""}
    return Candidate(memory, text, **{**usual, **fields})


def order(*candidates: Candidate) -> list[str]:
    """Return the keys as recall would show them."""
    return [hit.memory.key for hit in fuse(list(candidates), NOW)]


def test_the_parts_are_the_score() -> None:
    """The points of all parts sum to the score, and the weights to one; words and meaning share theirs."""
    assert sum(WEIGHTS.values()) - WEIGHTS["meaning"] == pytest.approx(1)
    for hit in fuse([candidate("a", 2.0, uses=5, pinned=True), candidate("b", 0.5)], NOW):
        assert hit.score == pytest.approx(sum(part.points for part in hit.parts), abs=1e-6)
        assert all(part.why for part in hit.parts)
        assert 0 <= hit.score <= 1


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"text": 2.0}, {"text": 1.0}),
        ({}, {"updated": "2025-01-01T00:00:00Z"}),
        ({"uses": 9}, {"uses": 0}),
        ({"trust": "user"}, {"trust": "import"}),
        ({"trust": "agent"}, {"trust": "derived"}),
        ({"scope": Scope("session", "s")}, {"scope": Scope("global")}),
        ({"pinned": True}, {}),
    ],
)
def test_each_part_settles_what_the_others_leave_open(better, worse) -> None:
    """All else being equal, each part alone puts the better memory first."""
    assert order(candidate("worse", **worse), candidate("better", **better)) == ["better", "worse"]


def test_what_was_replaced_sinks() -> None:
    """A superseded memory comes after all that hold, whatever its words are worth."""
    assert order(candidate("old", 9.0, superseded_by="new"), candidate("weak", 0.1)) == ["weak", "old"]


def test_those_that_say_the_same_are_one_hit() -> None:
    """Two memories with the same words, but for case and white space, are one hit: the better one."""
    same = [candidate("a", 1.0, body="Use  the VPN"), candidate("b", 2.0, body="use the vpn")]
    assert order(*same) == ["b"]


def at(query: str, *candidates: Candidate, **more) -> list[Hit]:
    """Return the hits of a query that speaks of time."""
    return fuse(list(candidates), NOW, span=spoken(query, NOW), **more)


def part(hit: Hit, name: str) -> Part:
    """Return one part of a score."""
    return next(part for part in hit.parts if part.name == name)


IN_MARCH = "2026-03-10T08:00:00Z"
IN_JUNE = "2026-06-10T08:00:00Z"


@pytest.mark.parametrize(
    "inside",
    [
        {"created": IN_MARCH, "updated": IN_MARCH},
        {"created": IN_MARCH, "updated": IN_JUNE},
        {"created": "2025-01-01T00:00:00Z", "updated": IN_MARCH},
    ],
)
def test_what_lies_in_a_spoken_time_comes_first(inside) -> None:
    """In March: what was stored or changed then comes before what has more of the words, which is still there."""
    hits = at("in March", candidate("now", 2.0, created=NOW), candidate("then", 1.0, **inside))
    assert [hit.memory.key for hit in hits] == ["then", "now"]
    assert [part(hit, "time").value for hit in hits] == [1.0, 0.0]
    assert part(hits[0], "time").weight == TIME_NARROWS
    assert part(hits[0], "time").why == "within in March (since 2026-03-01 before 2026-04-01)"
    for hit in hits:
        assert hit.score == pytest.approx(sum(part.points for part in hit.parts), abs=1e-6) and 0 <= hit.score <= 1


def test_an_earlier_statement_of_that_time_counts() -> None:
    """A memory that said something in March is of March, though it was stored before and changed since."""
    long = candidate("long", created="2025-01-01T00:00:00Z")
    assert part(at("in March", long)[0], "time").value == 0.0
    (hit,) = at("in March", long, statements={long.memory.path: (IN_MARCH,)})
    assert part(hit, "time").value == 1.0


def test_a_leaning_time_is_gentle() -> None:
    """Recently: the newer of two equals comes first, but words weigh more."""
    old = {"created": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z"}
    hits = at("recently", candidate("old", 2.0, **old), candidate("new", 1.0, created=NOW))
    assert [hit.memory.key for hit in hits] == ["old", "new"]
    assert part(hits[0], "time").weight == TIME_LEANS
    hits = at("back then", candidate("old", **old), candidate("new", created=NOW))
    assert [part(hit, "time").value for hit in sorted(hits, key=lambda hit: hit.memory.key)] == [0.0, 1.0]


def test_the_beginning_leans_to_the_oldest() -> None:
    """Originally: the oldest of all has the whole part, the newest none."""
    times = {"a": "2024-01-01T00:00:00Z", "b": "2025-01-01T00:00:00Z", "c": NOW}
    hits = at("originally", *(candidate(key, created=created) for key, created in times.items()))
    assert {hit.memory.key: part(hit, "time").value for hit in hits} == {"a": 1.0, "b": 0.5, "c": 0.0}


PORT = "The shop listens on port"


def test_the_newer_of_two_on_the_same_thing_comes_first() -> None:
    """Two statements that differ in a value: the newer stands where the better one would, and says why."""
    old = candidate("old", 2.0, body=f"{PORT} 8080.", updated=IN_MARCH, words=("port",))
    new = candidate("new", 1.0, body=f"{PORT} 9090.", updated=IN_JUNE, words=("port",))
    hits = fuse([old, candidate("other", 1.5, updated=IN_JUNE), new], NOW)
    assert [hit.memory.key for hit in hits] == ["new", "old", "other"]
    assert part(hits[0], "newer").why == "says nearly the same as old, 92 days later"
    assert hits[0].score == pytest.approx(sum(part.points for part in hits[0].parts), abs=1e-6)
    assert all(part.name != "newer" for part in hits[1].parts)


@pytest.mark.parametrize(
    "changed",
    [
        {"scope": Scope("global")},
        {"updated": "2026-03-10T20:00:00Z"},
        {"trust": "derived"},
        {"body": "Nothing of the kind."},
        {"superseded_by": "third"},
    ],
)
def test_when_the_newer_does_not_come_first(changed) -> None:
    """Another scope, the same day, a weaker trust, other words or a replacement: then the words decide."""
    old = candidate("old", 2.0, body=f"{PORT} 8080.", updated=IN_MARCH, words=("port",))
    told = {"body": f"{PORT} 9090.", "updated": IN_JUNE, "words": ("port",), **changed}
    assert order(old, candidate("new", 1.0, **told)) == ["old", "new"]


def test_the_newer_must_answer_the_question_too() -> None:
    """Where the older one has a word of the query that the newer lacks, they are about different things."""
    old = candidate("old", 2.0, body="Use tabs in Go files.", updated=IN_MARCH, words=("tabs", "go"))
    new = candidate("new", 1.0, body="Use tabs in Make files.", updated=IN_JUNE, words=("tabs",))
    assert order(old, new) == ["old", "new"]


def test_a_spoken_time_goes_before_the_newer() -> None:
    """Who asks for March gets what was said in March first, whatever was said since."""
    old = candidate("old", 2.0, body=f"{PORT} 8080.", created=IN_MARCH, updated=IN_MARCH, words=("port",))
    new = candidate("new", 1.0, body=f"{PORT} 9090.", created=IN_JUNE, updated=IN_JUNE, words=("port",))
    assert [hit.memory.key for hit in at("in March", old, new)] == ["old", "new"]


def test_what_stands_in_for_another_says_so() -> None:
    """A replacement that was not found by itself names the memory that was."""
    new = candidate("new")
    (hit,) = fuse([new], NOW, instead_of={new.memory.path: "old"})
    assert part(hit, "words").why == "replaces old, which has them"


def test_nothing_gives_nothing() -> None:
    """No candidates are no hits, and no error."""
    assert fuse([], NOW) == []
