"""What a person says in passing in a plain form: what a thing is called or set to, what is off limits, how to do it.

"Api listens on 9100", "the release branch is rel/26.11", "generated/ is off limits", "in tests/ no mocks": a sentence
of its own, in the present tense, neither asked nor reported nor on a condition, that begins with the thing and says it
right behind. Its form alone tells it, whatever else the message is about; in any other form it is silent. A hook asks
only about sentences that may say something, and nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.sentences import shapes
from holdfast.language.word_lists import among, phrase_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

_MIN_WORDS, _MAX_WORDS, _MAX_SUBJECT = 3, 24, 9
# "Comments in english only": more words do something else.
_MAX_VERBLESS = 7
_BULLETS = "-*•"


def kind_of(sentence: Sentence) -> str:
    """Return `value` or `preference` where the form of a sentence tells it; "" for any other."""
    said = sentence.words
    if sentence.is_question or not _MIN_WORDS <= len(said) <= _MAX_WORDS or sentence.text[:1] in _BULLETS:
        return ""
    at = 0
    while length := _phrase(said, at, "lead"):
        at += length
    if len(said) - at < _MIN_WORDS:
        return ""
    if _says_what_it_is(sentence, at) or _says_whose(sentence, at):
        return "value"
    rules = (_is_for_a_place, _is_begun, _is_run_so, _is_written_so)
    return "preference" if any(one(sentence, at) for one in rules) else ""


def _phrase(said: list[str], at: int, kind: str) -> int:
    return phrase_length(said, at, among("passing", kind))


def _says_what_it_is(sentence: Sentence, at: int) -> bool:
    """Whether a sentence names a thing first, and right behind what it is: a name with signs or figures, an address."""
    said = sentence.words
    if said[at] in among("passing", "no subject first"):
        return False
    for verb in range(at + 1, min(at + _MAX_SUBJECT, len(said) - 1)):
        if sentence.after[verb - 1]:
            return False
        if length := max([_phrase(said, verb, kind) for kind in ("is", "is called", "is on")]):
            return verb + length < len(said) and _is_stated(sentence, at, verb, verb + length)
    return False


def _is_stated(sentence: Sentence, at: int, verb: int, end: int) -> bool:
    said, rest = sentence.words, sentence.words[end + 1 :]
    if sentence.after[end - 1].strip(":") or not among("passing", "reported").isdisjoint(said[at:end]):
        return False
    if not among("passing", "no subject").isdisjoint(said[at:verb]) or not among("passing", "doubted").isdisjoint(rest):
        return False
    goes_on = not rest or bool(sentence.after[end]) or rest[0] in among("passing", "goes on")
    return goes_on and _is_named(sentence.raw[end], said[at:verb], said[verb:end])


def _is_named(raw: str, subject: list[str], verb: list[str]) -> bool:
    """Whether a word is a name, an address or a figure that the subject has."""
    shape, is_figure = shapes(raw), raw[0].isdigit() and raw.isalnum()
    if is_figure:
        return not among("passing", "numbered").isdisjoint(subject) or _phrase(verb, 0, "is on") == len(verb)
    if _phrase(verb, 0, "is called"):
        return bool(shape) and shape != ("<ed>",)
    # Where something is in the code, the code says.
    return "<datum>" in shape and "<mail>" not in shape and "\\" not in raw


def _says_whose(sentence: Sentence, at: int) -> bool:
    """Whether a sentence says who has what: "Ola owns the billing code", "Mirja macht das Frontend, ich Backend"."""
    said, name = sentence.words, sentence.raw[at]
    is_name = name.isalpha() and name[:1].isupper() and name[1:].islower()
    if not is_name or said[at + 2] in among("passing", "whom"):
        return False
    clauses = [one for one, signs in zip(said[1:], sentence.after, strict=False) if "," in signs]
    shares = not among("passing", "i").isdisjoint(clauses)
    return said[at + 1] in among("passing", "owns") or (said[at + 1] in among("passing", "does") and shares)


def _is_for_a_place(sentence: Sentence, at: int) -> bool:
    """Whether a sentence lays down what is so in a place: "in tests/ no mocks", "generated/ is off limits"."""
    said = sentence.words
    if said[at] in among("passing", "in"):
        return _is_place(sentence, at + 1) and said[at + 2] in among("passing", "only there")
    is_said = _is_place(sentence, at) and said[at + 1] in among("passing", "be")
    return is_said and _phrase(said, at + 2, "off limits") > 0


def _is_place(sentence: Sentence, at: int) -> bool:
    word = sentence.raw[at]
    return "/" in word and "://" not in word


def _is_begun(sentence: Sentence, at: int) -> bool:
    """Whether a sentence begins as a rule does: "lesson for the future: ...", "next time don't ...", "siempre ..."."""
    said = sentence.words
    if length := _phrase(said, at, "label"):
        return sentence.after[at + length - 1][-1:] == ":"
    if length := _phrase(said, at, "next time"):
        return said[at + length : at + length + 1] != [] and said[at + length] in among("passing", "orders")
    return bool(_phrase(said, at, "always") or _phrase(said, at, "wants none"))


def _is_run_so(sentence: Sentence, at: int) -> bool:
    """Whether a sentence says with what to run something and with what not: "run the specs w/ bin/rspec, not rake"."""
    said = sentence.words
    if said[at] not in among("passing", "runs") or among("passing", "with").isdisjoint(said[at + 1 :]):
        return False
    ends = range(max(at + 3, len(said) - 3), len(said) - 1)
    denied = [place for place in ends if said[place] in among("passing", "no")]
    return any(sentence.after[place - 1][-1:] == "," for place in denied)


def _is_written_so(sentence: Sentence, at: int) -> bool:
    """Whether a sentence without a verb says how things are to be: "comments in english only"."""
    said = sentence.words[at:]
    while said and said[-1] in among("passing", "at the end"):
        said = said[:-1]
    ends = bool(said) and said[-1] in among("passing", "only")
    length = _phrase(said, 0, "writings")
    if length and said[length : length + 1] and said[length] in among("passing", "how"):
        return len(said) > length + 1 and (ends or said[length] != "in")
    return ends and _MIN_WORDS < len(said) <= _MAX_VERBLESS and said[1] == "in"
