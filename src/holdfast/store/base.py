"""The contract of a store. A back-end is one file that keeps it; `tests/store/contract.py` is the suite that proves it.

Identity. A memory is its scope (kind and owner) and its key. A key is unique within its scope.

Truth. `put`, `change`, `move` and `remove` return only when what they did is durable. What they wrote is seen by the
very next read of any process. A reader sees a memory before or after a write, never between.

Nothing is lost. When several processes write at once, each write is applied whole, one after the other; an earlier
statement goes into the history, never away. A failed write changes nothing.

Forgetting. `remove` with `forget=True` leaves a tombstone: the key and a digest of each statement, never the words. A
`put` whose trust is `import` or `derived` may not bring back what was forgotten, or a statement that was corrected
since; a `put` by a person or an agent may, and lifts the tombstone.

Isolation. A read names the scopes that it may see, and gets nothing else.

Search. `search` returns candidates with a text score; how they are fused with recency, use, trust and scope is the room
`recall`, the same for every back-end.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.records import Draft, Memory, Problem, Scope, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol

    Progress = Callable[[int, int], None]
else:
    Protocol = object


@dataclass(frozen=True, slots=True)
class Filter:
    """What a read may see and wants to see. `scopes=None` is everything; empty tuples of the others are no wish.

    `since` and `until` are about the last change; `between` keeps what was first stored or last changed between two
    times, of which one may be empty.
    """

    scopes: tuple[Scope, ...] | None
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    agents: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    between: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that a search found: its text score (higher is better), the words it has, and what else ranks it.

    `meaning` is how near it is to the query, between 0 and 1; a search by words alone leaves it at nought.
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


class Store(Protocol):
    """What every back-end does. The prose above says what each promise means."""

    def put(self, draft: Draft) -> Stored:
        """Store the draft: created, updated (the earlier statement becomes history) or unchanged."""

    def get(self, scope: Scope, key: str) -> Memory:
        """Return the memory, or raise NotFound."""

    def change(self, scope: Scope, key: str, **fields: object) -> Memory:
        """Set fields other than the statement (`tags`, `type`, `pinned`, ...)."""

    def move(self, scope: Scope, key: str, to: Scope, new_key: str) -> Memory:
        """Move the memory to another scope or key; Conflict where that is taken."""

    def remove(self, scope: Scope, key: str, *, forget: bool) -> Memory:
        """Remove the memory, with a tombstone where it is forgotten and not only expired."""

    def find(self, wanted: Filter, limit: int | None = None) -> Iterator[Memory]:
        """Return memories, newest first, without a query."""

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return the best candidates for the words of the query."""

    def groups(self) -> list[Group]:
        """Return every scope that holds memories."""

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count that these memories (scope, key, time) were handed out."""

    def problems(self) -> list[Problem]:
        """Return what is wrong in what people wrote, as values."""

    def close(self) -> None:
        """Give back what the store holds open."""
