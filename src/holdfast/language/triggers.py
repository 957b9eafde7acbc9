"""What a person says in a message that should outlive it: corrections, decisions, values and so on, found by words.

A message is taken apart into sentences without code, quotes and pasted lines (`sentences.py`). The phrases of its
language give each sentence its cues; weights say how much each cue, word and pair of words speaks for each kind, and a
sentence is of the kinds whose score is positive. Both are in `triggers.bin` (`trigger_table.py`). A prompt hook calls
this before every prompt, so nothing heavy is imported, and of a long message only the two ends are looked at.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language import trigger_table
from holdfast.language.requests import plain_kind, requests
from holdfast.language.sentences import Sentence, sentences, shapes, shorter
from holdfast.language.word_lists import REQUESTS, listed, lists, phrase_length, request_words

# What the weights tell apart. A request to remember something is told by its structure (`requests.py`).
LEARNED = ("correction", "decision", "architecture", "priority", "value", "preference")
KINDS = (*LEARNED, "remember")
LANGUAGES = ("en", "de")
MAX_CHARACTERS = 300
MAX_TRIGGERS = 12
# Nothing is stated in one word.
_MIN_WORDS = 2
# A sentence of fewer words asks for nothing that takes work; a message of more words does, however it is put.
_FEW_WORDS = 4
_MANY_WORDS = 30
_MANY_SENTENCES = 25
_AT_EACH_END = 5
# Of a word that is not known its beginning tells something.
_BEGINNING = 5
# A word of one of these shapes counts by it alone, whatever it says.
_SHAPES = frozenset(
    ("<url>", "<mail>", "<version>", "<number>", "<ticket>", "<channel>", "<path>", "<id>", "<quoted>", "<file>")
)
_SIGNS = frozenset(",:;!-=")
# Cues of a sentence that says how to work, and of one that says how things are.
_CONDUCT = frozenset(("preference", "order", "task", "hands", "conduct"))
_FACTS = frozenset(("fact", "value", "datum", "report"))
# Of sentences by whose words nothing is said, those with one of these may say it by their form (`in_passing.py`).
_IN_PASSING = frozenset(
    (
        *("limits", "off-limits", "frozen", "read-only", "readonly", "tabu", "taboo", "lesson", "owns", "maintains"),
        *("macht", "verantwortet", "heisst", "liegt", "es", "est", "siempre", "nunca", "jamais", "sempre", "nooit"),
        *("altijd", "nigdy", "zawsze", "désormais", "dorénavant", "llama", "s'appelle"),
    )
)
_IS, _BEGINS = frozenset(("is", "are", "listens", "ist", "sind")), frozenset(("in", "run"))
_LOOK = 10
# What a sentence may still be that asks to forget something.
_TAKES_BACK = ("correction", "decision")
_FORGET = frozenset(("forget", "vergiss", "vergesst"))
_NOT = frozenset(("not", "never", "dont", "don't", "can't", "mustn't", "won't", "shouldn't"))
_NOT_BEHIND = frozenset(("nicht", "nie", "niemals"))
# Of these one is in a message that takes something back, and what only passes takes nothing back.
_TAKING_BACK = ("forget", "opener", "ended", "ended-surely", "ended-last", "ending", "change", "lasting")
_MAX_TAKING_BACK = 1_000
# Who forgets by themselves is not asked to, and what is asked for in the same breath is asked for.
_SOMEBODY = frozenset(("i", "we", "you", "they", "always", "ever"))
_AND = frozenset(("and", "but", "und", "sondern", "instead", "please"))
_ASKS = frozenset(("remember", "note", "keep", "merk", "merke"))
_LONGEST = 5
_FOUR_WORDS = 4
_MANY = 4
# Of what the agent said before only the end is looked at.
_BEFORE = 1_200
_BEFORE_END = 400
_SHORT_ANSWER = 12
SIGNS_AROUND = "\"'`*()[]<>,.;:!?…“”„"
_OFFERS = {
    "offers": ("would you like", "do you want", "should i", "shall i", "which ", "prefer", "let me know"),
    "option": ("option", "approach", "alternative"),
}
_TABLE = trigger_table.__file__.rpartition("/")[0] + "/triggers.bin"
_opened: list[trigger_table.TriggerTable] = []

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Of each sentence of a message: its cues, and the lists and shapes of each of its words.
    Cues = list[set[str]]
    Names = list[list[tuple[str, ...]]]
    Apart = tuple[list[Sentence], Cues, Names, int, tuple["Trigger", ...]]

# Several parts of a harvest look for something else in the same messages.
_read: dict[str, Apart | None] = {}
_MAX_READ = 256


@dataclass(frozen=True, slots=True)
class Trigger:
    """One statement that may be worth writing down: its kind, the sentence that makes it, and whether that is sure.

    What is not sure is a candidate. It is never told as a fact. A request to remember has the statement by itself.
    """

    kind: str
    text: str
    sure: bool = True
    statement: str = ""
    # Said in a form that tells its kind, whatever its words are.
    is_plain: bool = False

    @property
    def says_what_holds(self) -> bool:
        """Whether it may stand in the place of what the same message takes back."""
        return self.kind in ("preference", "value", "decision")


def puts_right(text: str) -> bool:
    """Whether a text says what is so now, or what is not: "the limit is 120 now, not 100"."""
    return any(one in f"{text.lower()}." for one in (", not ", ", nicht ", " now,", " now."))


def may_take_back(text: str) -> bool:
    """Whether a message has a word that takes something back (`taken_back.py`); every prompt is asked, most do not."""
    if len(text) > _MAX_TAKING_BACK or text.rstrip().endswith("?"):
        return False
    words = [word.strip(SIGNS_AROUND) for word in text.replace("’", "'").lower().split()]
    said = f" {' '.join([word for word in words if word])} "
    if not puts_right(text) and not any(
        f" {one} " in said for kind in _TAKING_BACK for one in listed("taken_back", kind)
    ):
        return False
    for one in listed("taken_back", "lasting"):
        said = said.replace(f" {one} ", " ")
    return not any(f" {one} " in said for one in listed("taken_back", "passing"))


def scan(text: str, before: str = "") -> tuple[Trigger, ...]:
    """Return what a message states that should be kept: at most twelve, each cut to 300 characters.

    `before` is what the agent had said last, where that is known: an answer to a question is read with it.
    """
    if text not in _read:
        if len(_read) >= _MAX_READ:
            _read.clear()
        _read[text] = _taken_apart(text)
    apart = _read[text]
    if apart is None:
        return ()
    parts, cues, names, own, asked = apart
    said = of_before(before, parts)
    table = _table()
    scores = [table.scores(features(place, parts, cues, names) | said) for place in range(own)]
    found = [*asked]
    for place, sentence in enumerate(parts[:own]):
        kinds = [number for number, score in enumerate(scores[place]) if score > 0]
        if kinds and len(parts) > 1:
            # One sentence says it; another that says it, too, does so by itself and not by what stands beside it.
            alone = table.scores(features(0, [sentence], [cues[place]], [names[place]]))
            kinds = [one for one in kinds if alone[one] > 0 or scores[place][one] == max(each[one] for each in scores)]
        plain = plain_kind(sentence) or _said_in_passing(sentence, kinds)
        # Who asks whether something is wrong does not say so: "you said you published?".
        doubted = (LEARNED.index("correction"),) if sentence.is_question else ()
        if plain:
            kinds = sorted({*kinds, LEARNED.index(plain)})
        if kinds and asks_to_forget(sentence.words):
            kinds = [one for one in kinds if LEARNED[one] in _TAKES_BACK]
        found += [
            Trigger(
                LEARNED[one],
                sentence.text[:MAX_CHARACTERS],
                LEARNED[one] == plain or (scores[place][one] > table.sure[one] and one not in doubted),
                is_plain=LEARNED[one] == plain,
            )
            for one in kinds
        ]
    return tuple(found[:MAX_TRIGGERS])


def _said_in_passing(sentence: Sentence, kinds: list[int]) -> str:
    """Return the kind of a sentence that may say something and whose form tells it; most are not looked at."""
    words = sentence.words
    names = not _IS.isdisjoint(words[1:_LOOK]) and not all(map(str.isalpha, sentence.raw))
    if not (kinds or names or words[0] in _BEGINS or words[-1] == "btw") and _IN_PASSING.isdisjoint(words):
        return ""
    from holdfast.language.in_passing import kind_of

    return kind_of(sentence)


def _taken_apart(text: str) -> Apart | None:
    """Return what a message is made of, how many of its sentences are the person's, and what is asked to be kept."""
    if "\n" in text:
        from holdfast.language.reported import own_part

        text = own_part(text)
    parts = own_sentences(text)
    # Some scripts put no spaces between words.
    if sum(len(sentence.words) for sentence in parts) < _MIN_WORDS and text.isascii():
        return None
    cues, names = judged(parts)
    # What follows a paste was written by somebody else.
    own = next((place for place, each in enumerate(cues) if "paste" in each), len(parts))
    asked = [one for one in requests(parts[:own], text) if one.statement]
    found = [Trigger("remember", one.sentence[:MAX_CHARACTERS], statement=one.statement) for one in asked]
    return parts, cues, names, own, tuple(found)


def asks_to_forget(words: list[str]) -> bool:
    """Whether a sentence asks to forget what it says, and does not say in the same breath what to keep."""
    for at, word in enumerate(words):
        before, behind = words[max(0, at - 2) : at], words[at + 1 : at + 3]
        asks = _NOT.isdisjoint(before) and _NOT_BEHIND.isdisjoint(behind) and _SOMEBODY.isdisjoint(before[-1:])
        if word in _FORGET and asks:
            return not any(one in _ASKS and words[place] in _AND for place, one in enumerate(words[1:]) if place > at)
    return False


def is_trivial(text: str) -> bool:
    """Whether a message says no more than yes, thanks or go on."""
    return len(text) <= MAX_CHARACTERS and all("trivial" in cues for cues in judged(sentences(text))[0])


def is_substantial_ask(text: str) -> bool:
    """Whether a message asks for work: it is long, or it tells to do something or asks in more than a few words."""
    if is_trivial(text):
        return False
    parts = own_sentences(text)
    if sum(len(sentence.words) for sentence in parts) > _MANY_WORDS:
        return True
    asks = {"asked", "task"}
    return any(len(one.words) >= _FEW_WORDS and asks & cues for one, cues in zip(parts, judged(parts)[0], strict=True))


def is_order(statement: str) -> bool:
    """Whether a statement is an order or says what somebody wants, as "keep answers short" does.

    What nobody said to be a rule is taken for one by this alone, so it is silent in doubt: where no word orders, it
    must say how to work, and nothing of how things are.
    """
    if begins_as_order(statement):
        return True
    parts = sentences(statement)[:1]
    cues = judged(parts)[0][0] if parts else set()
    return not _CONDUCT.isdisjoint(cues) and _FACTS.isdisjoint(cues) and lays_down(statement)


def lays_down(statement: str) -> bool:
    """Whether a statement orders, forbids or says how one likes it; one that only says what is so is a fact."""
    parts, other = sentences(statement), lists(f"{REQUESTS}/other.txt")
    if any(sign in statement for sign in other["orders"]) or any(plain_kind(one) == "preference" for one in parts):
        return True
    every = [request_words(language) for language in LANGUAGES]
    is_fact = any(sign in statement for sign in other["is so"])
    for said in [one.words for one in parts]:
        places = range(len(said))
        if said[0] == "no" or any(phrase_length(said, at, words["order"]) for words in every for at in places):
            return True
        # "We squash-merge" is how they want it, "we have two clusters" is so.
        does = said[0] in ("we", "wir") and not any(word in words["we are"] for words in every for word in said[1:3])
        if does:
            return True
        is_fact = is_fact or any(word in words["is so"] for words in every for word in said[1:])
    return not is_fact


def begins_as_order(statement: str) -> bool:
    """Whether a statement begins with words that order or want something; "it always returns 200" does not."""
    parts = sentences(statement)
    if not parts or not parts[0].words:
        return False
    said = parts[0].words
    for words in [request_words(language) for language in LANGUAGES]:
        start = 1 if said[0] in words["who"] else 0
        if phrase_length(said, start, words["order"]):
            return True
    return plain_kind(parts[0]) == "preference" or any(
        statement.lstrip().lower().startswith(sign.strip()) for sign in lists(f"{REQUESTS}/other.txt")["orders"]
    )


def own_sentences(text: str) -> list[Sentence]:
    """Return the sentences of a message, of a long one its two ends: what is between them is mostly a document."""
    parts = sentences(shorter(text))
    return parts if len(parts) <= _MANY_SENTENCES else [*parts[:_AT_EACH_END], *parts[-_AT_EACH_END:]]


def judged(parts: list[Sentence]) -> tuple[Cues, Names]:
    """Return the cues of each sentence, by the language of the message, and the lists and shapes of its words."""
    every: Cues = [{"asked"} if sentence.is_question else set() for sentence in parts]
    names: Names = [[() for _ in sentence.words] for sentence in parts]
    table = _table()
    languages = table.languages({word for sentence in parts for word in sentence.words})
    for language in languages:
        rows = table.rows[language]
        for place, sentence in enumerate(parts):
            listed = [_names(rows[word][0], raw) for word, raw in zip(sentence.words, sentence.raw, strict=True)]
            every[place] |= table.cues(sentence, listed, language)
            if len(languages) == 1:
                names[place] = listed
                every[place].add(language)
            else:
                names[place] = [(*one, *more) for one, more in zip(names[place], listed, strict=True)]
    return every, names


def features(place: int, parts: list[Sentence], cues: Cues, names: Names) -> set[str]:
    """Return what a sentence is judged by: words and pairs of them, beginnings, cues, and what stands around it.

    `training/triggers/learn.py` learns what each of them counts.
    """
    return _of_place(place, parts, cues, names[place]) | _of_words(parts[place], names[place])


def of_before(before: str, parts: list[Sentence]) -> set[str]:
    """Return what a message counts by besides its words: whether the agent had asked, offered or listed something."""
    end = before[-_BEFORE:].rstrip(' \n*_)"`')
    if not end:
        return set()
    lines = [line.lstrip(" *-").casefold() for line in end.split("\n")]
    small = end[-_BEFORE_END:].casefold()
    found = {"asks"} if end[-1:] in "?？" else set()
    if "?" in small:
        found.add("asks near")
        found.update({"or"} if " or " in small else ())
    if sum(line.startswith("option") or (line[:1].isalnum() and line[1:2] in (".", ")", ":")) for line in lines) > 1:
        found.add("list")
    found.update(name for name, words in _OFFERS.items() if any(word in small for word in words))
    is_short = sum(len(one.words) for one in parts) <= _SHORT_ANSWER
    return {f"{{b {name}}}" for name in found or {"plain"}} | (
        {f"{{b {name} short}}" for name in found or {"plain"}} if is_short else set()
    )


def _names(lists: tuple[str, ...], raw: str) -> tuple[str, ...]:
    """Return the lists that a word is on, and its shapes; a word of <plain> has no shape."""
    return lists if "<plain>" in lists else lists + shapes(raw)


def _of_words(sentence: Sentence, names: list[tuple[str, ...]]) -> set[str]:
    """Return the words and signs of a sentence, how long words begin, and pairs: neighbours, and every second one."""
    tokens = ["^"]
    for word, each, signs in zip(sentence.words, names, sentence.after, strict=True):
        tokens.append(next((name for name in each if name in _SHAPES), word) if each else word)
        if signs:
            tokens += [sign for sign in signs if sign in _SIGNS]
    end = "$?" if sentence.is_question else "$"
    found = {*tokens, *map(" ".join, zip(tokens, [*tokens[1:], end], strict=True))}
    found.update(map(" _ ".join, zip(tokens, [*tokens[2:], end], strict=False)))
    found.update(f"{token[:_BEGINNING]}*" for token in tokens if len(token) > _BEGINNING and token[0] != "<")
    return found


def _of_place(place: int, parts: list[Sentence], cues: list[set[str]], names: list[tuple[str, ...]]) -> set[str]:
    """Return what else a sentence counts by: cues, lists, length, its place, and what its neighbours are."""
    sentence, last = parts[place], len(parts) - 1
    found = {"{}", *(f"[{cue}]" for cue in cues[place])}
    found.update(name for each in names for name in each)
    found.add(f"{{words {min(len(sentence.words) // _FOUR_WORDS, _LONGEST)}}}")
    found.add("{asks}" if sentence.is_question else "{states}")
    found.add(f"{{sentences {min(last, _MANY)}}}")
    found.add("{only}" if not last else "{first}" if not place else "{last}" if place == last else "{between}")
    if place:
        found.update(f"{{before [{cue}]}}" for cue in cues[place - 1] if cue not in LANGUAGES)
        found.add(f"{{before {parts[place - 1].words[0]}}}")
    if place < last:
        found.update(f"{{behind [{cue}]}}" for cue in cues[place + 1] if cue not in LANGUAGES)
        found.add(f"{{behind {parts[place + 1].words[0]}}}")
    return found


def _table() -> trigger_table.TriggerTable:
    if not _opened:
        _opened.append(trigger_table.TriggerTable(_TABLE, LANGUAGES))
    return _opened[0]
