"""What an agent's answer says about the work: what was done, what comes next, what is open.

It goes by words, in English and German, and asks no model. Lists of words are data, one file each in `words/`.
"""

from __future__ import annotations

from itertools import takewhile

from holdfast.continuity.done_steps import tells_step
from holdfast.continuity.messages import (
    DOUBTS,
    MAX_LINE,
    MAX_SAID,
    PICTURES,
    SIGNS,
    WONDERING,
    WORDS,
    bare_words,
    names_something,
    plain_words,
    says_phrase,
    words_of,
)
from holdfast.continuity.unfinished import UNDECIDED, names_rest, says_failing
from holdfast.language.word_lists import among, lines
from holdfast.privacy.fence import harmless_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.language.sentences import Sentence

MAX_SUMMARY = 240
_MAX_DONE = 480
# What may stand before the verb of a sentence that tells what was done.
_DOERS = frozenset(
    ("i", "we", "ive", "weve", "have", "also", "then", "just", "successfully", "and", "sorry", "now", "done", "all")
)
_WE = frozenset(("i", "we", "ive", "weve"))
_SAME_IN_THE_PAST = frozenset(("set", "put", "cut", "split", "reset"))
_BEING = frozenset(("is", "are", "was", "were", "been", "now", "ist", "sind", "wurde", "wurden"))
_READY = frozenset(("done", "erledigt", "fertig"))
_NOW = frozenset(("now", "jetzt", "nun"))
_WILL = frozenset(("wird", "werden"))
# Behind one of these nothing is told to be done.
_UNDONE = DOUBTS | frozenset(
    (
        *("you", "can", "could", "may", "might", "lets", "let", "ill", "im", "which", "that", "where", "because"),
        *("nothing", "none", "please", "ensure", "ensures", "make", "sure", "check", "see", "assume", "assumes"),
        *("require", "requires", "just", "since", "theyll", "youll", "itll"),
        *("du", "sie", "kann", "dass", "bitte", "weil"),
    )
)
# What an agent says of its own work, which tells nobody what the work is now.
_PRAISE = frozenset(
    (
        *("active", "better", "clean", "cleaner", "complete", "consistent", "easier", "fully", "functional", "good"),
        *("live", "maintainable", "more", "much", "production", "production-ready", "properly", "ready", "robust"),
        *("running", "solid", "working", "bereit", "fertig"),
    )
)
_NOTHING = frozenset(("no", "nothing", "or", "here", "because", "keine", "nichts", "oder", "hier", "weil"))
# A sentence with one of these praises, whatever it says that something does now.
_BOASTS = frozenset(("best", "comprehensive", "excellent", "perfectly", "beautiful", "seamless", "seamlessly"))
# Behind one of these "now" is a time, as in "run it now and tell me".
_JOINING = frozenset(
    ("it", "and", "or", "to", "with", "on", "for", "that", "let", "please", "you", "und", "oder", "mit")
)
_STATIVE = frozenset(
    (
        *("built", "cached", "closed", "configured", "connected", "covered", "disabled", "documented", "enabled"),
        *("encoded", "exported", "formatted", "generated", "handled", "imported", "installed", "logged", "opened"),
        *("registered", "scheduled", "sorted", "stored", "styled", "tested"),
    )
)
# What stands for a thing that the sentence before it named.
_ITS = frozenset(("it", "they", "es"))
_MEANT = frozenset(("it", "them", "sie", "es", "ihn"))
_POINTING_BACK = frozenset(("they", "that", "these", "those"))
_POINTED = frozenset(("it", "this", "that", "them", "everything"))
_EXCUSES = frozenset(("apologies", "apologize", "apologise", "confusion", "mistake", "oversight"))
# Words that name no thing: a sentence of changes that has no other says that something was done, and not what.
_UNNAMED = frozenset(
    (
        *("the", "all", "and", "any", "with", "for", "from", "this", "these", "those", "have", "has", "had", "been"),
        *("are", "was", "were", "its", "your", "our", "now", "also", "both", "change", "changes", "code", "done"),
        *("edit", "edits", "everything", "file", "files", "fix", "fixes", "bug", "issue", "issues", "latest", "new"),
        *("one", "two", "three", "four", "other", "block", "blocks", "search", "replace", "remote", "branch"),
        "branches",
        *("requested", "successfully", "task", "tasks", "update", "updates", "version", "work", "things", "too"),
        *("alles", "alle", "die", "der", "das", "und", "aenderung", "aenderungen", "dateien", "datei"),
    )
)
# With one of these the first sentence behind a change doubts, plans, asks for something or tells what is wrong.
_UNREPORTED = frozenset(
    (
        *("you", "your", "please", "will", "would", "should", "could", "might", "may", "need", "needs", "must", "lets"),
        *("not", "cannot", "cant", "dont", "doesnt", "isnt", "wont", "never", "still", "yet", "ill", "im", "seems"),
        *("fail", "fails", "failed", "failing", "error", "errors", "issue", "issues", "problem", "bug", "wrong"),
        *("apologies", "confusion", "mistake", "looks", "perhaps", "because", "see", "think", "understand"),
        *("blocked", "stopped", "waiting", "waits", "paused", "stuck", "untested", "blockiert", "bloqueado"),
        *("believe", "want", "going", "found", "looking", "trying", "let", "missing", "cause", "option", "here"),
    )
)
_PASSING = frozenset(("all", "and", "the", "tests", "test", "checks", "pass", "passed", "lint", "is", "are", "clean"))
# Signs with which a line of a list, a table, a heading or code begins.
_LISTING = "-*•#|<>0123456789"
_MAX_PROSE, _MAX_PLACE, FEW_WORDS = 6, 90, 5
# An answer of these alone claims that the work is done; of the files that were changed so many are named with it.
_CLAIMS, _MAX_NAMED = frozenset(("done", "works", "ready", "finished", "erledigt", "fertig", "passt", "geht")), 3
# Behind one of these the list that a colon announces is a part of the sentence.
_LEADING = frozenset(
    (
        *("to", "which", "that", "with", "containing", "including", "for", "by", "as", "from", "are", "is", "use"),
        *("uses", "says", "reads", "becomes", "like"),
    )
)
_ENGLISH = frozenset(("the", "and", "to", "is", "was", "not", "of", "in", "i", "it", "a", "were", "we", "you"))
NOT_TOLD = ("```", "|", "<", "- [ ]", "* [ ]")
_MIN_CHANGE = 3
_MIN_PROVEN = 20
_STOPS = ".!。！"
# A sentence as short as "Done." says nothing yet.
_MIN_SENTENCE = 12
_MAX_STEPS = 10
MAX_STEP = 300
# Before a small letter only a word of so many letters ends a sentence.
_MIN_LAST = 3
_ENDS = (". ", "! ", "? ", "。 ")
_BULLETS = ("- ", "* ", "• ")
_BULLET_SIGNS, _EMPTY_BOXES, _TICKS = " -*•", ("⬜", "☐", "🔲", "◻"), ("✅", "☑", "✔")
_MAX_HEADING = 60
# What talks to the person tells nothing that was found: "I'm ready for your request".
_ADDRESSING = frozenset(
    (
        *("you", "your", "please", "ill", "im", "let", "lets", "sorry", "hi", "du", "sie", "dir", "bitte"),
        *("te", "tu", "tus", "dime", "prueba", "recuerda", "puedes", "quieres", "podemos", "vous", "votre", "vos"),
        *("veuillez", "você", "vocês", "podemos", "seguiremos", "procederemos", "tuo", "puoi", "fammi"),
    )
)
# So many sentences end an answer.
_ENDING = 3
# "If", "please" and "you" in scripts without spaces.
_OFFERING = ("如", "若", "请", "請", "您", "你")
_HOUSEKEEPING = frozenset(
    (
        *("a", "add", "all", "and", "any", "app", "build", "changes", "check", "code", "commit", "contents", "create"),
        *("dependencies", "everything", "files", "for", "git", "github", "gitignore", "install", "it", "link", "new"),
        *("of", "on", "pr", "project", "pull", "push", "remote", "repository", "request", "restart", "review", "run"),
        *("server", "staging", "the", "them", "to", "verify", "your"),
    )
)
# So begins what tells of a thing; a step begins with what is to be done.
_TELLING = ("the ", "this ", "these ", "click ", "go to your ")


def done_by(answer: str, *, changed: Sequence[str] = ()) -> str:
    """Return the sentences of an answer that say what was changed, whole; nothing where none does.

    An answer to a question, praise of the own work and a mere "Applied the fix." tell nothing. Where files were
    `changed`, the first sentence that says something tells what came of it, where it names something and neither
    doubts nor plans: "Readings are stored in SQLite." An answer in another language goes by its first sentence alone.
    One that names nothing then has the files behind it: "Changed to 10 % (src/Logo.css)."
    """
    from holdfast.language.sentences import sentences

    changes = words_of("done")
    openers, found, before, is_code = tuple(lines(f"{WORDS}/openers.txt")), "", "", False
    has_boxes = any(line.lstrip(_BULLET_SIGNS).startswith(_EMPTY_BOXES) for line in answer.splitlines())
    for line in answer[:MAX_LINE].splitlines():
        is_code ^= line.lstrip().startswith("```")
        text = "" if is_code or line.lstrip().startswith(NOT_TOLD) else told_line(line)
        if has_boxes and line.lstrip(_BULLET_SIGNS).startswith(_TICKS):
            # Of a list of boxes each that is ticked is done.
            found = f"{found}; {text}" if found else text
            continue
        text = "" if line.lstrip(_BULLET_SIGNS).startswith(_EMPTY_BOXES) else text
        # A paragraph may go on from the one before it, an item of a list does not.
        before = "" if line.lstrip()[:1] in tuple(_LISTING) else before
        for whole in parted(text, openers):
            lead, before = before, whole
            head, _, rest = whole.partition(": ")
            begins = plain_words(head)[: _MIN_CHANGE + 1]
            # "I updated it as you said: the cache is gone": what was done stands behind it.
            is_lead = not (_DOERS.isdisjoint(begins[:1]) or _POINTED.isdisjoint(begins))
            # "Drafted the plan. I updated it as you said: ..." tells of the plan.
            # And "They now render at once" of what stands before it.
            is_led = bool(_MEANT.intersection(begins)) and names_something(lead)
            is_led = is_led or (bool(lead) and not _POINTING_BACK.isdisjoint(plain_words(whole)[:1]))
            is_of_lead = is_led and lead not in found
            is_lead = is_lead and len(rest.split()) > _MIN_CHANGE and not is_of_lead
            # Entries of a list end without a stop.
            told = f"{found}{'' if not found else ' ' if found[-1] in _STOPS else '; '}{rest if is_lead else whole}"
            # What begins with a joining word in small letters lost its beginning.
            is_whole = _is_whole(whole) and not whole.startswith(("and ", "but ", "or ", "which "))
            parts = sentences(_behind_its_place(whole, changes)) if len(told) <= _MAX_DONE and is_whole else []
            # Go, CI and UI are names; other words as short name nothing.
            if says_failing(whole):
                continue
            shortly = [word for word in whole.split()[1:] if len(word) == 2 and word[0].isupper() and word != "PR"]
            if (shortly or _named(plain_words(whole), changes)) and any(_tells_a_change(one, changes) for one in parts):
                if is_of_lead:
                    # "I renamed it" is nothing without what it is.
                    told = told[: len(told) - len(whole)] + f"{lead} {whole}"
                found = told.rstrip(":")
    found = found or (_came_of_it(answer) if changed else "")
    if not changed or names_something(found) or (not found and any(map(says_failing, sentences_of(answer)))):
        return found
    first = found or next((one for one in sentences_of(answer)[:_ENDING] if _is_nameless(one, changes)), "")
    files = ", ".join(changed[:_MAX_NAMED])
    return f"{first.rstrip(_STOPS)} ({files})." if first else ""


def _is_nameless(sentence: str, changes: frozenset[str]) -> bool:
    """Whether a sentence says that something was done, and not what: "Fixed it.", "Done!", "Changed to 10 %."."""
    words = [word for word in plain_words(sentence) if word not in _DOERS - {"done"}]
    is_short = 0 < len(words) <= _MAX_PROSE and sentence[-1] != ":"
    return is_short and (words[0] in changes or words[0] in _CLAIMS)


def found_by(answer: str) -> str:
    """Return the first sentences of an answer that say what was found out, whole; nothing where they name nothing."""
    openers, told = tuple(lines(f"{WORDS}/openers.txt")), ""
    for one in [one for one in sentences_of(answer) if not one.casefold().replace("’", "'").startswith(openers)]:
        # "I have not changed anything yet" is over once something is.
        is_rest = says_failing(one) or names_rest(plain_words(one))
        # What begins small or within code lost its beginning.
        is_begun = one[0] not in ",.;:)" and (not one[0].islower() or names_something(f"- {one.split()[0]}"))
        is_torn = not told and (not is_begun or one.count("`") % 2)
        if one[-1] == ":" or is_torn or is_rest or not _ADDRESSING.isdisjoint(plain_words(one)):
            continue
        if len(told) + len(one) >= MAX_SAID or one[-1] not in _STOPS:
            break
        told = f"{told} {one}".lstrip()
    return told if len(told) >= _MIN_PROVEN and names_something(told) else ""


def sentences_of(answer: str) -> list[str]:
    """Return the sentences of an answer without Markdown's signs, code, tables and boxes."""
    told, is_code = [], False
    for line in answer[:MAX_LINE].splitlines():
        is_code ^= line.lstrip().startswith("```")
        told += [] if is_code or line.lstrip().startswith(NOT_TOLD) else parted(told_line(line), ())
    return told


def _is_whole(sentence: str) -> bool:
    """Whether a sentence says all of it: what ends with a colon does where it names what its list is about."""
    words = plain_words(sentence)
    return sentence[-1] != ":" or (
        len(words) > FEW_WORDS and words[-1] not in _LEADING and "heres" not in words and names_something(sentence)
    )


def _behind_its_place(text: str, changes: frozenset[str]) -> str:
    """Return what a line says behind the file or the part that it is about: "`src/cart.ts` (line 3): Added a test"."""
    begins = [word for word in plain_words(text)[:_MIN_CHANGE] if word not in _DOERS]
    if begins and begins[0] in changes:
        # "Fixed the flicker: `a.py` rendered twice": the cause stands behind it.
        return text
    for sign in (" — ", " – ", " - ", ": "):
        place, found, rest = text.partition(sign)
        if found and len(place) <= _MAX_PLACE and names_something(f"- {place}"):
            return rest
    return text


def _came_of_it(answer: str) -> str:
    """Return the first sentence of an answer to a change of files that tells what came of it, where it names something.

    An answer in another language goes by its first sentence alone.
    """
    openers = tuple(lines(f"{WORDS}/openers.txt"))
    first = summary(answer)
    if len(_ENGLISH.intersection(plain_words(first))) < 2 and not names_something(first):
        says_nothing = says_failing(first) or first.casefold().replace("’", "'").startswith(openers)
        is_told = _MIN_PROVEN <= len(first) < MAX_SUMMARY and first[-1] in _STOPS and not says_nothing
        return first if is_told else ""
    told = answer[:MAX_LINE].partition("```")[0].splitlines()
    prose = [line for line in told if line.strip() and line.lstrip()[0] not in _LISTING]
    for text in [one for line in prose[:_MAX_PROSE] for one in parted(told_line(line), openers)]:
        clause = plain_words(text.partition(", ")[0])
        # What begins small lost its beginning, unless it is a name.
        is_begun = not text[0].islower() or names_something(f"- {text.split()[0]}")
        is_whole = _MIN_PROVEN <= len(text) < MAX_SUMMARY and text[-1] in _STOPS and is_begun and not says_failing(text)
        telling = [word for word in clause if word.isalpha() and word not in _PASSING]
        says_more = telling and clause[0] not in WONDERING and clause[0] not in _POINTING_BACK
        if is_whole and says_more and names_something(text) and (_UNREPORTED | _BOASTS).isdisjoint(clause):
            return text.removeprefix("Done: ")
    return ""


def told_line(line: str) -> str:
    """Return a line of an answer without Markdown's signs: bullets, numbers of a list, bold letters, links."""
    text = harmless_line(line).lstrip(SIGNS)
    number, dot, rest = text.partition(". ")
    text = (rest.lstrip(SIGNS) if dot and number.isdigit() else text).replace("**", "").rstrip("*_ ")
    first, *links = text.split("](")
    for link in links:
        before, bracket, name = first.rpartition("[")
        target, end, behind = link.partition(")")
        first = f"{before}{name}{behind}" if bracket and end and " " not in target else f"{first}]({link}"
    return first


def _tells_a_change(sentence: Sentence, changes: frozenset[str]) -> bool:
    """Whether a sentence of an agent states what was changed: who did it may go without saying, what it was may not."""
    words = bare_words(sentence)
    if sentence.is_question or _EXCUSES.intersection(words):
        return False
    first = next((place for place, word in enumerate(words) if word not in _DOERS), len(words))
    # "Set the port" is an order, "I set the port" a report.
    verbs = changes | _SAME_IN_THE_PAST if words[0] in _WE else changes
    least = _MIN_CHANGE - ("`" in sentence.text)
    if len(words) - first >= least and words[first] in verbs:
        return words[first + 1] not in _NOTHING
    # "Werden jetzt gespeichert" tells of now, "werden gespeichert" of later.
    sure = [
        word for word, behind in zip(words, [*words[1:], ""], strict=True) if behind not in _NOW or word not in _WILL
    ]
    return any(
        _named(words[:place], changes) and _UNDONE.isdisjoint(sure[: place - (len(words) - len(sure))])
        for place in range(1, len(words))
        if _is_state(words, place, changes)
    ) or (words[0] in ("ich", "wir") and words[-1] in changes and _UNDONE.isdisjoint(words))


def _named(words: list[str], changes: frozenset[str]) -> bool:
    """Whether words name a thing, or stand for one that was named before."""
    return any(word in _ITS or (len(word) > 2 and word not in changes | _UNNAMED | _DOERS) for word in words)


def _is_state(words: list[str], place: int, changes: frozenset[str]) -> bool:
    """Whether the word at this place says that something is otherwise than it was: "is added", "now uses"."""
    if words[place] in _READY:
        return words[place - 1] in _BEING
    if words[place] in changes:
        # "The page is styled with Sass" tells how something is, "was styled" what was done.
        return words[place - 1] in _BEING and not (words[place - 1] in ("is", "are") and words[place] in _STATIVE)
    if words[place] not in _NOW or words[0] in WONDERING or words[place - 1] == "for":
        return False
    if place + 1 == len(words):
        return words[0] in ("i", "we", "ich", "wir")
    if words[0] in ("i", "im", "ich"):
        # "I now write the test" tells what comes.
        return False
    return words[place + 1] not in _PRAISE | _JOINING and _BOASTS.isdisjoint(words)


def summary(answer: str) -> str:
    """Return the first sentence of an answer that says something, as one line without Markdown's signs around it."""
    openers = tuple(lines(f"{WORDS}/openers.txt"))
    passed_over = [""]
    for line in answer.splitlines():
        if line.lstrip().startswith(("```", "|", "<")):
            continue
        for text in parted(harmless_line(line[:MAX_LINE]).strip("#*_`>- "), openers):
            if not text.casefold().replace("’", "'").startswith(openers):
                return harmless_line(text, MAX_SUMMARY)
            passed_over.append(text)
    return harmless_line(max(passed_over, key=len), MAX_SUMMARY)


def parted(text: str, openers: tuple[str, ...]) -> list[str]:
    """Return the sentences of a line; one that is very short goes with the next, unless it is an opener."""
    found: list[str] = []
    while len(text) > 1:
        least = 0 if text[:_MIN_SENTENCE].casefold().replace("’", "'").startswith(openers) else _MIN_SENTENCE
        # Neither "SELECT ... FOR" nor "e.g. this" ends a sentence.
        ends = [place for place in range(max(least, 1), len(text) - 2) if text[place : place + 2] in _ENDS]
        real = [place for place in ends if _is_an_end(text, place)]
        end = real[0] + 1 if real else len(text)
        found.append(text[:end])
        text = text[end:].strip()
    return found


def _is_an_end(text: str, place: int) -> bool:
    """Whether the stop at this place ends a sentence; the next one may begin with a name in small letters."""
    word = text[:place].rpartition(" ")[2].strip("`()*\"'")
    # Neither "e.g. this" nor "approx. five" does, but "in src/main.rs. ecs is next" has two.
    is_word = word.isalpha() and len(word) >= _MIN_LAST and word.casefold() not in words_of("shortened")
    is_word = is_word or (len(word) > _MIN_LAST + 1 and ("." in word or "/" in word))
    return text[place - 1] != "." and (is_word or not text[place + 2].islower())


def next_steps(answer: str) -> tuple[str, ...] | None:
    """Return the list under the last heading that announces what comes next, none where it says that nothing does.

    None where an answer says nothing about it.
    """
    names = among("answers", "next-steps")
    boxes = [line.lstrip(_BULLET_SIGNS).replace("[ ] ", _EMPTY_BOXES[0], 1) for line in answer.splitlines()]
    boxes = [line.lstrip("".join(_EMPTY_BOXES) + "\ufe0f ") for line in boxes if line.startswith(_EMPTY_BOXES)]
    named = [] if (found := listed(answer, names)) else labelled(answer, names)
    found = found or named or [harmless_line(line, MAX_STEP) for line in boxes[:_MAX_STEPS]] or _announced(answer)
    if not found:
        return () if says_phrase(plain_words(answer), "all_done") else None
    # What is asked of the person or offered to them is no step of the work: that is answered at once or never. An agent
    # may also list what it has just done, or tell below "What remains" how something still is.
    asking = ("[x]", *(() if named else _TELLING), *lines(f"{WORDS}/asking.txt"))
    steps = [step.removeprefix("[ ] ").replace("**", "") for step in found]
    left = [step for step in steps if not step.lower().replace("’", "'").startswith(asking)]
    # "Commit changes" belongs to every plan, and says nothing once the plan is gone.
    left = [step for step in left if not _HOUSEKEEPING.issuperset(plain_words(step))]
    done = done_by(answer)
    left = [step for step in left if not step.rstrip(".) ").lower().endswith("(done") and not tells_step(step, [done])]
    # Many agents put a small picture before each step.
    pictures = "".join([sign for sign in "".join(left) if sign > PICTURES and not sign.isalnum()])
    return tuple(step.lstrip(f"{pictures} ") for step in left)


def _announced(answer: str) -> list[str]:
    """Return the sentences at the end of an answer that say what the agent does next: "Next, I'll write the tests"."""
    prose = [line for line in answer.splitlines() if line.strip() and not line.lstrip().startswith(NOT_TOLD)]
    every = [one for line in prose[-_ENDING:] for one in parted(told_line(line.replace("。", "。 ")), ())][-_ENDING:]
    found = []
    for one in [one for one in every if not one.rstrip().endswith(("?", "？", ":"))]:
        words = plain_words(one)
        # "Next I could add tests" offers something.
        is_sure = UNDECIDED.isdisjoint(words) and len(one) <= MAX_STEP and not any(sign in one for sign in _OFFERING)
        if is_sure and is_announced(one):
            found.append(harmless_line(one))
    return found


def is_announced(step: str) -> bool:
    """Whether a step is told as what the agent does next, in a sentence that says so."""
    return says_phrase(plain_words(step), "announcing", at_first=True)


def listed(answer: str, names: frozenset[str]) -> list[str]:
    """Return the list under the last heading that is one of these."""
    every = answer.splitlines()
    starts = [place for place, line in enumerate(every) if not names.isdisjoint(_headings(line))]
    found: list[str] = []
    for line in every[starts[-1] + 1 :] if starts else ():
        number, dot, _ = line.strip().partition(". ")
        if line.strip().startswith(_BULLETS) or (dot and number.isdigit()):
            found.append(line)
        elif line.strip() and (found or not line.startswith(" ")):
            break
    # Only a pause reads answers; a prompt needs nothing of pages.
    from holdfast.continuity.region import entries

    return [step for item in entries(found)[:_MAX_STEPS] if (step := harmless_line(item, MAX_STEP))]


def labelled(answer: str, names: frozenset[str]) -> list[str]:
    """Return what stands behind one of these names and a colon where a sentence begins, without what is asked then."""
    found = []
    for line in answer.splitlines():
        text = line.lstrip(SIGNS).replace("**", "")
        begins = [0, *[place + 1 for place in range(len(text)) if text[place : place + 2] in _ENDS]]
        for begin in begins:
            label, _, rest = text[begin:].partition(":")
            if label.strip().casefold() in names and rest.strip():
                # "Next: the charts. Should I go on?" has one step, and a question that is answered at once.
                told = [*takewhile(lambda one: not one.endswith("?"), parted(rest.strip(), ()))]
                found.append(harmless_line(" ".join(told) or rest, MAX_STEP))
                break
    return found


def _headings(line: str) -> list[str]:
    """Return what a line may be as a heading: all of it, or its last sentence, as in "It works. Next steps:"."""
    text = line.strip()
    last = text[max(text.rfind(end) + 1 for end in _ENDS) :] if text.rstrip("*_ ").endswith(":") else ""
    names = [one.strip().partition(" (")[0] for one in (text, last) if len(one.strip()) < _MAX_HEADING]
    bare = [one.strip("".join([sign for sign in one if not sign.isalnum()])) for one in names]
    return [one.casefold().replace("’", "'") for one in bare]


def midway(text: str) -> str:
    """Return the end of what an agent last said in a turn that was broken off, whole sentences; mostly a few."""
    is_code, told = False, list[str]()
    for line in text.splitlines():
        is_code ^= line.lstrip().startswith("```")
        if not is_code and not line.lstrip().startswith(NOT_TOLD):
            told += parted(told_line(line), ())
    # "Let me look at it:" announces a call, and says nothing without it.
    while told and told[-1].endswith(":"):
        told.pop()
    found = ""
    for one in reversed(told):
        if len(found) + len(one) >= MAX_SAID:
            break
        found = f"{one} {found}".rstrip()
    is_promise = found.casefold().replace("’", "'").startswith(tuple(lines(f"{WORDS}/openers.txt")))
    is_enough = len(found) >= (MAX_SAID // 4 if is_promise else _MIN_PROVEN) or not found.isascii()
    return found if is_enough or names_something(found) else ""


def ticked(answer: str) -> tuple[str, ...]:
    """Return the items of an answer that it shows as done, with a tick in their box."""
    items = [line.strip()[2:].strip() for line in answer.splitlines() if line.lstrip().startswith(_BULLETS)]
    return tuple(harmless_line(item[3:], MAX_STEP) for item in items if item.lower().startswith("[x]"))
