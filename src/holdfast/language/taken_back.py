"""Whether a later message takes back an earlier statement: "forget that tox thing", "wait no, Dana left".

What a person took back is told nobody as their word. Three things must be there: a word that takes something back, no
sign that it is for the moment alone, and what the statement is about: all that the clause names, or two of its words
where the message opens by saying that what came before was wrong. One word alone is enough if it is a name, or if the
clause says that it means what was said and not the thing.
"""

from __future__ import annotations

from holdfast.language.commands import is_known
from holdfast.language.likeness import words_of
from holdfast.language.word_lists import among, listed

TABLE = "taken_back"
_MAX_CHARACTERS = 1_000
_MIN_SHARED = 2
_MAX_NAMED = 4
_AROUND = "\"'`*()[]<>,.;:!?…“”„"
_ENDS = ".;:!?,–—"
_IN_NAMES = "._-/@:"
_IN_VALUES = "./@:0123456789"


def may_take_back(text: str) -> bool:
    """Whether a message has a word that takes something back; most have none."""
    if len(text) > _MAX_CHARACTERS or text.rstrip().endswith("?"):
        return False
    said = _spaced(" ".join(_words(text)))
    kinds = ("forget", "opener", "ended", "ended-last", "ending", "moved")
    return any(_spaced(phrase) in said for kind in kinds for phrase in listed(TABLE, kind)) and not any(
        _spaced(phrase) in said for phrase in listed(TABLE, "passing")
    )


def takes_back(newer: str, older: str, *, just_said: bool = False) -> bool:
    """Whether a message takes back what was stated before it; "wait, no" is only about what was `just_said`."""
    if not may_take_back(newer):
        return False
    known, said = _about(older), _spaced(" ".join(_without_lead(_words(newer))))
    opens = just_said and any(said.startswith(_spaced(one)) for one in listed(TABLE, "opener"))
    # "We don't use npm" says no more than "never use npm" did.
    affirmed = frozenset([word for clause in _clauses(older) for word in _about(_affirmed(clause))])
    return (
        any(
            _is_about(what, affirmed if is_over else known, is_meant, (newer, older))
            for what, is_meant, is_over in _withdrawn(newer)
        )
        or (opens and len(_about(newer) & known) >= _MIN_SHARED)
        or _is_revalued(newer, older, known)
    )


def _withdrawn(text: str) -> list[tuple[str, bool, bool]]:
    """Return what each clause takes back, whether it says that it means a statement, and whether a thing is over."""
    found = []
    for clause in _clauses(text):
        words = _without_lead(_words(clause))
        said = _spaced(" ".join(words))
        is_meant = any(_spaced(one) in said for one in listed(TABLE, "meant"))
        forgets = next((one for one in listed(TABLE, "forget") if said.startswith(_spaced(one))), "")
        if forgets:
            found.append((said[len(forgets) + 1 :].strip(), is_meant, False))
        before = [said.partition(_spaced(one))[0] for one in listed(TABLE, "ended") if _spaced(one) in said]
        before += [
            said.removesuffix(_spaced(one)) for one in listed(TABLE, "ended-last") if said.endswith(_spaced(one))
        ]
        behind = [said.partition(_spaced(one))[2] for one in listed(TABLE, "ending") if _spaced(one) in said]
        found += [(one.strip(), False, True) for one in (*before, *behind)]
    return [one for one in found if one[0]]


def _is_about(what: str, known: frozenset[str], is_meant: bool, texts: tuple[str, str]) -> bool:
    named = _about(what) - among(TABLE, "vague")
    if not named or len(named) > _MAX_NAMED or not named <= known:
        return False
    return is_meant or len(named) >= _MIN_SHARED or any(_is_name(word, *texts) for word in what.split())


def _is_revalued(newer: str, older: str, known: frozenset[str]) -> bool:
    """Whether a message gives another address or number for what a statement begins with, and says that it is new."""
    values = [
        [word for word in _words(text) if any(sign in word[1:] for sign in _IN_VALUES)] for text in (newer, older)
    ]
    subject = next((one for word in _words(older) if (one := _about(word))), frozenset())
    is_new = any(_spaced(one) in _spaced(" ".join(_words(newer))) for one in listed(TABLE, "moved"))
    others = 0 < len(values[0]) == len(values[1]) and set(values[0]).isdisjoint(values[1])
    return is_new and others and bool(subject) and subject <= _about(newer) & known


def _about(text: str) -> frozenset[str]:
    """Return what a text is about, whether it wants that or not."""
    return frozenset([word.removeprefix("not ") for word in words_of(text)])


def _affirmed(clause: str) -> str:
    """Return what a clause says before a word that denies."""
    words = _words(clause)
    at = next((place for place, word in enumerate(words) if word in among("contradiction", "not")), len(words))
    return " ".join(words[:at])


def _is_name(word: str, *texts: str) -> bool:
    """Whether a word is a name: that of a program, with figures or signs, quoted, or with a capital in a sentence."""
    if is_known(word) or any(sign in word[1:-1] for sign in _IN_NAMES) or any(map(str.isdigit, word)):
        return True
    capital = word[:1].upper() + word[1:]
    inside = any(f"`{word}" in text.lower() or f" {capital}" in text.replace(". ", ".") for text in texts)
    # "Kim left" and "Kim owns the tables".
    return inside or all(text.startswith(f"{capital} ") for text in texts)


def _clauses(text: str) -> list[str]:
    """Return the clauses of a message: a sign ends one where a space stands behind it, and a line does."""
    found: list[list[str]] = [[]]
    for line in text[:_MAX_CHARACTERS].split("\n"):
        for word in line.split():
            found[-1].append(word)
            found += [[]] if word[-1] in _ENDS else []
        found.append([])
    return [" ".join(words) for words in found if words]


def _words(text: str) -> list[str]:
    """Return the words of a text in small letters, without signs around them."""
    plain = text[:_MAX_CHARACTERS].replace("’", "'").lower()
    return [bare for word in plain.split() if (bare := word.strip(_AROUND))]


def _without_lead(words: list[str]) -> list[str]:
    while words and words[0] in among(TABLE, "before"):
        words = words[1:]
    return words


def _spaced(text: str) -> str:
    return f" {text} "
