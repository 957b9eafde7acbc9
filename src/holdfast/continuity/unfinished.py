"""What is not done: by a sentence of an agent, which says so, or by the commands of a turn, of which one failed last.

Sentences go by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`.
"""

from __future__ import annotations

from holdfast.base.minijson import dumps
from holdfast.base.rows import texts_in
from holdfast.base.text import DOTS, cut
from holdfast.continuity.messages import DOUBTS, WORDS, clean, names_something, plain_words, says_phrase, words_of
from holdfast.continuity.open_sessions import FAILING
from holdfast.language.word_lists import lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.agents.transcript_calls import ToolCall
    from holdfast.continuity.open_sessions import Opened

_MAX_COMMAND, _MAX_FAILURE, _MAX_FAILED = 120, 240, 2
# "You still need to restart it" tells the person what to do.
UNDECIDED = frozenset(("you", "your", "youll", "would", "could", "might", "may", "du", "sie", "whether", "ob", "or"))
_STILL = frozenset(("still", "noch", "weiterhin"))
_FAILING = frozenset(
    (
        *("fail", "fails", "failing", "broken", "crash", "crashes", "error", "errors", "hit", "hits", "times"),
        *("fehl", "kaputt"),
    )
)
# What names a thing weighs so much: two plain words do together, as "file name".
_MIN_NAMED = 0.5
_UNFAILED = frozenset(
    (
        *("if", "whether", "should", "would", "could", "might", "may", "no", "not", "nothing"),
        *("wenn", "falls", "ob", "nicht"),
    )
)
# That one of these is still open tells how a tracker is, and not the work.
_TRACKED = frozenset(("issue", "issues", "pr", "prs", "ticket", "tickets", "bead", "beads", "pull"))
_REMAIN = frozenset(("remain", "remains", "left", "bleiben"))
# Behind one of these stands why something is not done.
_REASONS = (": ", " because ", " since ", ", as ", ", weil ", ", da ", " porque ", " parce que ")
_STATES = (" still uses ", " still use ")
# Clauses of one sentence, of which one may say what is left.
_CLAUSES = ("; ", " but ", ", aber ", " aber ")
# "The stop words still have to be chosen": what is left are the stop words.
_SETTLED = frozenset(("chosen", "decided", "picked", "clarified", "gewaehlt", "entschieden", "festgelegt", "geklaert"))
_WHO = frozenset(("i", "ive", "we", "weve", "ich", "wir", "is", "are", "was", "were", "been", "be"))


def says_failing(sentence: str) -> bool:
    """Whether a sentence states that something still fails, is blocked or left to the person, or still to be done."""
    words = plain_words(sentence)
    if sentence.rstrip().endswith("?") or (words and words[0] in ("if", "wenn", "falls")):
        return False
    if words[:1] in (["blocked"], ["blockiert"], ["bloqueado"]) or says_phrase(words, "blocked"):
        return True
    if words_of("empty").issuperset(words) or (" still open" in " ".join(words) and not _TRACKED.isdisjoint(words)):
        return False
    if names_rest(words):
        # "I could not" tells what happened.
        return UNDECIDED.isdisjoint(" ".join(words).replace("could not", "").split())
    # "If it still fails, run it again" states nothing.
    still = [place for place, word in enumerate(words) if word in _STILL]
    is_sure = _UNFAILED.isdisjoint(words)
    return is_sure and any(not _FAILING.isdisjoint(words[place + 1 : place + 4]) for place in still)


def says_undone(sentence: str) -> bool:
    """Whether a sentence states that something is still to be done, and not that it fails."""
    return says_failing(sentence) and names_rest(plain_words(sentence))


def waits_for_the_person(sentence: str) -> bool:
    """Whether a sentence says what the agent needs of the person before it can go on: "Blocked: I need its name"."""
    return not says_undone(sentence) and says_phrase(plain_words(sentence), "waiting")


def is_unexplained(sentence: str) -> bool:
    """Whether a sentence says that the agent does not know why something is as it is."""
    return says_phrase(plain_words(sentence), "unexplained")


def names_no_thing(sentence: str) -> bool:
    """Whether what a sentence says is undone could be anything: "I have not changed anything yet"."""
    from holdfast.inject.prompt import weight

    is_named = names_something(sentence) or not says_undone(sentence)
    return not is_named and sum(weight(word) for word in plain_words(what_is_left(sentence))) < _MIN_NAMED


def what_is_left(sentence: str) -> str:
    """Return what a sentence says is to be done: of "the list works; I still need to write the form" the form.

    Without its reason, the words that say that it is not done, and who was to do it. Of "I haven't pushed it yet" the
    verb is all that is left.
    """
    from holdfast.inject.prompt import weight

    label, _, behind = sentence.partition(": ")
    # "Still to do: the docs" names it behind the label.
    sentence = behind if behind and not _without_phrases(label) else sentence
    for sign in _REASONS:
        sentence = sentence.partition(sign)[0]
    for sign in _STATES:
        # Of "the form still uses white" the form is what is left.
        sentence = sentence.partition(sign)[0]
    for sign in _CLAUSES:
        sentence = sentence.replace(sign, _CLAUSES[0])
    clauses = sentence.split(_CLAUSES[0])
    said = _without_phrases(" ".join([one for one in clauses if names_rest(plain_words(one))] or clauses))
    changes = words_of("done")
    bare = [word for word in said if not (word in changes or word in _SETTLED or word.isdigit())]
    return " ".join(bare if any(map(weight, bare)) else said)


def _without_phrases(text: str) -> list[str]:
    """Return the words of a text without those that say that something is not done, and who does it."""
    said = f" {' '.join(plain_words(text))} "
    for phrase in sorted(lines(f"{WORDS}/undone.txt"), key=len, reverse=True):
        said = said.replace(f" {phrase} ", " ")
    # Half cents are a thing.
    return [word for word in said.split() if word == "half" or not (word in DOUBTS or word in _WHO)]


def names_rest(words: list[str]) -> bool:
    """Whether the words of a sentence say that something is not done, of whatever thing."""
    if words[-1:] == ["yet"] and not DOUBTS.isdisjoint(words[:-1]):
        return True
    if words[-1:] and words[-1] in _REMAIN and words[0] in lines(f"{WORDS}/steps.txt"):
        return True
    return says_phrase(words, "undone")


def failing_command(line: str, error: str) -> str:
    """Return a command that failed and what its error says, on one line; nothing of one that only looks."""
    from holdfast.language import commands, failures

    if line and commands.only_looks(line):
        return ""
    command = cut(commands.shown(failures.without_tags(line)), _MAX_COMMAND, DOTS)
    return clean(f"{command}: {failures.error_line(error) or 'failed'}", _MAX_FAILURE)


def left_failing(calls: Iterable[ToolCall], before: Iterable[tuple[str, str]] = ()) -> dict[str, str]:
    """Return what still fails after these calls: the checks, and the command that failed last, by what they run.

    `before` is what failed earlier in the turn. What passed since then, also in another form of the same command, fails
    no more.
    """
    from holdfast.language import commands, failures, tools

    failing, checks = dict(before), set[str]()
    for call in calls:
        line = tools.line_of(call.given)
        main = commands.main_of(line) if line and call.ended else None
        if main is None or failures.is_refused(call.output):
            continue
        failing.pop(main.about, None)
        told = failing_command(line, call.output) if call.ended == "failed" else ""
        checks |= {main.about} if main.is_check else set()
        failing |= {main.about: told} if told else {}
    last = [*failing][-1:]
    return {about: text for about, text in [*failing.items()][-_MAX_FAILED:] if about in (*checks, *last)}


def failing_rows(lines: list[bytes], one: Opened) -> list[tuple[str, str]]:
    """Return what a turn that is broken off leaves failing, where its transcript tells how its commands ended."""
    from holdfast.agents.transcript_calls import told

    calls = [call for call in told(lines).calls if call.ended]
    noted = "".join([text for kind, text, _ in one.since_answered() if kind == FAILING][-1:])
    known = texts_in(noted) or ()
    left = left_failing(calls, zip(known[::2], known[1::2], strict=False))
    return [(FAILING, dumps([text for pair in left.items() for text in pair]))] if calls else []
