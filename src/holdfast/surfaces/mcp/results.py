"""What each tool answers, as typed results. Where memory is switched off, `success` is false and `disabled` true."""

from __future__ import annotations

from pydantic import BaseModel, Field

from holdfast.inject import hand_over


class Result(BaseModel):
    """The answer of a tool."""

    success: bool = True
    disabled: bool = Field(default=False, description="Memory is switched off here; nothing was read or written.")


class Stored(Result):
    """The answer of `memory_store`."""

    key: str = ""
    scope: str = ""
    scope_id: str = Field(default="", description="The id of the project, session or profile; empty for global.")
    file_path: str = Field(default="", description="The Markdown file, which the person owns and may edit.")
    action: str = Field(
        default="", description="created, updated (what it said before is kept as history) or unchanged."
    )
    redacted: list[str] = Field(default=[], description="The kinds of secret that were taken out before it was stored.")


class Related(BaseModel):
    """A memory beside another one."""

    key: str
    scope: str
    title: str
    why: list[str]


class Found(BaseModel):
    """One memory that a recall found."""

    key: str
    content: str
    memory_type: str
    scope: str
    scope_id: str
    tags: list[str]
    file_path: str
    updated_at: str
    created_at: str
    trust: str = Field(description="Who says so: user, agent, derived or import.")
    score: float
    pinned: bool
    superseded_by: str = Field(description="The key of what replaced it; mostly empty.")
    truncated: bool = Field(description="The content was cut; the file or its resource has all of it.")
    related: list[Related]


class Recalled(Result):
    """The answer of `memory_recall`."""

    label: str = hand_over.LABEL
    memories: list[Found] = []


class Passage(BaseModel):
    """A piece of what was said in a session, or of its digest."""

    session: str = Field(description="AGENT/ID.")
    title: str
    speaker: str = Field(description="human, assistant, task, summary, or digest: what Holdfast noted of the session.")
    said_at: str
    text: str
    event: int = Field(description="Its place in the session; -1 for the digest.")
    score: float


class Searched(Result):
    """The answer of `session_search`."""

    label: str = hand_over.LABEL
    passages: list[Passage] = []


class Forgotten(Result):
    """The answer of `memory_forget`."""

    deleted: bool = Field(default=False, description="False where there was no such memory.")
    key: str = ""
    scope: str = ""


class Listed(BaseModel):
    """One memory in a list."""

    key: str
    title: str
    memory_type: str
    scope: str
    tags: list[str]
    updated_at: str
    pinned: bool


class Listing(Result):
    """The answer of `memory_list`."""

    label: str = hand_over.LABEL
    memories: list[Listed] = []
    more: bool = Field(default=False, description="There are more than these.")


class Rated(Result):
    """The answer of `memory_rate`."""

    key: str = ""
    scope: str = ""
    rating: str = ""
    redacted: list[str] = []


class SessionRated(Result):
    """The answer of `session_rate`."""

    rating: int = 0
    session: str = ""
    action: str = ""
    redacted: list[str] = []


class State(Result):
    """The answer of `state_read`."""

    label: str = hand_over.LABEL
    exists: bool = False
    focus: str = ""
    decisions: list[str] = []
    next_steps: list[str] = []
    open_threads: list[str] = []
    updated_at: str = ""
    updated_by: str = ""
    own_words: str = Field(default="", description="What the person wrote on the page beside this.")
    file_path: str = ""


class StateUpdated(Result):
    """The answer of `state_update`."""

    action: str = Field(default="", description="created, updated or unchanged.")
    file_path: str = ""
    redacted: list[str] = Field(
        default=[], description="The kinds of secret that were taken out before it was written."
    )
    dropped_decisions: list[str] = Field(
        default=[], description="Old decisions that made room. Store those that should last as memories."
    )


class Noted(BaseModel):
    """One to-do, decision or lesson."""

    id: str
    text: str
    because: str = ""
    at: str = Field(default="", description="The day of a decision or lesson, or on which a to-do was done.")


class Notes(Result):
    """The answer of `project_notes`: with list what is open and holds, else the one that was changed."""

    label: str = hand_over.LABEL
    action: str = Field(default="", description="listed, added, done, reopened, withdrawn or unchanged.")
    todos: list[Noted] = []
    decisions: list[Noted] = []
    lessons: list[Noted] = []
    more: bool = Field(default=False, description="There are more than these, in the files.")
    file_path: str = Field(default="", description="The page, or with list its folder; the person owns and edits it.")
    redacted: list[str] = Field(
        default=[], description="The kinds of secret that were taken out before it was written."
    )


class CriterionShown(BaseModel):
    """One criterion of a work item."""

    id: str
    text: str
    status: str = Field(description="PENDING, PARTIAL (the agent says so), SATISFIED (evidence says so) or FAILED.")
    because: str = Field(default="", description="Where it, or its status, comes from.")


class WorkShown(Result):
    """The answer of `work_item`: the work item as it is now."""

    label: str = hand_over.LABEL
    action: str = Field(default="", description="shown, added, verified, closed, unchanged; none: none is open.")
    id: str = ""
    title: str = ""
    status: str = Field(default="", description="ACTIVE or COMPLETED.")
    effort: str = ""
    ideal: str = ""
    criteria: list[CriterionShown] = []
    anti_criteria: list[CriterionShown] = []
    files_changed: list[str] = []
    file_path: str = Field(default="", description="Its folder, which the person owns and may edit.")
    redacted: list[str] = []
