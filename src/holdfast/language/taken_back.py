"""Whether a later message takes back an earlier statement: "forget that tox thing", "wait no, Dana left".

What a person took back is told nobody as their word. A word must say that something changed, none that it is for the
moment alone, and the message must be about what the statement says: it names all that its clause takes back, denies
what was affirmed, permits what was forbidden, or gives the same thing another value. Nothing here knows a language's
grammar: words decide, and in doubt a statement stands.
"""

from __future__ import annotations

from itertools import takewhile

from holdfast.language.commands import is_known
from holdfast.language.likeness import words_of
from holdfast.language.reported import own_part
from holdfast.language.triggers import SIGNS_AROUND, may_take_back, puts_right
from holdfast.language.word_lists import among, listed

TABLE = "taken_back"
_MAX_CHARACTERS = 1_000
_MIN_SHARED = 2
_MAX_NAMED = 4
_MAX_WORDS = 16
_ENDS = ".;:!?,–—"
_IN_NAMES = "._-/@:"
_IN_VALUES = "./@:0123456789"


class Retraction:
    """What a message takes back, taken apart once for those who compare it with many statements."""

    def __init__(self, text: str) -> None:
        self.text = text = own_part(text)
        self.is_one = may_take_back(text)
        """Whether it may take anything back; most messages do not."""
        if self.is_one:
            said = _spaced(" ".join(_without_lead(_words(text))))
            self._opens = any(said.startswith(_spaced(one)) for one in listed(TABLE, "opener"))
            self._about = _about(text)
            self._withdrawn = _withdrawn(text)
            self._sentences = [_Said(one) for one in _sentences(text)]

    def takes_back(self, older: str, *, just_said: bool = False) -> bool:
        """Whether it takes back what was stated before it; "wait, no" is only about what was `just_said`."""
        if not self.is_one:
            return False
        before, texts = _Said(older), (self.text, older)
        return (
            any(_is_about(what, before, is_meant, texts) for what, is_meant in self._withdrawn)
            or (just_said and self._opens and len(self._about & before.about) >= _MIN_SHARED)
            or any(_changes(after, before) for after in self._sentences)
        )


class _Said:
    """What a text is about; what of that it affirms and denies; and its values: numbers, addresses, versions."""

    def __init__(self, text: str) -> None:
        words = _without_lead(_words(text))
        self.text, self.first = _spaced(" ".join(words)), words[0] if words else ""
        self.is_change = puts_right(text) or _has(self.text, "change") or _has(self.text, "lasting")
        self.values = {word for word in _words(text) if any(sign in word[1:] or word.isdigit() for sign in _IN_VALUES)}
        self.values |= {*_words(text)} & among(TABLE, "day")
        self.affirmed: set[str] = set()
        self.denied: set[str] = set()
        for clause in _clauses(text):
            words = _words(clause)
            at = next((place for place, word in enumerate(words) if word in among(TABLE, "denies")), len(words))
            telling = [word if word not in among(TABLE, "common") else "" for word in words]
            self.affirmed |= _about(" ".join(telling[:at]))
            # The parts of a name are other things: "console.log" is no log.
            plain = [word for word in telling[at + 1 :] if not any(sign in word[1:-1] for sign in _IN_NAMES)]
            self.denied |= _about(" ".join(plain))
        self.about = self.affirmed | self.denied
        told = [word for word in _words(text) if word not in among(TABLE, "common")]
        is_value = bool(told[1:]) and told[-2] in among("contradiction", "states")
        # What an order is first about, and what something is: "use moment for dates", "the test user is fritz".
        self.heads = [
            next((about for word in told if (about := _about(word))), set()),
            _about(told[-1]) if is_value else set(),
        ]
        self.plain = self.about - _about(" ".join((*self.values, *among("contradiction", "states"))))


def _changes(after: _Said, before: _Said) -> bool:
    """Whether a sentence denies what was affirmed, permits what was forbidden, or gives the same another value."""
    shared = after.about & before.about
    if not shared or not (after.is_change or _has(after.text, "permits")):
        return False
    if before.denied and before.denied <= after.affirmed and _has(after.text, "permits"):
        return True
    turned, states = after.denied & before.affirmed, among("contradiction", "states")
    own, others = after.plain - before.about, before.plain - after.about
    if others and len(own) > len(turned):
        # Each names something that the other does not: "the ledger is on 9090 now" says nothing of billing's port.
        return False
    if turned and not after.denied & before.denied:
        return len(shared) * 2 >= len(before.about)
    # Two orders that begin alike may be meant for two moments: "run it with -n 4", "run it with -n 1".
    is_statement = before.first in among(TABLE, "subject") or not states.isdisjoint(before.text.split())
    is_other = after.values and before.values and after.values.isdisjoint(before.values)
    is_same = len(shared & before.plain) * 2 > len(before.plain)
    return bool(is_other) and is_same and (is_statement or before.first != after.first)


def _withdrawn(text: str) -> list[tuple[str, bool]]:
    """Return what each clause says to be over or to be forgotten, and whether it says that it means a statement."""
    found = []
    for clause in _clauses(text):
        said = _spaced(" ".join(_without_lead(_words(clause))))
        is_meant = _has(said, "meant")
        forgets = next((one for one in listed(TABLE, "forget") if said.startswith(_spaced(one))), "")
        if forgets:
            found.append((said[len(forgets) + 1 :].strip(), is_meant))
        surely = [said.partition(_spaced(one))[0] for one in listed(TABLE, "ended-surely") if _spaced(one) in said]
        found += [(one.strip(), True) for one in surely]
        before = [said.partition(_spaced(one))[0] for one in listed(TABLE, "ended") if _spaced(one) in said]
        before += [
            said.removesuffix(_spaced(one)) for one in listed(TABLE, "ended-last") if said.endswith(_spaced(one))
        ]
        behind = [said.partition(_spaced(one))[2] for one in listed(TABLE, "ending") if _spaced(one) in said]
        # "We dropped it last week", "on Monday": when it was is not what it was.
        behind = [" ".join(takewhile(lambda word: word not in among(TABLE, "when"), one.split())) for one in behind]
        found += [(one.strip(), False) for one in (*before, *behind)]
    return [one for one in found if one[0]]


def _is_about(what: str, before: _Said, is_meant: bool, texts: tuple[str, str]) -> bool:
    named = _about(what) - among(TABLE, "vague")
    # "We dropped npm" says no more than "never use npm" did.
    known = before.about if is_meant else before.affirmed
    if not named or len(named) > _MAX_NAMED or not named <= known:
        return False
    is_most = len(named) * 2 > len(before.about)
    is_much = is_most or len(named) >= _MIN_SHARED or named in before.heads
    return is_meant or is_much or any(_is_name(word, *texts) for word in what.split())


def _about(text: str) -> set[str]:
    """Return what a text is about, whether it wants that or not."""
    return {word.removeprefix("not ") for word in words_of(text)}


def _is_name(word: str, *texts: str) -> bool:
    """Whether a word is a name: that of a program, with figures or signs, quoted, or with a capital in a sentence."""
    if is_known(word) or any(sign in word[1:-1] for sign in _IN_NAMES) or any(map(str.isdigit, word)):
        return True
    # A capital at the beginning makes a name only where both begin with it: "Kim left", "Kim owns the tables".
    bare = [[one.strip(SIGNS_AROUND) for one in text.split()] for text in texts]
    capital = [[one for one in some if one.lower() == word and one != word] for some in bare]
    return any(one in some[1:] for one in capital[0] + capital[1] for some in bare) or all(capital)


def _clauses(text: str) -> list[str]:
    """Return the clauses of a message: a sign ends one where a space stands behind it, and a line does."""
    found: list[list[str]] = [[]]
    for line in text[:_MAX_CHARACTERS].split("\n"):
        for word in line.split():
            found[-1].append(word)
            found += [[]] if word[-1] in _ENDS else []
        found.append([])
    return [" ".join(words) for words in found if words]


def _sentences(text: str) -> list[str]:
    """Return the sentences of a message that are short enough to say one thing."""
    for end in ("! ", "? ", ". "):
        text = text.replace(end, f"{end[0]}\n")
    found = [one.strip() for one in text.split("\n")]
    return [one for one in found if 0 < len(one.split()) <= _MAX_WORDS and one[-1] != "?"]


def _words(text: str) -> list[str]:
    """Return the words of a text in small letters, without signs around them."""
    plain = text[:_MAX_CHARACTERS].replace("’", "'").lower()
    return [bare for word in plain.split() if (bare := word.strip(SIGNS_AROUND))]


def _without_lead(words: list[str]) -> list[str]:
    while words and words[0] in among(TABLE, "before"):
        words = words[1:]
    return words


def _has(said: str, kind: str) -> bool:
    return any(f" {phrase} " in said for phrase in listed(TABLE, kind))


def _spaced(text: str) -> str:
    return f" {' '.join(_words(text))} "
