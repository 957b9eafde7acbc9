"""What `memory_store` and `memory_forget` do."""

from __future__ import annotations

from holdfast.errors import NotFound
from holdfast.inject import hand_over
from holdfast.memory.forget import remove_for
from holdfast.memory.remember import remember
from holdfast.surfaces.mcp import results
from holdfast.surfaces.mcp.answers import path_of
from holdfast.surfaces.mcp.arguments import ForgetArguments, StoreArguments
from holdfast.surfaces.mcp.caller import Request


def store(request: Request, asked: StoreArguments) -> results.StoredResult:
    """Store a memory on behalf of an agent. A lesson is proposed, by whichever tool it comes."""
    if asked.memory_type == "lesson" and asked.scope in ("project", "global"):
        # Few memories are lessons, and what makes them loads many features.
        from holdfast.learning.lessons import lesson

        request.workspace.need_reach(asked.scope)
        noted = lesson.propose(request.workspace, asked.content, agent=request.agent)
        return results.StoredResult(
            key=noted.note.id,
            scope="project",
            scope_id=request.workspace.project().id,
            file_path=noted.path,
            action=noted.action,
            redacted=noted.redacted,
            replaced="",
            beside="",
        )
    stored = remember(
        request.workspace,
        asked.content,
        scope=asked.scope,
        key=asked.key,
        # A type that was not asked for leaves that of a memory which is there already.
        type=asked.memory_type if "memory_type" in asked.given else None,
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
        redacted=stored.redacted,
        replaced=hand_over.safe(stored.replaced),
        beside=stored.beside,
    )


def forget_one(request: Request, asked: ForgetArguments) -> results.ForgottenResult:
    """Forget a memory; one that is not there is no error."""
    try:
        gone = remove_for(request.workspace, request.workspace.locate(asked.key, asked.scope), request.agent)
    except NotFound:
        return results.ForgottenResult(deleted=False, key=asked.key, scope=asked.scope)
    hand_over.note_known(request.workspace, request.session, gone=[gone])
    hand_over.renew_rules_files(request.workspace)
    return results.ForgottenResult(deleted=True, key=gone.key, scope=gone.scope.kind)
