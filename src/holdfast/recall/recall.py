"""Find memories: see what changed, search, fuse, and count what was handed out as used."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from holdfast import journal
from holdfast import project as projects
from holdfast.base.clock import now
from holdfast.errors import BadInput, HoldfastError, NotFound
from holdfast.language import spoken_time, when
from holdfast.recall import fusion, weights
from holdfast.recall.meaning import model_of, scan_of
from holdfast.recall.statements import Question
from holdfast.recall.vectors import make_vectors
from holdfast.records import Candidate, Filter, Hit, Scope, replace
from holdfast.workspace import Workspace, normal_tags

if TYPE_CHECKING:
    from holdfast.language.spoken_time import Span
    from holdfast.recall.scan import Scan
    from holdfast.records import Memory
    from holdfast.store.base import MemorySearch, Tables
    from holdfast.store.words import Asked

_LOOKED_AT = 20
# The share of the words that "the migration" must match to be meant.
_ENOUGH_OF_EVENT = 0.66
_MAX_REPLACED = 10
# How many missing vectors one recall makes, in about a tenth of a second.
_MAX_VECTORS = 500
# How many candidates come by words, by meaning, and by a common name.
_BY_WORDS, _BY_MEANING, _NAMED = 60, 50, 200


def recall(
    workspace: Workspace,
    query: str = "",
    *,
    scope: str | None = None,
    types: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    agents: tuple[str, ...] = (),
    since: str = "",
    until: str = "",
    limit: int | None = None,
    everywhere: bool = False,
    project: str = "",
    counts: bool = True,
) -> list[Hit]:
    """Return the best hits among what is visible here, or from `project`. Without a query, the newest.

    Nothing found is no error. A time that the query speaks of ranks; only `since` and `until` leave out. Who only looks
    `counts` nothing as used.
    """
    if not workspace.enabled:
        return []
    at = now()
    wanted = Filter(
        scopes_of(workspace, scope, everywhere=everywhere, project=project),
        types,
        normal_tags(tags),
        when.moment(since, at) if since else "",
        when.moment(until, at) if until else "",
        agents=_agent_names(agents),
    )
    limit = limit or workspace.settings.number("recall.limit")
    found = search(workspace, query, wanted, max(_LOOKED_AT, limit * 2), at)
    # What was learned on a branch is a fact there, and not yet elsewhere.
    hits = [hit for hit in found if everywhere or not hit.memory.branch or workspace.fresh().holds_here(hit.memory)]
    hits = hits[:limit]
    if counts and query.strip() and workspace.settings.flag("recall.count_use"):
        count_use(workspace, hits, at)
    return hits


def search(workspace: Workspace, query: str, wanted: Filter, limit: int, at: str = "") -> list[Hit]:
    """Return the best hits among what a filter lets through; looking is not use."""
    workspace.refresh(wanted.scopes)
    asked = query, wanted, max(_LOOKED_AT, limit), at or now()
    hits, store = _hits(workspace, *asked)[:limit], workspace.store
    # In a very large folder not every file was looked at: nothing is handed out that its file no longer says.
    seen = store.ask(lambda tables: store.tree.recheck([one.memory.path for one in hits])) if store.has_tree else None
    return _hits(workspace, *asked)[:limit] if seen is not None and (seen.read or seen.gone) else hits


def scopes_of(
    workspace: Workspace, kind: str | None, *, everywhere: bool, project: str = ""
) -> tuple[Scope, ...] | None:
    """Return the scopes to search; with a project, its own (and its aliases') in place of the folder's."""
    if not project:
        return workspace.readable(kind, everywhere=everywhere)
    if everywhere:
        raise BadInput("a project and everywhere do not go together", "Give a project, or everywhere, not both.")
    asked = projects.resolve(workspace.folder or "", workspace.registry, override=project, override_from="the project")
    its_own = tuple(Scope("project", owner) for owner in asked.ids) if kind in (None, "project") else ()
    others = () if kind == "project" else workspace.visible(kind)
    return (*its_own, *(scope for scope in others if scope.kind != "project"))


def _agent_names(agents: tuple[str, ...]) -> tuple[str, ...]:
    several = (agents,) if isinstance(agents, str) else agents
    names = tuple(name.strip() for name in several)
    for name in names:
        if not name or not name.isprintable():
            raise BadInput(
                f"{name!a} is not the name of an agent", "Use the name that its memories have, as `show` prints it."
            )
    return names


def _hits(workspace: Workspace, query: str, wanted: Filter, limit: int, at: str) -> list[Hit]:
    span = spoken_time.spoken(query, at)
    if span is not None and span.event:
        span = _dated(workspace, span, wanted)
    candidates, instead_of = _with_replacements(workspace, _candidates(workspace, query, wanted, limit, span), wanted)
    statements = _statement_times(workspace, candidates, span)
    return fusion.fuse(candidates, at, span=span, statements=statements, instead_of=instead_of)


def _candidates(workspace: Workspace, query: str, wanted: Filter, limit: int, span: Span | None) -> list[Candidate]:
    text = query if span is None else span.rest
    if span is not None and span.bare:
        listed = _listed(workspace, replace(wanted, between=(span.since, span.until)), limit)
        if listed:
            return listed
    return _found(workspace, text, wanted, limit, span) if text.strip() else _listed(workspace, wanted, limit)


def _listed(workspace: Workspace, wanted: Filter, limit: int) -> list[Candidate]:
    return [_unasked(workspace, memory) for memory in workspace.store.find(wanted, limit)]


def _unasked(workspace: Workspace, memory: Memory) -> Candidate:
    """Return a memory that no search found as a candidate."""
    return Candidate(
        memory,
        text=0.0,
        words=(),
        earlier=False,
        uses=workspace.store.uses(memory.scope, memory.key)[0],
        superseded_by=memory.ended_by(workspace.store.superseded_by(memory.scope, memory.key)),
    )


def _found(workspace: Workspace, query: str, wanted: Filter, limit: int, span: Span | None = None) -> list[Candidate]:
    model = model_of(workspace)

    def search(tables: Tables) -> list[Candidate]:
        table = tables.memories
        asked = table.ask(query)
        if model is not None:
            make_vectors(table, model, _MAX_VECTORS)
        # Others may have more of the words than what lies in the spoken time.
        narrows = span is not None and span.kind == spoken_time.NARROWS
        filters = [wanted, replace(wanted, between=(span.since, span.until))] if span and narrows else [wanted]
        question = Question(table, model, asked) if model is not None else None
        marks: dict[int, tuple[float, float]] = {}
        for each in filters:
            if question is None:
                matches = _matches(table, asked, each, limit)
                best = max([1e-9, *(text for _, text in matches)])
                found = {row: (max(0.0, text / best), 0.0) for row, text in matches}
            else:
                scan = scan_of(workspace, table)
                found = question.weigh(_rows(question, scan, each), scan, each)
            marks |= {row: found[row] for row in sorted(found, key=lambda row: -sum(found[row]))[:limit]}
        return table.candidates(marks, asked, wanted)

    return workspace.store.ask(search)


def _matches(table: MemorySearch, asked: Asked, wanted: Filter, most: int) -> list[tuple[int, float]]:
    """Return what has most of the words, with its text score."""
    worth = [log(1 + asked.total / (1 + count)) for count in asked.counts]
    return [(row, text) for row, _, _, text in table.best(asked, worth, wanted, most)]


def _rows(question: Question, scan: Scan, wanted: Filter) -> list[int]:
    """Return the memories that may be meant: those with the words, with the names, and those near enough."""
    table, asked = question.table, question.asked
    rows = [row for row, _ in _matches(table, asked, wanted, _BY_WORDS)]
    near = scan.compared(question.all_of_it, wanted, _BY_MEANING)
    rows += [row for (row, _, _), cosine in near if cosine >= weights.NEAR_ENOUGH]
    if question.names:
        named = {row for place in question.names for row in table.holders(asked.words[place], _NAMED)}
        rows += [row for (row, _, _), _ in table.seen(sorted(named), wanted)]
    return list(dict.fromkeys(rows))


def _dated(workspace: Workspace, span: Span, wanted: Filter) -> Span | None:
    """Return the span with the time of its event: when the memory was first stored that has enough of its words."""
    everything = Filter(wanted.scopes)
    words = len(span.event.split())
    for candidate in _found(workspace, span.event, everything, _LOOKED_AT):
        if len(candidate.words) >= _ENOUGH_OF_EVENT * words and not candidate.earlier:
            return span.dated(candidate.memory.created, candidate.memory.key)
    return None


def _statement_times(
    workspace: Workspace, candidates: list[Candidate], span: Span | None
) -> dict[str, tuple[str, ...]]:
    """Return when each memory said something else, read from its file only where the spoken time lies in between."""
    if span is None or span.kind != spoken_time.NARROWS or not (span.since and span.until):
        return {}
    times: dict[str, tuple[str, ...]] = {}
    for memory in (candidate.memory for candidate in candidates):
        if memory.created < span.since and memory.updated >= span.until:
            try:
                history = workspace.store.get(memory.scope, memory.key).history
            except NotFound:
                continue
            times[memory.path] = tuple(statement.at for statement in history)
    return times


def _with_replacements(
    workspace: Workspace, candidates: list[Candidate], wanted: Filter
) -> tuple[list[Candidate], dict[str, str]]:
    """Add what replaced a candidate and was not found itself, with the marks of the one that it stands in for."""
    there = {(candidate.memory.scope, candidate.memory.key) for candidate in candidates}
    added: list[Candidate] = []
    instead_of: dict[str, str] = {}
    for candidate in candidates:
        scope, key = candidate.memory.scope, candidate.superseded_by
        for _ in range(_MAX_REPLACED):
            if not key or (scope, key) in there:
                break
            there.add((scope, key))
            for memory in workspace.store.find(replace(wanted, scopes=(scope,), keys=(key,)), 1):
                added.append(replace(_unasked(workspace, memory), text=candidate.text, meaning=candidate.meaning))
                instead_of[memory.path] = candidate.memory.key
            key = workspace.store.superseded_by(scope, key)
    return [*candidates, *added], instead_of


def count_use(workspace: Workspace, hits: list[Hit], at: str) -> None:
    """Note in journal and index that the hits were handed out. A home that cannot be written does not stop a recall."""
    memories = [(hit.memory.scope, hit.memory.key) for hit in hits]
    if not memories or workspace.store.is_temporary:
        return
    try:
        workspace.journal.append(journal.use(memories, at), durable=False)
        workspace.store.add_uses((scope, key, at) for scope, key in memories)
    except HoldfastError as problem:
        workspace.say(f"the use was not counted: {problem}")
