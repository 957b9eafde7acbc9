"""Clusters: signals of one kind that say the same, counted by distinct sessions.

The same signals give the same patterns in whatever order they come. Of near signatures the one that was seen first
names the cluster; later ones join it, so an id stays while more is found. A part or a copy of a session counts as that
session.

A signature is a text without what differs from time to time: words in small letters, with names (of files, modules,
programs, codes of errors) in quotes. Before the last `: ` may stand a head, which says what it is about.
Two signatures are near when head and names are the same and most of the other words are; a word counts as the same if
it begins alike and differs by a letter or two.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from holdfast.base.text import cut, hash_of
from holdfast.language.error_classes import is_class
from holdfast.language.failures import plain as without_colours
from holdfast.language.word_lists import lists
from holdfast.patterns.signal_files import KINDS, Signal

MAX_EVIDENCE = 12
_ID = 10
_MAX_TITLE = 120
# Kinds whose signature begins with what the heading says, and those that are told best in the person's words.
_TOLD_BY_TAIL = ("failed-command", "permission-denied")
_TOLD_BY_TEXT = ("correction", "repeated-ask")
_MIN_DAYS = 3
# In so many sessions a failure of no known class must come that no session has a cure for.
_MIN_WITHOUT_CURE = 3
# What has no time is taken for the last.
_NEVER = "~"


@dataclass(frozen=True, slots=True)
class Quote:
    """One piece of evidence: what was said or done, in which session (the agent's own id), where and when."""

    session: str
    agent: str
    line: int
    text: str
    at: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Something that recurs. `sessions` are distinct and named `agent/id`; `signatures` are all that were merged.

    `domain` is the one that all its projects are in, if there is one. `times` is how often it came in all. The
    `fingerprints` are those of its failures, as fixes have them. `bound`: it means something in its projects only.
    """

    id: str
    kind: str
    signature: str
    title: str
    good: bool
    sessions: tuple[str, ...]
    agents: tuple[str, ...]
    projects: tuple[str, ...]
    domain: str
    cross_agent: bool
    first: str
    last: str
    severity: int
    evidence: tuple[Quote, ...]
    signatures: tuple[str, ...] = ()
    times: int = 0
    fingerprints: tuple[str, ...] = ()
    bound: bool = False


def clusters(
    signals: Iterable[Signal],
    *,
    min_frequency: int = 3,
    domains: Mapping[str, str] | None = None,
    counts: Callable[[Signal], bool] | None = None,
) -> list[Pattern]:
    """Return what recurs in at least so many sessions: cross-agent first, then by frequency, severity, recency.

    `domains` says the domain of projects, by id or by the beginning of it and a `*`. Where `counts` is given, only
    these signals are counted; the rest still says which signatures belong together, so that ids do not depend on it.
    """
    found = []
    for alike in _alike(signals, domains or {}):
        counted = [one for one in alike if counts is None or counts(one)]
        if len({one.counted_as for one in counted}) >= max(1, min_frequency):
            found.append(_pattern(alike[0], counted, domains or {}))
    return ranked(found)


def proposed(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return the patterns that a person can act on, in their order.

    Left out are the mechanics of agent programs, what every session has, weak evidence of few sessions, and a failure
    of which a pattern says what fixed it.
    """
    able = [one for one in patterns if _is_able(one)]
    fixed = {mark for one in able if one.kind == "fix-worked" for mark in one.fingerprints}
    return [one for one in able if one.kind != "failed-command" or fixed.isdisjoint(one.fingerprints)]


def _is_able(pattern: Pattern) -> bool:
    kind = KINDS.get(pattern.kind)
    head, _, rest = pattern.signature.partition(": ")
    # Several forms of a command that fail say more than a long search.
    if len(pattern.sessions) < (kind.least if kind and head != "attempts" else 1):
        return False
    if pattern.kind == "repeated-ask":
        # What is asked for twice on one day is one task that was begun again.
        return len({one.at[:10] for one in pattern.evidence}) >= _MIN_DAYS
    if pattern.kind not in ("failed-command", "retry-loop") or rest.startswith("file not there: '"):
        return True
    if pattern.kind == "failed-command" and not (is_class(rest.partition(":")[0]) or rest.startswith("failed ")):
        # Nobody knows what to do about it, only that something should be done.
        return len(pattern.sessions) >= _MIN_WITHOUT_CURE
    is_tool = " " not in head and "__" not in head and (head != head.lower() or "_" in head)
    return not (is_tool or head.rstrip(":") in _MECHANICS_OF or rest.startswith(_MECHANICS))


def ranked(patterns: Iterable[Pattern]) -> list[Pattern]:
    """Return patterns cross-agent first, then by frequency, severity, recency, and in the end by id."""
    by_id = sorted(patterns, key=lambda one: one.id)
    by_recency = sorted(by_id, key=lambda one: one.last, reverse=True)
    return sorted(by_recency, key=lambda one: (not one.cross_agent, -len(one.sessions), -one.severity))


def domain_of(project: str, domains: Mapping[str, str]) -> str:
    """Return the domain of a project: by its id, else by the longest beginning with a `*` that fits, else none."""
    if project in domains:
        return domains[project]
    fitting = [name for name in domains if "*" in name and fnmatchcase(project, name)]
    return domains[max(fitting, key=lambda name: (len(name), name))] if fitting else ""


def _alike(signals: Iterable[Signal], domains: Mapping[str, str]) -> Iterator[list[Signal]]:
    """Yield the signals of one kind that say the same, the oldest first; what is bound, by project or domain."""
    places: dict[str, str] = {}
    boxes: dict[tuple[object, ...], dict[str, list[Signal]]] = {}
    for one in sorted(signals, key=_age):
        if one.bound and one.project not in places:
            places[one.project] = domain_of(one.project, domains) or one.project
        # Near signatures have the same head and names, so only those in one box need a closer look.
        place = places[one.project] if one.bound else ""
        box = boxes.setdefault((one.kind, place, *frame(one.signature)), {})
        box.setdefault(one.signature, []).append(one)
    for box in boxes.values():
        leaders = _Leaders(box)
        members: dict[str, list[Signal]] = {}
        for signature, several in box.items():
            members.setdefault(leaders.of(signature), []).extend(several)
        yield from (sorted(several, key=_age) for several in members.values())


def _age(signal: Signal) -> tuple[str, ...]:
    return signal.at or _NEVER, signal.agent, signal.session, signal.kind, signal.signature


class _Leaders:
    """The first of each group of near signatures. Those that may be near are found by the beginnings of their words."""

    def __init__(self, all_signatures: Iterable[str]) -> None:
        self._counts = Counter(_beginning(word) for one in all_signatures for word in words(one))
        self._having: dict[str, list[str]] = {}

    def of(self, signature: str) -> str:
        """Return the signature that leads this one: the first near one, or itself."""
        own = words(signature)
        for leader in self._candidates(own):
            if alike(signature, leader):
                return leader
        for beginning in {_beginning(word) for word in own} or {""}:
            self._having.setdefault(beginning, []).append(signature)
        return signature

    def _candidates(self, own: frozenset[str]) -> list[str]:
        """Return leaders in order that have one of the rarest words; one that has none of them cannot be near."""
        needed = len(own) - math.ceil(COMMON * len(own)) + 1
        rarest = sorted((_beginning(word) for word in own), key=lambda one: (self._counts[one], one))[:needed]
        having = (leader for one in (rarest or [""]) for leader in self._having.get(one, ()))
        return list(dict.fromkeys(having))


def _beginning(word: str) -> str:
    return word[:BEGINNING]


def _pattern(first: Signal, signals: Sequence[Signal], domains: Mapping[str, str]) -> Pattern:
    """Return the pattern of these signals; the first one that said the same, counted or not, names it."""
    kind, signature = first.kind, first.signature
    agents = tuple(sorted({one.agent for one in signals}))
    projects = tuple(sorted({one.project for one in signals if one.project}))
    within = {domain_of(project, domains) for project in projects}
    times = sorted(one.at for one in signals if one.at)
    return Pattern(
        id=hash_of(kind, signature, first.project if first.bound else "", length=_ID),
        kind=kind,
        signature=signature,
        title=_title(first),
        good=KINDS[kind].good if kind in KINDS else signals[0].good,
        sessions=tuple(sorted({one.counted_as for one in signals})),
        agents=agents,
        projects=projects,
        domain=within.pop() if len(within) == 1 else "",
        cross_agent=len(agents) > 1,
        first=times[0] if times else "",
        last=times[-1] if times else "",
        severity=max(one.severity for one in signals),
        evidence=_evidence(signals),
        signatures=tuple(sorted({one.signature for one in signals})),
        times=sum(one.times for one in signals),
        fingerprints=tuple(sorted({one.fingerprint for one in signals if one.fingerprint})),
        bound=first.bound and bool(first.project),
    )


def _title(first: Signal) -> str:
    """Return a heading for a pattern: what kind it is of, and what it is about; of a person's words, the words."""
    kind, signature = first.kind, first.signature.rstrip(":")
    heading = KINDS[kind].heading if kind in KINDS else kind
    head, _, tail = signature.partition(": ")
    about = (tail if kind in _TOLD_BY_TAIL else signature).replace(": ", ", ").replace("'", "")
    failed, arrow, step = first.text.partition(" -> ")
    if kind == "fix-worked" and arrow:
        done = step.replace("ran `", "run `").replace("edited ", "edit ")
        return cut(f"When `{failed.partition(': ')[0]}` fails, {done}", _MAX_TITLE)
    if kind == "failed-command":
        heading = f"`{head}` fails" if head != "shell" else heading
    return cut(f"{heading}: {first.text if kind in _TOLD_BY_TEXT else about or head}", _MAX_TITLE)


def _evidence(signals: Sequence[Signal]) -> tuple[Quote, ...]:
    """Return quotes, each session once: the latest of each agent first, then the latest of the others."""
    latest: dict[str, Signal] = {}
    for one in signals:
        latest[one.name] = one
    newest = sorted(latest.values(), key=_age, reverse=True)
    by_agent = {one.agent: one for one in reversed(newest)}
    firsts = sorted(by_agent.values(), key=_age, reverse=True)
    rest = [one for one in newest if by_agent[one.agent] is not one]
    chosen = [*firsts, *rest][:MAX_EVIDENCE]
    return tuple(Quote(one.session, one.agent, one.line, one.text, one.at) for one in chosen)


MOST = 200
_LOOK = 500
# So much of the words of both must be common.
COMMON = 0.65
# Words that begin with these letters alike may be the same word, misspelt or in another form.
BEGINNING = 3
# Words that say nothing about which failure it is, and words that everybody looks for.
SMALL_WORDS = __file__.rpartition("/")[0] + "/words/small.txt"
_EMPTY = frozenset(lists(SMALL_WORDS)["empty"])
_MECHANICS = tuple(lists(SMALL_WORDS)["mechanics"])
_MECHANICS_OF = frozenset(lists(SMALL_WORDS)["mechanics-of"])
# Before a word that the person negated.
_NOT = "not-"
_TOKEN = re.compile(
    r"""(?P<quoted>(?<!\w)(?:'[^'\n]{1,80}'|"[^"\n]{1,80}"|`[^`\n]{1,80}`|“[^”\n]{1,80}”)(?!\w))"""
    r"""|(?P<url>[a-z]+://[^\s'"<>)\]]+)|(?P<path>(?:[A-Za-z]:)?[\w.@~+-]*[/\\][\w.@~+/\\:*-]*)"""
    r"""|(?P<word>[^\W_][\w'’+.@:-]*|--?[a-zA-Z][\w-]*)"""
)
_CODE = re.compile(r"[A-Z]{1,8}-?\d{2,5}|E[A-Z]{3,}|ERR_[A-Z_]+")
_VARYING = re.compile(r"(?:0x)?[0-9a-f]{7,}|[\d.:,tzx+-]*\d[\d.:,tzx+-]*(?:m?s|[kmg]b|px|m|h|b|k|th|st|nd|rd)?", re.I)
_HEXLIKE = re.compile(r"[0-9a-f]*\d[0-9a-f]*(?:-[0-9a-f]+)*", re.I)
_DIGITS = re.compile(r"\d+")
_CAMEL = re.compile(r"[a-z][A-Z]")
_LINE_BEHIND = re.compile(r"(?::\d+)+:?$|\(\d+(?:,\d+)?\)$")


@lru_cache(16_384)
def signature(text: str, head: str = "") -> str:
    """Return the text in small letters without paths, numbers, hashes, times and ids; behind a head, if one is given.

    Nothing is left of a text that has nothing else.
    """
    found: dict[str, None] = {}
    line = " ".join(without_colours(text[:_LOOK]).split())
    for match in _TOKEN.finditer(line):
        for token in _tokens(match):
            found.setdefault(token)
    told = " ".join(found)
    told = told if len(told) <= MOST else told[:MOST].rpartition(" ")[0]
    if not head:
        return told
    return f"{head}: {told}" if told else f"{head}:"


def near(one: str, other: str) -> bool:
    """Whether two signatures mean the same."""
    return one == other or (frame(one) == frame(other) and alike(one, other))


@lru_cache(65_536)
def frame(signature: str) -> tuple[str, tuple[str, ...]]:
    """Return what must be the same in near signatures: the head, and the names."""
    head, tail = _apart(signature)
    return head, tuple(sorted(token for token in tail.split(" ") if token[:1] == "'"))


@lru_cache(65_536)
def words(signature: str) -> frozenset[str]:
    """Return the words of a signature that are no names, without the sign that one was negated."""
    tail = _apart(signature)[1].split(" ")
    return frozenset(token.removeprefix(_NOT) for token in tail if token and token[:1] != "'")


def alike(one: str, other: str) -> bool:
    """Whether most of the words of two signatures are the same, and they do not say the opposite."""
    first, second = words(one), words(other)
    common = len(first & second)
    if common < min(len(first), len(second)):
        common += _misspelt(first - second, second - first)
    whole = len(first) + len(second) - common
    return (whole == 0 or common / whole >= COMMON) and not _are_opposite(one, other)


def _are_opposite(one: str, other: str) -> bool:
    """Whether each negates a word that the other does not: tabs, not spaces; and spaces, not tabs."""
    if _NOT not in one or _NOT not in other:
        return False
    first, second = _negated(one), _negated(other)
    return bool((first - second) & words(other)) and bool((second - first) & words(one))


def _negated(signature: str) -> frozenset[str]:
    return frozenset(token.removeprefix(_NOT) for token in signature.split(" ") if token.startswith(_NOT))


def _misspelt(one: frozenset[str], other: frozenset[str]) -> int:
    """Return how many words of one are words of the other in a slightly different form."""
    left = sorted(other)
    count = 0
    for word in sorted(one):
        same = next((each for each in left if _is_form(word, each)), None)
        if same is not None:
            left.remove(same)
            count += 1
    return count


def _is_form(one: str, other: str) -> bool:
    shortest = min(len(one), len(other))
    if shortest < 5 or one[:BEGINNING] != other[:BEGINNING]:
        return False
    return distance(one, other) <= (1 if shortest < 9 else 2)


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out or changed to make one word the other."""
    if abs(len(one) - len(other)) > 2:
        return 3
    before = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        now = [row]
        for column, compared in enumerate(other, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (letter != compared)))
        before = now
    return before[-1]


def _apart(signature: str) -> tuple[str, str]:
    if signature.endswith(":"):
        return signature[:-1], ""
    head, _, tail = signature.rpartition(": ")
    return head, tail


def _tokens(match: re.Match[str]) -> list[str]:
    kind, text = match.lastgroup, match[0]
    if kind == "url":
        return _name(text.partition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0])
    if kind == "path":
        return _of_path(text)
    if kind == "word":
        return _of_word(text)
    inner = text[1:-1].strip()
    if " " in inner:
        return [token for part in inner.split() for token in _of_part(part)]
    if "://" in inner:
        return _of_part(inner)
    return _of_path(inner) if "/" in inner or "\\" in inner else _name(inner)


def _of_part(text: str) -> list[str]:
    match = _TOKEN.search(text)
    return _tokens(match) if match and match.lastgroup in ("url", "path", "word") else []


def _of_path(text: str) -> list[str]:
    """Return the last part of a path as a name, unless it is one that nobody chose."""
    last = _LINE_BEHIND.sub("", text).replace("\\", "/").rstrip("/:.").rpartition("/")[2]
    return _name(last) if any(letter.isalpha() for letter in last) else []


def _of_word(text: str) -> list[str]:
    text = _LINE_BEHIND.sub("", text).strip("'’.:-+@")
    if _CODE.fullmatch(text):
        return [f"'{text.casefold()}'"]
    if not text or _VARYING.fullmatch(text) or _HEXLIKE.fullmatch(text):
        return []
    if any(sign in text for sign in "_.@") or _CAMEL.search(text):
        return _name(text)
    plain = _DIGITS.sub("", text).casefold().strip("'’-:")
    return [plain] if plain and plain not in _EMPTY else []


def _name(text: str) -> list[str]:
    """Return a name in quotes; where it varies, as the name of a temporary file does, nothing."""
    text = text.strip("'\"`,;:()[]{}<> ")
    if not text or _VARYING.fullmatch(text) or _HEXLIKE.fullmatch(text):
        return []
    if _CODE.fullmatch(text):
        return [f"'{text.casefold()}'"]
    digits = sum(letter.isdigit() for letter in text)
    if text.casefold().startswith("tmp") or digits > max(4, len(text) // 2):
        return []
    plain = _DIGITS.sub("#", text).casefold().replace("'", "").replace(" ", "-")
    return [f"'{plain[:60]}'"] if any(letter.isalpha() for letter in plain) else []
