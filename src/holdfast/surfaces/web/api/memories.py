"""`/memories`: list, search, show, store, change, forget, pin and move, and what a session would be given of them."""

from __future__ import annotations

import msgspec

from holdfast.app import erase
from holdfast.app.preview import Preview, preview
from holdfast.errors import ChangedMeanwhile, Conflict
from holdfast.memory import anchors, edit, forget, move, remember, show
from holdfast.recall.recall import recall
from holdfast.recall.related import related
from holdfast.records import Draft, Memory, Stored
from holdfast.surfaces.web.api.endpoints import ApiCall, endpoint
from holdfast.surfaces.web.api.shapes import (
    ContextAsked,
    ContextBlock,
    ForgottenMemory,
    FoundMemories,
    LeftOut,
    MemoriesAsked,
    MemoryChange,
    MemoryHistory,
    MemoryList,
    MemoryShape,
    MovedTo,
    NearMemories,
    NearMemory,
    NewMemory,
    OneMemory,
    PromptGiven,
    SearchAsked,
    SeenFrom,
    StatementView,
    StoredMemory,
    WholeMemory,
    etag_of,
    found_memory,
    given_memory,
    memory_shape,
    rule_view,
    ruled_memory,
)
from holdfast.surfaces.web.api.shapes import given as given_of


@endpoint("GET", "/memories", on_hub=True)
def list_all(call: ApiCall, asked: MemoriesAsked) -> MemoryList:
    """List the memories that are visible from a project, newest first."""
    part, more = asked.part(show.list_memories(call.workspace, **asked.choices(), limit=asked.end + 1))
    return MemoryList([ruled_memory(one, show.replaced_by(call.workspace, one)) for one in part], more)


@endpoint("GET", "/search", on_hub=True)
def search(call: ApiCall, asked: SearchAsked) -> FoundMemories:
    """Find memories by words and meaning, best first, with each part of the score. Looking is not use."""
    found = [
        found_memory(one, team)
        for team, workspace in call.workspace.teams.items()
        for one in recall(workspace, asked.q, **asked.choices(), limit=asked.end + 1, counts=False)
    ]
    best = sorted(found, key=lambda one: -one.score) if len(call.workspace.teams) > 1 else found
    return FoundMemories(*asked.part(best))


@endpoint("POST", "/memories", "write", statuses=(200, 201, 202), on_hub=True)
def create(call: ApiCall, asked: SeenFrom, given: NewMemory) -> StoredMemory:
    """Store a memory; the same again changes nothing. A key that is taken is a conflict: change that memory instead."""
    call.need_to_write(call.workspace.scope(given.scope))
    if given.pinned:
        call.workspace.need_person("pins memories")
    if given.enforce is not None:
        call.workspace.need_person(edit.OF_STRENGTH)
    try:
        stored = remember.remember(
            call.workspace,
            given.text,
            scope=given.scope,
            key=given.key,
            title=given.title,
            type=given.type,
            tags=None if given.tags is None else tuple(given.tags),
            supersedes=tuple(given.supersedes),
            pinned=True if given.pinned else None,
            was=None if given.key is None else "",
            when=given.when,
            enforce=given.enforce,
            trust=call.trust,
            source="api",
            agent=call.agent,
        )
    except ChangedMeanwhile:
        raise Conflict(f"there is a memory {given.key} already", "Change that one: PATCH, with its ETag.") from None
    return _stored(call, stored)


@endpoint("GET", "/memories/{key}", tagged=True, on_hub=True)
def show_one(call: ApiCall, asked: OneMemory, key: str) -> WholeMemory:
    """Show one memory, with its history, its rule, what supersedes it and how often it was used."""
    memory = show.show(call.workspace, key, scope=asked.scope)
    newer = show.replaced_by(call.workspace, memory)
    call.etag = etag_of(call.workspace.store.text(memory))
    uses, used = call.workspace.store.uses(memory.scope, memory.key)
    return given_of(
        memory,
        WholeMemory,
        scope=memory.scope.kind,
        owner=memory.scope.owner,
        history=[StatementView(one.text, one.at) for one in memory.history],
        superseded_by=newer,
        rule=rule_view(memory, newer),
        uses=uses,
        used=used,
    )


@endpoint("PATCH", "/memories/{key}", "write", changes=True, tagged=True, statuses=(200, 202), on_hub=True)
def change(call: ApiCall, asked: OneMemory, given: MemoryChange, key: str) -> StoredMemory:
    """Change what a memory says, its title, type, tags, pin or rule. What it said before is its history."""
    memory, was = _matched(call, key, asked.scope)
    if given.pinned is not None:
        call.workspace.need_person("pins memories")
    text = given.text or memory.body
    draft = Draft(
        text,
        memory.scope,
        key=memory.key,
        title=given.title,
        type=given.type,
        tags=None if given.tags is None else tuple(given.tags),
        pinned=given.pinned,
        **edit.rule_fields(call.workspace, memory, given.when, given.enforce, text),
        trust=call.trust,
        source="api",
        agent=call.agent,
    )
    remember.need_no_lesson(draft)
    return _stored(call, remember.put(call.workspace, draft, was))


@endpoint("DELETE", "/memories/{key}", "write", changes=True, on_hub=True)
def forget_one(call: ApiCall, asked: OneMemory, key: str) -> ForgottenMemory:
    """Forget a memory: for good where the person asks; what a program removes, undoing brings back."""
    memory, _ = _matched(call, key, asked.scope)
    if call.is_person:
        erase.forget_memories(call.workspace, [memory])
    else:
        forget.remove_for(call.workspace, memory, call.principal.name, source="api")
    return msgspec.convert({"key": memory.key, "scope": memory.scope.kind, "for_good": call.is_person}, ForgottenMemory)


@endpoint("GET", "/memories/{key}/history", on_hub=True)
def history(call: ApiCall, asked: OneMemory, key: str) -> MemoryHistory:
    """Show what a memory says and said before, newest first."""
    memory, statements = show.history(call.workspace, key, scope=asked.scope)
    told = [StatementView(one.text, one.at) for one in statements]
    return msgspec.convert({"key": memory.key, "scope": memory.scope.kind, "statements": told}, MemoryHistory)


@endpoint("GET", "/memories/{key}/related", on_hub=True)
def near(call: ApiCall, asked: OneMemory, key: str) -> NearMemories:
    """Show what is related to a memory, one step away, and why."""
    found = related(call.workspace, key, scope=asked.scope)
    return NearMemories([NearMemory(memory_shape(one.memory), one.why) for one in found])


@endpoint("PUT", "/memories/{key}/pin", "review", on_hub=True)
def pin(call: ApiCall, asked: OneMemory, key: str) -> MemoryShape:
    """Pin a memory: it never expires, and comes first where memories are handed over."""
    return _pinned(call, asked, key, pinned=True)


@endpoint("DELETE", "/memories/{key}/pin", "review", on_hub=True)
def unpin(call: ApiCall, asked: OneMemory, key: str) -> MemoryShape:
    """Unpin a memory: the rules of its scope hold for it again."""
    return _pinned(call, asked, key, pinned=False)


def _pinned(call: ApiCall, asked: OneMemory, key: str, *, pinned: bool) -> MemoryShape:
    call.need_to_write(call.workspace.locate(key, asked.scope).scope)
    return memory_shape(remember.pin(call.workspace, key, scope=asked.scope, pinned=pinned))


@endpoint("POST", "/memories/{key}/confirm", "review", tagged=True)
def confirm(call: ApiCall, asked: OneMemory, key: str) -> MemoryShape:
    """Say that a memory still holds although the code that it names changed."""
    memory = call.workspace.locate(key, asked.scope)
    call.need_to_write(memory.scope)
    held = anchors.confirm(call.workspace, memory)
    call.etag = etag_of(call.workspace.store.text(held))
    return memory_shape(held)


@endpoint("POST", "/memories/{key}/move", "review", changes=True, tagged=True, on_hub=True)
def move_one(call: ApiCall, asked: OneMemory, given: MovedTo, key: str) -> MemoryShape:
    """Move a memory to another scope or key. History, tags and dates go with it, and links follow."""
    memory, _ = _matched(call, key, asked.scope)
    planned, _ = move.plan(call.workspace, key, scope=memory.scope.kind, to=given.to, new_key=given.key)
    call.need_to_write(planned.to)
    moved = move.apply(call.workspace, planned)
    call.etag = etag_of(call.workspace.store.text(moved))
    return memory_shape(moved)


@endpoint("GET", "/context")
def context(call: ApiCall, asked: ContextAsked) -> ContextBlock:
    """Show the block that a session which starts now would be given, and why. Nothing is recorded."""
    return _block(preview(call.workspace, after_compaction=asked.after_compaction, agent=asked.agent))


@endpoint("POST", "/preview")
def try_prompt(call: ApiCall, asked: SeenFrom, given: PromptGiven) -> ContextBlock:
    """Show what a prompt would bring, after what its session was given at its start. Nothing is recorded."""
    return _block(preview(call.workspace, prompt=given.prompt, agent=given.agent))


def _block(found: Preview) -> ContextBlock:
    block = found.block
    return ContextBlock(
        agent=found.agent,
        moment=found.moment,
        text=block.text,
        characters=len(block.text),
        tokens=-(-len(block.text) // 4),
        budget=found.budget,
        note=found.note,
        given=[given_memory(one.scope, one.key, one.why, one.tokens) for one in block.given],
        left_out=[LeftOut(name, why) for name, why in block.left_out],
    )


def _matched(call: ApiCall, key: str, scope: str | None) -> tuple[Memory, str]:
    """Return a memory that may be changed, and its text, if that is what the change was made of."""
    memory = call.workspace.locate(key, scope)
    call.need_to_write(memory.scope)
    text = call.workspace.store.text(memory)
    call.need_state(etag_of(text))
    return memory, text


def _stored(call: ApiCall, stored: Stored) -> StoredMemory:
    """Return what became of a store; a new one is 201, one that waits for the person is 202."""
    call.status = {"created": 201, "proposed": 202}.get(stored.action, 200)
    if stored.action != "proposed":
        call.etag = etag_of(call.workspace.store.text(stored.memory))
    return given_of(stored, StoredMemory, memory=memory_shape(stored.memory))
