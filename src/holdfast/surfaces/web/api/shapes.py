"""What the REST interface takes and gives, as types: they check what comes in, and OpenAPI is made of them.

What is given of a record has the fields of the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_type_hints

import msgspec
from msgspec import Meta, Struct, field

from holdfast.base.text import hash_of
from holdfast.records import Hit, Memory, Part, Proposal, Receipt, Scope
from holdfast.rules.rule import rule_of
from holdfast.session_records import SessionEvent
from holdfast.sessions.search import SessionHit
from holdfast.store.session_table import SessionRow

T = TypeVar("T")
ScopeKind = Literal["global", "project", "session", "agent"]
MemoryType = Literal["user", "feedback", "project", "reference", "decision", "lesson"]
Strength = Literal["say", "hold", "ask", "deny"]
Trust = Literal["user", "agent", "derived", "import"]
Outcome = Literal["success", "failure", "partial", "abandoned", "unknown"]
MAX_TEXT = 1_000_000
Id = Annotated[str, Meta(max_length=128)]
Words = Annotated[str, Meta(max_length=2_000)]
Several = Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=50)]
# What every query may have, and what is no choice among the things that are listed or searched.
_NOT_CHOOSING = ("project", "session", "profile", "team", "limit", "offset", "q")


def shape(name: str, record: type, without: tuple[str, ...] = (), **more: Any) -> type[Struct]:
    """Return the type of what is given of a record: all of its fields but for some, and some more."""
    known = {field: kind for field, kind in get_type_hints(record).items() if field not in without}
    return msgspec.defstruct(name, [*{**known, **more}.items()], frozen=True, kw_only=True, module=__name__)


def given(record: object, kind: type[T], **more: object) -> T:
    """Return what is given of a record, as its shape says; what a record has under another name is told."""
    own = {name: getattr(record, name) for name in kind.__struct_fields__ if name not in more}  # type: ignore[attr-defined]
    return msgspec.convert({**own, **more}, kind)


class SentFields(Struct, kw_only=True, forbid_unknown_fields=True):
    """What comes in: a field that is not known is refused, never passed over."""


class SeenFrom(SentFields):
    """As seen from where: a project (default: that of the folder in which the server was started), session, profile.

    On a hub it is a team and a project, and there is no default for a project.
    """

    project: Id = ""
    session: Id = ""
    profile: Id = ""
    team: Id = ""

    def choices(self) -> dict[str, Any]:
        """Return what is chosen among, as keywords for the function that looks."""
        chosen = {name: getattr(self, name) for name in self.__struct_fields__ if name not in _NOT_CHOOSING}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in chosen.items()}


class OneMemory(SeenFrom):
    """Which memory is meant, where the key alone does not say it: the narrowest scope that has it comes first."""

    scope: ScopeKind | None = None


class PageAsked(SeenFrom):
    """A part of a list: so many, behind so many."""

    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    offset: Annotated[int, Meta(ge=0, le=1_000_000)] = 0

    @property
    def end(self) -> int:
        """Where the part ends; whoever looks for one more knows whether there is another part."""
        return self.offset + self.limit

    def part(self, found: Sequence[T]) -> tuple[list[T], int | None]:
        """Return the part of a list that is asked for, and the offset of the next part; None at the end."""
        return list(found[self.offset : self.end]), self.end if len(found) > self.end else None


class MemoriesAsked(PageAsked):
    """Which memories are listed."""

    scope: ScopeKind | None = None
    types: Annotated[list[MemoryType], Meta(max_length=6)] = field(default_factory=list, name="type")
    tags: Several = field(default_factory=list, name="tag")
    since: Words = ""
    everywhere: bool = False


class SearchAsked(MemoriesAsked, kw_only=True):
    """What is searched for. A time in the words counts."""

    q: Annotated[str, Meta(min_length=1, max_length=2_000)]
    agents: Several = field(default_factory=list, name="agent")
    until: Words = ""


if TYPE_CHECKING:
    from collections.abc import Sequence

    MemoryShape = Struct
    ProposalShape = Struct
    PassageShape = Struct
    ReceiptShape = Struct
else:
    _OF = {"scope": ScopeKind, "owner": str, "type": MemoryType}
    MemoryShape = shape("MemoryShape", Memory, ("history",), **_OF, trust=Trust)
    ProposalShape = shape("ProposalShape", Proposal, ("status",), **_OF)
    PassageShape = shape("PassageShape", SessionHit, parts=list["ScorePart"])
    ReceiptShape = shape("ReceiptShape", Receipt, ("holdout",), given=list["GivenMemory"], left_out=list["LeftOut"])


class StatementView(Struct, frozen=True):
    """What a memory said, and since when."""

    text: str
    at: str


class RuleView(Struct, frozen=True, kw_only=True):
    """At which calls a memory is given and what it does there. `origin` is given, or derived from its `words`."""

    when: str
    does: Strength
    origin: Literal["given", "derived"]
    words: str
    why: str


class RuledMemory(MemoryShape, frozen=True, kw_only=True):
    """A memory with its rule.

    `when` and `enforce` are what was given to it; `rule` is what holds, null where it has no condition or was replaced.
    """

    rule: RuleView | None


class WholeMemory(RuledMemory, frozen=True, kw_only=True):
    """One memory with all that is known of it; `uses` is how often it was handed out."""

    history: list[StatementView]
    superseded_by: str
    uses: int
    used: str


class MemoryList(Struct, frozen=True):
    """A part of a list; `next` is the offset of the next part, nothing at its end."""

    memories: list[RuledMemory]
    next: int | None


class ScorePart(Struct, frozen=True):
    """One part of a score: what it is, how much it is worth, and what it adds."""

    name: str
    value: float
    weight: float
    points: float
    why: str


class FoundMemory(Struct, frozen=True, kw_only=True):
    """A memory that was found, how good it is, and why."""

    memory: RuledMemory
    score: float
    words: tuple[str, ...]
    superseded_by: str
    parts: list[ScorePart]
    # On a hub: in which team it is.
    team: str = ""


class FoundMemories(Struct, frozen=True):
    """What was found, best first."""

    hits: list[FoundMemory]
    next: int | None


class NearMemory(Struct, frozen=True):
    """A memory beside another one, and in which ways it is."""

    memory: MemoryShape
    why: tuple[str, ...]


class NearMemories(Struct, frozen=True):
    """What is related to a memory, the plainest ties first."""

    related: list[NearMemory]


class MemoryHistory(Struct, frozen=True):
    """What a memory says and said before, newest first."""

    key: str
    scope: ScopeKind
    statements: list[StatementView]


Text = Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
Title = Annotated[str, Meta(min_length=1, max_length=400)]
Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=100)]], Meta(max_length=50)]
Key = Annotated[str, Meta(pattern="^[a-z0-9-]{1,60}$")]


class NewMemory(SentFields):
    """A memory to store. Without a key it gets one of its first words; `enforce` is how strongly it holds at `when`."""

    text: Text
    scope: ScopeKind = "project"
    key: Key | None = None
    title: Title | None = None
    type: MemoryType | None = None
    tags: Tags | None = None
    supersedes: Annotated[list[Key], Meta(max_length=50)] = []
    pinned: bool = False
    when: Words | None = None
    enforce: Strength | Literal["default"] | None = None


class MemoryChange(SentFields):
    """What of a memory is to be another; what is left out stays. An empty `when` is what its words say."""

    text: Text | None = None
    title: Title | None = None
    type: MemoryType | None = None
    tags: Tags | None = None
    pinned: bool | None = None
    when: Words | None = None
    enforce: Strength | Literal["default"] | None = None


class StoredMemory(Struct, frozen=True, kw_only=True):
    """What became of it: `proposed` is what would change the person's own words; `proposal` is its id then."""

    action: Literal["created", "updated", "unchanged", "proposed"]
    memory: MemoryShape
    redacted: tuple[str, ...]
    replaced: str
    beside: str
    proposal: str


class ForgottenMemory(Struct, frozen=True):
    """What went. Only the person forgets for good; what a program removes, `undo` brings back."""

    key: str
    scope: ScopeKind
    for_good: bool


class MovedTo(SentFields):
    """Where a memory goes: another scope, another key, or both."""

    to: ScopeKind | None = None
    key: Key | None = None


class ContextAsked(SeenFrom):
    """Which block is asked for: at a start, or after a compaction; for which agent (default: heard of last)."""

    agent: Id = ""
    after_compaction: bool = False


class PromptGiven(SentFields):
    """A prompt to try."""

    prompt: Annotated[str, Meta(min_length=1, max_length=100_000)]
    agent: Id = ""


class GivenMemory(Struct, frozen=True, kw_only=True):
    """One memory in a block: which, why, and about how many tokens it costs."""

    key: str
    scope: str
    owner: str
    why: str
    tokens: int


class LeftOut(Struct, frozen=True):
    """What was left out, and why."""

    name: str
    why: str


class ContextBlock(Struct, frozen=True, kw_only=True):
    """The text that a session would be given, what is in it and why, and the most characters that it may have."""

    agent: str
    moment: str
    text: str
    characters: int
    tokens: int
    budget: int
    note: str
    given: list[GivenMemory]
    left_out: list[LeftOut]


class ReceiptsAsked(PageAsked):
    """Whose receipts: those of the sessions whose id begins with this, or all."""

    of_session: Id = ""


class ReceiptList(Struct, frozen=True):
    """Receipts, newest first."""

    receipts: list[ReceiptShape]
    next: int | None


class WholeProposal(ProposalShape, frozen=True, kw_only=True):
    """One proposal, and the memories that say nearly the same."""

    alike: list[MemoryShape]


class ProposalList(Struct, frozen=True):
    """What waits, oldest first."""

    proposals: list[ProposalShape]
    next: int | None


class ProposalChange(SentFields):
    """What of a proposal is to be another before it is decided on."""

    text: Text | None = None
    title: Title | None = None
    type: MemoryType | None = None
    tags: Tags | None = None


class SessionsAsked(PageAsked):
    """Which sessions are listed."""

    agents: Several = field(default_factory=list, name="agent")
    since: Words = ""
    until: Words = ""
    outcomes: Annotated[list[Outcome], Meta(max_length=5)] = field(default_factory=list, name="outcome")
    file: Words = ""
    branch: Words = ""
    subagents: bool = False
    everywhere: bool = False


class TimelineAsked(SeenFrom):
    """Which time, and of how many sessions at most."""

    since: Words = ""
    until: Words = ""
    everywhere: bool = False
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class FilesAsked(TimelineAsked):
    """Which changes: of a file or folder, by which agents."""

    path: Words = ""
    agents: Several = field(default_factory=list, name="agent")


class SessionList(Struct, frozen=True):
    """Sessions, the last to end first."""

    sessions: list[SessionRow]
    next: int | None


class EventsAsked(SeenFrom):
    """Which events of a session: from this place on, so many."""

    first: Annotated[int, Meta(ge=0, le=10_000_000)] = 0
    limit: Annotated[int, Meta(ge=1, le=500)] = 100


class EventList(Struct, frozen=True):
    """What happened in a session, in its order; `next` is the place of the next event, nothing at the end."""

    events: list[SessionEvent]
    next: int | None


class SaidAsked(SeenFrom, kw_only=True):
    """What is searched for in what was said and done in sessions."""

    q: Annotated[str, Meta(min_length=1, max_length=2_000)]
    agents: Several = field(default_factory=list, name="agent")
    since: Words = ""
    until: Words = ""
    everywhere: bool = False
    limit: Annotated[int, Meta(ge=1, le=100)] = 10


class FoundInSessions(Struct, frozen=True):
    """What was found, best first."""

    hits: list[PassageShape]


def memory_shape(memory: Memory) -> MemoryShape:
    """Return a memory as it is given."""
    return given(memory, MemoryShape, scope=memory.scope.kind, owner=memory.scope.owner)


def parts_of(parts: tuple[Part, ...]) -> list[ScorePart]:
    """Return the parts of a score."""
    return [ScorePart(one.name, one.value, one.weight, one.points, one.why) for one in parts]


def rule_view(memory: Memory, newer: str) -> RuleView | None:
    """Return the rule that a memory is, unless a `newer` one replaced it."""
    rule = None if newer else rule_of(memory)
    return None if rule is None else given(rule, RuleView, when=str(rule.condition))


def ruled_memory(memory: Memory, newer: str) -> RuledMemory:
    """Return a memory with its rule as it is given; a `newer` one may have replaced it."""
    rule = rule_view(memory, newer)
    return given(memory, RuledMemory, scope=memory.scope.kind, owner=memory.scope.owner, rule=rule)


def found_memory(hit: Hit, team: str = "") -> FoundMemory:
    """Return a hit as it is given."""
    told = ruled_memory(hit.memory, hit.superseded_by)
    return given(hit, FoundMemory, memory=told, parts=parts_of(hit.parts), team=team)


def given_memory(scope: Scope, key: str, why: str, tokens: int) -> GivenMemory:
    """Return one memory of a block or receipt."""
    return GivenMemory(key=key, scope=scope.kind, owner=scope.owner, why=why, tokens=tokens)


def etag_of(text: str) -> str:
    """Return what tells one text of a thing from another."""
    return f'"{hash_of(text, length=20)}"'
