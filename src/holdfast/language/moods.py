"""The mood of a person about the work, out of their words: praise or frustration, where it is clear, else nothing.

Only few and general cues count: a verdict on what was done, blame that is said to the agent, repetition, and set
phrases, and strong words with which a message opens, whatever is asked next. What a person says about the software, an
error, somebody else or themselves is no mood about the work, and a mild word that only opens the next task is none
either. A message with both moods is a complaint. Most messages give None, and None is not a middling rating.
"""

from __future__ import annotations

from itertools import pairwise

from holdfast.base.light_records import dataclass
from holdfast.base.text import small_words
from holdfast.language.word_lists import sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MIN_CONFIDENCE = 0.5
# Words that only one of the languages has, and that are in most of its messages.
_OF_TEN = (" out of ten", " von zehn")
_TELLING = {
    "en": frozenset(("the", "you", "it", "is", "to", "this", "that", "and", "i", "of", "your", "my", "for", "with")),
    "de": frozenset(
        ("ich", "du", "das", "ist", "nicht", "und", "der", "dein", "deine", "ein", "zu", "mit", "wir", "es")
    ),
}
_FOLDER = __file__.rpartition("/")[0] + "/mood_words"
# What is longer is a task or a paste, in which a person's mood is not the matter.
_MAX_MESSAGE = 600
_LONGEST_PHRASE = 8
_ANY = "*ing"
_MIN_SHOUTED = 4
_MIN_CRIED = 3
# English has one such word in ten at least.
_ENGLISH = 10
_ENDS = ".!?\n;…"
_PARTS = ",:–—("
_HIGH, _LOW, _LOWEST = 8, 4, 3
_SURE, _CLEAR, _LIKELY = 0.9, 0.8, 0.7


@dataclass(frozen=True, slots=True)
class Mood:
    """A mood as a rating, how sure it is (0.5 to 1), and the words that show it."""

    rating: int
    confidence: float
    words: str


@dataclass(frozen=True, slots=True)
class MoodSentence:
    """A sentence as words in small letters, its parts between commas, and the mark that ends it."""

    words: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    end: str


class Words(dict[str, frozenset[str]]):
    """The words of one language, by what they are, and its set phrases. A list is made when it is first asked for."""

    def __init__(self, path: str) -> None:
        self._texts = {heading.partition(":")[0]: body for heading, body in sections(path).items()}
        self._phrases: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def __missing__(self, name: str) -> frozenset[str]:
        self[name] = found = frozenset(self._texts[name].split())
        return found

    def has(self, name: str, said: Iterable[str]) -> bool:
        """Whether one of the words is on a list."""
        return not self[name].isdisjoint(said)

    def phrases(self, name: str) -> list[str]:
        """Return the set phrases of one kind."""
        return self._texts[name].splitlines()

    def phrase(self, name: str, said: tuple[str, ...]) -> str:
        """Return the longest set phrase of that kind in a sentence."""
        if name not in self._phrases:
            lines = self.phrases(name)
            self._phrases[name] = frozenset(lines), frozenset([line.partition(" ")[0] for line in lines])
        phrases, first = self._phrases[name]
        longest = ""
        for place in [place for place, word in enumerate(said) if word in first]:
            for end in range(place + 1, min(place + _LONGEST_PHRASE, len(said)) + 1):
                phrase = " ".join(said[place:end])
                # In a phrase `*ing` is any word that ends so.
                any_deed = f"{phrase.rpartition(' ')[0]} {_ANY}" if phrase.endswith("ing") else phrase
                if len(phrase) > len(longest) and not phrases.isdisjoint((phrase, any_deed)):
                    longest = phrase
        return longest


def mood(text: str) -> Mood | None:
    """Return the mood that a message of the person shows about the work, or None."""
    if len(text) > _MAX_MESSAGE:
        return None
    sentences = list(_sentences(text))
    said = [word for one in sentences for word in one.words]
    # Where no word tells the language, it may be any of them.
    known = [language for language, telling in _TELLING.items() if not telling.isdisjoint(said)] or [*_TELLING]
    spoken = [_words_of(language) for language in known]
    found = []
    for words in spoken:
        whole = all(_is_only_praise(one.words, words) for one in sentences)
        for one in sentences:
            blame = _blame(one, words)
            if blame is not None:
                found.append(blame)
            elif one.end != "?" and (praise := _praise(one, words, whole)):
                found.append(Mood(_HIGH, _SURE if whole else _CLEAR, praise))
        if sentences and (opening := _opening(sentences[0], words)):
            found.append(Mood(_HIGH, _CLEAR, opening))
    found += _in_other_languages(said)
    # Capitals are for the agent where there are several words, and one of them is `you`.
    is_loud = text.isupper() and len(said) >= _MIN_SHOUTED and any(words.has("did", said) for words in spoken)
    if is_loud or any(_shouts(line) for line in _own_lines(text)):
        found.append(Mood(_LOW, _LIKELY, "shouting"))
    swears = _words_of("en")["swears"].intersection(said)
    # "Holy shit, that worked."
    is_glad = any(words.has("strong", said) or words.has("mild", said) for words in spoken) or "worked" in said
    if swears and not is_glad:
        found.append(Mood(_LOW, _CLEAR, min(swears)))
    # Praise beside a complaint is mockery, or said to soften it.
    return max(found, key=lambda one: (one.rating <= _LOW, one.confidence), default=None)


def _in_other_languages(said: list[str]) -> Iterator[Mood]:
    """Yield the moods that set phrases of other languages show, where the message is hardly English."""
    if not said or sum(word in _TELLING["en"] for word in said) * _ENGLISH > len(said):
        return
    spaced = f" {' '.join(said)} "
    for name, rating in (("frustrated", _LOW), ("praised", _HIGH)):
        for phrase in _words_of("other").phrases(name):
            # Letters from U+2E80 on stand without spaces between words.
            if phrase in spaced and (phrase[0] >= "\u2e80" or f" {phrase} " in spaced):
                yield Mood(rating, _CLEAR, phrase)


def _praise(one: MoodSentence, words: Words, whole: bool) -> str:
    """Return the words of praise in a sentence, nothing where it only opens what comes next."""
    said = one.words
    if whole:
        return " ".join(said)
    if words.has("turns", said):
        return ""
    found = [_verdict(part, words) for part in one.parts]
    if not _is_real(said, words):
        return max(found, key=len)
    strong = next((word for word in said if word in words["strong"]), "")
    # Strong praise may open the sentence where the rest says what is so good, and not what to do next.
    first, then = [*one.parts, (), ()][:2]
    opens = bool(then) and _is_only_praise(first, words) and then[0] in words["goes on"]
    if strong and (opens or words.has("you", said)):
        found.append(strong)
    if words.has("best", said) and words.has("ever", said):
        found.append("best")
    # "I am really happy with"
    if words.has("me", said) and _has_pair(said, words["glad"], words["about"]):
        found.append("glad")
    return max(found, key=len)


def _opening(one: MoodSentence, words: Words) -> str:
    """Return the praise with which a message opens, whatever is asked next: "Perfect! Please commit"."""
    first = one.parts[0]
    if one.end == "?" and len(one.parts) == 1:
        return ""
    phrase = words.phrase("praised", first)
    if phrase and first[: len(phrase.split())] == tuple(phrase.split()):
        return phrase
    with_work = words.has("work", first)
    is_clear = words.has("strong", first) or with_work or (words.has("mild", first) and words.has("full", first))
    if not is_clear or not _is_only_praise(first, words) or (words.has("turns", one.words) and not with_work):
        return ""
    return " ".join(first)


def _shouts(line: str) -> bool:
    """Whether a line has a sentence of several words in capitals that ends with a cry: "NO! FROM THE YAML!"."""
    start = 0
    for place in [place for place, letter in enumerate(line) if letter in "!?"]:
        said = line[start:place].rpartition(". ")[2].split()
        is_cry = line[place] == "!" and len(said) >= _MIN_CRIED and "".join(said).isupper()
        if is_cry and all(word.strip("`'\",.:").isalpha() for word in said):
            return True
        if line.startswith("!!!", place) and said and _is_cried(said[-1].rpartition(".")[2]):
            return True
        start = place + 1
    return False


def _is_cried(word: str) -> bool:
    """Whether a word in capitals is cried out in anger ("AGAIN!!!"), not to be heeded ("IMPORTANT!!!")."""
    return len(word) >= _MIN_CRIED and word.isalpha() and word.isupper() and word.lower() not in _words_of("en")["heed"]


def _has_pair(said: tuple[str, ...], first: frozenset[str], second: frozenset[str]) -> bool:
    return any(one in first and two in second for one, two in pairwise(said))


def _is_real(said: tuple[str, ...], words: Words, phrase: str = "") -> bool:
    """Whether the words beside a phrase neither wish, ask, deny nor speak of somebody or something else."""
    rest = set(said).difference(phrase.split())
    if words.has("unreal", rest) or words.has("others", rest):
        return False
    return words.has("you", said) or not words.has("things", rest)


def _is_only_praise(said: tuple[str, ...], words: Words) -> bool:
    """Whether a sentence consists of praise and thanks and nothing else."""
    known = ("strong", "mild", "plain", "stronger", "work", "made", "fill")
    if any(all(word not in words[name] for name in known) for word in said):
        return False
    if words.has("strong", said) or words.has("mild", said):
        return True
    # A plain word is praise with a stronger one before it, or with what was done behind it.
    plain = words["plain"]
    return _has_pair(said, words["stronger"], plain) or _has_pair(said, plain, words["work"])


def _verdict(part: tuple[str, ...], words: Words) -> str:
    """Return the praise that a part of a sentence is: "that is perfect", "very good analysis", or a set phrase."""
    phrase = words.phrase("praised", part)
    if not _is_real(part, words, phrase):
        return ""
    if phrase or (_is_only_praise(part, words) and words.has("strong", part) and words.has("full", part)):
        return phrase or " ".join(part)
    for place, (one, two) in enumerate(pairwise(part)):
        clear = one in words["strong"] or one in words["mild"]
        praises = (clear and two in words["made"]) or ((clear or one in words["plain"]) and two in words["work"])
        if praises and all(word in words["fill"] for word in part[:place]):
            return f"{one} {two}"
    return ""


def _blame(one: MoodSentence, words: Words) -> Mood | None:
    """Return the frustration with the agent that a sentence shows."""
    said = one.words
    deed, again = _deed(said, words)
    if deed and again:
        return Mood(_LOWEST, _SURE, deed)
    # "Well done, you broke the build" is mockery.
    if deed in words["hard"] and (one.end == "!" or any(_verdict(part, words) for part in one.parts)):
        return Mood(_LOW, _LIKELY, deed)
    if words.has("others", said):
        return None
    phrase = words.phrase("frustrated", said)
    before = f" {' '.join(said)} ".partition(f" {phrase} ")[0].split()
    if phrase and not words.has("unreal", before[-1:]):
        return Mood(_LOW, _CLEAR, phrase)
    return _reproach(one, words)


def _reproach(one: MoodSentence, words: Words) -> Mood | None:
    said = one.words
    if one.end != "?" and any(_condemns(part, words, one) for part in one.parts):
        return Mood(_LOW, _CLEAR, "verdict")
    # Praise for a deed that nobody praises: "great job deleting my branch".
    if _has_pair(said, words["work"], words["deeds"]):
        return Mood(_LOW, _LIKELY, "mockery")
    if not words.has("you", said) or words.has("unreal", said[:1]):
        return None
    if words.has("feeling", said) and words.has("me", said):
        return Mood(_LOW, _CLEAR, "feeling")
    if words.has("nth", said) and words.has("time", said) and words.has("did", said):
        return Mood(_LOW, _CLEAR, "again")
    told = words.has("told", said) and words.has("twice", said) and words.has("me", said)
    return Mood(_LOW, _CLEAR, "told before") if told else None


def _condemns(part: tuple[str, ...], words: Words, one: MoodSentence) -> bool:
    """Whether a part of a sentence is a verdict on the work: "absolute nonsense", "your answers are garbage"."""
    if not words.has("awful", part) or words.has("me", part) or words.has("unreal", part):
        return False
    if words.has("you", part):
        return True
    known = ("awful", "verdict", "fill")
    # What stands beside it may be what is really condemned: "garbage, this package manager".
    about_work = len(one.parts) == 1 or words.has("you", one.words) or words.has("verdict", part)
    return about_work and all(any(word in words[name] for name in known) for word in part)


def _deed(said: tuple[str, ...], words: Words) -> tuple[str, bool]:
    """Return what the sentence says that the agent did wrong, and whether it did so before."""
    for place, word in enumerate(said):
        if word not in words["did"]:
            continue
        bracketed = words.has("bracket", said[max(0, place - 1) : place + 2])
        for other in said[place + 1 :]:
            if other in words["hard"] or other in words["soft"]:
                return other, words.has("again", said[place + 1 :])
            if not bracketed and other not in words["between"]:
                break
    return "", False


def _sentences(text: str) -> Iterator[MoodSentence]:
    """Yield the sentences of what the person says themselves."""
    for line in _own_lines(text):
        start = 0
        for place, letter in enumerate(line):
            last = place + 1 == len(line)
            if last or (letter in _ENDS and not line[place + 1].isalnum()):
                sentence = _sentence(line[start : place + 1], letter)
                if sentence.words:
                    yield sentence
                start = place + 1


def _sentence(text: str, end: str) -> MoodSentence:
    for mark in _PARTS:
        text = text.replace(mark, ",")
    parts = [tuple(small_words(part)) for part in text.replace(" - ", ",").split(",")]
    parts = [part for part in parts if part]
    return MoodSentence(tuple(word for part in parts for word in part), tuple(parts), end)


def _own_lines(text: str) -> Iterator[str]:
    """Yield the lines without quotes and code, which are not the person's own words."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith((">", "    ", "\t", "|", "+", "$ ", "<")):
            yield _without_quotes(line)


def _without_quotes(line: str) -> str:
    for mark in ('"', "`", "“", "„"):
        line = line.replace("”", "“") if mark == "“" else line
        if line.count(mark) > 1:
            line = " quoted ".join(line.split(mark)[::2])
    before, quote, rest = f" {line}".partition(" '")
    inner, closing, behind = rest.rpartition("'")
    return f"{before} quoted {behind}" if quote and closing and inner else line


def may_have_a_number(text: str) -> bool:
    """Whether a message may say how good the work was by a number: in figures, in stars or as "eight out of ten"."""
    is_counted = any(map(str.isdigit, text)) or "★" in text or "⭐" in text
    return is_counted or text.casefold().rstrip(".! ").endswith(_OF_TEN)


def _words_of(language: str) -> Words:
    if language not in _WORDS:
        _WORDS[language] = Words(f"{_FOLDER}/{language}.txt")
    return _WORDS[language]


_WORDS: dict[str, Words] = {}
