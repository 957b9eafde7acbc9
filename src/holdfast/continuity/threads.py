"""What an agent's answer leaves open: what it asks of the person, what still fails, what is still to be done.

It goes by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`.
"""

from __future__ import annotations

from holdfast.continuity.answers import (
    FEW_WORDS,
    MAX_STEP,
    NOT_TOLD,
    labelled,
    listed,
    parted,
    told_line,
)
from holdfast.continuity.done_steps import tells_step
from holdfast.continuity.halves import done_half
from holdfast.continuity.messages import DOUBTS, WONDERING, WORDS, names_something, plain_words, says_phrase
from holdfast.continuity.open_sessions import LEFT, WHOLE
from holdfast.continuity.plans import numbers
from holdfast.continuity.unfinished import (
    is_unexplained,
    names_no_thing,
    says_failing,
    says_undone,
    waits_for_the_person,
    what_is_left,
)
from holdfast.language.word_lists import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MAX_FAILING = 2
# What is open of one of these is over when an answer says that all of them pass.
_CHECKED = frozenset(("test", "tests", "check", "checks", "suite", "build", "ci"))
_ALL = frozenset(("all", "alle", "todos", "tous"))
_PASS = frozenset(("pass", "passes", "passed", "green", "grün", "durch"))
# So many sentences of its last paragraph end an answer.
_ENDING = 3
# Of the words of what is left so many tell that an answer speaks of it: what is open still it says anew.
_OF_THREAD = 0.65
# Who asks about what is not explained has fewer of its words.
_OF_EXPLAINED = 0.35
_QUESTIONS = frozenset(("questions", "fragen"))
_SHOULD = frozenset(("should", "shall", "soll", "sollen"))
_STOPS, _ASKS = (".", "!", "。"), ("?", "？")
_COMING = frozenset(("will", "ill", "werde"))
# With one of these the end of an answer says what the work does not do.
_LIMITING = frozenset(
    (
        *("not", "didnt", "dont", "doesnt", "isnt", "arent", "havent", "hasnt", "couldnt", "cannot", "cant", "wont"),
        *("need", "needs", "brauche", "braucht", "necesito"),
        *("still", "yet", "missing", "left", "remains", "remaining", "half", "though", "untested", "fails", "failing"),
        *("nicht", "noch", "fehlt", "fehlen", "offen", "ohne", "halb", "falta", "faltan", "todavía", "manque", "pas"),
    )
)
_MEANT = frozenset(("it", "this", "that", "these", "them", "those", "das", "es"))
# With one of these a question offers something, or means what only the answer above it explains.
_IDLE = frozenset(
    (
        *("you", "your", "proceed", "continue", "go", "start", "next", "help", "else", "this", "that", "these", "it"),
        *("them", "those", "one", "option", "approach", "commit", "push"),
        *("du", "dir", "sie", "ihnen", "weiter", "das", "es"),
    )
)


def open_questions(answer: str) -> tuple[str, ...]:
    """Return what an answer names as an open question: in a line of its own, or in the list below such a heading.

    And the question with which it ends, where that wants to know something about the work and offers nothing.
    """
    names = frozenset(lines(f"{WORDS}/open_questions.txt"))
    questions = [one for one in listed(answer, _QUESTIONS) if one.endswith("?")]
    named = [*labelled(answer, names), *listed(answer, names), *questions]
    return tuple(dict.fromkeys(named or _asked_at_the_end(answer)))


def _asked_at_the_end(answer: str) -> list[str]:
    """Return the question that ends an answer; none where it only asks whether or how to go on, or what they like."""
    if not answer.rstrip("*_ \n").endswith("?"):
        return []
    *before, last = parted(told_line(answer.rstrip().splitlines()[-1]), ()) or [""]
    words = plain_words(last)
    first = words[0] if words else ""
    choice = last.partition(": ")[2]
    if first in WONDERING and (" or " in choice or " oder " in choice):
        # "How do you want to proceed: fork it or drop it?"
        return [last] if len(last) <= MAX_STEP else []
    if first in _SHOULD and before and _IDLE.intersection(words) <= _MEANT:
        # "Shall I restore it?" comes with what it means.
        last = f"{before[-1]} {last}" if names_something(before[-1]) else ""
        return [last] if last and len(last) <= MAX_STEP else []
    # "Should it ask for the role before I start with step 3?" is about the role.
    asked = plain_words(last.partition(" before ")[0])
    is_about_work = (first in WONDERING or first in _SHOULD) and _IDLE.isdisjoint(asked)
    return [last] if is_about_work and len(words) > FEW_WORDS and len(last) <= MAX_STEP else []


def how_it_ended(answer: str, done: str, found: str, *, leaves: bool, is_change: bool) -> tuple[str, str]:
    """Return whether an answer leaves something of what was asked, and its last words where they say more than it told.

    They do where it asks back, limits what it did, or changed something and says nowhere what.
    """
    from holdfast.inject.prompt import weight_of

    end = "" if leaves else _end_of(answer)
    in_part = leaves or (not done and _asks_back(end))
    # What an answer asks back at its end is told; "anything else?" asks nothing.
    words = plain_words(end)
    wants_to_know = end.endswith(_ASKS) and weight_of(" ".join([word for word in words if word not in _IDLE])) >= 1.0
    # What is missing or does not work is told where the rest of its sentence was done.
    is_half = not end.endswith(_ASKS) and done_half(end) != end
    is_news = in_part or wants_to_know or is_half or not _LIMITING.isdisjoint(words) or (is_change and not done)
    is_told = is_news and (is_half or wants_to_know or end not in f"{done} {found}")
    return LEFT if in_part else WHOLE, end if is_told else ""


def _end_of(answer: str) -> str:
    """Return how an answer ends, whole: from its question to the person on, else its last sentence.

    Nothing of one that is long, or ends with a list, a table or code.
    """
    line = answer.rstrip().rpartition("\n")[2].strip()
    # "1 and 2 are done" begins no list.
    is_numbered = line[:1].isdigit() and line.split()[0][-1] in ".)"
    is_prose = not (line.startswith(NOT_TOLD) or line[:1] in "-*•#" or is_numbered) or line.startswith("**")
    last = parted(told_line(line), ())[-_ENDING:] if is_prose else []
    places = [place for place, one in enumerate(last) if _asks_back(one)]
    told = " ".join(last[places[0] if places else -1 :])
    is_opener = told.casefold().replace("’", "'").startswith(tuple(lines(f"{WORDS}/openers.txt")))
    is_told = told.endswith((*_STOPS, *_ASKS)) and (_asks_back(told) or not is_opener)
    return told if is_told and len(told) <= MAX_STEP else ""


def _asks_back(end: str) -> bool:
    """Whether the end of an answer asks the person something, or says what the agent is about to do."""
    words = plain_words(end)
    # "I'm reading the code and will fix it" was not the end of the work.
    promises = words[:1] in (["i"], ["ill"], ["im"], ["ive"], ["ich"]) and not _COMING.isdisjoint(words)
    # A question within a sentence is spoken of.
    return promises or any(one.endswith(_ASKS) for one in parted(end, ()))


def failing(answer: str) -> list[str]:
    """Return the sentences of an answer that say what still fails or is still to be done, whole."""
    openers = tuple(lines(f"{WORDS}/openers.txt"))
    prose = [line for line in answer.splitlines() if not line.lstrip().startswith(NOT_TOLD)]
    # "**Do not close yet**" is above what it says so of.
    told = [told_line(line) for line in prose if not is_heading(line)]
    every = [one for line in told for one in parted(line, openers) if len(one) <= MAX_STEP]
    return [one for one in every if says_failing(one)][:_MAX_FAILING]


def is_heading(line: str) -> bool:
    """Whether a line is a heading, or stands in bold letters as one."""
    text = line.strip().rstrip(":")
    return text.startswith("#") or (text.startswith("**") and text.endswith("**") and text.count("**") == 2)


def says_all_pass(said: str) -> bool:
    """Whether an answer says that all tests or checks pass: "all 12 tests pass", "alle Tests laufen durch"."""
    every = [plain_words(one) for line in said.splitlines() for one in parted(told_line(line), ())]
    return any(
        not (_ALL.isdisjoint(words) or _PASS.isdisjoint(words) or _CHECKED.isdisjoint(words))
        and DOUBTS.isdisjoint(words)
        for words in every
    )


def news(told: Iterable[str], before: Sequence[str]) -> list[str]:
    """Return what an answer says is left to do or fails, without what stands open already in other words."""
    return [one for one in told if one in before or not says_undone(one) or not tells_step(what_is_left(one), before)]


def left_open(
    before: Sequence[str],
    said: str,
    *,
    done: str = "",
    is_work: bool,
    is_aside: bool,
    dropped: list[str],
    explained: str = "",
) -> list[str]:
    """Return what an answer leaves open of what was open before it; `said` is all that it tells of its work.

    What is to be done stays until an answer speaks of it, which says then how it is, tells its number as `done`, or the
    person drops it; all of it, until an answer says that nothing is left; what is checked, until all checks pass; what
    fails, until an answer tells of work; what waits for the person and a question, while they only wanted to know
    something; what the agent could not explain, until it is `explained` to somebody who asked.
    """
    is_all = says_phrase(plain_words(said), "all_done")
    passes = says_all_pass(said)
    done_steps = numbers(done)
    # Of several nobody knows which one "ignore it" means.
    is_meant = len(before) == 1 and any((_MEANT | {"sie", "die"}).issuperset(plain_words(one)) for one in dropped)
    found = []
    for text in before:
        is_over = is_meant or is_all or any(tells_step(one, [text]) for one in dropped)
        is_over |= bool(named := numbers(text)) and done_steps.issuperset(named)
        is_over |= passes and not _CHECKED.isdisjoint(plain_words(text.replace("_", " ")))
        if is_unexplained(text):
            is_over |= tells_step(text, [explained], share=_OF_EXPLAINED)
        if says_undone(text):
            left = what_is_left(text) or text
            is_over |= is_work if names_no_thing(text) else tells_step(left, [said], share=_OF_THREAD)
        else:
            is_over |= not is_aside if waits_for_the_person(text) or not says_failing(text) else is_work
        found += [] if is_over else [text]
    return found
