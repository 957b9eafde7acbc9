"""What a person's message says about the work."""

from __future__ import annotations

import time

import pytest

from holdfast.continuity import asks, messages
from holdfast.language import triggers
from holdfast.language.requests import requests
from holdfast.language.sentences import sentences

TODO = "Write the refund test"


@pytest.mark.parametrize(
    "text",
    [
        "Write the refund test is done.",
        "write the refund test: done",
        "write the refund test: that is done",
        "Write the refund test, das ist erledigt",
        "I think we are good. Write the refund test is now finished, thanks",
        "Done: write the refund test",
        "I'm done with write the refund test.",
        "finished 'write the refund test'",
        "Write the refund test ist erledigt.",
        "Fertig mit write the refund test!",
        "please mark Write the refund test as done",
        "Write the refund test is done. Now please add the login page.",
    ],
)
def test_it_is_done_where_that_is_said_of_it(text):
    """The word that says done stands beside the words of the to-do, on either side."""
    assert messages.tells_done(TODO, messages.said_done(text))


@pytest.mark.parametrize(
    "text",
    [
        "Write the refund test isn't done yet.",
        "Write the refund test isn’t done.",
        "Is write the refund test done?",
        "is write the refund test done",
        "As soon as write the refund test is done, deploy.",
        "When write the refund test is done, tell me.",
        "I don't think write the refund test is done.",
        "Please write the refund test, and tell me when you are done.",
        "Don't write the refund test until the migration is finished.",
        "I have fixed the css. Write the refund test next.",
        "I have fixed the css, write the refund test next.",
        "Done, write the refund test now.",
        "Write the refund test; the fixed rate is enough",
        "Never mind write the refund test; the fixed rate is enough",
        "After you are done with the parser, write the refund test",
        "Write the refund test muss heute fertig werden, ist noch unerledigt",
        "Add the login page is done. Now please write the refund test.",
        "> write the refund test is done",
        "the refund page is done",
    ],
)
def test_it_is_not_done_where_that_is_not_said_of_it(text):
    """A question, a denial, a condition, a wish, a quote, or another thing that is done, tick nothing."""
    assert not messages.tells_done(TODO, messages.said_done(text))


def test_a_todo_without_words_is_never_done():
    """A to-do of signs alone is in no sentence."""
    assert not messages.tells_done("--- ???", messages.said_done("it is done"))
    assert not messages.tells_done("", messages.said_done("it is done"))


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "where were we?",
            "Where were we again?",
            "So, where were we yesterday?",
            "what were we doing",
            "What's next?",
        ),
        *("continue", "Continue.", "please continue", "OK, let's continue!", "pick up where we left off"),
        *(
            "wo waren wir?",
            "Wo waren wir denn stehen geblieben?",
            "mach weiter",
            "Mach bitte weiter",
            "weiter",
            "Weiter!",
        ),
        *("was war noch offen?", "what is left to do?"),
        *("ok, weiter bitte", "Lass uns weitermachen", "Wie geht’s weiter?", "  \n continue \n"),
    ],
)
def test_who_asks_where_they_were_wants_it(prompt):
    """A person who asks where they were, or says to continue, in English or German, wants the recovery."""
    assert messages.wants_to_go_on(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        *("", "   ", "?!", "please", "ok", "yes", "ja", "go on", "we", "now then"),
        *("continue with the login tests", "weiter mit dem Login", "where were we when the test failed?"),
        *("why does the loop continue?", "do not continue", "nicht weiter", "continue " * 40, "x" * 1_000_000),
    ],
)
def test_who_says_more_or_only_agrees_does_not(prompt):
    """A prompt of substance, and a short reply in the middle of the work, bring no recovery."""
    assert not messages.wants_to_go_on(prompt)


@pytest.mark.parametrize(
    ("prompt", "is_lost"),
    [
        ("<summary>We built the cart.</summary> go on", True),
        ("  <Summary>\nWe built", True),
        ("This session is being continued from a previous conversation that ran out of context.", True),
        ("[truncated] and then", True),
        ("explain the <summary> tag", False),
        ("<details><summary>x</summary></details>", False),
        ("", False),
    ],
)
def test_a_summary_at_the_beginning_tells_of_a_lost_conversation(prompt, is_lost):
    """A prompt stands for a lost conversation when it begins as a summary of one does, and only then."""
    assert messages.stands_for_a_lost_conversation(prompt) is is_lost


def test_a_huge_prompt_costs_nothing():
    """The answer about a prompt of ten million letters takes no pattern to its end."""
    prompt = "continue " * 1_200_000
    began = time.process_time()
    assert not messages.wants_to_go_on(prompt) and not messages.stands_for_a_lost_conversation(prompt)
    assert time.process_time() - began < 2


TASK = "Split the order module into three files. Constraints: no public name changes, no new dependency."


@pytest.mark.parametrize(
    ("since", "told"),
    [
        (["ok"], [TASK]),
        (["Remember: never use headless Chrome for PDFs.", "yes, go on"], [TASK]),
        (["why did you use a set there?"], [TASK, "why did you use a set there?"]),
        (["why did you use a set there?", "the limit should be 15 lines, not 10."], None),
        (["thanks! looks good, go on with step 2"], [TASK, "thanks! looks good, go on with step 2"]),
        (["no, keep the old tests as they are in the repository"], None),
        (["Wir deployen immer dienstags. Merk dir das."], [TASK]),
        (["Invoices above 10000 EUR always need two signatures, that's company policy."], None),
        (
            ["My db password is [redacted:password] and the Stripe key is [redacted:stripe-key], put both into .env"],
            None,
        ),
        (["thanks, looks good so far"], [TASK]),
        (["Danke, sieht gut aus bisher"], [TASK]),
        (["Write the release notes for 2.4.0 in two paragraphs."], None),
        (
            ["Perfect. New topic: write the release notes for 2.4.0 in two paragraphs."],
            ["Perfect. New topic: write the release notes for 2.4.0 in two paragraphs."],
        ),
        (["run the tests", "commit this", "run the linter please", "yes", "push it"], [TASK, "push it"]),
        (["lgtm, go on", "cool", "great, thanks a lot. have a nice evening!", "/compact"], [TASK]),
        (["the token is [redacted:github-token] if you need it", "lol ok, bye"], [TASK]),
        (["hm ok. what's the exponent of 1.250?", "also cover CLF please"], [TASK, "also cover CLF please"]),
        (["merci ! et les dates au format JJ/MM/AAAA dans tous les fichiers exportés"], None),
        ([f"and rename the field {name}" for name in "abcdefghij"], None),
    ],
)
def test_what_is_worked_on_is_the_last_order_with_what_was_said_to_it(since, told):
    """Replies, questions before the last words and what is only to be remembered do not hide the task."""
    changing = [TASK, *[text for text in since if not text.endswith("?")]]
    assert asks.worked_on([*reversed(since), TASK, "Draw the map of the whole garden in green ink."]) == (
        told or changing
    )


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Wir deployen immer dienstags. Merk dir das.", ""),
        ("Invoices above 10000 EUR always need two signatures, that's company policy.", ""),
        ("My db password is [redacted:password] and the Stripe key is [redacted:stripe-key], put both into .env", ""),
        ("The footer should always be green", "The footer should always be green"),
        ("The export always fails on Windows", "The export always fails on Windows"),
        (
            "Log in with [redacted:password] and fix the redirect",
            "Log in with [redacted:password] and fix the redirect",
        ),
    ],
)
def test_a_habit_a_request_to_remember_and_secrets_are_no_task(text, about):
    """The focus stays with the task before; a demand or a fault becomes the focus, whatever words it shares."""
    found = tuple(one for one in triggers.scan(text) if one.sure)
    assert asks.focus_of(text, asks.asked(text), found) == about


def test_what_is_mostly_secret_is_no_statement():
    """Several secrets and the words that name them are not told as what the person said."""
    secrets = "My Stripe key is [redacted:stripe-key] and the db password is [redacted:password], put into .env"
    assert messages.lasting("value", secrets) == ""
    told = "The staging database runs on port 5434 with the password [redacted:password]"
    assert messages.lasting("value", told) == told


def test_a_plan_that_is_announced_has_a_title():
    """What stands below "implement the following plan" names what is asked for."""
    plan = "Implement the following plan:\n\n# Plan: Hide the prompts\n\n## Context\n\nThere are six.\n"
    assert asks.asked(plan) == "Plan: Hide the prompts"


@pytest.mark.parametrize("many", [5, 30, 60])
def test_however_much_is_added_the_ask_stays(many: int) -> None:
    """Of very many additions those in the middle go; the ask with its conditions and the newest words stay."""
    added = [f"also rename the field f{number} to g{number}" for number in range(many)]
    told = asks.worked_on([*reversed(added), "ok", TASK])
    assert told[0] == TASK and told[-5:] == added[-5:] and len(told) <= 14


def test_an_errand_or_a_question_that_was_answered_is_over() -> None:
    """The newest prompt is told while nobody answered it, and the ask before it in any case."""
    for prompt in ("push it", "what is CLF?", "then what next?", "commi", "commit all your recent changes"):
        assert asks.worked_on([prompt, TASK]) == [TASK, prompt]
        assert asks.worked_on([prompt, TASK], is_answered=True) == [TASK]


def test_what_is_said_once_more_from_its_beginning_on_is_told_once() -> None:
    """Who interrupts the agent to complete a message sends it again; the whole one is told."""
    begun = "Print something like: you are running another session (id). Do you want to go on? Yes, or type /exit"
    assert asks.worked_on([f"{begun} and reset it.", begun, TASK]) == [TASK, f"{begun} and reset it."]


def test_who_interrupts_the_work_has_not_ended_it() -> None:
    """What was asked before an outage stands before it."""
    outage = "Hold on. Production is down, /pay returns 500 since 10:40. Look at the last deploy, don't roll back yet."
    assert asks.worked_on(["found anything?", outage, TASK], is_answered=True) == [TASK, outage]


def test_a_question_brings_the_one_that_it_leans_on() -> None:
    """Where only questions were asked, "does it" comes with what it is about."""
    first = "How does the retry in urllib3 decide which codes to retry?"
    assert asks.worked_on(["and does it honour Retry-After?", first], is_answered=True) == [
        first,
        "and does it honour Retry-After?",
    ]


def test_who_only_asked_something_asked_that():
    """Where nothing was ordered, the last question is what was asked; of mere replies nothing is told."""
    assert asks.worked_on(["why is it slow?", "what is this repository about?"]) == ["why is it slow?"]
    assert asks.worked_on(["ok", "yes"]) == []


def test_what_is_to_be_remembered_ends_with_its_line() -> None:
    """What stands in the next line is no part of it; what a colon at the end of a line announces is."""
    text = "Remember: never use git diff\nplease explain"
    assert messages.whole(text, "Remember: never use git diff", "never use git diff") == "never use git diff"
    rule = "Add a new rule:"
    assert messages.whole(f"{rule}\n\n- Use tabs\n- No mocks\n\nAll in English", rule, rule) == "- Use tabs\n- No mocks"
    assert messages.whole(f"Fix it. {rule}", rule, rule) == ""


@pytest.mark.parametrize("prompt", ["10/10 thanks", "9", "8/10", "8/10, great work!", "Great work, thanks!", "thanks"])
def test_who_only_rates_praises_or_thanks_asks_nothing(prompt) -> None:
    """Such a message never becomes what is worked on."""
    assert asks.asked(prompt) == ""


@pytest.mark.parametrize("prompt", ["8/10, now add the tests", "Great work, now update the README.", "still too slow"])
def test_who_rates_and_asks_asks(prompt) -> None:
    """Praise before the next task does not hide it, and a complaint is work."""
    assert asks.asked(prompt) == prompt


@pytest.mark.parametrize(
    ("text", "sentence", "told"),
    [
        ("No vertical scaling of the text. I prefer truncation.", "I prefer truncation.", None),
        ("Shall we scale the text? I prefer truncation.", "I prefer truncation.", "I prefer truncation."),
        (
            "Fix the header. We always use tabs for that.",
            "We always use tabs for that.",
            "We always use tabs for that.",
        ),
        ("I prefer truncation.", "I prefer truncation.", "I prefer truncation."),
        ("WHY did you force-unlock it?? Never do that.", "Never do that.", None),
        ("why did u drop the lock? never do that again", "never do that again", None),
        ("Can you unlock it? Never do that.", "Never do that.", "Never do that."),
    ],
)
def test_a_sentence_of_few_words_comes_with_the_one_before(text, sentence, told):
    """What is said in three words leans on what was said before them, unless that is a question that blames nobody."""
    assert messages.in_context(text, sentence) == (told or text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Remember that we hide .env. This includes .env.local. Now fix it.",
            "we hide .env. This includes .env.local.",
        ),
        ("Remember that we deploy by hand. Then fix the login.", "we deploy by hand."),
        ("Remember that the server stops. Use the browser instead.", "the server stops. Use the browser instead."),
        (
            "add a rule on how to write requests\n\n- always link the issue\n- one topic each\n\nthen fix the login",
            "always link the issue\n- one topic each",
        ),
        ("- never use grep. record this as a global rule\n- add a task for the docs", "never use grep."),
    ],
)
def test_what_is_kept_is_the_whole_statement(text: str, kept: str) -> None:
    """A sentence that goes on with it and the list that a request announced are part of it, a task behind it is not."""
    (one,) = [one for one in requests(sentences(text), text) if one.statement]
    assert messages.whole(text, one.sentence, one.statement) == kept


@pytest.mark.parametrize(
    "prompt",
    [
        "Can you explain how prediction works here?",
        "hm what's left?",
        "interesting. why would unigram win?",
        "kannst du mir sagen, wie das geht?",
        "kurze Frage: läuft der Abgleich eigentlich auch sonntags?",
        "whats the difference between the two again",
        "quick one, whats the cost center tag",
        "how do we format prices again? and which port was staging",
        "wie heißt der Server nochmal",
    ],
)
def test_who_wants_an_explanation_orders_nothing(prompt):
    """A question keeps its kind behind "hm" and "can you explain", and takes no task's place."""
    assert asks.only_asks(prompt)


@pytest.mark.parametrize(
    "prompt",
    ["what i want is a list of all users", "where there is a prompt, escape goes back", "when it is done, push"],
)
def test_who_says_what_is_wanted_orders_it(prompt):
    """A sentence that only begins as a question does is none."""
    assert not asks.only_asks(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "super danke. schönes wochenende",
        "ok stop here for today, gotta pick up the kids. e2e tomorrow",
        "brb, off to lunch",
    ],
)
def test_who_leaves_asks_nothing(prompt):
    """A good-bye is nothing that the next session has to go on with."""
    assert asks.asked(prompt) == ""


def test_who_goes_back_to_the_work_means_the_ask_before_what_came_up():
    """Behind "back to the docs" the ask that a new topic interrupted is worked on again, with its conditions."""
    docs = "Write the API reference for /v2/orders: all fields, error codes and one curl example for each endpoint."
    topic = "New topic: the CI job e2e-safari is red since this morning, find out why and only report it to me."
    back = "and back to the docs: the real ids are ord_1 and ord_2"
    assert asks.worked_on([topic, docs]) == [topic]
    assert asks.worked_on([back, topic, docs]) == [docs, topic, back]


def test_to_get_something_ready_is_an_order():
    """ "Mach die Tokens fertig" says that nothing is ready yet."""
    assert messages.said_done("Mach erst mal die Refresh-Tokens fertig.") == []
    assert messages.said_done("Die Refresh-Tokens sind fertig.") == ["Die Refresh-Tokens sind fertig."]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "no, let's keep cron for the nightly job, airflow is overkill",
            "Let's keep cron for the nightly job, airflow is overkill",
        ),
        ("actually scrap the rss idea, nobody uses it", "Scrap the rss idea, nobody uses it"),
        ("I prefer dataclasses over pydantic here", "I prefer dataclasses over pydantic here"),
        ("no, do the importer now", ""),
        ("forget the rule about graphql", ""),
        ("no, not here, use the other one", ""),
        ("don't do it here", ""),
        ("https://example.com/acme/shop can you help me commit", ""),
    ],
)
def test_a_decision_that_answers_makes_sense_without_its_nod(said, told):
    """The word that only answers the agent goes; what then orders work, or points at something, is of the moment."""
    assert messages.lasting("decision", said) == told


def test_leave_to_do_something_now_is_no_choice() -> None:
    """Who says yes to "Can I remove it?" has it removed; what was chosen among ways stands."""
    for asked, told in (("Can I remove the stale clone?", ""), ("Which way?", '"Yes, at once" (asked: "Which way?")')):
        assert messages.choice("decision", f'Chose "Yes, at once" (asked: "{asked}"; other options: "No")') == told
