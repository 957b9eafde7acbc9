"""What is related to a memory, and why."""

from __future__ import annotations

import pytest

from holdfast.app import project
from holdfast.errors import BadKey, NotFound
from holdfast.memory.remember import remember
from holdfast.recall.related import related

SHOP = "example.com--acme--shop"


def told(workspace, key: str, **more) -> dict[str, tuple[str, ...]]:
    """Return why each memory is related, by key, without the nearness of neighbours."""
    return {each.memory.key: tuple(why.split()[0] for why in each.why) for each in related(workspace, key, **more)}


@pytest.fixture
def linked(workspace):
    """The shop has memories that link to each other, one that replaced another, and one that nothing ties."""
    with workspace() as h:
        remember(h, "The entry door is made of oak; see [[lock]] and [[paint]].", key="door")
        remember(h, "Steel bolts, three of them.", key="lock")
        remember(h, "Zinc yellow, two coats.", key="paint", scope="global")
        remember(h, "Hinges squeak in [[door]] weather.", key="hinges")
        remember(h, "Windows replaced that idea.", key="window", supersedes=("door",))
        remember(h, "Lunch is at noon.", key="lunch")
    return workspace


def test_each_tie_says_why(linked) -> None:
    """Links out, links in and what replaced it, each with its reason, the plainest first; not what nothing ties."""
    with linked() as h:
        found = told(h, "door")
        assert list(found)[:4] == ["window", "lock", "paint", "hinges"]
        assert found["window"][0] == "replaced" and found["lock"][0] == found["paint"][0] == "links"
        assert found["hinges"][0] == "linked" and "lunch" not in found
        assert told(h, "window")["door"][0] == "replaces"
        assert told(h, "paint")["door"][0] == "linked"


def test_neighbours_by_meaning(workspace) -> None:
    """What is near in meaning is related without a link, with how near it is; not what was replaced."""
    with workspace() as h:
        remember(h, "The database is backed up every night.", key="backup")
        remember(h, "Nightly database backups are kept for a month.", key="keep")
        remember(h, "Database backups every night, once upon a time.", key="former")
        remember(h, "Nobody needs it.", key="latter", supersedes=("former",))
        remember(h, "The logo is green.", key="logo")
        (found,) = related(h, "backup")
        assert found.memory.key == "keep"
        assert found.why[0].startswith("near 0.") and 0.4 <= float(found.why[0].split()[1]) < 1


def test_without_the_model_links_are_still_found(linked) -> None:
    """With recall.meaning off there are no neighbours, but every link."""
    with linked(flags={"recall.meaning": "false"}) as h:
        assert told(h, "door") == {
            "window": ("replaced",),
            "lock": ("links",),
            "paint": ("links",),
            "hinges": ("linked",),
        }


def test_the_limit(linked) -> None:
    """At most so many come back, the plainest ties."""
    with linked() as h:
        assert list(told(h, "door", limit=2)) == ["window", "lock"]


def test_only_what_is_visible_here(workspace, repository) -> None:
    """Nothing of another project, session or profile is related, whatever it links to or however near it is."""
    text = "The database is backed up every night, see [[backup]]."
    with workspace(session="s1", profile="reviewer") as h:
        remember(h, text, key="backup", scope="global")
        for scope in ("project", "session", "agent"):
            remember(h, f"{text} For the {scope}.", key=f"of-{scope}", scope=scope)
        assert set(told(h, "backup")) == {"of-project", "of-session", "of-agent"}
    with workspace(folder=str(repository("blog")), session="s2", profile="other") as h:
        assert told(h, "backup") == {}
    with workspace() as h:
        assert set(told(h, "backup")) == {"of-project"}


def test_a_key_of_ones_own_hides_the_global_one(workspace) -> None:
    """A `[[key]]` leads to the memory of the same scope; the global one of that key is not linked from there."""
    with workspace() as h:
        remember(h, "Global paint.", key="paint", scope="global")
        remember(h, "Zinc yellow.", key="paint")
        remember(h, "Oak, see [[paint]].", key="door")
        (tie,) = [each for each in related(h, "door") if "links to" in each.why]
        assert tie.memory.body == "Zinc yellow."
        assert "linked from" not in [why for each in related(h, "paint", scope="global") for why in each.why]


def test_the_aliases_of_the_project_count(workspace) -> None:
    """A link to a memory under an old id of the project is followed."""
    with workspace(project="old") as h:
        remember(h, "Steel bolts.", key="lock")
    with workspace() as h:
        remember(h, "Oak, see [[lock]].", key="door")
        assert "lock" not in told(h, "door")
        project.apply_alias(h, "old", SHOP)
    with workspace() as h:
        assert told(h, "door")["lock"][0] == "links"


def test_looking_is_not_use(linked) -> None:
    """Asking what is related counts nothing as used."""
    with linked() as h:
        related(h, "door")
        assert list(h.journal.events()) == []


@pytest.mark.parametrize(("key", "error"), [("gone", NotFound), ("../x", BadKey)])
def test_what_is_not_there(linked, key, error) -> None:
    """A key that is not there is not found, and one that cannot be is refused."""
    with linked() as h, pytest.raises(error):
        related(h, key)


def test_switched_off(linked) -> None:
    """While memory is switched off, nothing is related."""
    with linked(flags={"enabled": "false"}) as h:
        assert related(h, "door") == []
