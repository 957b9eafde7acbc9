"""What a person says in a message that should outlive it: corrections, decisions, values and so on, found by words.

A message is taken apart into sentences without code, quotes and pasted lines (`sentences.py`). The phrases of one file
a language in `words/` give each sentence its cues; `words/rules.txt` says which cues make which kind. A prompt hook
calls this before every prompt, so nothing heavy is imported, and of a long message only the two ends are looked at.
"""

from __future__ import annotations

from holdfast.continuity.sentences import Sentence, sentences, shorter
from holdfast.continuity.word_tables import Words
from holdfast.light import dataclass

KINDS = ("correction", "decision", "architecture", "priority", "value", "preference", "remember")
LANGUAGES = ("en", "de")
MOST_CHARACTERS = 300
MOST_TRIGGERS = 12
_HERE = __file__.rpartition("/")[0]
# Nothing is stated in one word.
_FEWEST_WORDS = 2
# A sentence of fewer words asks for nothing that takes work; a message of more words does, however it is put.
_FEW_WORDS = 4
_MANY_WORDS = 30
# A task is told in the words of these kinds, too: only of the others a task may be one.
_NOT_IN = {
    "decision": ("task", "remember"),
    "architecture": ("task",),
    "value": ("task",),
    "priority": ("remember",),
}
_MANY_SENTENCES = 25
_AT_EACH_END = 5
_words: list[Words] = []
_loaded: dict[str, Phrases] = {}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.continuity.phrases import Phrases


@dataclass(frozen=True, slots=True)
class Trigger:
    """One statement that is worth writing down: its kind, and the sentence that makes it."""

    kind: str
    text: str


def scan(text: str) -> tuple[Trigger, ...]:
    """Return what a message states that should be kept, in its order: at most twelve, each cut to 300 characters."""
    parts = _own(sentences(shorter(text)))
    if sum(len(sentence.words) for sentence in parts) < _FEWEST_WORDS:
        return ()
    every = _cues(parts)
    rules = _rules() if any(every) else []
    found: list[Trigger] = []
    for sentence, cues in zip(parts, every, strict=True):
        if "paste" in cues:
            # What follows was written by somebody else.
            break
        kinds = {kind for kind, needed, barred in rules if needed <= cues and not barred & cues} if cues else ()
        found += [Trigger(kind, sentence.text[:MOST_CHARACTERS]) for kind in KINDS if kind in kinds]
    return tuple(found[:MOST_TRIGGERS])


def is_trivial(text: str) -> bool:
    """Whether a message says no more than yes, thanks or go on."""
    return len(text) <= MOST_CHARACTERS and all("trivial" in cues for cues in _cues(sentences(text)))


def is_substantial_ask(text: str) -> bool:
    """Whether a message asks for work: it is long, or it tells to do something or asks in more than a few words."""
    if is_trivial(text):
        return False
    parts = _own(sentences(shorter(text)))
    if sum(len(sentence.words) for sentence in parts) > _MANY_WORDS:
        return True
    asks = {"asked", "task"}
    return any(len(one.words) >= _FEW_WORDS and asks & cues for one, cues in zip(parts, _cues(parts), strict=True))


def _own(parts: list[Sentence]) -> list[Sentence]:
    """Return the sentences of a message, of a long one its two ends: what is between them is mostly a document."""
    return parts if len(parts) <= _MANY_SENTENCES else [*parts[:_AT_EACH_END], *parts[-_AT_EACH_END:]]


def _cues(parts: list[Sentence]) -> list[set[str]]:
    """Return the cues of each sentence, by the language of the message."""
    cues: list[set[str]] = [{"asked"} if sentence.is_question else set() for sentence in parts]
    for name in _languages({word for sentence in parts for word in sentence.words}):
        for found, more in zip(cues, _phrases(name).cues(parts), strict=True):
            found |= more
    return cues


def _languages(words: set[str]) -> list[str]:
    """Return the language of these words by the small ones among them; both, where they do not tell."""
    marks = dict.fromkeys(LANGUAGES, 0)
    for line in _text("small").split("\n"):
        name, colon, small = line.partition(": ")
        if colon and name in marks:
            marks[name] += len(words.intersection(small.split()))
    return [name for name in LANGUAGES if marks[name] * 2 >= max(marks.values())]


def _phrases(name: str) -> Phrases:
    if name not in _loaded:
        _loaded[name] = _files().phrases(name)
    return _loaded[name]


def _rules() -> list[tuple[str, set[str], set[str]]]:
    rules = [(kind, {kind}, {"asked", f"no-{kind}", *_NOT_IN.get(kind, ())}) for kind in KINDS]
    rules += [(kind, {f"{kind}?"}, {f"no-{kind}"}) for kind in KINDS]
    for line in _text("rules").split("\n"):
        kind, colon, cues = line.partition(":")
        if colon and kind[0] != "#":
            names = cues.split()
            barred = {name[1:] for name in names if name[0] == "-"}
            rules.append((kind, {name for name in names if name[0] != "-"}, {*barred, f"no-{kind}"}))
    return rules


def _text(name: str) -> str:
    return _files().text(name)


def _files() -> Words:
    if not _words:
        _words.append(Words(f"{_HERE}/words/", LANGUAGES, f"{_HERE}/__pycache__/words"))
    return _words[0]
