"""What a person says in a set form: requests to keep something ("remember that ..."), and plain rules and choices.

A request is told by its structure: a sentence, or a clause of one, begins with words that ask to keep something, and
what follows says that something is so, or what shall always be done. "Make sure ...", "note that the test fails" and
"remember the last tab" are tasks. The words are in `request_words/`. A prompt hook calls this, so nothing heavy is
imported, and a sentence without one of the words costs no more than a look at each of its words.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language.word_lists import lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

_FOLDER = __file__.rpartition("/")[0] + "/request_words"
_LANGUAGES = ("en", "de")
_LONGEST_PHRASE = 6
# So many words may stand between a verb and the rules that it changes.
_REACH = 14
_MIN_STATEMENT = 3
_MAX_PLAIN = 40
# Nothing is stated in one word.
_MIN_WORDS = 2
_ARTICLES = frozenset(
    ("a", "an", "another", "the", "this", "that", "it", "me", "new", "one", "more", "as", "following")
)
_KINDS_OF_RULE = frozenset(("global", "general", "hard", "strict", "permanent", "standing", "new", "super", "high"))
_BREAKS = frozenset((",", ":", ";", "-", "."))
Words = dict[str, frozenset[str]]
_read: dict[str, Words] = {}


@dataclass(frozen=True, slots=True)
class KeepRequest:
    """A request to keep something: the sentence that makes it, and the statement to keep; "" where it names none."""

    sentence: str
    statement: str


def requests(parts: list[Sentence]) -> list[KeepRequest]:
    """Return what the sentences of a message ask to keep."""
    found = [(sentence, _statement_at(sentence)) for sentence in parts]
    return [KeepRequest(one.text, _from(one, at)) for one, at in found if at is not None]


def plain_kind(sentence: Sentence) -> str:
    """Return the kind of a sentence whose form alone tells it; "" where it does not.

    "From now on ...", "never ...", "use pnpm not npm" are rules, "go for option 2" a choice, "use port 8443" a value.
    """
    said = sentence.words
    # The points of a list are mostly pasted.
    if sentence.is_question or sentence.text[:1].isdigit() or not _MIN_STATEMENT <= len(said) <= _MAX_PLAIN:
        return ""
    for language in _LANGUAGES:
        words = _words(language)
        at = 0
        while at < len(said) and not (length := _length(said, at, words["rule"])):
            if not (skipped := _length(said, at, words["lead"])):
                break
            at += skipped
        if (
            at < len(said)
            and length
            and said[at + length : at + length + 1] not in (["mind"], ["happened"], ["worked"])
        ):
            return "preference"
        kind = _used(said[at:], words) if said[at:] else ""
        if kind:
            return kind
    return "decision" if _is_option(said) else ""


def _used(said: list[str], words: Words) -> str:
    """Return what a clause states that says what to use: a value; with what not to use, a rule or a choice."""
    verb = _length(said, 0, words["use"])
    if not verb:
        return ""
    if said[verb : verb + 1] == ["port"] and said[verb + 1 : verb + 2] and said[verb + 1].isdigit():
        return "value"
    rest = said[verb + 1 : _REACH]
    if any(_length(rest, at, words["instead"]) for at in range(len(rest) - 1)):
        return "decision"
    return "preference" if any(word in words["not use"] for word in rest[:-1]) else ""


def _is_option(said: list[str]) -> bool:
    """Whether a sentence takes one of several options by its number or letter."""
    places = [at for at, word in enumerate(said) if word in ("option", "approach", "variant", "variante")]
    chosen = [at for at in places if said[at + 1 : at + 2] and len(said[at + 1]) == 1 and said[at + 1] != "i"]
    return bool(chosen) and len(said) <= _MIN_STATEMENT * 4 and not {"not", "don't", "dont", "what", "if"} & set(said)


def _statement_at(sentence: Sentence) -> int | None:
    """Return at which word of a request its statement begins; None where the sentence is no request."""
    for language in _LANGUAGES:
        words = _words(language)
        at, asked = _behind_leads(sentence.words, words)
        begins = None
        if asked or not sentence.is_question:
            begins = _kept(sentence, at, words)
            if begins is None and "write" in words:
                begins = _ruled(sentence, at, words)
        if begins is not None:
            return begins
    return _in_other_language(sentence)


def _kept(sentence: Sentence, first: int, words: Words) -> int | None:
    """Return where the statement begins behind "remember" and its like, which begin the sentence or a clause of it."""
    said = sentence.words
    for at in _clauses(sentence, first):
        begins = at + _length(said, at, words["keep"])
        if at < begins == len(said) and sentence.after[-1][-1:] == ":":
            # What stands in the lines behind it.
            return 0
        # In the middle of a sentence a program may be what shall remember something, unless it is a fact.
        is_fact = at == first or _length(said, begins, words["that"]) or sentence.after[begins - 1][-1:] == ":"
        if at < begins < len(said) and is_fact:
            return _stated(sentence, at, begins, words)
    return None


def _stated(sentence: Sentence, at: int, begins: int, words: Words) -> int | None:
    """Return where the statement behind such words begins; None where they ask for something else."""
    said = sentence.words
    lead, after = said[at:begins], sentence.after[begins - 1]
    begins += _length(said, begins, words["lead"])
    behind = begins + _length(said, begins, words["that"])
    if said[begins : begins + 1] == ["dass"] or said[begins : begins + 2] == ["not", "to"]:
        # What follows is no sentence without it.
        return 0
    if said[begins] in ("to", "zu"):
        return None if words["lasting"].isdisjoint(said[begins:]) else begins + 1
    if said[begins] in words["not"] or (said[begins] == "the" and words["not the"] & set(said[begins : begins + 3])):
        return None
    # "Do not forget the tests" is a step of the task; what is not to be forgotten must be something that is so.
    is_fact = behind > begins or after[-1:] == ":" or not words["says"].isdisjoint(said[begins:])
    is_led = "note" in lead or after[:1] in (",", ":", "-")
    if is_fact or (is_led and not {"forget", "vergiss"} & set(lead)):
        return behind if behind < len(said) else begins
    return None


def _ruled(sentence: Sentence, first: int, words: Words) -> int | None:
    """Return where the statement begins behind a request to write it into the rules that agents read."""
    said = sentence.words
    for start in _clauses(sentence, first):
        if said[start] not in words["write"]:
            continue
        for at in range(start + 1, min(start + _REACH, len(said))):
            end = _rules_end(said, start, at, words)
            if end and words["other"].isdisjoint(said[start : end + _MIN_STATEMENT]):
                return _behind_rules(said, start, at, end, words)
    return _made_a_rule(said)


def _rules_end(said: list[str], start: int, at: int, words: Words) -> int:
    """Return behind which word the name of an agent's rules ends that begins here; 0 where none does."""
    word = said[at].lstrip("@")
    name = word.rpartition("/")[2]
    if name in words["files"] or (name.endswith(".mdc") and set(said[start + 1 : at]) <= _ARTICLES | words["whose"]):
        return at + 2 if said[at + 1 : at + 2] in (["rule"], ["file"]) else at + 1
    pair = " ".join(said[at : at + 2])
    if pair in words["files"]:
        return at + 2
    if word in words["rules"] and said[at - 1] in words["whose"]:
        return at + 1
    is_new_rule = word in ("rule", "rules") and set(said[start + 1 : at]) <= _ARTICLES | _KINDS_OF_RULE
    return at + 1 if is_new_rule and at > start + 1 else 0


def _behind_rules(said: list[str], start: int, at: int, end: int, words: Words) -> int:
    """Return where the statement begins: behind the rules' name, or between the verb and the name."""
    while end < len(said) and (length := _length(said, end, words["link"])):
        end += length
    if len(said) - end >= _MIN_STATEMENT:
        return end
    between = [word for word in said[start + 1 : at] if word not in _ARTICLES and word not in words["whose"]]
    return start + 1 if len(between) > _MIN_STATEMENT else len(said)


def _made_a_rule(said: list[str]) -> int | None:
    """Return where the statement begins of a sentence that says it shall be a rule: "record this as a global rule"."""
    if "rule" not in said:
        return None
    at = said.index("rule")
    before = at
    while before and said[before - 1] in _KINDS_OF_RULE:
        before -= 1
    if said[max(0, before - 2) : before] not in (["as", "a"], ["this", "a"], ["it", "a"], ["that", "a"]):
        return None
    return len(said) if at == len(said) - 1 else 0


def _in_other_language(sentence: Sentence) -> int | None:
    """Return where the statement begins behind words of other languages that ask to keep it."""
    small = sentence.text.lower()
    for phrase in lists(f"{_FOLDER}/other.txt")["keep"]:
        place = small.find(phrase)
        if place >= 0:
            end = len(small[: place + len(phrase)].split())
            return min(end, len(sentence.words)) if len(sentence.words) > end else 0
    return None


def _behind_leads(said: list[str], words: Words) -> tuple[int, bool]:
    """Return behind how many words a sentence really begins, and whether they ask somebody to do it."""
    at, asked = 0, False
    while at < len(said):
        length = _length(said, at, words["lead"])
        if not length and (length := _length(said, at, words["ask"])):
            asked = True
        if not length:
            break
        at += length
    return at, asked


def _length(said: list[str], at: int, phrases: frozenset[str]) -> int:
    """Return how many words the longest of the phrases has that stands here; 0 where none does."""
    for length in range(min(_LONGEST_PHRASE, len(said) - at), 0, -1):
        if " ".join(said[at : at + length]) in phrases:
            return length
    return 0


def _clauses(sentence: Sentence, first: int) -> list[int]:
    """Return at which words a sentence and its clauses begin; what is pointed at with `@` or counted stands before."""
    found = [first] if first < len(sentence.words) else []
    for at in range(first, len(sentence.words) - 1):
        word, signs = sentence.words[at], sentence.after[at]
        if word in ("and", "then", "und") or word[0] == "@" or word.isdigit() or not _BREAKS.isdisjoint(signs):
            found.append(at + 1)
    return found


def _from(sentence: Sentence, at: int) -> str:
    """Return the text of a sentence from a word on."""
    if at >= len(sentence.raw):
        return ""
    place = 0
    # The signs that hide a quoted piece are not in the text, so words are counted as they were split.
    for word in sentence.raw[:at]:
        found = sentence.text.replace("’", "'").find(word, place)
        place = found + len(word) if found >= 0 else place
    # What ends with a colon announces the statement, which stands in the lines behind it.
    statement = sentence.text[place:].lstrip(" ,:;.-–—*_)").rstrip(" ,;-–—*_?")
    return statement if len(statement.split()) >= _MIN_WORDS or not statement.isascii() else ""


def _words(language: str) -> Words:
    if language not in _read:
        _read[language] = {kind: frozenset(words) for kind, words in lists(f"{_FOLDER}/{language}.txt").items()}
        for kind in ("not the", "write"):
            if language == "en" or kind == "not the":
                _read[language].setdefault(kind, frozenset())
    return _read[language]
