"""System or algorithm, and lines that an agent marked as learned."""

from __future__ import annotations

import pytest

from holdfast.learning.lessons.categories import category, labelled, names_a_lesson, tells_off


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("you deleted my migration again", "system"),
        ("the pipeline needs docker", "system"),
        ("die Datenbank ist nicht erreichbar", "system"),
        ("that was over-engineered", "algorithm"),
        ("wrong approach, the docker file was fine", "algorithm"),
        ("du hättest vorher fragen sollen", "algorithm"),
        ("please be brief", "algorithm"),
    ],
)
def test_how_it_was_gone_about_comes_before_the_tools(text, wanted) -> None:
    """Words about the approach decide first, then those about tools; else it is the approach."""
    assert category(text) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("**Lesson:** run the migration first", "run the migration first"),
        ("- Key insight: the cache is per user", "the cache is per user"),
        ("Gelernt: erst die Migration, dann der Deploy", "erst die Migration, dann der Deploy"),
        ("> Takeaway: pin the version", "pin the version"),
        ("The lesson of this: none", ""),
        ("Note: nothing", ""),
        ("lessons", ""),
    ],
)
def test_only_a_label_makes_a_note(line, wanted) -> None:
    """A line is a note when all before its colon is one of the labels."""
    assert labelled(line) == wanted


def test_a_person_names_a_lesson() -> None:
    """The words for it are known in both languages."""
    assert names_a_lesson("Remember this lesson: ask first") and names_a_lesson("Merk dir die Lektion")
    assert not names_a_lesson("Remember to call Kim")


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("No, we use pnpm here, not npm.", True),
        ("hmm, you deleted the fixtures too", True),
        ("do not stash anything, read the files", True),
        ("Why did you drop the table?", True),
        ("That's wrong, the port is 8080.", True),
        ("Aber du hast die Migration gelöscht", True),
        ("Nein, nimm pnpm statt npm.", True),
        ("You can use the other port.", False),
        ("Du kannst den anderen Port nehmen.", False),
        ("also ci failed please fix.", False),
        ("did we push to the pr?", False),
        ("Release version 0.0.2", False),
        ("The function lacks direct unit tests.", False),
        ("no idea?", False),
    ],
)
def test_who_tells_off_begins_so(said, wanted) -> None:
    """A sentence that tells an agent otherwise is known by how it begins; asks, news and offers are none."""
    assert tells_off(said) is wanted
