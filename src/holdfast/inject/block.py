"""Blocks: what may be told in, fenced text within a budget out, with the cost and the reason of every line.

One function chooses for starts, recoveries, rules files and previews. What the person said stands in a fence of its own
before what anybody else noted. Each part has a share of the room that nobody else takes while it has something to say;
what a part leaves, the others get. A statement of up to WHOLE characters is told whole or not at all, a longer one may
end at a sentence. Nothing is told twice, and what found no room is named, so that nothing is left out that would fit.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass, replace
from holdfast.base.text import CUT, cut, hash_of
from holdfast.inject.shown import SAID
from holdfast.privacy import fence, redact
from holdfast.records import Given, Memory, Scope
from holdfast.store.words import same_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.inject.shown import Shown

    Topics = dict[str, list[tuple[str, float, str]]] | None

WHOLE = 300
# The part of the room that each may take before the others get what is left, in the order in which they get it.
# What holds everywhere is the least that may be missing: of 3,000 characters it has room for 1,200 and its heading.
# What is asked for comes before all of it, and what was said to it since.
ASKED, ADDED, EVERYWHERE, RULES, NOTES, STATE = "asked", "added", "everywhere", "rules", "notes", "state"
SHARES = {ASKED: 0.5, ADDED: 0.15, EVERYWHERE: 0.5, RULES: 0.15, NOTES: 0.2, STATE: 0.2}
OF_RULES = "Rules, the newest first"
_MORE = "{} more{}: ask memory_recall."
_ROOM_FOR_MORE = 90
_EXACTLY = 500
_MAX_TOPICS = 4
_FEW_TEXTS = 1.5
_NAMED = 20
_STOPS = ".!? "
_ENDS = (". ", "! ", "? ", ".\n", "!\n", "?\n", "\n")
_NEAR = 0.75
_MIN_NEAR = 4
_MIN_TOPIC = 4
_NAME, _HEAD = 1.5, 20
_MIN_STEM = 4
_ENDINGS = ("ing", "ed", "es", "s")
# Words that do not tell what a statement is about; negations are not among them.
_SMALL = frozenset(
    (
        *("a", "about", "all", "also", "always", "an", "and", "any", "are", "as", "at", "be", "been", "before", "but"),
        *("by", "can", "der", "die", "das", "do", "does", "each", "ein", "eine", "every", "for", "from", "had", "has"),
        *("have", "i", "if", "im", "in", "into", "is", "ist", "it", "its", "just", "let", "lets", "like", "make", "me"),
        *("must", "my", "注", "意", "请", "請", "记", "記", "住", "我", "的", "是"),
        *("need", "needs", "of", "on", "only", "or", "our", "please", "should", "sind", "so", "sure", "that", "the"),
        *("their", "them", "then", "there", "they", "this", "to", "und", "use", "used", "uses", "using", "von", "want"),
        *("was", "we", "were", "what", "when", "where", "which", "will", "with", "would", "you", "your", "zu", "mit"),
    )
)
# Words that may tell two statements apart, but name nothing.
_VAGUE = frozenset(
    (
        *("after", "again", "avoid", "change", "changes", "code", "dont", "file", "files", "going", "good", "keep"),
        *("more", "most", "name", "new", "once", "other", "project", "right", "same", "shall", "still", "than"),
        *("thing", "things", "time", "very", "wants", "well", "work", "works", "http", "https"),
    )
)
_TURNING = frozenset(
    (
        *("not", "no", "never", "dont", "without", "instead", "rather"),
        *("over", "nicht", "nie", "kein", "keine", "statt"),
        *("不", "没", "沒", "别", "別", "勿", "无", "無", "未"),
    )
)
_NO_TOPICS = _VAGUE | _TURNING
_NOT = "not "
# From here on scripts put no spaces between words; each letter is one then.
_FIRST_WITHOUT_SPACES = "\u2e80"


# A table of all 128: a sign that a table does not have costs more than one that it has.
_SPACED = "".join([chr(code) if chr(code).isalnum() else " " for code in range(128)])
MADE_ONCE = ("_SPACED",)


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it is told: its text, what it costs in characters, why it is there, and what statement it tells."""

    text: str
    characters: int
    why: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """Text for an agent: the whole of it with its fences, each memory in it, what was left out and why, its lines."""

    text: str
    given: tuple[Given, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that may be told: its text, how it is noted as given, and among what it stands.

    A text that is not `safe` is made so when it is taken. `head` is the line above all of its kind. `said` is the
    statement by which a repeat is known; it differs from the text where that has a lead, such as `next:`. A text of up
    to `least` characters is not cut. `lead` is asked for what stands before it when it is taken, and not before.
    """

    text: str
    given: Given
    part: str = NOTES
    head: str = ""
    theirs: bool = False
    worth: float = 0.0
    said: str = ""
    least: int = WHOLE
    safe: bool = True
    lead: Callable[[], str] | None = None

    @property
    def name(self) -> str:
        """Scope and key as one word."""
        return f"{self.given.scope}/{self.given.key}"


class Filling:
    """A block while it is filled: which of the items were taken, with which text, and the room that is left."""

    def __init__(self, items: Sequence[Item], room: int) -> None:
        self.items = items
        self.room = room
        self.taken: dict[int, str] = {}
        # What was left out because another one says it, by its place.
        self.repeats: dict[int, str] = {}
        self._opened: set[object] = set()
        self._said = [" ".join((item.said or item.text).split()) for item in items]
        self._all = "\n".join(self._said).lower()
        self._plain = [unstressed(said) for said in self._said]
        self.topics: Topics = {}
        self._words: dict[int, tuple[str, ...]] = {}
        self._whole: dict[int, str] = {}

    def _words_of(self, place: int) -> tuple[str, ...]:
        # Most items find no room, and nobody asks for the words of these.
        if place not in self._words:
            self._words[place] = telling_words(self.items[place].said or self.items[place].text)
        return self._words[place]

    def _fullest(self, place: int) -> int:
        """Return the place of the item that says what this one says, or says it before or behind more, the fullest."""
        words = self._words_of(place)
        # Who says it has all of its words, the long ones more seldom.
        plain = sorted({word.removeprefix(_NOT) for word in words}, key=len, reverse=True)
        near = [other for other, said in enumerate(self._plain) if all(map(said.__contains__, plain))]
        return max((other for other in near if self._says(other, words)), key=self._rank)

    def _says(self, place: int, words: tuple[str, ...]) -> bool:
        whole, said = self.items[place].said or self.items[place].text, self._said[place]
        # The first line, too: a decision has its reason on the next.
        ends = (said.partition(". ")[0], said.rpartition(": ")[2], whole.strip().partition("\n")[0])
        return words == self._words_of(place) or words in [telling_words(part) for part in ends if part != said]

    def _rank(self, place: int) -> tuple[bool, int, float]:
        return self.items[place].theirs, len(self._words_of(place)), self.items[place].worth

    def _is_within(self, place: int, room: int) -> bool:
        """Whether a longer statement that is told has this one as a sentence; such a one is told before it."""
        said, item = self._said[place].rstrip(_STOPS), self.items[place]
        if len(self._words_of(place)) < _MIN_NEAR or self._all.count(said.lower()) < 2:
            return False
        for other, longer in enumerate(self._said):
            is_longer = len(longer.rstrip(_STOPS)) > len(said) and self.items[other].theirs >= item.theirs
            if is_longer and _has_sentence(longer, said):
                self.take(other, room)
                # In a long one the part may have been cut off.
                if _has_sentence(" ".join(self.taken.get(other, "").split()), said):
                    self.repeats[place] = f"said already by {self.items[other].name}"
                    return True
        return False

    def cost(self, item: Item, text: str) -> int:
        """Return how many characters the item takes, with the fence and the heading where it is the first in them."""
        cost = len(text) + 3
        if item.theirs not in self._opened:
            cost += fence.OVERHEAD + (len(fence.THEIRS) - len(fence.LABEL) if item.theirs else 0)
        return cost + (len(item.head) + 2 if item.head and (item.theirs, item.head) not in self._opened else 0)

    def take(self, place: int, room: int) -> int:
        """Take an item if it finds room and nothing says the same; return what that cost."""
        item = self.items[place]
        if place in self.taken or place in self.repeats or WHOLE >= len(item.text) > min(room, self.room) - 3:
            return 0
        text = self._fitting(item, item.text, min(room, self.room))
        cost = self.cost(item, text)
        if cost > min(room, self.room):
            return 0
        words = self._words_of(place)
        fuller = self._fullest(place)
        before = self.room
        if self._is_within(place, room):
            return before - self.room
        if fuller != place:
            self.take(fuller, room)
        said = next((other for other in self.taken if is_near(words, self._words_of(other))), None)
        if fuller in self.taken or said is not None:
            self.repeats[place] = f"said already by {self.items[fuller if said is None else said].name}"
            return before - self.room
        if not item.safe:
            before_it = fence.safe(item.lead(), fence.without_secrets) if item.lead else ""
            item = replace(item, least=item.least + len(before_it))
            self._whole[place] = before_it + text_of(item.text, fence.without_secrets)
            text = self._fitting(item, self._whole[place], min(room, self.room))
            cost = self.cost(item, text)
            if cost > min(room, self.room):
                return before - self.room
        self.room -= cost
        self.taken[place] = text
        self._opened.update((item.theirs, (item.theirs, item.head)))
        return cost

    def _fitting(self, item: Item, text: str, room: int) -> str:
        """Return what is told of a text: of an ask whatever the room holds, so that none is left out for its length."""
        return both_ends(text, room - self.cost(item, "")) if item.part == ASKED else shortened(text, item.least)

    def lengthen(self, place: int) -> None:
        """Tell as much more of an item that was taken as there is room for."""
        whole, most = self._whole.get(place, self.items[place].text), len(self.taken[place]) + self.room
        text = both_ends(whole, most) if self.items[place].part == ASKED else shortened(whole, most)
        self.room -= len(text) - len(self.taken[place])
        self.taken[place] = text


def _has_sentence(text: str, said: str) -> bool:
    """Whether a text has this as a sentence of its own, and not as a part of one that may say something else."""
    at = text.lower().find(said.lower())
    begins = at == 0 or (at > 0 and (text[at].isupper() or text[:at].rstrip()[-1] in ".!?;:"))
    return begins and text[at + len(said) :][:1] in ("", ".", "!", "?")


def blocked(items: Sequence[Item], budget: int, *, more: int | None = None) -> Block:
    """Return the block of these items, which come in the order in which they are to stand.

    `more` is how many memories there are beside them; then the last line says how many there are that were not told.
    """
    is_much = more is not None and (more or sum(len(one.text) + 3 for one in items) > budget - 3 * fence.OVERHEAD)
    kept_free = _ROOM_FOR_MORE if is_much else 0
    filling = Filling(items, budget - kept_free)
    left_out = _choose(items, filling)
    last = _last_line(filling, left_out, more or 0, kept_free) if is_much else ""
    # The line is mostly shorter than the space that was kept for it, which may leave enough for a short statement.
    while (spare := kept_free - len(last) - 1) > 0:
        taken, kept_free = len(filling.taken), kept_free - spare
        filling.room += spare
        left_out = _choose(items, filling)
        if len(filling.taken) == taken:
            break
        last = _last_line(filling, left_out, more or 0, kept_free)
    return _rendered(items, filling, left_out, last)


def _last_line(filling: Filling, left_out: list[tuple[Item, str]], more: int, room: int) -> str:
    """Return the line about what was left out and about so many more, within this room."""
    missing = [one for one, why in left_out if why.startswith("no room") and one.part != STATE]
    known = [filling.items[place].said or filling.items[place].text for place in filling.taken]
    texts = [one.said or one.text for one in missing]
    return more_line(len(missing) + more, texts, known, room - 1, filling.topics)


def _choose(items: Sequence[Item], filling: Filling) -> list[tuple[Item, str]]:
    """Take what the room holds, the worthiest first; return what was left out and why."""
    order = sorted(range(len(items)), key=lambda place: -items[place].worth)
    whole = filling.room
    for part, share in SHARES.items():
        room = int(whole * share)
        for place in order:
            if items[place].part == part:
                room -= filling.take(place, room)
    for part in SHARES:
        for place in order:
            if items[place].part == part:
                filling.take(place, filling.room)
    for place in order:
        if filling.room > 0 and CUT in filling.taken.get(place, ""):
            filling.lengthen(place)
    why = f"no room: {filling.room} characters were left"
    return [
        (one, filling.repeats.get(place) or f"{why}, it needs {filling.cost(one, shortened(one.text, one.least))}")
        for place, one in enumerate(items)
        if place not in filling.taken
    ]


def _rendered(items: Sequence[Item], filling: Filling, left_out: list[tuple[Item, str]], last: str) -> Block:
    told: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
    lines: list[Line] = []
    given: list[Given] = []
    # What the person said stands first; within a fence the groups stand as their first items came.
    for place in sorted(filling.taken, key=lambda place: (not items[place].theirs, place)):
        item, text = items[place], filling.taken[place]
        told[item.theirs].setdefault(item.head, []).append(f"- {text}")
        given.append(replace(item.given, tokens=tokens_of(text)))
        lines.append(Line(text, len(text) + 3, item.given.why, item.said or item.text))
    theirs, notes = (
        [line for head, texts in told[of].items() for line in ([f"{head}:"] if head else []) + texts]
        for of in (True, False)
    )
    if last and (theirs or notes):
        (notes or theirs).append(last)
        lines.append(Line(last, len(last) + 1, "what else there is"))
    names = [(one.name, why) for one, why in left_out]
    names = names if len(names) <= _NAMED else [*names[:_NAMED], (f"{len(names) - _NAMED} more", names[-1][1])]
    return Block(fence.by_trust(theirs, notes), tuple(given), tuple(names), tuple(lines))


def more_line(
    number: int, texts: Sequence[str], known: Sequence[str] = (), most: int = _ROOM_FOR_MORE - 1, topics: Topics = None
) -> str:
    """Return the line that says how many more there are, what some of them are about, and how to ask for them.

    A topic is what several of them name, but not most, and what nothing told has a word of: `known` is what was told.
    Whoever asks again for much the same texts brings what they had for `topics`.
    """
    if not number:
        return ""
    known_topics = {} if topics is None else topics
    counts: dict[str, float] = {}
    shown: dict[str, str] = {}
    told = frozenset([_stem(word) for text in known for word in _words(text)])
    for text in texts:
        if text not in known_topics:
            known_topics[text] = _topics_of(redact.without_marks(text))
        for stem, worth, word in known_topics[text]:
            counts[stem] = counts.get(stem, 0.0) + worth
            shown.setdefault(stem, word)
    often = max(_NAME, len(texts) / 3) * _NAME
    several = [stem for stem in counts if _FEW_TEXTS <= counts[stem] <= often and stem not in told]
    best = sorted(several, key=lambda stem: -counts[stem])[:_MAX_TOPICS]
    told_of = [f", about {', '.join([shown[stem] for stem in best[:few]])}" for few in range(len(best), 0, -1)]
    # Of very many not all are counted.
    known_to_be = f"over {(number - 1) // 100 * 100:,}" if number > _EXACTLY else f"{number}"
    lines = [_MORE.format(known_to_be, about) for about in (*told_of, "")]
    return next((line for line in lines if len(line) <= most), lines[-1])


def _topics_of(text: str) -> list[tuple[str, float, str]]:
    """Return what a text may be about: each word without its ending, what it counts, and how it is told."""
    found = []
    words = zip(_spaced(text.casefold()).split(), _spaced(text).split(), strict=True)
    for stem, (plain, word) in {_stem(one): (one, word) for one, word in words if one not in _SMALL}.items():
        if len(word) >= _MIN_TOPIC and plain not in _NO_TOPICS and word.isalpha():
            # A name says more than a word: it is written large within a sentence.
            is_name = not word.islower() and word not in text[:_HEAD]
            found.append((stem, _NAME if is_name else 1.0, word if is_name else plain))
    return found


def one_after_the_other(*parts: Block) -> Block:
    """Return several blocks as one, each with its own fences."""
    return Block(
        "\n".join([part.text for part in parts if part.text]),
        tuple([one for part in parts for one in part.given]),
        tuple([one for part in parts for one in part.left_out]),
        tuple([one for part in parts for one in part.lines]),
    )


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words of a statement that tell what it says, without their endings; a negated one is another word."""
    found: list[str] = []
    turn = ""
    if not text.isascii():
        text = "".join([f" {letter} " if letter >= _FIRST_WITHOUT_SPACES else letter for letter in text])
    words = _words(text)
    if _TURNING.isdisjoint(words):
        return tuple([_stem(word) for word in words])
    for word in words:
        if word in _TURNING:
            turn = _NOT
        else:
            found.append(turn + _stem(word))
            turn = ""
    return tuple(found)


def unstressed(text: str) -> str:
    """Return a text in which each of its telling words stands as `telling_words` has it, before its ending."""
    return text.casefold().replace("'", "").replace("’", "")


def _stem(word: str) -> str:
    """Return a word without its ending; a name with figures in it is told apart by its last letter."""
    if word.endswith(_ENDINGS) and len(word) > _MIN_STEM and not word.endswith("ss") and word.isalpha():
        for ending in _ENDINGS:
            if word.endswith(ending):
                return word[: -len(ending)]
    return word


def _words(text: str) -> list[str]:
    return [word for word in _spaced(text.casefold()).split() if word not in _SMALL]


def _spaced(text: str) -> str:
    return text.replace("'", "").replace("’", "").translate(_SPACED)


def is_near(new: tuple[str, ...], told: tuple[str, ...]) -> bool:
    """Whether a statement of these words says nothing that the other does not say, in the same order."""
    if new == told or not new:
        return bool(new)
    if not _MIN_NEAR <= len(new) < len(told) or len(new) < _NEAR * len(told):
        return False
    rest = iter(told)
    return all(word in rest for word in new)


def shortened(text: str, most: int) -> str:
    """Return the text, of one that is longer the sentences that find room; at least one, cut between words if need be.

    A text of up to WHOLE characters stays whole.
    """
    if len(text) <= max(most, WHOLE):
        return text
    most = max(most, WHOLE) - len(CUT)
    ends = [place for place in (text.rfind(end, 0, most) for end in _ENDS) if place > 0]
    return text[: max(ends) + 1].rstrip() + CUT if ends else cut(text, most + len(CUT), CUT)


def both_ends(text: str, most: int) -> str:
    """Return the text, of one that is longer its beginning and its end: what it is about, and its conditions."""
    if len(text) <= max(most, WHOLE):
        return text
    before, _, end = text.rpartition(f"{CUT} ")
    if before and len(end) <= most // 3:
        # It was cut before, where a sentence begins.
        text = before + CUT
    else:
        end = text[-(most // 3) :]
        begins = [place + len(mark) for mark in _ENDS if 0 <= (place := end.find(mark)) < len(end) // 2]
        end = end[min(begins) :].lstrip() if begins else end.partition(" ")[2]
    return f"{shortened(text, most - len(end) - 1)} {end}"


def text_of(statement: str, clean: Callable[[str], str]) -> str:
    """Return a statement as it stands behind its bullet: safe, further lines indented."""
    lines = fence.safe(statement, clean).split("\n")
    return "\n  ".join([line.strip() for line in lines if line.strip()])


def statement_of(memory: Memory) -> str:
    """Return what the memory says, behind its title where that says something which the statement does not."""
    title, body = memory.title.strip(), memory.body.strip()
    if body.casefold().startswith(title.rstrip(".!?… ").casefold()):
        return body
    if set(telling_words(body)).issuperset(telling_words(title.replace("…", " "))):
        return body
    return f"{title.rstrip(' :.')}: {body}"


def digest_of(memory: Memory) -> str:
    """Return what tells whether the memory still says what it said when it was shown."""
    return hash_of(memory.title, memory.body, length=16)


def said_rows(statements: Iterable[str]) -> list[tuple[Scope, str, str]]:
    """Return what is noted of statements that a context was told, whatever the name they came under."""
    return [(Scope(SAID), hash_of(same_words(one), length=16), "told") for one in statements if one]


def is_told(item: Item, shown: Shown) -> bool:
    """Whether the context has this already: under its name, or the same words under another."""
    place = item.given.scope.kind, item.given.scope.owner, item.given.key
    (row,) = said_rows([item.said or item.text])
    return place in shown or (SAID, "", row[1]) in shown


def name_of(memory: Memory) -> str:
    """Return scope and key as one word."""
    return f"{memory.scope}/{memory.key}"


def given_of(memory: Memory, why: str, text: str = "") -> Given:
    """Return the record of a memory as it was given."""
    return Given(memory.scope, memory.key, digest_of(memory), why, tokens_of(text))


def tokens_of(text: str) -> int:
    """Return about how many tokens a text costs: four characters each, as English has."""
    return -(-len(text) // 4)


def page_given(owner: str, page: str, statement: str, why: str) -> Given:
    """Return the record of an entry of a page; pages are no scope of memories."""
    name = hash_of(statement, length=8)
    return Given(Scope("page", owner), f"{page}:{name}", name, why, 0)
