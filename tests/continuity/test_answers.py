"""What is read out of an agent's answer: what was done, what comes next, what is open."""

from __future__ import annotations

import pytest

from holdfast.continuity import answers, asks, threads, unfinished


@pytest.mark.parametrize(
    ("answer", "summary"),
    [
        ("All tests pass now. The login works.", "All tests pass now."),
        ("\n## **Done**\n\nMore.", "Done"),
        ("You're absolutely right! It clears the cache in the last step.", "It clears the cache in the last step."),
        ("Perfect! I'll now go on.\n\n## Summary\n\nThe cache uses Redis.", "The cache uses Redis."),
        ("Alles klar. Lass mich nachsehen.\n\nDer Test war falsch.", "Der Test war falsch."),
        ("Understood. I’ll keep messages short.", "I’ll keep messages short."),
        ("Done. All of it works.", "All of it works."),
        ("```\ncode\n```", "code"),
        ("", ""),
    ],
)
def test_the_first_sentence_sums_up(answer, summary):
    """The first sentence that says something stands for the answer, without the signs of Markdown."""
    assert answers.summary(answer) == summary


def test_an_endless_answer_is_cut():
    """A sentence without an end is cut between two words."""
    assert len(answers.summary("word " * 10_000)) <= answers.MAX_SUMMARY


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("Progress:\n- [x] debounce\n- [ ] exit code 3\n\nIt is in `watch.rs`.", ("exit code 3",)),
        ("Done.\n\n**Next steps:**\n- Write docs\n- [ ] Ship\n- [x] Test\n\nBye.", ("Write docs", "Ship")),
        ("## Nächste Schritte\n\n1. Doku\n2. Test", ("Doku", "Test")),
        ("Images are in S3 now. **Remaining:**\n\n1. Upgrade Django", ("Upgrade Django",)),
        ("## What's next?\n\n- [ ] Test it", ("Test it",)),
        ("It works. It is not remaining:\n- an error", None),
        ("Next steps are hard to tell.\n- no list of them", None),
        ("- a list\n- of other things", None),
        ("I wrote the test. Everything is done; there are no next steps.", ()),
        ("Next steps:\n- **Please clarify** the questions\n- I can add logging\n- ✅ Test it\n- Ship it", ("Ship it",)),
        ("I committed and pushed the theme.\n\nNext steps:\n1. Make it bold (Done).\n2. Commit.\n3. Push.", ()),
        ("Next steps:\n- Commit changes\n- Add files to staging\n- Commit the parser", ("Commit the parser",)),
        ("The cart works.\n\nNext: add the till.", ("add the till.",)),
        ("The cart works. Next: add the till.", ("add the till.",)),
        ("The cart is what comes next: nobody knows.", None),
        ("**What remains:**\n- The `PUT` endpoint can still replace all\n- Write the docs", ("Write the docs",)),
        (
            "I moved it. 14 tests pass. Next: add tests for discounts. Should the old path keep a re-export?",
            ("add tests for discounts.",),
        ),
        ("Next: dark colours for the charts. Then the legend.", ("dark colours for the charts. Then the legend.",)),
    ],
)
def test_next_steps_are_a_list_under_their_heading(answer, steps):
    """Only a list that is announced as what comes next is taken for it; what asks the person something is no step."""
    assert answers.next_steps(answer) == steps


@pytest.mark.parametrize(
    ("answer", "questions"),
    [
        ("The limit is 5.\n\nOpen question: should it be per tenant?", ("should it be per tenant?",)),
        ("## Open questions\n\n- Per tenant?\n- Who pays?", ("Per tenant?", "Who pays?")),
        ("**Offene Frage:** Wer zahlt?", ("Wer zahlt?",)),
        ("Would you like me to go on?", ()),
        ("I drafted it. Which database table should hold approvals?", ("Which database table should hold approvals?",)),
        ("Done.\n\nShould I also add an audit log?", ("Should I also add an audit log?",)),
        ("**Questions**\n- Which table holds approvals?", ("Which table holds approvals?",)),
        ("Offen ist noch: welche Tabelle hält die Freigaben?", ("welche Tabelle hält die Freigaben?",)),
        ("Which of the two options would you like?", ()),
        ("Should I proceed with the second of the two steps?", ()),
        ("What should I work on next in this project?", ()),
        ("Questions\n- The page of questions is new.", ()),
    ],
)
def test_an_open_question_is_one_that_is_called_so(answer, questions):
    """What an agent offers at the end of an answer is no open question."""
    assert threads.open_questions(answer) == questions


def test_what_was_ticked():
    """Items with a tick in their box are done, others are not."""
    assert answers.ticked("- [x] Write the docs\n* [X] Ship it\n- [ ] Not this\n[x] no item") == (
        "Write the docs",
        "Ship it",
    )


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        *[(said, "") for said in ("UTC.", "Noted.", "No.", "OK", "Done.", "Postgres.", "From S3.", "Understood.")],
        (
            "We finished stock reservations; the load test is open.",
            "We finished stock reservations; the load test is open.",
        ),
        (
            "I added the reservations endpoint with SELECT ... FOR UPDATE and an expiry job. 12 tests pass.",
            "I added the reservations endpoint with SELECT ... FOR UPDATE and an expiry job.",
        ),
        (
            "The CI job used SQLite. I switched it to the Postgres service container; CI is green.",
            "The CI job used SQLite. I switched it to the Postgres service container; CI is green.",
        ),
        ("The invoice now has the logo top left.", "The invoice now has the logo top left."),
        ("Renamed in 9 files; src/invoice/pdf.py re-exports the old name.", None),
        ("I updated it as you said: `workspace` is removed from the core.", "`workspace` is removed from the core."),
        ("All done. The count of rows is stored and was pushed.", "The count of rows is stored and was pushed."),
        ("Perfect! I've fixed the crash when the list is empty.", "I've fixed the crash when the list is empty."),
        ("Ich habe den Test für die Rechnung ergänzt.", "Ich habe den Test für die Rechnung ergänzt."),
        ("The login form was repaired in src/login.py.", "The login form was repaired in src/login.py."),
        ("You can now run the tests with make check.", ""),
        ("It is not fixed yet in the cart.", ""),
        ("Both mutations are fully integrated across all files now:", ""),
        ("Even though the keys are gone, they were exposed.", ""),
        ("Should I have added a test for the cart?", ""),
        ("```\nAdded the whole thing here.\n```\nThe cache keeps sessions.", ""),
        *[(said, "") for said in ("Applied the fix.", "Updated and pushed.", "All files have been created.")],
        *[(said, "") for said in ("The structure is solid now.", "I made a mistake in my last answer.")],
        ("The script assumes ruff is installed in the environment.", ""),
        ("Now that the old key is deleted, you can run the setup again.", ""),
        *[(said, "") for said in ("The issue is clear now.", "Run the app now and tell me.", "Test it now!")],
        ("The project is built with TypeScript and uses Bun.", ""),
        ("The other 2 SEARCH/REPLACE blocks were applied successfully.", ""),
        ("Made no changes to code or documents.", ""),
        ("Generated or runtime files", ""),
        ("Try the updated script now - it should work perfectly!", ""),
        ("The bot is now running and waiting for messages.", ""),
        ("The suite now follows best practices for tests.", ""),
        ("So nothing has been pushed to the branch yet.", ""),
        (
            "`Active Sessions` is now a view in [package.json](/a/package.json#L26).",
            "`Active Sessions` is now a view in package.json.",
        ),
        ("1. Removed the helper `read`\n2. Added a log", "Removed the helper `read`; Added a log"),
        ("I added " + "one more word and " * 40 + "the end.", ""),
        ("and the manager now uses the new plan of the planner.", ""),
    ],
)
def test_only_what_was_changed_is_told_as_done(answer, done):
    """A statement of something changed is told, whole; answers, acknowledgements and promises are not."""
    assert answers.done_by(answer) == (answer if done is None else done)


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        (
            "Readings are stored in SQLite in src/db.py.\n\nNext: the importer.",
            "Readings are stored in SQLite in src/db.py.",
        ),
        ("`tide import` works: it read 1,200 rows. Remaining: the docs.", "`tide import` works: it read 1,200 rows."),
        ("e2e/cart.spec.ts expects 90 and passes.", None),
        ("Done: GET /stations/{id} returns one station.", "GET /stations/{id} returns one station."),
        ("All 12 tests pass. The `LimitReader` wraps the body.", "The `LimitReader` wraps the body."),
        ("The cause is in `cart.ts`, which rounds twice.", ""),
        ("You should restart the server on port 4321.", ""),
        ("I think `cart.ts` rounds twice.", ""),
        ("It works well.", ""),
        ("- Option 1: leave `cart.ts` alone.", ""),
    ],
)
def test_changed_files_prove_what_an_answer_says_is_so(answer, done):
    """Behind a change the first sentence that names something tells what came of it; doubts, plans, advice do not."""
    assert answers.done_by(answer, changed=["a.py"]) == (answer if done is None else done)
    assert answers.done_by(answer) == ""


@pytest.mark.parametrize(
    ("answer", "done"),
    [
        ("Rezepte werden jetzt in SQLite gespeichert.", "Rezepte werden jetzt in SQLite gespeichert."),
        ("Rezepte werden in SQLite gespeichert.", ""),
        ("1. **`src/cart.ts`** (line 64): Simplified the check.", "`src/cart.ts` (line 64): Simplified the check."),
        ("**`cart.ts`** — Added a test for coupons", "`cart.ts` — Added a test for coupons"),
        ("Added `withAgent(ctx)` calls to all of the handlers:", "Added `withAgent(ctx)` calls to all of the handlers"),
        ("Here's what I changed in `src/cart.ts` today:", ""),
        ("`src/cart.ts` — Updated the section of rules to:", ""),
    ],
)
def test_what_was_changed_may_stand_behind_its_place(answer, done):
    """A line may begin with the file that it is about; one that ends with a colon is told where it says enough."""
    assert answers.done_by(answer) == done


def test_changed_files_prove_what_is_said_in_another_language():
    """Where files were changed, the first whole sentence says what was done, whatever its language."""
    french = "J'ai corrigé la page de connexion."
    assert answers.done_by(french, changed=["a.py"]) == f"{french[:-1]} (a.py)."
    assert answers.done_by("J'ai corrigé la page de connexion.") == ""
    assert answers.done_by("OK", changed=["a.py"]) == ""


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("The total is right. The e2e test still has to be updated.", ["The e2e test still has to be updated."]),
        ("It works; the offline part is not done yet.", ["It works; the offline part is not done yet."]),
        ("Die Seite steht. Der Test fehlt noch.", ["Der Test fehlt noch."]),
        ("I still need to rotate the webhook secret.", ["I still need to rotate the webhook secret."]),
        (
            "I could not finish: the database is down, so the migration was not run.",
            ["I could not finish: the database is down, so the migration was not run."],
        ),
        ("You still need to be logged in.", []),
        ("If it is not done yet, run it again.", []),
        ("Is it not done yet?", []),
    ],
)
def test_what_is_still_to_be_done_is_open(answer, left):
    """A sentence that says what is left to do is told whole; what the person should do is not."""
    assert threads.failing(answer) == left


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        (
            "### 📋 **O QUE FALTA (Ordem):**\n\n1. ⏳ Gerar o relatório\n2. Validar `e2e`\n",
            ("Gerar o relatório", "Validar `e2e`"),
        ),
        ("## Próximos pasos\n- Hacer push de la rama `testing`\n", ("Hacer push de la rama `testing`",)),
        ("## 下一步\n- 写解析器的测试\n", ("写解析器的测试",)),
        ("Die Tabelle steht. Als Nächstes schreibe ich den Import.", ("Als Nächstes schreibe ich den Import.",)),
        ("It is stored. Next, I'll wire the command.", ("Next, I'll wire the command.",)),
        ("`src/parser.py` 已完成。接下来我会写测试。", ("接下来我会写测试。",)),
        ("It is stored. Next I could wire the command.", None),
        ("It is stored. Next, should I wire the command?", None),
    ],
)
def test_next_steps_are_heard_in_many_languages(answer, steps):
    """A heading in another language announces steps, and a last sentence may say what the agent does next."""
    assert answers.next_steps(answer) == steps


def test_the_end_of_a_broken_turn_is_told_in_whole_sentences():
    """Of what an agent said in the middle of its work the last sentences count, not what announces a call."""
    said = "It is long. " * 40 + "`cards.py` has no field. I check the table.\n\n```py\nx = 1\n```\nLet me look:"
    told = answers.midway(said)
    assert told.endswith("`cards.py` has no field. I check the table.") and len(told) < 300
    assert answers.midway("Let me look:") == answers.midway("I read it.") == ""
    assert answers.midway("The route is written, now its tests.") == "The route is written, now its tests."
    assert answers.midway("Let me look at the tests now.") == ""


@pytest.mark.parametrize(
    ("answer", "done", "left"),
    [
        (
            "Blocked: the staging DB refuses connections. Waiting for you to open the firewall.",
            "",
            ["Blocked: the staging DB refuses connections.", "Waiting for you to open the firewall."],
        ),
        (
            "I stopped here because the API key is missing. Once you provide it, I'll run the import.",
            "",
            ["I stopped here because the API key is missing."],
        ),
        (
            "4.0 works: updated `a.py`. 4.1 is blocked by django-foo, which has no release for it.",
            "4.0 works: updated `a.py`.",
            ["4.1 is blocked by django-foo, which has no release for it."],
        ),
        (
            "I changed the timeout to 30s in `a.py`. Note that the retry path is untested.",
            "I changed the timeout to 30s in `a.py`.",
            ["Note that the retry path is untested."],
        ),
        (
            "I couldn't run the e2e tests because Docker is missing; please run them yourself.",
            "",
            ["I couldn't run the e2e tests because Docker is missing; please run them yourself."],
        ),
        (
            "Listo: `a.py` ahora lee el fichero. Queda pendiente validar los límites.",
            "Listo: `a.py` ahora lee el fichero.",
            ["Queda pendiente validar los límites."],
        ),
        (
            "Done with step 1: `Settings` is in `a.py`. Steps 2 and 4 remain.",
            "Done with step 1: `Settings` is in `a.py`.",
            ["Steps 2 and 4 remain."],
        ),
        (
            "Fixed the flicker: `a.py` rendered twice because of the `key` prop.",
            "Fixed the flicker: `a.py` rendered twice because of the `key` prop.",
            [],
        ),
        (
            "Rolled back the change in `a.py`; the flaky test is unrelated.",
            "Rolled back the change in `a.py`; the flaky test is unrelated.",
            [],
        ),
    ],
)
def test_what_is_blocked_is_open_and_never_done(answer, done, left):
    """Work that waits for something is no work done, and a cause behind a colon takes nothing from what was."""
    assert (answers.done_by(answer, changed=["a.py"]), threads.failing(answer)) == (done, left)


def test_a_list_of_boxes_tells_what_is_done_and_what_comes_next():
    """Each box with a tick is done, each empty one comes next; what is left behind a colon does, too."""
    boxes = "✅ Implemented the cache\n✅ Added tests\n⬜ Docs\n⬜ Release notes"
    assert answers.done_by(boxes) == "Implemented the cache; Added tests"
    assert answers.next_steps(boxes) == ("Docs", "Release notes")
    assert answers.next_steps("Renamed it.\n\nWhat's left: the docs and the CHANGELOG.") == (
        "the docs and the CHANGELOG.",
    )


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        (
            "Yes: the missing `STRIPE_TIMEOUT`. Shall I restore it?",
            ("Yes: the missing `STRIPE_TIMEOUT`. Shall I restore it?",),
        ),
        (
            "How do you want to proceed: fork django-foo or drop it?",
            ("How do you want to proceed: fork django-foo or drop it?",),
        ),
        ("It works. Shall I commit it?", ()),
        ("Shall I go on with it?", ()),
    ],
)
def test_a_question_that_needs_the_person_comes_with_what_it_means(answer, asked):
    """A question with "it" brings the sentence before it; one that only offers to go on is none."""
    assert threads.open_questions(answer) == asked


@pytest.mark.parametrize(
    ("sentence", "is_told"),
    [
        ("I ran out of time for the unit test of the delay.", True),
        ("3 of 14 dashboards could not be imported because their source is missing.", True),
        ("Ein Test auf einem echten Gerät steht noch aus.", True),
        ("The curl examples for refunds still need real ids.", True),
        ("ecs is not migrated yet.", True),
        ("I have not changed anything yet.", False),
    ],
)
def test_what_is_not_done_is_open_and_never_told_as_done(sentence, is_told):
    """A sentence of what is still to be done is open, whole, where it says what; beside it stands what was done."""
    answer = f"I moved vpc to 1.9 now. {sentence}"
    assert threads.failing(answer) == [sentence] * is_told
    assert answers.done_by(answer, changed=["vpc/main.tf"]).startswith("I moved vpc to 1.9 now")
    assert sentence not in answers.done_by(answer, changed=["vpc/main.tf"])


def test_two_plain_words_name_what_is_open():
    """ "File name still has to be chosen" stays open over other work; "the file is not committed yet" need not."""
    before = ["File name still has to be chosen.", "The page size is still open."]
    assert threads.left_open(before, "I made it faster.", is_work=True, is_aside=False, dropped=[]) == before
    assert unfinished.names_no_thing("The file is not committed yet.")


def test_what_is_left_is_told_without_its_reason():
    """What is to be done is known again by its words alone, not by those of why it is not done."""
    assert unfinished.what_is_left("I couldn't finish the plots: seaborn is missing.") == "the plots"
    before = ["Refresh-Tokens fehlen noch.", "The contact form still uses white."]
    said = "Ich habe die Refresh-Tokens umgesetzt. The contact form follows the scheme now."
    assert threads.left_open(before, said, is_work=True, is_aside=False, dropped=[]) == []
    assert threads.left_open(before, "I fixed the cart.", is_work=True, is_aside=False, dropped=[]) == before


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("Create and deactivate are not built yet.", "Create dialog and deactivate work."),
        ("I haven't pushed it yet.", "Pushed."),
        ("`load` reads the files and prints a plan; `--apply` fehlt noch.", "`--apply` ist fertig."),
        ("I still need to write the runbook for Saturday.", "`docs/saturday.md` is the runbook for Saturday."),
        ("Still to do: the docs of the API.", "I wrote the docs of the API."),
        (
            "Still to do: the Playwright test for create and deactivate.",
            "`e2e.ts` runs create and deactivate in Playwright.",
        ),
    ],
)
def test_what_was_left_is_known_again_where_it_is_told_as_done(left, said):
    """It goes by the clause that says what is left, and by its rare words; another answer leaves it open."""
    assert threads.left_open([left], said, is_work=True, is_aside=False, dropped=[]) == []
    assert threads.left_open([left], "I fixed the cart.", is_work=True, is_aside=False, dropped=[]) == [left]


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("Rounding of half pennies is still open: nobody says which way.", "round half down. Rounds half down now."),
        ("The stop words still have to be chosen.", "take Lucene. The stop words are those of Lucene."),
    ],
)
def test_what_was_to_be_chosen_is_open_until_an_answer_speaks_of_the_thing(left, said):
    """That something is to be decided is no part of the thing, and half of something is."""
    assert threads.left_open([left], said, is_work=True, is_aside=False, dropped=[]) == []
    assert threads.left_open([left], "I fixed the cart.", is_work=True, is_aside=False, dropped=[]) == [left]


@pytest.mark.parametrize(
    ("answer", "done", "end"),
    [
        ("1 and 2 are fixed; 3, the chart, is larger - shall I branch for it?", "", "1 and 2 are fixed; 3, the chart"),
        (
            "Fixed the logo (logo.svg). I am not sure about Dark Mode: its own branch?",
            "logo",
            "I am not sure about Dark",
        ),
        ("Fixed the logo (logo.svg). Shall I commit it?", "logo", ""),
    ],
)
def test_a_question_behind_what_was_done_is_told_where_it_names_something(answer, done, end):
    """What is asked back about a thing stands beside what was done; an offer of more does not."""
    told = answers.done_by(answer, changed=["logo.svg"])
    assert done in told
    assert threads.how_it_ended(answer, told, "", leaves=False, is_change=True)[1].startswith(end)
    assert bool(threads.how_it_ended(answer, told, "", leaves=False, is_change=True)[1]) == bool(end)


@pytest.mark.parametrize(
    ("left", "said", "is_over"),
    [
        ("Das Formular auf dem Server fehlt noch.", "das formular baut ida", True),
        ("The badge still has to be drawn.", "the badge is done by the agency", True),
        ("Die Tabelle fehlt noch.", "die tabelle macht probleme", False),
        ("The badge still has to be drawn.", "who does the badge, ida?", False),
    ],
)
def test_what_somebody_else_does_is_open_no_more(left, said, is_over):
    """Who says that another does it has dropped it here; a question, and a thing that makes trouble, has not."""
    dropped = asks.dropped(said)
    assert (threads.left_open([left], "OK.", is_work=False, is_aside=False, dropped=dropped) == []) == is_over


def test_what_is_left_is_open_once():
    """The same in other words is no second thread; "sounds good" says nothing of it."""
    before = ["Still to do: the browser test for refunds."]
    told = threads.failing("Sounds good. The browser test for refunds is what is left. The docs still need ids.")
    assert told[0] == "The browser test for refunds is what is left."
    assert threads.news(told, before) == ["The docs still need ids."]


def test_what_names_nothing_comes_with_its_files_beside_what_is_left():
    """That something is still to be done hides no file of what was done."""
    assert answers.done_by("Added the dialog. Still to do: the test.", changed=["a.ts"]) == "Added the dialog (a.ts)."


def test_what_talks_to_the_person_is_no_finding():
    """A greeting, an offer and a promise tell nothing that was found; what stands beside them does."""
    found = "The job fails since `macOS-15` came."
    assert answers.found_by(f"Hi there! I'm ready for your request. {found} Let me know if you want it.") == found
    assert answers.found_by("Hi there! I'm ready for your request on `main`.") == ""
    assert answers.found_by(f", su ID sale en `main.py`. {found} ¡Prueba `main` y dime si funciona!") == found
    assert answers.found_by(f"ils.ts` to the chat. {found}") == answers.found_by(f"and so on in A. {found}") == found
    assert answers.found_by(f"Now I have everything I need of `src/`. {found}") == found
    for heard in (
        "Gemerkt: `src/` gehört Ida.",
        "Good to know, then `src/` is Ida's.",
        "In Ordnung, `src/` bleibt zu.",
    ):
        assert answers.found_by(heard) == ""
