"""Distilling: what of logs, digests, decisions and to-dos is worth a row on the page. No model, no input or output.

Every suggestion names what speaks for it. Whether it is new, known or was rejected is not asked here. What a page said
is outdated when its decision or its to-do came to an end: a row is then struck through or closed, never removed.

A workstream are sessions that belong together, by their branch, or else by the files that they change together.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, chain

from holdfast.base.clock import is_day
from holdfast.continuity import page, region
from holdfast.continuity.page import PageEntry
from holdfast.privacy.scrub import ERASED

ACTIVE_DAYS = 7
OLD_TODO_DAYS = 14
KEY_FILE_SESSIONS = 3
MAX_KEY_FILES = 10
MAX_STREAMS = 12
LAST_SESSION = "Last session"
TODO_GAP = "To do: "
FAILURE_GAP = "Fails: "
TODO_PAGE = "todo.md"
DECISIONS, GAPS = "Decisions", "Known gaps"
_NOT_KEY = ("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "Cargo.lock", "go.sum")
_REASONS = (" because ", ", weil ", " weil ", ", denn ")
_SAME_LETTERS = 150
_MIN_DECIDED = 2
_NO_DECISION = frozenset((ERASED, "decision", "decided", "yes", "yeah", "no", "ok", "okay", "ja", "nein"))
_GAVE_UP = ("failure", "partial", "abandoned")
# Branches on which everything happens, so that they tell nothing.
_COMMON = frozenset(("main", "master", "develop", "dev", "trunk", "head", "default", ""))
# So many common files make one workstream of two sessions, or so great a part of the smaller one's.
_SHARED_FILES = 2
_SHARED_PART = 0.5
_MIN_SESSIONS = 2
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class SessionWork:
    """What one session did, from its digest or from the daily log. Paths begin at the project's root.

    `merged` are the branches that it merged, `failed` what still failed when it ended, `said` sentences of the person
    that may be worth knowing later, each with its kind.
    """

    source: str
    agent: str
    ended: str
    title: str = ""
    outcome: str = ""
    branches: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()
    said: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """Sessions that belong together, oldest first, and what names them: a branch, or a folder."""

    name: str
    works: tuple[SessionWork, ...]
    branch: str = ""

    @property
    def last(self) -> SessionWork:
        """The session that ended last."""
        return self.works[-1]

    @property
    def files(self) -> frozenset[str]:
        """All files that were changed."""
        return frozenset(path for work in self.works for path in work.files)


_BY_END = operator.attrgetter("ended", "source")


@dataclass(frozen=True, slots=True)
class FoundDecision:
    """A decision: its day, what and why, and where it was found.

    `ended` says how and when it ceased to hold.
    """

    at: str
    text: str
    because: str = ""
    source: str = ""
    ended: str = ""


@dataclass(frozen=True, slots=True)
class KnownTodo:
    """A todo: what it says, whether it is done or was taken out, and since when it is known at least."""

    text: str
    done: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """All that a project's sources say, and the page as it is. `today` is the day by which ages are told.

    `decided` are the decisions that hold, `ended` those that hold no longer and were not made again; `loose` are found
    in the log.
    """

    today: str
    works: tuple[SessionWork, ...] = ()
    decided: tuple[FoundDecision, ...] = ()
    ended: tuple[FoundDecision, ...] = ()
    loose: tuple[FoundDecision, ...] = ()
    tasks: tuple[KnownTodo, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An entry for the page, and what speaks for it. `agent` is set where a model worded it."""

    entry: PageEntry
    evidence: str
    agent: str = ""


def suggest(material: Material) -> list[Suggestion]:
    """Return what the plain rules suggest, section by section."""
    works = sorted(material.works, key=_BY_END)
    return [
        *_state(works),
        *(
            Suggestion(page.made("Workstreams", one.name, status(one, material), one.last.title), _sources(one.works))
            for one in streams(works)[:MAX_STREAMS]
        ),
        *_decisions(works, material),
        *_key_files(works),
        *_gaps(works, material),
    ]


def _state(works: Sequence[SessionWork]) -> list[Suggestion]:
    if not works:
        return []
    last = works[-1]
    ended = f", {last.outcome}" if last.outcome and last.outcome != "unknown" else ""
    text = f"{last.ended[:10]}: {last.title or 'a session'} ({last.agent}{ended})"
    return [Suggestion(page.made("State", LAST_SESSION, text), last.source)]


def status(stream: Stream, material: Material) -> str:
    """Return COMPLETE, ACTIVE or PAUSED. Success alone does not end what was worked on within a week."""
    merges = [work.ended for work in material.works if stream.branch and stream.branch in work.merged]
    if max(merges, default="") >= stream.last.ended:
        return page.COMPLETE
    if days_between(stream.last.ended, material.today) <= ACTIVE_DAYS:
        return page.ACTIVE
    is_open = any(_is_about(task, stream) for task in material.tasks if not task.done)
    return page.COMPLETE if stream.last.outcome == "success" and not is_open else page.PAUSED


def _is_about(task: KnownTodo, stream: Stream) -> bool:
    """Whether a todo names the workstream, or one of its files."""
    said = region.plain(task.text)
    names = {stream.name, *stream.files, *(path.rpartition("/")[2] for path in stream.files)}
    return any(region.plain(name) in said for name in names)


def _decisions(works: Sequence[SessionWork], material: Material) -> list[Suggestion]:
    found: dict[str, Suggestion] = {}
    told = [
        FoundDecision(work.ended[:10], text, source=work.source)
        for work in works
        for text in work.decided
        if _is_left(text)
    ]
    ends = _ends(material)
    for one in (*material.loose, *told):
        entry = row_of(one)
        if entry.words.strip() and not _end_of(entry, ends):
            # The log and the digest cut a long sentence at different places.
            found.setdefault(entry.words[:_SAME_LETTERS], Suggestion(entry, one.source))
    return sorted(found.values(), key=lambda one: one.entry.cells[0])


def _is_left(text: str) -> bool:
    """Whether a decision of a session says something still: of some only a nod was kept, of others all was erased."""
    words = [word.strip(":,.") for word in region.plain(text).split()]
    return len([word for word in words if word not in _NO_DECISION]) >= _MIN_DECIDED


def row_of(one: FoundDecision) -> PageEntry:
    """Return a decision as a row of the page."""
    text, because = one.text, one.because
    # A sentence may give its reason itself.
    splits = [text.partition(word) for word in _REASONS if not because]
    for head, found, reason in splits:
        if found and region.plain(head).strip():
            text, because = head.strip(" ,;"), reason.strip()
            break
    return page.made(DECISIONS, one.at[:10], text, because)


def is_decided(entry: PageEntry, material: Material) -> bool:
    """Whether the project has decided so already; the log and the digest cut a long sentence at different places."""
    return entry.words[:_SAME_LETTERS] in {row_of(one).words[:_SAME_LETTERS] for one in material.decided}


def _ends(material: Material) -> dict[str, list[FoundDecision]]:
    """Return the decisions that hold no longer, by their words, the last one first."""
    found: dict[str, list[FoundDecision]] = {}
    for one in reversed(material.ended):
        found.setdefault(row_of(one).words, []).append(one)
    return found


def _end_of(entry: PageEntry, ends: dict[str, list[FoundDecision]]) -> FoundDecision | None:
    """Return the decision that an entry is about, if it came to an end; what was said on a later day holds again."""
    last = next(iter(ends.get(entry.words, ())), None)
    day = last.ended[-10:] if last else ""
    return None if is_day(day) and entry.cells[0] > day else last


def outdated(entry: PageEntry, evidence: str, material: Material) -> str:
    """Return why what was suggested is true no longer: its decision or its to-do is another now; or nothing."""
    if entry.section == DECISIONS:
        end = _end_of(entry, _ends(material))
        return f"{end.source} was {end.ended}" if end else ""
    if entry.section != GAPS or evidence != TODO_PAGE:
        return ""
    states = {task.done for task in material.tasks if _gap(task) == entry.words}
    if entry.value == page.OPEN and False not in states:
        return "its to-do is done" if states else f"{TODO_PAGE} no longer has this to-do"
    return "its to-do is open" if entry.value == page.CLOSED and False in states else ""


def _key_files(works: Sequence[SessionWork]) -> list[Suggestion]:
    counted = Counter(path for work in works for path in set(work.files) if path.rpartition("/")[2] not in _NOT_KEY)
    found = []
    for path, times in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_KEY_FILES]:
        if times >= KEY_FILE_SESSIONS:
            changed = [work for work in works if path in work.files]
            about = f"changed in {times} sessions, last {changed[-1].ended[:10]}"
            found.append(Suggestion(page.made("Key files", path, about), _sources(changed)))
    return found


def _gaps(works: Sequence[SessionWork], material: Material) -> list[Suggestion]:
    """Return what fails and what waits for long, and that an earlier gap is closed."""
    gave_up = [work for work in works[-1:] if work.outcome in _GAVE_UP]
    found = [(FAILURE_GAP + text, last.ended[:10], last.source) for last in gave_up for text in last.failed]
    waiting = [task for task in material.tasks if not task.done and task.since]
    old = [task for task in waiting if days_between(task.since, material.today) > OLD_TODO_DAYS]
    found += [(TODO_GAP + task.text, task.since, TODO_PAGE) for task in old]
    done = {_gap(task) for task in material.tasks if task.done} - {
        _gap(task) for task in material.tasks if not task.done
    }
    rows = [row for row in page.entries(material.page) if row.section == GAPS and row.value != page.CLOSED]
    closed = [row for row in rows if row.words in done]
    return [
        *(Suggestion(page.made(GAPS, name, page.OPEN, since), source) for name, since, source in found),
        *(Suggestion(page.made(GAPS, row.name, page.CLOSED, row.cells[2]), TODO_PAGE) for row in closed),
    ]


def _gap(task: KnownTodo) -> str:
    """Return the words of the gap that a todo is, as the page has them."""
    return region.plain(page.made(GAPS, TODO_GAP + task.text).name)


def _sources(works: Sequence[SessionWork]) -> str:
    """Return what speaks for something: the last sessions, and how many more."""
    names = [work.source for work in works][::-1]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def days_between(earlier: str, later: str) -> int:
    """Return the days from one time to another; a time that cannot be read is long ago."""
    try:
        return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days
    except ValueError:
        return 10_000


def streams(works: Iterable[SessionWork]) -> list[Stream]:
    """Return the workstreams, the one that was touched last first."""
    by_branch: dict[str, list[SessionWork]] = {}
    others: list[SessionWork] = []
    for work in sorted(works, key=_BY_END):
        own = [branch for branch in work.branches if branch.casefold() not in _COMMON]
        for branch in own:
            by_branch.setdefault(branch, []).append(work)
        if not own and work.files:
            others.append(work)
    found = [Stream(branch, tuple(group), branch) for branch, group in by_branch.items()]
    found += [_by_folder(group) for group in _together(others) if len(group) >= _MIN_SESSIONS]
    return sorted(_named_once(found), key=lambda one: one.last.ended, reverse=True)


def _together(works: Sequence[SessionWork]) -> list[list[SessionWork]]:
    """Return groups of sessions of which each shares files with another one of its group."""

    def shares(one: SessionWork, other: SessionWork) -> bool:
        files = set(one.files), set(other.files)
        common = len(files[0] & files[1])
        return common >= _SHARED_FILES or 0 < common >= _SHARED_PART * min(map(len, files))

    groups: list[list[SessionWork]] = []
    for work in works:
        near = [group for group in groups if any(shares(work, one) for one in group)]
        groups = [group for group in groups if group not in near]
        groups.append(sorted([work, *chain.from_iterable(near)], key=_BY_END))
    return groups


def _by_folder(group: list[SessionWork]) -> Stream:
    """Name a group by the folder in which most of its sessions changed something; the deepest of several."""
    folders = [[path.split("/")[:-1][:_DEEPEST] for path in work.files] for work in group]
    named = [{name for parts in each for name in accumulate(parts, "{}/{}".format)} for each in folders]
    counted = Counter(chain.from_iterable(named))
    name = max(counted, key=lambda folder: (counted[folder], folder.count("/"), folder)) if counted else ""
    return Stream(name or "(top folder)", tuple(group))


def _named_once(found: list[Stream]) -> list[Stream]:
    """Return the streams with those of one name joined, so that a row of the page is one workstream."""
    joined: dict[str, Stream] = {}
    for one in found:
        there = joined.get(one.name)
        works = {work.source: work for work in (*(there.works if there else ()), *one.works)}
        joined[one.name] = Stream(one.name, tuple(sorted(works.values(), key=_BY_END)), one.branch)
    return list(joined.values())
