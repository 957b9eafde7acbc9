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
from holdfast.continuity.messages import WONDERING, WORDS, names_something, plain_words
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
# Of the words of what is left so many tell that an answer speaks of it: what is open still it says anew.
_OF_THREAD = 0.65
# Who asks about what is not explained has fewer of its words.
_OF_EXPLAINED = 0.35
_QUESTIONS = frozenset(("questions", "fragen"))
_SHOULD = frozenset(("should", "shall", "soll", "sollen"))
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
    is_about_work = (first in WONDERING or first in _SHOULD) and _IDLE.isdisjoint(words)
    return [last] if is_about_work and len(words) > FEW_WORDS and len(last) <= MAX_STEP else []


def failing(answer: str) -> list[str]:
    """Return the sentences of an answer that say what still fails or is still to be done, whole."""
    openers = tuple(lines(f"{WORDS}/openers.txt"))
    told = [told_line(line) for line in answer.splitlines() if not line.lstrip().startswith(NOT_TOLD)]
    every = [one for line in told for one in parted(line, openers) if len(one) <= MAX_STEP]
    return [one for one in every if says_failing(one)][:_MAX_FAILING]


def news(told: Iterable[str], before: Sequence[str]) -> list[str]:
    """Return what an answer says is left to do or fails, without what stands open already in other words."""
    return [one for one in told if one in before or not says_undone(one) or not tells_step(what_is_left(one), before)]


def left_open(
    before: Sequence[str], said: str, *, is_work: bool, is_aside: bool, dropped: list[str], explained: str = ""
) -> list[str]:
    """Return what an answer leaves open of what was open before it; `said` is all that it tells of its work.

    What is to be done stays until an answer speaks of it, which says then how it is, or the person drops it; what
    fails, until an answer tells of work; what waits for the person and a question, while they only wanted to know
    something; what the agent could not explain, until it is `explained` to somebody who asked.
    """
    # Of several nobody knows which one "ignore it" means.
    is_meant = len(before) == 1 and any((_MEANT | {"sie", "die"}).issuperset(plain_words(one)) for one in dropped)
    found = []
    for text in before:
        is_over = is_meant or any(tells_step(one, [text]) for one in dropped)
        if is_unexplained(text):
            is_over |= tells_step(text, [explained], share=_OF_EXPLAINED)
        if says_undone(text):
            left = what_is_left(text) or text
            is_over |= is_work if names_no_thing(text) else tells_step(left, [said], share=_OF_THREAD)
        else:
            is_over |= not is_aside if waits_for_the_person(text) or not says_failing(text) else is_work
        found += [] if is_over else [text]
    return found
