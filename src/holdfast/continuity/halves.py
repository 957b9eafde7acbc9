"""The half of a sentence that tells what was done, where the other asks, names what is missing or what does not work.

Of "the logo is smaller (a.py); for the map I need a key" the first half was done. Clauses go by words, in several
languages, and no model is asked.
"""

from __future__ import annotations

from holdfast.continuity.messages import DOUBTS, plain_words, says_phrase, words_of

_SIGNS = ("; ", " ; ", " – ", " — ", " - ", ", ")
_AROUND = " ,;:-–—"
_STOPS, _ASKS = ".!?？", ("?", "？")
_POINTS = ("-", "*", "•")
_MIN_WORDS, _SOON, _MAX_OFFER = 3, 3, 4_000
# Behind one of these stands a reason, or more of the thing before it.
_GOING_ON = frozenset(
    (
        *("which", "that", "who", "so", "because", "since", "where", "as", "when", "if", "and"),
        *("der", "die", "das", "weil", "da", "wo", "wenn", "damit", "sodass", "und", "que", "porque", "qui", "car"),
    )
)
# What does not happen "any more" is mended, and behind a mended thing its fault is told.
_NO_MORE = frozenset(("longer", "anymore", "more", "mehr", "ya", "plus"))
_MENDED = frozenset(
    ("fixed", "fixes", "fix", "resolved", "repaired", "corrected", "behoben", "repariert", "corregido", "corrigé")
)
_ONLY = frozenset(
    ("only", "nur", "old", "alte", "alten", "leere", "wrong", "falsch", "salvo", "excepto", "sauf", "solo")
)


def offered_at(end: str) -> str:
    """Return the end of an answer where it offers something to choose from; else nothing."""
    if not ("?" in end or "ption" in end or "1" in end):
        return ""
    from holdfast.language.choices import offers

    return end[-_MAX_OFFER:] if offers(end[-_MAX_OFFER:]) else ""


def without_last_list(answer: str) -> str:
    """Return an answer without the last list in it, whose points are offered."""
    told = answer.split("\n")
    points = [at for at, line in enumerate(told) if line.startswith(_POINTS) or line[1:2] in (".", ")")]
    first = next((at for at in reversed(points) if at - 1 not in points), len(told))
    return "\n".join([line for at, line in enumerate(told) if at < first or at not in points])


def without_rests(done: str, end: str) -> str:
    """Return what was done without the half of a sentence that is not, which the answer's `end` tells whole."""
    half = done_half(end)
    return done.replace(end, half).replace(end.rstrip(_STOPS), half.rstrip(_STOPS)) if half != end else done


def done_half(sentence: str) -> str:
    """Return a sentence up to the clause that asks something or says what is missing; most are returned as they are."""
    starts = sorted({0, *[at for sign in _SIGNS for at in _places(sentence, sign)]})
    is_question = sentence.rstrip().endswith(_ASKS)
    for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True):
        head = sentence[:start].rstrip(_AROUND)
        if len(plain_words(head)) >= _MIN_WORDS and (is_question or _limits(sentence[start:end], head)):
            return f"{head}."
    return sentence


def _places(text: str, sign: str) -> list[int]:
    places, at = list[int](), text.find(sign)
    while at >= 0:
        places.append(at)
        at = text.find(sign, at + len(sign))
    return places


def _limits(clause: str, head: str) -> bool:
    """Whether a clause says what is missing, or takes back some of what the words before it say."""
    words = plain_words(clause)
    contrasts = words_of("contrasting")
    is_contrast = not contrasts.isdisjoint(words[:_SOON]) or words[-1:] == ["though"]
    if not words or words[0] in _GOING_ON or not _NO_MORE.isdisjoint(words):
        return False
    if is_contrast:
        said = [word for word in words if word not in contrasts]
        return not (DOUBTS | _ONLY).isdisjoint(words) or says_phrase(said, "lacking")
    needs = says_phrase(words, "waiting") or says_phrase(words, "needing")
    is_fault = not _MENDED.isdisjoint(plain_words(head)) and clause[:1] != ";"
    return needs or (not is_fault and says_phrase(words, "lacking"))
