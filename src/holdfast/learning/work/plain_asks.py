"""Which messages of a person plainly ask for one piece of work, and what they demand: for sessions that are over.

While a session goes on, a hook may take an ask for work that turns out to be talk, and people see and correct it. What
is made of a transcript nobody looks at, so in doubt it is nothing: no question, no pasted text, no briefing, and no ask
whose first sentence does not say by itself what is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.base.text import one_line, with_capital
from holdfast.continuity import messages
from holdfast.language import triggers
from holdfast.language.ratings import explicit
from holdfast.language.sentences import Sentence, is_briefing, sentences
from holdfast.learning.work import plan_items
from holdfast.learning.work import text as work_text
from holdfast.sessions.quotes import headline

# A longer message is a document for the most part; a longer sentence explains, and is no title.
_MAX_ASK = 1_000
_MAX_TITLE = 120
_MIN_WORDS = 5
_MIN_POINTING = 6
_MIN_PLAIN = 0.7
_MAX_GOING_ON = 60
_MIN_HEADING = 3
# A sentence of fewer words that says how something should be is about what was said before.
_MIN_STATEMENT = 7


@dataclass(frozen=True, slots=True)
class PlainAsk:
    """One piece of work: its title is a whole clause, each demand a sentence or an item of a list as it was told."""

    title: str
    wanted: tuple[str, ...]
    barred: tuple[str, ...] = ()
    # It is told as an order, and not as what should be so.
    is_order: bool = True


def plain_ask(text: str) -> PlainAsk | None:
    """Return what a message asks for, None where it is not plainly one piece of work."""
    told = work_text.without_code(work_text.steered(text)).strip()
    if not told or len(told) > _MAX_ASK or is_briefing(told) or explicit(told) is not None:
        return None
    parts = sentences(told)
    if not parts or sum(len(one.text) for one in parts) < _MIN_PLAIN * len(" ".join(told.split())):
        # Much of it is no talk of a person's: lines of a log, code, a table.
        return None
    said = [one for one in parts if not work_text.every("polite").issuperset(one.words)]
    if not said or not _is_task(said[0]) or said[0].text.endswith(":"):
        return None
    title = one_line(work_text.first_part(said[0].text), 2 * _MAX_TITLE)
    if not _is_whole(title):
        return None
    demands = plan_items.asked(told)
    wanted = [title, *[one for one in demands.criteria if _is_whole(one) and one.casefold() not in title.casefold()]]
    barred = tuple([one for one in demands.anti_criteria if _is_whole(one) and one.casefold() not in title.casefold()])
    return PlainAsk(with_capital(title), tuple(wanted), barred, is_order=_orders(said[0]))


def agreed_plan(text: str) -> PlainAsk | None:
    """Return the piece of work that a plan is which the person agreed to: its heading; its lists are the agent's."""
    title = one_line(headline(text), 2 * _MAX_TITLE)
    return PlainAsk(title, (title,)) if len(title.split()) >= _MIN_HEADING and len(title) <= _MAX_TITLE else None


def goes_on(text: str) -> bool:
    """Whether a message changes nothing of what is asked: it goes on, agrees, rates it, or wants it committed."""
    told = work_text.steered(text) or text
    if messages.wants_to_go_on(text) or work_text.verdict(text) in ("done", "good"):
        return True
    if len(told) > _MAX_GOING_ON or told.endswith("?"):
        return False
    return triggers.is_trivial(told) or not work_text.every("commits").isdisjoint(work_text.plain(told))


def _is_task(sentence: Sentence) -> bool:
    """Whether a sentence tells to change something, by an order or by what should be so."""
    spoken = work_text.plain(sentence.text)
    joined = f" {' '.join(spoken)} "
    if work_text.is_question(sentence.text) or (sentence.is_question and not work_text.says(joined, "asks")):
        return False
    if work_text.first_words(spoken).split()[:1] in [[one] for one in work_text.every("looking")]:
        return False
    return _orders(sentence) or (work_text.says(joined, "must") and len(spoken) >= _MIN_STATEMENT)


def _orders(sentence: Sentence) -> bool:
    begins = work_text.first_words(work_text.plain(sentence.text))
    verbs = work_text.every("orders") | work_text.every("tasks")
    is_order = any(begins.startswith(f" {entry} ") for entry in verbs)
    return is_order or "task" in triggers.judged([sentence])[0][0]


def _is_whole(clause: str) -> bool:
    """Whether a clause makes sense alone: it names its object, and nothing of it is cut off."""
    said = work_text.plain(clause)
    if len(said) < _MIN_WORDS or len(clause) > _MAX_TITLE or clause.endswith((":", ",", "...", "…")):
        return False
    pointing = work_text.every("pointing") | work_text.every("vague")
    if said[-1] in (work_text.every("joining") | work_text.every("behind") | {"the", "with", "that"}) - pointing:
        return False
    is_clear = said[0] not in pointing and (said[1] not in pointing or len(said) >= _MIN_POINTING)
    return is_clear and clause.count("(") == clause.count(")") and clause.count("`") % 2 == 0 == clause.count('"') % 2
