"""What kind of lesson it is: `system` (tools and machines) or `algorithm` (how the work was gone about)."""

from __future__ import annotations

from holdfast.base.text import with_capital
from holdfast.language.likeness import folded, listed

CATEGORIES = ("system", "algorithm")
_LONGEST_LABEL = 40
_OBJECTS = ("no", "nope", "nah", "nein", "wrong", "falsch")
_phrases: dict[str, frozenset[str]] = {}


def category(text: str) -> str:
    """Return the category of a text: how the work was gone about, if it says so; else tools; else the first again."""
    said = _spaced(text)
    for name in ("algorithm", "system"):
        if any(phrase in said for phrase in _of(name)):
            return name
    return "algorithm"


def labelled(line: str) -> str:
    """Return what an agent marked as learned in a line, such as `**Lesson:** run it first`; mostly nothing."""
    head, colon, rest = line.strip().lstrip("-*>#• \t").partition(":")
    if not colon or len(head) > _LONGEST_LABEL or _spaced(head) not in _of("label"):
        return ""
    return rest.strip().strip("*_ \t")


def names_a_lesson(text: str) -> bool:
    """Whether a person calls something a lesson."""
    said = _spaced(text)
    return any(word in said for word in _of("lesson"))


def tells_off(sentence: str) -> bool:
    """Whether a sentence begins as one that tells an agent that it did wrong, or to do otherwise."""
    words = _spaced(sentence).split()
    while words and f" {words[0]} " in _of("filler"):
        words = words[1:]
    said = f" {' '.join(words)} "
    found = [anchor for anchor in _of("anchor") if said.startswith(anchor)]
    if not found or (sentence.rstrip().endswith("?") and not any(" you " in one or " du " in one for one in found)):
        return False
    is_offer = words[0] in ("you", "du") and f" {' '.join(words[1:2])} " in _of("offer")
    return not is_offer


def without_objection(text: str) -> str:
    """Return a remark without the words at its beginning that only object: `No, that's wrong, use tabs`."""
    rest = text.strip()
    while True:
        at = min((place for sign in ",:;.!-" if (place := rest.find(f"{sign} ")) > 0), default=0)
        said, tail = _spaced(rest[:at]), rest[at + 1 :].lstrip(" -")
        if not at or not tail or not any(said in _of(kind) for kind in ("anchor", "filler", "objection")):
            break
        rest = tail
    words = _spaced(rest).split()
    while len(words) > 1 and (f" {words[0]} " in _of("filler") or words[0] in _OBJECTS):
        rest, words = rest.split(maxsplit=1)[-1], words[1:]
    return rest


def rule_in(text: str) -> str:
    """Return what a remark says is to be done, as a sentence that makes sense alone; mostly nothing.

    It must say what is right or wrong to do, and not by pointing at what only the session knows.
    """
    rest = without_objection(text)
    said = _spaced(rest)
    is_report = said.startswith((" you", " du ", " why ", " did ")) and not said.startswith(
        (" you should ", " you must ")
    )
    if is_report or rest.endswith("?") or points_elsewhere(rest):
        return ""
    if not (any(phrase in said for phrase in _of("directive")) or ", not " in rest or ", nicht " in rest):
        return ""
    return with_capital(rest.rstrip(" .!")) + "."


def points_elsewhere(text: str) -> bool:
    """Whether a text speaks of something by a word that only says which one within its session: it, that, those."""
    words = _spaced(text).split()
    for number, word in enumerate(words):
        if f" {word} " in _of("pointer"):
            return True
        following = f" {words[number + 1]} " if number + 1 < len(words) else ""
        if f" {word} " in _of("half-pointer") and (not following or following in _of("small")):
            return True
    return False


def takes_back(text: str) -> bool:
    """Whether a person puts right what they said themselves."""
    said = _spaced(text)
    return any(phrase in said for phrase in _of("own"))


def _of(kind: str) -> frozenset[str]:
    if kind not in _phrases:
        _phrases[kind] = frozenset(map(_spaced, listed(kind)))
    return _phrases[kind]


def _spaced(text: str) -> str:
    """Return the words of a text with one space around each."""
    letters = [letter if letter.isalnum() or letter == "'" else " " for letter in folded(text[:2_000])]
    return f" {' '.join(''.join(letters).split())} "
