"""Incidents as folders, and their budget."""

from __future__ import annotations

import os

import pytest

from holdfast.errors import Refused
from holdfast.learning.incidents import model as incidents
from holdfast.learning.incidents.model import CALLS, CONTEXT, SENTIMENT, TRANSCRIPT, Incidents, name_of, plan

AT = "2026-05-04T10:00:00Z"


def contents(rating: str = "r-1", transcript: int = 1_000) -> dict[str, bytes]:
    """Return the files of an incident."""
    told = incidents.as_json({"id": rating, "agent": "some-agent", "session": "s-1"})
    return {CONTEXT: b"# What happened\n", SENTIMENT: told, CALLS: b"[]" * 50, TRANSCRIPT: b"x" * transcript}


def put(room: Incidents, rating: str, at: str = AT, about: str = "you deleted my migration", **more) -> str:
    """Write an incident and return its folder."""
    path = room.find(at, about, rating)
    assert room.put(path, contents(rating, **more))
    return path


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ("you deleted my migration again and then the whole branch", "you-deleted-my-migration-again-and-then-the"),
        ("Größe ändern ist kaputt", "grosse-andern-ist-kaputt"),
        ("../../etc/passwd", "etc-passwd"),
        ("x" * 300, "x" * 60),
    ],
)
def test_a_name_is_the_moment_and_eight_words(about, words) -> None:
    """The name of a folder has only plain letters, and no way out of it."""
    assert name_of(AT, about) == f"2026-05-04-100000_{words}"


def test_a_name_without_latin_letters_is_a_hash() -> None:
    """Two texts in another script have two names."""
    one, other = name_of(AT, "你删除了我的迁移"), name_of(AT, "你删除了分支")
    assert one != other and one.startswith("2026-05-04-100000_m-")


def test_an_incident_is_made_once(tmp_path) -> None:
    """The same rating finds its folder again and writes nothing; another of the same second has its own."""
    room = Incidents(str(tmp_path))
    path = put(room, "r-1")
    assert room.find(AT, "you deleted my migration", "r-1") == path and not room.put(path, contents())
    other = put(room, "r-2")
    assert other != path and [one.rating for one in room.all()] == ["r-1", "r-2"]
    assert sorted(os.listdir(path)) == sorted((CONTEXT, SENTIMENT, CALLS, TRANSCRIPT))
    assert all(os.stat(os.path.join(path, name)).st_mode & 0o777 == 0o600 for name in os.listdir(path))


def test_one_that_was_cut_short_is_made_again(tmp_path) -> None:
    """A folder without CONTEXT.md does not count, and is completed."""
    room = Incidents(str(tmp_path))
    path = put(room, "r-1")
    os.unlink(os.path.join(path, CONTEXT))
    assert room.all() == [] and room.put(room.find(AT, "you deleted my migration", "r-1"), contents())
    assert [one.path for one in room.all()] == [path]


def test_the_oldest_transcripts_go_first_then_calls_and_never_the_context(tmp_path) -> None:
    """The plan frees as much as needed, in that order; with a budget of nothing CONTEXT.md and the rating stay."""
    room = Incidents(str(tmp_path))
    paths = [put(room, f"r-{day}", f"2026-05-0{day}T10:00:00Z") for day in (3, 1, 2)]
    all_of = sum(one.size for one in room.all())
    steps = plan(room.all(), all_of - 1_500)
    assert [step.target for step in steps] == [os.path.join(paths[at], TRANSCRIPT) for at in (1, 2)]
    assert plan(room.all(), all_of) == []
    incidents.apply(plan(room.all(), 0))
    assert [sorted(os.listdir(path)) for path in paths] == [[CONTEXT, SENTIMENT]] * 3
    assert plan(room.all(), 0) == []


def test_a_thousand_incidents_stay_within_the_budget(tmp_path) -> None:
    """Whatever arrives, the bytes stay within the budget and every CONTEXT.md is there."""
    room = Incidents(str(tmp_path))
    for number in range(1_000):
        at = f"2026-05-{1 + number // 60:02}T10:{number % 60:02}:00Z"
        path = room.find(at, f"complaint {number}", f"r-{number}")
        os.makedirs(path)
        for name, data in contents(f"r-{number}", 2_000).items():
            with open(os.path.join(path, name), "wb") as file:
                file.write(data)
    incidents.apply(plan(room.all(), 500_000))
    left = room.all()
    assert len(left) == 1_000 and sum(one.size for one in left) <= 500_000
    kept = [TRANSCRIPT in one.sizes for one in left]
    assert kept == sorted(kept) and kept[-1] and not kept[0]


def test_no_link_is_followed(tmp_path) -> None:
    """A folder that is a link is neither read nor written through."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "h" / "learning" / "failures").mkdir(parents=True)
    (tmp_path / "h" / "learning" / "failures" / "2026-05").symlink_to(outside)
    room = Incidents(str(tmp_path / "h"))
    with pytest.raises(Refused):
        room.put(room.find(AT, "you deleted it", "r-1"), contents())
    assert room.all() == [] and list(outside.iterdir()) == []


def test_the_incidents_of_a_session_can_be_forgotten(tmp_path) -> None:
    """All of its folders go, and no other."""
    room = Incidents(str(tmp_path))
    path = put(room, "r-1")
    assert room.forget("some-agent", "s-2") == 0 and room.forget("some-agent", "s-1") == 1
    assert not os.path.exists(path)
