"""Make the index again from the files, the journal and the archive, and the vectors with it; or only the vectors.

Vectors are made in portions, each of them kept at once. So it may be stopped anywhere, even by a power cut: what was
made stays, the rest is found by its words, and the next run goes on from there. One process makes them at a time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from holdfast.base import files
from holdfast.base.text import count
from holdfast.errors import StoreBusy
from holdfast.recall.embed import Model
from holdfast.recall.meaning import model_of
from holdfast.recall.vectors import in_portions, make_vectors
from holdfast.sessions.archive import Archive
from holdfast.sessions.index import make_passage_vectors, rebuild, waiting_passages
from holdfast.store.base import Tables
from holdfast.workspace import Workspace

# An index must have words at once; vectors may follow, so that nobody waits a minute.
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Reindexed:
    """What was read again: memory files (`gone` ones are out of the index now) and sessions of the archive."""

    read: int
    gone: int
    sessions: int


@dataclass(frozen=True, slots=True)
class Made:
    """How many vectors were made, how many memories and passages of sessions have none yet, and by which model.

    The name is empty without a model.
    """

    made: int
    waiting: int
    model: str


def reindex(workspace: Workspace) -> Reindexed:
    """Read every file, use and session again, then make every vector; recall keeps working."""
    workspace.need_enabled()
    swept = workspace.store.rebuild(workspace.progress)
    workspace.store.clear_uses()
    workspace.store.add_uses(workspace.journal.uses())
    sessions = rebuild(workspace, Archive(workspace.home), workspace.progress)
    left = _make_vectors(workspace, _SECONDS).waiting
    if left:
        missing = f"{count(left, 'vector')} still missing"
        workspace.say(f"{missing}: `holdfast reindex --meaning` makes the rest, and so does recall")
    return Reindexed(swept.read, swept.gone, sessions)


def make_all_vectors(workspace: Workspace) -> Made:
    """Make every missing vector, after removing those of another model; recall keeps working."""
    workspace.need_enabled()
    workspace.refresh(None)
    return _make_vectors(workspace, float("inf"))


def _make_vectors(workspace: Workspace, seconds: float) -> Made:
    model = model_of(workspace)
    if model is None:
        return Made(0, 0, "")
    end = time.monotonic() + seconds
    try:
        with files.lock_of(workspace.home, "meaning", seconds=0.0):
            made = in_portions(
                lambda size: workspace.store.ask(lambda tables: make_vectors(tables.memories, model, size)),
                end,
                lambda: workspace.progress(*_counts(workspace, model)) if workspace.progress else None,
            )
    except StoreBusy:
        workspace.say("another process is making the vectors already")
        made = 0
    done, total = _counts(workspace, model)
    made += make_passage_vectors(workspace, end - time.monotonic(), model)
    return Made(made, total - done + waiting_passages(workspace), model.version)


def _counts(workspace: Workspace, model: Model) -> tuple[int, int]:
    """Return how many memories have a vector by this model, and how many there are."""
    width = (model.dim + 7) // 8

    def count(tables: Tables) -> tuple[int, int]:
        table = tables.memories
        done = sum([rows for _, rows in table.chunks(None, width)]) if table.model() == model.version else 0
        return min(done, table.count()), table.count()

    return workspace.store.ask(count)
