"""What is handed over at a prompt: what changed of what the session was shown, then what is relevant and new to it.

A memory is handed over unasked where the prompt is likely to want it. Each sentence of the prompt is asked on its own,
and all of them together: a memory may belong to one sentence of several, or to what they are about as a whole. What
programs or pastes brought is asked behind what the person wrote. Words that ask, join or stand in every other prompt
carry nothing (`language/tables/prompt_words.txt`).

Four things speak for a memory: how near it is in meaning, the rare words that both have, how much of the memory those
words are, and how far it stands out from the next best. What they count was learned from real prompts, such that the
sum is a likelihood: docs/hooks.md has the figures.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.base.text import small_words
from holdfast.inject.block import WHOLE, Block, Item, blocked, digest_of, given_of, is_told, statement_of, text_of
from holdfast.inject.shown import FORGOTTEN, hidden
from holdfast.language.sentences import sentences
from holdfast.language.word_lists import listed
from holdfast.privacy import fence
from holdfast.recall.embed import plain, words
from holdfast.records import Given, Memory, Scope
from holdfast.store.words import query_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from holdfast.inject.shown import Shown
    from holdfast.project.anchors import Freshness
    from holdfast.recall.embed import Model
    from holdfast.store.words import Asked

_MAX_NOTES = 5
_WORTH_CHANGED = 8.0
MAX_ASKS = 6
_MAX_CHARACTERS, _MAX_PASTED = 600, 300
_LIGHT = 0.3
# Two letters of a script without spaces are a word or a part of one.
_PAIR = 0.5
# A port or a year is telling, a 2 is not.
_LONG_NUMBER = 4
# A memory stands out from the mean of the best few.
_BEST, _BESIDE = 6, 0.2
_MIN_TOTAL = 30
_SHORTEST_STEM = 3
# Nearness; rare words, and once more what they are above the first; their share of the memory; standing out; and what
# has to be there before anything speaks for it.
NEAR, RARE, SEVERAL, SHARE, OUT, NEEDED = 2.53, 0.57, 0.52, 1.16, 9.57, 3.57
_ONE = 0.7
# The same where nothing is known of the meaning.
RARE_ALONE, SHARE_ALONE, NEEDED_ALONE = 1.28, 3.12, 2.8
# In a prompt of more words than these, a single word in common is chance.
_LONG, _IN_COMMON = 18, 2
# So much of a prompt is read for what it states itself, and with so much of a memory told by it, nothing is new.
_MAX_TOLD, _NOTHING_NEW = 4_000, 0.75
_TINY = 1e-7
# What several texts are about is told by the beginning of each, in so many words.
_MAX_TOPIC, _TOPICS = 400, 60
_weights: dict[str, float] = {}
_DENYING = frozenset(("not", "no", "never", "without", "don", "dont", "nicht", "kein", "keine", "nie", "ohne"))
_TAKING_BACK = frozenset(("not", "never", "nicht", "nie", "forget", "vergis", "vergiss", "wrong", "falsch"))
# With the stem of one of these a memory says more than its other words: which of two, or how often.
_TURNING = (
    *("not", "no", "never", "without", "don", "dont", "instead", "onl", "rather", "avoid", "prefer", "alwa"),
    *("nicht", "kein", "nie", "ohn", "statt", "nur", "immer"),
)
# Words of which a prompt may consist that goes on, agrees or greets, and asks for nothing.
_REPLIES = frozenset(
    (
        *("a", "again", "ahead", "all", "alright", "and", "bitte", "continue", "danke", "do", "doing", "done"),
        *("fine", "gerne", "go", "going", "good", "great", "hallo", "hello", "hey", "hi", "i", "it", "ja"),
        *("jawohl", "just", "keep", "lets", "looks", "me", "my", "nein", "next", "nice", "no", "nope", "now", "of"),
        *("ok", "okay", "on", "one", "perfect", "please", "proceed", "right", "so", "sounds", "sure", "thank"),
        *("thanks", "that", "the", "then", "there", "this", "to", "try", "weiter", "well", "works", "yeah", "yep"),
        *("yes", "you", "lgtm", "cool", "lol", "hm", "hmm", "ah", "oh", "yup", "thx", "ty", "bye", "ciao", "lot"),
        *("merci", "jo", "jup", "jep", "passt", "klar", "läuft", "genau", "interesting", "wow", "aha", "huh", "tx"),
        *("interessant", "spannend", "verstehe", "stimmt", "prima", "klasse", "top", "nee", "alles", "tja"),
        *("gracias", "genial", "perfecto", "super", "obrigado", "grazie"),
    )
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What became of the memories that a session was shown: those that say something else now, and those that went."""

    changed: tuple[Memory, ...] = ()
    gone: tuple[tuple[Scope, str], ...] = ()


def changes_of(shown: Shown, now: Mapping[tuple[str, str, str], Memory]) -> Changes:
    """Return what changed of the shown memories; `now` has those that are still there."""
    changed = [now[place] for place, digest in shown.items() if place in now and digest_of(now[place]) != digest]
    gone = [
        (Scope(place[0], place[1]), place[2])
        for place, digest in shown.items()
        if place not in now and digest != FORGOTTEN
    ]
    return Changes(tuple(changed[:_MAX_NOTES]), tuple(gone[:_MAX_NOTES]))


def prompt_block(
    changes: Changes,
    found: Sequence[tuple[Memory, str]],
    budget: int,
    *,
    clean: Callable[[str], str],
    first: Sequence[Item] = (),
    fresh: Callable[[], Freshness] | None = None,
) -> Block:
    """Return the block of a prompt within its budget; empty where there is nothing to say.

    `found` are memories with the reason why each is given, best first; `first` stands before everything else. `fresh`
    is asked whether the code that a memory names is as it was.
    """
    gone = [
        Item(
            f"forgotten: {_named(key)} is no longer in memory; do not rely on it.",
            Given(scope, hidden(key), FORGOTTEN, "forgotten since it was shown", 0),
            worth=_WORTH_CHANGED,
            said=f"{scope}/{key}",
        )
        for scope, key in changes.gone
    ]
    changed = [
        item_of(memory, "changed since it was shown", _WORTH_CHANGED, clean, f"changed ({memory.key}): ")
        for memory in changes.changed
    ]
    new = [
        item_of(memory, why, -place, clean, fresh().lead(memory) if fresh and memory.anchors else "")
        for place, (memory, why) in enumerate(found)
    ]
    return blocked([*first, *gone, *changed, *new], budget)


def _named(key: str) -> str:
    """Return how a session knows a memory that is gone: no key was told to it, but most are made of the first words."""
    first, *others = key.split("-")
    if not others:
        return key
    return f'what began "{" ".join([first, *others])}"' if any(map(str.isalpha, others)) else f"something told ({key})"


def item_of(memory: Memory, why: str, worth: float, clean: Callable[[str], str], before: str = "") -> Item:
    """Return a memory as it stands in the block of a prompt."""
    statement = statement_of(memory)
    text = fence.safe(before, clean) + text_of(statement, clean)
    least = WHOLE + len(text) - len(statement) if before else WHOLE
    return Item(text, given_of(memory, why), theirs=memory.trust == "user", worth=worth, said=statement, least=least)


def is_new(memory: Memory, shown: Shown) -> bool:
    """Whether the context was never shown this memory nor its words, or was told that it is gone."""
    place = memory.scope.kind, memory.scope.owner, memory.key
    if place in shown:
        return shown[place] == FORGOTTEN
    if (*place[:2], hidden(memory.key)) in shown:
        return True
    return not is_told(item_of(memory, "", 0.0, str), shown)


def asks_something(prompt: str) -> bool:
    """Whether the prompt has any word that more is meant by than to go on, to agree or to greet."""
    return not _REPLIES.issuperset(small_words(prompt[:400], "'"))


def why(mark: float, found: tuple[str, ...]) -> str:
    """Return in words why a memory is given."""
    shared = f", words {', '.join(found[:6])}" if found else ""
    return f"relevance {mark:.2f}{shared}"


def asks_of(prompt: str) -> list[str]:
    """Return what is asked: all that the person wrote, and each of its sentences, without those that name nothing."""
    told = [one.text for one in sentences(prompt)]
    telling = [text for text in told if weight_of(text) >= 1.0]
    whole = " ".join(telling)[: 2 * _MAX_CHARACTERS]
    each = [text[:_MAX_CHARACTERS] for text in telling] if len(telling) > 1 else []
    # Behind the person's own words, or in place of them, an error or a document may have been pasted.
    pasted = len(prompt) > 2 * sum(map(len, told)) and weight_of(prompt[:_MAX_PASTED]) >= 1.0
    asks = [whole, *each[: MAX_ASKS - 2], prompt[:_MAX_PASTED] if pasted else ""]
    return [text for text in asks if text]


def is_telling(said: list[str]) -> bool:
    """Whether the words of a sentence deny something or have a number or the name of a place in them."""
    return any(word in _DENYING or word == "instead" or any(map(str.isdigit, word)) or "://" in word for word in said)


def weight_of(text: str) -> float:
    """Return how much the words of a text tell together."""
    return sum([weight(word) for word in dict.fromkeys(map(plain, words(text)))])


def topics(texts: Iterable[str]) -> list[str]:
    """Return the words that tell what these texts are about, those of the most and the first of them before others."""
    counts: dict[str, int] = {}
    for text in texts:
        plain_words, pairs = query_words(text[:_MAX_TOPIC])
        for word in [*[word for word in plain_words if weight(plain(word)) == 1.0], *pairs]:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: -counts[word])[:_TOPICS]


def weight(word: str) -> float:
    """Return how much a word in plain letters tells of a topic."""
    return _known_weights().get(word, _LIGHT if word.isdigit() and len(word) < _LONG_NUMBER else 1.0)


def _known_weights() -> dict[str, float]:
    if not _weights:
        _weights.update(dict.fromkeys(listed("prompt_words", "light"), _LIGHT))
        _weights.update(dict.fromkeys(listed("prompt_words", "empty"), 0.0))
    return _weights


def said(text: str) -> dict[str, float]:
    """Return the stems of a text, and how much each tells; of scripts without spaces the pairs of letters."""
    # Of twenty texts at a prompt: without accents all words of one are made small at once, and most weigh one.
    known = _known_weights()
    told, pairs = (words(text.lower()), list[str]()) if text.isascii() else query_words(text)
    found = dict.fromkeys(told if text.isascii() else map(plain, told))
    stems = {stem(word): 1.0 if word.isalpha() and word not in known else weight(word) for word in found}
    return stems | dict.fromkeys(pairs, _PAIR) if pairs else stems


def damp(asked: Asked) -> dict[str, float]:
    """Return what the words of an ask count in its meaning."""
    weights = {word: weight(word) for word in map(plain, words(asked.text))}
    return {word: min(each, asked.damp.get(word, 1.0)) for word, each in weights.items() if each < 1.0} | asked.damp


def rarities(asked: Asked) -> dict[str, float]:
    """Return the stems of the words that are asked for, and how rare each is, up to one."""
    # Among a handful every word would be common.
    total = max(asked.total, _MIN_TOTAL)
    rare = [logarithm(1 + total / (1 + count)) / logarithm(1 + total) for count in asked.counts]
    return dict(zip([stem(plain(word)) for word in asked.words], rare, strict=True))


def told_by(prompt: str) -> dict[str, float]:
    """Return what a prompt states itself; nothing where it asks or denies: then its own words may be in question."""
    beginning = prompt[:_MAX_TOLD]
    told = {} if "?" in beginning or "\uff1f" in beginning else said(beginning)
    return told if _TAKING_BACK.isdisjoint(told) else {}


def says_nothing_new(said: dict[str, float], told: dict[str, float]) -> bool:
    """Whether a memory that said this has next to nothing that the prompt does not tell; a denial is always news."""
    if not told or any(word in said for word in _TURNING):
        return False
    return sum([each for word, each in said.items() if word in told]) >= _NOTHING_NEW * sum(said.values())


def names(text: str, model: Model | None) -> frozenset[str]:
    """Return the stems of words that are names: written like `authState` or `n8n`, or known to no dictionary."""
    found = [word for word in words(text) if not word.isdigit() and weight(plain(word)) == 1.0]
    return frozenset([stem(plain(word)) for word in found if _is_name(word, model)])


def _is_name(word: str, model: Model | None) -> bool:
    if not word.isalpha() or not (word.islower() or word.isupper() or word.istitle()):
        return True
    return model is not None and word.isascii() and model.row(plain(word)) < 0


def least_words(prompt: str) -> int:
    """Return how many words that tell something a memory must have in common with one ask of this prompt."""
    return _IN_COMMON if len(words(prompt)) > _LONG else 0


def may_be_wanted(text: str, rare: dict[str, float], names: frozenset[str], least: int) -> bool:
    """Whether a memory may have so many words in common, or a name: soon told, before all its words are looked at."""
    # A stem is a part of its word, but where accents are taken off.
    small = text.lower()
    return not small.isascii() or sum([word in small for word in rare]) >= least or any(one in small for one in names)


def likelihood(
    rare: dict[str, float], said: dict[str, float], near: float | None, usual: float, least: int = 0
) -> float:
    """Return how likely what is asked for by these words wants the memory that said this.

    `near` is its cosine, None where nothing is known of the meaning; `usual` is that of the best few memories. With
    fewer than `least` words in common it is not wanted at all.
    """
    if least and len([word for word in rare if said.get(word)]) < least:
        return 0.0
    is_near, of_rare, share, out = marks(rare, said, near or 0.0, usual)
    if near is None:
        evidence = RARE_ALONE * of_rare + SHARE_ALONE * share - NEEDED_ALONE
    else:
        of_words = RARE * of_rare + SEVERAL * max(0.0, of_rare - _ONE) + SHARE * share
        evidence = NEAR * is_near + of_words + OUT * out - NEEDED
    return float(1 / (1 + 2.718281828**-evidence))


def marks(
    rare: dict[str, float], said: dict[str, float], near: float, usual: float
) -> tuple[float, float, float, float]:
    """Return what speaks for a memory: nearness, rare words, their share of the memory, and standing out."""
    shared = {word: said[word] for word in rare if word in said}
    of_rare = sum([told * rare[word] for word, told in shared.items()])
    return max(0.0, near), of_rare, sum(shared.values()) / max(1.0, sum(said.values())), near - usual


def usual(near: Iterable[float]) -> float:
    """Return how near the best few are; where there are fewer, as if others stood beside them."""
    best = sorted([*near, *[_BESIDE] * _BEST], reverse=True)[:_BEST]
    return sum(best) / _BEST


def same(text: str) -> frozenset[str]:
    """Return what is the same for texts that say the same: the words that tell, and whether they are denied."""
    return frozenset([stem(word) for word in map(plain, words(text)) if weight(word) or word in _DENYING])


def stem(word: str) -> str:
    """Return a word without an ending of number or tense; other endings make another word: a manager is not managed."""
    if word[-1:] in "sgd":
        for ending in ("ing", "ies", "es", "ed", "s"):
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
                word = word[: -len(ending)]
                break
    # What is left of caches and cache, queries and query, stopped and stop.
    if len(word) > _SHORTEST_STEM and (word[-1] in "ey" or word[-1] == word[-2]):
        return word[:-1]
    return word


def logarithm(number: float) -> float:
    """Return the natural logarithm to six digits: `math` would be one more library that every prompt waits for."""
    return float((number**_TINY - 1) / _TINY)
