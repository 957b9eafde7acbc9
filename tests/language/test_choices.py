"""What a person chose: by naming an option of the agent's last message, or in a dialog."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.language.choices import answered, chosen

CALLED = """There are three ways to do this.

**Option 1: Two-phase commit**
Slow, but simple:
1. Lock both tables
2. Write

**Option 2: Use the outbox table**
One more table.

### Option 3
Keep it as it is.

Which do you prefer?"""
NUMBERED = """Login works now. Would you like me to:
1. Add **retries** to the client?
2. Write a test for `login`?
3. Something else?"""
LETTERED = "Should we\nA) keep REST\nB) move to gRPC\nC) do GraphQL?\n\nTell me."
TABLE = "Where do transcripts go?\n\n| Option | Description |\n|---|---|\n| A | Memory only |\n| B | A file |\n"
EITHER = "All green. Would you like to keep the old parser, or replace it with the new one?"
DONE = "I did this:\n1. Fixed the login\n2. Added a test\n\nAll tests pass. Is there anything else?"
UNSPACED = "どうしますか？\n\n### 方法A: 鍵を使う\n\n### 方法B: 証明書を使う\n"
TWO_LISTS = "I changed:\n1. start.ts\n2. end.ts\n\nWould you like me to:\n1. Commit them\n2. Push them"


@pytest.mark.parametrize(
    ("said", "before", "kept"),
    [
        ("go for option 1", CALLED, 'Chose option 1: "Two-phase commit"'),
        ("yes, the second", CALLED, 'Chose option 2: "Use the outbox table"'),
        ("Option 3 please", CALLED, 'Chose option 3: "Keep it as it is."'),
        ("you have my permission to proceed with option 2", CALLED, 'Chose option 2: "Use the outbox table"'),
        ("Lass uns die zweite Option nehmen", CALLED, 'Chose option 2: "Use the outbox table"'),
        ("nimm die zweite", CALLED, 'Chose option 2: "Use the outbox table"'),
        ("1", CALLED, 'Chose option 1: "Two-phase commit"'),
        ("1", NUMBERED, 'Chose option 1: "Add retries to the client"'),
        ("#2", NUMBERED, 'Chose option 2: "Write a test for login"'),
        ("2.", NUMBERED, 'Chose option 2: "Write a test for login"'),
        ("number 2 please", NUMBERED, 'Chose option 2: "Write a test for login"'),
        ("the first one", NUMBERED, 'Chose option 1: "Add retries to the client"'),
        ("do both", NUMBERED, 'Chose both: "Add retries to the client"; "Write a test for login"'),
        ("do 1 and 2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("1 & 2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("ok, do 1+2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("do #1 and #2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("1,2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("do 1-2", NUMBERED, 'Chose options 1 and 2: "Add retries to the client"; "Write a test for login"'),
        ("A - C", LETTERED, 'Chose options A and B and C: "keep REST"; "move to gRPC"; "do GraphQL"'),
        ("a & c", LETTERED, 'Chose options A and C: "keep REST"; "do GraphQL"'),
        ("let's do A + C", LETTERED, 'Chose options A and C: "keep REST"; "do GraphQL"'),
        ("do 1", TWO_LISTS, 'Chose option 1: "Commit them"'),
        ("A and C", LETTERED, 'Chose options A and C: "keep REST"; "do GraphQL"'),
        ("let's go with b", LETTERED, 'Chose option B: "move to gRPC"'),
        ("the last one", LETTERED, 'Chose option C: "do GraphQL"'),
        ("B", TABLE, 'Chose option B: "A file"'),
        ("B, but do we have a disk?", TABLE, 'Chose option B: "A file", saying: "B, but do we have a disk?"'),
        (
            "Option 2 Write it first",
            CALLED,
            'Chose option 2: "Use the outbox table", saying: "Option 2 Write it first"',
        ),
        ("方法Bでお願いします", UNSPACED, 'Chose option B: "証明書を使う"'),
        ("用方法A吧", UNSPACED, 'Chose option A: "鍵を使う"'),
        ("the latter", EITHER, 'Chose "replace it with the new one", not "keep the old parser"'),
        ("both please", EITHER, 'Chose both: "keep the old parser"; "replace it with the new one"'),
        ("选A方案", "方案 A：用 Redis\n方案 B：用 SQLite", 'Chose option A: "用 Redis"'),
        ("all three", "Next:\n1. Lint\n2. Test\n3. Ship", 'Chose all 3: "Lint"; "Test"; "Ship"'),
        (
            "both",
            "Shall I\n1. Fix it\n2. Test it\n3. Both - fix and test it?",
            'Chose option 3: "Both - fix and test it"',
        ),
    ],
)
def test_an_option_is_kept_with_its_meaning(said: str, before: str, kept: str) -> None:
    """A number, a letter or a place says nothing in the next session; what the agent offered there does."""
    assert chosen(said, before) == kept


@pytest.mark.parametrize("lead", ["What I'd consider next:", "Remaining work:", "I recommend:", "Next steps:"])
def test_what_an_agent_lists_as_left_to_do_is_offered(lead: str) -> None:
    """It need not ask; of what it says it did nothing is to be chosen."""
    before = (
        f"{DONE}\n\n{{}}\n1. Bound the cache\n2. Document the flag\n3. Run the race detector\n\nAll of it is optional."
    )
    assert chosen("yeah let's do 3", before.format(lead)) == 'Chose option 3: "Run the race detector"'
    assert chosen("yeah let's do 3", before.format("What changed:")) == ""


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (
            "use option 2 but keep the old table",
            'Chose option 2: "Use the outbox table", saying: "use option 2 but keep the old table"',
        ),
        ("do 2 next", 'Chose option 2: "Use the outbox table", saying: "do 2 next"'),
        ("1 seems a decent path", 'Chose option 1: "Two-phase commit", saying: "1 seems a decent path"'),
        ("Option 2: outbox", 'Chose option 2: "Use the outbox table"'),
    ],
)
def test_what_is_said_beside_it_stays(said: str, kept: str) -> None:
    """A reservation belongs to a decision; words that only name the option again do not."""
    before = CALLED.replace("1. Lock both tables\n2. Write\n", "")
    assert chosen(said, before) == kept


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("1, and if that's not enough 2", ' (2: "Push them")'),
        ("Option 1, otherwise 2", ' (2: "Push them")'),
        ("erst 1, und wenn das nicht reicht 2", ' (2: "Push them")'),
        ("1 first, then 2 if needed", ' (2: "Push them")'),
        ("1, but keep 2 retries", ""),
    ],
)
def test_an_option_for_later_has_its_meaning_too(said: str, then: str) -> None:
    """What is to be done where the first choice does not do is told with what it is; another number is none."""
    assert chosen(said, TWO_LISTS) == f'Chose option 1: "Commit them", saying: "{said}"{then}'


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("option 2 fails with a timeout", CALLED),
        ("option 1 seems broken", CALLED),
        ("what about option 2?", CALLED),
        ("option 1 or 2?", CALLED),
        ("show the sum of 1 + 2", NUMBERED),
        ("all but 2", LETTERED.replace("A)", "1)").replace("B)", "2)").replace("C)", "3)")),
        ("wait 2-3 seconds", NUMBERED),
        ("the release is on 1-2-2027", NUMBERED),
        ("go ahead for 3 next steps", NUMBERED),
        ("it should print 1, 2", NUMBERED),
        ("let's not do option 2", CALLED),
        ("Option 1, and then option 3", CALLED),
        ("I prefer option 2 over option 1", CALLED),
        ("Option 2: the queue", CALLED),
        ("use 2 columns", NUMBERED),
        ("add 2 buttons", NUMBERED),
        ("yes", NUMBERED),
        ("build first", NUMBERED),
        ("First, can you move the button to the top?", NUMBERED),
        ("1. fix the header\n2. fix the footer", NUMBERED),
        ("1. a, 2. b, 3 does not matter", LETTERED),
        ("use a method that works", LETTERED),
        ("the first one is wrong", DONE),
    ],
)
def test_what_only_looks_like_a_choice_is_none(said: str, before: str) -> None:
    """Reports, questions, refusals, tasks with numbers and lists of one's own choose nothing."""
    assert chosen(said, before) == ""


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("option 4", CALLED),
        ("the latter", LETTERED),
        ("both", CALLED),
        ("all 5", NUMBERED),
        ("2", DONE),
        ("both", DONE),
        ("2", "1. Use Redis\n2. Use SQLite\n\nWhich one?\n\nAnd then, shall I\n1. commit\n2. push?"),
        ("option b", "I fixed it."),
        ("option b", ""),
    ],
)
def test_an_option_that_cannot_be_found_is_no_fact(said: str, before: str) -> None:
    """Where there is no such option, or more than one, or the agent only reports, nothing is kept."""
    assert chosen(said, before) == ""


@given(st.text(max_size=300), st.text(max_size=300))
def test_whatever_is_said_it_answers(said: str, before: str) -> None:
    """No text breaks it, and what it keeps is one short line."""
    assert len(chosen(said, before)) < 1_000


def test_a_long_message_takes_no_longer_than_its_end() -> None:
    """A message of many lists costs a look at its end."""
    before = "1. x\n2. y\n" * 100_000
    began = time.process_time()
    assert chosen("2", before) == ""
    assert time.process_time() - began < 1


QUESTION = {
    "question": "Where should the diagram go?",
    "header": "Folder",
    "id": "folder",
    "options": [{"label": "docs/generated (Recommended)", "description": "d"}, {"label": "docs"}, {"label": "site"}],
}
CHOSE = 'Chose "docs/generated" (asked: "Where should the diagram go?"; other options: "docs", "site")'
LABEL = "docs/generated (Recommended)"


@pytest.mark.parametrize(
    "answers",
    [{QUESTION["question"]: LABEL}, {"folder": {"answers": [LABEL]}}, {"0": LABEL}, [[LABEL]], [LABEL]],
)
def test_an_answer_is_found_by_its_question(answers: object) -> None:
    """Agents keep answers by the text, the id or the number of the question, or in order."""
    assert answered({"questions": [QUESTION]}, answers) == [("choice", CHOSE)]


def test_one_question_of_texts() -> None:
    """A dialog may ask one question and list its options as texts."""
    asked = {"question": "Which port?", "choices": ["8080", "8443"]}
    assert answered(asked, ["8443"]) == [("choice", 'Chose "8443" (asked: "Which port?"; other options: "8080")')]


def test_several_options_are_one_choice() -> None:
    """Where several may be taken, they stand together, joined by the agent or as a list."""
    for answers in ({"0": "docs, site"}, {"0": ["docs", "site"]}):
        assert answered({"questions": [QUESTION]}, answers) == [
            (
                "choice",
                'Chose "docs" and "site" (asked: "Where should the diagram go?"; other options: "docs/generated")',
            )
        ]


def test_what_was_typed_is_the_persons_own() -> None:
    """Beside an option or instead of one a person may type: that is speech, and answers the question."""
    assert answered({"questions": [QUESTION]}, {"0": "into wiki/"}) == [
        ("choice", 'Answered "into wiki/" (asked: "Where should the diagram go?")'),
        ("human", "into wiki/"),
    ]
    assert answered({"questions": [QUESTION]}, {"folder": {"answers": [LABEL, "user_note: but only SVG"]}}) == [
        ("choice", CHOSE),
        ("human", "but only SVG"),
    ]
    assert answered({"questions": [QUESTION]}, {"0": "what do you mean?"}) == [("human", "what do you mean?")]


@pytest.mark.parametrize(
    "answer", ["No preference", "[No preference]", "Unanswered", "(no option selected)", " ", 7, None]
)
def test_no_answer_is_no_choice(answer: object) -> None:
    """What a dialog says where nothing was answered is nobody's word."""
    assert answered({"questions": [QUESTION]}, {"0": answer}) == []


@given(st.recursive(st.none() | st.text(max_size=9), lambda kind: st.lists(kind) | st.dictionaries(st.text(), kind)))
def test_nothing_in_a_dialog_breaks_it(value: object) -> None:
    """Whatever stands where questions and answers are expected, it answers."""
    answered(value, value)
    answered({"questions": value}, {"answers": value})
