"""What the ratings of a period say together: groups by distinct sessions, examples, the plot, what was done."""

from __future__ import annotations

import pytest

from holdfast.language.ratings import Rating
from holdfast.learning.fixes.model import Fix
from holdfast.learning.incidents.model import Incident
from holdfast.learning.lessons.model import Evidence, Lesson
from holdfast.learning.synthesis import model as synthesis
from holdfast.learning.synthesis import write as synthesis_page
from holdfast.learning.synthesis.model import SynthesisFinding, SynthesisLesson, groups, names_of

SHOP = "example.com--acme--shop"
WEEK = synthesis.period("week", "2026-05-10")


def rating(number: int, comment: str, day: int = 4, *, session: str = "s-1", **more) -> Rating:
    """Return a rating of that day in May, said with these words."""
    at = more.pop("at", f"2026-05-{day:02}T10:00:00Z")
    text = more.pop("text", f"{number} - {comment}" if comment else str(number))
    source = more.pop("source", "explicit")
    return Rating(
        at, number, source, "a", session, more.pop("project", SHOP), comment, 1.0, text, f"id-{day}-{session}"
    )


def test_periods():
    """A week is seven days with its last one, and the week that is over ends on a Sunday."""
    assert (WEEK.first, WEEK.last, WEEK.name) == ("2026-05-04", "2026-05-10", "week-2026-05-10")
    assert synthesis.period("month", "2026-05-10").first == "2026-04-11"
    assert synthesis.last_week("2026-05-11").name == "week-2026-05-10"
    assert synthesis.last_week("2026-05-10").name == "week-2026-05-03"


@pytest.mark.parametrize(
    ("number", "words", "name"),
    [
        (2, "that took too long", "time"),
        (2, "dauert ewig", "time"),
        (3, "half of it is missing", "incomplete"),
        (3, "die Tests fehlen", "incomplete"),
        (2, "you deleted my migration", "wrong approach"),
        (2, "völlig falscher Ansatz", "wrong approach"),
        (4, "over-engineered, three classes for that", "over-engineering"),
        (4, "viel zu kompliziert", "over-engineering"),
        (3, "it doesn't work", "tool failures"),
        (3, "das läuft nicht", "tool failures"),
        (4, "you should have asked", "communication"),
        (4, "du hast mich nicht gefragt", "communication"),
        (1, "the same mistake, over and over", "repetition"),
        (1, "schon wieder", "repetition"),
        (9, "that was quick", "quick"),
        (9, "schnell erledigt", "quick"),
        (9, "exactly what I needed", "understanding"),
        (8, "genau das wollte ich", "understanding"),
        (9, "nice catch with the index", "proactive"),
        (9, "gut mitgedacht", "proactive"),
        (8, "clean and readable", "clean"),
        (8, "saubere Lösung", "clean"),
    ],
)
def test_groups_by_words(number, words, name):
    """Each group is found by its words, in English and in German."""
    assert name in names_of(rating(number, words))


def test_every_group_is_known_in_both_languages():
    """The eleven groups are there, each once."""
    assert len(groups()) == 11
    assert len({one.name for one in groups()}) == 11


@pytest.mark.parametrize(
    "one",
    [
        rating(2, "quick and clean"),
        rating(9, "again and again a pleasure"),
        rating(5, "slow, wrong and incomplete"),
        rating(8, "good, but not quick"),
        rating(2, ""),
        rating(2, "shameful"),
    ],
)
def test_no_group(one):
    """Praise is not looked for in a complaint nor the reverse, a middling rating is neither, and a bare one is none."""
    assert names_of(one) == []


def test_words_of_implicit_ratings_count():
    """A message without a number, of which only the text is known, is in a group as well."""
    assert names_of(rating(4, "", text="you broke the build again", source="implicit")) != []


def test_sessions_count_and_not_messages():
    """Five complaints of one session are one; what two sessions say recurs."""
    many = [rating(2, f"wrong, number {at}", at) for at in range(4, 9)]
    report = synthesis.report(WEEK, SynthesisFinding([*many, rating(3, "wrong", 5, session="s-2")]))
    assert [(one.name, one.sessions, one.ratings) for one in report.groups] == [("wrong approach", 2, 6)]
    assert (report.ratings, report.sessions) == (6, 2)


def test_three_examples_of_different_sessions():
    """Of each session one is quoted, the newest sessions first, three at most, each with its session."""
    rows = [rating(2, "wrong file" if at < 8 else "wrong", at, session=f"s-{at}") for at in range(4, 9)]
    examples = (
        synthesis.report(WEEK, SynthesisFinding([*rows, rating(2, "wrong name, that is", 8, session="s-8")]))
        .groups[0]
        .examples
    )
    assert [(one.session, one.quote) for one in examples] == [
        ("s-8", "wrong name, that is"),
        ("s-7", "wrong file"),
        ("s-6", "wrong file"),
    ]


def test_a_long_quote_is_cut():
    """An example has a bounded length."""
    quote = synthesis.report(WEEK, SynthesisFinding([rating(2, "wrong " * 100)])).groups[0].examples[0].quote
    assert len(quote) <= synthesis.MAX_QUOTE
    assert quote.endswith("[...]")


def test_only_the_period_counts():
    """What was rated on another day is not in it; as many days before are told beside it."""
    rows = [rating(2, "", 3), rating(8, "", 4), rating(6, "", 10), rating(1, "", 11), rating(3, "", at="")]
    report = synthesis.report(WEEK, SynthesisFinding(rows))
    assert (report.ratings, report.average) == (2, 7.0)
    assert (report.before_ratings, report.before_average) == (1, 2.0)
    everything = synthesis.report(synthesis.period("all", "2026-05-11"), SynthesisFinding(rows))
    assert everything.ratings == 5


def test_plot_has_a_sign_a_day():
    """Seven days are seven signs, from the lowest to the highest, with a dot where nobody rated."""
    report = synthesis.report(
        WEEK, SynthesisFinding([rating(1, "", 4), rating(10, "", 6), rating(5, "", 7), rating(7, "", 7)])
    )
    assert synthesis_page.plot(report.bars) == "▁·█▅···"


def test_plot_of_years_stays_small():
    """A long time has at most sixty signs, each of as many days as needed, and loses no rating."""
    rows = [rating(5, "", at="2023-01-01T00:00:00Z"), rating(5, "", at="2026-05-10T23:00:00Z")]
    report = synthesis.report(synthesis.period("all", "2026-05-10"), SynthesisFinding(rows))
    assert len(report.bars) <= 60
    assert sum(bar.ratings for bar in report.bars) == 2
    assert report.days_a_bar > 1


def test_what_was_done_about_a_group():
    """Lessons that quote a complaint, its incident and fixes of its session are told with the group, others are not."""
    row = rating(2, "you deleted my migration again", session="s-9")
    quotes = Evidence(row.at, "a", "s-9", "rating", "you deleted my migration again")
    lesson = Lesson("1a2b", "...", "algorithm", status="standing", evidence=(quotes,))
    other = Lesson("3c4d", "...", "algorithm", evidence=(Evidence(row.at, "a", "s-9", "fixed", "npm test failed"),))
    incidents = [Incident("/x", "2026-05-04-100000_x", row.id, {}), Incident("/y", "2026-04-04-100000_y", "else", {})]
    fix = Fix("f", "npm test", "boom", ("npm install",), "a", "s-9", SHOP, row.at)
    report = synthesis.report(WEEK, SynthesisFinding([row], [lesson, other], incidents, [fix, fix]))
    done = report.groups[0].done
    assert done.lessons == (SynthesisLesson("1a2b", "standing"),)
    assert done.incidents == ("2026-05-04-100000_x",)
    assert done.fixes == 1
    assert report.done.lessons == (SynthesisLesson("1a2b", "standing"), SynthesisLesson("3c4d", "proposed"))
    page = synthesis_page.text_of(report)
    assert "lesson 1a2b (standing), incident 2026-05-04-100000_x, 1 fix found in these sessions" in page
    assert "- lessons: 1 proposed, 1 standing" in page


def test_a_project_by_itself():
    """What belongs to another project is not in the report of one."""
    rows = [rating(2, "wrong"), rating(9, "quick", 5, project="other")]
    fixes = [Fix("f", "c", "e", ("s",), "a", "s-1", "other", rows[0].at)]
    lessons = [Lesson("1a2b", "...", "algorithm", project="other")]
    mine = synthesis.matching(
        SynthesisFinding(rows, lessons, [Incident("/x", "n", rows[1].id, {})], fixes), lambda one: one == SHOP
    )
    assert mine == SynthesisFinding([rows[0]], [], [], [])


def test_a_period_without_ratings_says_only_that():
    """No trend, no group and no advice is made out of nothing."""
    page = synthesis_page.lines_of(synthesis.report(WEEK, SynthesisFinding([rating(2, "wrong", 20)])))
    assert page == ["# Ratings from 2026-05-04 to 2026-05-10", "", "Nobody rated anything in this time."]


def test_what_came_up_once_is_not_called_recurring():
    """One session makes a line, two make a heading with examples."""
    rows = [rating(2, "wrong"), rating(2, "wrong", 5, session="s-2"), rating(3, "slow", 6, session="s-3")]
    lines = synthesis_page.lines_of(synthesis.report(WEEK, SynthesisFinding(rows)))
    assert "### wrong approach: 2 sessions" in lines
    assert [line for line in lines if line.startswith("- time:")] == [
        f'- time: "slow" (rated 3, 2026-05-06, a/s-3, {SHOP}); nothing yet'
    ]
    assert lines.index("In one session only:") > lines.index("### wrong approach: 2 sessions")


def test_complaints_in_no_group_are_counted():
    """A complaint that no group knows is not hidden."""
    lines = synthesis_page.lines_of(synthesis.report(WEEK, SynthesisFinding([rating(1, "shameful")])))
    assert "In no group: 1 session." in lines
