"""Requests to keep something in other languages than English and German: "souviens-toi que ...", "请记住...".

They are told by words that ask to keep something, or by a verb of writing beside the name of the rules or the memory
that agents read. The words are in `request_words/other.txt`. A prompt hook calls this, so nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.sentences import CJK, first_of, text_from
from holdfast.language.word_lists import REQUESTS, lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

    Lists = dict[str, tuple[str, ...]]

_MIN_STATEMENT, _MAX_PLACE = 3, 5
# A verb of writing is among the first words, and so many may stand between it and where it shall write.
_FIRST, _REACH = 3, 6
_SIGNS_BETWEEN = " ,:，：、！!-–—"
_SIGNS_AROUND = f"{_SIGNS_BETWEEN}。.「」\"'"


def in_other_language(sentence: Sentence) -> str | None:
    """Return what words of other languages ask to keep: what follows them, or what stands before at the end."""
    small, words = sentence.text.lower(), lists(f"{REQUESTS}/other.txt")
    for phrase in words["keep"]:
        place = small.find(phrase)
        if place < 0 or (phrase[0] < CJK and small[place - 1 : place].isalpha()):
            continue
        if sentence.is_question and not phrase.startswith(words["ask"]):
            continue
        before, rest = sentence.text[:place], sentence.text[place + len(phrase) :]
        if rest.rstrip().endswith(":") and len(rest.split()) < _MIN_STATEMENT:
            return sentence.text
        statement = _unspaced(before, rest, words) if phrase[0] >= CJK else _behind(rest, words)
        if statement is not None:
            return statement
    if sentence.is_question:
        return None
    for phrase in words["keep later"]:
        rest = sentence.text[len(phrase) :]
        if small.startswith(phrase + " ") and _behind_when(rest, words) != rest:
            return _behind(rest, words)
    return _written(sentence, words) or _written_unspaced(sentence.text, words)


def _behind(text: str, words: Lists) -> str | None:
    """Return the statement behind a phrase: behind a sign, "that", or a word that says that it lasts."""
    rest = _behind_when(text, words)
    statement = rest.lstrip(_SIGNS_BETWEEN)
    is_led = len(statement) < len(rest.lstrip())
    while lead := next((one for one in words["that"] if statement.lower().startswith(one)), ""):
        statement, is_led = statement[len(lead) :].lstrip(_SIGNS_BETWEEN), True
    return statement if is_led or statement.lower().startswith(words["lasting"]) else None


def _unspaced(before: str, rest: str, words: Lists) -> str | None:
    """Return the statement beside a phrase of a script without spaces: behind it, or before it where it ends."""
    statement = rest.lstrip(_SIGNS_BETWEEN)
    polite = next((one for one in words["polite"] if statement.startswith(one)), "")
    behind = statement[len(polite) :]
    before = before.strip(_SIGNS_BETWEEN)
    if polite and (behind[:1] in ("：", ":") or (before in words["from when"] and behind)):
        return behind.strip(_SIGNS_BETWEEN)
    if not statement.strip("。！!. ") or polite:
        particle = next((one for one in words["particle"] if before.endswith(one)), "")
        return before.removesuffix(particle)
    is_led = len(statement) < len(rest.lstrip())
    if not is_led and statement.startswith(words["not"]):
        return None
    return statement if rest.lstrip()[:1] in "：:" else first_of(statement)


def _behind_when(text: str, words: Lists) -> str:
    """Return a text without the words that say from when, up to a colon or "that": "pour la suite que ..."."""
    said = text.split()
    while said[:1] and said[0].lower().rstrip(":") in words["filler"]:
        if said.pop(0)[-1] == ":":
            return f": {' '.join(said)}"
    if said[:1] and said[0].lower() in words["when"]:
        for at in range(1, min(_MAX_PLACE + 1, len(said))):
            rest = " ".join(said[at:])
            if said[at - 1][-1] == ":" or rest.lower().startswith(words["that"]):
                return f": {rest}"
    return text


def _written(sentence: Sentence, words: Lists) -> str | None:
    """Return what shall be written into the rules or the memory of agents: "ajoute à ta mémoire que ..."."""
    said, after, verbs = sentence.words, sentence.after, words["write"]
    colon = next((at for at, signs in enumerate(after[: _FIRST + _REACH]) if signs[-1:] == ":"), -1)
    verb = next((at for at, word in enumerate(said[:_FIRST]) if word.partition("-")[0] in verbs), -1)
    # In some languages the verb stands behind.
    is_before_colon = not set(verbs).isdisjoint(said[: colon + 1])
    if verb < 0 and not is_before_colon:
        return None
    first = 0 if is_before_colon else verb + 1
    for at in range(first, min(first + _REACH, len(said) - 1)):
        if said[at].lstrip("@").rpartition("/")[2] in words["place"] or said[at] in words["memory"]:
            end = max(at, colon) if is_before_colon else at
            sign = ": " if after[end][-1:] == ":" else " "
            return _behind(sign + text_from(sentence, end + 1, len(said)), words)
    return None


def _written_unspaced(text: str, words: Lists) -> str | None:
    """Return the same of a script without spaces: behind its colon, or what stands before the file to write it into."""
    place = next((at for name in words["place"] if (at := text.lower().find(name)) >= 0), -1)
    verb = next((at for name in words["write unspaced"] if (at := text.find(name)) >= 0), -1)
    if place < 0 or verb < 0:
        return None
    head, colon, statement = text.replace(":", "：").partition("：")
    if colon:
        return statement.strip() if max(place, verb) < len(head) else None
    before = text[:verb].strip(_SIGNS_AROUND).removeprefix("请").removeprefix("把")
    is_named = verb < place and not before.startswith(words["pointer"]) and len(before) > _MIN_STATEMENT
    return before.strip(_SIGNS_AROUND) if is_named else None
