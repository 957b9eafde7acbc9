"""The one reader of word lists: text files of `kind: word, word`, a line a list; `#` begins a comment.

A list may go on over several lines of its kind. A `~` at the end of a word stands for a space. A file is read
when it is first asked for, as bytes, which takes half the time. Hooks ask, so nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.sentences import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    Words = dict[str, frozenset[str]]

LANGUAGES = ("en", "de")
REQUESTS = __file__.rpartition("/")[0] + "/request_words"
TABLES = __file__.rpartition("/")[0] + "/tables"
_LONGEST_PHRASE = 6
_lines: dict[str, tuple[str, ...]] = {}
_read: dict[str, dict[str, tuple[str, ...]]] = {}
_tuples: dict[tuple[str, str], tuple[str, ...]] = {}
_sets: dict[tuple[str, str], frozenset[str]] = {}
_requests: dict[str, Words] = {}
# With which words the phrases of a list begin: most words of a message begin none.
_firsts: dict[frozenset[str], frozenset[str]] = {}


def lines(path: str) -> tuple[str, ...]:
    """Return the lines of a file that say something, without spaces around them."""
    if path not in _lines:
        _lines[path] = _said(_text_of(path))
    return _lines[path]


def _text_of(path: str) -> str:
    with open(path, "rb") as file:
        return file.read().decode()


def _said(text: str) -> tuple[str, ...]:
    return tuple([line.strip() for line in text.split("\n") if line and line[0] != "#"])


def sections(path: str) -> dict[str, str]:
    """Return a file whose parts begin with a heading, `# heading`: what stands under each."""
    parts = [part.partition("\n") for part in _text_of(path).split("# ")[1:]]
    return {heading: body for heading, _, body in parts}


def rows(path: str) -> list[tuple[str, str]]:
    """Return each line as its kind and what stands behind the colon."""
    return _rows(lines(path))


def _rows(told: tuple[str, ...]) -> list[tuple[str, str]]:
    parted = [line.partition(":") for line in told]
    return [(kind, rest.strip()) for kind, colon, rest in parted if colon]


def lists(path: str) -> dict[str, tuple[str, ...]]:
    """Return the words of a file by their kind."""
    if path not in _read:
        _read[path] = {kind: tuple(words) for kind, words in _by_kind(rows(path)).items()}
    return _read[path]


def _by_kind(told: list[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for kind, rest in told:
        words = rest.split(", ")
        if "~" in rest:
            words = [word[:-1] + " " if word[-1] == "~" else word for word in words]
        found.setdefault(kind, []).extend(words)
    return found


def spoken(folder: str, kind: str) -> tuple[str, ...]:
    """Return the words of a kind in all languages of a folder, which has a file a language."""
    return tuple([word for language in LANGUAGES for word in lists(f"{folder}/{language}.txt").get(kind, ())])


def listed(table: str, kind: str) -> tuple[str, ...]:
    """Return the words of a kind in one of our own tables; nothing where it has no such kind."""
    found = _tuples.get((table, kind))
    if found is None:
        found = _tuples[table, kind] = lists(f"{TABLES}/{table}.txt").get(kind, ())
    return found


def among(table: str, kind: str) -> frozenset[str]:
    """Return the same words as a set."""
    found = _sets.get((table, kind))
    if found is None:
        found = _sets[table, kind] = frozenset(listed(table, kind))
    return found


def phrase_length(said: list[str], at: int, phrases: frozenset[str]) -> int:
    """Return how many words the longest of the phrases has that stands here; 0 where none does."""
    firsts = _firsts.get(phrases)
    if firsts is None:
        firsts = _firsts[phrases] = frozenset([phrase.partition(" ")[0] for phrase in phrases])
    if at >= len(said) or said[at] not in firsts:
        return 0
    for length in range(min(_LONGEST_PHRASE, len(said) - at), 0, -1):
        if " ".join(said[at : at + length]) in phrases:
            return length
    return 0


def request_words(language: str) -> Words:
    """Return the words of requests and plain forms in a language, spelled as the words of a sentence are; by kind."""
    if language not in _requests:
        # All of the file at once: word by word takes three times as long.
        found = _by_kind(_rows(_said(plain(_text_of(f"{REQUESTS}/{language}.txt")))))
        _requests[language] = {kind: frozenset(words) for kind, words in found.items()}
    return _requests[language]
