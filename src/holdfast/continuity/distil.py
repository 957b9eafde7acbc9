"""Distilling: what of logs, digests, decisions and todos is worth a row on the page. No model, no input or output.

Every suggestion names what speaks for it. Whether it is new, known or was rejected is not asked here.
"""

from __future__ import annotations

from collections import Counter
from datetime import date

from holdfast.continuity import page
from holdfast.continuity.workstreams import Stream, Work, streams
from holdfast.light import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.continuity.page import Entry

ACTIVE_DAYS = 7
OLD_TODO_DAYS = 14
KEY_FILE_SESSIONS = 3
MOST_KEY_FILES = 10
MOST_STREAMS = 12
LAST_SESSION = "Last session"
TODO_GAP = "To do: "
FAILURE_GAP = "Fails: "
_NOT_KEY = ("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "uv.lock", "poetry.lock", "Cargo.lock", "go.sum")
_REASONS = (" because ", ", weil ", " weil ", ", denn ")
_SAME_LETTERS = 150
_GAVE_UP = ("failure", "partial", "abandoned")


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision: its day, what and why, and where it was found."""

    at: str
    text: str
    because: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A todo: what it says, whether it is done, and since when it is known at least."""

    text: str
    done: bool = False
    since: str = ""


@dataclass(frozen=True, slots=True)
class Material:
    """All that a project's sources say, and the page as it is. `today` is the day by which ages are told."""

    today: str
    works: tuple[Work, ...] = ()
    decided: tuple[Decided, ...] = ()
    tasks: tuple[Task, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An entry for the page, and what speaks for it. `agent` is set where a model worded it."""

    entry: Entry
    evidence: str
    agent: str = ""


def suggest(material: Material) -> list[Suggestion]:
    """Return what the plain rules suggest, section by section."""
    works = sorted(material.works, key=lambda work: (work.ended, work.source))
    return [
        *_state(works),
        *_workstreams(works, material),
        *_decisions(works, material.decided),
        *_key_files(works),
        *_gaps(works, material),
    ]


def _state(works: Sequence[Work]) -> list[Suggestion]:
    if not works:
        return []
    last = works[-1]
    ended = f", {last.outcome}" if last.outcome and last.outcome != "unknown" else ""
    text = f"{last.ended[:10]}: {last.title or 'a session'} ({last.agent}{ended})"
    return [Suggestion(page.made("State", LAST_SESSION, text), last.source)]


def _workstreams(works: Sequence[Work], material: Material) -> list[Suggestion]:
    found = []
    for stream in streams(works)[:MOST_STREAMS]:
        entry = page.made("Workstreams", stream.name, status(stream, material), stream.last.title)
        found.append(Suggestion(entry, _sources(stream.works)))
    return found


def status(stream: Stream, material: Material) -> str:
    """Return COMPLETE, ACTIVE or PAUSED. Success alone does not end what was worked on within a week."""
    merges = [work.ended for work in material.works if stream.branch and stream.branch in work.merged]
    if max(merges, default="") >= stream.last.ended:
        return page.COMPLETE
    if days_between(stream.last.ended, material.today) <= ACTIVE_DAYS:
        return page.ACTIVE
    is_open = any(_is_about(task, stream) for task in material.tasks if not task.done)
    return page.COMPLETE if stream.last.outcome == "success" and not is_open else page.PAUSED


def _is_about(task: Task, stream: Stream) -> bool:
    """Whether a todo names the workstream, or one of its files."""
    said = page.plain(task.text)
    names = {stream.name, *stream.files, *(path.rpartition("/")[2] for path in stream.files)}
    return any(page.plain(name) in said for name in names)


def _decisions(works: Sequence[Work], decided: Iterable[Decided]) -> list[Suggestion]:
    found: dict[str, Suggestion] = {}
    told = [Decided(work.ended[:10], text, source=work.source) for work in works for text in work.decided]
    # A row of the decisions' own page has its reason, so it comes before what was said in a session.
    for one in (*decided, *told):
        text, because = (one.text, one.because) if one.because else _with_reason(one.text)
        entry = page.made("Decisions", one.at[:10], text, because)
        if page.plain(text).strip():
            # The log and the digest cut a long sentence at different places.
            found.setdefault(page.plain(text)[:_SAME_LETTERS], Suggestion(entry, one.source))
    return sorted(found.values(), key=lambda one: one.entry.cells[0])


def _with_reason(text: str) -> tuple[str, str]:
    """Return a sentence and the reason that it gives itself."""
    for word in _REASONS:
        head, found, reason = text.partition(word)
        if found and page.plain(head).strip():
            return head.strip(" ,;"), reason.strip()
    return text, ""


def _key_files(works: Sequence[Work]) -> list[Suggestion]:
    counted = Counter(path for work in works for path in set(work.files) if path.rpartition("/")[2] not in _NOT_KEY)
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_KEY_FILES]
    found = []
    for path, times in ranked:
        if times >= KEY_FILE_SESSIONS:
            changed = [work for work in works if path in work.files]
            about = f"changed in {times} sessions, last {changed[-1].ended[:10]}"
            found.append(Suggestion(page.made("Key files", path, about), _sources(changed)))
    return found


def _gaps(works: Sequence[Work], material: Material) -> list[Suggestion]:
    """Return what fails and what waits for long, and that an earlier gap is closed."""
    found = []
    last = works[-1] if works else None
    if last is not None and last.outcome in _GAVE_UP:
        for text in last.failed:
            gap = page.made("Known gaps", FAILURE_GAP + text, page.OPEN, last.ended[:10])
            found.append(Suggestion(gap, last.source))
    for task in material.tasks:
        if not task.done and task.since and days_between(task.since, material.today) > OLD_TODO_DAYS:
            found.append(Suggestion(page.made("Known gaps", TODO_GAP + task.text, page.OPEN, task.since), "todo.md"))
    return [*found, *_closed(material)]


def _closed(material: Material) -> list[Suggestion]:
    """Return the gaps of the page whose todo is done now."""
    done = {page.plain(TODO_GAP + task.text) for task in material.tasks if task.done}
    still = {page.plain(TODO_GAP + task.text) for task in material.tasks if not task.done}
    rows = [row for row in page.entries(material.page) if row.section == "Known gaps" and row.value != page.CLOSED]
    return [
        Suggestion(page.made("Known gaps", row.name, page.CLOSED, row.cells[2]), "todo.md")
        for row in rows
        if page.plain(row.name) in done - still
    ]


def _sources(works: Sequence[Work]) -> str:
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
