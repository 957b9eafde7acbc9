"""A list that a person asks to remember: which sentence announces one, and what its items say.

Each item becomes a memory of its own, so that it is told, conditioned and ended by itself. A list whose items may lean
on each other stays one text. A prompt hook calls this, so nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.word_lists import LANGUAGES, REQUESTS, lists, request_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

# Shorter items say nothing alone, and longer ones are paragraphs.
_MIN_WORDS, _MAX_WORDS, _MIN_ITEMS = 2, 40, 2
_NUMBERED = ("({}) ", "{}) ", "{}. ")
_BULLETS = ("-", "*", "•", "–")
# "I remember the following:" asks for nothing.
_WHO = (" i", " we", " they")
_AROUND = "*_#>:： \t"
# What stands around the phrase that asks to keep, in a sentence that does nothing but announce.
_AROUND_KINDS = ("announcing", "lead", "ask", "between", "from when")


def announces_list(sentence: Sentence) -> bool:
    """Whether a sentence that ends with a colon asks to keep the list behind it and says nothing else.

    Its words may stand in whatever order: "Folgendes bitte merken:", "two things to remember:".
    """
    said = f" {' '.join(sentence.words)} "
    for language in LANGUAGES:
        words = request_words(language)
        known = {word for kind in _AROUND_KINDS for phrase in words.get(kind, ()) for word in phrase.split()}
        phrases = [phrase for kind in ("keep", "announces") for phrase in words.get(kind, ())]
        if _is_only(said, phrases, known):
            return True
    other = lists(f"{REQUESTS}/other.txt")
    known = {word for kind in ("announcing", "filler", "when") for word in other[kind]}
    return _is_only(f" {sentence.text.lower().strip(_AROUND)} ", [*other["keep"]], known)


def _is_only(said: str, phrases: list[str], known: set[str]) -> bool:
    """Whether a text has one of the phrases, and beside it only known words and figures."""
    for phrase in phrases:
        before, found, rest = said.partition(f" {phrase} ")
        is_own_memory = before.endswith(_WHO)
        if found and not is_own_memory and all(one in known or one.isdigit() for one in f"{before} {rest}".split()):
            return True
    return False


def items_of(text: str) -> list[str]:
    """Return the items of a text that is nothing but a list of statements; any other text is one."""
    rows = [line for line in text.split("\n") if line.strip()]
    found = _enumerated(text) if len(rows) == 1 else [_item(line) for line in rows]
    is_list = len(found) >= _MIN_ITEMS and all(map(_stands_alone, found))
    return found if is_list else [text]


def _stands_alone(item: str) -> bool:
    """Whether an item says something by itself; "but not on staging" goes on from the one before it."""
    words = item.lower().split()
    if not _MIN_WORDS <= len(words) <= _MAX_WORDS or item[-1] == ":":
        return False
    return not any(words[0] in request_words(language)["leaning"] for language in LANGUAGES)


def _item(line: str) -> str:
    """Return what an item of a list says behind its bullet or number; "" for any other line, and for one below it."""
    bare = line.strip()
    number = bare.lstrip("0123456789")
    is_numbered = number != bare and number[:1] in (".", ")")
    behind = number[1:] if is_numbered else bare[1:] if bare[0] in _BULLETS else ""
    is_below = len(line) - len(line.lstrip()) > 1
    return behind.strip() if behind[:1] in (" ", "\t") and not is_below else ""


def _enumerated(line: str) -> list[str]:
    """Return what stands behind "1)", "2)" and so on of a line that begins with the first; mostly nothing."""
    rest = line.lstrip()
    style = next((one for one in _NUMBERED if rest.startswith(one.format(1))), "")
    found: list[str] = []
    number = 1
    while style and rest:
        told, _, rest = rest.removeprefix(style.format(number)).partition(f" {style.format(number + 1)}")
        found.append(told.strip(" ,;"))
        number += 1
    return found
