"""What each tool takes. The bounds here are the JSON schema that agents see, and what is checked before anything else.

An argument that is null counts as left out; one that is unknown is refused, so that a slip is never ignored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from holdfast.app.mark import MAX_NOTE
from holdfast.continuity.pages import MAX_BECAUSE, MAX_TEXT
from holdfast.continuity.working_state import MAX_FOCUS, MAX_ITEM, MAX_ITEMS
from holdfast.language.ratings import MAX_COMMENT

ScopeKind = Literal["global", "project", "session", "agent"]
MemoryType = Literal["user", "feedback", "project", "reference", "decision", "lesson"]

_KEY_RULE = "1 to 60 of a-z, 0-9 and hyphen"
# Longer than any text that can be stored, so that the store itself says what is too long and what to do.
_MAX_CONTENT = 20_000_000


def _joined(value: object) -> object:
    """Return a list of tags as one text; agents give either."""
    return ",".join(map(str, value)) if isinstance(value, list) else value


def _listed(value: object) -> object:
    """Return a lone text as a list of one; agents forget the brackets."""
    return [value] if isinstance(value, str) else value


Key = Annotated[str, Field(pattern=r"^[a-z0-9-]{1,60}$", description=f"The memory's key: {_KEY_RULE}.")]
Items = Annotated[
    list[Annotated[str, Field(max_length=MAX_ITEM)]], BeforeValidator(_listed), Field(max_length=MAX_ITEMS)
]


class Arguments(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid")


class Store(Arguments):
    """What `memory_store` takes."""

    content: str = Field(
        min_length=1,
        max_length=_MAX_CONTENT,
        description="The statement to keep, self-contained, with its reason; best under 500 characters; no secret.",
    )
    scope: ScopeKind = Field(
        default="project",
        description="Where it holds: project (this repository), global (this person, everywhere), agent (this"
        " profile), session (this session only, expires).",
    )
    memory_type: MemoryType = Field(
        default="project",
        description="A label: user (about the person), feedback (how they want you to work), project (a fact),"
        " reference (where to look), decision (with its reason), lesson (learned the hard way).",
    )
    key: Key | None = Field(
        default=None,
        description=f"Name it to update a memory that is there, or to give it a telling name ({_KEY_RULE}). Left out,"
        " it is made of the first words.",
    )
    tags: Annotated[str, BeforeValidator(_joined)] | None = Field(
        default=None, max_length=500, description="A few tags, separated by commas."
    )


class Recall(Arguments):
    """What `memory_recall` takes."""

    query: str | None = Field(
        default=None,
        max_length=4_000,
        description="A question, a few telling words, or a key. Left out, the newest memories come.",
    )
    scope: ScopeKind | None = Field(default=None, description="Only this scope. Left out: all that is visible here.")
    memory_type: MemoryType | None = Field(default=None, description="Only this type.")
    limit: int = Field(default=10, ge=1, le=100, description="At most so many memories.")
    search_mode: Literal["hybrid", "bm25", "metadata"] = Field(
        default="hybrid",
        description="hybrid: by words and meaning; bm25: by words; metadata: every word must occur, newest first.",
    )
    sort_by: Literal["score", "recency", "usage"] = Field(default="score", description="The order of what was found.")
    include_related: bool = Field(default=False, description="Also name up to three related memories beside each.")


class SessionSearch(Arguments):
    """What `session_search` takes."""

    query: str = Field(
        min_length=1,
        max_length=4_000,
        description="A question or a few telling words, as they were said; a time in it counts: `last week`.",
    )
    agent: str | None = Field(default=None, max_length=100, description="Only sessions of this agent, by its name.")
    since: str | None = Field(default=None, max_length=40, description="Said since: 2026-11-01, 7d, 2w, yesterday.")
    until: str | None = Field(default=None, max_length=40, description="Said before.")
    limit: int = Field(default=5, ge=1, le=20, description="At most so many passages.")


class Forget(Arguments):
    """What `memory_forget` takes."""

    key: Key
    scope: ScopeKind = Field(default="project", description="The scope that it is in.")


class List(Arguments):
    """What `memory_list` takes."""

    scope: ScopeKind | None = Field(default=None, description="Only this scope. Left out: all that is visible here.")
    memory_type: MemoryType | None = Field(default=None, description="Only this type.")
    limit: int = Field(default=50, ge=1, le=200, description="At most so many, the newest.")


class Rate(Arguments):
    """What `memory_rate` takes."""

    key: Key
    rating: Literal["helpful", "harmful"] = Field(
        description="helpful: it was right and spared work; harmful: it was wrong, outdated or misleading."
    )
    scope: ScopeKind | None = Field(
        default=None, description="The scope that it is in. Left out: the narrowest that has it."
    )
    note: str | None = Field(default=None, max_length=MAX_NOTE, description="Why, in a sentence.")


class SessionRate(Arguments):
    """What `session_rate` takes."""

    rating: int = Field(ge=1, le=10, description="What the person gave: 1 is worst, 10 is best.")
    words: str = Field(
        min_length=1, max_length=MAX_COMMENT, description="The person's own words, quoted from this session."
    )


class StateRead(Arguments):
    """What `state_read` takes: nothing."""


class StateUpdate(Arguments):
    """What `state_update` takes."""

    focus: str | None = Field(
        default=None, max_length=MAX_FOCUS, description="What is being worked on now, in a sentence or two. Replaces."
    )
    decisions: Items | None = Field(
        default=None, description="Decisions of this session, to be added to those that stand."
    )
    next_steps: Items | None = Field(default=None, description="What comes next, most urgent first. Replaces the list.")
    open_threads: Items | None = Field(
        default=None, description="Questions and loose ends that wait for somebody. Replaces the list."
    )
    clear: bool = Field(default=False, description="Empty every field first: a new piece of work begins.")


class ProjectNotes(Arguments):
    """What `project_notes` takes."""

    action: Literal["list", "todo", "done", "reopen", "decide", "lesson", "withdraw"] = Field(
        description="list: what is open and holds; todo, decide, lesson: add one; done, reopen: a to-do; withdraw: a"
        " decision or lesson.",
    )
    text: str | None = Field(
        default=None, max_length=MAX_TEXT, description="For todo, decide and lesson: what to write, in a sentence."
    )
    because: str | None = Field(
        default=None, max_length=MAX_BECAUSE, description="The reason of a decision; what went wrong, of a lesson."
    )
    id: str | None = Field(
        default=None,
        max_length=MAX_TEXT,
        description="For done, reopen and withdraw: the id from list, or the words of a to-do. With decide or lesson:"
        " the id of what it replaces.",
    )


class WorkItem(Arguments):
    """What `work_item` takes."""

    action: Literal["show", "criterion", "verify", "close"] = Field(
        description="show: the work item with its criteria; criterion: add one; verify: mark one as satisfied; close.",
    )
    id: str | None = Field(
        default=None,
        max_length=120,
        description="The work item; without it the one that this session works on. Needed to close.",
    )
    text: str | None = Field(
        default=None, max_length=MAX_TEXT, description="For criterion: what must be true in the end, in a sentence."
    )
    anti: bool = Field(default=False, description="For criterion: it is something that must not happen.")
    criterion: str | None = Field(default=None, max_length=20, description="For verify: its id, such as c1.")
    evidence: str | None = Field(
        default=None,
        max_length=MAX_BECAUSE,
        description="For verify: what shows it, such as a test run and its result.",
    )


def complaint(problem: ValidationError, model: type[Arguments]) -> str:
    """Return in words which arguments are wrong, and what they should be; never what was given."""
    told: dict[str, str] = {}
    for error in problem.errors(include_url=False, include_input=False, include_context=False):
        name = str(error["loc"][0]) if error["loc"] else "the arguments"
        field = model.model_fields.get(name)
        if field is None:
            shown = "".join(letter for letter in name[:60] if letter.isprintable())
            told[shown] = f"there is no such argument; there is {', '.join(model.model_fields) or 'none'}"
        else:
            about = f" ({field.description})" if field.description else ""
            told[name] = f"{error['msg'][:200]}{about}"
    return "; ".join(f"{name}: {text}" for name, text in told.items())
