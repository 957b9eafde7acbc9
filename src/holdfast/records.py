"""The records everyone shares: frozen, slotted, no I/O. The words are those of docs/glossary.md."""

from __future__ import annotations

from holdfast.base.light_records import asdict, dataclass, replace

SCOPES = ("global", "project", "session", "agent")
TYPES = ("user", "feedback", "project", "reference", "decision", "lesson")
# How strongly a rule holds at a call of a tool, the weakest first.
STRENGTHS = ("say", "hold", "ask", "deny")
# What is asked for to have the strength that the words of a rule have by themselves.
USUAL = "default"
TRUSTS = ("user", "agent", "derived", "import")
# When an agent calls a hook, in words that are the same for every agent. `compact` is before, `compacted` after. At
# `before-tool` and `after-tool` a line may be said or the call held, and nothing is learned; `tool` tells what it did.
# `nothing` did not happen, and is passed over.
MOMENTS = (
    *("start", "prompt", "before-tool", "after-tool", "tool", "tool-failed", "compact", "compacted", "subagent-start"),
    *("subagent-stop", "stop", "end", "nothing", "other"),
)

# Who speaks in a session: a person, the agent, a tool; what a person chose in a dialog, in the agent's words; text put
# in by the agent program, the echo of a command, the summary of a compaction, what Holdfast itself handed over, and a
# task in a model's words: a sub-agent's, or a plan.
ROLES = ("human", "assistant", "tool", "choice", "injected", "command", "summary", "ours", "task")


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a memory holds: a kind of SCOPES and, but for `global`, the id of its owner."""

    kind: str
    owner: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.owner}" if self.owner else self.kind


@dataclass(frozen=True, slots=True)
class Statement:
    """What a memory said at one time."""

    text: str
    at: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One durable statement or topic. Times are ISO 8601 in UTC; `path` is relative to the memory tree.

    `anchors` are what it names in the code of its project, each with the digest of what stood there. `branch` is where
    it was learned, while that is not merged. `when` is the condition that a person gave it, as they wrote it, `enforce`
    how strongly it holds then (`language/conditions.py`, `rules/`).
    """

    key: str
    scope: Scope
    title: str
    body: str
    type: str = "project"
    tags: tuple[str, ...] = ()
    trust: str = "user"
    created: str = ""
    updated: str = ""
    source: str = ""
    agent: str = ""
    session: str = ""
    supersedes: tuple[str, ...] = ()
    pinned: bool = False
    history: tuple[Statement, ...] = ()
    path: str = ""
    anchors: tuple[str, ...] = ()
    branch: str = ""
    when: str = ""
    enforce: str = ""

    @property
    def holds(self) -> bool:
        """Whether it was not withdrawn: what is struck through, with the day behind it, is told no more."""
        return not (self.body.startswith("~~") and "~~ (" in self.body)

    def ended_by(self, newer: str) -> str:
        """Return the key of what put an end to it: `newer` supersedes it, or it was withdrawn, and then its own."""
        return newer or ("" if self.holds else self.key)


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory that somebody wants to store: what they gave, and nothing that they did not.

    `confirmed` says that what it states was seen to hold now, so that its anchors count where it was stated before.
    """

    text: str
    scope: Scope
    key: str | None = None
    title: str | None = None
    type: str | None = None
    tags: tuple[str, ...] | None = None
    trust: str = "user"
    source: str = ""
    agent: str = ""
    session: str = ""
    supersedes: tuple[str, ...] = ()
    pinned: bool | None = None
    anchors: tuple[str, ...] | None = None
    branch: str = ""
    when: str | None = None
    enforce: str | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """The answer to a store: `action` is created, updated, unchanged or proposed; `redacted` names the kinds of secret.

    `replaced` is what an updated memory said before, `was` whose it was, where that changed. `beside` is the key that
    the text would have, where a memory that says something else has it. What would change or end something of the
    person's is proposed: `proposal` is its id, `memory` what stands. `against` are the keys of older words of the
    person's that say otherwise, and hold no longer.
    """

    action: str
    memory: Memory
    redacted: tuple[str, ...] = ()
    replaced: str = ""
    beside: str = ""
    proposal: str = ""
    was: str = ""
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a score: what it is, how much it is worth, and its share of the sum."""

    name: str
    value: float
    weight: float
    why: str = ""

    @property
    def points(self) -> float:
        """What this part adds to the score."""
        return self.value * self.weight


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of recall. `words` are those of the query that it has; `earlier`: only its history has them."""

    memory: Memory
    score: float
    parts: tuple[Part, ...] = ()
    words: tuple[str, ...] = ()
    superseded_by: str = ""
    earlier: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a file, as a value with its place; `hint` names the way out, `other` a second file."""

    kind: str
    path: str
    text: str
    hint: str = ""
    line: int = 0
    severity: str = "warning"
    other: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something found that becomes standing memory only when a person says so.

    `kind` is what it would become. `source` says where it was found, `evidence` what speaks for it. `status` is open,
    approved or rejected. `replaces` is the key of the memory that it would replace or end.
    """

    id: str
    text: str
    scope: Scope
    kind: str = "memory"
    title: str = ""
    type: str = "project"
    tags: tuple[str, ...] = ()
    source: str = ""
    agent: str = ""
    evidence: str = ""
    created: str = ""
    status: str = "open"
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One act of a plan: what is done to what, the rule or reason, and the bytes it frees."""

    act: str
    target: str
    reason: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class Project:
    """Which project a folder is: its id, the rule that won and why, and other ids that are the same project.

    `offers` are those of the notes that offer the memories of a folder which is gone and may have been this one.
    """

    id: str
    rule: str
    reason: str
    root: str
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Every id under which it was known, the one that it has now first."""
        return (self.id, *self.aliases)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened, as the journal keeps it."""

    at: str
    kind: str
    data: dict[str, object]


@dataclass(frozen=True, slots=True)
class HookCall:
    """What an agent told a hook, in the same words for every agent; what it did not tell is empty.

    `moment` is one of MOMENTS, `native` the agent's own name for it. `source` is why a session starts (startup, resume,
    clear, compact, fork) or ends. `prompt` is what the person typed, `notice` what programs put in the same place.
    `subagent` is set inside a sub-agent; `profile` is the name of the agent's own definition that speaks, such as
    `reviewer`. `output` is the end of what a call printed. `tag` tells two calls of one moment apart,
    `call_id` is the agent's own id of a call of a tool, `made_at` when the hook was called for it, and `mode` what it
    may do unasked.
    """

    agent: str
    moment: str
    native: str
    session: str = ""
    folder: str = ""
    source: str = ""
    prompt: str = ""
    notice: str = ""
    transcript: str = ""
    subagent: str = ""
    profile: str = ""
    tool: str = ""
    tool_input: str = ""
    error: str = ""
    output: str = ""
    answer: str = ""
    tag: str = ""
    call_id: str = ""
    made_at: str = ""
    mode: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """One memory in an injection: its scope and key, a digest of what was shown, why, and what it cost."""

    scope: Scope
    key: str
    digest: str
    why: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one injection gave to a session: through which adapter, when, each memory, and what was left out and why.

    `holdout` is the share of sessions that were given nothing at that time; `withheld`: this is one of them.
    """

    at: str
    agent: str
    session: str
    moment: str
    given: tuple[Given, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    characters: int = 0
    tokens: int = 0
    holdout: float = 0.0
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """What a read may see and wants to see. `scopes=None` is everything; empty tuples of the others are no wish.

    `since` and `until` are about the last change; `between` keeps what was first stored or last changed between two
    times, of which one may be empty. `anchored` keeps what names code, or holds on a branch or at a
    condition. `used` asks whether it was ever handed out.
    """

    scopes: tuple[Scope, ...] | None
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    agents: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    between: tuple[str, str] = ("", "")
    anchored: bool = False
    trusts: tuple[str, ...] = ()
    used: bool | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a search found: its text score (higher is better), the words it has, and what else ranks it.

    `meaning` is how near it is to the query, between 0 and 1; a search by words alone leaves it at 0.
    """

    memory: Memory
    text: float
    words: tuple[str, ...]
    earlier: bool
    uses: int
    superseded_by: str
    meaning: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """One scope that holds memories: how many, how many bytes, and when the newest was updated."""

    scope: Scope
    memories: int
    size: int
    updated: str


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a look at the truth found: memories read again, gone, and looked at once more without having changed.

    `anew` says that the store derives everything again, and that counts of uses have to be given to it again.
    """

    read: int = 0
    gone: int = 0
    again: int = 0
    anew: bool = False

    def __add__(self, other: Refreshed) -> Refreshed:
        return Refreshed(
            self.read + other.read, self.gone + other.gone, self.again + other.again, self.anew or other.anew
        )


TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.session_records import Cost as Cost
    from holdfast.session_records import Session as Session
    from holdfast.session_records import SessionEvent as SessionEvent
    from holdfast.session_records import Spend as Spend
else:

    def __getattr__(name):
        """Return a record of sessions. They are loaded when they are asked for: no hook asks for them."""
        if name not in ("Cost", "Session", "SessionEvent", "Spend"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(__import__("holdfast.session_records", fromlist=[name]), name)
        return found


__all__ = [
    "MOMENTS",
    "ROLES",
    "SCOPES",
    "STRENGTHS",
    "TRUSTS",
    "TYPES",
    "USUAL",
    "Candidate",
    "Cost",
    "Draft",
    "Event",
    "Filter",
    "Given",
    "Group",
    "Hit",
    "HookCall",
    "Memory",
    "Part",
    "Problem",
    "Project",
    "Proposal",
    "Receipt",
    "Refreshed",
    "Scope",
    "Session",
    "SessionEvent",
    "Spend",
    "Statement",
    "Step",
    "Stored",
    "asdict",
    "replace",
]
