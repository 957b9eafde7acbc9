"""What in a session is a lesson, and what is none."""

from __future__ import annotations

import pytest

from holdfast.language.ratings import Rating
from holdfast.learning.lessons.harvest import harvest as find
from holdfast.learning.lessons.harvest import learned
from holdfast.learning.ratings import model as signals
from holdfast.learning.ratings.harvest import place_of
from holdfast.records import SessionEvent, replace
from holdfast.sessions.digest import digest
from sessions.making import answer, edited, human, numbered, ran
from support.archived import session

SESSION = session("s-1", "/home/ann/shop", project="shop")
AT = "2026-05-04T10:30:00Z"


def rating(number: int, comment: str, text: str = "", **more) -> Rating:
    """Return a rating of the session."""
    return Rating(
        AT, number, "explicit", "some-agent", "s-1", "shop", comment, 1.0, text or f"{number} - {comment}", **more
    )


def found(*events: SessionEvent, ratings: tuple[Rating, ...] = (), told=SESSION) -> list:
    """Return what a session with these events teaches."""
    listed = numbered(*events)
    return list(learned(digest(told, listed), listed, ratings))


def test_a_low_rating_says_what_not_to_do_again() -> None:
    """The statement has the words; what the agent had said before is evidence, and no path of the session is told."""
    events = (
        human("Clean up"),
        ran("ls"),
        ran("rm migrations/0007_x.py"),
        answer("Cleaned up."),
        human("2 - you deleted my migration"),
    )
    (one,) = found(*events, ratings=(rating(2, "you deleted my migration"),))
    assert one.statement == 'Do not do this again: "you deleted my migration".'
    evidence = one.evidence
    assert (evidence.kind, evidence.quote, evidence.place, evidence.before) == (
        *("rating", "you deleted my migration", 4),
        "Cleaned up.",
    )


@pytest.mark.parametrize("comment", ["that is not what we agreed on", "it is broken like those before"])
def test_a_rating_that_points_at_its_session_teaches_nothing(comment) -> None:
    """What only somebody knows who was there is no lesson for anybody else."""
    events = (human("Clean up"), answer(), human(f"2 - {comment}"))
    assert found(*events, ratings=(rating(2, comment),)) == []


def test_a_rating_that_says_what_is_wanted_is_told_so() -> None:
    """What to do is better than what not to do."""
    (one,) = found(human("Go"), answer(), human("3 - use pnpm, not npm"), ratings=(rating(3, "use pnpm, not npm"),))
    assert one.statement == "Use pnpm, not npm."


@pytest.mark.parametrize("comment", ["", "bad", "no!!"])
def test_a_number_without_words_teaches_nothing(comment) -> None:
    """Nothing can be learned from a rating that says not what about."""
    events = (human("Clean up"), answer(), human(f"2 {comment}"))
    assert found(*events, ratings=(rating(2, comment, f"2 {comment}".strip()),)) == []


def test_of_a_long_message_with_a_mood_nothing_is_quoted() -> None:
    """Which sentence of it shows the mood is not known; a short one that says what the agent did is quoted."""
    short = replace(rating(4, "", "you broke the login page again"), source="implicit", confidence=0.8)
    (one,) = found(human("Add it"), answer(), human(short.text), ratings=(short,))
    assert one.statement == 'Do not do this again: "you broke the login page again".'
    long = replace(short, text=f"{short.text}. {'And so on. ' * 40}")
    assert found(human("Add it"), answer(), human(long.text), ratings=(long,)) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("No, we use pnpm here, not npm.", "We use pnpm here, not npm."),
        ("That's wrong, the port is 8080 and not 80.", "The port is 8080 and not 80."),
        ("Falsch, der Port ist 8080 und nicht 80.", "Der Port ist 8080 und nicht 80."),
    ],
)
def test_a_correction_is_a_lesson(said, told) -> None:
    """What a person says is right, after the agent did otherwise, without the words that only object."""
    (one,) = found(human("Install it"), ran("npm install"), answer("I ran npm."), human(said))
    assert one.evidence.kind == "correction" and one.evidence.before == "I ran npm."
    assert one.statement == told


@pytest.mark.parametrize(
    "said",
    [
        "You've attached the document to the project.",
        "No, don't put it there.",
        "No, the changes did not fix the page.",
    ],
)
def test_a_correction_that_does_not_say_what_to_do_is_none(said) -> None:
    """A report of what went wrong, and what only its session understands, is no lesson."""
    assert found(human("Install it"), ran("npm install"), answer("I ran npm."), human(said)) == []


def test_before_anything_was_done_there_is_nothing_to_correct() -> None:
    """The first message of a session corrects nobody here."""
    assert found(human("No, we use pnpm here, not npm."), answer()) == []


def test_a_correction_that_names_nothing_is_no_lesson() -> None:
    """`No, that is wrong` says nothing that could be kept."""
    assert found(human("Add it"), answer(), human("No, that's wrong."), answer(), human("Wait, stop.")) == []


def test_who_takes_back_their_own_words_teaches_nobody() -> None:
    """A person's own slip is no lesson."""
    assert found(human("Use port 80"), answer(), human("That's wrong, the port is 8080 and not 80. My mistake.")) == []


@pytest.mark.parametrize("role", ["injected", "summary", "ours", "command", "task"])
def test_only_the_persons_own_words_count(role) -> None:
    """What programs put in, summaries, our own text and tasks for sub-agents correct nothing."""
    said = replace(human("No, we use pnpm here, not npm."), role=role)
    assert found(human("Add it"), answer(), said) == []


def test_a_pasted_document_is_not_the_person() -> None:
    """A correction within a quote or a block of code is somebody else's."""
    pasted = "Summarise this:\n```\nNo, we use pnpm here, not npm.\n```\n> That's wrong, use the other port."
    assert found(human("Hello"), answer(), human(pasted)) == []


def test_what_a_person_states_as_a_lesson_is_stated() -> None:
    """A lesson that a person asks to remember counts without recurring."""
    (one,) = found(human("Remember this lesson: never run the migration on a Friday."), answer("Noted."))
    assert one.evidence.kind == "stated" and one.statement == "Never run the migration on a Friday."


def test_a_failure_that_another_command_put_right_is_a_lesson() -> None:
    """The error, and what was run between it and the success of the same command."""
    missing = "ModuleNotFoundError: No module named 'httpx'"
    (one,) = found(
        human("Run it"),
        ran("python manage.py migrate", missing, failed=True),
        ran("uv sync --extra http", "ok"),
        ran("python manage.py migrate", "Applied 3 migrations"),
        answer(),
    )
    assert (one.category, one.evidence.kind) == ("system", "fixed")
    assert one.statement == f'When `python manage.py migrate` fails with "{missing}", run `uv sync --extra http`.'


def test_other_options_of_the_same_command_are_a_fix() -> None:
    """Where nothing ran between, the way in which it passed is told."""
    (one,) = found(
        human("Push"),
        ran("git push", "fatal: The current branch till has no upstream branch", failed=True),
        ran("git push -u origin till", "ok"),
        answer(),
    )
    assert one.statement.startswith("Run `git push -u origin till`, not `git push`: that fails with ")


def test_a_failure_is_told_without_the_signs_around_it() -> None:
    """Marks that only say that it is an error, times and the brackets around them are no part of the sentence."""
    (one,) = found(
        human("Check it"),
        ran("npm run check", "× Formatter would have printed the following content: [1208.98ms]", failed=True),
        ran("npm run format", "ok"),
        ran("npm run check", "Checked 622 files. No fixes applied."),
        answer(),
    )
    assert one.statement == (
        'When `npm run check` fails with "Formatter would have printed the following content", run `npm run format`.'
    )


def test_the_name_of_a_test_is_no_cause() -> None:
    """That the tests need something first is what a later session can use."""
    (one,) = found(
        human("Test it"),
        ran("bun test cart.test.ts", "(fail) cart > sums up its prices [1208.98ms]", failed=True),
        ran("bun run build", "ok"),
        ran("bun test cart.test.ts", " 12 pass\n 0 fail"),
        answer(),
    )
    assert one.statement == "Before `bun test cart.test.ts`, run `bun run build`: without that its tests fail."


def test_what_the_person_objects_to_is_no_cure() -> None:
    """The command worked, and the person does not want it."""
    events = (
        human("Test it"),
        ran("python app.py", "ModuleNotFoundError: No module named 'yaml'", failed=True),
        ran("pip install pyyaml", "ok"),
        ran("python app.py", "ok"),
        answer(),
    )
    assert [one.evidence.kind for one in found(*events)] == ["fixed"]
    objected = found(*events, human("No, don't use pip here, we use uv."))
    assert "fixed" not in [one.evidence.kind for one in objected]


def test_what_may_be_a_correction_is_taken_down_as_such() -> None:
    """Where the words alone do not tell for sure, a second session may."""
    (one,) = found(human("Add it"), answer("Installed it with pip."), human("No, don't use pip here, we use uv."))
    assert (one.statement, one.evidence.kind) == ("Don't use pip here, we use uv.", "perhaps-correction")


def test_work_as_usual_teaches_nothing() -> None:
    """An edit between, a look between, another test that passes, a search without hits, what never passed."""
    wrong = ran("pytest tests/a.py", "ModuleNotFoundError: No module named 'httpx'", failed=True)
    done = ran("pytest tests/a.py", "1 passed")
    assert found(human("Go"), wrong, ran("uv sync"), edited("/home/ann/shop/till.py"), done, answer()) == []
    assert found(human("Go"), wrong, ran("docker compose logs web"), done, answer()) == []
    assert found(human("Go"), wrong, ran("pytest tests/b.py", "1 passed"), answer()) == []
    failing = ran("pytest -q", "E  AssertionError: assert 1 == 2\n1 failed", failed=True)
    assert (
        found(human("Add it"), failing, edited("/home/ann/shop/till.py"), ran("pytest -q", "1 passed"), answer()) == []
    )
    assert (
        found(human("Find it"), ran("grep -rn cart .", "", failed=True), ran("grep -rn till .", "till"), answer()) == []
    )
    assert found(human("Run it"), ran("make deploy", "Error: no key", failed=True), ran("true"), answer()) == []


def test_an_agents_note_needs_other_evidence() -> None:
    """A line marked as learned counts beside a low rating, not alone, and not when it is short."""
    note = answer("All done.\n\n**Lesson:** the migration must run before the seed script.\nInsight: be careful.")
    assert found(human("Add it"), note) == []
    low = rating(4, "you broke the login page")
    first, second = found(human("Add it"), note, human(low.text), ratings=(low,))
    assert first.evidence.kind == "rating"
    assert second.statement == "The migration must run before the seed script."


def test_a_sub_agent_is_spoken_to_by_no_person(workspace, shop) -> None:
    """A session of a sub-agent teaches nothing, whatever stands in it."""
    low = rating(4, "you broke the login page", id="r-1")
    listed = numbered(human("Add it"), answer(), human(low.text))
    told = replace(SESSION, is_subagent=True)
    with workspace() as h:
        signals.add(h.home, low)
        assert list(find(h, digest(told, listed), listed)) == []
        assert len(list(find(h, digest(SESSION, listed), listed))) == 1


def test_the_message_of_a_rating_is_not_taken_twice() -> None:
    """A complaint that is a rating and a correction is one lesson."""
    said = "2 - that's wrong, you should have used pnpm here"
    ratings = (rating(2, "that's wrong, you should have used pnpm here", said),)
    assert [one.evidence.kind for one in found(human("Add it"), answer(), human(said), ratings=ratings)] == ["rating"]


def test_a_bare_number_is_found_by_its_time() -> None:
    """The message of a rating is the one with its words; a number that stands elsewhere too is none."""
    events = numbered(human("Make 2 of them"), answer(), human("2"), answer(), human("Now 2 more of those, please"))
    assert place_of(rating(2, "", "2"), events) == 2
    other = [replace(event, at=f"2026-05-04T10:{at}0:00Z") for at, event in enumerate(events)]
    assert place_of(rating(3, "", "3"), other) == 4 and place_of(rating(3, "", "3"), events) == 5
