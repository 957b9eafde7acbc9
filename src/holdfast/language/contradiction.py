"""When a newer statement says otherwise than an older one: the same thing with another value, or what is now denied.

It is strict. Names, numbers and negations decide, and a name only where there is one of a thing: two options of a
command, two files that a script reads and two services that are called hold together, and "tabs in Makefiles" says
nothing about Python. A prompt hook asks, so nothing heavy is imported.
"""

from __future__ import annotations

from holdfast.language.word_lists import among, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Two statements agree in so many words before the value in which they differ, and a value is no longer than this.
_MIN_SHARED = 2
_MAX_VALUE = 3
_MAX_CHARACTERS = 400
_MAX_SHORT = 4
_PLACES = "@/._-:=~"
_WITH, _MAY = "with", frozenset(("may", "can", "darf", "kann"))


def says_otherwise(newer: str, older: str) -> bool:
    """Whether the newer statement denies the older one, is denied by it, or gives the same thing another value."""
    return Claim(newer).differs(Claim(older))


class Claim:
    """What one statement says and denies, taken apart once for those who compare it with many."""

    def __init__(self, text: str) -> None:
        self.text = text
        tokens = _tokens(text)
        self._clauses = _clauses(tokens)
        self._turned = _turned(tokens)

    def differs(self, older: Claim) -> bool:
        """Whether it says otherwise than an older one."""
        one, other = self._clauses, older._clauses
        if _denies(one, other) or _denies(other, one) or _is_revalued(self.text, older.text, one[0], other[0]):
            return True
        # "Never push without asking" denies no push, and yet "push without asking" says otherwise.
        (words, forbids), (others, permits) = self._turned, older._turned
        return words == others and len(words) > _MIN_SHARED and _WITH in words and forbids != permits

    @property
    def said(self) -> frozenset[str]:
        """The words that it affirms."""
        return frozenset(self._clauses[0])

    def clues(self, how_often: Mapping[str, int]) -> tuple[set[str], set[str]]:
        """Return what it is kept under, and by what others are looked for; `how_often` tells how many say a word.

        What says otherwise than it is kept under one of these, so that of many only few have to be compared.
        """
        (said, denied, _), (words, _) = self._clauses, self._turned
        both = {" ".join(said[:_MIN_SHARED]), f"with {' '.join(words)}" if _WITH in words else ""}
        both |= {"port"} if said[:1] == ["port"] else set()
        both |= {"unit"} if said and said[-1] in among("contradiction", "unit") else set()
        both |= {some for some in listed("contradiction", "rivals") if said and said[-1] in some.split()}
        # Who is denied says all of a group, its rarest word too. One word alone denies a short statement that ends so.
        against = {min(group, key=lambda word: (how_often.get(word, 0), word)) for group in denied if len(group) > 1}
        against |= {f"{group[0]}." for group in denied if len(group) == 1}
        mine = {*said, f"{said[-1]}."} if said and len(said) <= _MAX_SHORT else {*said}
        kept = both | {f"+{word}" for word in mine} | {f"-{word}" for word in against}
        asked = both | {f"-{word}" for word in mine} | {f"+{word}" for word in against}
        return kept - {""}, asked - {""}


def _clauses(tokens: list[str]) -> tuple[list[str], list[list[str]], frozenset[str]]:
    """Return the telling words that a statement affirms, the groups of those it denies, and what limits it."""
    said: list[str] = []
    denied: list[list[str]] = []
    limits: set[str] = set()
    is_denied = is_limit = False
    begins = 0
    kinds = ("reason", "condition", "not", "limit", "permits", "small")
    reasons, conditions, denying, limiting, permitting, small = (among("contradiction", kind) for kind in kinds)
    for token, follows in zip(tokens, [*tokens[1:], ""], strict=False):
        word = _bare(token)
        if word in reasons:
            break
        if is_denied and word in conditions:
            # "Never push without asking" sets a condition, and denies nothing.
            denied.pop()
            is_denied, is_limit = False, True
        elif word in denying or (word == "over" and among("contradiction", "prefers") & set(said[begins:])):
            is_denied, is_limit = True, False
            denied.append([])
        elif is_denied and word in ("or", "nor", "and", "oder", "und"):
            denied.append([])
        elif word in limiting or (word in ("on", "auf") and "/" in follows):
            # What may be done on one file may be forbidden elsewhere.
            is_limit = True
        elif word in permitting and not is_denied:
            said[:] = _without_is(said)
            limits.intersection_update(said)
        elif word and word not in small:
            (denied[-1] if is_denied else said).append(word)
            limits |= {word} if is_limit and not is_denied else set()
        if token[-1] in ",.;:!?":
            _deny_before(said, denied, begins, is_denied)
            is_denied, is_limit, begins = False, False, len(said)
    _deny_before(said, denied, begins, is_denied)
    return said, [group for group in denied if group], frozenset(limits)


def _deny_before(said: list[str], denied: list[list[str]], begins: int, is_denied: bool) -> None:
    """Deny what a clause says before its last word where nothing stands behind that: "Yarn nicht verwenden"."""
    if is_denied and not denied[-1]:
        denied[-1], said[begins:] = _without_is(said[begins:]), []


def _without_is(words: list[str]) -> list[str]:
    """Return the words without a verb at their end: of "pushing is", before "fine" or "forbidden", only "pushing"."""
    return words[:-1] if words[-1:] in (["is"], ["are"], ["ist"], ["sind"]) else words


def _turned(tokens: list[str]) -> tuple[list[str], bool]:
    """Return the words of a statement with `with` for `without`, and whether what denies in it turns it round."""
    words: list[str] = []
    is_turned = False
    reasons, denying, small = (among("contradiction", kind) for kind in ("reason", "not", "small"))
    for token in tokens:
        word = _bare(token)
        if word in reasons:
            break
        is_turned ^= word in denying
        if word in ("with", "without", "mit", "ohne"):
            words.append(_WITH)
        elif word and word not in denying and word not in small and word not in _MAY:
            words.append(word)
    return words, is_turned


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
        # Each says something that the other does not, beside the value: they are about "ledger" and "checkout".
        own = {word for word in one[0][: -len(group)] if _sort(word) not in ("number", "unit")}
        states = among("contradiction", "states")
        if own - states - set(affirmed) and set(affirmed) - states - {*group, *one[0]}:
            continue
        if limits - set(group) <= {*one[0], *group} and one[2] - set(group) <= {*affirmed, *limits}:
            return True
    return False


def _is_revalued(newer: str, older: str, one: list[str], other: list[str]) -> bool:
    """Whether two statements agree but for one value of the same sort, of something that has only one.

    A service that calls one other may call two, and a command has many options; what something is, or is on, is one.
    """
    shared = 0
    while shared < min(len(one), len(other)) and one[shared] == other[shared]:
        shared += 1
    mine, theirs = one[shared:], other[shared:]
    if not mine or not theirs or max(len(mine), len(theirs)) > _MAX_VALUE:
        return False
    said = (newer, mine[0]), (older, theirs[0])
    rivals = [some for some in listed("contradiction", "rivals") if {*mine, *theirs} <= set(some.split())]
    if rivals:
        return all(_before(text, tool)[0] in among("contradiction", "use") for text, tool in said)
    sorts, units = (_sort(mine[0]), _sort(theirs[0])), among("contradiction", "unit")
    if mine[1:] != theirs[1:] and not {*mine[1:], *theirs[1:]} <= units | among("contradiction", "measure"):
        return False
    if set(sorts) <= {"number", "unit"} and mine[-1] in units and theirs[-1] in units:
        # "Two spaces" and "four spaces", "two spaces" and "tabs".
        return True
    if shared < _MIN_SHARED and one[:shared] != ["port"]:
        return False
    counted = among("contradiction", "measure") | among("contradiction", "counted")
    if sorts == ("number", "number") and mine[1:] and {*mine[1:]} <= counted:
        return True
    return sorts in (("name", "name"), ("number", "number")) and all(
        _is_the_one(text, value, sorts[0]) for text, value in said
    )


def _is_the_one(text: str, value: str, sort: str) -> bool:
    """Whether the words before a value say that there is no other: "is", "runs on", "listens on port", "--workers"."""
    last, verb = _before(text, value)
    if sort == "number" and (last[:2] == "--" or (last == "port" and verb in among("contradiction", "to-port"))):
        return True
    if verb and last in among("contradiction", "place"):
        # A time or a day at which something runs is one of many.
        plain = sort == "name" or value.isdigit()
        return verb in among("contradiction", "is") or (plain and verb in among("contradiction", "is-on"))
    return last in among("contradiction", "is") or last in among("contradiction", "address")


def _before(text: str, value: str) -> tuple[str, str]:
    """Return the word before a value and that before it, but for what may stand between."""
    words = [_bare(token) for token in _tokens(text)]
    before = [word for word in words[: words.index(value)] if word not in among("contradiction", "between")]
    return ("", "", *before)[-1], ("", "", *before)[-2]


def unstressed(text: str) -> str:
    """Return a text without words that only stress what it says: "never, ever", "not, under any circumstances,"."""
    lowered = text.lower()
    for stress in listed("contradiction", "stress") if len(lowered) == len(text) else ():
        at = lowered.find(stress)
        while at > 0:
            end = at + len(stress)
            is_word = text[at - 1] == " " and not text[end : end + 1].isalnum()
            # "If you ever" stresses nothing.
            before = text[: at - 1].removesuffix(",")
            if is_word and (" " in stress or len(before) < at - 1):
                text, lowered = (part[: len(before)] + part[end:].removeprefix(",") for part in (text, lowered))
                end = len(before)
            at = lowered.find(stress, end)
    return text


def _tokens(text: str) -> list[str]:
    plain = unstressed(text[:_MAX_CHARACTERS]).lower().replace("’", "'")
    for shuns in listed("contradiction", "shuns"):
        plain = plain.replace(shuns, "not")
    return plain.split()


def _bare(token: str) -> str:
    return token.strip("\"'`*()[],.;:!?。，")


def _sort(word: str) -> str:
    if word in among("contradiction", "unit"):
        return "unit"
    if word[0].isdigit() or word in among("contradiction", "number"):
        return "number"
    # Options stand together; only what one of them is given may be another value.
    is_name = word[0] != "-" and (any(sign in word for sign in _PLACES) or any(map(str.isdigit, word)))
    return "name" if is_name else ""
