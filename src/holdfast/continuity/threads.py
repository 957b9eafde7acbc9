"""What an agent's answer leaves open: what it asks of the person, what still fails, what is still to be done.

It goes by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`.
"""

from __future__ import annotations

from holdfast.continuity.answers import (
    FEW_WORDS,
    MAX_STEP,
    NOT_TOLD,
    PICTURES,
    UNDECIDED,
    labelled,
    listed,
    parted,
    tells_step,
    told_line,
)
from holdfast.continuity.messages import DOUBTS, WONDERING, WORDS, names_something, plain_words
from holdfast.language.word_lists import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_FAILING = 2
_STILL = frozenset(("still", "noch", "weiterhin"))
_FAILING = frozenset(
    (
        "fail",
        "fails",
        "failing",
        "broken",
        "crash",
        "crashes",
        "error",
        "errors",
        "hit",
        "hits",
        "times",
        "fehl",
        "kaputt",
    )
)
_UNFAILED = frozenset(
    (
        *("if", "whether", "should", "would", "could", "might", "may", "no", "not", "nothing"),
        *("wenn", "falls", "ob", "nicht"),
    )
)
_QUESTIONS = frozenset(("questions", "fragen"))
_SHOULD = frozenset(("should", "shall", "soll", "sollen"))
_MEANT = frozenset(("it", "this", "that", "these", "them", "those", "das", "es"))
_REMAIN = frozenset(("remain", "remains", "left", "bleiben"))
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


def says_failing(sentence: str) -> bool:
    """Whether a sentence states that something still fails, or is still to be done."""
    words = plain_words(sentence)
    if sentence.rstrip().endswith("?") or (words and words[0] in ("if", "wenn", "falls")):
        return False
    if is_blocked(words):
        return True
    if _names_rest(words):
        # "I could not" tells what happened.
        return UNDECIDED.isdisjoint(" ".join(words).replace("could not", "").split())
    # "If it still fails, run it again" states nothing.
    still = [place for place, word in enumerate(words) if word in _STILL]
    is_sure = _UNFAILED.isdisjoint(words)
    return is_sure and any(not _FAILING.isdisjoint(words[place + 1 : place + 4]) for place in still)


def is_blocked(words: list[str]) -> bool:
    """Whether the words of a sentence say that the work cannot go on, or leave a part of it to the person."""
    said = f" {' '.join(words)} "
    return words[:1] in (["blocked"], ["blockiert"], ["bloqueado"]) or any(
        f" {phrase} " in said for phrase in lines(f"{WORDS}/blocked.txt")
    )


def left_open(before: Iterable[str], done: str, *, is_work: bool, is_aside: bool, dropped: list[str]) -> list[str]:
    """Return what an answer leaves open of what was open before it.

    What is to be done stays until an answer tells it, or the person drops it; what fails, until an answer tells of
    work; a question, while the person only wanted to know something.
    """
    found = []
    for text in before:
        if says_undone(text):
            stays = not (tells_step(text, [done]) or any(tells_step(one, [text]) for one in dropped))
        else:
            stays = not is_work if says_failing(text) else is_aside
        found += [text] if stays else []
    return found


def says_undone(sentence: str) -> bool:
    """Whether a sentence states that something is still to be done, and not that it fails."""
    return says_failing(sentence) and _names_rest(plain_words(sentence))


def _names_rest(words: list[str]) -> bool:
    said = f" {' '.join(words)} "
    if words[-1:] == ["yet"] and not DOUBTS.isdisjoint(words[:-1]):
        return True
    if words[-1:] and words[-1] in _REMAIN and words[0] in lines(f"{WORDS}/steps.txt"):
        return True
    return any((phrase if phrase > PICTURES else f" {phrase} ") in said for phrase in lines(f"{WORDS}/undone.txt"))
