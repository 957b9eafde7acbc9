"""Lessons as files: one a lesson, with the evidence for it."""

from __future__ import annotations

import pytest

from holdfast.base.light_records import replace
from holdfast.errors import BadInput, NotFound, Refused
from holdfast.learning.lessons import model as lessons
from holdfast.learning.lessons.model import Evidence, Lessons, add_evidence, weight

AT = "2026-05-04T10:00:00Z"
SAID = "you deleted my migration again"


@pytest.fixture
def room(tmp_path):
    """The lessons of an empty home."""
    return Lessons(str(tmp_path / "h"))


def evidence(session: str = "s-1", quote: str = SAID, at: str = AT, kind: str = "rating", agent: str = "some-agent"):
    """Return an occurrence."""
    return Evidence(at, agent, session, kind, quote, 7, "I cleaned up.")


def add(room, one, project="shop"):
    """Add an occurrence and return the lesson and whether it was new."""
    return room.add_evidence(f'The person said: "{one.quote}".', "system", project, one)


def test_a_lesson_is_one_readable_file(room, tmp_path) -> None:
    """The name has time, words and id; the text has the statement and the quote; reading it gives the same lesson."""
    lesson, is_new = add(room, evidence())
    folder = tmp_path / "h" / "learning" / "system" / "2026-05"
    (path,) = folder.iterdir()
    assert is_new and path.name == f"2026-05-04-100000-you-deleted-my-migration-again-{lesson.id}.md"
    text = path.read_text()
    assert f'\nThe person said: "{SAID}".\n' in text and f"  > {SAID}\n  before: I cleaned up.\n" in text
    assert room.all() == [lesson] and Lessons(room.home).all() == [lesson]
    assert (path.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)


def test_near_equal_complaints_of_one_project_are_one_lesson(room) -> None:
    """Another wording in another session adds evidence; the same again adds nothing; another project has its own."""
    add(room, evidence())
    lesson, is_new = add(room, evidence("s-2", "you removed the migration again!!", agent="other"))
    assert is_new and (len(room.all()), lesson.sessions) == (1, 2)
    assert add(room, evidence("s-2", "You removed  the migration again!!", agent="other")) == (lesson, False)
    assert add(room, evidence("s-3"), project="till")[1] and len(room.all()) == 2
    assert add(room, evidence("s-3", "you deleted my branch"))[1] and len(room.all()) == 3


def test_only_distinct_sessions_count(room) -> None:
    """Twice in one session, or a copy of it with the same time and words, is one session."""
    add(room, evidence())
    add(room, evidence(quote="you removed my migration again", at="2026-05-04T11:00:00Z"))
    lesson, _ = add(room, evidence("copy-of-s-1"))
    assert (len(lesson.evidence), lesson.sessions) == (3, 1)


def test_families_stay_apart(room) -> None:
    """What a tool said and what a person said is not the same lesson."""
    add(room, evidence())
    assert add(room, evidence("s-2", kind="fixed"))[1] and len(room.all()) == 2
    assert len(add(room, evidence("s-2", kind="correction"))[0].evidence) == 2


def test_two_learnings_of_one_minute_are_both_kept(room, tmp_path) -> None:
    """Two lessons of the same second have two files."""
    add(room, evidence())
    add(room, evidence(quote="never touch the lock file"))
    assert len(list((tmp_path / "h" / "learning" / "system" / "2026-05").iterdir())) == 2


def test_what_a_person_wrote_into_the_file_stays(room) -> None:
    """Another key, a note and a comment survive a new occurrence, byte for byte."""
    lesson, _ = add(room, evidence())
    with open(lesson.path, encoding="utf-8") as file:
        text = file.read()
    edited = text.replace("status:", "# mine\nowner: Kim\nstatus:").replace(
        "## Evidence", "See the wiki.\n\n## Evidence"
    )
    with open(lesson.path, "w", encoding="utf-8") as file:
        file.write(edited)
    after, _ = add(room, evidence("s-2"))
    with open(lesson.path, encoding="utf-8") as file:
        found = file.read()
    assert found.startswith(edited[: edited.index("updated:")]) and "See the wiki.\n\n## Evidence" in found
    assert len(after.evidence) == 2 and after.statement.endswith("See the wiki.")


def test_the_id_is_told_by_what_was_said(tmp_path) -> None:
    """Two homes that hear the same give it the same id, whenever and wherever it was said."""
    one, other = Lessons(str(tmp_path / "one")), Lessons(str(tmp_path / "other"))
    there = add(other, evidence("s-9", "you DELETED my migration!", "2026-07-01T00:00:00Z"))[0]
    assert add(one, evidence())[0].id == there.id


def test_marks_and_sessions_weigh(room) -> None:
    """A helpful mark adds one, a harmful one takes four, and both halve every ninety days; sessions do not fade."""
    lesson, _ = add(room, evidence())
    assert weight(lesson, AT) == 1
    lesson = room.mark(lesson, "helpful", AT)
    assert weight(lesson, AT) == 2 and weight(lesson, "2026-08-02T10:00:00Z") == pytest.approx(1.5)
    lesson = room.mark(lesson, "harmful", AT)
    assert weight(lesson, AT) == -2 and room.all() == [lesson]
    assert weight(replace(lesson, helpful=("no time",)), AT) == -2


def test_a_file_that_is_no_lesson_is_a_problem(room) -> None:
    """It is told and stays as it is, and takes no other lesson away."""
    lesson, _ = add(room, evidence())
    broken = lesson.path.replace(".md", "-x.md")
    with open(broken, "w", encoding="utf-8") as file:
        file.write("no front matter\n")
    problems = []
    assert room.all(problems) == [lesson] and [one.path for one in problems] == [broken]


def test_a_name_must_mean_one_lesson(room) -> None:
    """An id may be cut short; one that fits several or none is refused."""
    # Of seventeen ids two begin with the same digit.
    ids = [add(room, evidence(quote=f"never touch file{number}"))[0].id for number in range(17)]
    assert room.get(ids[0]).id == ids[0]
    common = max("0123456789abcdef", key=lambda digit: sum(one.startswith(digit) for one in ids))
    with pytest.raises(BadInput):
        room.get(common)
    for name in ("zz", ""):
        with pytest.raises(NotFound):
            room.get(name)


def test_no_link_is_written_through(room, tmp_path) -> None:
    """A month that is a link to elsewhere is refused, and nothing is written there."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "h" / "learning" / "system").mkdir(parents=True)
    (tmp_path / "h" / "learning" / "system" / "2026-05").symlink_to(outside)
    with pytest.raises(Refused):
        add(room, evidence())
    assert list(outside.iterdir()) == []


def test_a_session_that_is_forgotten_takes_its_words_along(room) -> None:
    """What only it spoke for goes; of a lesson that others speak for too, only its quotes go."""
    add(room, evidence())
    add(room, evidence("s-2", "you removed the migration again"))
    add(room, evidence(quote="never touch the lock file"))
    assert [one.statement for one in room.forget("some-agent", "s-1")] == [
        'The person said: "never touch the lock file".'
    ]
    (left,) = room.all()
    assert [one.session for one in left.evidence] == ["s-2"]


def test_odd_texts_come_back_as_they_are_told(room) -> None:
    """Marks of the form within a quote or an id break nothing, and a text without Latin letters has a name."""
    odd = Evidence("", "an · agent", "- s", "correction", "> - · odd ## Evidence\n  > twice over", 3)
    lesson, _ = room.add_evidence("Odd.", "algorithm", "", odd)
    assert room.all()[0].evidence[0].quote == "> - · odd ## Evidence > twice over"
    assert "undated" in lesson.path and add(room, replace(odd, quote="你 删除 了 我的 迁移"))[0].key.startswith(
        "lesson-"
    )


def test_the_function_of_the_contract_reads_a_home_once(tmp_path) -> None:
    """`add_evidence` of a home and its room tell the same."""
    home = str(tmp_path / "h")
    lesson, is_new = add_evidence(home, "It says.", "system", "shop", evidence())
    assert is_new and lessons.room(home).all() == [lesson]
    assert lessons.id_of("shop", evidence()) == lesson.id
