"""What a memory says that is a rule, a decision, a lesson or a value: its statement, its reason, whether it holds.

The first paragraph of the body is the statement. A paragraph that begins with `Why: ` is the reason. Every other one is
the person's, and stays where it is. What was withdrawn is struck through where it stands, with the day; what another
memory supersedes is left as it was.
"""

from __future__ import annotations

from holdfast.base.clock import is_day
from holdfast.base.text import with_capital

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.records import Memory

WHY = "Why: "
# What stood before the reason of a lesson when that had no paragraph of its own.
_WHY_BEFORE = ". What went wrong: "
STRIKE = "~~"
WITHDRAWN = "withdrawn"
# What the person lays down: only they change or end it.
LAID_DOWN = ("user", "feedback", "decision", "lesson")
# Words that lead from one sentence of a message to the next, and say nothing where the sentence stands alone.
_LEADS = ("also", "and", "btw", "by the way", "oh", "ok", "okay", "so", "please", "plus", "außerdem", "und", "auch")

# What a person writes before a statement to say what it is.
_LABELS = ("remember", "decision", "decisions", "note", "rule", "preference", "entscheidung", "beschluss", "merke")


def parts(body: str) -> tuple[str, str, str]:
    """Return the statement, its reason and all other paragraphs, as they stand."""
    first, *rest = body.strip("\n").split("\n\n")
    if not rest and _WHY_BEFORE in first:
        said, _, reason = first.partition(_WHY_BEFORE)
        return said, reason, ""
    why = next((one for one in rest if one.startswith(WHY)), "")
    return first, why[len(WHY) :], "\n\n".join([one for one in rest if one is not why])


def body_of(statement: str, why: str = "", rest: str = "") -> str:
    """Return the body that says this."""
    return "\n\n".join([part for part in (statement, f"{WHY}{why}" if why else "", rest) if part])


def unstruck(text: str) -> tuple[str, bool, str]:
    """Return what a statement says or said, whether it is struck through, and what follows it in brackets."""
    said, end, behind = text[len(STRIKE) :].rpartition(STRIKE)
    ended = behind.strip()
    in_brackets = not ended or (ended[0] == "(" and ended[-1] == ")")
    if not text.startswith(STRIKE) or not end or STRIKE in said or not in_brackets:
        return text, False, ""
    return said, True, ended[1:-1]


def withdrawn(body: str, day: str) -> str:
    """Return the body with its statement struck through."""
    statement, why, rest = parts(body)
    return body_of(f"{STRIKE}{statement.replace(STRIKE, '')}{STRIKE} ({WITHDRAWN} {day})", why, rest)


def is_of_the_person(memory: Memory) -> bool:
    """Whether a person laid it down, so that nobody else changes or ends it: also what they said for certain calls."""
    if memory.trust != "user":
        return False
    if memory.type in LAID_DOWN or memory.when or memory.enforce:
        return True
    # Hooks ask this of few memories, and need not load what looks.
    from holdfast.language.derived import derive

    return derive(memory.body) is not None


def day_in(ended: str) -> str:
    """Return the day at the end of what follows a statement that was struck through."""
    day = ended.rpartition(" ")[2]
    return day if is_day(day) else ""


def tidied(text: str) -> str:
    """Return a sentence of a message as it stands alone: without the words that led to it, with a capital."""
    said = text.strip()
    lead = said
    while lead:
        leads = ["also ", *[word + mark for word in _LEADS for mark in (", ", ": ", " - ")]]
        leads += [word + ": " for word in _LABELS]
        lead = next((one for one in leads if said[: len(one)].lower() == one), "")
        rest = said[len(lead) :].lstrip(" ,;:-–—")
        lead = lead if len(rest.split()) > 1 else ""
        said = rest if lead else said
    return said if said == text.strip() else with_capital(said)
