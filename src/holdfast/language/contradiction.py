"""When a newer statement says otherwise than an older one: the same thing with another value, or what is now denied.

It is strict. Names, numbers and negations decide: "Kim owns billing" and "Kim owns checkout" hold together, and "tabs
in Makefiles" says nothing about Python. A prompt hook asks, so nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.word_lists import among

# Two statements agree in so many words before the value in which they differ, and a value is no longer than this.
_MIN_SHARED = 2
_MAX_VALUE = 3
_MAX_CHARACTERS = 400
_MIN_DIGITS = 3
_MAX_SHORT = 4
_PLACES = "@/._-:=~"


def says_otherwise(newer: str, older: str) -> bool:
    """Whether the newer statement denies the older one, is denied by it, or gives the same thing another value."""
    one, other = _clauses(newer), _clauses(older)
    return _denies(one, other) or _denies(other, one) or _is_revalued(one[0], other[0])


def _clauses(text: str) -> tuple[list[str], list[list[str]], frozenset[str]]:
    """Return the telling words that a statement affirms, the groups of those it denies, and what limits it."""
    said: list[str] = []
    denied: list[list[str]] = []
    limits: set[str] = set()
    is_denied = is_limit = False
    for token in text[:_MAX_CHARACTERS].lower().replace("’", "'").split():
        word = token.strip("\"'`*()[],.;:!?。，")
        if word in among("contradiction", "reason"):
            break
        if is_denied and word in among("contradiction", "condition"):
            # "Never push without asking" sets a condition, and denies nothing.
            denied.pop()
            is_denied, is_limit = False, True
        elif word in among("contradiction", "not"):
            is_denied, is_limit = True, False
            denied.append([])
        elif is_denied and word in ("or", "nor", "and", "oder", "und"):
            denied.append([])
        elif word in among("contradiction", "limit"):
            is_limit = True
        elif word and word not in among("contradiction", "small"):
            (denied[-1] if is_denied else said).append(word)
            limits |= {word} if is_limit and not is_denied else set()
        if token[-1] in ",.;:":
            is_denied = is_limit = False
    return said, [group for group in denied if group], frozenset(limits)


def _denies(
    one: tuple[list[str], list[list[str]], frozenset[str]], other: tuple[list[str], list[list[str]], frozenset[str]]
) -> bool:
    """Whether one denies what the other affirms, and neither holds only where the other does not."""
    affirmed, limits = other[0], other[2]
    for group in one[1]:
        if len(group) == 1 and (len(affirmed) > _MAX_SHORT or affirmed[-1:] != group):
            # One word that is denied here may stand anywhere in a longer statement, and mean something else there.
            continue
        # What both deny, and what the other only names as the time of something else, is in nobody's dispute.
        if set(group) <= limits or any(set(group) <= set(denied) for denied in other[1]):
            continue
        # What something begins with it is about; "pnpm workspaces are hoisted" does not say to use pnpm.
        if not set(group) <= set(affirmed) or (len(affirmed) > len(group) and affirmed[0] in group and not limits):
            continue
        if limits - set(group) <= {*one[0], *group} and one[2] - set(group) <= {*affirmed, *limits}:
            return True
    return False


def _is_revalued(one: list[str], other: list[str]) -> bool:
    """Whether two statements agree up to a value of the same sort at their end."""
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    mine, theirs = one[shared:], other[shared:]
    if shared < _MIN_SHARED or not mine or not theirs or max(len(mine), len(theirs)) > _MAX_VALUE:
        return False
    if not set(mine).isdisjoint(theirs):
        # "Two spaces" and "four spaces": only the number differs.
        return mine[1:] == theirs[1:] and _sort(mine[0]) == _sort(theirs[0]) == "number"
    if all(word.isdigit() and len(word) < _MIN_DIGITS for word in (*mine, *theirs)):
        # "Rule 4" and "rule 5" are counted, not changed.
        return False
    sorts = _sort(mine[0]), _sort(theirs[0])
    return sorts == ("name", "name") or set(sorts) <= {"number", "unit"}


def _sort(word: str) -> str:
    if word in among("contradiction", "unit"):
        return "unit"
    if word[0].isdigit() or word in among("contradiction", "number"):
        return "number"
    return "name" if any(sign in word for sign in _PLACES) or any(map(str.isdigit, word)) else ""
