"""What a person says in a set form: requests to keep something ("remember that ..."), and plain rules and choices.

A request is told by its structure: a sentence, or a clause of one, begins with words that ask to keep something, and
what follows says that something is so, or what shall always be done. "Make sure ...", "note that the test fails" and
"remember the last tab" are tasks. The words are in `request_words/`. A prompt hook calls this, so nothing heavy is
imported, and a sentence without one of the words costs no more than a look at each of its words.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language.sentences import HIDDEN, clause_starts, first_of, sentences, standing_alone, text_from, text_to
from holdfast.language.word_lists import lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence

_FOLDER = __file__.rpartition("/")[0] + "/request_words"
_LANGUAGES = ("en", "de")
_LONGEST_PHRASE = 6
# So many words may stand between a verb and the rules that it changes.
_REACH = 14
_MIN_STATEMENT, _MAX_PLAIN = 3, 40
_ARTICLES = frozenset(
    ("a", "an", "another", "the", "this", "that", "it", "me", "new", "one", "more", "as", "following", "update", "to")
)
_KINDS_OF_RULE = frozenset(("global", "general", "hard", "strict", "permanent", "standing", "new", "super", "high"))
_KINDS_OF_MEMORY = frozenset(("long-term", "longterm", "permanent", "persistent", "own"))
_PREPOSITIONS = frozenset(("in", "at", "on", "with", "into", "under", "inside"))
_INTO = _PREPOSITIONS | {"to"}
_MAX_PLACE, _MAX_NAMED = 5, 10
_PURPOSE = frozenset(("so", "where", "which", "because", "if", "when", "whether"))
_NAMING = frozenset(("a", "an", "any", "some", "todo", "list", "rule", "file", "section"))
_STATING = frozenset(
    ("is", "are", "was", "were", "has", "have", "must", "should", "shall", "will", "can", "needs", "always", "never")
)
# Scripts that put no spaces between words begin here.
_CJK = "\u3000"
_SIGNS_BETWEEN = " ,:，：、!！-–—"
Words = dict[str, frozenset[str]]
_read: dict[str, Words] = {}
# With which words the phrases of a list begin: most words of a message begin none.
_firsts: dict[frozenset[str], frozenset[str]] = {}


@dataclass(frozen=True, slots=True)
class KeepRequest:
    """A request to keep something: the sentence that makes it, and the statement to keep; "" where it names none."""

    sentence: str
    statement: str


def requests(parts: list[Sentence], text: str) -> list[KeepRequest]:
    """Return what sentences of a message ask to keep; "remember that" alone asks for the sentence before it.

    What stands in the words of somebody else, who wrote a part of the text, is not asked for.
    """
    found: list[KeepRequest] = []
    for place, one in enumerate(parts):
        back = _points_back(one)
        if back is None:
            at = _statement_at(one)
            statement = (
                _in_other_language(one) if at is None else standing_alone(text_from(one, at, _target_at(one, at)))
            )
            if at is not None and (_only_names(one.words[at:]) or _is_only_a_subject(one.words, at)):
                # Where a rule or a document shall be, or what shall be in it, says nothing itself.
                statement = None
            if at is not None and place + 1 < len(parts) and _only_announces(one, at, parts[place + 1]):
                statement = parts[place + 1].text.lstrip("-*• ")
        elif back:
            statement = text_to(one, back)
        else:
            statement = parts[place - 1].text.lstrip("-*• ") if place and not parts[place - 1].is_question else ""
        if statement is not None:
            found.append(KeepRequest(one.text, statement))
    if not found:
        return found
    from holdfast.language.reported import is_reported

    return [one for one in found if not is_reported(text, one.sentence, one.statement)]


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
    # "The bucket is called acme-stg-assets."
    is_named = said[-3:-1] in (["is", "called"], ["is", "named"]) and any(sign in said[-1] for sign in "-_./0123456789")
    return "decision" if _is_option(said) else "value" if is_named else ""


def lays_down(statement: str) -> bool:
    """Whether a statement orders, forbids or says how one likes it; one that only says what is so is a fact."""
    parts, other = sentences(statement), lists(f"{_FOLDER}/other.txt")
    if any(sign in statement for sign in other["orders"]) or any(plain_kind(one) == "preference" for one in parts):
        return True
    every = [_words(language) for language in _LANGUAGES]
    is_fact = any(sign in statement for sign in other["is so"])
    for said in [one.words for one in parts]:
        places = range(len(said))
        if said[0] == "no" or any(_length(said, at, words["order"]) for words in every for at in places):
            return True
        # "We squash-merge" is how they want it, "we have two clusters" is so.
        does = said[0] in ("we", "wir") and not any(word in words["we are"] for words in every for word in said[1:3])
        if does:
            return True
        is_fact = is_fact or any(word in words["is so"] for words in every for word in said[1:])
    return not is_fact


def goes_on(sentence: Sentence) -> bool:
    """Whether a sentence only goes on with the statement before it: "This includes ...", "... use that instead"."""
    said = sentence.words
    begins = any(_length(said, 0, _words(language)["goes on"]) for language in _LANGUAGES)
    return not sentence.is_question and (begins or said[-1:] in (["instead"], ["stattdessen"]))


def begins_as_order(statement: str) -> bool:
    """Whether a statement begins with words that order or want something; "it always returns 200" does not."""
    parts = sentences(statement)
    if not parts or not parts[0].words:
        return False
    said = parts[0].words
    for words in [_words(language) for language in _LANGUAGES]:
        start = 1 if said[0] in words["who"] else 0
        if _length(said, start, words["order"]):
            return True
    return plain_kind(parts[0]) == "preference" or any(
        statement.lstrip().lower().startswith(sign.strip()) for sign in lists(f"{_FOLDER}/other.txt")["orders"]
    )


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
    return None


def _points_back(sentence: Sentence) -> int | None:
    """Return at which word a request begins that ends the sentence and points at what stands before it; else None.

    "..., remember that", "keep this in mind", "make this a rule".
    """
    said = sentence.words
    if sentence.after and sentence.after[-1][-1:] == ":":
        return None
    for language in _LANGUAGES:
        words = _words(language)
        for start in clause_starts(sentence, 0):
            at, asked = _behind_leads(said[start:], words)
            at += start
            end = at + _length(said, at, words["keep"])
            pointers = words["back"] | words["between"] | words["from when"]
            while end > at and end < len(said) and (more := _length(said, end, pointers)):
                end += more
            pointing = words["back"] & set(said[at:end])
            if at < end == len(said) and pointing and (asked or not sentence.is_question):
                return start
            writes = bool(said[at : at + 1]) and said[at] in words.get("write", ())
            if writes and (_makes_it_a_rule(sentence, at + 1) or _puts_it_there(said, at, words)):
                return start
    return None


def _makes_it_a_rule(sentence: Sentence, at: int) -> bool:
    """Whether the words behind a verb make a rule of what was said: "(make) this a rule", "(record) it as a rule"."""
    said = sentence.words
    rest = [word for word in said[at + 1 :] if word not in _KINDS_OF_RULE]
    rest = rest[1:] if rest[:1] == ["as"] else rest
    if said[at : at + 1] not in (["this"], ["that"], ["it"]) or rest[:2] != ["a", "rule"]:
        return False
    end = said.index("rule", at)
    return end == len(said) - 1 or sentence.after[end][:1] == ","


def _puts_it_there(said: list[str], verb: int, words: Words) -> bool:
    """Whether a clause writes what was said before into the rules: "add that to your rules", "update X with this"."""
    last = len(said) - (said[-1] in words["between"])
    for at in range(verb + 1, last):
        end = _rules_end(said, verb, at, words)
        if end:
            points_before = said[verb + 1] in words["back"] and at > verb + 2 and end == last
            return points_before or (said[end : end + 1] == ["with"] and said[end + 1 :] in (["this"], ["that"]))
    return False


def _kept(sentence: Sentence, first: int, words: Words) -> int | None:
    """Return where the statement begins behind "remember" and its like, which begin the sentence or a clause of it."""
    said = sentence.words
    for at in clause_starts(sentence, first):
        begins = at + max(_length(said, at, words["keep"]), _before_a_colon(sentence, at, words))
        # "Save in memory that ..." asks so only with its "that".
        begins -= begins > at + 1 and said[begins - 1] == "that"
        if at < begins == len(said) and sentence.after[-1][-1:] == ":":
            # What stands in the lines behind it.
            return 0
        # In the middle of a sentence a program may be what shall remember something, unless it is a fact.
        is_fact = at == first or _length(said, begins, words["that"]) or sentence.after[begins - 1][-1:] == ":"
        if at < begins < len(said) and is_fact:
            return _stated(sentence, at, begins, words)
    return None


def _before_a_colon(sentence: Sentence, at: int, words: Words) -> int:
    """Return how many words ask to keep what stands behind their colon: "store this: ..."."""
    length = _length(sentence.words, at, words["before a colon"])
    return length if length and sentence.after[at + length - 1][-1:] == ":" else 0


def _stated(sentence: Sentence, at: int, begins: int, words: Words) -> int | None:
    """Return where the statement behind such words begins; None where they ask for something else."""
    said, lead = sentence.words, sentence.words[at:begins]
    after, first = sentence.after[begins - 1], begins
    behind = _behind_that(sentence, begins, words)
    # "Make a note in the code that ..." is a step of the task.
    if behind == len(said) or (said[first] in _INTO and not words["not in"].isdisjoint(said[first:behind])):
        return None
    is_led = ":" in (after[-1:], sentence.after[behind - 1][-1:])
    if is_led or said[behind] == "dass" or said[behind : behind + 2] == ["not", "to"]:
        return behind
    if said[behind] in ("to", "zu"):
        # "Next time remember to ..."
        is_lasting = any(_length(said, place, words["lasting"]) > 1 for place in range(len(said)))
        return behind + 1 if is_lasting or not words["lasting"].isdisjoint(said[behind:]) else None
    if said[first] in words["not"] or (said[first] == "the" and words["not the"] & set(said[first : first + 3])):
        return None
    # "Remember, we talked about it" reminds of the talk; "that X is so, we had trouble with it" says why.
    end = next((place for place in range(behind, len(said)) if "," in sentence.after[place]), len(said))
    if any(_length(said, place, words["talk"]) for place in range(behind, end)):
        return None
    # "Do not forget the tests" is a step of the task; what is not to be forgotten must be something that is so.
    is_fact = behind > first or said[first] in words["who"] or not words["says"].isdisjoint(said[first:])
    is_led = "note" in lead or after[:1] in (",", "-")
    return behind if is_fact or (is_led and not {"forget", "vergiss"} & set(lead)) else None


def _behind_that(sentence: Sentence, at: int, words: Words) -> int:
    """Return at which word the statement begins: behind "that", "for later" and "from now on that"."""
    said = sentence.words
    while at < len(said):
        length = _length(said, at, words["between"])
        if not length and (length := _length(said, at, words["that"])):
            # "This project uses bun": here it is no more than the subject, or a part of it.
            ends = at + length == len(said) or bool(sentence.after[at + length - 1])
            leads = ends or _length(said, at + length, words["between"] | words["from when"] | words["who"] | {"that"})
            is_subject = not ends and said[at + length] in words["says"]
            is_this = length == 1 and said[at] in words["back"] and said[at] != "that"
            length = 0 if (is_this and not leads) or (is_subject and said[at] != "that") else length
        if not length:
            length = _for_when(sentence, at, words)
        if not length:
            break
        at += length
    return at


def _for_when(sentence: Sentence, at: int, words: Words) -> int:
    """Return how many words say from when ("from now on", "for all our work") before "that", a colon or the end."""
    said = sentence.words
    if (known := _length(said, at, words["from when"])) and at + known == len(said):
        return known
    most = _MAX_PLACE if said[at] in words["when"] else known
    for end in range(at + max(known, 1), at + most + 1):
        if said[end : end + 1] in (["that"], ["dass"]) or sentence.after[end - 1 : end] == [":"]:
            return end - at
    return 0


def _ruled(sentence: Sentence, first: int, words: Words) -> int | None:
    """Return where the statement begins behind a request to write it into the rules that agents read."""
    said = sentence.words
    for start in clause_starts(sentence, first):
        if said[start] not in words["write"]:
            continue
        for at in range(start + 1, min(start + _REACH, len(said))):
            if said[at] in _PURPOSE:
                # "Update the prompt so that the rules can ..." writes into the prompt.
                break
            end = _rules_end(said, start, at, words)
            # What stands behind the name of a file is the statement, whatever it is about.
            is_file = end and said[end - 1].lstrip("@").rpartition("/")[2] in words["files"]
            if end and words["other"].isdisjoint(said[start : end if is_file else end + _MIN_STATEMENT]):
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
    before = at - 1
    while before > start and said[before] in _KINDS_OF_MEMORY:
        before -= 1
    # "Add to the guidelines that ..." says itself that a statement follows.
    is_led = said[before] == "the" and said[at + 1 : at + 2] == ["that"] and said[before - 1] in _INTO
    if word in words["rules"] and (said[before] in words["whose"] or is_led):
        return at + 1
    is_new_rule = word in ("rule", "rules") and set(said[start + 1 : at]) <= _ARTICLES | _KINDS_OF_RULE
    return at + 1 if is_new_rule and at > start + 1 else 0


def _behind_rules(said: list[str], start: int, at: int, end: int, words: Words) -> int:
    """Return where the statement begins: behind the rules' name, or between the verb and the name."""
    while end < len(said):
        length = _length(said, end, words["link"])
        # "Add a rule to AGENTS.md: ..." and "update the instructions and agent rules to ..." name them twice.
        named = next((more for more in range(end, min(end + 3, len(said))) if _rules_end(said, start, more, words)), -1)
        end = _rules_end(said, start, named, words) if named >= 0 else end + length
        if named < 0 and not length:
            break
    if len(said) - end >= _MIN_STATEMENT or (said[end:] and said[end][0] == HIDDEN):
        return end
    between = [word for word in said[start + 1 : at] if word not in _ARTICLES and word not in words["whose"]]
    return start + 1 if len(between) > _MIN_STATEMENT else len(said)


def _only_announces(sentence: Sentence, at: int, behind: Sentence) -> bool:
    """Whether a request to change the rules only says that one comes: "with a high priority item"."""
    words = _words("en")
    says = words["order"] | words["says"] | words["lasting"]
    changes_rules = not (words["rules"] | words["files"]).isdisjoint(sentence.words[:at])
    is_listed = behind.text.startswith(("- ", "* ", "• "))
    return changes_rules and says.isdisjoint(sentence.words[at:]) and (is_listed or not says.isdisjoint(behind.words))


def _made_a_rule(said: list[str]) -> int | None:
    """Return where the statement begins of a sentence that says it shall be a rule: "record this as a global rule"."""
    if "rule" not in said:
        return None
    before = at = said.index("rule")
    while before and said[before - 1] in _KINDS_OF_RULE:
        before -= 1
    if said[max(0, before - 2) : before] not in (["as", "a"], ["this", "a"], ["it", "a"], ["that", "a"]):
        return None
    return len(said) if at == len(said) - 1 else 0


def _in_other_language(sentence: Sentence) -> str | None:
    """Return what words of other languages ask to keep: what follows them, or what stands before at the end."""
    small, words = sentence.text.lower(), lists(f"{_FOLDER}/other.txt")
    for phrase in words["keep"]:
        place = small.find(phrase)
        if place < 0 or (phrase[0] < _CJK and small[place - 1 : place].isalpha()):
            continue
        rest = sentence.text[place + len(phrase) :]
        if rest.rstrip().endswith(":") and len(rest.split()) < _MIN_STATEMENT:
            return sentence.text
        rest = _behind_when(rest, words)
        statement = rest.lstrip(_SIGNS_BETWEEN)
        is_led = len(statement) < len(rest.lstrip())
        is_that = False
        while lead := next((one for one in words["that"] if statement.lower().startswith(one)), ""):
            statement, is_that = statement[len(lead) :].lstrip(_SIGNS_BETWEEN), True
        if phrase[0] >= _CJK:
            polite = next((one for one in words["polite"] if statement.startswith(one)), "")
            behind = statement[len(polite) :]
            if polite and behind[:1] in ("：", ":"):
                return behind[1:].strip()
            if not statement.strip("。！!. ") or polite:
                before = sentence.text[:place].rstrip(_SIGNS_BETWEEN)
                particle = next((one for one in words["particle"] if before.endswith(one)), "")
                return before.removesuffix(particle)
            if not is_led and statement.startswith(words["not"]):
                continue
            return statement if rest.lstrip()[:1] in "：:" else first_of(statement)
        if is_led or is_that or statement.lower().startswith(words["lasting"]):
            return statement
    return None


def _behind_when(text: str, words: dict[str, tuple[str, ...]]) -> str:
    """Return a text without the words that say from when, up to a colon or "that": "pour la suite que ..."."""
    said = text.split()
    if said[:1] and said[0].lower() in words["when"]:
        for at in range(1, min(_MAX_PLACE, len(said))):
            rest = " ".join(said[at:])
            if said[at - 1][-1] == ":" or rest.lower().startswith(words["that"]):
                return f": {rest}"
    return text


def _only_names(said: list[str]) -> bool:
    """Whether words name a place, a thing or an end and state nothing: "in the right place", "a rule that does x"."""
    if not said:
        return False
    if said[-2:] == ["in", "mind"] or (said[0] in _PREPOSITIONS and len(said) <= _MAX_PLACE):
        return True
    joins = [place for place, word in enumerate(said[:_MAX_NAMED]) if word in ("that", "which", "to")]
    names = said[: joins[0]] if joins else []
    return bool(names) and names[0] in _NAMING and _STATING.isdisjoint(names)


def _is_only_a_subject(said: list[str], at: int) -> bool:
    """Whether the words behind "with" or "about" name a thing and say nothing of it: "with our wheel policy"."""
    words = _words("en")
    says = words["says"] | words["order"] | words["lasting"] | words["is so"]
    is_named = said[at - 1 : at] in (["with"], ["about"], ["for"]) and at < len(said)
    return is_named and said[at] in words["whose"] | _ARTICLES and says.isdisjoint(said[at:])


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
    firsts = _firsts.get(phrases)
    if firsts is None:
        firsts = _firsts[phrases] = frozenset([phrase.partition(" ")[0] for phrase in phrases])
    if at >= len(said) or said[at] not in firsts:
        return 0
    for length in range(min(_LONGEST_PHRASE, len(said) - at), 0, -1):
        if " ".join(said[at : at + length]) in phrases:
            return length
    return 0


def _target_at(sentence: Sentence, at: int) -> int:
    """Return at which word the place begins that shall keep the statement: "... to your memory"; else the end."""
    said, words = sentence.words, _words("en")
    for place in range(at + _MIN_STATEMENT, len(said)):
        if _rules_end(said, at, place, words) == len(said):
            begins = [near for near in range(max(at + 1, place - _MAX_PLACE), place) if said[near] in _INTO]
            return begins[-1] if begins else len(said)
    return len(said)


def _words(language: str) -> Words:
    if language not in _read:
        _read[language] = {kind: frozenset(words) for kind, words in lists(f"{_FOLDER}/{language}.txt").items()}
        for kind in ("not the", "before a colon", "from when", "when"):
            _read[language].setdefault(kind, frozenset())
    return _read[language]
