"""The derived tables of a store, as `Store.ask` hands them out: a part of the contract in `base`.

A row is known by a number that no other row of its table gets while a process may still hold it. Vectors are bytes,
one for each number; those of one model are never compared with those of another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.records import Scope, Spend
    from holdfast.store.base import Candidate, Filter
    from holdfast.store.passages import Passage, Source, Told
    from holdfast.store.session_table import FileRow, SessionRow, Spent, Wanted
    from holdfast.store.sketches import Chunk
    from holdfast.store.words import Asked, Match

    # Number, session and place; a memory has neither session nor place, and nought for them.
    Row = tuple[int, int, int]


class SearchTable(Protocol):
    """Texts that the engine of `recall` searches by words and by meaning."""

    @property
    def db(self) -> object:
        """What the numbers belong to: in another one, all of them may be others."""

    def count(self) -> int:
        """Return how many rows there are."""

    def ask(self, query: str) -> Asked:
        """Return what the query asks of this table."""

    def matches(self, expression: str, wanted: Filter, limit: int) -> list[Match]:
        """Return the rows that match the expression of an `Asked`, each with its text score, best first."""

    def holders(self, asked: Asked) -> dict[str, int] | None:
        """Return by number, as text, which rows hold a word of the query, one bit a word; None where that is dear."""

    def best_holders(
        self, holders: dict[str, int], asked: Asked, worth: Sequence[float], wanted: Filter, limit: int
    ) -> list[Match]:
        """As `matches`, of these holders; `worth` says what each word counts."""

    def held(self, asked: Asked, ids: Sequence[int]) -> dict[int, int]:
        """Return for each of these rows which words of the query it holds, one bit a word."""

    def session_scores(self, expression: str, wanted: Filter, limit: int) -> dict[int, float]:
        """Return the text score of the best whole sessions."""

    def around_many(self, places: Iterable[tuple[int, int]], wanted: Filter) -> list[Row]:
        """Return what stands directly beside these places of sessions, and the rows there, each once."""

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

    def vectors(self, ids: list[int]) -> dict[int, bytes]:
        """Return the vectors of these rows, where there are any."""

    def chunks(self, scopes: tuple[Scope, ...] | None, width: int) -> list[tuple[int, int]]:
        """Return the number of each chunk of sketches of these scopes, or of all, and how many rows it has."""

    def chunk(self, number: int) -> Chunk | None:
        """Return a chunk, which never changes; None where it is there no more."""

    def model(self) -> str:
        """Return the version of the model that made the vectors."""

    def use_model(self, version: str) -> None:
        """See and put the vectors of this model from now on; those of another one go."""

    def without_vector(self, limit: int) -> list[tuple[int, str]]:
        """Return rows that have no vector yet, the newest first, as number and text."""

    def put_vectors(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep the vectors that `without_vector` asked for, of rows that are still there and say the same."""


class MemorySearch(SearchTable, Protocol):
    """The memories as they are searched."""

    def candidates(self, marks: dict[int, tuple[float, float]], asked: Asked, wanted: Filter) -> list[Candidate]:
        """Return rows as candidates, in this order, each with its marks by text and by meaning, if still there."""


class PassageSearch(SearchTable, Protocol):
    """Passages of sessions, logs and digests. A session is put whole; what was there under its name goes."""

    def put(self, source: Source, passages: Mapping[Scope, Sequence[Told]]) -> None:
        """Put the passages of a session by who may see them; each waits for its vector."""

    def drop(self, name: str) -> None:
        """Take a session out, if it is there."""

    def newest(self, wanted: Filter, limit: int) -> list[int]:
        """Return the newest passages that the filter lets through."""

    def read(self, row: int) -> tuple[Passage, Source]:
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
