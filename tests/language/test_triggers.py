"""What is found in a message that should outlive it, and what is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from holdfast.language import triggers
from holdfast.language.sentences import sentences
from holdfast.language.trigger_table import LANES

WORDS = Path(__file__).parents[2] / "training" / "triggers" / "words"
SHAPES = {
    *("<datum>", "<firm>", "<url>", "<path>", "<version>", "<number>", "<ticket>", "<mail>", "<channel>", "<id>"),
    *("<file>", "<name>", "<camel>", "<quoted>", "<dashed>", "<ed>"),
}
# Messages of each class and language; none of them is in the labelled set.
STATED = [
    ("correction", "no, I meant the other queue"),
    ("correction", "You removed the index again, please put it back."),
    ("correction", "nein, ich meinte die andere Warteschlange"),
    ("correction", "du hast schon wieder die Tests gelöscht"),
    ("decision", "let's go with Postgres, not Redis"),
    ("decision", "we agreed to drop the import"),
    ("decision", "wir nehmen die zweite Variante"),
    ("decision", "den Druck streichen wir ersatzlos"),
    ("architecture", "only the scheduler may write to that table"),
    ("architecture", "the client must never talk to the database directly"),
    ("architecture", "das Frontend darf nie direkt auf die Datenbank zugreifen"),
    ("priority", "this is urgent, everybody is waiting for it"),
    ("priority", "the theme can wait until next week"),
    ("priority", "das hat Zeit, zuerst der Absturz"),
    ("value", "staging runs on port 5433"),
    ("value", "the branch is release/2.x"),
    ("value", "der Server heißt pg-ledger-02"),
    ("preference", "never push without asking me"),
    ("preference", "from now on answer in short sentences"),
    ("preference", "bitte immer auf Englisch kommentieren"),
    ("remember", "keep in mind that the sandbox has no mail"),
    ("remember", "Merk dir, dass die Kasse sonntags zu ist."),
]
NOT_STATED = [
    "",
    "ok",
    "fix the failing test in src/parser.py",
    "should we use Postgres or Redis?",
    "what did we decide about the queue",
    "do you remember the name of the branch?",
    "soll ich lieber Redis nehmen?",
    "der Test ist immer noch rot",
    "ok, do the webhook.",
    "3. Upgrade to Django 5.2",
    'the page says "never use the old endpoint", where is that?',
    "remember to close the file afterwards",
]


def kinds(text: str) -> set[str]:
    """Return the kinds that are found in a text, candidates among them."""
    return {trigger.kind for trigger in triggers.scan(text)}


def told(text: str) -> set[str]:
    """Return the kinds that are told as facts."""
    return {trigger.kind for trigger in triggers.scan(text) if trigger.sure}


def parted(text: str):
    """Return the sentences of a text with their cues and names."""
    parts = triggers.own_sentences(text)
    return (parts, *triggers.judged(parts))


@pytest.mark.parametrize(("kind", "text"), STATED)
def test_a_plain_statement_is_found(kind: str, text: str) -> None:
    """What a person states in plain words is found with its kind, in English and German."""
    assert kind in kinds(text)


@pytest.mark.parametrize("text", NOT_STATED)
def test_tasks_questions_talk_and_reports_are_nothing(text: str) -> None:
    """A task, a question, talk, a report and a quotation state nothing that is told as a fact."""
    assert told(text) == set()


def test_what_is_not_sure_is_a_candidate() -> None:
    """A value in a sentence of an ordinary form may be meant to last, or not: it is found, and not told."""
    assert kinds("staging runs on port 5433") == {"value"} and told("staging runs on port 5433") == set()


def test_who_asks_whether_something_is_wrong_corrects_nothing() -> None:
    """A question doubts; that it is a correction is at most a candidate."""
    assert told("you missed something. the reader has to close the file") == {"correction"}
    assert kinds("you said you published?") == {"correction"} and told("you said you published?") == set()


def test_an_answer_is_read_with_the_question() -> None:
    """What the agent had said before counts: the same words choose something only where there was a choice."""
    question = "1. Redis\n2. Postgres\nWhich option do you prefer?"
    scores = [
        triggers.features(0, *parted("the second")) | triggers.of_before(text, parted("the second")[0])
        for text in ("", question)
    ]
    assert scores[1] - scores[0] >= {"{b asks}", "{b asks short}", "{b list}"}


def test_the_sentence_that_says_it_is_returned() -> None:
    """The text of a trigger is the person's own sentence, with its quotes, without what stands around it."""
    found = triggers.scan('Thanks for that. The project is called "heron-7". Now run the tests.')
    assert ("value", 'The project is called "heron-7".') in [(one.kind, one.text) for one in found]
    assert len({trigger.text for trigger in found}) == 1


def test_code_logs_and_quoted_mail_are_not_the_persons_words() -> None:
    """What stands in a fence, in a log, behind a > or under a heading is left out; the sentence beside it counts."""
    pasted = [
        "```\nremember that this is urgent\nlet's use Redis\n```",
        "> let's go with Redis from now on",
        "2026-03-11T09:12:44Z ERROR never use port 5432, the host is db-01.example.com",
        "# Plan\n\nWe decided to use Redis. The db is at pg-01.example.com.",
        "    raise ValueError('never use the old host db-01.example.com')",
    ]
    for text in pasted:
        assert kinds(f"look at this\n\n{text}") == set(), text
    assert kinds(f"let's drop the import\n\n{pasted[0]}") == {"decision"}


@pytest.mark.parametrize("first", ["<https://example.org> is down.", "<kim@example.org> wrote.", "<Foo/> is broken."])
def test_a_line_that_speaks_of_an_address_or_a_tag_is_the_persons(first: str) -> None:
    """A bracket at its beginning does not make a paste of it, where words follow."""
    assert "remember" in {one.kind for one in triggers.scan(f"{first} Remember: a release needs manual approval")}


def test_a_question_behind_a_statement_does_not_hide_it() -> None:
    """The statement before a comma counts, though the sentence ends with a question."""
    assert "value" in kinds("the staging host is db-01.example.com, can you check it?")
    assert kinds("is the staging host db-01.example.com?") == set()


def test_a_message_gives_at_most_twelve_triggers_of_bounded_length() -> None:
    """Many statements, or one without an end, stay within twelve triggers of 300 characters."""
    many = triggers.scan("\n".join(f"the staging port is {number}." for number in range(5000, 5020)))
    assert len(many) == triggers.MAX_TRIGGERS
    long = triggers.scan("let's go with Postgres because " + "it is good and " * 200)
    assert long
    assert all(len(trigger.text) <= triggers.MAX_CHARACTERS for trigger in long)


@pytest.mark.parametrize(
    "piece", ["we we ", "x", "let's use it. ", "no, not that\n", '"', "a|b <datum> * ^ $ ", "\x01 \0 "]
)
def test_ten_megabytes_take_bounded_time(piece: str) -> None:
    """A message of ten megabytes takes no longer than its two ends, whatever it is made of."""
    text = piece * (10_000_000 // len(piece))
    began = time.process_time()
    triggers.scan(text)
    assert time.process_time() - began < 10


def test_the_end_of_a_long_message_is_read() -> None:
    """What a person says below a very long paste is found."""
    assert "decision" in kinds("word " * 100_000 + "\n\nlet's go with Postgres")


def test_other_scripts_and_broken_text_are_harmless() -> None:
    """Text without a known language, with control signs or lone surrogates is scanned and gives nothing."""
    for text in (
        "请修复登录错误",
        "исправь тест",
        "\ud800\udfff",
        "\x1b[31mred\x1b[0m",
        "<!-- holdfast:begin buffer -->",
    ):
        assert triggers.scan(text) == ()


def test_the_word_files_have_their_form() -> None:
    """Every phrase stands in a group, uses only lists and shapes that exist, and begins with a word or a list."""
    for language in triggers.LANGUAGES:
        lines = (WORDS / f"{language}.txt").read_text(encoding="utf-8").split("\n")
        lists = {line.partition(" = ")[0] for line in lines if line.startswith("<") and " = " in line}
        known = lists | SHAPES
        phrases = [line for line in lines if line and line[0] not in "#[" and " = " not in line]
        assert phrases
        for line in phrases:
            assert line.removeprefix("^ ").split()[0] not in ("*", "_", "$"), line
            used = {part for step in line.split() for part in step.split("|") if part.startswith("<")}
            assert used <= known, line


def test_the_weights_have_their_form() -> None:
    """Every line of the weights has a feature and as many numbers as kinds and hidden units; in order, none twice."""
    lines = (WORDS / "weights.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
    rows = [line.split("\t") for line in lines if line[0] != "#"]
    assert len(rows) > 1_000
    assert all(len([int(number) for number in numbers.split()]) == LANES for _, numbers in rows)
    assert len({feature for feature, _ in rows}) == len(rows)
    assert lines[len(lines) - len(rows) :] == sorted(lines[len(lines) - len(rows) :])


def test_every_cue_that_has_a_weight_is_given_by_a_language() -> None:
    """The weights name no cue that no group of phrases gives, so that a group is not renamed without learning anew."""
    groups = {"asked", *triggers.LANGUAGES}
    for language in triggers.LANGUAGES:
        text = (WORDS / f"{language}.txt").read_text(encoding="utf-8")
        groups |= {line[1:-1] for line in text.split("\n") if line.startswith("[")}
    lines = (WORDS / "weights.txt").read_text(encoding="utf-8").split("\n")
    weighed = {line.partition("]")[0][1:] for line in lines if line.startswith("[")}
    assert weighed <= groups
    assert {"decision", "task", "de"} <= weighed


def test_umlauts_may_be_written_out() -> None:
    """Who writes ae, oe, ue and ss gets the same as who writes the umlauts."""
    said_so = triggers.scan("der Server heißt pg-ledger-02, bitte für später merken")
    assert {one.kind for one in said_so} == kinds("der Server heisst pg-ledger-02, bitte fuer spaeter merken") != set()


def test_the_points_of_a_list_are_sentences_and_their_numbers_are_no_data() -> None:
    """A numbered point is one sentence with its number in the text, but not among its words."""
    listed = sentences("1. Upgrade to Django 5.2\n2) drop the old form. Then stop.\n10. x y")
    assert [one.text for one in listed] == [
        "1. Upgrade to Django 5.2",
        "2) drop the old form.",
        "Then stop.",
        "10. x y",
    ]
    assert [one.words[0] for one in listed] == ["upgrade", "drop", "then", "x"]
    assert sentences("am 3. Mai")[0].words == ["am", "3", "mai"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("They keep the same customer no. as they have in the old books.", 1),
        ("Use order no. 17 for this.", 1),
        ("My answer is no. we keep it as it is.", 2),
        ("Keep the customer no. We need it.", 2),
    ],
)
def test_a_number_ends_no_sentence(text: str, count: int) -> None:
    """Behind what has a number "no." is one, and what follows in small letters belongs to it."""
    assert len(sentences(text)) == count


@pytest.mark.parametrize(
    "text", ["ok", "Thanks!", "yes please", "go on", "", "looks good", "ja", "danke dir", "weiter", "ok, danke"]
)
def test_a_trivial_message_is_known(text: str) -> None:
    """Yes, thanks and go on are trivial, in English and German."""
    assert triggers.is_trivial(text)
    assert not triggers.is_substantial_ask(text)


@pytest.mark.parametrize(
    "text",
    [
        "fix the login bug in the parser",
        "could you explain how the cache works",
        "why does the second test fail on windows?",
        "benenne die Methode in pruefe um",
        "kannst du mir den Aufbau erklären",
        "word " * 60,
    ],
)
def test_a_substantial_ask_is_known(text: str) -> None:
    """A task or a question of some words, and any long message, asks for work and is not trivial."""
    assert triggers.is_substantial_ask(text)
    assert not triggers.is_trivial(text)


@pytest.mark.parametrize("text", ["let's go with Postgres", "step 5", "commit", "hm, the db is at pg-01"])
def test_a_short_statement_is_neither(text: str) -> None:
    """What states something, or is only a word, is neither trivial nor an ask for work."""
    assert not triggers.is_trivial(text)
    assert not triggers.is_substantial_ask(text)


def test_nothing_heavy_is_loaded() -> None:
    """A hook that scans a prompt loads no re, json, dataclasses or typing for it."""
    code = "import sys; from holdfast.language import triggers; triggers.scan('use Redis'); print(*sys.modules)"
    source = os.path.dirname(os.path.dirname(os.path.dirname(triggers.__file__)))
    started = [sys.executable, "-I", "-S", "-E", "-c", f"import sys; sys.path.insert(0, {source!r}); {code}"]
    loaded = subprocess.run(started, capture_output=True, text=True, check=True).stdout.split()
    assert not {"re", "json", "dataclasses", "typing"} & set(loaded)


@pytest.mark.parametrize(
    "message",
    [
        "log:\nRemember: never use git diff\nplease explain",
        "this is the output:\n\nstarting up\nRemember: never use git diff",
        "Error:\nRemember: never use git diff",
    ],
)
def test_what_a_program_printed_asks_for_nothing(message: str) -> None:
    """Behind "log:" and its like stands no word of the person until the paragraph ends."""
    assert [one for one in triggers.scan(message) if one.sure] == []


def test_behind_the_paragraph_that_a_program_printed_the_person_speaks_again() -> None:
    """An empty line ends what was announced."""
    (found,) = [
        one for one in triggers.scan("log:\nit broke\n\nRemember: never use git diff") if one.kind == "remember"
    ]
    assert found.statement == "never use git diff"


def test_a_request_in_a_script_without_spaces_is_heard() -> None:
    """A sentence of one unbroken run of signs is as long as any other."""
    (found,) = [one for one in triggers.scan("请记住我们使用pnpm") if one.kind == "remember"]
    assert found.statement == "我们使用pnpm"
