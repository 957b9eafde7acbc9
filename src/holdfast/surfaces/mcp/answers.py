"""What each tool does: arguments in, an action called, a typed result and its text out.

Stored text in a result is safe to read and labelled as data; the text of a result that shows memories is fenced.
"""

from __future__ import annotations

import os
from itertools import chain

from holdfast.app.harvest import learn_from
from holdfast.base.text import CUT, cut
from holdfast.continuity import working_state
from holdfast.continuity.buffer import MAX_ITEM, MAX_ITEMS
from holdfast.errors import BadInput, NotFound
from holdfast.inject import hand_over
from holdfast.learning.lessons import lesson
from holdfast.learning.ratings import rate
from holdfast.memory import anchors, recall_modes
from holdfast.memory.forget import remove_for
from holdfast.memory.remember import remember
from holdfast.memory.show import list_memories
from holdfast.records import Hit, Memory
from holdfast.sessions import search as session_search
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp import results as given
from holdfast.surfaces.mcp.caller import Request

# A result, and a text that says the same.
Answer = tuple[results.ToolResult, str]
_MAX_OWN_WORDS = 4_000
_MAX_RECALLED = 10
_MAX_TITLES = 50


def store(request: Request, asked: given.StoreArguments) -> results.StoredResult:
    """Store a memory on behalf of an agent. A lesson is proposed, by whichever tool it comes."""
    if asked.memory_type == "lesson" and asked.scope in ("project", "global"):
        request.workspace.need_reach(asked.scope)
        noted = lesson.propose(request.workspace, asked.content, agent=request.agent)
        return results.StoredResult(
            key=noted.note.id,
            scope="project",
            scope_id=request.workspace.project().id,
            file_path=noted.path,
            action=noted.action,
            redacted=list(noted.redacted),
            replaced="",
            beside="",
        )
    stored = remember(
        request.workspace,
        asked.content,
        scope=asked.scope,
        key=asked.key,
        # A type that was not asked for leaves that of a memory which is there already.
        type=asked.memory_type if "memory_type" in asked.model_fields_set else None,
        tags=(asked.tags,) if asked.tags is not None else None,
        trust="agent",
        source="mcp",
        agent=request.agent,
        when=asked.when,
    )
    hand_over.note_known(request.workspace, request.session, [stored.memory])
    if stored.action != "unchanged":
        hand_over.renew_rules_files(request.workspace)
    return results.StoredResult(
        key=stored.memory.key,
        scope=stored.memory.scope.kind,
        scope_id=stored.memory.scope.owner,
        file_path=path_of(request, stored.memory),
        action=stored.action,
        redacted=list(stored.redacted),
        replaced=hand_over.safe(stored.replaced),
        beside=stored.beside,
    )


def recall(request: Request, asked: given.Recall) -> Answer:
    """Find memories, count them as used, and note that the session has seen them; titles alone are not use."""
    if asked.titles and not asked.query:
        return _titles(
            list_memories(request.workspace, scope=asked.scope, types=_types(asked), limit=_most(asked) + 1), asked
        )
    hits = recall_modes.recall_by(
        request.workspace,
        asked.query or "",
        scope=asked.scope,
        types=_types(asked),
        limit=_most(asked) + asked.titles,
        mode=asked.search_mode,
        order=asked.sort_by,
    )
    if asked.titles:
        return _titles([hit.memory for hit in hits], asked)
    memories = hand_over.shares([hit.memory for hit in hits])
    hand_over.note_given(
        request.workspace, request.session, hits, agent=request.agent, moment="recall", handed=memories
    )
    found = [_found(request, hit, memory, asked.include_related) for hit, memory in zip(hits, memories, strict=True)]
    lines = [(memory.trust, _line(memory, one)) for memory, one in zip(memories, found, strict=True)]
    # Who asks for a scope or a type asks for memories alone.
    if not asked.scope and not asked.memory_type:
        # A server starts without what finds it.
        from holdfast.app import search

        for said in chain(*search.beside(request.workspace, asked.query or "")):
            # A line of a document names its page, one of a session the session.
            where = said.session if said.agent else said.speaker
            lines.append(("derived", f"- {where} ({said.at[:10]}): {hand_over.safe(said.shown)}"))
    return results.Recalled(memories=found), hand_over.fenced_by_trust(lines) or "Nothing was found."


def _found(request: Request, hit: Hit, memory: Memory, with_related: bool) -> results.FoundResult:
    """Return a hit as a result; `memory` is the same one as it may be read."""
    return results.FoundResult(
        key=memory.key,
        content=memory.body,
        memory_type=memory.type,
        scope=memory.scope.kind,
        scope_id=memory.scope.owner,
        tags=[hand_over.safe(tag) for tag in memory.tags],
        file_path=path_of(request, memory),
        updated_at=memory.updated,
        created_at=memory.created,
        trust=memory.trust,
        score=round(hit.score, 4),
        pinned=memory.pinned,
        superseded_by=hit.superseded_by,
        stale=hand_over.safe(request.workspace.fresh().warning(memory)) if memory.anchors else "",
        truncated=hand_over.is_cut(memory.body) and memory.body != hit.memory.body,
        related=[
            results.RelatedResult(key=one.key, scope=one.scope.kind, title=hand_over.title(one), why=list(other.why))
            for other in (recall_modes.related(request.workspace, hit.memory) if with_related else ())
            for one in (other.memory,)
        ],
    )


def _line(memory: Memory, found: results.FoundResult) -> str:
    """Return a memory as a line of text, with what changed in its code, what replaced it and what is related."""
    line = hand_over.line(memory)
    if found.stale:
        line += f"\n  {found.stale}"
    if found.superseded_by:
        line += f"\n  replaced by {found.superseded_by}"
    return line + "".join(f"\n  {', '.join(one.why)}: {one.key} ({one.title})" for one in found.related)


def search_sessions(request: Request, asked: given.SessionSearch) -> Answer:
    """Find what was said in sessions of this project, and of no other."""
    # Where there is no project this raises; a person may look everywhere, an agent may not.
    request.workspace.project()
    agents, since, until = (asked.agent,) if asked.agent else (), asked.since or "", asked.until or ""
    found = session_search.search(
        request.workspace, asked.query, agents=agents, since=since, until=until, limit=asked.limit
    )
    passages = [
        results.PassageResult(
            session=hand_over.safe(hit.session),
            title=" ".join(hand_over.safe(hit.title).split()),
            speaker=hit.speaker,
            said_at=hand_over.safe(hit.at),
            text=hand_over.safe(hit.text),
            event=hit.event,
            score=round(hit.score, 4),
        )
        for hit in found.hits
    ]
    lines = [f"- {one.session} ({one.speaker}, {one.said_at[:10]}): {one.text}" for one in passages]
    return results.Searched(passages=passages), hand_over.fenced(lines) or "Nothing was found."


def forget_one(request: Request, asked: given.Forget) -> results.ForgottenResult:
    """Forget a memory; one that is not there is no error."""
    try:
        gone = remove_for(request.workspace, request.workspace.locate(asked.key, asked.scope), request.agent)
    except NotFound:
        return results.ForgottenResult(deleted=False, key=asked.key, scope=asked.scope)
    hand_over.note_known(request.workspace, request.session, gone=[gone])
    hand_over.renew_rules_files(request.workspace)
    return results.ForgottenResult(deleted=True, key=gone.key, scope=gone.scope.kind)


def _types(asked: given.Recall) -> tuple[str, ...]:
    return (asked.memory_type,) if asked.memory_type else ()


def _most(asked: given.Recall) -> int:
    return asked.limit or (_MAX_TITLES if asked.titles else _MAX_RECALLED)


def _titles(memories: list[Memory], asked: given.Recall) -> Answer:
    """Return memories by key and title. Looking is not use."""
    listed = [
        results.ListedResult(
            key=memory.key,
            title=hand_over.title(memory),
            memory_type=memory.type,
            scope=memory.scope.kind,
            tags=[hand_over.safe(tag) for tag in memory.tags],
            updated_at=memory.updated,
            pinned=memory.pinned,
        )
        for memory in memories[: _most(asked)]
    ]
    more = len(memories) > len(listed)
    lines: list[str] = []
    for scope in dict.fromkeys(one.scope for one in listed):
        lines += [f"## {scope}", *(f"- {one.key}: {one.title}" for one in listed if one.scope == scope)]
    lines += ["There are more; memory_recall finds them."] if more else []
    return results.Listing(memories=listed, more=more), hand_over.fenced(lines) or "Nothing is known yet."


def rate_one(request: Request, asked: given.Rate) -> results.RatedResult | results.SessionRated:
    """Mark a memory as helpful or harmful, or write down the rating that the person gave this session in words."""
    if (asked.session_rating is None) == (asked.key is None):
        raise BadInput("either a memory or the session is rated", "Give key and rating, or session_rating and note.")
    if asked.session_rating is not None:
        return _rate_session(request, asked.session_rating, asked.note or "")
    if asked.key is None or asked.rating is None:
        raise BadInput("the rating is missing", "Give rating: helpful or harmful.")
    if asked.rating == "confirmed":
        held = anchors.confirm(request.workspace, request.workspace.locate(asked.key, asked.scope))
        return results.RatedResult(key=held.key, scope=held.scope.kind, rating=asked.rating)
    memory, kinds = lesson.mark(
        request.workspace, asked.key, asked.rating, scope=asked.scope, note=asked.note or "", agent=request.agent
    )
    return results.RatedResult(key=memory.key, scope=memory.scope.kind, rating=asked.rating, redacted=list(kinds))


def _rate_session(request: Request, rating: int, words: str) -> results.SessionRated:
    if not words.strip():
        raise BadInput("the person's own words are missing", "Quote them as note; never rate your own work.")
    rated = rate.pass_on(request.workspace, rating, words, agent=request.agent, session=request.session)
    learn_from(request.workspace, rated)
    return results.SessionRated(
        rating=rated.rating.rating,
        session=hand_over.safe(rated.rating.session),
        action=rated.action,
        redacted=list(rated.redacted),
    )


def state(request: Request, asked: given.StateArguments) -> results.StateUpdated | Answer:
    """Read what is being done now, or write down the fields that are given."""
    return update_state(request, asked) if asked.model_fields_set else read_state(request)


def read_state(request: Request) -> Answer:
    """Read the working state of the project."""
    state = working_state.read(request.workspace)
    result = results.State(
        exists=bool(state.path),
        focus=hand_over.safe(state.focus),
        decisions=_safe(state.decisions),
        next_steps=_safe(state.next_steps),
        open_threads=_safe(state.open_threads),
        updated_at=hand_over.safe(state.updated),
        updated_by=hand_over.safe(state.by),
        own_words=cut(hand_over.safe(state.own_words), _MAX_OWN_WORDS, CUT),
        file_path=state.path,
    )
    return result, hand_over.fenced(_state_lines(result)) or "There is no working state yet."


def _safe(items: tuple[str, ...]) -> list[str]:
    return [cut(hand_over.safe(item), MAX_ITEM, CUT) for item in items[:MAX_ITEMS]]


def _state_lines(state: results.State) -> list[str]:
    lines = [f"Focus: {state.focus}"] if state.focus else []
    named = (("Decisions", state.decisions), ("Next steps", state.next_steps), ("Open threads", state.open_threads))
    for name, items in named:
        lines += [f"{name}:", *(f"- {item}" for item in items)] if items else []
    lines += [f"Beside it the person wrote: {state.own_words}"] if state.own_words else []
    by = f" by {state.updated_by}" if state.updated_by else ""
    return [*lines, f"Updated {state.updated_at}{by}."] if lines and state.updated_at else lines


def update_state(request: Request, asked: given.StateArguments) -> results.StateUpdated:
    """Write down what is being done now."""
    request.workspace.need_reach("project")
    updated = working_state.update(
        request.workspace,
        focus=asked.focus,
        decisions=tuple(asked.decisions or ()),
        next_steps=None if asked.next_steps is None else tuple(asked.next_steps),
        open_threads=None if asked.open_threads is None else tuple(asked.open_threads),
        clear=asked.clear,
        by=request.agent,
    )
    return results.StateUpdated(
        action=updated.action,
        file_path=updated.state.path,
        redacted=list(updated.redacted),
        dropped_decisions=[hand_over.safe(item) for item in updated.dropped],
    )


def path_of(request: Request, memory: Memory) -> str:
    """Return the whole path of a memory's file."""
    return os.path.join(request.workspace.home, "memory", memory.path)
