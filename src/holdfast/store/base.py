"""The contract of a store. A back-end is one file that keeps it; `tests/store/contract.py` is the suite that proves it.

Identity. A memory is its scope (kind and owner) and its key. A key is unique within its scope.

Truth. `put`, `change`, `move` and `remove` return only when what they did is durable. What they wrote is seen by the
very next read of any process. A reader sees a memory before or after a write, never between.

Nothing is lost. When several processes write at once, each write is applied whole, one after the other; an earlier
statement goes into the history, never away. A failed write changes nothing.

Forgetting. `remove` with `forget=True` leaves a tombstone: a digest of the key and of each statement, never a word.
Only a `put` by a person brings it back, and lifts the tombstone. One whose trust is `import` or `derived` may not bring
back a statement that was corrected since either.

Whose. What a person laid down (trust `user`; a rule, a decision, a lesson, or what is about them) only a `put` of
theirs changes or supersedes; one by anybody else is refused.

Isolation. A read names the scopes that it may see, and gets nothing else.

Search. `search` returns candidates with a text score; how they are fused with recency, use, trust and scope is up to
`recall`, the same for every back-end.

Derived. `ask` gives access to tables that are made of the truth so that it can be searched and listed: memories,
passages and rows of sessions. All of it may be deleted, and is then made again. A row is known by a number that no
other row of its table gets while a process may still hold it. A vector is bytes, one for each of its numbers; those of
one model are never compared with those of another.

Files. What only a store of files on one machine has, as folders and their pages, is asked for by `tree`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.records import (
        Candidate,
        Draft,
        Filter,
        Group,
        Memory,
        Problem,
        Refreshed,
        Scope,
        Spend,
        Stored,
    )
    from holdfast.store.index import Stamp
    from holdfast.store.memory_file import FilePlace
    from holdfast.store.passages import Passage, PassageSource, Told
    from holdfast.store.session_table import FileRow, SessionRow, Spent, Wanted
    from holdfast.store.sketches import Chunk
    from holdfast.store.words import Asked, Match, Row

    Progress = Callable[[int, int], None]

Answer = TypeVar("Answer")


class Listed(NamedTuple):
    """What a page lists of a memory."""

    key: str
    title: str
    tags: tuple[str, ...]
    pinned: bool
    path: str


class Store(Protocol):
    """What every back-end does. The prose above says what each promise means."""

    # Messages for the person; the caller empties the list.
    notes: list[str]
    # Whether the truth is files on this machine; only then `tree` may be asked for.
    has_tree: bool

    @property
    def tree(self) -> MemoryTree:
        """The memory files, in a store whose truth they are; any other raises Refused."""

    @property
    def is_temporary(self) -> bool:
        """Whether what the store derives is lost when this process ends, because its place cannot be written."""

    def put(self, draft: Draft, clean: Callable[[Draft], Draft] | None = None, was: str | None = None) -> Stored:
        """Store the draft: created, updated (the earlier statement becomes history) or unchanged.

        A draft without a key never takes the place of another statement (`automatic_keys`, `merge.restates`).
        A draft that cannot be stored is refused first. What `clean` then makes of it is all that is ever written.
        Where the text of the memory is no longer what it `was`, "" for none, nothing is: ChangedMeanwhile.
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

    def rewrite(
        self, scope: Scope, key: str, text: str, was: str | None = None, clean: Callable[[str], str] | None = None
    ) -> Memory:
        """Replace the whole text by what a person made of it; the statement that it replaces becomes history.

        Where it is no longer what it `was`, nothing is replaced: ChangedMeanwhile. What `clean` takes out of the text,
        its history included, is not stored.
        """

    def relink(self, memory: Memory, text: str) -> None:
        """Replace the text where only links changed: no history. Conflict if the memory says something else by now."""

    def size(self, memory: Memory) -> int:
        """Return how many bytes the memory takes."""

    def modified(self, memory: Memory) -> str:
        """Return when the memory was last written, whoever wrote it."""

    def find(self, wanted: Filter, limit: int | None = None, skip: int = 0) -> Iterator[Memory]:
        """Return memories, newest first, without a query and without their history; the first `skip` are left out."""

    def counts(self, wanted: Filter) -> dict[str, dict[str, int]]:
        """Return how many of these memories there are by `scope`, `type`, `trust`, `tag` and `used`, most first."""

    def search(self, query: str, wanted: Filter, limit: int) -> list[Candidate]:
        """Return the best candidates for the words of the query."""

    def keys(self, scopes: Iterable[Scope], start: str) -> list[str]:
        """Return the keys of these scopes that begin with the text, in order."""

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

    def erase_traces(self, *, passages: bool = False, anew: bool = False) -> None:
        """Leave no word of removed memories, or of removed passages, in what the store derived; `anew` in all of it."""

    def uses(self, scope: Scope, key: str) -> tuple[int, str]:
        """Return how often the memory was handed out, and when last."""

    def add_uses(self, uses: Iterable[tuple[Scope, str, str]]) -> None:
        """Count that these memories (scope, key, time) were handed out, each at most once a minute."""

    def clear_uses(self) -> None:
        """Set every count to zero, before uses are counted again."""

    def ask(self, question: Callable[[Tables], Answer]) -> Answer:
        """Return what the derived tables answer. The question may be asked twice, where they had to be rebuilt."""

    def refresh(self, scopes: Iterable[Scope] | None = None, progress: Progress | None = None) -> Refreshed:
        """See what others changed in these scopes, or in all."""

    def rebuild(self, progress: Progress | None = None) -> Refreshed:
        """Derive everything again; reading goes on meanwhile."""

    def problems(self) -> list[Problem]:
        """Return what is wrong in what people wrote, as values."""

    def damage(self) -> str:
        """Return what is broken in what the store derived, or nothing."""

    def close(self) -> None:
        """Close what the store holds open."""


class MemoryTree(Protocol):
    """Memory files on one machine, as people see them. A path is relative to `root`, with `/` between its parts."""

    home: str
    root: str
    # Called with the path of each file right before it changes.
    before_change: Callable[[str], None] | None

    def place(self, path: str, changed: float = 0.0) -> FilePlace:
        """Return what the path tells about the memory at it; NotFound where it is in no scope."""

    def swap(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Replace a file by other bytes, or remove it; Conflict where it is not as it was `before`."""

    def place_in(self, memory: Memory, folder: str) -> Memory:
        """Move the file into another folder of its scope; key and text stay."""

    def recheck(self, paths: Iterable[str]) -> Refreshed:
        """See what people changed in these files."""

    def folders(self, scope: Scope) -> tuple[list[str], bool]:
        """Return the folders of the scope that may hold memories, and whether the index has as many files in each."""

    def holds(self, folder: str = "") -> bool:
        """Whether there is any memory directly in the folder, or anywhere."""

    def listing(self, folders: tuple[str, ...], limit: int) -> tuple[list[Listed], int]:
        """Return what a page lists of the newest memories directly in these folders, and how many there are."""

    def sizes(self) -> list[tuple[Scope, int]]:
        """Return every scope that holds memories, and how many."""

    def subfolders(self, folder: str) -> list[tuple[str, int]]:
        """Return the names of the sub-folders that hold memories, each with their number."""

    def stale_folders(self) -> list[str]:
        """Return the folders whose `index.md` is older than what they hold."""

    def mark_stale(self, folders: list[str]) -> None:
        """Note that the `index.md` of these folders has to be written."""

    def freshen(self, folder: str) -> None:
        """Note that the `index.md` of the folder is up to date again."""

    def note_own_writes(self) -> None:
        """Note of very large folders that their names are known, where nobody but this process changed any."""


class SearchTable(Protocol):
    """Texts that the engine of `recall` searches by words and by meaning."""

    @property
    def db(self) -> object:
        """What the numbers belong to: under another one, each number may mean another row."""

    def count(self) -> int:
        """Return how many rows there are."""

    def ask(self, query: str) -> Asked:
        """Return what the query asks of this table."""

    def matches(self, expression: str, wanted: Filter, limit: int) -> list[Match]:
        """Return the rows that match the expression of an `Asked`, each with its text score, best first."""

    def best(self, asked: Asked, worth: Sequence[float], wanted: Filter, limit: int) -> list[Match]:
        """Return the rows that hold most of the query's words, best first; `worth` says what each word counts."""

    def held(self, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
        """Return for each of these rows which words of the query it holds, one bit a word."""

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return what comes directly before and after these places of sessions, and the rows there, each once."""

    def known(self, ids: Sequence[int]) -> dict[int, tuple[str, int, bytes]]:
        """Return of each of these rows who said it, how many words it has, and its vector; empty where unknown."""

    def times(self, ids: Sequence[int]) -> dict[int, str]:
        """Return when these rows were said, where a later one may stand for an earlier one."""

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return what these rows say, as `times`."""

    def few(self, wanted: Filter, most: int) -> list[int] | None:
        """Return all that the filter lets through, or None where that is more than `most`."""

    def seen(self, ids: Sequence[int], wanted: Filter) -> list[tuple[Row, bytes]]:
        """Return those of these rows that the filter lets through and that have a vector, with it."""

    def nearest(
        self, vectors: Sequence[Sequence[float]], wanted: Filter, limit: int
    ) -> list[list[tuple[Row, float]]] | None:
        """Return for each vector the nearest rows that the filter lets through, each with its cosine, where the store
        itself compares vectors; None where it does not, and sketches are gone through."""

    def vectors(self, ids: list[int]) -> dict[int, bytes]:
        """Return the vectors of these rows, where there are any."""

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return the number of each chunk of sketches of these scopes, or of all, and how many rows it has."""

    def chunk(self, number: int) -> Chunk | None:
        """Return a chunk, which never changes; None where it is there no more."""

    def model(self) -> str:
        """Return the version of the model that made the vectors."""

    def use_model(self, version: str) -> None:
        """Read and store the vectors of this model from now on; those of another are removed."""

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Return rows that have no vector yet, the newest first, as number and text."""

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors that `without_vector` asked for, of rows that are still there and say the same."""


class MemorySearch(SearchTable, Protocol):
    """The memories as they are searched."""

    def with_phrase(self, phrase: str, wanted: Filter, limit: int) -> list[int]:
        """Return the memories that have these words one after the other."""

    def holders(self, word: str, most: int) -> list[int]:
        """Return the newest memories that hold the word."""

    def candidates(self, marks: dict[int, tuple[float, float]], asked: Asked, wanted: Filter) -> list[Candidate]:
        """Return rows as candidates, in this order, each with its marks by text and by meaning, if still there."""


class PassageSearch(SearchTable, Protocol):
    """Passages of sessions, logs and digests. A session is put whole; what was there under its name goes."""

    def put(self, source: PassageSource, passages: Mapping[Scope, Sequence[Told]]) -> None:
        """Put the passages of a session by who may see them; each waits for its vector."""

    def drop(self, name: str) -> None:
        """Take a session out, if it is there."""

    def newest(self, wanted: Filter, limit: int) -> list[int]:
        """Return the newest passages that the filter lets through."""

    def read(self, row: int) -> tuple[Passage, PassageSource]:
        """Return a passage and its session; NotFound where it went meanwhile."""

    def waiting(self) -> int:
        """Return how many passages wait for a vector."""


class SessionRows(Protocol):
    """Sessions as they are listed, with the files that each changed and what it cost."""

    def put(self, row: SessionRow, files: Iterable[FileRow], spends: Iterable[Spend]) -> None:
        """Put the session whole, in place of what was there."""

    def drop(self, name: str) -> None:
        """Take the session out, if it is there."""

    def find(self, wanted: Wanted, limit: int = -1) -> list[SessionRow]:
        """Return the sessions that are asked for, the last to end first."""

    def ids(self) -> list[str]:
        """Return the id of every session, in order."""

    def totals(self, by: str) -> list[tuple[str, int, str]]:
        """Return of each `project` or `agent` how many sessions it has, sub-agents aside, and when the last ended."""

    def talks(self) -> dict[str, bool]:
        """Return the name of every session, and whether what was said in it can be searched."""

    def files(self, wanted: Wanted, limit: int = -1) -> list[FileRow]:
        """Return the changes of files that are asked for, the latest first."""

    def spent(self, wanted: Wanted, by: str) -> list[Spent]:
        """Return what was spent in each group, and there by each model."""

    def is_complete(self) -> bool:
        """Whether the table was filled from the archive since it was made."""

    def finished(self) -> None:
        """Note that the table holds what the archive has."""


class Tables(Protocol):
    """All tables of one store, in one state while the question is answered."""

    @property
    def memories(self) -> MemorySearch:
        """The memories."""

    @property
    def passages(self) -> PassageSearch:
        """The passages."""

    @property
    def sessions(self) -> SessionRows:
        """The sessions."""

    def begin(self) -> AbstractContextManager[object]:
        """Return a transaction for a `with` block: all of it happens, or none."""

    def rules(self, scope: Scope) -> list[tuple[Memory, Stamp, bytes]]:
        """Return the memories of a scope that have a condition and hold, each with the stamp and digest of its file."""

    def newest_files(self, folder: str, most: int) -> list[tuple[str, int, int, int]]:
        """Return path, change time, size and inode of the newest files of a folder."""
