"""What a hook hands over: the walk from index and recall to a block. Loaded only at the moments that hand over."""

from __future__ import annotations

import os
import sqlite3

from holdfast.actions.hook import Visit, asked_before_compaction, last_prompt, without_secrets
from holdfast.continuity import going_on
from holdfast.errors import HoldfastError
from holdfast.inject import block, fence, prompt, relevance
from holdfast.inject.shelf import Shelf
from holdfast.recall.embed import Model, to_bytes
from holdfast.recall.scan import Scan
from holdfast.recall.signature import cosines
from holdfast.records import SCOPES
from holdfast.store.base import Filter
from holdfast.store.words import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.inject.block import Block, Entry
    from holdfast.inject.shown import Shown
    from holdfast.records import Hit, Memory
    from holdfast.store.base import Candidate
    from holdfast.store.memory_table import MemoryTable
    from holdfast.store.words import Asked

# A scope is ranked among this many of its memories: the pinned and the newest.
_RANKED = 40
# Of what a prompt finds by words and by meaning so many are weighed: a bar needs no more than its best few.
_BY_WORDS = 20
_TELLING = 6
_BY_MEANING = 10
# In a larger collection words find what is relevant, and meaning weighs it: going through all of them costs a hook
# half its time and brought nothing more (docs/hooks.md).
_SCANNED = 500
_READ = 6
# What stands for a nearness that nobody knows; no two vectors are so far from each other.
_FAR = -2.0
# Vectors that are made while nobody waits for an answer.
_VECTORS = 40


def start_block(visit: Visit) -> Block:
    """Return the block of a session's start: its memories, then the project's pages; after a compaction the reverse.

    Per scope the pinned come first, then by recency, use and trust.
    """
    from holdfast.actions import recovery

    room = visit.settings.number("inject.start_characters") - fence.OVERHEAD
    compacted = visit.call.moment != "start" or visit.call.source == "compact"
    found = recovery.Pages(visit).found(after_compaction=compacted, asked=_asked(visit) if compacted else "")
    kept = int(room * sum(source.part for source in found))
    if compacted:
        told = recovery.block(visit, found, kept, after_compaction=True)
        return block.fenced(told, _of_scopes(visit, room - _length(told), needed=not told.text))
    # What the pages may take is kept for them whole, so that memories stay the same bytes while the pages change.
    memories = _of_scopes(visit, room - kept, needed=not found)
    return block.fenced(memories, recovery.block(visit, found, room - _length(memories), after_compaction=False))


def block_after_compaction(visit: Visit) -> Block:
    """Return what a prompt brings after a compaction: what a session starts with, then what the prompt asks for."""
    start = start_block(visit)
    return _one_after_the_other(start, _asked_for(visit, _shown_by(start), needed=not start.text))


def _recovered(visit: Visit, shown: Shown) -> Block:
    """Return what a prompt brings that wants to go on where the work stood: the pages, as far as they are new."""
    from holdfast.actions import recovery

    found = recovery.unseen(visit, recovery.Pages(visit).found(after_compaction=True), shown)
    room = visit.settings.number("inject.start_characters") - fence.OVERHEAD
    told = block.fenced(recovery.block(visit, found, room, after_compaction=True))
    return _one_after_the_other(told, _asked_for(visit, shown, needed=not told.text))


def _one_after_the_other(*parts: Block) -> Block:
    text = "\n".join([part.text for part in parts if part.text])
    given = [one for part in parts for one in part.given]
    return block.Block(text, tuple(given), tuple(one for part in parts for one in part.left_out))


def _shown_by(made: Block) -> Shown:
    return {(one.scope.kind, one.scope.owner, one.key): one.digest for one in made.given}


def _length(part: Block) -> int:
    return len(part.text) + 1 if part.text else 0


def _asked(visit: Visit) -> str:
    """Return what the person had asked last when the conversation was compacted."""
    return last_prompt(visit) if visit.call.moment == "start" else asked_before_compaction(visit)


def _of_scopes(visit: Visit, room: int, *, needed: bool) -> Block:
    """Return the memories of the session's scopes. Without an index there are none, which is an error if `needed`."""
    from holdfast.recall import fusion

    by_scope: dict[str, list[Hit]] = {}
    try:
        with Shelf(visit.home, visit.is_late) as shelf:
            for kind, scopes in visit.scopes().items():
                hits = [hit for hit in fusion.fuse(shelf.newest(scopes, _RANKED), visit.at) if not hit.superseded_by]
                hits.sort(key=lambda hit: not hit.memory.pinned)
                by_scope[kind] = _as_they_are(shelf, hits)
    except (HoldfastError, sqlite3.Error):
        if needed:
            raise
        return block.Block("")
    return block.of_scopes(by_scope, room, without_secrets)


def _as_they_are(shelf: Shelf, hits: list[Hit]) -> list[Hit]:
    from holdfast.records import replace

    found = [(hit, shelf.as_it_is(hit.memory)) for hit in hits]
    return [hit if memory is hit.memory else replace(hit, memory=memory) for hit, memory in found if memory is not None]


def prompt_block(visit: Visit, shown: Shown) -> Block:
    """Return the block of a prompt: what became of the shown, and what is relevant and new to the session.

    A prompt that wants to go on where the work stood, or stands for a conversation that was lost, brings the pages
    first.
    """
    if going_on.wants(visit.call.prompt):
        return _recovered(visit, shown)
    if going_on.stands_for_a_lost_conversation(visit.call.prompt) and _is_first_prompt(visit):
        # Where the agent's start brought the memories, they are behind the summary already.
        return _recovered(visit, shown) if shown else block_after_compaction(visit)
    return _asked_for(visit, shown, needed=True)


def _is_first_prompt(visit: Visit) -> bool:
    """Whether the person asked nothing else in this session so far; this prompt is in the journal already."""
    asked = visit.journal.latest("prompt")
    own = [one for one in asked if (one.data.get("session"), one.data.get("agent")) == _session(visit)]
    return len(own) <= 1


def _session(visit: Visit) -> tuple[str, str]:
    return visit.told_session, visit.call.agent


def _asked_for(visit: Visit, shown: Shown, *, needed: bool) -> Block:
    try:
        with Shelf(visit.home, visit.is_late) as shelf:
            changes = _changes(shelf, {place: seen for place, seen in shown.items() if place[0] in SCOPES})
            found, left_out = _relevant(visit, shelf, shown)
    except (HoldfastError, sqlite3.Error):
        if needed:
            raise
        return block.Block("")
    budget = visit.settings.number("inject.prompt_characters")
    made = prompt.prompt_block(changes, found, budget, clean=without_secrets)
    return block.Block(made.text, made.given, (*made.left_out, *left_out))


def _changes(shelf: Shelf, shown: Shown) -> prompt.Changes:
    known = shelf.known(shown)
    now = {place: shelf.as_it_is(memory) for place, memory in known.items()}
    changes = prompt.changes_of(shown, {place: memory for place, memory in now.items() if memory is not None})
    gone = tuple((scope, key) for scope, key in changes.gone if not shelf.has_file(scope, key))
    return prompt.Changes(changes.changed, gone)


def _relevant(visit: Visit, shelf: Shelf, shown: Shown) -> tuple[list[Entry], list[tuple[str, str]]]:
    """Return what clears the bar and is new to the session, and what was left out of it and why."""
    if not relevance.asks_something(visit.call.prompt):
        return [], []
    most = visit.settings.number("inject.prompt_items")
    bar = relevance.bar_among(visit.settings.number("inject.relevance") / 100, shelf.size())
    entries: list[Entry] = []
    left_out: list[tuple[str, str]] = []
    for mark, candidate in marked(visit, shelf, bar):
        memory, reason = _may_be_given(shelf, candidate, shown)
        if memory is not None and len(entries) < most:
            entries.append(block.Entry(memory, relevance.why(mark, candidate.words)))
        else:
            left_out.append((block.name_of(candidate.memory), reason or f"only {most} at a prompt"))
    return entries, left_out


def _may_be_given(shelf: Shelf, candidate: Candidate, shown: Shown) -> tuple[Memory | None, str]:
    if not prompt.is_new(candidate.memory, shown):
        return None, "shown before"
    if candidate.superseded_by:
        return None, f"replaced by {candidate.superseded_by}"
    if candidate.earlier:
        return None, "only an earlier statement has the words"
    memory = shelf.as_it_is(candidate.memory)
    return memory, "" if memory else "its file is gone"


def marked(visit: Visit, shelf: Shelf, bar: float) -> list[tuple[float, Candidate]]:
    """Return the candidates that clear the bar, best first."""
    wanted = Filter(tuple(scope for scopes in visit.scopes().values() for scope in scopes))
    table = shelf.table()
    asked = table.ask(visit.call.prompt)
    rows = {row: text for row, _, _, text in _matches(table, asked, wanted)}
    near = _nearness(_model(visit, table), shelf, table, asked, wanted, rows)
    read = {row: (rows.get(row, 0.0), near.get(row, _FAR)) for row in _worth_reading(rows, near, bar)}
    found = []
    for candidate in table.candidates(read, asked, wanted):
        nearness = None if candidate.meaning == _FAR else candidate.meaning
        found.append((relevance.mark(asked.words, asked.known, candidate.words, nearness), candidate))
    found.sort(key=lambda each: -each[0])
    return [each for each in found if each[0] >= bar]


def _matches(table: MemoryTable, asked: Asked, wanted: Filter) -> list[tuple[int, int, int, float]]:
    """Return what has the rarest words of the prompt, the best first."""
    telling = " OR ".join([quoted(word) for word in asked.words[:_TELLING]])
    return table.matches(telling, wanted, _BY_WORDS) if telling else []


def _worth_reading(rows: dict[int, float], near: dict[int, float], bar: float) -> list[int]:
    """Return the few rows that may clear the bar: the nearest that words could lift over it, and the best by words."""
    near_enough = [row for row, cosine in near.items() if cosine + relevance.MOST_BY_WORDS >= bar]
    near_enough.sort(key=lambda row: -near[row])
    return [*near_enough, *(row for row in rows if row not in near)][:_READ]


def _nearness(
    model: Model | None, shelf: Shelf, table: MemoryTable, asked: Asked, wanted: Filter, rows: dict[int, float]
) -> dict[int, float]:
    """Return how near what the words found is to the prompt, and what else is near to it."""
    if model is None:
        return {}
    vector = model.encode(asked.text, query=True, damp=asked.damp)
    nearest: list[int] = []
    if shelf.size() <= _SCANNED:
        nearest = [row for row, _, _ in Scan(table).nearest(vector, wanted, _BY_MEANING)]
    stored = table.vectors([*{*rows, *nearest}])
    return dict(zip(stored, cosines(vector, [*stored.values()]), strict=True))


def _model(visit: Visit, table: MemoryTable) -> Model | None:
    """Return the model of meaning, where it is on and made the vectors that are there."""
    if not visit.settings.flag("recall.meaning"):
        return None
    try:
        model = Model.open()
    except HoldfastError:
        return None
    return model if table.model() == model.version else None


def make_vectors(visit: Visit) -> None:
    """Make the vectors of some memories that have none yet; trouble with that is nobody's."""
    if not visit.settings.flag("recall.meaning") or visit.settings.text("recall.model") != "static":
        return
    try:
        with Shelf(visit.home, visit.is_late) as shelf:
            table = shelf.writable_table()
            model = Model.open()
            # Only `reindex` goes from one kind of model to another; of its own kind the newest counts.
            if table.model().partition("-")[0] not in ("", "static"):
                return
            table.use_model(model.version)
            missing = table.without_vector(_VECTORS)
            made = [(row, to_bytes(model.encode(text))) for row, text in missing if not visit.is_late()]
            if made:
                table.put_vectors(made)
    except (HoldfastError, sqlite3.Error):
        return


def lay_scaffold(visit: Visit) -> None:
    """Lay the tree of a memory in the project of an agent that keeps none of its own; what is there stays as it is."""
    project = visit.project()
    # A folder that is no project, such as the person's home, is nobody's workspace.
    if not visit.settings.flag("hook.scaffold") or project is None or project.rule == "override":
        return
    from holdfast.memory import scaffold

    root = os.path.join(project.root, "memory")
    if os.path.islink(root) or not scaffold.plan(root, scaffold.WORKSPACE_FOLDERS):
        return
    # Laying it is rare and heavy; looking whether it is there is neither.
    from holdfast.actions import init
    from holdfast.actions.house import House

    with House(visit.home, folder=project.root, environment=visit.environment) as house:
        init.apply(house, init.plan(house, project.root), project.root)
