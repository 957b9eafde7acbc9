"""What was done: whether a step was, by what was said since in other words of its verbs, and what of it is told."""

from __future__ import annotations

from holdfast.continuity.buffer import FOUND
from holdfast.continuity.messages import WORDS, names_something
from holdfast.language.word_lists import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_DONE = 3
_TITLES = ("commit", "pull request")
# Of the words of a step so many tell that it was done.
_OF_STEP = 0.75
# What a German verb has within it and at its end in one form and not in another.
_WITHIN, _FORMS, _SHORTEST_FORM, _SHORTEST_BASE = ("ge", "zu"), ("en", "et", "n", "e", "t"), 5, 3


def tells_step(step: str, statements: Iterable[str], *, share: float = _OF_STEP) -> bool:
    """Whether one of these statements of what was done has nearly all words of a step, whatever their tense.

    A rare word counts more than "write" and "check".
    """
    from holdfast.inject.prompt import stem, weight
    from holdfast.recall.embed import plain, words

    tenses = dict(pair.split() for pair in lines(f"{WORDS}/tenses.txt"))
    before = tuple(map(plain, lines(f"{WORDS}/before_verbs.txt")))

    def stems(text: str) -> dict[str, float]:
        verbs = {word: tenses.get(word, word) for word in map(plain, words(text)) if weight(word) or word in tenses}
        return {_of_any_form(stem(verb), before): weight(verb) or weight(word) for word, verb in verbs.items()}

    wanted = stems(step)
    least = share * sum(wanted.values())
    return bool(wanted) and any(
        sum([wanted[one] for one in wanted.keys() & stems(said).keys()]) >= least for said in statements
    )


def _of_any_form(word: str, before: tuple[str, ...]) -> str:
    """Return what the forms of a German verb have in common: of "angelegt", "anzulegen" and "anlegen" "anleg".

    What a word of another kind or language loses by it, it loses wherever it stands.
    """
    place = max([len(one) for one in before if word.startswith(one)], default=0)
    inner = word[place:]
    if len(inner) > _SHORTEST_FORM and inner.startswith(_WITHIN) and inner.endswith(("t", "en")):
        word = word[:place] + inner[2:]
    ending = next((one for one in _FORMS if word.endswith(one) and len(word) - len(one) >= _SHORTEST_BASE), "")
    return word.removesuffix(ending)


def telling(done: list[str]) -> list[str]:
    """Return the last of what was done that names a file, a name, a figure; where none does, the last of all.

    An answer tells more than the title of a commit, and that a check passed tells less than anything else. A title of
    which answers say half is not told beside them.
    """
    # What was found before something was done since may hold no more.
    told = [one for one in done if not (one.startswith(_TITLES) or one.endswith(" passed"))]
    old = [one for one in told[1:] if one.startswith(FOUND)]
    done = [one for one in done if one not in old]
    naming = [*filter(names_something, done)]
    told = [one for one in naming if not one.endswith(" passed")] or naming
    said = [" ".join([one for one in told if not one.startswith(_TITLES)])]
    news = [
        one for one in told if not (one.startswith(_TITLES) and tells_step(one.partition(": ")[2], said, share=0.5))
    ]
    return sorted(news, key=lambda one: one.startswith("commit"))[:MAX_DONE] or done[:1]
