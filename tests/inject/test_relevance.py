"""The bar: it lets through what belongs to a prompt, and hardly anything else, on prompts that it was not chosen by."""

from __future__ import annotations

import math
import runpy
import tempfile
from pathlib import Path

import pytest

from holdfast.inject import prompt as prompts
from holdfast.inject.prompt import asks_of, likelihood, said, same, stem, weight
from holdfast.recall.embed import Model
from holdfast.settings import BY_NAME

BENCH = runpy.run_path(str(Path(__file__).parent.parent.parent / "benchmarks" / "injection.py"))
BAR = int(BY_NAME["inject.relevance"].default) / 100


@pytest.mark.parametrize(
    ("name", "among", "least"),
    [
        ("shop", False, {True: 0.75}),
        ("rover", False, {True: 0.8, False: 0.7}),
        ("rover", True, {True: 0.8}),
    ],
)
def test_the_bar_tells_prompts_apart(name, among, least):
    """Most prompts bring their memory, and of those that have none hardly any brings something, also among many."""
    memories, asked = BENCH["read"](name)
    memories += [(f"other-{number}", text) for number, text in enumerate(BENCH["others"]())] if among else []
    with tempfile.TemporaryDirectory() as home:
        BENCH["lay"](home, memories)
        for meaning, share in least.items():
            marks = [(wanted, "", BENCH["_marks"](home, text, meaning)) for wanted, text in asked]
            found = BENCH["figures"](marks, BAR)
            assert found["brought"] >= share * found["should"]
            assert found["wrongly"] <= (0.1 if among else 0.05) * found["should_not"]
            assert found["besides"] <= 0.5 * found["should"]


@pytest.mark.parametrize(
    "prompt", ["yes, do it", "Continue.", "go on", "OK, next!", "thanks, that looks good", "  ", "👍"]
)
def test_a_reply_asks_for_nothing(prompt):
    """A prompt that only agrees, greets or goes on brings nothing."""
    assert not prompts.asks_something(prompt)


@pytest.mark.parametrize("prompt", ["VPN?", "fix CI", "yes, and deploy it", "継続", "go on with the parser"])
def test_a_prompt_with_one_word_of_its_own_asks(prompt):
    """One word that names something makes it a question."""
    assert prompts.asks_something(prompt) and asks_of(prompt)


def test_each_sentence_is_asked_on_its_own():
    """All of it is asked, and each sentence that names something; one that names nothing is not."""
    prompt = "how do we deploy this to production? Please go ahead now. Also, never use console.log in the client."
    assert asks_of(prompt) == [
        "how do we deploy this to production? Also, never use console.log in the client.",
        "how do we deploy this to production?",
        "Also, never use console.log in the client.",
    ]
    assert asks_of("Could you please just do that for me now?") == []


def test_what_was_pasted_is_asked_behind_the_persons_words():
    """An error that was pasted is asked too, after what the person wrote about it."""
    error = "```\nModuleNotFoundError: No module named 'supabase'\n```\n" + "  at line 4;\n" * 30
    first, *_, last = asks_of(f"The import of the client breaks.\n\n{error}")
    assert first == "The import of the client breaks." and "supabase" in last


def test_words_that_ask_carry_nothing():
    """Words that ask and join weigh nothing, those of every other prompt little, those of a topic all."""
    assert [weight(word) for word in ("please", "never", "file", "2", "8443", "pnpm")] == [0, 0, 0.3, 0.3, 1, 1]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("deploys", "deployed", True),
        ("caches", "caching", True),
        ("queries", "query", True),
        ("manager", "managed", False),
        ("test", "text", False),
    ],
)
def test_endings_of_number_and_tense_are_taken_off(one, other, alike):
    """Other endings make another word."""
    assert (stem(one) == stem(other)) is alike


def test_what_speaks_for_a_memory():
    """Nearness, a rare word in common, more of the memory, and standing out each make it likelier."""
    rare = {stem("vpn"): 0.9, stem("deploy"): 0.4}
    start = likelihood(rare, said("Backups run at night."), 0.3, 0.3)
    assert start < likelihood(rare, said("Backups run at night."), 0.4, 0.4)
    assert start < likelihood(rare, said("Backups run at night."), 0.3, 0.2)
    shared = likelihood(rare, said("Deploys run at night."), 0.3, 0.3)
    assert start < shared < likelihood(rare, said("The VPN runs at night."), 0.3, 0.3)
    assert likelihood(rare, said("The VPN."), None, 0.0) > likelihood(rare, said("The VPN is a long story."), None, 0.0)


def test_one_everyday_word_is_not_enough():
    """A single shared word that tells little does not clear the bar, with a middling nearness or without any."""
    for near in (None, 0.28):
        assert likelihood({"line": 0.5, "folder": 0.6}, said("Keep each line of the readme short."), near, 0.25) < BAR


def test_in_a_long_prompt_one_word_is_chance():
    """A long prompt wants a memory only where both have two words that tell something; a short one may have none."""
    long = "The build of the cart takes minutes. " * 4
    memory, near = "The cart is named trolley.", 0.6
    assert prompts.least_words("Why is the build of the cart slow?") == 0
    for words, is_wanted in (
        ({"cart": 0.9}, False),
        ({"cart": 0.9, "the": 0.9}, False),
        ({"cart": 0.9, "nam": 0.5}, True),
    ):
        mark = likelihood(words, said(memory), near, 0.2, prompts.least_words(long))
        assert (mark > BAR) is is_wanted and likelihood(words, said(memory), near, 0.2) > BAR


def test_a_name_is_enough_in_a_long_prompt(tmp_path):
    """One word in common brings a memory also there where it is the name of something in the code."""
    long = "It happens whenever somebody comes back after a while and wants to see what was left there: fix it in {}."
    memories = [("hook", "authStateChanged fires twice after a login."), ("other", "Deploys need the VPN.")]
    BENCH["lay"](str(tmp_path), memories)
    found = {word: BENCH["_marks"](str(tmp_path), long.format(word), True) for word in ("authStateChanged", "login")}
    assert found["authStateChanged"][0][1] == "hook" and found["authStateChanged"][0][0] > BAR
    assert not [key for mark, key in found["login"] if mark > BAR]
    assert prompts.names("Let zod check authState of n8n in 2025", Model.open()) == {"authstat", "n8n"}


@pytest.mark.parametrize(
    ("memory", "prompt", "is_news"),
    [
        ("Name it design-system-ui.", "Look at @design-system-ui/agent.md and start the next task", False),
        ("Name it design-system-ui.", "What is design-system-ui?", True),
        ("The harbour API listens on port 8443.", "Start the harbour API on its port", True),
        ("Use pnpm, never npm.", "Add it with pnpm or npm", True),
    ],
)
def test_what_the_prompt_says_itself_is_no_news(memory, prompt, is_news):
    """A memory is not given to a prompt that states it; a question, a value or a denial is another thing."""
    assert prompts.says_nothing_new(said(memory), prompts.told_by(prompt)) is not is_news


def test_scripts_without_spaces_share_words(tmp_path):
    """Pairs of letters are what Chinese texts have in common; a run of letters is no word."""
    BENCH["lay"](str(tmp_path), [("post", "只提交異動的文章內容，不要提交任務檔案"), ("image", "圖檔已經不存在就略過")])
    (mark, key), *_ = BENCH["_marks"](str(tmp_path), "先提交文章內容，然後再繼續", True)
    assert key == "post" and mark > BAR
    assert {"提交", "文章"} <= {*said("只提交文章")} and "只提交文章" not in said("只提交文章")


def test_texts_that_say_the_same_are_one():
    """Words that tell nothing do not make a difference; a "not", a number or a name does."""
    assert same("Please always use pnpm here.") == same("Use pnpm.")
    for other in ("Never use pnpm.", "Use pnpm 9.", "Use npm."):
        assert same(other) != same("Use pnpm.")


def test_the_logarithm():
    """It is good to a few digits, without a library."""
    for number in (1.0, 2.5, 1_000.0):
        assert prompts.logarithm(number) == pytest.approx(math.log(number), abs=1e-4)


def test_the_reason_is_told_in_words():
    """A receipt says how relevant it was and by which words."""
    assert prompts.why(0.512, ("vpn", "kim")) == "relevance 0.51, words vpn, kim"
