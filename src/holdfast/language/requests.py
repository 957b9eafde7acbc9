"""What a person says in a set form: requests to keep something ("remember that ..."), and plain rules and choices.

A request is told by its structure: a sentence, or a clause of one, begins with words that ask to keep something, and
what follows says that something is so, or what shall always be done. "Make sure ...", "note that the test fails" and
"remember the last tab" are tasks. The words are in `request_words/`. A prompt hook calls this, so nothing heavy is
imported, and a sentence without one of the words costs no more than a look at each of its words.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.language.sentences import HIDDEN, clause_starts, standing_alone, text_from, text_to
from holdfast.language.word_lists import LANGUAGES, phrase_length, request_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.language.sentences import Sentence
    from holdfast.language.word_lists import Words

# So many words may stand between a verb and the rules that it changes.
_REACH = 14
_MIN_STATEMENT, _MAX_PLAIN = 3, 40
_ARTICLES = frozenset(
    ("a", "an", "another", "the", "this", "that", "it", "me", "new", "one", "more", "as", "following", "update", "to")
)
_KINDS_OF_RULE = frozenset(("global", "general", "hard", "strict", "permanent", "standing", "new", "super", "high"))
_KINDS_OF_MEMORY = frozenset(("long-term", "longterm", "long", "term", "permanent", "persistent", "own"))
_PREPOSITIONS = frozenset(("in", "at", "on", "with", "into", "under", "inside"))
_INTO = _PREPOSITIONS | {"to"}
# "Remember that for the letters": what it is for has no more than four words.
_MAX_PLACE, _MAX_NAMED, _MAX_FOR = 5, 10, 4
_LATER = frozenset(("future", "later", "forever", "sessions", "coming", "zukunft", "spaeter"))
_PURPOSE = frozenset(("so", "where", "which", "because", "if", "when", "whether"))
_NAMING = frozenset(("a", "an", "any", "some", "todo", "list", "rule", "file", "section"))
_STATING = frozenset(
    ("is", "are", "was", "were", "has", "have", "must", "should", "shall", "will", "can", "needs", "always", "never")
)


@dataclass(frozen=True, slots=True)
class KeepRequest:
    """A request to keep something: the sentence that makes it, and the statement to keep; "" where it names none."""

    sentence: str
    statement: str


def requests(parts: list[Sentence], text: str) -> list[KeepRequest]:
    """Return what sentences of a message ask to keep; "remember that" alone asks for the sentence before it.

    What stands in the words of somebody else, who wrote a part of the text, is not asked for.
    """
    stated = [_stated_by(parts, place) for place in range(len(parts))]
    found = [KeepRequest(one.text, told) for one, told in zip(parts, stated, strict=True) if told is not None]
    if not found:
        return found
    from holdfast.language.reported import is_reported

    return [one for one in found if not is_reported(text, one.sentence, one.statement)]


def _stated_by(parts: list[Sentence], place: int) -> str | None:
    """Return the statement that the sentence at this place asks to keep; None where it is no request."""
    one = parts[place]
    if parts[place + 1 :] and one.after[-1][-1:] == ":":
        # Few messages have a line that ends with a colon.
        from holdfast.language.lists_to_keep import announces_list

        if announces_list(one):
            return one.text
    back = _points_back(one)
    if back:
        return text_to(one, back)
    if back is not None:
        near = place - 1 if place else 1
        return parts[near].text.lstrip("-*• ") if parts[near:] and not parts[near].is_question else ""
    at = _statement_at(one)
    if at is not None and place + 1 < len(parts) and _only_announces(one, at, parts[place + 1]):
        return parts[place + 1].text.lstrip("-*• ")
    if at is not None and (_only_names(one.words[at:]) or _is_only_a_subject(one.words, at)):
        # Where a rule or a document shall be, or what shall be in it, says nothing itself.
        return None
    return _abroad(one) if at is None else standing_alone(text_from(one, at, _target_at(one, at)))


def plain_kind(sentence: Sentence) -> str:
    """Return the kind of a sentence whose form alone tells it; "" where it does not.

    "From now on ...", "never ...", "use pnpm not npm" are rules, "go for option 2" a choice, "use port 8443" a value.
    """
    said = sentence.words
    # The points of a list are mostly pasted.
    if sentence.is_question or sentence.text[:1].isdigit() or not _MIN_STATEMENT <= len(said) <= _MAX_PLAIN:
        return ""
    for language in LANGUAGES:
        words = request_words(language)
        at = 0
        while at < len(said) and not (length := phrase_length(said, at, words["rule"])):
            if not (skipped := phrase_length(said, at, words["lead"])):
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


def goes_on(sentence: Sentence) -> bool:
    """Whether a sentence only goes on with the statement before it: "This includes ...", "... use that instead"."""
    said = sentence.words
    begins = any(phrase_length(said, 0, request_words(language)["goes on"]) for language in LANGUAGES)
    return not sentence.is_question and (begins or said[-1:] in (["instead"], ["stattdessen"]))


def _used(said: list[str], words: Words) -> str:
    """Return what a clause states that says what to use: a value; with what not to use, a rule or a choice."""
    verb = phrase_length(said, 0, words["use"])
    if not verb:
        return ""
    if said[verb : verb + 1] == ["port"] and said[verb + 1 : verb + 2] and said[verb + 1].isdigit():
        return "value"
    rest = said[verb + 1 : _REACH]
    if any(phrase_length(rest, at, words["instead"]) for at in range(len(rest) - 1)):
        return "decision"
    return "preference" if any(word in words["not use"] for word in rest[:-1]) else ""


def _is_option(said: list[str]) -> bool:
    """Whether a sentence takes one of several options by its number or letter."""
    places = [at for at, word in enumerate(said) if word in ("option", "approach", "variant", "variante")]
    chosen = [at for at in places if said[at + 1 : at + 2] and len(said[at + 1]) == 1 and said[at + 1] != "i"]
    return bool(chosen) and len(said) <= _MIN_STATEMENT * 4 and not {"not", "don't", "dont", "what", "if"} & set(said)


def _statement_at(sentence: Sentence) -> int | None:
    """Return at which word of a request its statement begins; None where the sentence is no request."""
    for language in LANGUAGES:
        words = request_words(language)
        at, asked = _behind_leads(sentence.words, words)
        begins = None
        if asked or not sentence.is_question:
            begins = _kept(sentence, at, words)
            if begins is None and "write" in words:
                begins = _ruled(sentence, at + phrase_length(sentence.words, at, words["wants"]), words)
        if begins is not None:
            return begins
    return None


def _abroad(sentence: Sentence) -> str | None:
    """Return what a sentence asks to keep in another language; one with small words of English has none."""
    small = request_words("en")["small"]
    if sentence.text.isascii() and sum(word in small for word in sentence.words) > 1:
        return None
    from holdfast.language.requests_abroad import in_other_language

    return in_other_language(sentence)


def _points_back(sentence: Sentence) -> int | None:
    """Return at which word a request begins that ends the sentence and points at what stands before it; else None.

    "..., remember that", "keep this in mind", "make this a rule".
    """
    said = sentence.words
    if sentence.after and sentence.after[-1][-1:] == ":":
        return None
    for language in LANGUAGES:
        words = request_words(language)
        for start in clause_starts(sentence, 0):
            at, asked = _behind_leads(said[start:], words)
            at += start
            kept = phrase_length(said, at, words["keep"])
            end = at + kept
            pointers = words["back"] | words["between"] | words["from when"] | words["kind"]
            while end > at and end < len(said) and (more := phrase_length(said, end, pointers)):
                end += more
            # "Please remember." and "remember for next time." behind a statement point at it, too.
            pointing = (start < at and end == at + 1) or end > at + kept > at
            pointing = pointing or not words["back"].isdisjoint(said[at:end])
            ends = end == len(said) or (said[end] in ("for", "when") and len(said) - end <= _MAX_FOR)
            points = (at < end and ends and pointing) or _put_away(sentence, at, words) == -len(said)
            if points and (asked or not sentence.is_question):
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
    for start in clause_starts(sentence, first):
        at = start + _behind_leads(said[start:], words)[0]
        put = at + phrase_length(said, at, words["keep"]), at + _before_a_colon(sentence, at, words)
        begins = max(*put, _put_away(sentence, at, words))
        # "Save in memory that ..." asks so only with its "that".
        begins -= begins > at + 1 and said[begins - 1] == "that"
        if at < begins and sentence.after[-1][-1:] == ":" and words["announcing"].issuperset(said[begins:]):
            # What stands in the lines behind it.
            return 0
        behind = _behind_that(sentence, begins, words) if at < begins < len(said) else begins
        signs = sentence.after[begins - 1]
        is_led = behind > begins or signs[-1:] == ":" or phrase_length(said, begins, words["that"])
        lasts = said[begins : begins + 1] == ["to"] and not {"next", "future", "now"}.isdisjoint(said[start:at])
        # In the middle of a sentence a program may be what shall remember something, unless it is a fact.
        is_fact = at == first or is_led or lasts or sentence.after[start - 1][-1:] == ":"
        # "..., but keep in mind that ..." is about the task.
        is_fact = is_fact and (start == first or said[start] not in ("but", "so") or ":" in signs)
        if at < begins < len(said) and is_fact:
            return _stated(sentence, at, begins, words)
    return None


def _put_away(sentence: Sentence, at: int, words: Words) -> int:
    """Return behind which word a request ends to put something where it lasts: "save this to your memory that", "store
    this fact:"; the same below zero where it ends the sentence and points at what stands beside it; else 0.
    """
    said, after = sentence.words, sentence.after
    first = end = at + phrase_length(said, at, words["put"])
    if at == end:
        return 0
    lasts = False
    while end < len(said) and after[end - 1][-1:] != ":":
        place = _place_end(said, at, end, words)
        when = _for_when(sentence, end, words)
        when = when if not _LATER.isdisjoint(said[end : end + when]) else 0
        when = max(when, phrase_length(said, end, words["between"]))
        thing = said[end] in words["thing"] and (said[end] != "that" or end == first)
        if not (place or when or thing):
            break
        lasts = lasts or bool(place or when > 1) or said[end] in ("memory", "yourself", "somewhere", "again")
        end = place or end + max(when, 1)
    colon = next((far for far in range(end, min(end + _MAX_NAMED, len(said))) if after[far][-1:] == ":"), 0)
    if lasts and said[end : end + 1] == ["so"] and colon:
        # "... so that you do not do it again: ..."
        end = colon + 1
    points = not words["back"].isdisjoint(said[first:end]) or "following" in said[first:end]
    names = points and said[at] in words["store"] and not words["kind"].isdisjoint(said[first:end])
    if end == len(said):
        return -end if (lasts and points) or (names and "as" in said[first:end]) else 0
    is_alone = end == first + 1 and bool(phrase_length(said, at, words["only before a colon"]))
    if after[end - 1][-1:] == ":":
        return end if lasts or names or (points and is_alone) else 0
    is_fact = points and after[end - 1][-1:] == "," and not words["says"].isdisjoint(said[end:])
    return end if lasts and (is_fact or said[end] in ("that", "dass")) else 0


def _place_end(said: list[str], verb: int, at: int, words: Words) -> int:
    """Return behind which word the name of a memory or of an agent's rules ends, with "in" or "to" here; else 0."""
    if said[at] not in _INTO:
        return 0
    for near in range(at + 1, min(at + _MAX_PLACE, len(said))):
        if end := _rules_end(said, verb, near, words):
            return end
        known = _ARTICLES | words["whose"] | _KINDS_OF_MEMORY
        if said[near] in ("memory", "brain", "notes") and set(said[at + 1 : near]) <= known:
            return near + 1 if said[near] == "memory" or said[near - 1] in words["whose"] else 0
    return 0


def _before_a_colon(sentence: Sentence, at: int, words: Words) -> int:
    """Return how many words ask to keep what stands behind their colon: "store this: ..."."""
    length = phrase_length(sentence.words, at, words["before a colon"])
    return length if length and sentence.after[at + length - 1][-1:] == ":" else 0


def _stated(sentence: Sentence, at: int, begins: int, words: Words) -> int | None:
    """Return where the statement behind such words begins; None where they ask for something else."""
    said, lead = sentence.words, sentence.words[at:begins]
    after, first = sentence.after[begins - 1], begins
    behind = _behind_that(sentence, begins, words)
    if lead[-1] == "note" and said[first] in _PREPOSITIONS:
        return None
    # "Make a note in the code that ..." is a step of the task.
    if behind == len(said) or (said[first] in _INTO and not words["not in"].isdisjoint(said[first:behind])):
        return None
    is_led = ":" in (after[-1:], sentence.after[behind - 1][-1:])
    if is_led or said[behind] == "dass" or said[behind : behind + 2] == ["not", "to"]:
        return behind
    if said[behind] in ("to", "zu"):
        # "Next time remember to ..."
        is_lasting = any(phrase_length(said, place, words["lasting"]) > 1 for place in range(len(said)))
        is_lasting = is_lasting or not {"future", "always"}.isdisjoint(said[:at])
        return behind + 1 if is_lasting or not words["lasting"].isdisjoint(said[behind:]) else None
    colon = next((far for far in range(first, len(said) - 1) if sentence.after[far][-1:] == ":"), len(said))
    if said[first] == "what" and said[first + 1] in ("we", "i") and colon < first + _MAX_NAMED:
        # "Remember what we agreed: ..."
        return colon + 1
    names_data = said[first] == "the" and not words["not the"].isdisjoint(said[first : first + 3])
    if said[behind] == "is" or said[first] in words["not"] or names_data:
        return None
    # "Remember, we talked about it" reminds of the talk; "that X is so, we had trouble with it" says why.
    end = next((place for place in range(behind, len(said)) if "," in sentence.after[place]), len(said))
    if any(phrase_length(said, place, words["talk"]) for place in range(behind, end)):
        return None
    # "Do not forget the tests" is a step of the task; what is not to be forgotten must be something that is so.
    is_fact = behind > first or said[first] in words["who"] or not words["says"].isdisjoint(said[first:])
    is_led = "note" in lead[:-1] or after[:1] in (",", "-")
    # "Remember my preference: ..."
    is_led = is_led or any(one[-1:] == ":" for one in sentence.after[first : first + _MIN_STATEMENT])
    return behind if is_fact or (is_led and not {"forget", "vergiss"} & set(lead)) else None


def _behind_that(sentence: Sentence, at: int, words: Words) -> int:
    """Return at which word the statement begins: behind "that", "for later" and "from now on that"."""
    said = sentence.words
    while at < len(said):
        length = phrase_length(said, at, words["between"])
        if not length and (length := phrase_length(said, at, words["that"])):
            # "This project uses bun": here it is no more than the subject, or a part of it.
            ends = at + length == len(said) or bool(sentence.after[at + length - 1])
            introduces = words["between"] | words["from when"] | words["who"] | {"that"}
            leads = ends or phrase_length(said, at + length, introduces)
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
    if (known := phrase_length(said, at, words["from when"])) and at + known == len(said):
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
    # "A rule engine" and "a rule in the parser" are none.
    is_new_rule = is_new_rule and said[at + 1 : at + 2] not in (["engine"], ["set"], ["based"], ["of"])
    is_new_rule = is_new_rule and (said[at + 2 : at + 3] != ["the"] or not words["ours"].isdisjoint(said[at + 3 :]))
    return at + 1 if is_new_rule and at > start + 1 else 0


def _behind_rules(said: list[str], start: int, at: int, end: int, words: Words) -> int:
    """Return where the statement begins: behind the rules' name, or between the verb and the name."""
    while end < len(said):
        length = phrase_length(said, end, words["link"])
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
    words = request_words("en")
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
    words = request_words("en")
    says = words["says"] | words["order"] | words["lasting"] | words["is so"]
    is_named = said[at - 1 : at] in (["with"], ["about"], ["for"]) and at < len(said)
    return is_named and said[at] in words["whose"] | _ARTICLES and says.isdisjoint(said[at:])


def _behind_leads(said: list[str], words: Words) -> tuple[int, bool]:
    """Return behind how many words a sentence really begins, and whether they ask somebody to do it."""
    at, asked = 0, False
    while at < len(said):
        length = phrase_length(said, at, words["lead"])
        later = next((far for far in range(at + 1, min(at + _MAX_FOR, len(said))) if said[far] in _LATER), 0)
        if said[at] == "for" and later and not phrase_length(said, at, words["keep"]):
            # "For all future mails remember to ..."
            length = max(length, later + 2 - at)
        if said[at] in _INTO and said[at + 2 : at + 3] and said[at + 2] in words.get("write", ()):
            # "In AGENTS.md add a rule: ..."
            length = max(length, 2 if said[at + 1].lstrip("@").rpartition("/")[2] in words["files"] else 0)
        if not length and (length := phrase_length(said, at, words["ask"])):
            asked = True
        if not length:
            break
        at += length
    return at, asked


def _target_at(sentence: Sentence, at: int) -> int:
    """Return at which word the place begins that shall keep the statement: "... to your memory"; else the end."""
    said, words = sentence.words, request_words("en")
    for place in range(at + _MIN_STATEMENT, len(said)):
        if _rules_end(said, at, place, words) == len(said):
            begins = [near for near in range(max(at + 1, place - _MAX_PLACE), place) if said[near] in _INTO]
            return begins[-1] if begins else len(said)
    return len(said)
