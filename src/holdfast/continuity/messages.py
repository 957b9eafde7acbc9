"""What a person's message says about the work: what they ask for, what should be remembered, what is done.

It goes by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`. A hook
looks at every prompt, so a long one costs no more than a look at its beginning.
"""

from __future__ import annotations

from holdfast.base.text import small_words, with_capital
from holdfast.language.word_lists import LANGUAGES, lines
from holdfast.privacy.fence import harmless_line, kept, shown
from holdfast.privacy.redact import is_mostly_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holdfast.language.sentences import Sentence
    from holdfast.language.triggers import Trigger

MAX_ASK = 200
# As much of a task is told to the next session: its beginning and its end, where its conditions stand.
MAX_TASK = 600
MAX_SAID = 300
# A sentence of so many words leans on the one before it.
FEW_WORDS = 3
# So many sentences may go on with a statement.
_MORE = 2
_MAX_REMEMBERED = 4_000
WORDS = __file__.rpartition("/")[0] + "/words"
# From here on there are signs, pictures and scripts without spaces.
PICTURES = "\u2000"
_APOSTROPHES = "'’`´"
# Longer than this nobody says only that they want to go on.
_MAX_RESUME, _LOST_LOOK = 120, 200
_ABOUT_THE_PERSON = frozenset(
    (
        *("i", "im", "id", "ive", "ill", "me", "my", "mine", "myself"),
        *("ich", "mir", "mich", "mein", "meine", "meinen", "meiner", "meinem", "meines"),
    )
)
# Only a message with one of these words may say that something is done; most prompts have none.
_DONE_WORDS = frozenset(("done", "finished", "fixed", "shipped", "completed", "erledigt", "fertig", "behoben"))
# What may stand between the words of a to-do and the one that says that it is done, and the other way round.
_BETWEEN = frozenset(
    (
        *("is", "are", "was", "were", "has", "have", "been", "now", "already", "all", "finally", "also", "as", "task"),
        *("todo", "both", "ist", "sind", "wurde", "wurden", "jetzt", "nun", "schon", "bereits", "endlich", "auch"),
        *("als", "that", "this", "it", "thats", "das"),
    )
)
_BEFORE = frozenset(("with", "the", "task", "todo", "mit", "dem", "der", "den", "die", "das", "also", "now", "auch"))
# A sentence with one of these does not say that something is done, whatever else it says.
DOUBTS = frozenset(
    (
        *("not", "never", "no", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent"),
        *("cant", "cannot", "wont", "shouldnt", "couldnt", "wouldnt", "yet", "half", "almost", "nearly", "when"),
        *("once", "if", "until", "till", "unless", "soon", "after", "before", "whether", "will", "would", "should"),
        *("must", "tomorrow", "nicht", "nie", "niemals", "kein", "keine", "keinen", "keiner", "noch", "fast", "halb"),
        *("wenn", "sobald", "falls", "bis", "bevor", "ehe", "nachdem", "ob", "wird", "werden", "muss", "soll"),
        *("sollte", "bald", "morgen"),
    )
)
ASKING = frozenset(("is", "are", "was", "has", "have", "did", "ist", "sind", "hat", "haben", "wurde", "wann", "why"))
# A question that begins with one of these wants to know something; "can you" and "could we" order work.
WONDERING = frozenset(
    (
        *("what", "whats", "why", "how", "when", "where", "wheres", "which", "who", "whose", "does", "do", "were"),
        *("was", "warum", "wieso", "weshalb", "wie", "wann", "wo", "welche", "welcher", "welches", "wer", "wem"),
    )
)
# Words that mean something else in the next conversation, unless what follows is the project itself.
POINTING = frozenset(
    (
        *("here", "though", "this", "these", "those", "above", "below", "others", "latter"),
        *("hier", "diese", "dieser", "dieses"),
    )
)
_THAT = frozenset(("that", "this", "it", "so", "das", "sowas"))
_YOU = frozenset(("you", "u", "du", "sie", "hast"))
_AT_ONCE = frozenset(("now", "first", "next", "today", "jetzt", "zuerst", "heute"))
# A sentence that begins with one of these forbids something, and need not go on from another.
_BANS = frozenset(("kein", "keine", "dont"))
# What may stand before and behind what need not be done: "ok, then ignore them for now".
_PLACES = frozenset(("app", "branch", "codebase", "on", "project", "projekt", "repo", "repository", "workspace"))
_PROPOSING = frozenset(("let", "lets", "ahead", "continue", "proceed", "yes"))
_OPTIONS = frozenset(("option", "number", "approach", "variant", "choice", "plan", "variante"))
DEMANDS = frozenset(("should", "shouldnt", "must", "needs", "soll", "sollte", "muss"))
_MIN_LASTING = 2
# Words that answer what an agent said, with a comma behind them, and that turn to something else without one.
_NODS = frozenset(("no", "nope", "nah", "hm", "nein", "ne", "doch"))
_TURNS = frozenset(("actually", "actually,", "eigentlich"))
_MIN_WITHOUT_NOD = 4
# What is to be forgotten is not stated by that.
_FORGETTING = frozenset(("forget", "vergiss", "vergesst"))
_ALWAYS = frozenset(("never", "always", "nie", "niemals", "immer", "nunca", "siempre", "jamais", "toujours", "sempre"))
_STANDING = _ALWAYS | {"again", "asking", "anymore", "henceforth", "künftig", "désormais", "dorénavant"}
# "Again" and "without asking" are said of orders only with one of these.
_DENIALS = frozenset(("not", "no", "dont", "without", "nicht", "plus"))
_IN_NAMES = "`./_-"
_STANDING_PHRASES = ("from now on", "going forward", "ask first", "ask me", "before every", "before each", "ab sofort")
# A longer message is a text that somebody wrote.
_MAX_ORDERING = 2_000
_JOINS = frozenset(("and", "und", "also"))
_A_RULE = ("das ist ne regel", "das ist eine regel", "thats a rule", "that is a rule", "this is a rule")
# Behind one of these something is ready, and not to be made so.
_IS = frozenset(("ist", "sind", "bin", "war", "waren", "bist", "habe", "hab", "haben", "wurde", "alles", "schon"))
# Among so many first words "it" stands for what was spoken of before.
MAX_SUBJECT = 4
_LABELS = frozenset(("decision", "decided", "rule", "preference", "note", "entscheidung", "entschieden", "regel"))
# Options have numbers of so many figures.
_MAX_NUMBER = 2
TAKEN_OUT = "[redacted:"
SIGNS = "#>*_-+•✅✔☑✓ \t"
MAX_LINE = 4_000


def words_of(name: str) -> frozenset[str]:
    """Return all words of a list."""
    return frozenset(" ".join(lines(f"{WORDS}/{name}.txt")).split())


def clean(text: str, most: int) -> str:
    """Return the text as one harmless line without secrets."""
    # What hides within a secret is taken out first, or the secret would be whole again afterwards.
    return harmless_line(kept(shown(text), most * 2), most)


def wants_to_go_on(prompt: str) -> bool:
    """Whether a person asks where they were or wants to go on from there, and says nothing else of substance."""
    if len(prompt) > _MAX_RESUME:
        return False
    words = plain_words(prompt)
    return bool(words) and any(_says_to_go_on(words, language) for language in LANGUAGES)


def stands_for_a_lost_conversation(prompt: str) -> bool:
    """Whether the prompt begins as the summary of a conversation does that was compacted or cut."""
    beginning = " ".join(prompt[:_LOST_LOOK].split()).casefold()
    return bool(beginning) and any(beginning.startswith(line) for line in lines(f"{WORDS}/lost.txt"))


def _says_to_go_on(words: list[str], language: str) -> bool:
    phrases: set[str] = set()
    around: set[str] = set()
    anywhere: set[str] = set()
    for line in lines(f"{WORDS}/resume_{language}.txt"):
        if line[0] in "+*":
            (around if line[0] == "+" else anywhere).update(line[1:].split())
        else:
            phrases.add(line)
    telling = [word for word in words if word not in anywhere]
    return any(" ".join(part) in phrases for part in _without_ends(telling, around))


def _without_ends(words: list[str], around: set[str]) -> Iterator[list[str]]:
    """Yield the words with more and more of those left out, at both ends, that change nothing."""
    first = next((at for at, word in enumerate(words) if word not in around), len(words))
    last = next((at for at in range(len(words), 0, -1) if words[at - 1] not in around), 0)
    for start in range(first + 1):
        for end in range(len(words), max(last, start) - 1, -1):
            yield words[start:end]


def whole(text: str, sentence: str, statement: str) -> str:
    """Return a statement with what a sentence leaves out of it: the rest of its line, up to a question or a task.

    What a colon announces is the rest of its paragraph, or the next one. A sentence that does nothing but announce
    goes; where it announces nothing, nothing was stated.
    """
    at = text.find(statement)
    announces = statement.rstrip().endswith((":", "："))
    is_led = sentence.partition(statement)[0].rstrip(' "*_').endswith((":", "："))
    if at < 0:
        return statement
    if not (announces or is_led or len(sentence) >= MAX_SAID):
        return text[at : _end_of_more(text, at, sentence, statement)]
    behind = text[at + len(statement) :]
    start = len(text) - len(behind.lstrip() if announces else behind)
    end = text.find("\n\n" if announces else "\n", start)
    found = text[at : end if end >= 0 else len(text)][:_MAX_REMEMBERED].strip()
    if is_led and not announces:
        return _up_to_a_task(found, len(statement))
    told = found.removeprefix(sentence).strip() if announces else found
    return "" if announces and told == statement.strip() else told


def _end_of_more(text: str, at: int, sentence: str, statement: str) -> int:
    """Return where what goes on with a statement ends: the list that a request announced, or a sentence or two."""
    from holdfast.language.requests import goes_on
    from holdfast.language.sentences import sentences

    end = at + len(statement)
    line_end = text.find("\n", end) if "\n" in text[end:] else len(text)
    is_listed = text[text.rfind("\n", 0, at) + 1 : at].strip() in ("-", "*", "•")
    if is_listed and statement not in sentence and text.find(sentence) < at:
        while text[line_end + 1 :].lstrip(" ").startswith(("- ", "* ", "• ")):
            line_end = text.find("\n", line_end + 1) if "\n" in text[line_end + 1 :] else len(text)
        return min(line_end, at + _MAX_REMEMBERED)
    for one in sentences(text[end:line_end])[:_MORE]:
        if not goes_on(one):
            break
        end = text.find(one.text, end) + len(one.text)
    return end


def in_context(text: str, sentence: str) -> str:
    """Return a sentence of a message; one of a few words with the one before it, without which it says nothing.

    "I prefer truncation." goes on from "I don't want the text to be scaled." A question before it states nothing,
    unless it blames the agent for what is then forbidden.
    """
    points = _THAT.intersection(plain_words(sentence))
    if len(sentence.split()) > FEW_WORDS + len(points):
        return sentence
    from holdfast.language.sentences import sentences

    told = sentences(text)
    place = next((number for number, one in enumerate(told) if one.text == sentence), 0)
    before = told[place - 1] if place else None
    if before is None or f"{before.text} {sentence}" not in text:
        return sentence
    # "Why did you force it? Never do that." forbids what the question names.
    if before.is_question and not (points and _blames(before)):
        return sentence
    return f"{before.text} {sentence}" if len(before.text) + len(sentence) < MAX_SAID else sentence


def _blames(question: Sentence) -> bool:
    words = plain_words(question.text)
    return words[:1] in (["why"], ["warum"], ["wieso"]) and not _YOU.isdisjoint(words[1:4])


def _up_to_a_task(text: str, start: int) -> str:
    """Return a text up to the first sentence behind this place that asks for something instead of stating it."""
    from holdfast.language.requests import plain_kind, requests
    from holdfast.language.sentences import sentences
    from holdfast.language.triggers import is_substantial_ask

    for one in sentences(text[start:]):
        if (
            one.is_question
            or requests([one], text)
            or (is_substantial_ask(one.text) and plain_kind(one) != "preference")
        ):
            return text[: text.find(one.text, start)].strip()
    return text


def is_about_the_person(text: str) -> bool:
    """Whether a statement is about the person who says it."""
    return not _ABOUT_THE_PERSON.isdisjoint(plain_words(text))


def statement(text: str) -> str:
    """Return what should be remembered, without the words that ask for it; the text itself where none do."""
    from holdfast.language.requests import requests
    from holdfast.language.sentences import sentences

    found = next((one.statement for one in requests(sentences(text), text)), "")
    return with_capital(found) or text


def lasting(kind: str, text: str) -> str:
    """Return a statement of the person that may hold beyond its session, without its label; "" for any other.

    A correction and a choice among what was offered are of the moment, and so is what only those before it explain.
    """
    from holdfast.inject.block import telling_words

    text = _as_a_rule(_without_nod(text.lstrip(SIGNS)))
    label, colon, rest = text.partition(": ")
    names = label.casefold().replace(",", "").split() if colon and label.count(" ") < 2 else []
    said = rest if not _LABELS.isdisjoint(names[-1:]) else statement(text) if kind == "remember" else text
    words = plain_words(said.replace("code base", "codebase"))
    is_choice = kind == "decision" and (label.startswith(("Chose", "Answered")) or _is_pick(words))
    if kind == "correction" or is_choice or not words or said.endswith(":") or words[0] in _FORGETTING:
        return ""
    if words[0] not in _BANS and words[0] in words_of("going_on"):
        return ""
    # "https://example.com/a can you help me commit" wants something done now.
    is_work = begins_work(words) or "you help me" in " ".join(words)
    if said.count(TAKEN_OUT) > 1 or is_mostly_secret(said) or is_work:
        return ""
    points = [word for word, thing in zip(words, [*words[1:], ""], strict=True) if thing not in _PLACES]
    # "We use pnpm here" and "I prefer tabs here" mean the project.
    places = points if words[0] in ("we", "wir") else points[-1:]
    points = [word for word in points if word not in ("here", "hier") or word not in places]
    telling = [word for word in telling_words(said) if word not in _PROPOSING]
    says_our_way = words[0] in ("we", "wir") and not _ALWAYS.isdisjoint(words[1:3])
    if len(telling) + says_our_way < _MIN_LASTING or not POINTING.isdisjoint(points) or "it" in words[:MAX_SUBJECT]:
        return ""
    return with_capital(said.rstrip(" ;,"))


def _without_nod(text: str) -> str:
    """Return a statement without the word at its head that only answers: of "no, let's keep cron" the rest."""
    first, _, rest = text.partition(" ")
    word = first.rstrip(",").casefold()
    is_nod = word in _NODS if first[-1:] == "," else word in _TURNS
    # "No, do the importer now" orders work.
    is_order = plain_words(rest)[-1:] and plain_words(rest)[-1] in _AT_ONCE
    return rest if is_nod and not is_order and len(rest.split()) >= _MIN_WITHOUT_NOD else text


def _as_a_rule(text: str) -> str:
    """Return what is always or never so without the "and" before it and the "that's a rule" behind it."""
    first, _, rest = text.partition(" ")
    if _ALWAYS.isdisjoint(plain_words(text)):
        return text
    told, comma, behind = rest.rpartition(",") if first.casefold() in _JOINS else text.rpartition(",")
    is_said = comma and " ".join(plain_words(behind)) in _A_RULE
    return told if is_said else f"{told}{comma}{behind}"


_LEAVE = ("can i ", "may i ", "could i ", "kann ich ", "darf ich ")


def choice(kind: str, text: str) -> str:
    """Return what a person chose among what an agent offered, without its number; "" for what orders work, and others.

    It holds as long as the work that it is about, so it is told with that and is no statement of its own.
    """
    # Who may do something now does it now.
    is_leave = text.partition('(asked: "')[2].casefold().startswith(_LEAVE)
    if kind != "decision" or is_leave or not text.startswith(("Chose ", "Answered ")):
        return ""
    from holdfast.language.triggers import is_substantial_ask

    said = text.partition(" ")[2].partition("; other options: ")
    numbered, colon, meaning = said[0].partition(': "')
    told = f'"{meaning}' if colon and '"' not in numbered else said[0] + (")" if said[1] else "")
    return "" if is_substantial_ask(told.strip('"').partition('"')[0]) else told


def stands(one: Trigger, is_instead: bool) -> bool:
    """Whether what may be said is said: that something is always or never done, or what holds `is_instead`."""
    if one.kind == "preference" and not _ALWAYS.isdisjoint(plain_words(one.text)):
        return True
    return is_instead and one.says_what_holds


def may_order(text: str) -> bool:
    """Whether a message may have an order that is to stand and names a call; light, since every prompt is asked."""
    said = text.casefold()
    if len(text) > _MAX_ORDERING or (
        _STANDING.isdisjoint(plain_words(said)) and not any(phrase in said for phrase in _STANDING_PHRASES)
    ):
        return False
    from holdfast.language.sentences import sentences

    return any(_may_order(one.text) for one in sentences(text) if len(one.text) <= MAX_SAID)


def _may_order(sentence: str) -> bool:
    """Whether a sentence has a word of what is to stand, and a name that may be a command, a tool or a place."""
    from holdfast.language.commands import is_known

    words = plain_words(sentence)
    stands = not _STANDING.isdisjoint(words) and not (_ALWAYS | _DENIALS).isdisjoint(words)
    stands = stands or any(phrase in sentence.casefold() for phrase in _STANDING_PHRASES)
    if not stands or sentence.rstrip().endswith("?"):
        return False
    return any(any(sign in word for sign in _IN_NAMES) for word in sentence.rstrip(".!").split()) or any(
        is_known(word) for word in words
    )


def begins_work(words: list[str]) -> bool:
    """Whether a sentence begins work and settles nothing, as "let's do the importer now" does."""
    return words[:1] in (["let"], ["lets"]) and words[-1] in _AT_ONCE


def _is_pick(words: list[str]) -> bool:
    """Whether the words of a decision name what was chosen by its number or letter, which says nothing later."""
    named = [words[place + 1] for place, word in enumerate(words[:-1]) if word in _OPTIONS]
    # "Use 5434" names a port.
    return any(len(word) <= _MAX_NUMBER and word.isdigit() for word in words[:4]) or any(
        len(letter) == 1 for letter in named
    )


def said_done(text: str) -> list[str]:
    """Return the sentences of the person that say that something is done.

    A tick that nobody asked for is worse than one that is missing. So the sentence neither asks nor denies nor makes a
    condition: "X is done", "finished X", "done: X", but not "when X is done".
    """
    lowered = text.lower()
    if not any(word in lowered for word in _DONE_WORDS):
        return []
    from holdfast.language.sentences import sentences, shorter

    return [sentence.text for sentence in sentences(shorter(text)) if _says_done(sentence)]


def tells_done(todo: str, statements: Iterable[str]) -> bool:
    """Whether one of these statements says that the to-do is done: the word that says so stands beside its words."""
    from holdfast.language.sentences import plain, sentences

    # The words of a to-do as a sentence has them.
    wanted = [word for each in sentences(todo) for word in bare_words(each)] or plain(todo).split()
    found = [sentence for one in statements for sentence in sentences(one) if _says_done(sentence)]
    return any(_stands_beside(bare_words(sentence), sentence.after, wanted) for sentence in found)


def _says_done(sentence: Sentence) -> bool:
    words = bare_words(sentence)
    if sentence.is_question or not words or words[0] in ASKING:
        return False
    if "fertig" in words[1:] and len(words) > FEW_WORDS and _IS.isdisjoint(words):
        # "Mach die Tokens fertig" orders it.
        return False
    return not _DONE_WORDS.isdisjoint(words) and DOUBTS.isdisjoint(words)


def _stands_beside(words: list[str], after: list[str], wanted: list[str]) -> bool:
    """Whether the wanted words stand beside one that says done, with nothing but small words between."""
    length = len(wanted)
    for start in range(len(words) - length + 1 if wanted else 0):
        if words[start : start + length] != wanted:
            continue
        behind = next((word for word in words[start + length :] if word not in _BETWEEN), "")
        before = start - 1
        while before >= 0 and words[before] in _BEFORE and not after[before]:
            before -= 1
        if behind in _DONE_WORDS or (before >= 0 and words[before] in _DONE_WORDS and "," not in after[before]):
            return True
    return False


_I = ("I", "I'", "I’", "I,")


def names_something(text: str) -> bool:
    """Whether a statement names a file, a name or a figure: without one it helps nobody who was not there."""
    return (
        not frozenset('`"/_').isdisjoint(text)
        or any(letter.isdigit() for letter in text)
        or any(is_file_name(word) for word in text.split() if "." in word[:-1])
        or any(word[1:].lower() != word[1:] or word[:1].isupper() for word in text.split()[1:] if word[:2] not in _I)
    )


def is_file_name(word: str) -> bool:
    """Whether a word is built like the name of a file: "package.json", and not "e.g."."""
    name, _, ending = word.strip("(),.:;").rpartition(".")
    return bool(name) and name[-2:].isalpha() and ending.isalpha() and ending.islower() and len(ending) > 1


def says_phrase(words: Iterable[str], list_of: str, *, at_first: bool = False) -> bool:
    """Whether words say one of the phrases of a list; `at_first` where they have to begin with it."""
    said = f" {' '.join(words)} "
    for phrase in lines(f"{WORDS}/{list_of}.txt"):
        told = phrase if phrase > PICTURES else f" {phrase} "
        if said.lstrip().startswith(told.lstrip()) if at_first else told in said:
            return True
    return False


def bare_words(sentence: Sentence) -> list[str]:
    """Return the words of a sentence without apostrophes, one for each that the sentence has."""
    return [word.replace("'", "") for word in sentence.words]


def plain_words(text: str) -> list[str]:
    """Return the words of a text in small letters, without signs and apostrophes."""
    return small_words(text.casefold(), _APOSTROPHES)
