"""What the person said about the work: decisions, corrections and praise, by lists of phrases.

A quote is one sentence. Code, quoted lines and long pasted texts are not what a person says. The lists,
`words/en.txt` and `words/de.txt`, are light: they find what is said plainly, and miss the rest.
"""

from __future__ import annotations

import re
from functools import cache

from holdfast.language import word_lists
from holdfast.language.sentences import is_briefing
from holdfast.records import SessionEvent
from holdfast.sessions.facts import Said

# What is longer than this was pasted, for the most part.
_LOOK = 1_500
_LONGEST_SENTENCE = 400
LONGEST_TIME = 40
_WORDS = __file__.rpartition("/")[0] + "/words"
_LONGEST_GREETING = 60
_MAX_OF_A_TEXT = 8
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^[ \t]*[>|].*$", re.DOTALL | re.MULTILINE)
# What of an answer is not said: blocks of code and quoted lines. The names in it are half of what it says.
_BLOCKS = re.compile(r"```.*?(?:```|\Z)|^[ \t]*[>|].*$", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:\.(?=\S)[^.!?\n]*)*[.!?]*")
_APART = re.compile(r"[^\w']+")
# The same for plain letters: what is neither a letter, a number, `_` nor `'` becomes a space.
_PLAIN_WORDS = "".join(sign if sign.isalnum() or sign in "_'" else " " for sign in map(chr, range(128)))
_AND = ("and", "then", "und", "dann")
_BEFORE = 4
# "Sure, I will ..." promises, too.
_LONGEST_LEAD = 12
# So many words that are not vague name something, or one of them in a sentence; or so many letters without spaces.
_MIN_TELLING, _MIN_LETTERS = 2, 5
_FIRST_OF_THE_EAST = 0x2E80
# A first line that ends with a colon says itself what is wanted, if it has more words than these.
_LEAD = 5
_SHORT_HEADING = 4
# A line without a word of its own: a tag, the name of a field between brackets, a rule, a fence.
_MARKS = re.compile(r"</?[\w:-]{1,60}>|\[\[.{0,60}\]\]|(?:```|~~~)\w{0,20}|[\W_]+")
# What a terminal shows before a command, and how an error begins that was copied from it.
_PASTED = re.compile(r"[➜❯$%»] |PS [A-Z]:\\|[\w.-]+@[\w.-]+[:~ ].{0,80}[$#%] |>>> |(?i:error:|fatal:|npm err)")
# What a program put where a text was taken out.
_PLACEHOLDER = re.compile(r"^\s*(?:\[[^\[\]\n]{1,80}\]|<[^<>\n]{1,80}>)\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +(.{1,60})$", re.MULTILINE)
_LISTED = re.compile(r"(?<=:)(?:\n+[ \t]*\d{1,2}[.)] .+)+")
_COMMAND_NAME = re.compile(r"<command-name>\s*(/?[\w:.-]{1,80})\s*</command-name>")
_COMMAND_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_ADDRESS = re.compile(r"(?:\s?\b(?i:see|from|per|via|cf)(?=[\s:]))?[\s:(<'\"]{0,4}\bhttps?://\S+")
# Who speaks, where a program wrote the talk down that it hands over.
_SPEAKER = re.compile(r"^@?\[\w{1,20}\]: *")
_AT_WORK = re.compile(r" (?:i'm|i am)(?: now)? [a-z]+ing ")
_starts_of: dict[str, tuple[str, ...]] = {}


def sayings(event: SessionEvent) -> list[Said]:
    """Return the sentences of a person's message that decide, correct or praise, in order, a few at most."""
    found: list[Said] = []
    is_first = True
    text = event.text[:_LOOK]
    if "`" in text or ">" in text or "|" in text:
        text = _CODE.sub(" … ", text)
    for match in _SENTENCE.finditer(text):
        sentence = match[0].strip()
        if 1 < len(sentence) <= _LONGEST_SENTENCE:
            for kind in _kinds(sentence, is_first):
                found.append(Said(kind, sentence, event.at[:LONGEST_TIME], event.place, event.line))
        is_first = is_first and not sentence
    return found[:_MAX_OF_A_TEXT]


def begins_with(text: str, mark: str) -> bool:
    """Whether a text begins as an agent program writes it for this matter, in any case."""
    if mark not in _starts_of:
        _starts_of[mark] = tuple(one.casefold() for one in word_lists.lists(f"{_WORDS}/marks.txt")[mark])
    return text[:120].lstrip().casefold().startswith(_starts_of[mark])


def names_something(text: str, *, is_title: bool = False) -> bool:
    """Whether a text says what it is about, by words beyond those that any session has; one is enough for a title."""
    vague, greeting = _phrases("vague"), _phrases("greeting")
    words = _folded(_PLACEHOLDER.sub(" ", text[:_LOOK])).split()
    telling = [word for word in words if word not in vague and word not in greeting and sum(map(str.isalpha, word)) > 1]
    if any(ord(word[0]) >= _FIRST_OF_THE_EAST for word in telling):
        # Words without spaces between them are counted by their letters.
        return sum(map(len, telling)) >= _MIN_LETTERS
    return len(telling) >= _MIN_TELLING or (len(telling) == 1 and (is_title or len(words) > _MIN_TELLING))


def headline(text: str) -> str:
    """Return the line of an ask that names it: the first that says something, not what only leads to it or was pasted.

    A short heading over the sentence that says what is wanted stands before that sentence. An address takes the room of
    what else is said; it stays where nothing is said without it.
    """
    bare = _ADDRESS.sub("", text)
    text = bare if bare != text and names_something(bare) else text
    lines = [
        line for line in (line.strip(" #*\t") for line in text.splitlines()) if line and not _MARKS.fullmatch(line)
    ]
    if not lines:
        return ""
    if _PASTED.match(lines[0]):
        # A person who pastes what a terminal shows says below it what is wanted.
        lines = [line for line in reversed(lines) if not _PASTED.match(line)][:1] or lines
    if len(lines) > 1 and lines[0].endswith(":") and len(lines[0].split()) <= _LEAD:
        return lines[1]
    first = lines[0].removesuffix(":")
    if first != lines[0] and len(lines) > 1:
        return f"{lines[0]} {lines[1]}"
    is_heading = len(first.split()) < _SHORT_HEADING and first[-1:] not in (".", "!", "?")
    return f"{first}: {lines[1]}" if is_heading and len(lines) > 1 and len(lines[1].split()) > _LEAD else first


def gist(text: str) -> str:
    """Return an ask without what a program tells all its agents: of a long briefing the part that gives the task."""
    if not is_briefing(text):
        return text
    parts = _HEADING.split(text)
    tasks = [body for heading, body in zip(parts[1::2], parts[2::2], strict=True) if says_any(heading, "task-heading")]
    lines = [line for line in tasks[-1].splitlines() if line.strip(' "')] if tasks else []
    if len(lines) > 1 and lines[0].rstrip().endswith(":"):
        # Whole, the path of a document hides its name.
        lines[:2] = [f"{lines[0].strip()} {lines[1].strip().rpartition('/')[2]}"]
    return "\n".join(lines) or text


def slash_command(text: str) -> str:
    """Return a command of the person's with its arguments; nothing where the agent program itself carries it out."""
    found = _COMMAND_NAME.search(text[:_LOOK])
    if found is None or found[1].lower() in word_lists.lists(f"{_WORDS}/marks.txt")["program-command"]:
        return ""
    given = _COMMAND_ARGUMENTS.search(text)
    return f"/{found[1].lstrip('/')} {given[1].strip() if given else ''}".strip()


def says_nothing_itself(lead: str) -> bool:
    """Whether a heading only announces what stands below it, as "Here is a summary of the changes" does."""
    vague, telling = _phrases("vague"), _phrases("summary-word")
    words = _folded(lead).split()
    return all(word in vague or word in telling for word in words) and any(word in telling for word in words)


def is_offer(sentence: str) -> bool:
    """Whether an agent only says that it may do more."""
    return _folded(sentence).startswith((*_beginnings("offer"), *_beginnings("offer-first")))


def says_any(text: str, kind: str) -> bool:
    """Whether a text has one of the phrases of a kind."""
    folded = _folded(text.replace("-", " "))
    return _place_of(kind, folded, folded.split(" ")) >= 0


def promises(text: str) -> bool:
    """Whether an answer ends with a sentence that says what will be done, and not what was."""
    last = [one[0] for one in _SENTENCE.finditer(_BLOCKS.sub(" ", text[-_LONGEST_SENTENCE:]))]
    return bool(last) and _promises(last[-1])


def without_promises(text: str) -> str:
    """Return an answer without the sentences that say what will be done."""
    return _SENTENCE.sub(lambda one: "" if _promises(one[0]) else one[0], text[:_LOOK]).strip()


def _promises(sentence: str) -> bool:
    folded = _folded(sentence.strip(" *#-"))
    if any(phrase in folded for phrase in _beginnings("offer")):
        return False
    in_it = folded.split(" ")
    if folded.startswith(_beginnings("promise-first")) and _place_of("finding", folded, in_it) < 0:
        return True
    return 0 <= _place_of("promise", folded, in_it) <= _LONGEST_LEAD or bool(_AT_WORK.search(folded))


def declined(text: str, asked: str) -> str:
    """Return the sentence of an answer that says that something asked was not done, because that is not allowed."""
    looked_at = _BLOCKS.sub(" ", text[:_LOOK])
    folded = _folded(looked_at)
    if _place_of("forbids", folded, folded.split(" ")) < 0:
        # Hardly any answer says so, and then no sentence does.
        return ""
    words = set(_folded(asked).split())
    for match in _SENTENCE.finditer(looked_at):
        folded = _folded(match[0])
        for phrase in _beginnings("declines") if _place_of("forbids", folded, folded.split(" ")) >= 0 else ():
            _, found, rest = folded.partition(phrase)
            if found and rest.split(" ", 1)[0] in words:
                return match[0].strip(" *#-")
    return ""


def only_asks(text: str) -> bool:
    """Whether a message wants to be told something and nothing to be done, so far as each of its sentences says so.

    What is listed by number below a colon is a part of the sentence that ends with it.
    """
    text = _LISTED.sub("", text)
    if len(text) > _LONGEST_SENTENCE:
        return False
    lines = [_SPEAKER.sub("", line) for line in map(str.strip, text.splitlines()) if not _MARKS.fullmatch(line)]
    kinds = {_asks_for(one[0].strip()) for line in lines for one in _SENTENCE.finditer(line) if one[0].strip(" -*#")}
    return "answer" in kinds and kinds <= {"answer", "nothing"}


def _asks_for(sentence: str) -> str:
    """Return what a sentence asks for: an `answer`, `nothing` beside that, or `work`, as any that is not known."""
    folded = _folded(sentence)
    to_you = False
    while lead := next((one for one in _beginnings("polite-first") if folded.startswith(one)), ""):
        to_you = to_you or lead.strip().endswith(("you", "du"))
        folded = folded[len(lead) - 1 :]
    if not folded.strip() or folded.startswith(_beginnings("aside-first")):
        return "nothing"
    does = any(f" {word}{verb}" in folded for word in _AND for verb in _beginnings("work-verb"))
    if does or folded.startswith(_beginnings("proposal-first")):
        return "work"
    asks = folded.startswith((*_beginnings("tell-first"), *_beginnings("question-first")))
    return "answer" if asks or (sentence.endswith("?") and not to_you) else "work"


def is_farewell(text: str) -> bool:
    """Whether a message takes its leave, and asks for nothing."""
    return len(text) < _LONGEST_GREETING and _folded(text).strip() in word_lists.spoken(_WORDS, "farewell")


def _kinds(sentence: str, is_first: bool) -> list[str]:
    """Return what a sentence is: a correction is no praise, and a question decides nothing."""
    folded = _folded(sentence)
    in_it = folded.split(" ")
    is_question = sentence.endswith("?")
    kinds = []
    if _place_of("correction", folded, in_it) >= 0 or (is_first and folded.startswith(_beginnings("correction-first"))):
        kinds.append("correction")
    elif not is_question and (_praises(folded, in_it) or (is_first and folded.startswith(_beginnings("praise-first")))):
        kinds.append("praise")
    if not is_question and _place_of("decision", folded, in_it) >= 0:
        kinds.append("decision")
    return kinds


def _folded(sentence: str) -> str:
    """Return the words of a sentence, in small letters, with a space around each."""
    folded = sentence.casefold()
    if folded.isascii():
        return f" {' '.join(folded.translate(_PLAIN_WORDS).split())} "
    return f" {_APART.sub(' ', folded.replace('’', chr(39))).strip()} "


def _praises(folded: str, in_it: list[str]) -> bool:
    place = _place_of("praise", folded, in_it)
    before = folded[:place].split()[-_BEFORE:] if place >= 0 else []
    return place >= 0 and not set(before) & set(word_lists.spoken(_WORDS, "negation"))


@cache
def _beginnings(kind: str) -> tuple[str, ...]:
    return tuple(f" {word} " for word in word_lists.spoken(_WORDS, kind))


@cache
def _phrases(kind: str) -> dict[str, list[str]]:
    """Return the phrases of a kind, with a space around each, by the word that they begin with."""
    found: dict[str, list[str]] = {}
    for phrase in word_lists.spoken(_WORDS, kind):
        found.setdefault(phrase.split(" ")[0], []).append(f" {phrase} ")
    return found


def _place_of(kind: str, folded: str, in_it: list[str]) -> int:
    """Return where the first phrase of a kind stands in a sentence with these words, -1 where there is none."""
    by_first_word = _phrases(kind)
    if by_first_word.keys().isdisjoint(in_it):
        return -1
    places = [folded.find(phrase) for word in in_it for phrase in by_first_word.get(word, ())]
    return min((place for place in places if place >= 0), default=-1)
