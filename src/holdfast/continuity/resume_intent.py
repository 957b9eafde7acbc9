"""Whether a prompt asks to go on where the work stood: by its words, or because it stands for a lost conversation.

The words are data, one file a language, beside this one. A hook asks before every prompt, so a long prompt costs no
more than a look at its beginning.
"""

from __future__ import annotations

from holdfast.language.word_lists import LANGUAGES, lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = __file__.rpartition("/")[0] + "/resume_intent_words"
_MAX_CHARACTERS = 120
_LOOK = 200
_APOSTROPHES = "'’`´"


def wants(prompt: str) -> bool:
    """Whether a person asks where they were or wants to go on from there, and says nothing else of substance."""
    if len(prompt) > _MAX_CHARACTERS:
        return False
    words = _words(prompt)
    return bool(words) and any(_says(words, language) for language in LANGUAGES)


def stands_for_a_lost_conversation(prompt: str) -> bool:
    """Whether the prompt begins as the summary of a conversation does that was compacted or cut."""
    beginning = " ".join(prompt[:_LOOK].split()).casefold()
    return bool(beginning) and any(beginning.startswith(line) for line in lines(f"{_FOLDER}/lost.txt"))


def _says(words: list[str], language: str) -> bool:
    phrases: set[str] = set()
    around: set[str] = set()
    anywhere: set[str] = set()
    for line in lines(f"{_FOLDER}/{language}.txt"):
        if line[0] in "+*":
            (around if line[0] == "+" else anywhere).update(line[1:].split())
        else:
            phrases.add(line)
    telling = [word for word in words if word not in anywhere]
    return any(" ".join(part) in phrases for part in _without(telling, around))


def _without(words: list[str], around: set[str]) -> Iterator[list[str]]:
    """Yield the words with more and more of those left out, at both ends, that change nothing."""
    first = next((at for at, word in enumerate(words) if word not in around), len(words))
    last = next((at for at in range(len(words), 0, -1) if words[at - 1] not in around), 0)
    for start in range(first + 1):
        for end in range(len(words), max(last, start) - 1, -1):
            yield words[start:end]


def _words(text: str) -> list[str]:
    kept = [" " if not letter.isalnum() else letter for letter in text if letter not in _APOSTROPHES]
    return "".join(kept).casefold().split()
