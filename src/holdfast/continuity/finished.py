"""Whether a person says that a to-do is done. A tick that nobody asked for is worse than one that is missing.

So the word that says it must stand beside the words of the to-do, in a sentence that neither asks nor denies nor makes
a condition: "X is done", "finished X", "done: X", but not "when X is done" or "fixed the page, now X".
"""

from __future__ import annotations

from holdfast.continuity.noting import DONE_WORDS
from holdfast.language.sentences import Sentence, plain, sentences, shorter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# What may stand between the words of a to-do and the one that says that it is done, and the other way round.
_BETWEEN = frozenset(
    (
        *("is", "are", "was", "were", "has", "have", "been", "now", "already", "all", "finally", "also", "as", "task"),
        *("todo", "both", "ist", "sind", "wurde", "wurden", "jetzt", "nun", "schon", "bereits", "endlich", "auch"),
        *("als", "that", "this", "it", "thats", "das"),
    )
)
_BEFORE = frozenset(("with", "the", "task", "todo", "mit", "dem", "der", "den", "die", "das", "also", "now", "auch"))
# A sentence with one of these does not say that something is done, whatever else it says.
_DOUBTS = frozenset(
    (
        *("not", "never", "no", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent"),
        *("cant", "cannot", "wont", "shouldnt", "couldnt", "wouldnt", "yet", "half", "almost", "nearly", "when"),
        *("once", "if", "until", "till", "unless", "soon", "after", "before", "whether", "will", "would", "should"),
        *("must", "tomorrow", "nicht", "nie", "niemals", "kein", "keine", "keinen", "keiner", "noch", "fast", "halb"),
        *("wenn", "sobald", "falls", "bis", "bevor", "ehe", "nachdem", "ob", "wird", "werden", "muss", "soll"),
        *("sollte", "bald", "morgen"),
    )
)
_ASKING = frozenset(("is", "are", "was", "has", "have", "did", "ist", "sind", "hat", "haben", "wurde", "wann", "why"))


def said(text: str) -> list[str]:
    """Return the sentences of a message that say that something is done."""
    return [sentence.text for sentence in sentences(shorter(text)) if _says_so(sentence, _words(sentence))]


def told_of(todo: str, statements: Iterable[str]) -> bool:
    """Whether one of these statements says that the to-do is done, in the words of the to-do."""
    wanted = _plain_words(todo)
    return any(
        _beside(_words(sentence), sentence.after, wanted)
        for statement in statements
        for sentence in sentences(statement)
        if _says_so(sentence, _words(sentence))
    )


def _says_so(sentence: Sentence, words: list[str]) -> bool:
    if sentence.is_question or not words or words[0] in _ASKING:
        return False
    return not DONE_WORDS.isdisjoint(words) and _DOUBTS.isdisjoint(words)


def _beside(words: list[str], after: list[str], wanted: list[str]) -> bool:
    """Whether the wanted words stand beside one that says done, with nothing but small words between."""
    length = len(wanted)
    for start in range(len(words) - length + 1 if wanted else 0):
        if words[start : start + length] != wanted:
            continue
        behind = next((word for word in words[start + length :] if word not in _BETWEEN), "")
        before = start - 1
        while before >= 0 and words[before] in _BEFORE and not after[before]:
            before -= 1
        if behind in DONE_WORDS or (before >= 0 and words[before] in DONE_WORDS and "," not in after[before]):
            return True
    return False


def _words(sentence: Sentence) -> list[str]:
    """Return the words of a sentence without apostrophes, one for each that the sentence has."""
    return [word.replace("'", "") for word in sentence.words]


def _plain_words(text: str) -> list[str]:
    """Return the words of a to-do as a sentence has them."""
    return [word.replace("'", "") for each in sentences(text) for word in each.words] or plain(text).split()
