"""Ratings that a person gives in so many words: one parser, for hooks, the archive and whoever else reads a message.

A number is a rating only where nothing else can be meant: not a count ("3 files changed"), not a list ("1. do this"),
not a time, a version or a part of something. Whether a number answers a question is told by what was asked before it.
"""

from __future__ import annotations

from itertools import pairwise

from holdfast.base.light_records import dataclass
from holdfast.base.text import hash_of, small_words
from holdfast.language.word_lists import among, listed

TABLE = "ratings"
LOWEST, HIGHEST = 1, 10
SOURCES = ("explicit", "implicit", "passed-on", "imported")
MAX_TEXT = 500
MAX_COMMENT = 300
# What an agent may say about a memory that it rates.
MAX_NOTE = 500
# Longer messages are about something else, whatever number they begin with.
_MAX_MESSAGE = 2_000
_MAX_LEAD = 80
_DASHES = "-–—"
_ENDS = "!.,;:"
_OPERATORS = "<>=+*/%&|"
# What stands in code and in no comment of a person.
_CODE = ("()", "{", "}", "==", "://", ";\n")
# Bare numbers up to this one may be a choice among a few; wrongly read, they would make an incident.
_CHOICES = 3
_FEW = 2
_OUT_OF = ("/", "out of ", "von ", "of ", "auf ")
_TENS = ("10", "ten", "zehn")
# A scale of stars has five of them.
_STARS, _EMPTY_STARS, _MAX_STARS = "★⭐", "☆\ufe0f ", 5
_HOW_MANY = (["how", "many"], ["wie", "viele"])
_SO_MANY = (["so", "many"], ["so", "viele"])
# How many lines at the end of an answer may ask for something.
_LAST = 3


@dataclass(frozen=True, slots=True)
class Rating:
    """One rating, 1 to 10. `text` is the message that it came from, without secrets; `comment` what was said with it.

    `source` is one of SOURCES: the person said a number; their words show it, and `confidence` is below 1; an agent
    says that they said it, and nobody heard it; or it came from another program.
    `event` is the time of the event in the journal by which a hook heard it; nothing where no hook did.
    """

    at: str
    rating: int
    source: str
    agent: str = ""
    session: str = ""
    project: str = ""
    comment: str = ""
    confidence: float = 1.0
    text: str = ""
    id: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A number that a message gives. `certain`: it can be nothing but a rating, whatever was asked before it."""

    rating: int
    comment: str
    certain: bool


def id_of(agent: str, session: str, at: str, text: str) -> str:
    """Return the id of a rating: the same message of the same session and time always has the same."""
    return hash_of("rating", agent, session, at, " ".join(text.split()))


def explicit(text: str) -> tuple[int, str] | None:
    """Return the rating that a message gives in so many words and the comment with it, or None."""
    found = parsed(text)
    return None if found is None else (found.rating, found.comment)


def parsed(text: str) -> Parsed | None:
    """Return the rating that a message gives in so many words, or None."""
    text = text.strip().strip("*_").strip()
    if not text or len(text) > _MAX_MESSAGE:
        return None
    if text[0] in _STARS or (text[0].isdigit() and "star" in text[:_MAX_LEAD]):
        return _stars(text)
    text = _in_figures(text)
    return _at_the_beginning(text) if text[0].isdigit() else _behind_a_lead(text)


def may_be_a_choice(number: int) -> bool:
    """Whether a number is one of those that choose among a few, so that it is no rating unless that is ruled out."""
    return number <= _CHOICES


def answers(number: int, answer: str) -> bool:
    """Whether a number chooses from or answers what the agent said last: a numbered list, or a question."""
    lines = [line.strip(" \t>*_|#-") for line in answer.splitlines() if line.strip()]
    if not lines:
        return False
    numbered = {found for line in lines for found in _numbers_of(line)}
    if number in numbered or (may_be_a_choice(number) and 2 in numbered):
        return True
    return any(_asks(line) for line in lines[-_LAST:])


def asks_how_many(answer: str) -> bool:
    """Whether the agent asked last for a count, so that "8/10" is one."""
    lines = [line for line in answer.splitlines() if line.strip()]
    return bool(lines) and lines[-1].rstrip("*_) ").endswith("?") and small_words(lines[-1])[:2] in _HOW_MANY


def _in_figures(text: str) -> str:
    """Return a text that begins with "eight out of ten" with the figure for its first word."""
    first, _, rest = text.partition(" ")
    place = next((number for number, word in enumerate(listed(TABLE, "figures")) if word == first.casefold()), None)
    # English has the first ten of the list, German the others.
    is_scaled = rest.casefold().startswith(("out of ", "von ")) and _behind_ten(rest) is not None
    return text if place is None or not is_scaled else f"{place % HIGHEST + 1} {rest}"


def _stars(text: str) -> Parsed | None:
    """Read "★★☆☆☆", "3 stars, you ignored the plan" and "2/5 stars": stars that nobody counts."""
    if text[0] in _STARS:
        rest = text.lstrip(_STARS + _EMPTY_STARS)
        number = sum(text[: len(text) - len(rest)].count(star) for star in _STARS)
    else:
        name, _, rest = text[1:].removeprefix("/5").lstrip().partition("star")
        number, rest = int(text[0]) if not name else 0, rest.removeprefix("s")
    # "3 stars" alone may be a count.
    is_apart = text[0] in _STARS or text[1:2] == "/" or (bool(rest.strip()) and rest[0] in _ENDS + _DASHES + " \n")
    comment = _comment_behind_ten(rest) if 0 < number <= _MAX_STARS and is_apart else None
    return None if comment is None else Parsed(number * HIGHEST // _MAX_STARS, comment[:MAX_COMMENT], True)


def _at_the_beginning(text: str) -> Parsed | None:
    number, rest = _number(text)
    if number is None:
        return None
    out_of_ten = _behind_ten(rest)
    if out_of_ten is not None:
        comment = _comment_behind_ten(out_of_ten)
    elif not rest.strip("! "):
        comment = ""
    else:
        comment = _comment(rest)
    return None if comment is None else Parsed(number, comment[:MAX_COMMENT], out_of_ten is not None)


def _behind_a_lead(text: str) -> Parsed | None:
    """Read "rating: 8", "I'd give this a 3/10": words that lead to a rating, then the number, then nothing counted."""
    at = next((place for place, letter in enumerate(text[:_MAX_LEAD]) if letter.isdigit()), -1)
    if at < 0 or (at and not (text[at - 1].isspace() or text[at - 1] in "*:=")):
        return None
    lead = small_words(text[:at])
    known = _words("giving") | _words("leads")
    if not lead or not (known | _words("verdicts") | _words("judging")).issuperset(lead) or "\n" in text[:at]:
        return None
    number, rest = _number(text[at:])
    if number is None:
        return None
    out_of_ten = _behind_ten(rest.lstrip("*_"))
    is_past = out_of_ten is None and known.issuperset(lead) and _is_verdict(lead, rest)
    if out_of_ten is None and not is_past and (_words("giving").isdisjoint(lead) or not known.issuperset(lead)):
        # "That is a 3" may be anything.
        return None
    comment = _comment_behind_ten(rest if out_of_ten is None else out_of_ten)
    return None if comment is None else Parsed(number, comment[:MAX_COMMENT], not is_past)


def _is_verdict(lead: list[str], rest: str) -> bool:
    """Whether a number behind these words is what the work was: "that was a 3", "a 2 for that", "das war eine 4"."""
    said = small_words(rest)
    if said[:1] and said[0] in _words("aiming"):
        return len(said) > 1 and said[1] in _words("aimed")
    return not said and not {"was", "war"}.isdisjoint(lead) and not {"a", "an", "eine", "ne"}.isdisjoint(lead[-1:])


def _number(text: str) -> tuple[int | None, str]:
    """Return the number from 1 to 10 at the beginning of a text, and what follows; None where there is no such one."""
    length = 2 if text[1:2].isdigit() else 1
    digits, rest = text[:length], text[length:]
    if not digits.isascii() or digits[0] == "0" or int(digits) > HIGHEST or rest[:1].isdigit():
        return None, ""
    if rest[:1].isalpha() or (rest[:1] in (".", ",") and rest[1:2].isdigit()):
        return None, ""
    return int(digits), rest


def _behind_ten(rest: str) -> str | None:
    """Return what follows "/10", "out of 10" or "von 10"; None where the number is not out of ten."""
    plain = rest.lstrip()
    for of in _OUT_OF:
        if plain.lower().startswith(of):
            behind = plain[len(of) :].lstrip()
            ten = next((name for name in _TENS if behind.lower().startswith(name)), "")
            after = behind[len(ten) :]
            whole = ten and not (after[:1].isalnum() or after[:1] in ("/", "%"))
            # "8/10.5" and "10/10-2" are no ratings.
            return after if whole and not (after[:1] in _ENDS + _DASHES and after[1:2].isdigit()) else None
    return None


def _comment_behind_ten(rest: str) -> str | None:
    """Return the comment behind a number that is a rating already, None where something is counted or asked."""
    rest = rest.strip("*_ ")
    if rest[:1] in ("?", "%", "/", ")", "("):
        return None
    plain = rest.lstrip(_ENDS + _DASHES + " \t\n")
    if plain != rest.lstrip() or not plain or not plain[0].isalnum():
        return plain
    said = small_words(plain)
    # "2/10 for that" judges, "8/10 for two weeks" counts.
    is_aimed = said[0] in _words("aiming") and len(said) > 1 and said[1] in _words("aimed") and plain[-1] != "?"
    return plain if is_aimed or _cannot_be_counted(plain) or said[0] in _words("going-on") else None


def _comment(rest: str) -> str | None:
    """Return the comment behind a number at the beginning of a message, None where the number is no rating."""
    plain = rest.lstrip(" \t!")
    if plain[:1] in (*_DASHES, ":", ","):
        return _comment_behind_mark(plain, rest)
    if rest[:1] not in (" ", "\t", "!"):
        return None
    if not any(letter.isalnum() for letter in plain):
        # A smile is a comment that cannot be counted.
        return None if plain[:1] in "?/%()[].+*=<>#&@$|~^\n" and plain[:2] not in (":)", "<3") else plain
    return plain if _cannot_be_counted(plain) else None


def _comment_behind_mark(plain: str, rest: str) -> str | None:
    """Return the comment behind a dash, a colon or a comma, None where that is a range, a time, a place or a choice."""
    mark, comment = plain[0], plain[1:].lstrip(_DASHES).strip()
    if not comment:
        # A dash alone is no comment.
        return None if mark == "," else ""
    if mark == ":" and not plain[1:2].isspace():
        # ":)" smiles; "5:main" is a place.
        return plain if comment[0] in ")D(P/" and len(comment) == 1 else None
    if mark in _DASHES and plain == rest and not plain[1:2].isspace():
        return None
    if comment[0] in _OPERATORS or any(one in comment for one in _CODE) or _lists_more(comment):
        return None
    said = small_words(comment)
    if comment[0].isdigit():
        # It says something of its own, and is no range, sum or enumeration.
        joined = mark in _DASHES and not _words("joining").isdisjoint(said)
        return comment if joined or (mark == ":" and len(said) > _FEW) else None
    if said[:2] in _SO_MANY or not _words("other-numbers").isdisjoint(said):
        return None
    chosen = mark == "," and said[:1] and said[0] in _words("choosing")
    counted = said[:1] and said[0] in _words("counted") and len(said) <= _FEW
    return None if chosen or counted else comment


def _cannot_be_counted(comment: str) -> bool:
    """Whether what follows a number without a mark is no thing of which there are so many."""
    said = small_words(comment)
    if not said:
        return True
    if said[0] in _words("never-counted"):
        return len(said) == 1 or said[1] not in _words("counted")
    first = small_words(comment.replace(",", ".").partition(".")[0].partition("!")[0].partition(" - ")[0])
    return (_words("verdicts") | _words("judging")).issuperset(first) and not _words("verdicts").isdisjoint(first)


def _lists_more(text: str) -> bool:
    """Whether other numbered items follow: "1: yes, 2: no"."""
    found = text.split()
    if any(one[:-1].isdigit() and one[-1] in ":.)" for one in found):
        return True
    if any(one.isdigit() and len(other) == 1 and other in _DASHES for one, other in pairwise(found)):
        return True
    return any(line.lstrip()[:1].isdigit() for line in text.splitlines()[1:])


def _numbers_of(line: str) -> list[int]:
    """Return the numbers of the items that a line offers: `2. text`, `2) text`, `(2) text`, `[2]`, `option 2`."""
    found: list[int] = []
    first = line.split(maxsplit=1)[0] if line.split() else ""
    digits = first.strip("([").rstrip(".):]*-–—")
    if digits.isdecimal() and (first != digits or line[len(first) :].lstrip()[:1] in ("-", "–", "—", ":", "|", "=")):
        found.append(int(digits))
    for piece in line.replace("[", "(").replace("]", ")").split("(")[1:]:
        inner = piece.partition(")")[0]
        if inner.isdecimal():
            found.append(int(inner))
    said = small_words(line)
    found += [int(two) for one, two in pairwise(said) if one in _words("offers") and two.isdecimal()]
    return [number for number in found if number <= HIGHEST]


def _asks(line: str) -> bool:
    """Whether a line asks for a number that is no rating of the work."""
    said = small_words(line)
    if not line.rstrip("*_) ").endswith("?"):
        return not _words("asks-for-number").isdisjoint(said)
    is_scale = not _words("asks-for-rating").isdisjoint(said) or ("1" in said and "10" in said)
    return not is_scale or _words("the-work").isdisjoint(said)


def _words(kind: str) -> frozenset[str]:
    return among(TABLE, kind)
