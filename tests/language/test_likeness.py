"""When two complaints are about the same thing."""

from __future__ import annotations

import pytest

from holdfast.language.likeness import alike, shared, stem, words_of

SAME = (
    ("you deleted my migration again", "you removed the migration again!!"),
    ("you deleted my migration again", "why did you drop my migrations?"),
    ("you deleted my migration again", "du hast schon wieder meine Migration gelöscht"),
    ("use pnpm, not npm", "please use pnpm instead of npm"),
    ("nutze pnpm statt npm", "nutze pnpm, nicht npm"),
    ("never commit to main", "do not commit to main"),
    ("don't push without running the tests", "never push without running tests first"),
    ("you forgot to run the linter", "you skipped the linter again"),
    ("stop editing generated files", "don't touch generated files"),
    ("you broke the login page", "the login page is broken again"),
    ("the config file was overwritten", "you overwrote the config file"),
    ("Du hast die Datenbank gelöscht", "you wiped the database"),
)
APART = (
    ("you deleted my migration again", "you deleted my branch"),
    ("use tabs, not spaces", "use spaces, not tabs"),
    ("you broke the login page", "you broke the build"),
    ("never commit to main", "always commit to main"),
    ("run the tests before pushing", "run the linter before pushing"),
    ("don't use npm", "use npm"),
    ("the test for the parser fails", "the test for the cart fails"),
    ("the parser test fails on windows", "the parser test fails on linux"),
    ("wrong file", "wrong file"),
    ("bitte nicht die Tests löschen", "bitte die Tests anpassen"),
    ("", ""),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_complaint_in_other_words_meets(one, other) -> None:
    """Words that mean the same, endings, negations and two languages do not keep a complaint from its like."""
    assert alike(words_of(one), words_of(other)) and alike(words_of(other), words_of(one))


@pytest.mark.parametrize(("one", "other"), APART)
def test_another_thing_does_not_meet(one, other) -> None:
    """Another thing, the opposite, and what is too short to say anything stay apart."""
    assert not alike(words_of(one), words_of(other))


def test_a_longer_complaint_may_hold_a_shorter_one() -> None:
    """A complaint that says all of another and somewhat more is the same; one that says much more is not."""
    short = words_of("you deleted the generated client code")
    assert alike(short, words_of("you deleted the generated client code of the billing api"))
    long = "you deleted the generated client code of the billing api and then every fixture below the integration suite"
    assert not alike(short, words_of(long))


def test_acts_and_things_are_told_apart() -> None:
    """Of the words that two texts share, those that only name an act are no thing."""
    said = words_of("you deleted my migration")
    assert shared(said, words_of("rm migrations/0007_x.py")) == (2, 1)
    assert shared(said, words_of("rm -rf node_modules")) == (1, 0)


def test_endings_go_and_short_words_stay() -> None:
    """A stem is the same for the forms of a word, and no word is cut to nothing."""
    assert len({stem(word) for word in ("install", "installs", "installed", "installing")}) == 1
    assert stem("servers") == stem("server") and stem("move") == stem("moving") and stem("files") == stem("file")
    assert stem("use") == "use" and stem("policies") == "policy" and stem("css") == "css"


def test_any_script_has_words() -> None:
    """Texts without Latin letters are compared, too."""
    one = words_of("你 删除 了 我的 迁移")
    assert len(one) == 5 and alike(one, words_of("你 删除 了 我的 迁移 !"))
