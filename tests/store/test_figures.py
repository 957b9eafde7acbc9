"""Figures over people: a person sees their own, everybody else only groups that are large enough, raw SQL included."""

from __future__ import annotations

import random

import pytest

from holdfast.errors import BadInput, NotFound
from support.postgres import hub

PEOPLE = [f"p-{number}" for number in range(12)]
PRINCIPAL = "SELECT set_config('holdfast.organisation', 'figures', true), set_config('holdfast.person', %s, true)"


@pytest.fixture(scope="module")
def made():
    """Return a hub with a team of twelve, and one outside of it."""
    found = hub()
    found.operator.add_organisation("figures")
    found.operator.add_team("figures", "many")
    found.operator.add_team("figures", "away")
    for person in PEOPLE:
        found.operator.set_member("figures", "many", person, "reader")
    found.operator.set_member("figures", "away", "out", "admin")
    return found


def pool_and(made, person):
    from holdfast.store.postgres import pool_of
    from holdfast.store.postgres_connection import Asks

    return pool_of(made.url()), Asks("figures", person, "")


def share(made, person, session, *, agent="codex", project="shop", week="2026-01-05", asks=10, signals=(), **more):
    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_figures import SharedDigest, add_digests

    store = PostgresStore(made.url(organisation="figures", team="many", person=person))
    outcome = more.get("outcome", "success")
    add_digests(store, [SharedDigest(session, week, project, agent, outcome, asks, 20, 2, 30, 1000, 0.5, [*signals])])


def groups(made, by, person="p-0"):
    from holdfast.store.postgres_figures import figures

    return {one.value: one for one in figures(*pool_and(made, person), "many", by)}


UNLIKELY = [("week", "-infinity"), ("week", "2026-01-06"), ("asks", 2_000_000), ("dollars", 1e308), ("session", "")]


@pytest.mark.parametrize(("field", "value"), [*UNLIKELY, ("failed_calls", 21), ("project", "p" * 301)])
def test_no_member_breaks_the_figures_of_all(made, field, value):
    """What no session can have is refused, so that nobody stands for a group or has its mean overflow."""
    from dataclasses import replace

    from holdfast.store.postgres import PostgresStore
    from holdfast.store.postgres_figures import SharedDigest, add_digests

    one = SharedDigest("s", "2026-01-05", "shop", "codex", "success", 1, 20, 2, 3, 4, 0.5, [])
    store = PostgresStore(made.url(organisation="figures", team="many", person="p-11"))
    with pytest.raises(BadInput):
        add_digests(store, [replace(one, **{field: value})])


def test_a_group_is_told_of_only_where_it_is_large_enough(made):
    """Four people are nobody, five are a group; counts go in steps of five, and each person counts once."""
    for number in range(4):
        share(made, PEOPLE[number], f"small-{number}", agent="small")
    assert "small" not in groups(made, "agent")
    share(made, PEOPLE[4], "small-4", agent="small")
    assert groups(made, "agent")["small"].people == 5
    for number in range(9):
        share(made, PEOPLE[number], f"nine-{number}", agent="nine", asks=10)
    for more in range(30):
        share(made, PEOPLE[0], f"busy-{more}", agent="nine", asks=100)
    nine = groups(made, "agent")["nine"]
    # One busy person moves the mean by no more than one of nine: (8 * 10 + 97.1) / 9, in two digits.
    assert (nine.people, nine.asks) == (5, 20.0)
    share(made, PEOPLE[0], "future", agent="future", week="2999-01-07")
    assert "future" not in groups(made, "agent") and "2999-01-07" not in groups(made, "week")


def test_the_database_itself_tells_nothing_of_fewer(made):
    """Whatever is shared at random, raw SQL of the application sees no row of others and no group that is too small."""
    import psycopg

    chance = random.Random(5)
    counted: dict[str, set[str]] = {}
    for session in range(60):
        person, project = chance.choice(PEOPLE), f"project-{chance.randrange(9)}"
        counted.setdefault(project, set()).add(person)
        share(made, person, f"random-{session}", project=project, signals=[("failed-command", f"npm {project}")])
    with psycopg.connect(made.url()) as db:
        for person in (PEOPLE[1], PEOPLE[2], "out", "", "nobody"):
            db.execute(PRINCIPAL, (person,))
            for table in ("shared_digest", "shared_signal"):
                rows = db.execute(f"SELECT person FROM holdfast.{table}").fetchall()
                assert {row[0] for row in rows} <= {person}
            db.rollback()
        db.execute(PRINCIPAL, (PEOPLE[1],))
        told = {
            value: people for value, people, *_ in db.execute("SELECT * FROM holdfast.figures_over('many', 'project')")
        }
        seen = db.execute("SELECT signature, people FROM holdfast.signals_over('many')").fetchall()
        for project, people in counted.items():
            assert told.get(project, 0) == len(people) // 5 * 5
            assert dict(seen).get(f"npm {project}", 0) == len(people) // 5 * 5
        for sql in ("UPDATE holdfast.organisation SET least_group = 3", "UPDATE holdfast.shared_digest SET asks = 1"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), db.transaction():
                db.execute(sql)
    for person in ("out", "nobody", ""):
        with pytest.raises(NotFound):
            groups(made, "project", person)
    with pytest.raises(BadInput):
        groups(made, "person")


def test_nobody_shares_in_the_name_of_another(made):
    """A row in another person's name, or for a team that one is not in, is refused."""
    import psycopg

    for person, named in (("p-1", "p-2"), ("out", "out")):
        with psycopg.connect(made.url()) as db:
            db.execute(PRINCIPAL, (person,))
            place = db.execute("SELECT holdfast.my_organisation()").fetchone()[0]
            values = f"{place}, {team_number(made)}, '{named}', 's', '2026-01-05', 'p', 'a', 'o', 1, 1, 1, 1, 1, 1"
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"INSERT INTO holdfast.shared_digest VALUES ({values})")


def team_number(made):
    from holdfast.store.postgres import PostgresStore

    store = PostgresStore(made.url(organisation="figures", team="many", person="p-0"))
    store.groups()
    return store.here[1]


def test_a_person_sees_and_takes_back_what_they_share(made):
    """What is shared is listed as it is kept; taken back, it is gone with its signals, and the group shrinks."""
    from holdfast.store.postgres_figures import own_digests, take_back

    for number in range(5, 10):
        share(made, PEOPLE[number], f"back-{number}", agent="back", signals=[("failed-command", "npm back")])
    assert groups(made, "agent")["back"].people == 5
    mine = [one for one in own_digests(*pool_and(made, PEOPLE[5])) if one["agent"] == "back"]
    assert [(one["team"], one["session"], one["signals"]) for one in mine] == [
        ("many", "back-5", [["failed-command", "npm back"]])
    ]
    assert take_back(*pool_and(made, PEOPLE[5])) >= 1 and own_digests(*pool_and(made, PEOPLE[5])) == []
    assert "back" not in groups(made, "agent") and own_digests(*pool_and(made, PEOPLE[6])) != []
