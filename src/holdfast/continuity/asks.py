"""What a person's messages ask for: which of them is worked on, and what only agrees, wonders, thanks or ends the day.

It goes by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`.
"""

from __future__ import annotations

from holdfast.continuity.messages import (
    ASKING,
    DEMANDS,
    DOUBTS,
    FEW_WORDS,
    MAX_ASK,
    MAX_LINE,
    MAX_SUBJECT,
    MAX_TASK,
    POINTING,
    TAKEN_OUT,
    WONDERING,
    WORDS,
    bare_words,
    begins_work,
    clean,
    plain_words,
    said_done,
    says_phrase,
    wants_to_go_on,
    whole,
    words_of,
)
from holdfast.language.word_lists import among, lines
from holdfast.privacy.redact import is_mostly_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.language.sentences import Sentence
    from holdfast.language.triggers import Trigger


# So begins a question without its mark: "whats the port", "which port is staging", "how do we format prices".
_SHORT_QUESTIONS = frozenset(("whats", "wheres", "whos", "hows"))
_ASKED_BARE = frozenset(
    (
        *("what", "which", "where", "who", "whose", "how", "why", "welche", "welcher", "welches", "wer", "wie", "wo"),
        *("warum", "wieso"),
    )
)
_NAMING = frozenset(("which", "what", "whose", "how", "welche", "welcher", "welches"))
_INVERTED = frozenset(
    (
        *("is", "are", "was", "were", "do", "does", "did", "can", "should", "would", "has", "have", "many", "much"),
        *(
            "ist",
            "sind",
            "war",
            "waren",
            "heisst",
            "heissen",
            "heißt",
            "heißen",
            "hat",
            "haben",
            "kann",
            "geht",
            "viele",
            "viel",
        ),
    )
)
# So begin short questions of how far the work is.
_HOW_FAR = frozenset(
    ("found", "any", "anything", "news", "ready", "done", "finished", "status", "schon", "fertig", "alles")
)
# A mood of more than this is praise.
_MIDDLING = 5
# Of these alone an order consists that ends a piece of work and begins none.
_ERRANDS = frozenset(
    (
        *("commit", "push", "merge", "rebase", "stage", "pr", "branch", "main", "master", "origin", "git", "it"),
        *("this", "that", "them", "the", "all", "changes", "everything", "and", "then", "now", "please", "ok", "okay"),
        *("can", "could", "you", "to", "lets", "go", "ahead", "run", "tests", "again", "with", "a", "commits"),
        *("good", "your", "bitte", "committe", "committen", "commite", "pushe", "pushen", "und", "alles", "das"),
        *("jetzt", "mal", "linter", "lint", "suite", "checks", "build", "formatter", "format", "test", "once"),
        *("more", "message", "yes", "thanks", "thx", "pls", "lass", "die", "laufen", "nochmal", "den", "lauf"),
        *("my", "our", "recent", "latest", "last", "new", "files", "work", "code", "every", "whole", "single", "one"),
        *("führe", "aus"),
    )
)
# A statement with one of these tells how something is always done; who wants it done now says so otherwise.
_HABITS = frozenset(
    (
        *("always", "usually", "normally", "generally", "policy", "convention"),
        *("immer", "grundsätzlich", "normalerweise", "üblicherweise"),
    )
)
_BEFORE_DROPPING = frozenset(
    ("ok", "okay", "just", "then", "please", "well", "fine", "na", "dann", "ja", "gut", "also")
)
_BEHIND_DROPPING = frozenset(("then", "please", "now", "for", "dann", "bitte", "erstmal", "einfach"))
# Who does something is named in so many words; with one of these a thing does it.
_MAX_DOER = 4
_TROUBLES = frozenset(
    (
        *("aerger", "angst", "fehler", "kaputt", "keine", "keinen", "langsam", "nicht", "nichts", "probleme", "sinn"),
        *("was", "wenig", "zu", "not", "nothing", "weird", "wrong", "too", "what", "it", "this", "that", "so", "noch"),
    )
)
# The cues of a sentence that wants something done, or tells what is wrong.
_WANTING = frozenset(("task", "asked", "fault", "report", "hands", "order", "correction", "ban", "addressed", "shape"))
# "Thanks, looks good so far" is too mild for a mood, and asks nothing all the same.
_CONTENT = frozenset(("thanks", "thank", "good", "great", "fine", "nice", "cool", "lgtm", "danke", "gut", "merci"))
# Behind one of these stands the secret that is handed over.
_GIVING = frozenset(("is", "are", "=", "ist", "lautet", "es", "est", "é"))
# With one of these a task has conditions.
_CONDITIONS = frozenset(
    (
        *("dont", "not", "no", "never", "without", "only", "keep", "must", "constraints", "nicht", "ohne", "nur"),
        "kein",
        *("keine", "muss", "sin", "solo", "nunca", "sans", "pas", "jamais", "sem", "senza", "bez", "не", "без"),
    )
)
_DISCONTENT = DOUBTS | {"but", "still", "too", "aber", "immer", "zu"}
# What was said to an ask is told with it, so many messages; these are the kinds of messages, and how soon one says so.
_MAX_ADDED, _SOON = 12, 8
_TASK, _ADDITION, _ASIDE = "task", "addition", "aside"
_MIN_ASK, _MIN_TELLING, _SAME = 12, 4, 80
# A task of so much weight is the one that is worked on, whatever was asked before; another is much larger than a small
# one where it weighs so many times more.
_LARGE, _LARGER = 8.0, 2.0


def asked(text: str) -> str:
    """Return the first line of what the person asks for; nothing where they only agree, greet, judge or go on."""
    from holdfast.inject.prompt import asks_something

    if not asks_something(text) or wants_to_go_on(text) or _only_judges(text) or _is_passing(text):
        return ""
    said = [line for line in text[: MAX_ASK * 4].splitlines() if line.strip()]
    announces = bool(said) and said[0].rstrip().endswith(":")
    if announces and said[1:2] and said[1].startswith("# "):
        # "Implement the following plan:", and then the plan, which has a title.
        return clean(said[1].lstrip("# "), MAX_ASK)
    # A line that announces a list says little without it. What is whole only when they are joined may be a secret.
    return clean(" ".join(said if announces else said[:1]), MAX_ASK)


def _is_passing(text: str) -> bool:
    """Whether a message is a good-bye, small talk, a command of the agent or a handover of a secret, and no more."""
    if len(text) > MAX_ASK:
        return False
    first, *rest = text.split()
    if first.startswith("/") and "/" not in first[1:] and first[1:].replace("-", "").isalpha() and not rest:
        return True
    from holdfast.inject.prompt import asks_something

    parts = text.replace("!", ".").replace(",", ".").replace(" - ", ".").split(".")
    left = [part for part in parts if asks_something(part) and not _is_leaving(part) and not _only_judges(part)]
    if any(map(_is_leaving, parts)):
        # "Stop here for today. The tests tomorrow."
        left = [part for part in left if len(part.split()) > FEW_WORDS]
    return not left or _hands_over_a_secret(text)


def _hands_over_a_secret(text: str) -> bool:
    """Whether a message says what a secret is, and nothing else: "the token is ... if you need it"."""
    if TAKEN_OUT not in text:
        return False
    from holdfast.inject.prompt import asks_something

    clauses = [clause.split() for clause in text.replace(" and ", ", ").replace(". ", ", ").split(", ")]
    for words in [words for words in clauses if asks_something(" ".join(words))]:
        place = next((place for place, word in enumerate(words) if TAKEN_OUT in word), 0)
        # "Log in with ..." says what to do with it.
        is_given = place and words[place - 1].casefold() in _GIVING
        if not is_given and not (len(words) == 1 and TAKEN_OUT in words[0]) and words[0].casefold() != "if":
            return False
    return True


def _only_judges(text: str) -> bool:
    """Whether a message is a rating or praise and nothing else; a number alone asks nothing."""
    if len(text) > MAX_ASK:
        return False
    from holdfast.language import moods

    if moods.may_have_a_number(text):
        # Most messages have no number.
        from holdfast.language import ratings

        said = ratings.parsed(text)
        if said is not None:
            return not _asks_beside_a_verdict(plain_words(said.comment))
    words = plain_words(text)
    # Of most messages this is told soon, and the mood is not.
    if _asks_beside_a_verdict(words):
        return False
    mood = moods.mood(text)
    return mood.rating > _MIDDLING if mood else not _CONTENT.isdisjoint(words) and _DISCONTENT.isdisjoint(words)


def _asks_beside_a_verdict(words: list[str]) -> bool:
    """Whether words ask for something when those are left out that say how good the work was."""
    from holdfast.inject.prompt import asks_something

    judging = among("ratings", "verdicts") | among("ratings", "judging")
    return asks_something(" ".join([word for word in words if word not in judging]))


def worked_on(prompts: Sequence[str], *, is_answered: bool = False, are_tasks: bool = False) -> list[str]:
    """Return the ask that is worked on and what was said to it since, in that order; prompts come the newest first.

    The ask is the last one that stands for itself and weighs much, or the weightiest; it is never left out. Of very
    many additions those in the middle are. Replies, asides, errands and what is only to be remembered order nothing;
    with `is_answered` the newest of them is over as well. `are_tasks` where all were found to order something.
    """
    from holdfast.inject.prompt import weight_of
    from holdfast.language.reported import around_others

    found: list[tuple[str, float]] = []
    begun: set[str] = set()
    goes_back = False
    asides: list[str] = []
    heaviest = 0.0
    for place, text in enumerate(prompts):
        # A mail that somebody pasted is not what they asked for; what they said of it is.
        text = around_others(text) if "\n" in text else text
        weight, line = weight_of(text[:MAX_LINE]), " ".join(text.split())
        is_over = bool(found or place or is_answered)
        # Behind very many additions only what weighs more than they do may be the ask, or what came first.
        is_more = len(found) > _MAX_ADDED and weight <= heaviest and place + 1 < len(prompts)
        # What the person said once more, from its beginning on, counts as it was said last.
        if is_more or line[:_SAME] in begun or not asked(text) or (is_over and is_errand(text)):
            continue
        kind = _TASK if are_tasks else _kind_of(text)
        if kind == _ASIDE and (found or is_answered):
            asides.append(line)
        elif kind:
            # Who interrupts the work has not ended it.
            is_alone = kind == _TASK and _stands_alone(text) and not _says(text, "interrupting")
            found.append((line, weight if is_alone else 0.0))
            begun.add(line[:_SAME])
            heaviest = max(heaviest, weight)
            goes_back |= _says(text, "returning")
            if (is_alone and weight >= _LARGE) or _says(text, "new_topic"):
                if goes_back:
                    # It came up beside the work to which the person returned.
                    goes_back = False
                    continue
                return [told for told, _ in found[::-1]]
    if not found:
        # "And does it honour Retry-After?" is nothing without the question before it.
        alone = [place for place, text in enumerate(asides) if not leans_on_another(text)]
        return asides[: alone[0] + 1 if alone else None][::-1]
    weights = [weight for _, weight in found]
    if are_tasks and not any(weights):
        # Of small tasks the last counts, with what it leans on.
        weights = [0.0 if leans_on_another(told) else 1.0 / place for place, (told, _) in enumerate(found, 1)]
    last = -1
    for place, weight in enumerate(weights):
        # A small task that came before another is over, unless it is much larger or has conditions.
        least = _LARGER * weights[last] if _CONDITIONS.isdisjoint(plain_words(found[place][0])) else weights[last]
        last = place if weight and (last < 0 or weight >= least) else last
    return [told for told, _ in found[last::-1]]


def _kind_of(text: str) -> str:
    """Return whether a message orders something, adds to what was asked, or only wants to know something; "" else."""
    from holdfast.language import triggers
    from holdfast.language.requests import requests
    from holdfast.language.sentences import sentences, shorter

    every = sentences(shorter(text))
    keeping = [said for one in requests(every, text) for said in _to_keep(text, one.sentence, one.statement)]
    telling = [one for one in every if one.text.lstrip("-*• ") not in keeping and one.text not in keeping]
    if every and not telling:
        return ""
    # What nobody can split into sentences may be pasted, and is what was asked for.
    if only_asks(text) or (every and all(_asks_only(one) for one in telling)):
        return _ASIDE
    # "We decided to use Stripe" says how to do what was asked before.
    return _TASK if focus_of(text, text, tuple(one for one in triggers.scan(text) if one.sure)) else _ADDITION


def is_errand(text: str) -> bool:
    """Whether a message orders only what ends a piece of work: "run the tests", "commit this and push it".

    A single word orders no more, however it is spelled: "commi", "clear".
    """
    return _ERRANDS.issuperset(plain_words(text)) or (text.isascii() and text.strip(" .!").isalpha())


def _says(text: str, list_of: str) -> bool:
    """Whether a message begins with one of the phrases of a list, or soon says it."""
    said = f" {' '.join(plain_words(text[:MAX_ASK])[:_SOON])} "
    return any(f" {phrase} " in said for phrase in lines(f"{WORDS}/{list_of}.txt"))


def points_back(text: str) -> bool:
    """Whether what is asked for means a step of a plan by its number, or goes on from an ask before it."""
    if _says(text, "new_topic"):
        return False
    return (leans_on_another(text) and not _stands_alone(text)) or (len(text) <= MAX_ASK and names_step(text))


def names_step(text: str) -> bool:
    """Whether a text names a step of a plan by its number."""
    words = plain_words(text[:MAX_ASK])
    steps = frozenset(lines(f"{WORDS}/steps.txt"))
    return any(word in steps and behind.isdigit() for word, behind in zip(words, [*words[1:], ""], strict=True))


def only_asks(text: str) -> bool:
    """Whether a message does nothing but want to know something, beside the work."""
    from holdfast.inject.prompt import asks_something
    from holdfast.language.sentences import sentences, shorter

    # "Hm, ok." before a question asks nothing.
    is_short = len(text) <= MAX_ASK
    every = [one for one in sentences(shorter(text)) if asks_something(one.text)] if is_short or "?" in text else []
    if every and _is_leaving(every[0].text):
        every = [one for one in every if one.is_question]
    # "When I click it, nothing happens. Is that wanted?"
    leads = WONDERING if "?" in text else ()
    return bool(every) and all(_asks_only(one) or bare_words(one)[0] in leads for one in every)


def says_good_bye(text: str) -> bool:
    """Whether a message says in a sentence that the work is over for now."""
    return any(map(_is_leaving, text[:MAX_ASK].replace("!", ".").split(".")))


def _is_leaving(sentence: str) -> bool:
    """Whether a sentence says only that the work is over for now, as "great, that's it for now" does."""
    words = plain_words(sentence)
    said = f" {' '.join(words)} "
    found = [phrase for phrase in lines(f"{WORDS}/leaving.txt") if f" {phrase} " in said]
    return any(len(words) <= len(phrase.split()) + FEW_WORDS for phrase in found)


def _asks_only(sentence: Sentence) -> bool:
    """Whether a sentence wants to know something, and nothing done; many leave its mark out."""
    words = plain_words(sentence.text.rpartition(": ")[2]) if sentence.is_question else bare_words(sentence)
    words = words or bare_words(sentence)
    while len(words) > 1 and words[0] in words_of("joining"):
        words = words[1:]
    first = words[0]
    begins = says_phrase(bare_words(sentence), "explaining", at_first=True)
    if begins or says_phrase(words, "explaining", at_first=True) or (sentence.is_question and "eigentlich" in words):
        return True
    if sentence.is_question:
        # "Found anything?" and "any idea yet?" want to know how far it is; "tests too, please?" wants more.
        is_how_far = len(words) <= FEW_WORDS and first in _HOW_FAR
        return first in WONDERING or first in ASKING or is_how_far
    # "Which port was staging", but neither "what I want is a list" nor "when it is done, push it".
    is_inverted = first in _ASKED_BARE and not _INVERTED.isdisjoint(words[1 : 2 + (first in _NAMING)])
    return first in _SHORT_QUESTIONS or is_inverted


def _stands_alone(text: str) -> bool:
    """Whether a prompt says enough to be understood by itself: many words that tell, and no beginning that goes on."""
    from holdfast.inject.prompt import asks_something, weight_of

    head, stop, rest = text[:MAX_LINE].replace("!", ".").partition(". ")
    # "Perfect. Now the chart ..." begins with the chart.
    said = plain_words(rest if stop and (not asks_something(head) or _only_judges(head)) else text[:MAX_LINE])
    goes_on = not said or said[0] in words_of("going_on") or bool(DEMANDS.intersection(said[2:5]))
    return not goes_on and weight_of(text[:MAX_LINE]) >= _MIN_TELLING


def leans_on_another(ask: str) -> bool:
    """Whether what is asked for goes on from an ask before it, or points at what that named."""
    words = plain_words(ask)
    points = POINTING.intersection(words[:MAX_SUBJECT]) or any(sign in ask[:MAX_SUBJECT] for sign in "这這那此")
    return len(ask) < _MIN_ASK or not words or words[0] in words_of("going_on") or bool(points)


def focus_of(text: str, ask: str, found: tuple[Trigger, ...]) -> str:
    """Return what a message is about: what it asks for beside its statements; nothing where there is no such thing."""
    rest, in_full, first = text, text, [one.text for one in found if one.kind == "priority"]
    for one in found:
        # What comes first, or is of the moment, is asked for, whatever else the sentence says.
        # "Wrong, they should get the first one" changes what was asked for.
        is_changed = one.kind == "correction" and not DEMANDS.isdisjoint(plain_words(one.text))
        is_asked = one.text in first or is_changed or begins_work(plain_words(one.text))
        for said in () if is_asked else _to_keep(text, one.text, one.statement):
            rest = rest.replace(said, " ")
            # Everything else is a condition of the task, also where it lasts longer.
            in_full = in_full.replace(said, " ") if one.kind == "remember" else in_full
    # "Please commit" belongs to whatever is worked on.
    opening, _, end = rest.strip(" .!\n").replace("!", ".").partition(".")
    is_over = _is_leaving(opening) or (_is_leaving(end) and not _CONTENT.isdisjoint(plain_words(opening)))
    if said_done(rest) or _ERRANDS.issuperset(plain_words(rest)) or is_over:
        return ""
    about = ask if rest is text else asked(rest)
    if not about or is_mostly_secret(about) or _only_states(rest):
        return ""
    from holdfast.inject.block import both_ends

    # A plan that is handed over begins with its title.
    before, _, rest = in_full.partition(about)
    return both_ends(clean(about + rest if before.endswith("# ") else in_full, MAX_LINE * 8), MAX_TASK)


def _to_keep(text: str, sentence: str, statement: str) -> list[str]:
    """Return a sentence and what it means: the one before it, or each line of the list that it announces."""
    if statement.endswith(":"):
        return [sentence, *whole(text, sentence, statement).split("\n")]
    return [sentence, *([statement] if 0 <= text.find(statement or sentence) < text.find(sentence) else [])]


def _only_states(text: str) -> bool:
    """Whether a message says only how something is always done, which is no task: "we always deploy on Tuesdays"."""
    if _HABITS.isdisjoint(plain_words(text[:MAX_LINE])):
        # Most messages have no such word.
        return False
    from holdfast.language import triggers
    from holdfast.language.triggers import begins_as_order

    parts = triggers.own_sentences(text)
    return bool(parts) and all(
        not (one.is_question or _HABITS.isdisjoint(one.words) or DEMANDS.intersection(bare_words(one)))
        and _WANTING.isdisjoint(cues)
        and not any(map(begins_as_order, one.text.split(", ")))
        for one, cues in zip(parts, triggers.judged(parts)[0], strict=True)
    )


def dropped(text: str) -> list[str]:
    """Return what the person says need not be done: of "skip the metric, we don't need it" the metric.

    Or need not be done here: of "the metric is done by the other team" it, too.
    """
    found = []
    for clause in text[:MAX_LINE].replace("!", ".").replace(";", ".").replace(",", ".").split("."):
        words = plain_words(clause)
        while words[:1] and words[0] in _BEFORE_DROPPING:
            words = words[1:]
        while words[-1:] and words[-1] in _BEHIND_DROPPING:
            words = words[:-1]
        said = " ".join(words)
        for before, _, after in [phrase.partition("...") for phrase in lines(f"{WORDS}/dropping.txt")]:
            if said.startswith(before) and said.endswith(after) and len(said) > len(before) + len(after):
                found.append(said[len(before) : len(said) - len(after)])
        if "?" not in clause and _TROUBLES.isdisjoint(words):
            parts = [said.partition(f" {does} ") for does in lines(f"{WORDS}/handing_over.txt")]
            found += [what for what, _, who in parts if what and 0 < len(who.split()) <= _MAX_DOER]
    return found
