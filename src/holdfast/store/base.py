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

Search. `search` returns candidates with a text score; how they are fused with recency, use, trust and scope is up to
`recall`, the same for every back-end.

Derived. `ask` gives access to what is made of the truth so that it can be searched: memories, passages of sessions and
rows of sessions, each with its vectors (`tables`). All of it may be deleted, and is then made again.

Files. What only a store of files on one machine has, as folders and their pages, is asked for by `tree`.
"""

from __future__ import annotations

from holdfast.base.light_records import dataclass
from holdfast.records import Draft, Memory, Problem, Scope, Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol, TypeVar

    from holdfast.store.memory_file import Place
    from holdfast.store.tables import Tables

    Answer = TypeVar("Answer")
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


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a look at the truth found: memories read anew, gone, and looked at once more without having changed.

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


class Store(Protocol):
    """What every back-end does. The prose above says what each promise means."""

    # What a person should be told; the caller empties it.
    notes: list[str]
    # Whether the truth is files on this machine; only then `tree` may be asked for.
    has_tree: bool

    @property
    def tree(self) -> MemoryTree:
        """The memory files, in a store whose truth they are; any other raises Refused."""

    @property
    def is_temporary(self) -> bool:
        """Whether what the store derives goes with this process, because its place cannot be written."""

    def put(self, draft: Draft, clean: Callable[[Draft], Draft] | None = None) -> Stored:
        """Store the draft: created, updated (the earlier statement becomes history) or unchanged.

        A draft that cannot be stored is refused first. What `clean` then makes of it is all that is ever written.
        """

    def get(self, scope: Scope, key: str) -> Memory:
        """Return the memory with its history, or raise NotFound."""

    def change(self, scope: Scope, key: str, **fields: object) -> Memory:
        """Set fields other than the statement (`tags`, `type`, `pinned`, ...)."""

    def move(self, scope: Scope, key: str, to: Scope, new_key: str) -> Memory:
        """Move the memory to another scope or key; Conflict where that is taken."""

    def absorb(self, memory: Memory, into: Scope) -> Memory:
        """Combine it with the memory of its key in another scope: the newer statement holds, the other is history."""

    def remove(self, scope: Scope, key: str, *, forget: bool) -> Memory:
        """Remove the memory, with a tombstone where it is forgotten and not only expired."""

    def text(self, memory: Memory) -> str:
        """Return the memory as the text that a person edits, with front matter and history."""

    def rewrite(self, scope: Scope, key: str, text: str) -> Memory:
        """Replace the whole text by what a person made of it; the statement that it replaces becomes history."""

    def relink(self, memory: Memory, text: str) -> None:
        """Replace the text where only links changed: no history. Conflict if the memory says something else by now."""

    def size(self, memory: Memory) -> int:
        """Return how many bytes the memory takes."""

    def modified(self, memory: Memory) -> str:
        """Return when the memory was last written, by whomever."""

    def find(self, wanted: Filter, limit: int | None = None) -> Iterator[Memory]:
        """Return memories, newest first, without a query and without their history."""

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return the best candidates for the words of the query."""

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys of these scopes that begin so, in order."""

    def groups(self) -> list[Group]:
        """Return every scope that holds memories."""

    def superseded_by(self, scope: Scope, key: str) -> str:
        """Return the key of the newest memory of the scope that replaces this one, or nothing."""

    def forgot(self, scope: Scope, key: str, statement: str) -> bool:
        """Whether the scope has forgotten the key, or the statement under any key."""

    def was_corrected(self, scope: Scope, statement: str) -> bool:
        """Whether a memory of the scope said this once and says something else now."""

    def inherit_forgotten(self, old: Scope, new: Scope) -> None:
        """What was forgotten in the old scope counts as forgotten in the new one."""

    def erase_traces(self, *, passages: bool = False) -> None:
        """Leave no word of removed memories, or of removed passages, in what the store derived."""

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count that these memories (scope, key, time) were handed out, each at most once a minute."""

    def clear_uses(self) -> None:
        """Set every count to nought, before uses are counted anew."""

    def ask(self, question: Callable[[Tables], Answer]) -> Answer:
        """Return what the derived tables answer. The question may be put twice, where they had to be made anew."""

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Refreshed:
        """See what others changed in these scopes, or in all."""

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """Derive everything anew; reading goes on meanwhile."""

    def problems(self) -> list[Problem]:
        """Return what is wrong in what people wrote, as values."""

    def damage(self) -> str:
        """Return what is broken in what the store derived, or nothing."""

    def close(self) -> None:
        """Give back what the store holds open."""


class MemoryTree(Protocol):
    """Memory files on one machine, as people see them. A path is relative to `root`, with `/` between its parts."""

    home: str
    root: str
    # Called with the path of each file right before it changes.
    before_change: Callable[[str], None] | None

    def place(self, path: str, changed: float = 0.0) -> Place:
        """Return what the path tells about the memory at it; NotFound where it lies in no scope."""

    def swap(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Put other bytes, or no file, in the place of a file; Conflict where it is not as it was `before`."""

    def place_in(self, memory: Memory, folder: str) -> Memory:
        """Move the file into another folder of its scope; key and text stay."""

    def holds(self, folder: str = "") -> bool:
        """Whether there is any memory directly in the folder, or anywhere."""

    def listing(self, folders: tuple[str, ...], limit: int) -> tuple[list[Memory], int]:
        """Return the newest memories directly in these folders, and how many there are."""

    def subfolders(self, folder: str) -> list[tuple[str, int]]:
        """Return the names of the sub-folders that hold memories, each with their number."""

    def stale_folders(self) -> list[str]:
        """Return the folders whose `index.md` is older than what they hold."""

    def mark_stale(self, folders: list[str]) -> None:
        """Note that the `index.md` of these folders has to be written."""

    def freshen(self, folder: str) -> None:
        """Note that the `index.md` of the folder is true again."""
