"""Clusters: what is one pattern, in how many sessions it is, and in which order they come."""

from __future__ import annotations

import random

import pytest

from holdfast.patterns.clusters import clusters, domain_of
from holdfast.patterns.signal_files import Signal

NO_YAML = "pytest: no module named 'yaml'"


def signal(session: str, signature: str = NO_YAML, **more) -> Signal:
    """Return a signal of a session named `agent/id`."""
    agent, _, id = session.partition("/")
    told = {"kind": "failed-command", "text": f"{signature} in {id}", "at": f"2026-05-{4 + len(id):02d}T10:00:00Z"}
    return Signal(signature=signature, agent=agent, session=id, **{**told, **more})


def in_sessions(count: int, signature: str = NO_YAML, agent: str = "one", **more) -> list[Signal]:
    """Return a signal in each of so many sessions of an agent."""
    return [signal(f"{agent}/{agent}{signature[:4]}{n}", signature, **more) for n in range(count)]


def test_sessions_are_counted_not_occurrences() -> None:
    """The same thing ten times in one session is one; three sessions are a pattern."""
    assert clusters([signal("one/a")] * 10, min_frequency=2) == []
    (found,) = clusters([signal("one/a"), signal("one/a"), signal("one/b"), signal("two/c")])
    assert found.sessions == ("one/a", "one/b", "two/c")
    assert (found.agents, found.cross_agent, found.times) == (("one", "two"), True, 4)


def test_parts_and_copies_count_as_their_session() -> None:
    """A sub-agent or a copy of a session adds no session to the count."""
    copies = [signal("one/a"), *(signal(f"one/copy{n}", whole="a") for n in range(5))]
    assert clusters(copies, min_frequency=2) == []
    (found,) = clusters([*copies, signal("one/b")], min_frequency=2)
    assert found.sessions == ("one/a", "one/b")


def test_near_signatures_merge_and_the_first_names_them() -> None:
    """Wordings that mean the same are one pattern, named by the one that was seen first."""
    first = signal("one/a", "db: could not connect database server", at="2026-01-01T00:00:00Z")
    later = signal("one/b", "db: could not conect database server", at="2026-02-01T00:00:00Z")
    (found,) = clusters([later, first], min_frequency=2)
    assert found.signature == first.signature
    assert set(found.signatures) == {first.signature, later.signature}


def test_ids_stay_while_more_is_found() -> None:
    """Later signals, also of other wordings, and what is asked for do not change an id."""
    early = in_sessions(3, "db: could not connect database server", at="2026-01-01T00:00:00Z")
    more = in_sessions(4, "db: could not conect database server", agent="two", at="2026-03-01T00:00:00Z")
    (alone,), (both,) = clusters(early), clusters([*more, *early])
    (recent,) = clusters([*early, *more], counts=lambda one: one.at > "2026-02")
    assert alone.id == both.id == recent.id
    assert (len(both.sessions), recent.agents) == (7, ("two",))


def test_the_order_of_signals_makes_no_difference() -> None:
    """Shuffled signals give the same patterns in the same order."""
    texts = [
        f"tool: cannot {verb} the {thing} of node" for verb in ("read", "reed", "find") for thing in ("row", "disk")
    ]
    signals = [signal(f"{agent}/s{n}", text) for agent in ("one", "two") for n in range(4) for text in texts]
    expected = clusters(signals)
    assert len(expected) > 1
    for seed in range(5):
        shuffled = random.Random(seed).sample(signals, len(signals))
        assert clusters(shuffled) == expected


def test_ranking() -> None:
    """Cross-agent comes first, then the number of sessions, then severity, then what is recent."""
    cross = [*in_sessions(2, "a: x one"), *in_sessions(2, "a: x one", agent="two")]
    many = in_sessions(9, "b: y two")
    severe = in_sessions(5, "c: z three", kind="correction", severity=3)
    recent = in_sessions(5, "d: w four", at="2026-09-01T00:00:00Z", severity=2)
    old = in_sessions(5, "e: v five", at="2026-02-01T00:00:00Z", severity=2)
    found = clusters([*old, *many, *recent, *severe, *cross])
    assert [one.signature[0] for one in found] == ["a", "b", "c", "d", "e"]


def test_what_is_bound_counts_within_a_project_or_a_domain() -> None:
    """The same file name in two projects is two things, unless one domain has both."""
    signals = [
        signal(f"one/{p}{n}", "'app.ts'", kind="edit-churn", project=p, bound=True) for p in "ab" for n in (1, 2)
    ]
    assert len(clusters(signals, min_frequency=2)) == 2
    (found,) = clusters(signals, min_frequency=4, domains={"a": "shop", "b": "shop"})
    assert (found.domain, found.projects) == ("shop", ("a", "b"))


def test_evidence_shows_every_agent() -> None:
    """Quotes are of different sessions, and each agent has one before any has a second."""
    signals = [*in_sessions(20), *in_sessions(1, agent="two", at="2025-01-01T00:00:00Z")]
    (found,) = clusters(signals)
    assert {quote.agent for quote in found.evidence[:2]} == {"one", "two"}
    assert len({quote.session for quote in found.evidence}) == len(found.evidence) == 12


@pytest.mark.parametrize(
    ("project", "domain"), [("acme--shop", "store"), ("acme--shop-web", "web"), ("acme--other", "acme"), ("zest", "")]
)
def test_domains_by_name_or_beginning(project: str, domain: str) -> None:
    """A project is in the domain of its id, else of the longest beginning that fits."""
    table = {"acme--shop": "store", "acme--shop-*": "web", "acme--*": "acme"}
    assert domain_of(project, table) == domain
