"""How likely a memory is meant: names, the meaning of the rest, and words."""

from __future__ import annotations

import pytest

from holdfast.memory.remember import remember
from holdfast.recall import weights
from holdfast.recall.embed import Model
from holdfast.recall.recall import recall
from holdfast.recall.scan import Scan
from holdfast.recall.statements import LOOKED_AT, NO_KIN, Question, added, likelihood, square_of
from holdfast.records import Filter
from holdfast.workspace import Workspace

SERVICES = ("billing", "checkout", "ledger", "kestrel", "saffron", "basalt", "orchard", "juniper", "meridian", "quartz")
ASPECTS = (
    "The timeout for calls to {} is two seconds.",
    "{} is deployed on Tuesdays after ten.",
    "The team that owns {} is Payments Core.",
    "{} stores its data in Postgres.",
    "Logs of {} are kept for ninety days.",
    "Backups of {} are taken every night.",
    "Secrets of {} live in Vault.",
    "{} is written in Kotlin.",
    "Money in {} is counted in integer cents.",
    "Code style in {} is enforced by Prettier.",
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    """Ten services, and ten facts about each."""
    with Workspace(str(tmp_path_factory.mktemp("facts") / "home"), project="shop") as workspace:
        for service in SERVICES:
            for aspect in ASPECTS:
                remember(workspace, aspect.format(service))
        recall(workspace, "anything")
        yield workspace


def names(workspace, query: str) -> list[str]:
    """Return the words of the query that are taken for names."""

    def ask(tables) -> list[str]:
        asked = tables.memories.ask(query)
        return [asked.words[place] for place in Question(tables.memories, Model.open(), asked).names]

    return workspace.store.ask(ask)


def test_a_name_is_what_different_facts_share(facts) -> None:
    """The name of a service is one; a word of a topic, which stands in as many facts, is none."""
    assert names(facts, "when does a slow call to billing time out, what timeout?") == ["billing"]
    assert names(facts, "timeout of deploys") == []


def test_a_query_of_nothing_but_a_name_asks_for_it(facts) -> None:
    """Then the name is what is meant, and what has it is found."""
    assert names(facts, "kestrel") == []
    assert all("kestrel" in hit.memory.body.lower() for hit in recall(facts, "kestrel", limit=10))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("who is responsible for saffron?", "The team that owns saffron is Payments Core."),
        ("on which day does quartz reach production?", "quartz is deployed on Tuesdays after ten."),
        ("where do passwords of basalt go?", "Secrets of basalt live in Vault."),
        ("may I use floats for prices in ledger?", "Money in ledger is counted in integer cents."),
        ("which database is behind orchard?", "orchard stores its data in Postgres."),
    ],
)
def test_what_is_asked_of_a_name_decides(facts, query, found) -> None:
    """Of ten facts about the service, the one that is asked for comes first, though they share no word but the name."""
    assert recall(facts, query)[0].memory.body == found


def test_a_score_is_high_only_where_it_is_likely(facts) -> None:
    """What answers the question stands out; for a question that no fact answers, nothing does."""
    assert recall(facts, "who owns saffron?")[0].score > 0.6
    assert recall(facts, "what is the capital of Portugal?", limit=1)[0:1] == [] or (
        recall(facts, "what is the capital of Portugal?")[0].score < 0.4
    )


def test_what_is_said_of_others_in_other_words_speaks_for_a_fact(workspace) -> None:
    """That the others have Kafka for their events tells what events of ledger are about."""
    query = "Where do the events of ledger go?"

    def ask(tables) -> dict[str, tuple[float, ...]]:
        table, everything = tables.memories, Filter(None)
        rows = table.few(everything, 1_000)
        marks = Question(table, Model.open(), table.ask(query)).marks(rows, Scan(table), everything)
        known = table.candidates(dict.fromkeys(rows, (0.0, 0.0)), table.ask(""), everything)
        return {one.memory.body: marks[row] for row, one in zip(rows, known, strict=True)}

    with workspace() as h:
        for service in SERVICES:
            for aspect in ASPECTS:
                remember(h, aspect.format(service))
            way = "{} uses Kafka." if service == "ledger" else "{} publishes its events to Kafka."
            remember(h, way.format(service))
        assert recall(h, query)[0].memory.body == "ledger uses Kafka."
        marks = h.store.ask(ask)
    near, kin, named, _ = marks["ledger uses Kafka."]
    assert named == 1.0 and kin > near
    # Of what is about somebody else no kin is looked for.
    other = marks["saffron publishes its events to Kafka."]
    assert other[1] == NO_KIN * other[0]


def test_a_word_of_the_same_stem_is_not_the_same_thing(workspace) -> None:
    """Who asks for a package manager gets it, and not what is managed."""
    with workspace() as h:
        remember(h, "Redis is a managed instance on AWS.", key="redis")
        remember(h, "Install dependencies with pnpm, never with npm.", key="pnpm")
        assert recall(h, "which package manager do we use?")[0].memory.key == "pnpm"


def test_what_speaks_for_a_passage_adds_up_to_one() -> None:
    """However long the candidates are, with meaning and without, no passage can score more than one."""
    for lengthy in (-2.0, 0.0, 3.0):
        for meaning in (True, False):
            assert sum(map(abs, weights.at(lengthy, meaning))) == pytest.approx(1.0)


def test_likelihood() -> None:
    """It is between nought and one, and rises with what speaks for a memory."""
    steps = [likelihood(evidence / 10) for evidence in range(-20, 21)]
    assert steps == sorted(steps) and 0 < steps[0] < 0.01 and 0.99 < steps[-1] < 1


def test_vectors_are_added_to_the_number() -> None:
    """Sums and squares of stored vectors are exact, also where every number is as large as a byte takes."""
    stored = [bytes((place * step) & 255 for place in range(256)) for step in range(LOOKED_AT - 2)]
    stored += [b"\x80" * 256, b"\x7f" * 256]
    numbers = [[byte - 256 if byte > 127 else byte for byte in one] for one in stored]
    assert added(stored) == [sum(column) for column in zip(*numbers, strict=True)]
    assert [square_of(one) for one in stored] == [sum(number * number for number in each) for each in numbers]
