"""What kind of lesson it is: `system` (tools and machines) or `algorithm` (how the work was gone about)."""

from __future__ import annotations

from holdfast.language.likeness import folded, listed

CATEGORIES = ("system", "algorithm")
_LONGEST_LABEL = 40
_FIRST_WORDS = 4
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


def takes_back(text: str) -> bool:
    """Whether a person puts right what they said themselves."""
    said = _spaced(text)
    return any(phrase in said for phrase in _of("own"))


def sets_up(command: str) -> bool:
    """Whether a command line sets something up, by its first words: `uv sync`, `docker compose up`."""
    words = [word.casefold() for word in command.split()[:_FIRST_WORDS] if not word.startswith("-")]
    return any(f" {word} " in _of("mends") for word in words)


def _of(kind: str) -> frozenset[str]:
    if kind not in _phrases:
        _phrases[kind] = frozenset(map(_spaced, listed(kind)))
    return _phrases[kind]


def _spaced(text: str) -> str:
    """Return the words of a text with one space around each."""
    letters = [letter if letter.isalnum() or letter == "'" else " " for letter in folded(text[:2_000])]
    return f" {' '.join(''.join(letters).split())} "
