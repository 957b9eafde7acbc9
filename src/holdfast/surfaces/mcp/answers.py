"""What `memory_recall` does: arguments in, an action called, a typed result and its text out.

Stored text in a result is safe to read and labelled as data; the text of a result that shows memories is fenced.
"""

from __future__ import annotations

import os
from itertools import chain

from holdfast.inject import hand_over
from holdfast.memory import recall_modes
from holdfast.memory.show import list_memories
from holdfast.records import Hit, Memory
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.arguments import RecallArguments
from holdfast.surfaces.mcp.caller import Request
from holdfast.surfaces.mcp.results import Answer

_MAX_RECALLED = 10
_MAX_TITLES = 50


def recall(request: Request, asked: RecallArguments) -> Answer:
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
    found = tuple(
        _found(request, hit, memory, asked.include_related) for hit, memory in zip(hits, memories, strict=True)
    )
    lines = [(whose(request, memory), _line(memory, one)) for memory, one in zip(memories, found, strict=True)]
    # Who asks for a scope or a type asks for memories alone.
    if not asked.scope and not asked.memory_type and request.workspace.has_home:
        # A server starts without what finds it.
        from holdfast.app import search

        for said in chain(*search.beside(request.workspace, asked.query or "")):
            # A line of a document names its page, one of a session the session.
            where = said.session if said.agent else said.speaker
            lines.append(("derived", f"- {where} ({said.at[:10]}): {hand_over.safe(said.shown)}"))
    return results.Recalled(memories=found), hand_over.fenced_by_trust(lines) or "Nothing was found."


def whose(request: Request, memory: Memory) -> str:
    """Return by whom a memory is told: on a hub a colleague's word is not that of the person the agent works for."""
    return memory.trust if request.workspace.has_home else "import"


def _found(request: Request, hit: Hit, memory: Memory, with_related: bool) -> results.FoundResult:
    """Return a hit as a result; `memory` is the same one as it may be read."""
    return results.FoundResult(
        key=memory.key,
        content=memory.body,
        memory_type=memory.type,
        scope=memory.scope.kind,
        scope_id=memory.scope.owner,
        tags=tuple(map(hand_over.safe, memory.tags)),
        file_path=path_of(request, memory),
        updated_at=memory.updated,
        created_at=memory.created,
        trust=memory.trust,
        score=round(hit.score, 4),
        pinned=memory.pinned,
        superseded_by=hit.superseded_by,
        stale=hand_over.safe(request.workspace.fresh().warning(memory)) if memory.anchors else "",
        truncated=hand_over.is_cut(memory.body) and memory.body != hit.memory.body,
        related=tuple(
            results.RelatedResult(key=one.key, scope=one.scope.kind, title=hand_over.title(one), why=tuple(other.why))
            for other in (recall_modes.related(request.workspace, hit.memory) if with_related else ())
            for one in (other.memory,)
        ),
    )


def _line(memory: Memory, found: results.FoundResult) -> str:
    """Return a memory as a line of text, with what changed in its code, what replaced it and what is related."""
    line = hand_over.line(memory)
    if found.stale:
        line += f"\n  {found.stale}"
    if found.superseded_by:
        line += f"\n  replaced by {found.superseded_by}"
    return line + "".join(f"\n  {', '.join(one.why)}: {one.key} ({one.title})" for one in found.related)


def _types(asked: RecallArguments) -> tuple[str, ...]:
    return (asked.memory_type,) if asked.memory_type else ()


def _most(asked: RecallArguments) -> int:
    return asked.limit or (_MAX_TITLES if asked.titles else _MAX_RECALLED)


def _titles(memories: list[Memory], asked: RecallArguments) -> Answer:
    """Return memories by key and title. Looking is not use."""
    listed = tuple(
        results.ListedResult(
            key=memory.key,
            title=hand_over.title(memory),
            memory_type=memory.type,
            scope=memory.scope.kind,
            tags=tuple(map(hand_over.safe, memory.tags)),
            updated_at=memory.updated,
            pinned=memory.pinned,
        )
        for memory in memories[: _most(asked)]
    )
    more = len(memories) > len(listed)
    lines: list[str] = []
    for scope in dict.fromkeys(one.scope for one in listed):
        lines += [f"## {scope}", *(f"- {one.key}: {one.title}" for one in listed if one.scope == scope)]
    lines += ["There are more; memory_recall finds them."] if more else []
    return results.Listing(memories=listed, more=more), hand_over.fenced(lines) or "Nothing is known yet."


def path_of(request: Request, memory: Memory) -> str:
    """Return the whole path of a memory's file; a hub has none."""
    return os.path.join(request.workspace.home, "memory", memory.path) if request.workspace.has_home else ""
