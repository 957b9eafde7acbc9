"""What each tool answers, as typed records; `success` and `disabled` stand before them in every answer.

Where memory is switched off, `success` is false, `disabled` true, and nothing was read or written.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.privacy.fence import LABEL


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The answer of `memory_store`."""

    key: str = ""
    scope: str = ""
    scope_id: str = ""  # The id of the project, session or profile; empty for global.
    file_path: str = ""  # The Markdown file, which the person owns and may edit.
    action: str = ""  # created, updated (what it said before is kept as history) or unchanged.
    redacted: tuple[str, ...] = ()  # The kinds of secret that were taken out before it was stored.
    replaced: str = ""  # What an updated memory said before.
    beside: str = ""  # The key of a memory that begins alike; give it to update that one.


@dataclass(frozen=True, slots=True)
class RelatedResult:
    """A memory beside another one."""

    key: str
    scope: str
    title: str
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundResult:
    """One memory that a recall found."""

    key: str
    content: str
    memory_type: str
    scope: str
    scope_id: str
    tags: tuple[str, ...]
    file_path: str
    updated_at: str
    created_at: str
    trust: str  # Who says so: user, agent, derived or import.
    score: float
    pinned: bool
    superseded_by: str  # The key of what replaced it; mostly empty.
    stale: str  # What changed in the code that it names; then verify it first.
    truncated: bool  # The content was cut; the file or its resource has all of it.
    related: tuple[RelatedResult, ...]


@dataclass(frozen=True, slots=True)
class Recalled:
    """The answer of `memory_recall`."""

    label: str = LABEL
    memories: tuple[FoundResult, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageResult:
    """A piece of what was said in a session, or of its digest."""

    session: str  # AGENT/ID.
    title: str
    speaker: str  # human, assistant, task, summary, or digest: what Holdfast noted of the session.
    said_at: str
    text: str
    event: int  # Its place in the session; -1 for the digest.
    score: float


@dataclass(frozen=True, slots=True)
class Searched:
    """The answer of `session_search`."""

    label: str = LABEL
    passages: tuple[PassageResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgottenResult:
    """The answer of `memory_forget`."""

    deleted: bool = False  # False where there was no such memory.
    key: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ListedResult:
    """One memory in a list."""

    key: str
    title: str
    memory_type: str
    scope: str
    tags: tuple[str, ...]
    updated_at: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """The answer of `memory_recall` with titles."""

    label: str = LABEL
    memories: tuple[ListedResult, ...] = ()
    more: bool = False  # There are more than these.


@dataclass(frozen=True, slots=True)
class RatedResult:
    """The answer of `memory_rate`."""

    key: str = ""
    scope: str = ""
    rating: str = ""
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionRated:
    """The answer of `memory_rate` about a session."""

    rating: int = 0
    session: str = ""
    action: str = ""
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The answer of `working_state` that is read."""

    label: str = LABEL
    exists: bool = False
    focus: str = ""
    decisions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    open_threads: tuple[str, ...] = ()
    updated_at: str = ""
    updated_by: str = ""
    own_words: str = ""  # What the person wrote on the page beside this.
    file_path: str = ""


@dataclass(frozen=True, slots=True)
class StateUpdated:
    """The answer of `working_state` that is written."""

    action: str = ""  # created, updated or unchanged.
    file_path: str = ""
    redacted: tuple[str, ...] = ()  # The kinds of secret that were taken out before it was written.
    dropped_decisions: tuple[str, ...] = ()  # Old decisions that made room. Store those that should last as memories.


@dataclass(frozen=True, slots=True)
class NotedResult:
    """One to-do, decision or lesson."""

    id: str
    text: str
    because: str = ""
    at: str = ""  # The day of a decision or lesson, or on which a to-do was done.


@dataclass(frozen=True, slots=True)
class Notes:
    """The answer of `project_notes`: with list what is open and holds, else the one that was changed."""

    label: str = LABEL
    action: str = ""  # listed, added, done, reopened, withdrawn or unchanged.
    todos: tuple[NotedResult, ...] = ()
    decisions: tuple[NotedResult, ...] = ()
    lessons: tuple[NotedResult, ...] = ()
    more: bool = False  # There are more than these, in the files.
    file_path: str = ""  # The page, or with list its folder; the person owns and edits it.
    redacted: tuple[str, ...] = ()  # The kinds of secret that were taken out before it was written.


@dataclass(frozen=True, slots=True)
class CriterionShown:
    """One criterion of a work item."""

    id: str
    text: str
    status: str  # PENDING, PARTIAL (the agent says so), SATISFIED (evidence says so) or FAILED.
    because: str = ""  # Where it, or its status, comes from.


@dataclass(frozen=True, slots=True)
class WorkShown:
    """The answer of `work_item`: the work item as it is now."""

    label: str = LABEL
    action: str = ""  # shown, added, verified, closed, unchanged; none: none is open.
    id: str = ""
    title: str = ""
    status: str = ""  # ACTIVE or COMPLETED.
    effort: str = ""
    ideal: str = ""
    criteria: tuple[CriterionShown, ...] = ()
    anti_criteria: tuple[CriterionShown, ...] = ()
    files_changed: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()  # What is known about it, with show.
    outcome: str = ""
    file_path: str = ""  # Its folder, which the person owns and may edit.
    redacted: tuple[str, ...] = ()


ToolResult = (
    StoredResult
    | Recalled
    | Listing
    | Searched
    | ForgottenResult
    | RatedResult
    | SessionRated
    | State
    | StateUpdated
    | Notes
    | WorkShown
)
# A result, and a text that says the same.
Answer = tuple[ToolResult, str]
