"""The digest of a session: what it says, that it is bounded, and that nothing breaks it."""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.records import ROLES, Cost, Session, SessionEvent, asdict, replace
from holdfast.sessions.digest import MAX_BYTES, Digesting, digest, size_of
from holdfast.sessions.facts import ENDINGS, OUTCOMES, RESULTS
from holdfast.sessions.prices import Price, Prices
from holdfast.sessions.transcript import digest_page as markdown
from support.sampling import count

from .making import SESSION, answer, digested, edited, human, numbered, ran


def test_a_whole_session() -> None:
    """Asks, files, checks, commits, pull requests, quotes, counts and pointers are all there."""
    found = digested(
        human("Add a cart to the shop\n\nwith a test"),
        edited("/home/ann/shop/cart.py"),
        edited("/home/ann/shop/cart.py"),
        edited("/etc/hosts"),
        ran("pytest", "1 failed, 4 passed", True),
        human("No, that's wrong. Let's use integers for prices."),
        edited("cart.py"),
        ran("pytest", "5 passed"),
        ran("git add . && git commit -m Cart && git push", "[main 1a2b3c4] Cart\nmain -> main"),
        ran("gh pr create --fill", "https://git.example/ann/shop/pull/7"),
        answer(),
    )
    assert found.title == "Add a cart to the shop"
    assert found.first_ask is not None
    assert found.first_ask.text == "Add a cart to the shop with a test"
    assert found.last_ask is not None
    assert (found.last_ask.place, found.last_ask.line) == (5, 51)
    assert [(one.path, one.changes, one.place) for one in found.files] == [("/etc/hosts", 1, 3), ("cart.py", 3, 6)]
    assert [(one.text, one.runs, one.failed, one.result, one.line) for one in found.checks] == [
        ("pytest", 2, 1, "passed", 71)
    ]
    assert [(one.id, one.text) for one in found.commits] == [("1a2b3c4", "Cart")]
    assert [one.text for one in found.pull_requests] == ["https://git.example/ann/shop/pull/7"]
    assert [(one.kind, one.text) for one in found.said] == [
        ("correction", "No, that's wrong."),
        ("decision", "Let's use integers for prices."),
    ]
    assert (found.asks, found.answers, found.calls, found.failed_calls, found.pushes) == (2, 1, 8, 1, 1)
    assert dict(found.tools) == {"edit": 4, "shell": 4}
    assert found.outcome.kind == "success"


def test_what_was_chosen_is_a_decision() -> None:
    """A choice in a dialog is one, and so is the number of an option, with what the agent offered under it."""
    chose = 'Chose "docs" (asked: "Where to?"; other options: "site")'
    found = digested(
        human("Draw the states"),
        answer("Shall I use\n1. Mermaid\n2. Graphviz?"),
        human("let's do 2"),
        SessionEvent(0, "choice", chose, "2026-05-04T10:05:00.000Z"),
        answer(),
    )
    assert [(one.kind, one.text, one.place) for one in found.said] == [
        ("decision", 'Chose option 2: "Graphviz"', 2),
        ("decision", chose, 3),
    ]
    assert found.asks == 2


def test_the_same_whatever_the_tools_are_called() -> None:
    """Sessions of agents with other names for their tools give the same digest."""
    one = digested(human("x"), edited("a.py", tool="Edit"), ran("pytest", "1 passed", tool="Bash"))
    other = digested(human("x"), edited("a.py", tool="replace"), ran("pytest", "1 passed", tool="run_shell_command"))
    assert one == other


def test_without_any_ask_a_session_is_called_by_what_the_agent_concluded() -> None:
    """A sub-agent whose task is not in its transcript has a title all the same."""
    assert digested(ran("ls", "a.py"), answer("**Count:** 3 files in src.")).title == "Count: 3 files in src."


def test_a_title_is_the_agents_own_or_the_line_that_names_the_ask() -> None:
    """A first line that only leads to the next is passed over, or stands before it where it says something itself."""
    assert digested(human("x"), session=replace(SESSION, title="Cart work")).title == "Cart work"
    assert digested(human("Implement the following plan:\n\n# A new cart\nmore")).title == "A new cart"
    asked = "The tests of main fail, why? https://ci.example.com/acme/shop/runs/21662191208 https://ci.example.com/runs"
    assert digested(human(asked)).title == "The tests of main fail, why?"
    asked = "Adopt the shop's contract, see https://git.example/ann/shop/pull/7 though its tree may be flatter"
    assert digested(human(asked)).title == "Adopt the shop's contract, though its tree may be flatter"
    assert digested(human("Let rules take globs like this : 'https://docs.example/globs'")).title.endswith("like this")
    assert "runs/7" in digested(human("look at https://ci.example.com/acme/shop/runs/7")).title
    told = digested(human("When I run the tests I get these errors:\n\ncart.py:7: no")).title
    assert told == "When I run the tests I get these errors: cart.py:7: no"


@pytest.mark.parametrize(
    ("asks", "title"),
    [
        (("1", "commit and push", "Add a cart to the shop"), "Add a cart to the shop"),
        (("continue", "Where is the cart kept?"), "Where is the cart kept?"),
        (("Low severity\nThe cart loses its last entry when the page is left.",), "Low severity: The cart loses its"),
        (
            ("➜ shop git:(main) git push\nerror: failed to push\nplease drop the push hook",),
            "please drop the push hook",
        ),
        (("修复购物车的问题",), "修复购物车的问题"),
    ],
)
def test_a_title_is_the_first_ask_that_says_something(asks: tuple[str, ...], title: str) -> None:
    """Numbers, consent and orders to commit are passed over, and so is what was pasted from a terminal."""
    assert digested(*map(human, asks)).title.startswith(title)


def test_without_such_an_ask_the_commit_or_the_command_names_the_session() -> None:
    """An agent's title that says nothing counts as none, and what was asked is still better than nothing."""
    commit = ran("git commit -m x", "[main 1a2b3c4] Round prices to cents")
    unnamed = replace(SESSION, title="New session - 2026-05-04T10:00:00.000Z")
    assert digested(human("go"), commit, session=unnamed).title == "Round prices to cents"
    assert digested(human("go"), ran("./import_prices.sh", "ok"), session=unnamed).title == "./import_prices.sh"
    assert digested(human("commit and push")).title == "commit and push"


def test_what_an_agent_concluded_keeps_its_names() -> None:
    """Names in code are half of what an answer says; blocks of code are left out."""
    found = digested(human("Add a cart"), answer("Wrapped the total of `cart.py` in `<b>` tags.\n```\nx = 1\n```"))
    assert found.conclusion is not None
    assert found.conclusion.text == "Wrapped the total of `cart.py` in `<b>` tags."


def test_a_commit_in_spite_of_an_unrelated_failure_is_a_success() -> None:
    """Where the agent says that what fails is not of its making, and the work was committed, nothing is left to do."""
    failed = ran("npm test", "Tests: 1 failed, 40 passed, 41 total", failed=True)
    commit = ran("git commit -m x", "[main 1a2b3c4] Add a cart")
    told = answer("Committed. The failing test is pre-existing and unrelated to this change.")
    assert digested(human("Add a cart"), edited("a.py"), failed, commit, told).outcome.kind == "success"
    assert digested(human("Add a cart"), edited("a.py"), failed, commit, answer("Committed.")).outcome.kind == "partial"


def test_the_briefing_of_a_program_names_no_session() -> None:
    """A program tells its agent the same each time, and so does the title made of it; the commit says what was done."""
    briefing = "# Context\n\nYour name is **Dori**, an agent that works off a playbook.\n" + "Tick each box. " * 120
    commit = ran("git commit -m x", "[main 1a2b3c4] Round prices to cents")
    named = replace(SESSION, title="Playbook task execution")
    assert digested(human(briefing), commit, session=named).title == "Round prices to cents"
    assert digested(human(briefing), answer(), session=named).title == "Playbook task execution"


def test_a_slash_command_is_asked_with_its_arguments() -> None:
    """What the agent program does by itself asks for nothing."""
    review = "<command-name>/review</command-name>\n<command-args>{}</command-args>"
    clear = "<command-name>/clear</command-name>\n<command-args></command-args>"
    found = digested(
        *(SessionEvent(0, "command", text) for text in (clear, review.format("the cart module"))), answer()
    )
    assert found.first_ask is not None
    assert (found.asks, found.first_ask.text, found.title) == (1, "/review the cart module", "/review the cart module")


def test_a_digest_has_what_the_agent_concluded_and_left_open() -> None:
    """Its last words, the question that nobody answered, and the entries of its plan that it did not tick."""
    todos = [{"content": "Add the cart", "status": "completed"}, {"content": "Add the till", "status": "pending"}]
    plan = SessionEvent(0, "tool", tool="TodoWrite", input=json.dumps({"todos": todos}), answered=True)
    told = "## Summary\n\nThe cart keeps its entries now.\n\nShall I add the till as well?"
    found = digested(human("Add a cart"), plan, answer("Looking."), edited("a.py"), answer(told))
    assert found.conclusion is not None and found.question is not None
    assert found.conclusion.text.startswith("The cart keeps its entries now.")
    assert found.question.text == "Shall I add the till as well?"
    assert found.left == ("Add the till",)
    assert digested(human("Add a cart"), answer(told), human("Yes"), edited("a.py")).question is None


def test_a_plan_that_was_not_accepted_ends_an_ask() -> None:
    """Nothing else says what came of it."""
    given = json.dumps({"plan": "# A till for the shop\n\n## Context\n..."})
    refused = "The user doesn't want to proceed with this tool use."
    plan = SessionEvent(0, "tool", tool="ExitPlanMode", input=given, output=refused, failed=True, answered=True)
    found = digested(human("Add a till"), answer("Let me write the plan."), plan)
    assert found.conclusion and found.conclusion.text == "Wrote the plan: A till for the shop, which was not accepted"


def test_an_ask_that_was_sent_too_early_is_told_once() -> None:
    """Of an ask and the whole of it the whole is kept; one that decides nothing is no decision."""
    found = digested(
        *(human("Print the total"), human("Print the total\nand the tax"), answer("Done."), human("let's do that")),
        *(answer("Printed."), human("Bye")),
    )
    assert found.first_ask and found.first_ask.text == "Print the total and the tax"
    assert ([one.text for one in found.between], found.said) == (["let's do that"], ())


@pytest.mark.parametrize("before", ["[[ ## query ## ]]\n\n", "<task-text>\n", "```text\n", "---\n\n## "])
def test_a_title_is_a_line_with_words(before: str) -> None:
    """Tags, rules and the names of fields around an ask are not what it is about."""
    assert digested(human(f"{before}Add a cart")).title == "Add a cart"


def test_a_greeting_does_not_name_a_session() -> None:
    """Who only said hello first is quoted with it, but the session is named after what was wanted."""
    found = digested(human("Hi!"), answer("Hello."), human("Add a cart"), answer(), human("And a till"))
    assert found.first_ask is not None
    assert (found.title, found.first_ask.text) == ("Add a cart", "Hi!")
    assert digested(human("hello"), answer()).title == "hello"


def test_a_subagent_is_asked_by_its_task() -> None:
    """The task of a sub-agent is its first ask, but nobody's decision."""
    found = digested(SessionEvent(0, "task", "Find the cart. Let's use grep."), answer())
    assert found.first_ask is not None
    assert found.first_ask.text.startswith("Find the cart.")
    assert found.said == ()


def test_a_failed_edit_changes_nothing() -> None:
    """Only what succeeded is a changed file, and looking with an editing tool is none."""
    view = SessionEvent(0, "tool", tool="str_replace_editor", input='{"command": "view", "path": "a.py"}', output="x")
    assert digested(human("x"), edited("a.py", "not found", True), view).files == ()


def test_a_patch_through_the_shell_changes_files() -> None:
    """A patch that is handed to a command names its files like one that is handed to a tool."""
    patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.py\n@@\n+x\n*** End Patch\nEOF"
    assert [one.path for one in digested(human("x"), ran(patch, "Success")).files] == ["a.py"]


def test_folders_and_branches_in_the_middle_are_kept() -> None:
    """Where a session moves on, all its places are named, in order."""
    events = [replace(answer(), folder=folder, branch="b-" + folder) for folder in ("one", "two", "one")]
    found = digested(*events)
    assert found.folders == ("one", "two")
    assert found.branches == ("b-one", "b-two")


def test_dollars_come_from_the_agent_or_from_the_prices() -> None:
    """What the agent tells wins, then the table; without either the cost is unknown."""
    prices = Prices({"claude-opus-4-5": Price(10.0, 20.0, 1.0, 2.0)})
    session = replace(SESSION, cost=Cost(input=500_000, output=100_000))
    assert (digest(session, [], prices).dollars, digest(session, [], prices).dollars_from) == (7.0, "prices")
    told = replace(session, cost=replace(session.cost, dollars=3.5))
    assert (digest(told, [], prices).dollars, digest(told, [], prices).dollars_from) == (3.5, "agent")
    assert digest(session, []).dollars_from == ""


def test_every_kept_text_is_cleaned_once_more() -> None:
    """What escapes in JSON hid from the caller is seen by `clean` before it is kept anywhere."""
    hidden = '{"command": "deploy --token hun\\u0074er2 && git commit -m hun\\u0074er2"}'
    events = [
        *[human("Use hunter2. We decided on hunter2."), replace(answer(), folder="/hunter2", branch="hunter2")],
        SessionEvent(0, "tool", tool="Bash", input=hidden, output="error: hunter2", failed=True),
        *[edited("/hunter2/a.py"), ran("pytest hunter2", "hunter2 1 passed")],
    ]
    found = digest(
        replace(SESSION, title="hunter2"), numbered(*events), clean=lambda text: text.replace("hunter2", "[x]")
    )
    assert "[x]" in str(found)
    assert "hunter2" not in str(found)


def test_control_characters_do_not_join_what_they_part() -> None:
    """Two halves of a secret with something invisible between them stay two halves."""
    found = digested(human("key AKIA\x00IOSFODNN7\nEXAMPLE"), ran("run AKIA\x01IOSF", "error: AKIA\x02IOSF", True))
    assert "AKIAIOSF" not in str(found)
    assert "IOSFODNN7EXAMPLE" not in str(found)


def test_a_very_long_session_gives_a_small_digest() -> None:
    """Hundreds of files, commands, quotes and errors are cut to a few KB, and what is left out is counted."""
    events = []
    for number in range(600):
        events += [
            human(f"No, that's wrong {number}, let's use {'é' * 300}"),
            edited(f"/home/ann/shop/{'deep/' * 20}{number}.py"),
            ran(f"tool-{number} {'x' * 500}", f"error: {'🙂' * 300}", True),
            ran(f"git commit -m 'Change {number}'", f"[main {number:07x}] Change {number}"),
        ]
    found = digested(*events)
    assert size_of(found) <= MAX_BYTES
    assert found.files
    assert found.said
    assert dict(found.left_out)["files"] + len(found.files) == 600
    assert dict(found.left_out)["commits"] + len(found.commits) == 600


def test_memory_does_not_grow_with_the_session() -> None:
    """Events are taken from an iterator once: twice as many need no more memory."""

    def many(count: int) -> Iterator[SessionEvent]:
        for number in range(count):
            text = f"{number} " + "x" * 2_000
            yield SessionEvent(number, "human", f"let's use {text}")
            yield replace(ran(f"run {text}", text, True), folder=text, branch=text, model=text)

    def peak(count: int) -> int:
        digest(SESSION, many(10))
        tracemalloc.start()
        digest(SESSION, many(count))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(600) < 1.3 * peak(300)


def test_taking_events_one_by_one_is_the_same() -> None:
    """A sweep that hands on each event gets the same digest as one call."""
    events = numbered(human("x"), edited("a.py"), ran("pytest", "1 passed"), answer())
    digesting = Digesting()
    for event in events:
        digesting.take(event)
    assert digesting.done(SESSION) == digest(SESSION, events)


_PIECES = ("git commit -m", "pytest", "&&", "|", "<<EOF", "1 failed", "[main 1a2b3c4] x", "*** Update File: a", "no,")
_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(_PIECES), max_size=6).map(" ".join),
    st.binary(max_size=60).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    st.sampled_from(('{"command": "pytest"}', '{"file_path": "a', "[1]", "{", "[Request interrupted", "API Error")),
)
_GIVEN = st.dictionaries(st.sampled_from(("command", "path", "x")), _TEXT, max_size=2)
_EVENT = st.builds(
    SessionEvent,
    place=st.integers(0, 10**9),
    role=st.sampled_from((*ROLES, "else", "")),
    text=_TEXT,
    at=st.one_of(_TEXT, st.just("9" * 20_000)),
    tool=st.one_of(st.sampled_from(("Bash", "Edit", "Read", "recall", "mcp__a__b")), _TEXT),
    input=st.one_of(
        _TEXT, st.dictionaries(st.sampled_from(("command", "path", "x")), _TEXT, max_size=2).map(json.dumps)
    ),
    output=_TEXT,
    failed=st.booleans(),
    folder=_TEXT,
    branch=_TEXT,
    model=_TEXT,
    line=st.integers(0, 10**9),
)
_SESSION = st.builds(Session, agent=_TEXT, id=_TEXT, title=_TEXT, models=st.lists(_TEXT, max_size=3).map(tuple))


@settings(max_examples=count(150, 20))
@given(_SESSION, st.lists(_EVENT, max_size=25))
def test_no_session_is_too_odd(session: Session, events: list[SessionEvent]) -> None:
    """Whatever the events are, the digest is whole, small, of known words, and can be written as JSON and Markdown."""
    found = digest(session, events)
    assert size_of(found) <= MAX_BYTES
    assert found.outcome.kind in OUTCOMES
    assert 0 <= found.outcome.confidence < 1
    assert all(one.ended in ENDINGS for one in found.troubles)
    assert all(one.result in RESULTS for one in (*found.checks, *found.commands))
    assert json.loads(json.dumps(asdict(found)))["asks"] == found.asks
    assert markdown(found).startswith("# ")


_LONG = (
    *("((" * 9_000, "'\"" * 9_000, "a && " * 4_000, "<<A\n" * 4_000, "\\" * 20_000, "# " * 9_000, " " * 20_000),
    *("x" * 20_000, "/" * 20_000, "a/" * 9_000, "`" * 20_000, "-m " * 6_000, "https://" * 2_500, "9" * 20_000),
    *(f"*** Update File: {' ' * 19_000}x", f"{'a.' * 9_000}!", "<" * 20_000, "let's " * 3_000, "[main " * 3_000),
)


@pytest.mark.parametrize("text", _LONG, ids=range(len(_LONG)))
def test_no_text_takes_long(text: str) -> None:
    """Texts that are made to take long are bounded before they are looked at."""
    started = os.times().user
    digested(human(text), ran(text, text, True), edited(text, text, True), ran(text, text))
    assert os.times().user - started < 2


def test_the_asks_between_the_first_and_the_last_are_told() -> None:
    """Those that ask something stand on the page in order; of very many the first and the latest, and a count."""
    found = digested(human("Add a cart to the shop"), human("Remove the old till"), human("ok"), human("push it"))
    assert [one.text for one in found.between] == ["Remove the old till"]
    assert "Remove the old till" in markdown(found)
    many = digested(*[human(f"Add the page number {at} to the shop") for at in range(80)])
    assert len(many.between) == 40 and many.between[0].text.startswith("Add the page number 1 ")
    assert many.between[-1].text.startswith("Add the page number 78 ")
    assert dict(many.left_out) == {"between": 38} and "38 asks" in markdown(many)


def test_a_briefing_is_told_by_the_task_that_it_gives() -> None:
    """What a program tells all its agents is left out; the document that has the task is named."""
    rules = "You are Dori, an agent that works off a playbook.\n" + "Read every box and tick it when it is done.\n" * 60
    found = digested(human(f"# Context\n\n{rules}\n## Tasks\n\nProcess tasks from this document:\n\n/a/b/CART-03.md\n"))
    assert found.first_ask is not None
    assert found.title == found.first_ask.text == "Process tasks from this document: CART-03.md"


def test_a_placeholder_names_no_session() -> None:
    """What a program left in the place of a text says nothing; the ask that follows does."""
    assert digested(human("[trimmed by the exporter]"), human("List the files of the shop")).title.startswith("List")


def test_what_a_wrapper_runs_is_the_check() -> None:
    """`rtk test X` is the run of X."""
    found = digested(human("Add a cart"), edited("a.py"), ran("rtk test bun run test", "12 pass\n0 fail"), answer())
    assert [one.kind for one in found.checks] == ["test"] and found.outcome.kind == "success"


def test_every_ask_is_kept_in_fewer_words_before_one_is_dropped() -> None:
    """Short asks count, a bare yes does not; where there are many, each is shorter."""
    asks = [human(f"Add the page number {at} of the shop {'with all of its parts ' * 12}") for at in range(24)]
    found = digested(human("Build a shop"), *asks, human("commit this"), answer("Sure."), human("yes"), human("Do 1+2"))
    assert len(found.between) == 25 and found.between[-1].text == "commit this"
    assert [one.text.split()[4] for one in found.between[:-1]] == [str(at) for at in range(24)]
    assert size_of(found) <= MAX_BYTES


def test_the_agent_concludes_each_ask() -> None:
    """What it said last before the next ask is kept, but no announcement of what it will do next."""
    found = digested(
        human("Why does the cart fail?"),
        answer("Let me look at the cart."),
        ran("cat cart.py", "x"),
        answer("The cart fails because two tests share one folder."),
        human("Which pull requests are stale?"),
        answer("I'll check the open ones first."),
        answer("The list is long, so I’m going through it."),
        human("Fix the cart"),
        answer("The cart has its own folder now, and its tests pass."),
        edited("cart.py"),
        answer("Now let me explore the till:"),
    )
    assert [one.text for one in found.conclusions] == ["The cart fails because two tests share one folder."]
    assert found.conclusion is not None
    assert (found.conclusion.kind, found.conclusion.text) == (
        "progress",
        "The cart has its own folder now, and its tests pass.",
    )


def test_what_was_said_before_the_work_went_on_concludes_nothing() -> None:
    """It tells how far the agent had come; where it only announced something, that is told as such, at the end."""
    found = digested(
        human("Remove the old cart"),
        answer("The branch is pushed. I’m doing a final status check."),
        ran("git status", "clean"),
        human("Also remove the till"),
        answer("Looking at the till."),
        ran("ls", "till.py"),
    )
    assert [(one.kind, one.text) for one in found.conclusions] == [("progress", "The branch is pushed.")]
    assert found.conclusion is not None
    assert (found.conclusion.kind, found.conclusion.text) == ("announced", "Looking at the till.")
    running = digested(human("Test it"), answer("Running the tests shows two failures in the cart."))
    assert running.conclusion is not None and running.conclusion.kind == "conclusion"


def test_progress_that_says_little_stands_behind_what_was_said_before() -> None:
    """The sentence that says what will be done is left out of both; what a short block shows is part of it."""
    found = digested(
        human("Why does the cart fail?"),
        answer("The failing test is:\n```\ntest_total\n```\nLet me look at it."),
        ran("cat test_cart.py", "x"),
        answer("Tests pass. Let me also run the linter."),
        ran("make lint", ""),
    )
    assert found.conclusion is not None
    assert found.conclusion.text == "The failing test is: test_total Tests pass."


def test_the_agents_own_plan_is_no_change() -> None:
    """It is told as a plan, and takes no weight from a check that passed before."""
    plan = edited("/home/ann/.agent/plans/brave-fox.md")
    found = digested(human("Add a cart"), edited("a.py"), ran("pytest", "3 passed"), plan, answer())
    assert [one.path for one in found.files] == ["a.py"]
    assert [(one.name, one.weight) for one in found.outcome.evidence] == [("tests-passed", 2.0)]


def test_a_plan_that_was_carried_out_concludes_nothing() -> None:
    """The plan was accepted and the agent went to work; nothing was said after that."""
    plan = SessionEvent(0, "tool", tool="ExitPlanMode", input='{"plan": "# A new cart\\n1. Sum up"}', answered=True)
    found = digested(human("Plan a cart"), answer("Let me plan it."), plan, edited("cart.py"))
    assert found.conclusion is not None
    assert (found.conclusion.kind, found.conclusion.text) == (
        "progress",
        "Wrote the plan: A new cart, and went to work",
    )


def test_an_answer_without_a_text_is_an_answer() -> None:
    """The agent ended its turn; that nobody knows what it said makes it no abandoned session."""
    empty = SessionEvent(0, "injected", "[turn ended without a text]")
    found = digested(human("Reply with READY only."), empty)
    assert found.outcome.kind == "unknown" and found.conclusion is not None
    assert found.conclusion.text == "Answered without a text."
    assert digested(human("Reply with READY only.")).outcome.kind == "abandoned"


def test_what_changes_most_is_kept_of_many_commands() -> None:
    """A forced push, a merge and a removed branch stay, whatever was fetched or set up around them."""
    noise = [ran(f"tmux send-keys -t shop:{at} {'x' * 120}", "ok") for at in range(40)]
    acts = ["git push --force-with-lease", "gh pr merge 4 --squash", "git branch -D old-cart", "rm -r build-of-old"]
    found = digested(
        human("Clean up the shop"), ran("git fetch origin", "ok"), *noise, *[ran(one, "done") for one in acts]
    )
    kept = [one.text for one in found.commands]
    assert kept[-4:] == acts and "git fetch origin" not in kept
